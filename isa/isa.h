/* SPDX-License-Identifier: Apache-2.0 */
/*
 * isa.h - the machine as plain data, expanded from the .def tables beside it.
 *
 * Nothing here executes; every other room reads these rows and adds none.
 * To add an instruction: one row in vec.def or mte.def, one row in
 * tests/unit/golden.def (tests/unit/t_isa.c fails by name until it is there).
 */
#ifndef NPU_ISA_H
#define NPU_ISA_H
#include "../base/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum npu_pipe {
#define PIPE(name, brief) PIPE_##name,
#include "pipe.def"
    N_PIPES
};
enum npu_mem {
#define MEM(name, brief) MEM_##name,
#include "mem.def"
    N_MEMS
};
enum npu_type {
#define TYPE(name, bytes, ctype, brief) TYPE_##name,
#include "type.def"
    N_TYPES
};
enum npu_shape {
#define SHAPE(name, d, a, b, s) SHAPE_##name,
#include "shape.def"
    N_SHAPES
};
enum npu_cost {
#define COST(name, brief) COST_##name,
#include "cost.def"
    N_COSTS
};
enum npu_op {
#define VEC(op, shape, types, cost, lane, brief) OP_##op,
#include "vec.def"
#define MTE(op, pipe, dst, src, cost, brief) OP_##op,
#include "mte.def"
#define CUBE(op, pipe, types, cost, brief) OP_##op,
#include "cube.def"
    N_OPS
};
/* What vrows can do. */
enum npu_rows_fn {
#define ROWS(name, function, types, brief) ROWS_##name,
#include "rows.def"
    N_ROWS
};

/* Relations of vcmp and vcmps; mode of struct npu_insn. */
enum npu_relation { CMP_LT, CMP_GT, CMP_EQ, CMP_LE, CMP_GE, CMP_NE };
/* Roundings of vconv; the numbers are those of Ascend C's RoundMode. */
enum npu_round {
    ROUND_NONE, /* exact, or RINT where the pair loses bits */
    ROUND_RINT, /* to nearest, ties to even */
    ROUND_FLOOR,
    ROUND_CEIL,
    ROUND_ROUND, /* to nearest, ties away from zero */
    ROUND_TRUNC,
    ROUND_ODD, /* von Neumann: inexact results get an odd last bit */
    N_ROUNDS
};

enum npu_use { USE_N, USE_R, USE_W, USE_U };

struct npu_isa_row {
    const char *name, *brief, *lane;
    enum npu_pipe pipe;
    enum npu_shape shape;
    enum npu_cost cost;
    uint32_t types; /* bit per enum npu_type */
};
struct npu_type_row {
    const char *name, *brief;
    uint32_t bytes;
};
struct npu_shape_row {
    const char *name;
    enum npu_use use[3]; /* dst, src0, src1 */
    bool scalar;
};
struct npu_name_row {
    const char *name, *brief;
};
struct npu_rows_row {
    const char *name, *brief;
    uint32_t types; /* bit per enum npu_type */
};
struct npu_soc {
    const char *name;
    uint32_t arch;              /* 2201 or 3510, the number of --npu-arch=dav-NNNN */
    uint32_t n_aic, n_aiv;      /* cube and vector cores */
    uint32_t mem_bytes[N_MEMS]; /* size of each on-chip memory; GM 0 */
    uint32_t l2_mb, hbm_gb, cube_mhz;
};

NPU_API extern const struct npu_isa_row npu_isa[N_OPS];
NPU_API extern const struct npu_rows_row npu_rows_table[N_ROWS];
NPU_API extern const struct npu_type_row npu_types[N_TYPES];
NPU_API extern const struct npu_shape_row npu_shapes[N_SHAPES];
NPU_API extern const struct npu_name_row npu_pipes[N_PIPES], npu_mems[N_MEMS], npu_costs[N_COSTS];
NPU_API extern const struct npu_soc npu_socs[];
NPU_API extern const size_t npu_n_socs;

/* The row of that name in any case ("ascend910b2"), NULL when there is none. Borrowed. */
NPU_API const struct npu_soc *npu_soc_find(const char *name);
/* The row that NPUTWIN_SOC names (Ascend910B2 when unset) with NPUTWIN_SOC_SET applied, read once.
 * An unknown name or a bad override: NULL, and the story in d. Borrowed, lives for ever. */
NPU_API const struct npu_soc *npu_soc_current(struct npu_diag *d);

#ifdef __cplusplus
}
#endif
#endif
