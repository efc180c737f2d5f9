/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul_plan.h - what a matmul tiling asks for and gets, in C; matmul_tiling.h has the classes.
 *
 * Numbers of a question are -1 where the asker leaves them open. Enumerated numbers are those of
 * matmul_tiling.h. The function lives in libtiling_api.so.
 */
#ifndef NPUTWIN_MATMUL_PLAN_H
#define NPUTWIN_MATMUL_PLAN_H
#include <stdbool.h>
#include <stdint.h>
#ifdef __cplusplus
#include "../../kernel_tiling/kernel_tiling.h"
typedef AscendC::tiling::TCubeTiling nputwin_cube_tiling;
extern "C" {
#else
#define NPU_U32(field)  uint32_t field;
#define NPU_I32(field)  int32_t field;
#define NPU_F32(field)  float field;
#define NPU_U16(field)  uint16_t field;
#define NPU_BOOL(field) bool field;
#define TILING(name, ...)                                                                          \
    struct nputwin_##name {                                                                        \
        __VA_ARGS__                                                                                \
    };
#include "../../kernel_tiling/tilings.def"
typedef struct nputwin_TCubeTiling nputwin_cube_tiling;
#endif

struct nputwin_mm_matrix {
    int32_t position, format, type;
    bool is_transposed;
};
/* Three lengths: rows of A, columns of B, and what is added over. */
struct nputwin_mm_size {
    int32_t m, n, k;
};
/* Lengths of the axes B, S, N, G, D. */
struct nputwin_mm_layout {
    int32_t b, s, n, g, d;
};
struct nputwin_mm_question {
    /* Bytes of the memories; all 0: those of the SoC of this process. n_cores 0: not known. */
    struct {
        uint32_t arch, n_cores;
        uint64_t l1, l0a, l0b, l0c, bt;
    } chip;
    struct nputwin_mm_matrix a, b, c, bias;
    bool has_bias, is_for_cores, splits_k, is_sparse, is_one_scale;
    int32_t traverse, mad, schedule, config;
    int32_t org_m, org_n, org_ka, org_kb;
    struct nputwin_mm_size shape, single, single_most, single_least, single_align;
    struct nputwin_mm_size base, base_most, base_least;
    int32_t dim;         /* cores that may work */
    int32_t l1, l0c, bt; /* bytes that may be used of them */
    struct nputwin_mm_layout a_layout, b_layout, c_layout;
    int32_t n_batch;
};
/* How many parts m, n and k are cut into. */
struct nputwin_mm_cut {
    int32_t m, n, k;
};

/* 0, or -1 with the reason in aclGetRecentErrMsg; plan and cut are then as they were. */
int nputwin_matmul_plan(const struct nputwin_mm_question *ask, nputwin_cube_tiling *plan,
                        struct nputwin_mm_cut *cut);

#ifdef __cplusplus
}
#endif
#endif
