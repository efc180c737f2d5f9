/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hifloat8.h - HiFloat8 on the CPU by its definition, for the mains of this folder: the value of a
 * code by its fields, the code of a value by a search among those. Doubles hold all of it exactly.
 */
#ifndef EXAMPLES_DIRECT_HIFLOAT8_H
#define EXAMPLES_DIRECT_HIFLOAT8_H
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>

namespace HiFloat8Cpu {

constexpr int INFINITE = 0x6F, NOT_A_NUMBER = 0x80;

/* Of 0x00..0x6E and 0x70..0x7F. */
inline double Magnitude(int code)
{
    if (code < 8)
        return code == 0 ? 0.0 : ldexp(1.0, code - 23);
    /* 0001 mmm, 001 s mmm, 01 s e mmm, 10 s ee mm, 11 s eee m: bits of s and e, bits of m */
    int fields = code < 0x10 ? 0 : code < 0x20 ? 1 : code < 0x40 ? 2 : code < 0x60 ? 3 : 4;
    int bits = code < 0x40 ? 3 : code < 0x60 ? 2 : 1;
    int field = code >> bits & ((1 << fields) - 1), lead = fields ? 1 << (fields - 1) : 0;
    int size = fields ? lead | (field & (lead - 1)) : 0;
    double m = static_cast<double>(code & ((1 << bits) - 1));

    return ldexp(1.0 + ldexp(m, -bits), field & lead ? -size : size);
}

inline double Decode(int code)
{
    if (code == NOT_A_NUMBER)
        return NAN;
    double size = (code & 0x7F) == INFINITE ? INFINITY : Magnitude(code & 0x7F);
    return code & 0x80 ? -size : size;
}

/* The nearest value, ties away from zero; what is finite stays so. */
inline int Encode(double x)
{
    static const std::map<double, int> codes = [] {
        std::map<double, int> all;

        for (int code = 0; code < 0x80; code++)
            if (code != INFINITE)
                all[Magnitude(code)] = code;
        return all;
    }();
    int sign = std::signbit(x) ? 0x80 : 0;
    double size = fabs(x);

    if (std::isnan(x))
        return NOT_A_NUMBER;
    if (std::isinf(x))
        return sign | INFINITE;
    auto above = codes.upper_bound(size);
    auto below = std::prev(above);
    bool up = above != codes.end() && size - below->first >= above->first - size;
    int code = up ? above->second : below->second;
    return code ? sign | code : 0;
}

} // namespace HiFloat8Cpu
#endif
