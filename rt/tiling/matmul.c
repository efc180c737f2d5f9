/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul.c - libtiling_api.so: how a matrix product is cut.
 *
 *   shape -> single (a core's part) -> base (one Mmad) -> steps (bases side by side in L1)
 *
 * Each choice tries what is possible and takes the cheapest by figures of the cube core: 16 x 16 x
 * 16 products a cycle, 256 bytes a cycle into L0. What the asker fixed stays fixed; when nothing
 * fits, the reason names the sizes and the limit. fits() is the one place that knows memories.
 */
#include "../../base/base.h"
#include "../../engine/kernel.h"
#include "../../sdk/include/tiling/nputwin/matmul_plan.h"
#include "../rt.h"

#include <string.h>

enum { POS_GM = 0, POS_TSCM = 13 };
enum { FORMAT_ND, FORMAT_NZ };
enum { MAD_NORMAL, MAD_HF32, MAD_MX };
enum { TRAVERSE_NONE, TRAVERSE_M, TRAVERSE_N };
enum { INNER_PRODUCT, OUTER_PRODUCT, N_BUFFER_33 };
enum { CONFIG_NORM, CONFIG_MDL };
enum {
    ROWS = 16,
    L0C_BYTES = 4, /* of a sum */
    L1_KEPT = 256, /* the end of L1 that kernels may not use */
    MX_GROUP = 32  /* elements under one scale */
};

static const struct type {
    int32_t number;
    uint8_t bits;
    bool is_float;
    const char *name;
} types[] = {
    {0, 32, true, "float"},       {1, 16, true, "half"},        {27, 16, true, "bfloat16"},
    {33, 16, true, "bfloat16"},   {2, 8, false, "int8"},        {29, 4, false, "int4"},
    {34, 8, true, "hifloat8"},    {35, 8, true, "float8_e4m3"}, {36, 8, true, "float8_e5m2"},
    {37, 4, true, "float4_e2m1"}, {39, 4, true, "float4_e1m2"}, {3, 32, false, "int32"},
    {4, 8, false, "uint8"},
};

static const struct type *type_of(int32_t number)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].number == number)
            return &types[i];
    return NULL;
}

/* What one question comes down to. */
struct job {
    const struct nputwin_mm_question *ask;
    uint64_t l1, l0a, l0b, l0c, bt; /* bytes that may be used */
    uint32_t n_cores;
    struct nputwin_mm_size whole, single, align; /* align: of a base */
    struct nputwin_mm_cut cut;
    uint32_t a_bits, b_bits; /* as they lie in L1 and L0 */
    nputwin_cube_tiling t;
};

static int32_t up(int32_t n, int32_t to)
{
    return (int32_t)(((int64_t)n + to - 1) / to * to);
}

static int32_t parts(int32_t n, int32_t of)
{
    return (int32_t)(((int64_t)n + of - 1) / of);
}

