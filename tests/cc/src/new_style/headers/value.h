/* SPDX-License-Identifier: Apache-2.0 */
constexpr int VALUE = 41;
