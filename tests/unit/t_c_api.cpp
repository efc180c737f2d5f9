/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_c_api.cpp - the C API's rows of front/c/vector.def, each name with each type in all its forms.
 *
 * Values come from golden.def, worked out independently of the lanes, and from the rows below,
 * worked out by hand. A (name, type) without a golden row fails by name. Forms: a count that is no
 * multiple of a repeat; two repeats with gaps between blks and repeats and odd lanes masked off;
 * sync. The whole neighbourhood of dst is compared, so what is not to be written stays.
 */
#include "c_api.hpp"

struct gold {
    double a, b, d, s, want; /* sources, old dst, scalar */
};
using golds = std::vector<gold>;

/* ---- golden values --------------------------------------------------------------------- */

static const struct {
    npu_op op;
    npu_type type;
    double a, b, s, want;
} table[] = {
#define GOLDEN(op, type, a, b, s, want) {OP_##op, TYPE_##type, a, b, s, want},
#define GOLDEN_FN(op, type, fn)
#define GOLDEN_CONV(...)
#include "golden.def"
#undef GOLDEN
#undef GOLDEN_FN
#undef INF
};

/* Of the sum in the type of the sources, or the product: to even, ends of the type, NaN 0. */
static golds narrowed(npu_op op, npu_type dst, npu_type src)
{
    if (op == OP_vmulconv && dst == TYPE_u8)
        return {{2.5, 1, 9, 0, 2}, {3, 1.5, 9, 0, 4}, {20, 20, 9, 0, 255}, {-3, 2, 9, 0, 0}};
    if (op == OP_vmulconv)
        return {{2.5, 1, 9, 0, 2}, {-3, 1.5, 9, 0, -4}, {20, 20, 9, 0, 127}, {-20, 20, 9, 0, -128}};
    const double sign = op == OP_vsubreluconv ? -1 : 1; /* the rows are those of a sum */
    golds rows = {{3, sign * 4, 9, 0, 7}, {3, sign * -4, 9, 0, 0}};
    if (src == TYPE_s16) {
        rows.push_back({100, sign * 100, 9, 0, 127});
        rows.push_back({32767, sign * 32767, 9, 0, 127});
        rows.push_back({-32767, sign * -32767, 9, 0, 0});
    } else if (src == TYPE_f16) {
        rows.push_back({2, sign * 0.5, 9, 0, 2});
        rows.push_back({3, sign * 0.5, 9, 0, 4});
        rows.push_back({200, sign * 1, 9, 0, 127});
    } else {
        rows.push_back({1, sign * 0x1p-11, 9, 0, 1});              /* a tie, to even */
        rows.push_back({1, sign * 3 * 0x1p-11, 9, 0, 1 + 0x1p-9}); /* a tie, to even */
        rows.push_back({65504, sign * 65504, 9, 0, INFINITY});
        rows.push_back({65504, sign * NAN, 9, 0, 0});
    }
    return rows;
}

static golds by_hand(npu_op op)
{
    switch (op) {
    case OP_vmlaw: /* 1 + 2^-10 squared is 1 + 2^-9 + 2^-20 */
        return {{3, 0.5, 10, 0, 11.5},
                {-2, 4, 8, 0, 0},
                {1 + 0x1p-10, 1 + 0x1p-10, 1, 0, 2 + 0x1p-9 + 0x1p-20}};
    case OP_vaxpyw:
        return {{3, 0, 10, 0.5, 11.5}, {-20, 0, 8, 0.5, -2}, {0x1p-24, 0, 1, 1, 1 + 0x1p-24}};
    case OP_vcopy:
        return {{5, 0, 9, 0, 5}, {77, 0, 9, 0, 77}, {32767, 0, 9, 0, 32767}};
    default:
        return {};
    }
}

static golds goldens(npu_op op, npu_type dst, npu_type type)
{
    golds found = by_hand(op);
    if (npu_isa[op].shape == SHAPE_FUSE)
        return narrowed(op, dst, type);
    for (const auto &row : table)
        if (row.op == op && row.type == type)
            found.push_back({row.a, row.b, row.b, row.s, row.want});
    return found;
}

/* One source and what each rounding makes of it: RINT, FLOOR, CEIL, ROUND, TRUNC, ODD. */
struct rounded {
    double a, want[6];
};
/* Ties and signs; zeros are +0. */
static const rounded to_integers[] = {
    {2.5, {2, 2, 3, 3, 2, 0}},   {-2.5, {-2, -3, -2, -3, -2, 0}}, {3.5, {4, 3, 4, 4, 3, 0}},
    {-0.75, {-1, -1, 0, -1, 0}}, {0.25, {0, 0, 1, 0, 0, 0}},      {7, {7, 7, 7, 7, 7, 0}},
};
/* One unit in the last place of 1.0 is u; halves of it are ties. */
static std::vector<rounded> to_fraction(double u)
{
    return {{1 + u / 2, {1, 1, 1 + u, 1 + u, 1, 1 + u}},
            {1 + 3 * u / 2, {1 + 2 * u, 1 + u, 1 + 2 * u, 1 + 2 * u, 1 + u, 1 + u}},
            {-1 - u / 2, {-1, -1 - u, -1, -1 - u, -1, -1 - u}},
            {0.5, {0.5, 0.5, 0.5, 0.5, 0.5, 0.5}}};
}
/* Integers of one bit more than the float has: n is a power of two, its neighbours are n, n + 2. */
static std::vector<rounded> to_float(double n)
{
    return {{n + 1, {n, n, n + 2, n + 2, n}},
            {n + 3, {n + 4, n + 2, n + 4, n + 4, n + 2}},
            {-n - 1, {-n, -n - 2, -n, -n - 2, -n}},
            {5, {5, 5, 5, 5, 5}}};
}

static bool is_integer(npu_type t) { return t != TYPE_f16 && t != TYPE_bf16 && t != TYPE_f32; }

static golds plain(std::initializer_list<std::pair<double, double>> pairs)
{
    golds g;
    for (const auto &p : pairs)
        g.push_back({p.first, 0, 9, 0, p.second});
    return g;
}