static int32_t most(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

#define REFUSE(...) npu_rt_fail(ACL_ERROR_INVALID_PARAM, "MatmulApi Tiling: " __VA_ARGS__)

/* ---- the question ---------------------------------------------------------------------------- */

static bool find_chip(struct job *j)
{
    const struct nputwin_mm_question *ask = j->ask;
    const struct npu_soc *soc;

    j->n_cores = ask->chip.n_cores;
    j->l1 = ask->chip.l1;
    j->l0a = ask->chip.l0a;
    j->l0b = ask->chip.l0b;
    j->l0c = ask->chip.l0c;
    j->bt = ask->chip.bt;
    if (!j->l1 && !j->l0a && !j->l0b && !j->l0c) {
        soc = npu_rt_soc();
        if (!soc)
            return false;
        j->n_cores = soc->n_aiv;
        j->l1 = soc->mem_bytes[MEM_L1];
        j->l0a = soc->mem_bytes[MEM_L0A];
        j->l0b = soc->mem_bytes[MEM_L0B];
        j->l0c = soc->mem_bytes[MEM_L0C];
        j->bt = soc->mem_bytes[MEM_BT];
    }
    if (j->l1 <= L1_KEPT || !j->l0a || !j->l0b || !j->l0c) {
        REFUSE("the platform has L1 %llu, L0A %llu, L0B %llu and L0C %llu bytes; ask "
               "PlatformAscendC::GetCoreMemSize for all of them",
               (unsigned long long)j->l1, (unsigned long long)j->l0a, (unsigned long long)j->l0b,
               (unsigned long long)j->l0c);
        return false;
    }
    j->l1 -= L1_KEPT;
    return true;
}

/* n: bytes that the asker allows, -1 for all. kept: what the chip has beyond `have`. */
static bool allow(uint64_t *have, uint32_t kept, const char *name, int32_t n)
{
    if (n >= 0 && (uint64_t)n > *have + kept) {
        REFUSE("SetBufferSpace: %d bytes of %s; the chip has %llu", n, name,
               (unsigned long long)(*have + kept));
        return false;
    }
    if (n >= 0 && (uint64_t)n < *have)
        *have = (uint64_t)n;
    return true;
}

/* What the asker allows of L1 stands beside what the kernel itself put there: room_in_l1(). */
static bool check_l1(struct job *j)
{
    uint64_t have = j->l1;

    return allow(&have, L1_KEPT, "L1", j->ask->l1);
}

/* Which pairs a cube core multiplies: two of a kind, two of the small floats, or 16-bit floats
 * with int8, which becomes one of them on its way. */
static bool is_pair(const struct type *a, const struct type *b)
{
    if (a == b)
        return a->number != 3 && a->number != 4;
    return (a->is_float && b->is_float && a->bits == b->bits && a->bits <= 8) ||
           (a->is_float && a->bits == 16 && b->number == 2);
}

static bool check_types(struct job *j)
{
    const struct nputwin_mm_question *ask = j->ask;
    const struct type *a = type_of(ask->a.type), *b = type_of(ask->b.type);
    const struct type *c = type_of(ask->c.type);

    if (!a || !b || !c || !is_pair(a, b)) {
        REFUSE("A is %s (%d), B is %s (%d), C is %s (%d): no cube core multiplies these types",
               a ? a->name : "?", ask->a.type, b ? b->name : "?", ask->b.type, c ? c->name : "?",
               ask->c.type);
        return false;
    }
    if (ask->is_sparse && (a->number != 2 || b->number != 2)) {
        REFUSE("SetSparse: A is %s, B is %s; sparse products are of int8 and int8", a->name,
               b->name);
        return false;
    }
    if (ask->mad == MAD_MX && (a->bits > 8 || !a->is_float)) {
        REFUSE("SetMadType(MXMODE): A is %s; scaled products are of 8 and 4-bit floats", a->name);
        return false;
    }
    j->a_bits = a->bits;
    j->b_bits = a->bits == 16 ? 16 : b->bits;
    return true;
}

static bool check_shape(struct job *j)
{
    const struct nputwin_mm_question *ask = j->ask;
    nputwin_cube_tiling *t = &j->t;

    j->whole = (struct nputwin_mm_size){
        ask->shape.m > 0 ? ask->shape.m : ask->org_m,
        ask->shape.n > 0 ? ask->shape.n : ask->org_n,
        ask->shape.k > 0 ? ask->shape.k : ask->org_ka,
    };
    if (j->whole.m <= 0 || j->whole.n <= 0 || j->whole.k <= 0) {
        REFUSE("the shape is m %d, n %d, k %d: SetShape or SetOrgShape must give each", j->whole.m,
               j->whole.n, j->whole.k);
        return false;
    }
    if (j->whole.m > INT32_MAX - 1024 || j->whole.n > INT32_MAX - 1024 ||
        j->whole.k > INT32_MAX - 1024) {
        REFUSE("the shape is m %d, n %d, k %d: each must leave room to be rounded up to 1024",
               j->whole.m, j->whole.n, j->whole.k);
        return false;
    }
    t->M = ask->org_m > 0 ? ask->org_m : j->whole.m;
    t->N = ask->org_n > 0 ? ask->org_n : j->whole.n;
    t->Ka = ask->org_ka > 0 ? ask->org_ka : j->whole.k;
    t->Kb = ask->org_kb > 0 ? ask->org_kb : j->whole.k;
    return true;
}

static bool check_modes(const struct job *j)
{
    const struct nputwin_mm_question *ask = j->ask;

    if (ask->splits_k && ask->has_bias) {
        REFUSE("EnableMultiCoreSplitK with EnableBias: each part of k would add the bias; add it "
               "apart");
        return false;
    }
    if (ask->splits_k && ask->c.position != POS_GM) {
        REFUSE("EnableMultiCoreSplitK: C lies in position %d; the sums meet in GM (0)",
               ask->c.position);
        return false;
    }
    if (ask->schedule == N_BUFFER_33 &&
        (ask->config != CONFIG_MDL || ask->a.position != POS_GM || ask->b.position != POS_GM)) {
        REFUSE("N_BUFFER_33: template %d, A in position %d, B in %d; it takes the MDL template (1) "
               "and matrices in GM (0)",
               ask->config, ask->a.position, ask->b.position);
        return false;
    }
    return true;
}

/* Elements in 32 bytes. */
static int32_t c0_of(uint32_t bits)
{
    return (int32_t)(256 / bits);
}

/* A base is whole fractals of 16 rows x 32 bytes; a matrix that is turned on its way into L0 comes
 * in squares, as wide as the elements of 32 bytes. */
static void find_align(struct job *j)
{
    const struct nputwin_mm_question *ask = j->ask;
    const int32_t a0 = c0_of(j->a_bits), b0 = c0_of(j->b_bits);
    const bool turns = ask->a.is_transposed || !ask->b.is_transposed;

    j->align.m = ask->a.is_transposed ? most(ROWS, a0) : ROWS;
    j->align.n = !ask->b.is_transposed ? most(ROWS, b0) : ROWS;
    j->align.k = most(a0, b0);
    if (turns)
        j->align.k = most(ROWS, j->align.k);
    if (ask->mad == MAD_MX)
        j->align.k = most(2 * MX_GROUP, j->align.k);
}

/* ---- cores ------------------------------------------------------------------------------------
 */

/* Roughly the cycles of the largest part. */
static double core_cost(struct nputwin_mm_size s)
{
    const double m = up(s.m, ROWS), n = up(s.n, ROWS), k = up(s.k, ROWS);

    return m * n * k / 4096 + (m + n) * k / 128 + m * n / 32;
}

/* How one length may be cut: the parts that n cores would get, 0 for none. */
static int32_t cut_length(int32_t length, int32_t n, int32_t fixed, int32_t to, int32_t low,
                          int32_t high)
{
    int32_t part = fixed > 0 ? fixed : up(parts(length, n), to);

    part = least(part, fixed > 0 ? part : length);
    if (fixed <= 0 && (parts(length, part) != n || (high > 0 && part > high) || part < low))
        return 0;
    return part;
}

struct axis {
    int32_t length, fixed, to, low, high;
    bool is_whole;
};

static int32_t part_of(const struct axis *x, int32_t n)
{
    return cut_length(x->length, n, x->fixed, x->to, x->low, x->high);
}

/* The numbers of parts worth trying: one when the part is fixed, or lies in TSCM whole. */
static int32_t tries(const struct axis *x, int32_t dim)
{
    return x->fixed > 0 || x->is_whole ? 1 : least(dim, parts(x->length, x->to));
}

/* No rest, neither of the length in parts nor of a part in bases that were asked for. */
static bool is_whole(int32_t length, int32_t part, int32_t base)
{
    return length % part == 0 && (base <= 0 || part <= base || part % base == 0);
}

static bool is_even(const struct job *j, struct nputwin_mm_size s)
{
    const struct nputwin_mm_size b = j->ask->base;

    return is_whole(j->whole.m, s.m, b.m) && is_whole(j->whole.n, s.n, b.n) &&
           is_whole(j->whole.k, s.k, b.k);
}

/* A cut with a rest counts twice: many kernels have no code for one. A part as wide as the base
 * that was asked for counts less: its tiles are one column, and B is loaded once. */
static double cut_cost(const struct job *j, struct nputwin_mm_size s)
{
    const double cost = core_cost(s) * (is_even(j, s) ? 1 : 2);

    return j->ask->base.n > 0 && s.n == j->ask->base.n ? cost * 3 / 4 : cost;
}

/* Cheaper, or as cheap with fewer cores, or with shorter parts of m. */
static bool is_better(const struct job *j, struct nputwin_mm_size s, int32_t cores, double cost,
                      double best)
{
    if (cost != best)
        return cost < best;
    return cores != j->t.usedCoreNum ? cores < j->t.usedCoreNum : s.m < j->single.m;
}

static void try_cut(struct job *j, struct nputwin_mm_size s, double *best)
{
    const struct nputwin_mm_cut cut = {parts(j->whole.m, s.m), parts(j->whole.n, s.n),
                                       parts(j->whole.k, s.k)};
    const int64_t cores = (int64_t)cut.m * cut.n * cut.k;
    const bool is_fixed = j->ask->single.m > 0 || j->ask->single.n > 0 || j->ask->single.k > 0;
    const double cost = cut_cost(j, s);

    if (cores > j->ask->dim && !is_fixed) /* fixed parts may go round the cores several times */
        return;
    const int32_t used = (int32_t)(cores < j->ask->dim ? cores : j->ask->dim);
    if (*best >= 0 && !is_better(j, s, used, cost, *best))
        return;
    *best = cost;
    j->single = s;
    j->cut = cut;
    j->t.usedCoreNum = used;
}

static bool cut_for_cores(struct job *j)
{
    const struct nputwin_mm_question *ask = j->ask;
    const int32_t a0 = c0_of(j->a_bits), dim = ask->dim;
    const int32_t n_to = ask->b.format == FORMAT_NZ || !ask->b.is_transposed ? j->align.n : ROWS;
    const struct axis m = {j->whole.m,
                           ask->single.m,
                           ask->single_align.m > 0 ? ask->single_align.m : j->align.m,
                           ask->single_least.m,
                           ask->single_most.m,
                           ask->a.position == POS_TSCM};
    const struct axis n = {j->whole.n,
                           ask->single.n,
                           ask->single_align.n > 0 ? ask->single_align.n : n_to,
                           ask->single_least.n,
                           ask->single_most.n,
                           ask->b.position == POS_TSCM};
    const struct axis k = {j->whole.k,
                           ask->single.k > 0 || ask->splits_k ? ask->single.k : j->whole.k,
                           ask->single_align.k > 0 ? ask->single_align.k : most(ROWS, a0),
                           ask->single_least.k,
                           ask->single_most.k,
                           false};
    double best = -1;

    if (dim <= 0 || (j->n_cores && (uint32_t)dim > j->n_cores)) {
        REFUSE("SetDim(%d): the chip has %u cores", dim, j->n_cores);
        return false;
    }
    for (int32_t im = 1; im <= tries(&m, dim); im++)
        for (int32_t in = 1; in <= tries(&n, dim / im); in++)
            for (int32_t ik = 1; ik <= tries(&k, dim / im / in); ik++) {
                const struct nputwin_mm_size s = {part_of(&m, im), part_of(&n, in),
                                                  part_of(&k, ik)};
                if (s.m && s.n && s.k)
                    try_cut(j, s, &best);
            }
    if (best >= 0)
        return true;
    REFUSE("m %d, n %d, k %d cannot be cut for %d cores into parts of %d..%d, %d..%d and %d..%d "
           "(-1: open) in multiples of %d, %d and %d",
           j->whole.m, j->whole.n, j->whole.k, dim, m.low, m.high, n.low, n.high, k.low, k.high,
           m.to, n.to, k.to);
    return false;
}

static bool cut_cores(struct job *j)
{
    const struct nputwin_mm_question *ask = j->ask;

    if (ask->is_for_cores)
        return cut_for_cores(j);
    j->single = (struct nputwin_mm_size){
        ask->single.m > 0 ? ask->single.m : j->whole.m,
        ask->single.n > 0 ? ask->single.n : j->whole.n,
        ask->single.k > 0 ? ask->single.k : j->whole.k,
    };
    j->cut = (struct nputwin_mm_cut){1, 1, 1};
    j->t.usedCoreNum = 1;
    return true;
}

/* ---- memories ---------------------------------------------------------------------------------
 */

/* One try: bases, how many lie side by side in L1, how many buffers each memory has. */
struct attempt {
    struct nputwin_mm_size base;
    int32_t step_m, step_n, step_k, n_l1, n_l0, n_l0c;
};

static uint64_t bytes_of(int64_t rows, int64_t columns, uint32_t bits)
{
    return (uint64_t)rows * (uint64_t)columns * bits / 8;
}

/* Bytes of L1 that a matrix which the kernel itself put there takes. */
static uint64_t bytes_in_tscm(const struct job *j)
{
    const struct nputwin_mm_size s = {up(j->single.m, ROWS), up(j->single.n, ROWS),
                                      up(j->single.k, j->align.k)};

    return (j->ask->a.position == POS_TSCM ? bytes_of(s.m, s.k, j->a_bits) : 0) +
           (j->ask->b.position == POS_TSCM ? bytes_of(s.n, s.k, j->b_bits) : 0);
}

static uint64_t bytes_in_l1(const struct job *j, const struct attempt *y)
{
    const struct nputwin_mm_question *ask = j->ask;
    const int64_t k = (int64_t)y->base.k * y->step_k * y->n_l1;
    uint64_t n = 0;

    if (ask->a.position != POS_TSCM)
        n += bytes_of((int64_t)y->base.m * y->step_m, k, j->a_bits);
    if (ask->b.position != POS_TSCM)
        n += bytes_of((int64_t)y->base.n * y->step_n, k, j->b_bits);
    if (ask->mad == MAD_MX)
        n += bytes_of((int64_t)y->base.m * y->step_m + (int64_t)y->base.n * y->step_n, k / MX_GROUP,
                      8);
    if (ask->has_bias)
        n += bytes_of(y->base.n, 1, 8 * L0C_BYTES);
    if (!ask->is_one_scale)
        n += bytes_of(y->base.n, 1, 64);
    return n;
}

static uint64_t room_in_l1(const struct job *j)
{
    const uint64_t all = j->ask->l1 >= 0 ? (uint64_t)j->ask->l1 : UINT64_MAX;
    const uint64_t taken = bytes_in_tscm(j);
    const uint64_t left = taken < j->l1 ? j->l1 - taken : 0;

    return all < left ? all : left;
}

static bool fits(const struct job *j, const struct attempt *y)
{
    const uint64_t n_l0 = (uint64_t)y->n_l0;

    return bytes_of(y->base.m, y->base.n, 8 * L0C_BYTES) * (uint64_t)y->n_l0c <= j->l0c &&
           bytes_of(y->base.m, y->base.k, j->a_bits) * n_l0 <= j->l0a &&
           bytes_of(y->base.n, y->base.k, j->b_bits) * n_l0 <= j->l0b &&
           (!j->ask->has_bias || bytes_of(y->base.n, 1, 8 * L0C_BYTES) <= j->bt) &&
           bytes_in_l1(j, y) <= room_in_l1(j);
}

/* ---- bases ------------------------------------------------------------------------------------
 */

struct range {
    int32_t from, to, step;
};

/* Multiples of `to` up to the length, within what SetSplitRange says; one when fixed. */
static struct range bases_of(int32_t length, int32_t to, int32_t fixed, int32_t low, int32_t high)
{
    struct range r = {to, up(length, to), to};

    if (fixed > 0)
        return (struct range){fixed, fixed, 1};
    if (low > 0)
        r.from = least(up(low, to), r.to);
    if (high > 0)
        r.to = least(r.to, most(to, up(high, to)));
    return r;
}

/* Least k of a base that a schedule can work with. */
static int32_t least_k(const struct job *j)
{
    int32_t k = j->align.k;

    if (j->ask->schedule == N_BUFFER_33)
        k = parts(j->single.k, 3);
    else if (j->ask->schedule == OUTER_PRODUCT && j->ask->config == CONFIG_MDL)
        k = j->single.k;
    return up(most(k, j->ask->base_least.k), j->align.k);
}

static void steps_of_schedule(const struct job *j, struct attempt *y)
{
    const bool by_n = j->ask->traverse == TRAVERSE_N;

    y->step_m = y->step_n = y->step_k = 1;
    if (j->ask->schedule == N_BUFFER_33) {
        y->step_m = parts(j->single.m, y->base.m);
        y->step_k = parts(j->single.k, y->base.k);
    }
    if (j->ask->schedule == OUTER_PRODUCT && by_n && j->single.m > y->base.m)
        y->step_m = 2;
    if (j->ask->schedule == OUTER_PRODUCT && !by_n && j->single.n > y->base.n)
        y->step_n = 2;
    y->n_l0c = y->step_m > 1 && j->ask->schedule == OUTER_PRODUCT ? 2 : y->step_n;
}

/* Loads of a core: each base of A once for every column of bases and the other way round. A rest
 * counts a quarter more: many kernels take singleCoreM * singleCoreN / (baseM * baseN) tiles. */
static double base_cost(const struct job *j, struct nputwin_mm_size base)
{
    const double m = parts(j->single.m, base.m), n = parts(j->single.n, base.n);
    const bool has_rest =
        !is_whole(j->single.m, j->single.m, base.m) || !is_whole(j->single.n, j->single.n, base.n);

    return m * n * ((double)base.m + base.n) * (has_rest ? 1.25 : 1);
}

static bool find_base(const struct job *j, int32_t base_k, int32_t n_l0, struct attempt *best)
{
    const struct nputwin_mm_question *ask = j->ask;
    const struct range m =
        bases_of(j->single.m, j->align.m, ask->base.m, ask->base_least.m, ask->base_most.m);
    const struct range n =
        bases_of(j->single.n, j->align.n, ask->base.n, ask->base_least.n, ask->base_most.n);
    const int32_t m_most = (int32_t)(j->l0c / L0C_BYTES / ROWS);
    double cost = -1;

    for (int32_t bm = m.from; bm <= least(m.to, m_most); bm += m.step)
        for (int32_t bn = n.from; bn <= least(n.to, m_most); bn += n.step) {
            struct attempt y = {.base = {bm, bn, base_k}, .n_l1 = 1, .n_l0 = n_l0};
            steps_of_schedule(j, &y);
            if (ask->schedule == N_BUFFER_33 && y.step_m > 3)
                continue;
            if (!fits(j, &y))
                continue;
            const double c = base_cost(j, y.base);
            if (cost >= 0 && (c > cost || (c == cost && bn < best->base.n)))
                continue;
            cost = c;
            *best = y;
        }
    return cost >= 0;
}

/* The largest k that still fits; one that divides the length wins when it is at least half as
 * large. */
static void grow_k(const struct job *j, struct attempt *y)
{
    const int32_t length = up(j->single.k, j->align.k), first = y->base.k;
    const int32_t high = j->ask->base_most.k > 0 ? up(j->ask->base_most.k, j->align.k) : length;
    struct attempt best = *y, even = *y;
    bool has_even = length % first == 0;

    for (int32_t k = first; k <= least(length, high); k += j->align.k) {
        struct attempt next = *y;
        next.base.k = k;
        steps_of_schedule(j, &next);
        if (!fits(j, &next))
            break;
        best = next;
        if (length % k == 0) {
            even = next;
            has_even = true;
        }
    }
    *y = has_even && even.base.k >= best.base.k / 2 ? even : best;
}

static int refuse_base(const struct job *j)
{
    const struct nputwin_mm_question *ask = j->ask;
    const struct nputwin_mm_size b = {ask->base.m > 0 ? ask->base.m : j->align.m,
                                      ask->base.n > 0 ? ask->base.n : j->align.n,
                                      ask->base.k > 0 ? ask->base.k : least_k(j)};
    struct attempt y = {.base = b, .n_l1 = 1, .n_l0 = 1};

    steps_of_schedule(j, &y);
    return REFUSE(
        "no base fits m %d, n %d, k %d of a core: base %d x %d x %d asks for %llu bytes of L0C "
        "(%llu), %llu of L0A (%llu), %llu of L0B (%llu), %llu of L1 (%llu free, %llu held by "
        "TSCM), "
        "%llu of BT (%llu)",
        j->single.m, j->single.n, j->single.k, b.m, b.n, b.k,
        (unsigned long long)(bytes_of(b.m, b.n, 8 * L0C_BYTES) * (uint64_t)y.n_l0c),
        (unsigned long long)j->l0c, (unsigned long long)bytes_of(b.m, b.k, j->a_bits),
        (unsigned long long)j->l0a, (unsigned long long)bytes_of(b.n, b.k, j->b_bits),
        (unsigned long long)j->l0b, (unsigned long long)bytes_in_l1(j, &y),
        (unsigned long long)room_in_l1(j), (unsigned long long)bytes_in_tscm(j),
        (unsigned long long)(ask->has_bias ? bytes_of(b.n, 1, 8 * L0C_BYTES) : 0),
        (unsigned long long)j->bt);
}

static bool check_fixed(const char *axis, int32_t fixed, int32_t length, int32_t to, int32_t c0)
{
    if (fixed <= 0 || (fixed % to == 0 && fixed <= up(length, c0)))
        return true;
    REFUSE("SetFixSplit: base%s %d; a core's %s of %d takes multiples of %d up to %d", axis, fixed,
           axis, length, to, up(length, c0));
    return false;
}

static bool choose_base(struct job *j, struct attempt *y)
{
    const struct nputwin_mm_question *ask = j->ask;
    const int32_t a0 = c0_of(j->a_bits), b0 = c0_of(j->b_bits), low = least_k(j);
    /* 128 bytes of each row keep the cube core busy; less only when nothing else fits. */
    const int32_t wished = most(low, least(up(j->single.k, j->align.k), 4 * most(a0, b0)));
    const struct {
        int32_t k, n_l0;
    } levels[] = {{wished, 2}, {low, 2}, {wished, 1}, {low, 1}};

    if (!check_fixed("M", ask->base.m, j->single.m, ROWS, j->align.m) ||
        !check_fixed("N", ask->base.n, j->single.n, ROWS, most(ROWS, b0)) ||
        !check_fixed("K", ask->base.k, j->single.k, j->align.k, j->align.k))
        return false;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (find_base(j, ask->base.k > 0 ? ask->base.k : levels[i].k, levels[i].n_l0, y)) {
            if (ask->base.k <= 0)
                grow_k(j, y);
            return true;
        }
    refuse_base(j);
    return false;
}

/* ---- L1 ---------------------------------------------------------------------------------------
 */

/* Of `most` that fit, as many as divide n when that is at least half; else such that the last load
 * is as long as the others. */
static int32_t even_steps(int32_t n, int32_t most)
{
    for (int32_t s = most; 2 * s >= most; s--)
        if (n % s == 0)
            return s;
    return parts(n, parts(n, most));
}

/* As many k side by side as fit, two buffers when there is anything to load meanwhile. */
static void choose_steps(const struct job *j, struct attempt *y)
{
    const int32_t n = parts(j->single.k, y->base.k);
    const bool is_all = parts(j->single.m, y->base.m) == 1 && parts(j->single.n, y->base.n) == 1;
    struct attempt next = *y;

    next.step_k = n;
    if (is_all && fits(j, &next)) {
        *y = next;
        return;
    }
    next.n_l1 = 2;
    if (j->ask->schedule == N_BUFFER_33) {
        if (fits(j, &next))
            *y = next;
        return;
    }
    for (next.step_k = n; next.step_k > 0; next.step_k--)
        if (fits(j, &next)) {
            next.step_k = even_steps(n, next.step_k);
            *y = next;
            return;
        }
}

static void choose_l0c(const struct job *j, struct attempt *y)
{
    struct attempt next = *y;

    next.n_l0c = 2;
    if (parts(j->single.m, y->base.m) * (int64_t)parts(j->single.n, y->base.n) > 1 &&
        fits(j, &next))
        *y = next;
}

/* ---- the answer -------------------------------------------------------------------------------
 */

static void fill_a(const struct job *j, const struct attempt *y, nputwin_cube_tiling *t)
{
    t->stepM = y->step_m;
    t->stepKa = y->step_k;
    t->depthA1 = y->step_m * y->step_k * y->n_l1;
    if (j->ask->a.position != POS_TSCM)
        return;
    t->stepM = parts(j->single.m, y->base.m); /* all of it is there */
    t->stepKa = parts(j->single.k, y->base.k);
    t->depthA1 = t->stepM * t->stepKa;
}

static void fill_b(const struct job *j, const struct attempt *y, nputwin_cube_tiling *t)
{
    t->stepN = y->step_n;
    t->stepKb = y->step_k;
    t->depthB1 = y->step_n * y->step_k * y->n_l1;
    if (j->ask->b.position != POS_TSCM)
        return;
    t->stepN = parts(j->single.n, y->base.n);
    t->stepKb = parts(j->single.k, y->base.k);
    t->depthB1 = t->stepN * t->stepKb;
}

static void fill_layouts(const struct job *j, nputwin_cube_tiling *t)
{
    const struct nputwin_mm_layout *a = &j->ask->a_layout, *b = &j->ask->b_layout;
    const struct nputwin_mm_layout *c = &j->ask->c_layout;

    t->ALayoutInfoB = a->b;
    t->ALayoutInfoS = a->s;
    t->ALayoutInfoN = a->n;
    t->ALayoutInfoG = a->g;
    t->ALayoutInfoD = a->d;
    t->BLayoutInfoB = b->b;
    t->BLayoutInfoS = b->s;
    t->BLayoutInfoN = b->n;
    t->BLayoutInfoG = b->g;
    t->BLayoutInfoD = b->d;
    t->CLayoutInfoB = c->b;
    t->CLayoutInfoS1 = c->s;
    t->CLayoutInfoN = c->n;
    t->CLayoutInfoG = c->g;
    t->CLayoutInfoS2 = c->d;
    t->BatchNum = j->ask->n_batch;
    t->batchM = t->batchN = t->singleBatchM = t->singleBatchN = 1;
}

static void fill(struct job *j, const struct attempt *y)
{
    nputwin_cube_tiling *t = &j->t;

    t->singleCoreM = j->single.m;
    t->singleCoreN = j->single.n;
    t->singleCoreK = j->single.k;
    t->baseM = y->base.m;
    t->baseN = y->base.n;
    t->baseK = y->base.k;
    fill_a(j, y, t);
    fill_b(j, y, t);
    t->isBias = j->ask->has_bias;
    t->iterateOrder = j->ask->traverse == TRAVERSE_N;
    t->dbL0A = t->dbL0B = y->n_l0;
    t->dbL0C = y->n_l0c;
    t->shareL1Size = (int32_t)(bytes_in_l1(j, y) + bytes_in_tscm(j));
    t->shareL0CSize = (int32_t)(bytes_of(y->base.m, y->base.n, 8 * L0C_BYTES) * (uint64_t)y->n_l0c);
    t->depthAL1CacheUB = t->depthBL1CacheUB = 0;
    t->mxTypePara = j->ask->mad == MAD_MX ? 0x01010101 : 0; /* scales are loaded with their data */
    fill_layouts(j, t);
}

NPU_API int nputwin_matmul_plan(const struct nputwin_mm_question *ask, nputwin_cube_tiling *plan,
                                struct nputwin_mm_cut *cut)
{
    struct job j = {.ask = ask};
    struct attempt y = {.base = {1, 1, 1}, .n_l1 = 1};

    if (!find_chip(&j) || !check_l1(&j) || !allow(&j.l0c, 0, "L0C", ask->l0c) ||
        !allow(&j.bt, 0, "BT", ask->bt) || !check_types(&j) || !check_shape(&j) || !check_modes(&j))
        return -1;
    find_align(&j);
    if (!cut_cores(&j) || !choose_base(&j, &y))
        return -1;
    choose_steps(&j, &y);
    choose_l0c(&j, &y);
    fill(&j, &y);
    *plan = j.t;
    *cut = j.cut;
    return 0;
}
