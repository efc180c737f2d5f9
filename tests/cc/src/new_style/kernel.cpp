/* SPDX-License-Identifier: Apache-2.0 */
extern "C" __global__ __vector__ void add_to(GM_ADDR p, int n) { *(__gm__ int *)p += n + ADDEND; }
