/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hifloat8_cast_table.h - the number format HiFloat8 as two tables, computed at compile time.
 *
 * A code is   S | dot | exponent | mantissa ; the dot field says how long the other two are:
 *
 *      0000 mmm     m = 0: zero, or NaN with S set; else 2^(m-23)
 *      0001 mmm     E = 0           1.mmm
 *      001s mmm     |E| = 1         1.mmm
 *      01s emmm     |E| = 2..3      1.mmm
 *      10s eemm     |E| = 4..7      1.mm
 *      11s eeem     |E| = 8..15     1.m          0x6F and 0xEF: infinity
 *
 * s is the sign of E; the leading one of |E| is implied. Encoding takes the nearest value, ties
 * away from zero. A finite value beyond the largest saturates to it (2^15, 0x6E); an infinity does
 * not.
 *
 * Rounding never needs more than one bit below the longest mantissa, so sign, exponent and the top
 * four mantissa bits of a float decide the code: 13 bits, 8192 entries, whatever the input type.
 * Rule: this header is the only place that knows the format; the kernel only looks up.
 */
#ifndef HIFLOAT8_CAST_TABLE_H
#define HIFLOAT8_CAST_TABLE_H
#include "hifloat8_cast_tiling.h"

namespace HiFloat8 {

constexpr int E_MAX = 15, E_MIN = -15; /* exponents with a mantissa field */
constexpr int E_DENORMAL_MIN = -22;    /* 0x01 */
constexpr uint32_t INFINITE = 0x6F, LARGEST = 0x6E, NOT_A_NUMBER = 0x80, SIGN = 0x80;

template <uint32_t N> struct Table {
    uint16_t entry[N];
};

/* Mantissa bits of a value with exponent e. */
constexpr int MantissaBits(int e)
{
    int size = e < 0 ? -e : e;

    return size <= 3 ? 3 : size <= 7 ? 2 : size <= 15 ? 1 : 0;
}

/* The code of 2^e * (1 + m / 2^MantissaBits(e)), e in E_DENORMAL_MIN..E_MAX. */
constexpr uint32_t Code(int e, uint32_t m)
{
    if (e < E_MIN)
        return static_cast<uint32_t>(e - E_DENORMAL_MIN + 1);
    uint32_t size = static_cast<uint32_t>(e < 0 ? -e : e);
    uint32_t sign = e < 0 ? 1 : 0;

    if (size == 0)
        return 0x08 | m;
    if (size == 1)
        return 0x10 | sign << 3 | m;
    if (size <= 3)
        return 0x20 | sign << 4 | (size - 2) << 3 | m;
    if (size <= 7)
        return 0x40 | sign << 4 | (size - 4) << 2 | m;
    return 0x60 | sign << 4 | (size - 8) << 1 | m;
}

/* The magnitude code nearest to 2^e * (1 + m16 / 16). */
constexpr uint32_t Nearest(int e, uint32_t m16)
{
    if (e >= E_MAX)
        return LARGEST;
    if (e < E_DENORMAL_MIN) /* 2^-23 is the tie between zero and 2^-22 */
        return e == E_DENORMAL_MIN - 1 ? Code(E_DENORMAL_MIN, 0) : 0;
    uint32_t drop = static_cast<uint32_t>(4 - MantissaBits(e));
    uint32_t kept = (16 + m16 + (1u << (drop - 1))) >> drop; /* with the leading one */
    uint32_t one = 1u << (4 - drop);

    return kept == 2 * one ? Code(e + 1, 0) : Code(e, kept - one);
}

/* index: the top 13 bits of a float. */
constexpr uint32_t Encode(uint32_t index)
{
    uint32_t sign = index >> 12 ? SIGN : 0;
    uint32_t exponent = index >> 4 & 0xFF;
    uint32_t m16 = index & 0xF;

    if (exponent == 0xFF)
        return m16 ? NOT_A_NUMBER : sign | INFINITE;
    uint32_t code = Nearest(static_cast<int>(exponent) - 127, m16);

    return code ? sign | code : 0;
}

/* The bits of a half that holds the integer c, 0..255. */
constexpr uint16_t HalfOfInteger(uint32_t c)
{
    uint32_t log2 = 0;

    if (c == 0)
        return 0;
    while (c >> (log2 + 1))
        log2++;
    return static_cast<uint16_t>((log2 + 15) << 10 | (c << (10 - log2) & 0x3FF));
}

/* Entry i: the code of every float whose top 13 bits are i, as a half. Gather moves 16-bit
 * elements, and half -> uint8_t is the cast that all chips have. */
constexpr Table<HIFLOAT8_ENCODE_ENTRIES> EncodeTable()
{
    Table<HIFLOAT8_ENCODE_ENTRIES> t{};

    for (uint32_t i = 0; i < HIFLOAT8_ENCODE_ENTRIES; i++)
        t.entry[i] = HalfOfInteger(Encode(i));
    return t;
}

struct Value {
    int e;      /* exponent */
    uint32_t m; /* mantissa field */
    int bits;   /* its length */
};

/* The value of a magnitude code that is neither zero nor infinite. */
constexpr Value Decode(uint32_t code)
{
    uint32_t dot = code >> 3;

    if (dot == 0)
        return {static_cast<int>(code) + E_DENORMAL_MIN - 1, 0, 0};
    int fields = dot == 1 ? 0 : dot < 4 ? 1 : dot < 8 ? 2 : dot < 12 ? 3 : 4; /* s and e */
    int bits = dot < 8 ? 3 : dot < 12 ? 2 : 1;
    uint32_t m = code & ((1u << bits) - 1);
    if (fields == 0)
        return {0, m, bits};
    uint32_t field = code >> bits & ((1u << fields) - 1);
    uint32_t lead = 1u << (fields - 1);
    int size = static_cast<int>(lead | (field & (lead - 1)));

    return {field & lead ? -size : size, m, bits};
}

constexpr uint16_t BitsF16(Value v)
{
    if (v.e >= -14)
        return static_cast<uint16_t>(static_cast<uint32_t>(v.e + 15) << 10 | v.m << (10 - v.bits));
    return static_cast<uint16_t>(((1u << v.bits) + v.m) << (v.e - v.bits + 24)); /* subnormal */
}

constexpr uint16_t BitsBf16(Value v)
{
    return static_cast<uint16_t>(static_cast<uint32_t>(v.e + 127) << 7 | v.m << (7 - v.bits));
}

/* Entry c: the bits of code c as half or bfloat16. All finite values are exact in both. */
constexpr Table<HIFLOAT8_DECODE_ENTRIES> DecodeTable(bool toBf16)
{
    Table<HIFLOAT8_DECODE_ENTRIES> t{};

    for (uint32_t c = 0; c < HIFLOAT8_DECODE_ENTRIES; c++) {
        uint32_t magnitude = c & 0x7F;
        uint32_t bits = 0;

        if (magnitude == INFINITE)
            bits = toBf16 ? 0x7F80 : 0x7C00;
        else if (magnitude != 0)
            bits = toBf16 ? BitsBf16(Decode(magnitude)) : BitsF16(Decode(magnitude));
        t.entry[c] = static_cast<uint16_t>(bits | (c & SIGN) << 8);
    }
    t.entry[NOT_A_NUMBER] = 0x7FFF;
    return t;
}

} // namespace HiFloat8
#endif
