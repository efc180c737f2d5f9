/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fz_kernel.c - bytes become a list of instructions for one core. What must hold:
 *
 *   - nothing crashes, and an operand that leaves its memory is a fault;
 *   - no byte changes but those that npu_insn_accesses() says are written;
 *   - the same list on the same memory leaves the same bytes and the same verdict;
 *   - lazy and random order of any list crash nothing either;
 *   - with a flag wherever two pipes touch the same bytes, every order leaves the same bytes;
 *   - the fast door of a vector instruction leaves what npu_issue() of the same instruction does.
 *
 * GM is host memory, which the engine cannot check, so instructions whose accesses leave our buffer
 * are not issued.
 */
#include "../../engine/engine.h"
#include "fuzz.h"

enum { GM_BYTES = 64 * 1024, MAX_INSNS = 32 };

static struct npu_soc const *soc;
static uint8_t *gm, *ub_before, *ub_written, *gm_before, *gm_written;

static const struct npu_where nowhere = {"fuzz", 1};

struct list {
    struct npu_insn insn[MAX_INSNS];
    struct npu_rows rows[MAX_INSNS]; /* of insn[i] when that is a vrows */
    unsigned n;
};

/* ---- from bytes to instructions ------------------------------------------------------------ */

static struct npu_ref take_ref(struct fuzz_in *in, enum npu_mem mem, uint32_t ub_bytes)
{
    struct npu_ref ref = {.mem = (uint8_t)mem};
    uint32_t at = (uint32_t)fuzz_take(in, 3), stride = (uint32_t)fuzz_take(in, 2);
    bool is_odd = at >> 19 == 31, is_strided = stride & 1; /* mostly neither */

    ref.at_bytes =
        (at & 0x7ffff) % (is_odd ? ub_bytes + 256 : ub_bytes / 2) & (is_odd ? ~0u : ~31u);
    ref.blk_stride = is_strided ? (uint16_t)((stride >> 1) % 10) : 1;
    ref.rep_stride = is_strided ? (uint16_t)((stride >> 8) % 20) : NPU_BLKS_PER_REPEAT;
    return ref;
}

static void take_copy(struct fuzz_in *in, struct npu_insn *insn, uint32_t ub_bytes)
{
    bool is_in = insn->op == OP_copy_gm_to_ub;
    struct npu_ref here = take_ref(in, MEM_UB, ub_bytes);
    struct npu_ref there = {.at_bytes = (uint64_t)(uintptr_t)gm + fuzz_take(in, 2), .mem = MEM_GM};

    insn->ref[0] = is_in ? here : there;
    insn->ref[1] = is_in ? there : here;
    insn->n_burst = (uint32_t)fuzz_take(in, 1) % 17;
    insn->burst_bytes = (uint32_t)fuzz_take(in, 2) % 4097;
    insn->src_gap_bytes = (int64_t)fuzz_take(in, 1);
    insn->dst_gap_bytes = (int64_t)fuzz_take(in, 1) * (is_in ? NPU_BLK_BYTES : 1);
    insn->is_pad = fuzz_take(in, 1) & 1;
    insn->pad_left = (uint8_t)(fuzz_take(in, 1) % 40);
    insn->pad_right = (uint8_t)(fuzz_take(in, 1) % 40);
    insn->scalar = fuzz_take(in, 4);
}

static void take_vector(struct fuzz_in *in, struct npu_insn *insn, uint32_t ub_bytes)
{
    for (unsigned i = 0; i < 3; i++)
        insn->ref[i] = take_ref(in, MEM_UB, ub_bytes);
    insn->sel = take_ref(in, MEM_UB, ub_bytes);
    insn->mode = (uint8_t)(fuzz_take(in, 1) % 24 % 8);
    insn->repeat = (uint8_t)(fuzz_take(in, 1) % 80);
    insn->mask[0] = fuzz_take(in, 8);
    insn->mask[1] = fuzz_take(in, 8);
    insn->scalar = fuzz_take(in, 4);
    if (fuzz_take(in, 1) & 1)
        insn->count = (uint32_t)fuzz_take(in, 2);
}

