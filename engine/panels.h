/* SPDX-License-Identifier: Apache-2.0 */
/*
 * panels.h - the arithmetic of the cube unit, compiled once an instruction set (panel_loops.h).
 *
 * Every type becomes float first: products of two halves, of two bfloat16 and of two small integers
 * are exact there. A sum begins with what C holds and takes one fused multiply-add a step of k, in
 * rising k. So the bits do not depend on the instruction set, nor on how m and n are cut.
 */
#ifndef NPU_PANELS_H
#define NPU_PANELS_H
#include <stddef.h>
#include <stdint.h>

enum { NPU_PANEL = 16 }; /* columns of one panel of B and of C */

struct npu_panels {
    const char *name;
    /* c[panel][m][16] += a[m][lda] x b[panel][k][16]; panels of c lie c_panel floats apart. */
    void (*multiply)(float *c, size_t c_panel, const float *a, size_t lda, const float *b,
                     uint32_t m, uint32_t n_panels, uint32_t k);
    /* n numbers become floats; halves in multiples of 16. */
    void (*from_f16)(float *to, const uint16_t *from, uint32_t n);
    void (*from_bf16)(float *to, const uint16_t *from, uint32_t n);
    void (*from_s8)(float *to, const int8_t *from, uint32_t n);
    /* to[16][16] = from, transposed; 16-bit elements, apart or equal. */
    void (*turn_16)(uint8_t *to, const uint8_t *from);
    /* to[k][16] = from[16][k]; k a multiple of 16. */
    void (*turn)(float *to, const float *from, size_t from_row, uint32_t k);
};

extern const struct npu_panels npu_panels_plain;
#ifdef __x86_64__
extern const struct npu_panels npu_panels_v3, npu_panels_v4;
#endif
/* The best one for this machine. */
const struct npu_panels *npu_panels_best(void);
#endif
