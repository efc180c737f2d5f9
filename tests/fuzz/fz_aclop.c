/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fz_aclop.c - calls of single operators from several threads: of a row of aclop.def mostly what it
 * asks for, with a mistake here and there. What must hold: every call returns, what is refused has
 * a sentence, and so has a device that an operator broke; it is reset then.
 *
 * Tensors lie in memory of exactly their size from malloc, which the sanitizer watches; the twin's
 * device memory is that of the host.
 */
#include "fuzz_acl.h"

#include "../../rt/opapi/aclop_row.h"
#include "../../sdk/include/acl/acl_op.h"
#include "../../sdk/include/acl/acl_op_compiler.h"

enum { MAX_CALLS = 6, MAX_TENSORS = 10, MAX_RANK = 5, WAIT_MS = 20000 };

static uint32_t n_rows;
static atomic_bool is_broken; /* the device: an operator failed behind its call */

/* Of one call. */
struct call {
    struct fuzz_in *in;
    const struct aclop_row *row;
    int type, n_dims; /* most tensors are alike */
    int64_t dim[MAX_RANK];
    aclTensorDesc *desc[2][MAX_TENSORS];
    aclDataBuffer *buffer[2][MAX_TENSORS];
    void *memory[2][MAX_TENSORS];
    int n[2];
};

/* Never behind the end of the input. */
static bool one_in(struct call *c, unsigned n)
{
    return fuzz_take(c->in, 1) % n == 1;
}

/* Small, sometimes not. */
static int64_t number(struct call *c)
{
    return one_in(c, 24) ? (int64_t)fuzz_take(c->in, 8) : (int64_t)(fuzz_take(c->in, 1) % 7) - 2;
}

static int bytes_of(int type)
{
    return aclDataTypeSize((aclDataType)type) ? (int)aclDataTypeSize((aclDataType)type) : 1;
}

static int type_of(struct call *c, char kind)
{
    static const struct {
        char kind;
        int type;
    } usual[] = {{'I', ACL_INT64}, {'B', ACL_BOOL},   {'S', ACL_FLOAT}, {'H', ACL_FLOAT},
                 {'N', ACL_INT32}, {'L', ACL_INT64},  {'U', ACL_UINT8}, {'M', ACL_BOOL},
                 {'K', ACL_INT32}, {'C', ACL_UINT64}, {'G', ACL_INT32}, {'Q', ACL_INT8},
                 {'E', ACL_FLOAT}, {'D', ACL_INT32},  {'V', ACL_FLOAT}};

    if (one_in(c, 12))
        return (int)(fuzz_take(c->in, 1) % 42) - 1;
    for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
        if (usual[i].kind == kind)
            return one_in(c, 3) && kind == 'I' ? ACL_INT32 : usual[i].type;
    return c->type;
}

/* Values that are good indices, axes and sizes, but for one now and then. */
static void fill(struct call *c, void *memory, int type, size_t n)
{
    const size_t odd = one_in(c, 4) ? fuzz_take(c->in, 1) : SIZE_MAX;
    uint64_t state = fuzz_take(c->in, 1);

    for (size_t i = 0; i < n; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        const int64_t v = i == odd ? number(c) : (int64_t)(state >> 62);
        const float f = (float)v;

        if (type == ACL_FLOAT)
            memcpy((char *)memory + i * 4, &f, 4);
        else if (type == ACL_BOOL)
            ((char *)memory)[i] = v & 1;
        else
            memcpy((char *)memory + i * (size_t)bytes_of(type), &v,
                   (size_t)(bytes_of(type) < 8 ? bytes_of(type) : 8));
    }
}