/* Operands anywhere, small numbers, and room that is now and then too small for them. */
static void take_rows(struct fuzz_in *in, struct npu_rows *rows, uint32_t ub_bytes)
{
    *rows = (struct npu_rows){.fn = (uint8_t)(fuzz_take(in, 1) % N_ROWS)};
    rows->n_dst = (uint8_t)(fuzz_take(in, 1) % 32 % (NPU_ROWS_OPERANDS + 1));
    rows->n_src = (uint8_t)(fuzz_take(in, 1) % 32 % (NPU_ROWS_OPERANDS + 1));
    for (unsigned i = 0; i < NPU_ROWS_OPERANDS; i++) {
        uint32_t dst = (uint32_t)fuzz_take(in, 2), src = (uint32_t)fuzz_take(in, 2);
        rows->dst[i] = (uint32_t)take_ref(in, MEM_UB, ub_bytes).at_bytes;
        rows->src[i] = (uint32_t)take_ref(in, MEM_UB, ub_bytes).at_bytes;
        rows->dst_bytes[i] = dst & 1 ? 0 : dst;
        rows->src_bytes[i] = src & 1 ? 0 : src;
    }
    for (unsigned i = 0; i < NPU_ROWS_NUMBERS; i++) {
        uint32_t number = (uint32_t)fuzz_take(in, 1);
        rows->num[i] = number < 250 ? number % 40 : (uint32_t)fuzz_take(in, 4);
    }
    for (unsigned i = 0; i < 4; i++)
        rows->bits[i] = (uint32_t)fuzz_take(in, 4);
    for (unsigned i = 0; i < 2; i++)
        rows->real[i] = (float)fuzz_take(in, 1) / 8;
}

/* A type that the instruction takes, or now and then any. */
static uint8_t take_type(struct fuzz_in *in, uint32_t allowed)
{
    uint32_t byte = (uint32_t)fuzz_take(in, 1), type = byte % N_TYPES;

    while (byte < 250 && allowed && !(allowed >> type & 1))
        type = (type + 1) % N_TYPES;
    return (uint8_t)type;
}

static struct npu_insn take_insn(struct fuzz_in *in, struct npu_rows *rows)
{
    struct npu_insn insn = {.where = nowhere};

    insn.kind = (uint8_t)(fuzz_take(in, 1) % 32);
    if (insn.kind > KIND_BARRIER)
        insn.kind = KIND_OP;
    if (insn.kind != KIND_OP) {
        insn.pipe = (uint8_t)(fuzz_take(in, 1) % N_PIPES);
        insn.peer = (uint8_t)(fuzz_take(in, 1) % N_PIPES);
        insn.event_id = (uint8_t)(fuzz_take(in, 1) % (NPU_EVENTS + 1));
        return insn;
    }
    insn.op = (uint8_t)(fuzz_take(in, 1) % N_OPS);
    insn.type = take_type(in, npu_isa[insn.op].types);
    insn.dst_type = take_type(in, npu_isa[insn.op].types);
    insn.pipe = (uint8_t)npu_isa[insn.op].pipe;
    if (insn.op == OP_copy_gm_to_ub || insn.op == OP_copy_ub_to_gm)
        take_copy(in, &insn, soc->mem_bytes[MEM_UB]);
    else
        take_vector(in, &insn, soc->mem_bytes[MEM_UB]);
    if (insn.op == OP_vrows) {
        take_rows(in, rows, soc->mem_bytes[MEM_UB]);
        insn.rows = rows;
    }
    return insn;
}

/* ---- what the instructions may touch ------------------------------------------------------- */

