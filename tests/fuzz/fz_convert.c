/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fz_convert.c - the number formats against a slow reference that knows only their definition.
 *
 * Reference: all codes of a format are decoded by the textbook formula into doubles, and a number
 * narrows to the code whose value is nearest. No bit of base/num.h is used for it.
 */
#include "../../base/num.h"
#include "fuzz.h"

#include <math.h>

struct format {
    const char *name;
    int e_bits, m_bits;
    bool has_inf;
    double value[65536]; /* of each code; NaN where the code is one */
};

static struct format f16 = {.name = "f16", .e_bits = 5, .m_bits = 10, .has_inf = true};
static struct format bf16 = {.name = "bf16", .e_bits = 8, .m_bits = 7, .has_inf = true};
static struct format e5m2 = {.name = "e5m2", .e_bits = 5, .m_bits = 2, .has_inf = true};
static struct format e4m3 = {.name = "e4m3", .e_bits = 4, .m_bits = 3, .has_inf = false};

static double textbook(const struct format *f, uint32_t code)
{
    int m_bits = f->m_bits, e_max = (1 << f->e_bits) - 1, bias = (1 << (f->e_bits - 1)) - 1;
    int e = (int)(code >> m_bits) & e_max;
    uint32_t m = code & ((1u << m_bits) - 1);
    double sign = code >> (f->e_bits + m_bits) & 1 ? -1 : 1;

    if (f->has_inf && e == e_max)
        return m ? (double)NAN : sign * (double)INFINITY;
    if (!f->has_inf && e == e_max && m == (1u << m_bits) - 1)
        return (double)NAN;
    if (e == 0)
        return sign * ldexp(m, 1 - bias - m_bits);
    return sign * ldexp((double)(m | 1u << m_bits), e - bias - m_bits);
}

static void fill(struct format *f)
{
    for (uint32_t code = 0; code < 2u << (f->e_bits + f->m_bits); code++)
        f->value[code] = textbook(f, code);
}

/* Code of the finite or infinite value nearest to x >= 0, ties to the even code: by bisection over
 * the positive codes, whose values grow. What lies half a step beyond the largest counts as
 * overflow. */
static uint32_t nearest(const struct format *f, double x)
{
    uint32_t low = 0, high = ((1u << f->e_bits) - 1) << f->m_bits; /* of infinity */
    double step = 0;

    if (!f->has_inf)
        high = (1u << (f->e_bits + f->m_bits)) - 1;
    step = f->value[high - 1] - f->value[high - 2];
    if (x >= f->value[high - 1] + step / 2)
        return high;
    high--; /* the largest finite */
    if (x >= f->value[high])
        return high;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;

        if (f->value[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    if (x - f->value[low] != f->value[high] - x)
        return x - f->value[low] < f->value[high] - x ? low : high;
    return low % 2 == 0 ? low : high;
}

static void check_narrow(const struct format *f, double x, uint32_t got)
{
    uint32_t sign = signbit(x) ? 1u << (f->e_bits + f->m_bits) : 0;

    if (isnan(x)) {
        FUZZ_CHECK(isnan(f->value[got]), "%s of NaN is %#x", f->name, got);
        return;
    }
    FUZZ_CHECK(got == (sign | nearest(f, fabs(x))), "%s(%a) is %#x, should be %#x", f->name, x, got,
               sign | nearest(f, fabs(x)));
}

static void check_widen(const struct format *f, uint32_t code, float got)
{
    double want = f->value[code];

    FUZZ_CHECK(isnan(want) ? isnan(got) : (double)got == want && !signbit(want) == !signbit(got),
               "%s %#x widens to %a, should be %a", f->name, code, (double)got, want);
}

/* HiFloat8 round trip: decode is exact, so encode must give the code back, and encode of anything
 * gives a code whose value is as near as any. */
static void check_hif8(float x)
{
    uint8_t code = npu_f32_to_hif8(x, true);
    double value = (double)npu_hif8_to_f32(code), off = fabs(value - (double)x);

    if (isnan(x) || isinf(x)) {
        FUZZ_CHECK(isnan(x) ? isnan(value) : value == (double)x, "hif8(%a) is %#x", (double)x,
                   code);
        return;
    }
    for (uint32_t other = 0; other < 256; other++) {
        double near = (double)npu_hif8_to_f32((uint8_t)other);

        if (isfinite(near))
            FUZZ_CHECK(fabs(near - (double)x) >= off, "hif8(%a) is %#x (%a), %#x (%a) is nearer",
                       (double)x, code, value, other, near);
    }
}

void fuzz_begin(void)
{
    fill(&f16);
    fill(&bf16);
    fill(&e5m2);
    fill(&e4m3);
}

void fuzz_one(const uint8_t *data, size_t n)
{
    struct fuzz_in in = {data, n};

    while (in.left) {
        uint64_t bits = fuzz_take(&in, 8);
        float x = npu_f32_from_bits((uint32_t)bits);
        double d = npu_f64_from_bits(bits);

        check_narrow(&f16, (double)x, npu_f32_to_f16(x));
        check_narrow(&bf16, (double)x, npu_f32_to_bf16(x));
        check_narrow(&e5m2, (double)x, npu_f32_to_e5m2(x, false));
        check_narrow(&e4m3, (double)x, npu_f32_to_e4m3(x, false));
        check_narrow(&f16, d, npu_f64_to_f16(d));
        check_widen(&f16, (uint16_t)bits, npu_f16_to_f32((uint16_t)bits));
        check_widen(&bf16, (uint16_t)bits, npu_bf16_to_f32((uint16_t)bits));
        check_widen(&e5m2, (uint8_t)bits, npu_e5m2_to_f32((uint8_t)bits));
        check_widen(&e4m3, (uint8_t)bits, npu_e4m3_to_f32((uint8_t)bits));
        check_hif8(x);
    }
}