/* Conversions that lose nothing, and those that clamp. */
static golds exact(npu_type dst, npu_type src)
{
    switch (src) {
    case TYPE_f16:
        return dst == TYPE_f32 ? plain({{1.5, 1.5}, {-65504, -65504}, {0x1p-24, 0x1p-24}})
                               : golds{};
    case TYPE_bf16:
        return dst == TYPE_f32 ? plain({{1.5, 1.5}, {-0x1p100, -0x1p100}}) : golds{};
    case TYPE_s8:
        return plain({{-128, -128}, {127, 127}, {5, 5}});
    case TYPE_u8:
        return plain({{255, 255}, {128, 128}, {3, 3}});
    case TYPE_s16:
        return dst == TYPE_f32 ? plain({{-32768, -32768}, {32767, 32767}}) : golds{};
    case TYPE_s32:
        if (dst == TYPE_s64)
            return plain({{-2147483648.0, -2147483648.0}, {5, 5}});
        return dst == TYPE_s16 ? plain({{40000, 32767}, {-40000, -32768}, {5, 5}}) : golds{};
    case TYPE_s64:
        return dst == TYPE_s32 ? plain({{3e9, 2147483647}, {-3e9, -2147483648.0}, {5, 5}})
                               : golds{};
    default:
        return {};
    }
}

static golds conversions(npu_type dst, npu_type src, npu_round round)
{
    golds g = exact(dst, src);
    std::vector<rounded> rows;
    if (!g.empty())
        return g;
    if (is_integer(dst) || (dst == TYPE_f32 && src == TYPE_f32))
        rows.assign(std::begin(to_integers), std::end(to_integers));
    else if (is_integer(src))
        rows = to_float(dst == TYPE_f16 ? 2048 : 16777216);
    else
        rows = to_fraction(dst == TYPE_f16 ? 0x1p-10 : 0x1p-7);
    for (const rounded &r : rows) {
        double want = r.want[round == ROUND_NONE ? 0 : round - 1];
        if (dst == TYPE_u8 && want < 0)
            want = 0;
        g.push_back({r.a, 0, 9, 0, want});
    }
    if (dst == TYPE_s8 || dst == TYPE_u8) {
        g.push_back({300, 0, 9, 0, dst == TYPE_s8 ? 127.0 : 255.0});
        g.push_back({-300, 0, 9, 0, dst == TYPE_s8 ? -128.0 : 0.0});
    }
    if (dst == TYPE_s16 && src == TYPE_f32)
        g.push_back({1e6, 0, 9, 0, 32767});
    return g;
}

/* ---- the calls ------------------------------------------------------------------------- */

/* COUNTER: of raw intrinsics, the repeat form in counter mode. */
enum form { COUNT, SYNC, REPEAT, COUNTER };
struct placed {
    uint32_t blk[3], rep[3];
};
struct call {
    const char *name;
    npu_op op;
    npu_type dst, src;
    npu_round round;
    void (*run)(form f, void *d, void *a, void *b, const void *s, uint32_t n, const placed &p);
};

#define U8(x)  uint8_t(p.x)
#define U16(x) uint16_t(p.x)
#define CALL3(name, row, D, S)                                                                     \
    {#name,                                                                                        \
     OP_##row,                                                                                     \
     TYPE_##D,                                                                                     \
     TYPE_##S,                                                                                     \
     ROUND_NONE,                                                                                   \
     [](form f, void *d, void *a, void *b, const void *, uint32_t n, const placed &p) {            \
         auto *x = static_cast<NPU_C_##D *>(d);                                                    \
         auto *y = static_cast<NPU_C_##S *>(a), *z = static_cast<NPU_C_##S *>(b);                  \
         if (f == COUNT)                                                                           \
             name(x, y, z, n);                                                                     \
         else if (f == SYNC)                                                                       \
             name##_sync(x, y, z, n);                                                              \
         else                                                                                      \
             name(x, y, z, uint8_t(n), U8(blk[0]), U8(blk[1]), U8(blk[2]), U8(rep[0]), U8(rep[1]), \
                  U8(rep[2]));                                                                     \
     }},
#define CALL2(name, row, D, S, round)                                                              \
    {#name,                                                                                        \
     OP_##row,                                                                                     \
     TYPE_##D,                                                                                     \
     TYPE_##S,                                                                                     \
     ROUND_##round,                                                                                \
     [](form f, void *d, void *a, void *, const void *, uint32_t n, const placed &p) {             \
         auto *x = static_cast<NPU_C_##D *>(d);                                                    \
         auto *y = static_cast<NPU_C_##S *>(a);                                                    \
         if (f == COUNT)                                                                           \
             name(x, y, n);                                                                        \
         else if (f == SYNC)                                                                       \
             name##_sync(x, y, n);                                                                 \
         else                                                                                      \
             name(x, y, uint8_t(n), U16(blk[0]), U16(blk[1]), U16(rep[0]), U16(rep[1]));           \
     }},