static void check_gm(void *arg, enum npu_mem mem, uint64_t at, uint32_t bytes, enum npu_use use)
{
    bool *is_inside = arg;
    uint64_t begin = (uint64_t)(uintptr_t)gm;

    (void)use;
    if (mem == MEM_GM && (at < begin || at + bytes > begin + GM_BYTES))
        *is_inside = false;
}

static void mark_written(void *arg, enum npu_mem mem, uint64_t at, uint32_t bytes, enum npu_use use)
{
    (void)arg;
    if (use == USE_R)
        return;
    if (mem == MEM_GM)
        memset(gm_written + (at - (uint64_t)(uintptr_t)gm), 1, bytes);
    else if (at + bytes <= soc->mem_bytes[MEM_UB])
        memset(ub_written + at, 1, bytes);
}

static void check_untouched(const char *name, const uint8_t *now, const uint8_t *before,
                            const uint8_t *written, size_t n)
{
    for (size_t i = 0; i < n; i++)
        FUZZ_CHECK(written[i] || now[i] == before[i], "%s byte %zu changed, no access says so",
                   name, i);
}

/* ---- the properties ------------------------------------------------------------------------ */

static void fill(uint8_t *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (uint8_t)(i * 37 + i / 251);
}

/* Issues the list; the core may hold instructions back until a flag comes. */
static void run_list(void *arg, struct npu_core *c)
{
    const struct list *list = arg;
    uint8_t *ub = c->mem[MEM_UB].base;
    size_t n = c->mem[MEM_UB].bytes;

    memcpy(ub, ub_before, n);
    for (unsigned i = 0; i < list->n && !c->faulted; i++) {
        bool is_inside = true;

        if (list->insn[i].kind == KIND_OP)
            npu_insn_accesses(c, &list->insn[i], check_gm, &is_inside);
        if (!is_inside)
            continue;
        if (list->insn[i].kind == KIND_OP)
            npu_insn_accesses(c, &list->insn[i], mark_written, NULL);
        npu_issue(c, &list->insn[i]);
    }
    npu_settle(c);
    check_untouched("UB", ub, ub_before, ub_written, n);
}

static enum npu_status launch_in(enum npu_order order, uint64_t seed, npu_block_fn *run, void *arg)
{
    struct npu_diag story = {0};
    struct npu_launch l = {.soc = soc,
                           .name = "fuzz",
                           .block_dim = 1,
                           .core_kind = CORE_AIV,
                           .run = run,
                           .arg = arg,
                           .order = (uint8_t)order,
                           .seed = seed};
    enum npu_status st = npu_launch(&l, &story);

    FUZZ_CHECK(st == NPU_OK || story.text[0], "%s without a story", npu_status_name(st));
    return st;
}

static enum npu_status launch(npu_block_fn *run, void *arg)
{
    return launch_in(ORDER_PROGRAM, 0, run, arg);
}

static void check_list(const struct list *list)
{
    static uint8_t first[GM_BYTES];
    enum npu_status st = NPU_OK, again = NPU_OK;

    memset(ub_written, 0, soc->mem_bytes[MEM_UB]);
    memset(gm_written, 0, GM_BYTES);
    memcpy(gm, gm_before, GM_BYTES);
    st = launch(run_list, (void *)list);
    check_untouched("GM", gm, gm_before, gm_written, GM_BYTES);
    memcpy(first, gm, GM_BYTES);
    memcpy(gm, gm_before, GM_BYTES);
    again = launch(run_list, (void *)list);
    FUZZ_CHECK(st == again, "%s, then %s", npu_status_name(st), npu_status_name(again));
    FUZZ_CHECK(memcmp(first, gm, GM_BYTES) == 0, "same list, other bytes in GM");
}

/* ---- orders -------------------------------------------------------------------------------- */

struct span {
    uint64_t at, end;
    uint8_t mem;
    bool is_written;
};
enum { SPANS = 4096 };
struct spans {
    struct span span[SPANS];
    unsigned n; /* above SPANS: too many to say */
};

