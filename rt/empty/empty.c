/* SPDX-License-Identifier: Apache-2.0 */
/*
 * empty.c - a library that callers link but from which nothing can be given yet.
 *
 * The soname must exist, or `import torch_npu` and link lines of operator projects fail; a name
 * that is missing from it makes the caller say so, which a stub that returns 0 would not.
 */