static void add_tensor(struct call *c, int side, const struct aclop_word *w)
{
    const int i = c->n[side]++, type = type_of(c, w->kind);
    int n_dims = c->n_dims;
    int64_t dim[MAX_RANK];
    size_t n = 1;
    char name[16];

    memcpy(dim, c->dim, sizeof(dim));
    if (w->kind == 'I' && side == 0) { /* a list of integers */
        n_dims = one_in(c, 6) ? c->n_dims : 1;
        dim[0] = one_in(c, 3) ? (int64_t)(fuzz_take(c->in, 1) % 5) : c->n_dims;
    } else if (one_in(c, 4)) {
        n_dims = (int)(fuzz_take(c->in, 1) % (MAX_RANK + 1));
        for (int k = 0; k < n_dims; k++)
            dim[k] = (int64_t)(fuzz_take(c->in, 1) % 5);
    }
    for (int k = 0; k < n_dims; k++)
        n *= (size_t)dim[k];
    c->desc[side][i] =
        aclCreateTensorDesc((aclDataType)type, n_dims, dim,
                            one_in(c, 16) ? (aclFormat)(fuzz_take(c->in, 1) % 32) : ACL_FORMAT_ND);
    FUZZ_CHECK(c->desc[side][i], "no description");
    c->memory[side][i] = malloc(n * (size_t)bytes_of(type));
    fill(c, c->memory[side][i], type, n);
    c->buffer[side][i] = aclCreateDataBuffer(one_in(c, 48) ? NULL : c->memory[side][i],
                                             n * (size_t)bytes_of(type) / (one_in(c, 48) ? 2 : 1));
    if (side == 0 && w->kind == 'I' && !one_in(c, 6))
        must_work(aclSetTensorPlaceMent(c->desc[0][i], ACL_MEMTYPE_HOST), "aclSetTensorPlaceMent");
    if (one_in(c, 24)) {
        snprintf(name, sizeof(name), "%.*s", w->n_name, w->name);
        aclSetTensorDescName(c->desc[side][i], name);
    }
}

static void add_side(struct call *c, int side)
{
    const char *at = side ? c->row->outputs : c->row->inputs;
    struct aclop_word w;

    while (aclop_next_word(&at, &w) && c->n[side] < MAX_TENSORS - 2) {
        if (w.mark == '?' && one_in(c, 2)) {
            c->desc[side][c->n[side]] = aclCreateTensorDesc(-1, 0, NULL, -1);
            c->buffer[side][c->n[side]++] = aclCreateDataBuffer(NULL, 0);
        } else if (!one_in(c, 48)) {
            add_tensor(c, side, &w);
        }
        if (w.mark == '*' && one_in(c, 2))
            add_tensor(c, side, &w);
    }
    if (one_in(c, 48))
        add_tensor(c, side, &w);
}

/* The text that the row has for it, or one that some row has. */
static void set_text(struct call *c, aclopAttr *attr, const char *name, const char *value)
{
    static const char *const texts[] = {"none", "mean",  "sum",         "constant", "reflect",
                                        "edge", "NCHW",  "NDHWC",       "add",      "SYMMETRIC",
                                        "",     "NCDHW", "torch.qint8", "mul",      "REFLECT"};
    char text[32];

    snprintf(text, sizeof(text), "%.*s", value ? (int)strcspn(value, " ") : 0, value ? value : "");
    must_work(
        aclopSetAttrString(attr, name,
                           value && !one_in(c, 3)
                               ? text
                               : texts[fuzz_take(c->in, 1) % (sizeof(texts) / sizeof(*texts))]),
        "aclopSetAttrString");
}

static void set_attribute(struct call *c, aclopAttr *attr, const char *name, char kind,
                          const char *value)
{
    static const char kinds[] = "ifbstL";
    int64_t list[8];
    const int n = one_in(c, 3) ? (int)(fuzz_take(c->in, 1) % 8) : c->n_dims;

    if (one_in(c, 24))
        kind = kinds[fuzz_take(c->in, 1) % 6];
    for (int i = 0; i < 8; i++)
        list[i] = one_in(c, 8) ? number(c) : 1;
    switch (kind) {
    case 'i':
        must_work(aclopSetAttrInt(attr, name, number(c)), "aclopSetAttrInt");
        return;
    case 'f':
        must_work(aclopSetAttrFloat(attr, name, (float)number(c) / 2), "aclopSetAttrFloat");
        return;
    case 'b':
        must_work(aclopSetAttrBool(attr, name, fuzz_take(c->in, 1) & 1), "aclopSetAttrBool");
        return;
    case 's':
        set_text(c, attr, name, value);
        return;
    case 't':
        must_work(aclopSetAttrDataType(attr, name, (aclDataType)(fuzz_take(c->in, 1) % 30)),
                  "aclopSetAttrDataType");
        return;
    default:
        must_work(aclopSetAttrListInt(attr, name, n, list), "aclopSetAttrListInt");
    }
}