static void add_span(void *arg, enum npu_mem mem, uint64_t at, uint32_t bytes, enum npu_use use)
{
    struct spans *s = arg;

    if (s->n < SPANS)
        s->span[s->n] = (struct span){at, at + bytes, (uint8_t)mem, use != USE_R};
    s->n += s->n <= SPANS;
}

/* Both touch a byte, and one of them writes it. */
static bool conflict(const struct spans *a, const struct spans *b)
{
    if (a->n > SPANS || b->n > SPANS)
        return true;
    for (unsigned i = 0; i < a->n; i++)
        for (unsigned k = 0; k < b->n; k++) {
            const struct span *x = &a->span[i], *y = &b->span[k];
            if (x->mem == y->mem && x->at < y->end && y->at < x->end &&
                (x->is_written || y->is_written))
                return true;
        }
    return false;
}

static struct spans touched[MAX_INSNS]; /* by the instructions of the list that were issued */

/* Bit a pipe that instruction i has to wait for. */
static uint32_t waits_for(const struct list *list, const bool *is_issued, unsigned i)
{
    uint32_t pipes = 0;

    for (unsigned k = 0; k < i; k++)
        if (is_issued[k] && list->insn[k].pipe != list->insn[i].pipe &&
            conflict(&touched[k], &touched[i]))
            pipes |= 1u << list->insn[k].pipe;
    return pipes;
}

/* The operations of the list, each behind the flags it needs and no others. */
static void run_with_flags(void *arg, struct npu_core *c)
{
    const struct list *list = arg;
    bool is_issued[MAX_INSNS] = {false};

    memcpy(c->mem[MEM_UB].base, ub_before, c->mem[MEM_UB].bytes);
    for (unsigned i = 0; i < list->n && !c->faulted; i++) {
        const struct npu_insn *in = &list->insn[i];
        bool is_inside = true;
        if (in->kind != KIND_OP)
            continue;
        touched[i].n = 0;
        npu_insn_accesses(c, in, check_gm, &is_inside);
        npu_insn_accesses(c, in, add_span, &touched[i]);
        if (!is_inside)
            continue;
        is_issued[i] = true;
        const uint32_t pipes = waits_for(list, is_issued, i);
        for (unsigned p = 0; p < N_PIPES; p++)
            if (pipes >> p & 1) {
                npu_set_flag(c, (enum npu_pipe)p, (enum npu_pipe)in->pipe, 0, nowhere);
                npu_wait_flag(c, (enum npu_pipe)p, (enum npu_pipe)in->pipe, 0, nowhere);
            }
        npu_issue(c, in);
    }
    npu_settle(c);
    memcpy(ub_written, c->mem[MEM_UB].base, c->mem[MEM_UB].bytes); /* for the caller */
}

static void check_orders(const struct list *list)
{
    static uint8_t gm_first[GM_BYTES];
    const size_t n = soc->mem_bytes[MEM_UB];
    const uint64_t seed = list->n ? list->insn[0].scalar + list->n : 0;
    uint8_t *ub_first = malloc(n);

    memcpy(gm, gm_before, GM_BYTES);
    if (!ub_first || launch(run_with_flags, (void *)list) != NPU_OK) {
        free(ub_first);
        return; /* what a fault leaves behind depends on the order */
    }
    memcpy(ub_first, ub_written, n);
    memcpy(gm_first, gm, GM_BYTES);
    for (unsigned k = 0; k < 3; k++) {
        const enum npu_order order = k ? ORDER_RANDOM : ORDER_LAZY;
        memcpy(gm, gm_before, GM_BYTES);
        FUZZ_CHECK(launch_in(order, seed + k, run_with_flags, (void *)list) == NPU_OK,
                   "order %d faults, program order does not", order);
        FUZZ_CHECK(memcmp(ub_first, ub_written, n) == 0, "order %d: other bytes in UB", order);
        FUZZ_CHECK(memcmp(gm_first, gm, GM_BYTES) == 0, "order %d: other bytes in GM", order);
    }
    free(ub_first);
}

