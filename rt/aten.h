/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aten.h - the C interface of libnputwin_aten.so, the one library that is compiled against torch.
 *
 * libopapi.so loads it when the first operator runs and sees nothing of C++: an operator is a row
 * (names, kinds, map), its arguments are plain values, an error is text. The library computes with
 * torch's CPU kernels on device memory, which on the twin is host memory.
 *
 * Two ways in:
 *   bind + run   a row that is one ATen operator with its arguments in another order
 *   begin .. end a native: C code that strings ATen operators together over numbered values. The
 *                first failure turns all later calls into no-ops, so such code needs no checks.
 */
#ifndef NPU_ATEN_H
#define NPU_ATEN_H
#include "opapi/objects.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kind of a C parameter of an aclnn operator, as it is written in aclnn.tbl. */
/* clang-format off */
#define FOR_KINDS(_)                                                                               \
    _(t) _(T) _(s) _(ia) _(ba) _(fa) _(tl) _(TL) _(sl) _(i64) _(i32) _(i8) _(u64) _(bool)          \
    _(double) _(float) _(str) _(dt)
/* clang-format on */
enum npu_kind {
#define KIND(k) KIND_##k,
    FOR_KINDS(KIND)
#undef KIND
        N_KINDS
};

/* One argument, brought to one width by the generated entry point. */
union npu_arg {
    const void *p;
    const struct aclTensor *t;
    const struct aclScalar *s;
    const struct aclIntArray *ia;
    const struct aclBoolArray *ba;
    const struct aclFloatArray *fa;
    const struct aclTensorList *tl;
    const struct aclScalarList *sl;
    const char *str;
    int64_t i;
    double d;
};

struct npu_param {
    const char *name;
    uint8_t kind;  /* enum npu_kind */
    bool optional; /* may be null */
    uint64_t
        types; /* that the operator's documentation lists, bits of aclDataType; 0: not listed */
};

/* How one argument of the ATen schema (or one result) is made. */
enum npu_how {
    HOW_PARAM,   /* arg=param          the parameter, converted by the schema's type */
    HOW_ITEM,    /* arg=item(param)    the value of a tensor of one element, read when it runs */
    HOW_TENSOR,  /* arg=tensor(param)  an aclIntArray as an int64 tensor */
    HOW_ENUM,    /* arg=enum(param:a,b) an integer as the word of that number */
    HOW_DTYPE,   /* arg=dtype(param)   the data type of a tensor */
    HOW_LONG,    /* arg=long(param)    an integer tensor as int64, the type of torch's indices */
    HOW_GIVEN,   /* arg=given(param)   the number, none when it is 0 */
    HOW_CONST,   /* arg:=text          a constant */
    HOW_RESULT,  /* retN=param         result N is copied into it */
    HOW_DYNAMIC, /* dynN=param         the same, and the view takes the shape of the result */
    HOW_ZERO,    /* !param             refused unless null, 0 or empty */
    HOW_FREE     /* ~param             a hint without a meaning on the twin */
};

struct npu_map {
    const char *arg; /* of the schema; NULL for HOW_ZERO and HOW_FREE */
    uint8_t how;     /* enum npu_how */
    uint8_t param;
    uint8_t result; /* number of the result, HOW_RESULT and HOW_DYNAMIC */
    const char *text;
};

enum npu_row_flag {
    ROW_WIDE =
        1, /* half inputs are computed in float and rounded once: torch's own half GEMM is slow */
    ROW_LIGHT = 2, /* elementwise: small ones are not worth a second thread */
    ROW_ALIKE = 4  /* the output has the type of the first input; check.c */
};

struct npu_aten_ctx;
/* A value of a native: number of an earlier value, or a constant. Make it with the v_* below. */
struct npu_value {
    enum { V_NONE, V_REF, V_INT, V_DOUBLE, V_BOOL, V_INTS, V_DTYPE, V_SCALAR, V_TEXT, V_LIST } kind;
    int64_t i; /* V_REF V_INT V_BOOL V_DTYPE; length of V_INTS and V_LIST */
    double d;
    const void *p;
};

struct npu_aten {
    /* Finds the schema and checks the row against it. Returns 0, or the reason in text. */
    int (*bind)(const char *schema, const struct npu_param *params, const struct npu_map *map,
                size_t n_maps, unsigned flags, void **bound, char *text, size_t text_bytes);
    /* beside: the caller's thread goes on meanwhile, so there is a core less. */
    int (*run)(void *bound, const union npu_arg *args, bool beside, char *text, size_t text_bytes);

    struct npu_aten_ctx *(*begin)(void);
    /* Number of a new value: the view of a tensor (none when t is NULL); of result 0 of a call,
     * further results follow it. -1 once something failed. */
    int (*tensor)(struct npu_aten_ctx *, const struct aclTensor *t);
    int (*blob)(struct npu_aten_ctx *, void *data, int dtype, const int64_t *dim, uint32_t n_dims);
    int (*call)(struct npu_aten_ctx *, const char *schema, const struct npu_value *v, size_t n);
    /* Copies value v into out (same shape; dynamic: out takes the shape of v). */
    void (*store)(struct npu_aten_ctx *, int v, struct aclTensor *out, bool dynamic);
    /* Contiguous data of a value in that data type, read only; NULL once something failed. */
    const void *(*data)(struct npu_aten_ctx *, int v, int dtype);
    int (*n_dims)(struct npu_aten_ctx *, int v);
    int64_t (*size)(struct npu_aten_ctx *, int v, int dim); /* dim may be negative */
    void (*fail)(struct npu_aten_ctx *, const char *text);
    bool (*failed)(struct npu_aten_ctx *);
    /* Releases all values. 0, or 1 with the first failure in text. */
    int (*end)(struct npu_aten_ctx *, char *text, size_t text_bytes);
    const char *(*torch_version)(void);
};

/* The only symbol of libnputwin_aten.so. */
extern NPU_API const struct npu_aten npu_aten_table;

#ifdef __cplusplus
}
#endif
#endif