static aclopAttr *attributes(struct call *c)
{
    const char *at = c->row->attrs;
    aclopAttr *attr = aclopCreateAttr();
    struct aclop_word w;
    char name[64];

    FUZZ_CHECK(attr, "aclopCreateAttr gave NULL");
    while (aclop_next_word(&at, &w)) {
        snprintf(name, sizeof(name), "%.*s", w.n_name, w.name);
        if (!w.mark || one_in(c, 2))
            set_attribute(c, attr, name, w.kind, w.value);
    }
    if (one_in(c, 48))
        set_attribute(c, attr, "surplus", 'i', NULL);
    return attr;
}

static void end_call(struct call *c)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < c->n[side]; i++) {
            aclDestroyTensorDesc(c->desc[side][i]);
            aclDestroyDataBuffer(c->buffer[side][i]);
            free(c->memory[side][i]);
        }
}

static void call_operator(struct worker *w)
{
    struct call c = {.in = &w->in, .row = npu_aclop_row((uint32_t)fuzz_take(&w->in, 2) % n_rows)};
    void *stream = one_in(&c, 2) ? NULL : atomic_load(place(w, streams));
    aclopAttr *attr;
    int code;

    do
        c.type = (int)(fuzz_take(c.in, 1) % 64);
    while (c.in->left && !(c.row->types >> c.type & 1));
    c.n_dims = (int)(fuzz_take(c.in, 1) % 4) + (c.row->attrs[0] ? one_in(&c, 2) * 2 : 0);
    c.n_dims = c.n_dims > MAX_RANK ? MAX_RANK : c.n_dims;
    for (int k = 0; k < MAX_RANK; k++)
        c.dim[k] = (int64_t)(fuzz_take(c.in, 1) % 4) + !one_in(&c, 8);
    add_side(&c, 0);
    add_side(&c, 1);
    attr = attributes(&c);
    if (one_in(&c, 2))
        code = aclopCompileAndExecuteV2(c.row->type, c.n[0], c.desc[0], c.buffer[0], c.n[1],
                                        c.desc[1], c.buffer[1], attr, ACL_ENGINE_SYS,
                                        ACL_COMPILE_SYS, NULL, stream);
    else
        code = aclopCompileAndExecute(c.row->type, c.n[0], (const aclTensorDesc *const *)c.desc[0],
                                      (const aclDataBuffer *const *)c.buffer[0], c.n[1],
                                      (const aclTensorDesc *const *)c.desc[1], c.buffer[1], attr,
                                      ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream);
    either(code, c.row->type);
    if (!either(aclrtSynchronizeDeviceWithTimeout(WAIT_MS), "the end of an operator"))
        atomic_store(&is_broken, true);
    aclopDestroyAttr(attr);
    end_call(&c);
}

static void *run(void *arg)
{
    static call_fn *const calls[] = {call_operator, call_operator,   call_operator, make_stream,
                                     end_stream,    make_sync_event, end_event};

    must_work(aclrtSetDevice(0), "aclrtSetDevice");
    make_calls(arg, calls, sizeof(calls) / sizeof(calls[0]), MAX_CALLS);
    return NULL;
}

void fuzz_begin(void)
{
    begin_acl();
    while (npu_aclop_row(n_rows))
        n_rows++;
}

void fuzz_one(const uint8_t *data, size_t n)
{
    struct worker workers[N_THREADS] = {0};

    run_threads(workers, run, data, n);
    end_shared();
    if (atomic_exchange(&is_broken, false)) {
        must_work(aclrtResetDeviceForce(0), "aclrtResetDeviceForce");
        must_work(aclrtSetDevice(0), "aclrtSetDevice");
    }
}