/* Flags as they come: complete or not, nothing may crash. */
static void check_any_order(const struct list *list)
{
    memset(ub_written, 1, soc->mem_bytes[MEM_UB]);
    memcpy(gm, gm_before, GM_BYTES);
    launch_in(ORDER_LAZY, 0, run_list, (void *)list);
    launch_in(ORDER_RANDOM, list->n, run_list, (void *)list);
}

static bool has_fast_door(const struct npu_insn *insn)
{
    const struct npu_isa_row *row = &npu_isa[insn->op];
    bool is_plain = row->shape == SHAPE_VVV || row->shape == SHAPE_VV || row->shape == SHAPE_VVS ||
                    row->shape == SHAPE_VS || row->shape == SHAPE_AXPY;

    return insn->kind == KIND_OP && insn->count && is_plain && (row->types >> insn->type & 1);
}

/* One instruction through both doors, each on the same memory. */
static void run_both_doors(void *arg, struct npu_core *c)
{
    const struct npu_insn *insn = arg;
    uint8_t *ub = c->mem[MEM_UB].base, *operand[3];
    const struct npu_shape_row *shape = &npu_shapes[npu_isa[insn->op].shape];
    size_t n = c->mem[MEM_UB].bytes;
    uint8_t *fast = malloc(n);
    bool is_fault = false;

    if (!fast)
        return;
    for (unsigned i = 0; i < 3; i++)
        operand[i] = shape->use[i] == USE_N ? NULL : ub + insn->ref[i].at_bytes;
    memcpy(ub, ub_before, n);
    npu_vec(c, (enum npu_op)insn->op, (enum npu_type)insn->type, operand[0], operand[1], operand[2],
            insn->scalar, insn->count, nowhere);
    is_fault = c->faulted;
    memcpy(fast, ub, n);
    if (!is_fault) {
        memcpy(ub, ub_before, n);
        npu_issue(c, insn);
        FUZZ_CHECK(!c->faulted, "%s: only npu_issue refuses", npu_isa[insn->op].name);
        FUZZ_CHECK(memcmp(fast, ub, n) == 0, "%s.%s of %u: the doors differ",
                   npu_isa[insn->op].name, npu_types[insn->type].name, insn->count);
    }
    free(fast);
}

static void check_doors(struct npu_insn insn)
{
    for (unsigned i = 0; i < 3; i++) {
        insn.ref[i].blk_stride = 1;
        insn.ref[i].rep_stride = NPU_BLKS_PER_REPEAT;
    }
    launch(run_both_doors, &insn);
}

void fuzz_begin(void)
{
    struct npu_diag story = {0};
    size_t ub_bytes = 0;

    soc = npu_soc_current(&story);
    FUZZ_CHECK(soc, "%s", story.text);
    ub_bytes = soc->mem_bytes[MEM_UB];
    gm = malloc(GM_BYTES);
    gm_before = malloc(GM_BYTES);
    gm_written = malloc(GM_BYTES);
    ub_before = malloc(ub_bytes);
    ub_written = malloc(ub_bytes);
    FUZZ_CHECK(gm && gm_before && gm_written && ub_before && ub_written, "no memory");
    fill(gm_before, GM_BYTES);
    fill(ub_before, ub_bytes);
}

void fuzz_one(const uint8_t *data, size_t n)
{
    struct fuzz_in in = {data, n};
    struct list list = {.n = 0};

    while (in.left && list.n < MAX_INSNS) {
        list.insn[list.n] = take_insn(&in, &list.rows[list.n]);
        list.n++;
    }
    check_list(&list);
    check_any_order(&list);
    check_orders(&list);
    if (list.n && has_fast_door(&list.insn[0]))
        check_doors(list.insn[0]);
}