#define CALLS(name, row, D, S, Value)                                                              \
    {#name,                                                                                        \
     OP_##row,                                                                                     \
     TYPE_##D,                                                                                     \
     TYPE_##S,                                                                                     \
     ROUND_NONE,                                                                                   \
     [](form f, void *d, void *a, void *, const void *s, uint32_t n, const placed &p) {            \
         auto *x = static_cast<NPU_C_##D *>(d);                                                    \
         auto *y = static_cast<NPU_C_##S *>(a);                                                    \
         const Value v = Value(*static_cast<const NPU_C_##S *>(s));                                \
         if (f == COUNT)                                                                           \
             name(x, y, v, n);                                                                     \
         else if (f == SYNC)                                                                       \
             name##_sync(x, y, v, n);                                                              \
         else                                                                                      \
             name(x, y, v, uint8_t(n), U16(blk[0]), U16(blk[1]), U16(rep[0]), U16(rep[1]));        \
     }},
/* Raw intrinsics: the repeat form only. */
#define RAW3(name, row, D, S)                                                                      \
    {#name,                                                                                        \
     OP_##row,                                                                                     \
     TYPE_##D,                                                                                     \
     TYPE_##S,                                                                                     \
     ROUND_NONE,                                                                                   \
     [](form, void *d, void *a, void *b, const void *, uint32_t n, const placed &p) {              \
         name(static_cast<NPU_C_##D *>(d), static_cast<NPU_C_##S *>(a),                            \
              static_cast<NPU_C_##S *>(b), uint8_t(n), U8(blk[0]), U8(blk[1]), U8(blk[2]),         \
              U8(rep[0]), U8(rep[1]), U8(rep[2]));                                                 \
     }},
#define RAWS(name, row, T, Value, ...)                                                             \
    {#name,                                                                                        \
     OP_##row,                                                                                     \
     TYPE_##T,                                                                                     \
     TYPE_##T,                                                                                     \
     ROUND_NONE,                                                                                   \
     [](form, void *d, void *a, void *, const void *s, uint32_t n, const placed &p) {              \
         name(static_cast<NPU_C_##T *>(d), static_cast<NPU_C_##T *>(a),                            \
              Value(*static_cast<const NPU_C_##T *>(s)), uint8_t(n), U16(blk[0]), U16(blk[1]),     \
              U16(rep[0]), U16(rep[1]) __VA_ARGS__);                                               \
     }},
#define RAW2(name, row, D, S, round)                                                               \
    {NPU_TEXT(name),                                                                               \
     OP_##row,                                                                                     \
     TYPE_##D,                                                                                     \
     TYPE_##S,                                                                                     \
     ROUND_##round,                                                                                \
     [](form, void *d, void *a, void *, const void *, uint32_t n, const placed &p) {               \
         name(static_cast<NPU_C_##D *>(d), static_cast<NPU_C_##S *>(a), uint8_t(n), U16(blk[0]),   \
              U16(blk[1]), U16(rep[0]), U16(rep[1]));                                              \
     }},
#define RAWS_TO(name, row, D, S)                                                                   \
    {#name,                                                                                        \
     OP_##row,                                                                                     \
     TYPE_##D,                                                                                     \
     TYPE_##S,                                                                                     \
     ROUND_NONE,                                                                                   \
     [](form, void *d, void *a, void *, const void *s, uint32_t n, const placed &p) {              \
         name(static_cast<NPU_C_##D *>(d), static_cast<NPU_C_##S *>(a),                            \
              *static_cast<const NPU_C_##S *>(s), uint8_t(n), U16(blk[0]), U16(blk[1]),            \
              U16(rep[0]), U16(rep[1]));                                                           \
     }},
#define NPU_TEXT(name)                     NPU_TEXT_(name)
#define NPU_TEXT_(name)                    #name
#define CALL_VVV(type, name, row)          CALL3(name, row, type, type)
#define CALL_VV(type, name, row)           CALL2(name, row, type, type, NONE)
#define CALL_VVS(type, name, row)          CALLS(name, row, type, type, NPU_C_##type)
#define CALL_SHIFT(type, name, row, Value) CALLS(name, row, type, type, Value)

/* Rows, one after the other without commas: no formatter understands them. */
// clang-format off
static const call calls[] = {
#define ASC_VVV(name, op, set)               FOR_##set(CALL_VVV, name, op)
#define ASC_VVV_TO(name, op, dst, src)       CALL3(name, op, dst, src)
#define ASC_VV(name, op, set)                FOR_##set(CALL_VV, name, op)
#define ASC_VVS(name, op, set)               FOR_##set(CALL_VVS, name, op)
#define ASC_SHIFT(name, op, Value, set)      FOR_##set(CALL_SHIFT, name, op, Value)
#define ASC_SHIFT_ALSO(name, op, Value, set) FOR_##set(CALL_SHIFT, name, op, Value)
#define ASC_CONV(name, dst, src, round)      CALL2(name, vconv, dst, src, round)
#define ASC_CONV5(name, dst, src)                                                                  \
    CALL2(name##_rn, vconv, dst, src, RINT)                                                        \
    CALL2(name##_rna, vconv, dst, src, ROUND)                                                      \
    CALL2(name##_rd, vconv, dst, src, FLOOR)                                                       \
    CALL2(name##_ru, vconv, dst, src, CEIL)                                                        \
    CALL2(name##_rz, vconv, dst, src, TRUNC)
#define ASC_CMP(name, relation, set)
#define ASC_CMPS(name, relation, set)
#define ASC_CMP_TO(name, relation, type)
#define ASC_CMPS_ALSO(name, relation, type)
#define ASC_RED(name, op, order, set)
#include "../../front/c/vector.def"
    CALLS(asc_axpy, vaxpyw, f32, f16, half)
#define CALL_SUBS(type, name) CALLS(name, vsub, type, type, NPU_C_##type)
    FOR_F16_F32_S16_S32(CALL_SUBS, asc_sub_scalar)
#define RAW_SHIFT(type, _)       RAWS(vshl, vshl, type, uint32_t) RAWS(vshr, vshr, type, int32_t, , false)
#define RAW_SHIFT_ROUND(type, _) RAWS(vshr, vshrr, type, int32_t, , true)
    FOR_S16_U16_S32_U32(RAW_SHIFT, _)
    FOR_S16_S32(RAW_SHIFT_ROUND, _)
    RAW3(vmla, vmlaw, f32, f16)
    RAWS_TO(vaxpy, vaxpyw, f32, f16)
    RAW3(vaddreluconv_s162s8, vaddreluconv, s8, s16)
    RAW3(vaddreluconv_f162s8, vaddreluconv, s8, f16)
    RAW3(vaddreluconv_f322f16, vaddreluconv, f16, f32)
    RAW3(vsubreluconv_s162s8, vsubreluconv, s8, s16)
    RAW3(vsubreluconv_f162s8, vsubreluconv, s8, f16)
    RAW3(vsubreluconv_f322f16, vsubreluconv, f16, f32)
    RAW3(vmulconv_f162s8, vmulconv, s8, f16)
    RAW3(vmulconv_f162u8, vmulconv, u8, f16)
/* The others have the name of the row itself. */
#define RAW_VVV(type, name) RAW3(name, name, type, type)
#define RAW_VV(type, name)  RAW2(name, name, type, type, NONE)
#define RAW_VVS(type, name) RAWS(name, name, type, NPU_C_##type)
#define LETTER_NONE
#define LETTER_ODD                           o
#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)
#define RAW_CONV(name, letter, D, S, round)  RAW2(PASTE(name, letter), vconv, D, S, round)
#define ASC_VVV(name, op, set)               FOR_##set(RAW_VVV, op)
#define ASC_VVV_TO(name, op, dst, src)
#define ASC_VV(name, op, set)                FOR_##set(RAW_VV, op)
#define ASC_VVS(name, op, set)               FOR_##set(RAW_VVS, op)
#define ASC_SHIFT(name, op, Value, set)
#define ASC_SHIFT_ALSO(name, op, Value, set)
#define ASC_CONV(name, dst, src, round)                                                            \
    RAW_CONV(vconv_##src##2##dst, LETTER_##round, dst, src, round)
#define ASC_CONV5(name, dst, src)                                                                  \
    RAW2(vconv_##src##2##dst##r, vconv, dst, src, RINT)                                            \
    RAW2(vconv_##src##2##dst##a, vconv, dst, src, ROUND)                                           \
    RAW2(vconv_##src##2##dst##f, vconv, dst, src, FLOOR)                                           \
    RAW2(vconv_##src##2##dst##c, vconv, dst, src, CEIL)                                            \
    RAW2(vconv_##src##2##dst##z, vconv, dst, src, TRUNC)
#define ASC_CMP(name, relation, set)
#define ASC_CMPS(name, relation, set)
#define ASC_CMP_TO(name, relation, type)
#define ASC_CMPS_ALSO(name, relation, type)
#define ASC_RED(name, op, order, set)
#include "../../front/c/vector.def"
};
// clang-format on

enum { A_AT = 8192, B_AT = 16384, IMAGE = 4096 };
static const uint64_t odd_mask[2] = {0x0f0f0f0ff0f0f0f1, 0x00ff00ff00ff7f00};

static void load_mask(form f, uint32_t n_lanes)
{
    if (f == COUNTER) {
        set_mask_count();
        set_vector_mask(0, n_lanes);
    } else {
        set_mask_norm();
        set_vector_mask(odd_mask[1], odd_mask[0]);
    }
}
static bool is_raw(const char *name) { return std::strncmp(name, "asc_", 4) != 0; }

/* Golden rows of one scalar, dealt out over the lanes so that neighbours differ. */
struct deal {
    const call &c;
    golds rows;
    const gold &of(uint32_t lane) const { return rows[(lane * 7 + lane / 16) % rows.size()]; }
};

/* UB filled with what nobody asked for. The old dst of an instruction that reads it is a golden
 * value where a lane is. */
static void fill_operand(uint32_t at)
{
    for (uint32_t i = 0; i < IMAGE; i++)
        ub()[at + i] = uint8_t(0x55 ^ i * 13);
}

struct run {
    const deal &d;
    placed p;
    uint32_t n_repeats, lanes, n_lanes; /* n_lanes: of all repeats */
    bool masked;

    bool is_on(uint32_t l) const { return !masked || odd_mask[l / 64] >> (l % 64) & 1; }
    void each(const std::function<void(uint32_t at_d, uint32_t at_a, uint32_t at_b, const gold &g,
                                       bool on)> &fn) const
    {
        const uint32_t de = npu_types[d.c.dst].bytes, se = npu_types[d.c.src].bytes;
        for (uint32_t i = 0; i < n_lanes; i++) {
            const uint32_t r = i / lanes, l = i % lanes;
            fn(at_lane(de, p.blk[0], p.rep[0], r, l), at_lane(se, p.blk[1], p.rep[1], r, l),
               at_lane(se, p.blk[2], p.rep[2], r, l), d.of(i), is_on(l));
        }
    }
};

static std::string say(const run &r, form f, uint32_t at, const gold &g)
{
    char text[200];
    snprintf(text, sizeof text,
             "%s %s<-%s form %d: byte %u of dst, a %.17g b %.17g s %.17g want %.17g", r.d.c.name,
             npu_types[r.d.c.dst].name, npu_types[r.d.c.src].name, int(f), at, g.a, g.b, g.s,
             g.want);
    return text;
}

static std::string try_form(const run &r, form f)
{
    const call &c = r.d.c;
    std::vector<uint8_t> want(IMAGE);
    std::string wrong;
    uint8_t scalar[8] = {};

    for (uint32_t at : {0u, uint32_t(A_AT), uint32_t(B_AT)})
        fill_operand(at);
    r.each([&](uint32_t d, uint32_t a, uint32_t b, const gold &g, bool) {
        put(c.dst, ub() + d, g.d);
        put(c.src, ub() + A_AT + a, g.a);
        put(c.src, ub() + B_AT + b, g.b);
    });
    std::memcpy(want.data(), ub(), IMAGE);
    put(c.src, scalar, r.d.rows[0].s);
    load_mask(f, r.n_lanes);
    c.run(f, ub(), ub() + A_AT, ub() + B_AT, scalar,
          f == REPEAT    ? r.n_repeats
          : f == COUNTER ? 1
                         : r.n_lanes,
          r.p);
    r.each([&](uint32_t d, uint32_t, uint32_t, const gold &g, bool on) {
        if (!on)
            return;
        if (!holds(c.dst, ub() + d, g.want) && wrong.empty())
            wrong = say(r, f, d, g);
        std::memcpy(want.data() + d, ub() + d, npu_types[c.dst].bytes);
    });
    if (wrong.empty() && std::memcmp(want.data(), ub(), IMAGE))
        wrong = say(r, f, 0, r.d.rows[0]) + ": wrote beside the lanes";
    const npu_regs &regs = nputwin::core()->regs;
    if (wrong.empty() && f < REPEAT && (~regs.mask[0] || ~regs.mask[1] || regs.counter_mode))
        wrong = say(r, f, 0, r.d.rows[0]) + ": the mask register is not full";
    return wrong;
}

static std::string try_deal(const deal &d)
{
    const uint32_t de = npu_types[d.c.dst].bytes, se = npu_types[d.c.src].bytes;
    const uint32_t wide = std::max({de, se, 2u}), lanes = 256 / wide;
    const uint16_t dr = uint16_t(8 * de / wide), sr = uint16_t(8 * se / wide);
    const run packed = {d, {{1, 1, 1}, {dr, sr, sr}}, 2, lanes, lanes + 13, false};
    const run spread = {d, {{2, 1, 3}, {17, 8, 25}}, 2, lanes, 2 * lanes, true};
    std::string wrong = try_form(packed, is_raw(d.c.name) ? COUNTER : COUNT);

    if (wrong.empty() && !is_raw(d.c.name))
        wrong = try_form(packed, SYNC);
    if (wrong.empty())
        wrong = try_form(spread, REPEAT);
    return wrong;
}

static void lanes(void **)
{
    for (const call &c : calls) {
        const bool is_conv = c.op == OP_vconv;
        golds rows = is_conv ? conversions(c.dst, c.src, c.round) : goldens(c.op, c.dst, c.src);
        if (c.op == OP_vsel)
            continue;
        if (!std::strcmp(c.name, "asc_sub_scalar")) /* the rows of vsub, src1 as the scalar */
            for (gold &g : rows)
                g.s = g.b;
        if (rows.empty())
            fail_msg("%s %s<-%s has no golden row", c.name, npu_types[c.dst].name,
                     npu_types[c.src].name);
        while (!rows.empty()) { /* the rows of one scalar at a time */
            deal d = {c, {}};
            const double s = rows[0].s;
            golds rest;
            for (const gold &g : rows)
                (!std::memcmp(&g.s, &s, sizeof s) ? d.rows : rest).push_back(g); /* NaN too */
            run_and_check([&] { return try_deal(d); });
            rows = rest;
        }
        call_is_tested(c.name);
    }
}

/* ---- select ---------------------------------------------------------------------------- */

/* The 16 bytes of the compare register choose, the same in each repeat. */
template <class T> static std::string select_by_bits()
{
    static const uint8_t bits[16] = {0xa5, 0x01, 0xff, 0x00, 0x3c, 0x80, 0x7e, 0x11,
                                     0x22, 0xc3, 0x0f, 0xf0, 0x99, 0x42, 0x18, 0xe7};
    const uint32_t lanes = 256 / sizeof(T), per = 32 / sizeof(T);
    T *d = (T *)ub(), *a = (T *)(ub() + A_AT), *b = (T *)(ub() + B_AT);

    for (int f = COUNT; f <= REPEAT; f++) {
        for (uint32_t i = 0; i < 3 * lanes; i++) {
            d[i] = T(9);
            a[i] = T(int(i % 100));
            b[i] = T(-1 - int(i % 100));
        }
        std::memcpy(ub() + 32768, bits, 16);
        asc_set_cmp_mask(ub() + 32768);
        asc_set_mask_norm();
        asc_set_vector_mask(odd_mask[1], odd_mask[0]);
        if (f == COUNT)
            asc_select(d, a, b, lanes + 13);
        else if (f == SYNC)
            asc_select_sync(d, a, b, lanes + 13);
        else
            asc_select(d, a, b, 2, 1, 1, 0, 8, 8, 8);
        for (uint32_t i = 0; i < 3 * lanes; i++) {
            const uint32_t l = i % lanes;
            const bool on =
                f == REPEAT ? i < 2 * lanes && odd_mask[l / 64] >> l % 64 & 1 : i < lanes + 13;
            const uint32_t at_b = f == REPEAT ? i - l + l % per : i;
            const T want = !on ? T(9) : bits[l / 8] >> l % 8 & 1 ? a[i] : b[at_b];
            if (!(d[i] == want))
                return "asc_select, form " + std::to_string(f) + ", element " + std::to_string(i);
        }
    }
    return "";
}
/* The three modes of the raw intrinsic: bits of the register, bits of UB with a scalar, bits of UB;
 * those of UB go on from repeat to repeat. */
template <class T> static std::string select_by_mode()
{
    constexpr uint32_t lanes = 256 / sizeof(T), BITS_AT = 32768;
    T *d = (T *)ub(), *a = (T *)(ub() + A_AT), *b = (T *)(ub() + B_AT);
    for (uint8_t mode = 0; mode <= 2; mode++) {
        for (uint32_t i = 0; i < 3 * lanes; i++) {
            d[i] = T(9);
            a[i] = T(int(i % 100));
            b[i] = T(-1 - int(i % 100));
        }
        for (uint32_t i = 0; i < 48; i++)
            ub()[BITS_AT + i] = uint8_t(0xa5 ^ i * 29);
        const uint64_t address[2] = {uint32_t(uintptr_t(ub() + BITS_AT)), 0};
        const T scalar = T(-7);
        std::memcpy(ub() + BITS_AT + 64, address, 16);
        std::memcpy(ub() + BITS_AT + 96, &scalar, sizeof scalar);
        set_cmpmask(ub() + BITS_AT + (mode == 0 ? 0 : mode == 1 ? 96 : 64));
        load_mask(REPEAT, 0);
        if (mode == 0)
            vsel(d, a, b, 2, 1, 1, 1, 8, 8, 8);
        else
            vsel(d, a, mode == 1 ? (T *)(ub() + BITS_AT) : b, 2, 1, 1, 1, 8, 8, 8, mode);
        for (uint32_t i = 0; i < 3 * lanes; i++) {
            const uint32_t l = i % lanes, bit = mode == 0 ? l : i;
            const bool on = i < 2 * lanes && odd_mask[l / 64] >> l % 64 & 1;
            const bool first = ub()[BITS_AT + bit / 8] >> bit % 8 & 1;
            if (!(d[i] == (!on ? T(9) : first ? a[i] : mode == 1 ? scalar : b[i])))
                return "vsel, mode " + std::to_string(mode) + ", element " + std::to_string(i);
        }
    }
    return "";
}
static void select(void **)
{
    run_and_check(select_by_bits<half>);
    run_and_check(select_by_bits<float>);
    run_and_check(select_by_mode<half>);
    run_and_check(select_by_mode<float>);
    run_fails([] { vsel((half *)ub(), (half *)ub(), ub(), 1, 1, 1, 1, 8, 8, 8, 3); }, NPU_E_ARG,
              {"vsel: mode is 3"});
    call_is_tested("asc_select");
    call_is_tested("vsel");
}

/* One value for all lanes; the strides of a source mean nothing. */
template <class T> static std::string duplicate()
{
    constexpr uint32_t lanes = 256 / sizeof(T), per = 32 / sizeof(T);
    T *d = (T *)ub();
    for (form f : {REPEAT, COUNTER}) {
        for (uint32_t i = 0; i < 8 * lanes; i++)
            d[i] = T(9);
        load_mask(f, lanes + 13);
        if (f == REPEAT)
            vector_dup(d, T(-3), 2, 2, 5, 17, 6);
        else
            vector_dup(d, T(-3), 1, 1, 5, 8, 6);
        for (uint32_t i = 0; i < 8 * lanes; i++) {
            const uint32_t in_rep = i % (17 * per), l = in_rep / (2 * per) * per + in_rep % per;
            const bool in_lane = i / (17 * per) < 2 && in_rep < 16 * per && in_rep / per % 2 == 0;
            const bool on =
                f == REPEAT ? in_lane && odd_mask[l / 64] >> l % 64 & 1 : i < lanes + 13;
            if (!(d[i] == T(on ? -3 : 9)))
                return "vector_dup, form " + std::to_string(f) + ", element " + std::to_string(i);
        }
    }
    return "";
}
/* Eight elements of each repeat fill a blk each; the mask has no say. */
template <class T> static std::string broadcast()
{
    constexpr uint32_t per = 32 / sizeof(T);
    T *d = (T *)ub(), *a = (T *)(ub() + A_AT);
    for (uint32_t i = 0; i < 64 * per; i++)
        d[i] = T(9);
    for (uint32_t i = 0; i < 16; i++)
        a[i] = T(100 + i);
    load_mask(REPEAT, 0);
    vbrcb(d, a, 2, 17, 2);
    for (uint32_t i = 0; i < 64 * per; i++) {
        const uint32_t r = i / (17 * per), blk = i % (17 * per) / per;
        const bool on = r < 2 && blk < 16 && blk % 2 == 0;
        if (d[i] != T(on ? 100 + r * 8 + blk / 2 : 9))
            return "vbrcb: element " + std::to_string(i);
    }
    return "";
}
static void fills(void **)
{
    run_and_check(duplicate<half>);
    run_and_check(duplicate<float>);
    run_and_check(duplicate<int16_t>);
    run_and_check(duplicate<uint16_t>);
    run_and_check(duplicate<int32_t>);
    run_and_check(duplicate<uint32_t>);
    run_and_check(broadcast<uint16_t>);
    run_and_check(broadcast<uint32_t>);
    call_is_tested("vector_dup");
    call_is_tested("vbrcb");
}

/* ---- comparisons ----------------------------------------------------------------------- */

/* By hand: eight pairs, and what each relation says of them, lowest bit first. NaN compares false
 * with everything, NE included. */
static const double pair_a[] = {1, 2, 3, -1, 0.0, -0.0, NAN, INFINITY};
static const double pair_b[] = {2, 2, 2, NAN, -0.0, -1, NAN, INFINITY};
static const uint8_t pair_says[] = {0x01, 0x24, 0x92, 0x93, 0xb6, 0x25};
/* The first row against 2. */
static const uint8_t value_says[] = {0x39, 0x84, 0x02, 0x3b, 0x86, 0xbd};

struct compare {
    const char *name;
    npu_type type;
    npu_relation relation;
    bool has_value;
    void (*to_dst)(bool sync, uint8_t *d, void *a, void *b);
    void (*to_register)(bool sync, void *a, void *b);
};
#define COMPARE_TO(type, name, relation)                                                           \
    {#name,                                                                                        \
     TYPE_##type,                                                                                  \
     CMP_##relation,                                                                               \
     false,                                                                                        \
     [](bool sync, uint8_t *d, void *a, void *b) {                                                 \
         auto *x = static_cast<NPU_C_##type *>(a), *y = static_cast<NPU_C_##type *>(b);            \
         if (sync)                                                                                 \
             name##_sync(d, x, y, 2, 1, 2, 1, 8, 17, 8);                                           \
         else                                                                                      \
             name(d, x, y, 2, 1, 2, 1, 8, 17, 8);                                                  \
     },                                                                                            \
     nullptr},
#define COMPARE(type, name, relation)                                                              \
    {#name,                                                                                        \
     TYPE_##type,                                                                                  \
     CMP_##relation,                                                                               \
     false,                                                                                        \
     [](bool sync, uint8_t *d, void *a, void *b) {                                                 \
         auto *x = static_cast<NPU_C_##type *>(a), *y = static_cast<NPU_C_##type *>(b);            \
         if (sync)                                                                                 \
             name##_sync(d, x, y, 2, 1, 2, 1, 8, 17, 8);                                           \
         else                                                                                      \
             name(d, x, y, 2, 1, 2, 1, 8, 17, 8);                                                  \
     },                                                                                            \
     [](bool sync, void *a, void *b) {                                                             \
         auto *x = static_cast<NPU_C_##type *>(a), *y = static_cast<NPU_C_##type *>(b);            \
         if (sync)                                                                                 \
             name##_sync(x, y, 1, 1, 2, 1, 8, 17, 8);                                              \
         else                                                                                      \
             name(x, y, 1, 1, 2, 1, 8, 17, 8);                                                     \
     }},
#define COMPARE_VALUE(type, name, relation)                                                        \
    {#name,                                                                                        \
     TYPE_##type,                                                                                  \
     CMP_##relation,                                                                               \
     true,                                                                                         \
     [](bool sync, uint8_t *d, void *a, void *) {                                                  \
         auto *x = static_cast<NPU_C_##type *>(a);                                                 \
         if (sync)                                                                                 \
             name##_sync(d, x, NPU_C_##type(2), 2, 1, 2, 8, 17);                                   \
         else                                                                                      \
             name(d, x, NPU_C_##type(2), 2, 1, 2, 8, 17);                                          \
     },                                                                                            \
     nullptr},
/* Raw intrinsics have no sync form. */
#define LOWER_LT lt
#define LOWER_GT gt
#define LOWER_EQ eq
#define LOWER_LE le
#define LOWER_GE ge
#define LOWER_NE ne
#define RAW_COMPARE_TO(type, name, relation, to_register)                                          \
    {NPU_TEXT(name),                                                                               \
     TYPE_##type,                                                                                  \
     CMP_##relation,                                                                               \
     false,                                                                                        \
     [](bool, uint8_t *d, void *a, void *b) {                                                      \
         name(d, static_cast<NPU_C_##type *>(a), static_cast<NPU_C_##type *>(b), 2, 1, 2, 1, 8,    \
              17, 8);                                                                              \
     },                                                                                            \
     to_register},
#define RAW_TO_REGISTER(type, name)                                                                \
    [](bool, void *a, void *b) {                                                                   \
        name(static_cast<NPU_C_##type *>(a), static_cast<NPU_C_##type *>(b), 1, 1, 2, 1, 8, 17,    \
             8);                                                                                   \
    }
#define RAW_COMPARE(type, relation)                                                                \
    RAW_COMPARE_TO(type, PASTE(vcmpv_, LOWER_##relation), relation,                                \
                   RAW_TO_REGISTER(type, PASTE(vcmp_, LOWER_##relation)))
#define RAW_COMPARE_VALUE_(type, name, relation)                                                   \
    {#name,                                                                                        \
     TYPE_##type,                                                                                  \
     CMP_##relation,                                                                               \
     true,                                                                                         \
     [](bool, uint8_t *d, void *a, void *) {                                                       \
         name(d, static_cast<NPU_C_##type *>(a), NPU_C_##type(2), 2, 1, 2, 8, 17);                 \
     },                                                                                            \
     nullptr},
#define RAW_COMPARE_VALUE_OF(type, name, relation) RAW_COMPARE_VALUE_(type, name, relation)
#define RAW_COMPARE_VALUE(type, relation)                                                          \
    RAW_COMPARE_VALUE_OF(type, PASTE(vcmpvs_, LOWER_##relation), relation)
// clang-format off
static const compare compares[] = {
#define ASC_VVV(name, op, set)
#define ASC_VVV_TO(name, op, dst, src)
#define ASC_VV(name, op, set)
#define ASC_VVS(name, op, set)
#define ASC_SHIFT(name, op, Value, set)
#define ASC_SHIFT_ALSO(name, op, Value, set)
#define ASC_CONV(name, dst, src, round)
#define ASC_CONV5(name, dst, src)
#define ASC_CMP(name, relation, set)        FOR_##set(COMPARE, name, relation) FOR_##set(RAW_COMPARE, relation)
#define ASC_CMPS(name, relation, set)       FOR_##set(COMPARE_VALUE, name, relation) FOR_##set(RAW_COMPARE_VALUE, relation)
#define ASC_CMP_TO(name, relation, type)    COMPARE_TO(type, name, relation) RAW_COMPARE_TO(type, PASTE(vcmpv_, LOWER_##relation), relation, nullptr)
#define ASC_CMPS_ALSO(name, relation, type) COMPARE_VALUE(type, name, relation) RAW_COMPARE_VALUE(type, relation)
#define ASC_RED(name, op, order, set)
#include "../../front/c/vector.def"
};
// clang-format on

/* int32_t has EQ only; pairs that floats could not tell apart. */
static const double word_a[] = {1, 2, 16777217, -1, 2147483647, -2147483648.0, 2, 0};
static const double word_b[] = {2, 2, 16777216, -1, 2147483647, 2147483647, 2, -1};
static const uint8_t words_equal = 0x5a, words_are_2 = 0x42;

static std::string try_compare(const compare &c, bool sync)
{
    const uint32_t elem = npu_types[c.type].bytes, lanes = 256 / elem;
    const bool is_word = c.type == TYPE_s32;
    const uint8_t want = is_word       ? (c.has_value ? words_are_2 : words_equal)
                         : c.has_value ? value_says[c.relation]
                                       : pair_says[c.relation];
    const std::string name = std::string(c.name) + (sync ? "_sync " : " ") + npu_types[c.type].name;
    uint8_t *d = ub();

    std::memset(d, 0x77, 256);
    fill_operand(A_AT);
    for (uint32_t i = 0; i < 2 * lanes; i++) {
        put(c.type, ub() + A_AT + at_lane(elem, 2, 17, i / lanes, i % lanes),
            is_word ? word_a[i % 8] : pair_a[i % 8]);
        put(c.type, ub() + B_AT + i * elem, is_word ? word_b[i % 8] : pair_b[i % 8]);
    }
    asc_set_mask_norm();
    asc_set_vector_mask(odd_mask[1], odd_mask[0]); /* has no say in what goes to dst */
    c.to_dst(sync, d, d + A_AT, d + B_AT);
    for (uint32_t i = 0; i < 2 * lanes / 8; i++)
        if (d[i] != want)
            return name + ": byte " + std::to_string(i) + " is " + std::to_string(d[i]) + ", not " +
                   std::to_string(want);
    if (d[2 * lanes / 8] != 0x77)
        return name + ": wrote behind dst";
    if (!c.to_register)
        return "";
    std::memset(d, 0x0f, 16);
    set_cmpmask(d);
    c.to_register(sync, d + A_AT, d + B_AT);
    get_cmpmask(d + 32);
    for (uint32_t i = 0; i < 16; i++) {
        const uint8_t on = i * 8 < lanes ? uint8_t(odd_mask[i / 8] >> i % 8 * 8) : uint8_t(0);
        if (d[32 + i] != ((want & on) | (0x0f & ~on)))
            return name + ": byte " + std::to_string(i) + " of the compare register";
    }
    return "";
}
static void comparisons(void **)
{
    for (const compare &c : compares) {
        run_and_check([&] { return try_compare(c, false); });
        run_and_check([&] { return try_compare(c, true); });
        call_is_tested(c.name);
        if (c.to_register && is_raw(c.name))
            call_is_tested((std::string("vcmp_") + (std::strrchr(c.name, '_') + 1)).c_str());
    }
    call_is_tested("asc_set_cmp_mask");
    call_is_tested("asc_get_cmp_mask");
}

/* ---- reductions ------------------------------------------------------------------------ */

struct reduction {
    const char *name;
    npu_op op;
    npu_type type;
    Order_t order;
    void (*run)(form f, void *d, void *a, uint32_t n, const placed &p);
};
#define REDUCE(type, name, op, order)                                                              \
    {#name, OP_##op, TYPE_##type, order,                                                           \
     [](form f, void *d, void *a, uint32_t n, const placed &p) {                                   \
         auto *x = static_cast<NPU_C_##type *>(d), *y = static_cast<NPU_C_##type *>(a);            \
         if (f == COUNT)                                                                           \
             name(x, y, n);                                                                        \
         else if (f == SYNC)                                                                       \
             name##_sync(x, y, n);                                                                 \
         else                                                                                      \
             name(x, y, uint8_t(n), U16(rep[0]), U16(blk[1]), U16(rep[1]));                        \
     }},
#define RAW_REDUCE(type, op, order)                                                                \
    {#op, OP_##op, TYPE_##type, order, [](form, void *d, void *a, uint32_t n, const placed &p) {   \
         op(static_cast<NPU_C_##type *>(d), static_cast<NPU_C_##type *>(a), uint8_t(n),            \
            U16(rep[0]), U16(blk[1]), U16(rep[1]) EXTRA_##op(order));                              \
     }},
#define EXTRA_vcadd(order) , false
#define EXTRA_vcmax(order) , order
#define EXTRA_vcmin(order) , order
#define EXTRA_vcgadd(order)
#define EXTRA_vcgmax(order)
#define EXTRA_vcgmin(order)
#define EXTRA_vcpadd(order)
// clang-format off
static const reduction reductions[] = {
#define ASC_VVV(name, op, set)
#define ASC_VVV_TO(name, op, dst, src)
#define ASC_VV(name, op, set)
#define ASC_VVS(name, op, set)
#define ASC_SHIFT(name, op, Value, set)
#define ASC_SHIFT_ALSO(name, op, Value, set)
#define ASC_CONV(name, dst, src, round)
#define ASC_CONV5(name, dst, src)
#define ASC_CMP(name, relation, set)
#define ASC_CMPS(name, relation, set)
#define ASC_CMP_TO(name, relation, type)
#define ASC_CMPS_ALSO(name, relation, type)
#define ASC_RED(name, op, order, set) FOR_##set(REDUCE, name, op, order) FOR_##set(RAW_REDUCE, op, order)
#include "../../front/c/vector.def"
};
// clang-format on

/* Small integers, so that every sum is exact in a half whatever the order. */
static double number(uint32_t i) { return double(int(i * 37 % 101)) - 50; }

static bool is_sum(npu_op op) { return op == OP_vcadd || op == OP_vcgadd || op == OP_vcpadd; }
static bool is_max(npu_op op) { return op == OP_vcmax || op == OP_vcgmax; }

/* How many lanes have one result: a repeat, a blk, a pair. */
static uint32_t group_of(const reduction &r, uint32_t lanes)
{
    switch (r.op) {
    case OP_vcpadd:
        return 2;
    case OP_vcgadd:
    case OP_vcgmax:
    case OP_vcgmin:
        return lanes / 8;
    default:
        return lanes;
    }
}

/* Value and index of lanes [from, to) of repeat r, by going through them; false when none is on. */
static bool reduce_plainly(const reduction &k, uint32_t r, uint32_t from, uint32_t to, uint32_t n,
                           bool masked, uint32_t lanes, double *value, uint32_t *index)
{
    bool any = false;
    for (uint32_t l = from; l < to; l++) {
        const double x = number(r * lanes + l);
        if (r * lanes + l >= n || (masked && !(odd_mask[l / 64] >> l % 64 & 1)))
            continue;
        if (!any || (is_sum(k.op) ? false : is_max(k.op) ? x > *value : x < *value)) {
            *value = x;
            *index = l;
        } else if (is_sum(k.op)) {
            *value += x;
        }
        any = true;
    }
    return any;
}

static std::string try_reduction(const reduction &k, form f)
{
    const uint32_t elem = npu_types[k.type].bytes, lanes = 256 / elem, group = group_of(k, lanes);
    const bool pairs = k.order == VALUE_INDEX || k.order == INDEX_VALUE;
    const uint32_t result = k.order == ONLY_INDEX ? 4 : pairs ? 2 * elem : elem;
    const placed p = f == REPEAT ? placed{{1, 2, 0}, {2, 17, 0}} : placed{{1, 1, 0}, {1, 8, 0}};
    const uint32_t n = f == REPEAT ? 2 * lanes : lanes + 13, step = f == REPEAT ? 2 : 1;
    std::vector<uint8_t> want(1024);

    fill_operand(0);
    fill_operand(A_AT);
    for (uint32_t i = 0; i < n; i++)
        put(k.type,
            ub() + A_AT + (f == REPEAT ? at_lane(elem, 2, 17, i / lanes, i % lanes) : i * elem),
            number(i));
    std::memcpy(want.data(), ub(), want.size());
    for (uint32_t r = 0; r * lanes < n; r++)
        for (uint32_t g = 0; g < lanes / group; g++) {
            double value = 0;
            uint32_t index = 0;
            uint8_t *to = want.data() + (r * step * (lanes / group) + g) * result;
            if (!reduce_plainly(k, r, g * group, (g + 1) * group, n, f == REPEAT, lanes, &value,
                                &index))
                continue;
            if (k.order != ONLY_INDEX)
                put(k.type, to + (k.order == INDEX_VALUE ? elem : 0), value);
            if (k.order != ONLY_VALUE)
                std::memcpy(to + (k.order == VALUE_INDEX ? elem : 0), &index,
                            k.order == ONLY_INDEX ? 4 : elem);
        }
    load_mask(f, n);
    k.run(f, ub(), ub() + A_AT, f == REPEAT ? 2 : f == COUNTER ? 1 : n, p);
    for (uint32_t i = 0; i < want.size(); i++)
        if (ub()[i] != want[i])
            return std::string(k.name) + " " + npu_types[k.type].name + " form " +
                   std::to_string(f) + ": byte " + std::to_string(i);
    return "";
}
static void reduced(void **)
{
    for (const reduction &k : reductions) {
        const form first = is_raw(k.name) ? REPEAT : COUNT,
                   last = is_raw(k.name) ? COUNTER : REPEAT;
        for (int f = first; f <= last; f++)
            run_and_check([&] { return try_reduction(k, form(f)); });
        call_is_tested(k.name);
    }
}

/* Bits of the newest extreme and its lane over all repeats; bits of the newest sum. */
static std::string left_in_registers()
{
    half *a = (half *)(ub() + A_AT);
    for (uint32_t i = 0; i < 256; i++)
        a[i] = half(i == 131 ? 2 : 1);
    set_mask_norm();
    set_vector_mask(~uint64_t(0), ~uint64_t(0));
    vcmax((half *)ub(), a, 2, 1, 1, 8, VALUE_INDEX);
    if (get_max_min_cnt() != (int64_t(131) << 32 | 0x4000))
        return "get_max_min_cnt";
    AscendC::LocalTensor<half> x(AscendC::TPosition::VECCALC, A_AT, 256),
        y(AscendC::TPosition::VECCALC, 0, 256);
    AscendC::ReduceSum(y, x, y, 256);
    return get_acc_val() == 0x5c04 ? "" : "get_acc_val"; /* 257 */
}
static void registers(void **)
{
    run_and_check(left_in_registers);
    run_fails([] { vcadd((half *)ub(), (half *)ub(), 1, 1, 1, 8, true); }, NPU_E_UNSUP,
              {"vcadd: the last argument is true"});
    for (const char *name : {"get_max_min_cnt", "get_acc_val", "get_cmpmask"})
        call_is_tested(name);
}

/* ---- faults and the duty --------------------------------------------------------------- */

static void faults_name_the_line(void **)
{
    const std::string line = line_text(__FILE__, __LINE__ + 1);
    run_fails([] { asc_add((half *)ub() + 1, (half *)ub(), (half *)ub(), 64); }, NPU_E_ALIGN,
              {line.c_str(), "vadd: dst begins at UB byte 2"});
    run_fails([] { asc_shiftleft((int16_t *)ub(), (int16_t *)ub(), 17u, 64); }, NPU_E_ARG,
              {"asc_shiftleft: shifts by 17 bits, allowed are 0 to 16"});
    run_fails([] { asc_shiftright((int32_t *)ub(), (int32_t *)ub(), -1, 64); }, NPU_E_ARG,
              {"asc_shiftright: shifts by -1 bits, allowed are 0 to 32"});
    run_fails([] { asc_set_cmp_mask(ub() + 8); }, NPU_E_ALIGN,
              {"asc_set_cmp_mask", "UB byte 8", "16 bytes"});
    run_fails([] { asc_get_cmp_mask(nullptr); }, NPU_E_RANGE, {"asc_get_cmp_mask"});
}

static void every_name_was_called(void **)
{
    assert_all_called({"arithmetic", "convert", "compare", "reduce"});
    assert_all_called({"vector", "convert", "select", "reduce"}, "cce");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes),
        cmocka_unit_test(select),
        cmocka_unit_test(fills),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(reduced),
        cmocka_unit_test(registers),
        cmocka_unit_test(faults_name_the_line),
        cmocka_unit_test(every_name_was_called),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
