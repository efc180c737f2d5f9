/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug.h - printf and the assertions of a kernel.
 *
 * The documented printf takes any integer width for %d and half for %f, which C's does not: each
 * conversion is formatted here with the width of its own argument, then handed over as text.
 */
#ifndef NPU_FRONT_DEBUG_H
#define NPU_FRONT_DEBUG_H
#include "core.h"
#include <cstdio>

namespace nputwin {

/* One argument of printf. */
struct print_arg {
    enum kind { SIGNED, UNSIGNED, REAL, TEXT, POINTER } is;
    union {
        long long i;
        unsigned long long u;
        double d;
        const void *p;
    };
};
template <class A> inline print_arg to_print_arg(const A &a)
{
    print_arg r = {};
    if constexpr (std::is_enum_v<A>) {
        r.is = print_arg::SIGNED;
        r.i = static_cast<long long>(a);
    } else if constexpr (std::is_integral_v<A> && std::is_signed_v<A>) {
        r.is = print_arg::SIGNED;
        r.i = a;
    } else if constexpr (std::is_integral_v<A>) {
        r.is = print_arg::UNSIGNED;
        r.u = a;
    } else if constexpr (std::is_convertible_v<A, const char *>) {
        r.is = print_arg::TEXT;
        r.p = static_cast<const char *>(a);
    } else if constexpr (std::is_pointer_v<A> || std::is_null_pointer_v<A>) {
        r.is = print_arg::POINTER;
        r.p = (const void *)a;
    } else {
        static_assert(std::is_convertible_v<A, double> || std::is_convertible_v<A, float>,
                      "printf takes numbers, strings and pointers");
        r.is = print_arg::REAL;
        r.d = double(float(a));
        if constexpr (std::is_same_v<A, double>)
            r.d = a;
    }
    return r;
}

/* Text under construction; what does not fit is dropped. */
struct print_text {
    char text[2048];
    size_t len = 0;
    void add(const char *s, size_t n)
    {
        n = n < sizeof(text) - 1 - len ? n : sizeof(text) - 1 - len;
        std::memcpy(text + len, s, n);
        len += n;
        text[len] = 0;
    }
};

/* The format is the user's with the argument's own length put in: no compiler can check it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
/* One conversion: flags, width and precision as written, the length as the argument needs it. */
inline void print_one(print_text &out, const char *spec, size_t n, char conversion,
                      const print_arg &a)
{
    char fmt[32], piece[512];
    if (n > sizeof(fmt) - 4)
        return;
    std::memcpy(fmt, spec, n);
    const bool integer = std::strchr("diouxXc", conversion) != nullptr;
    std::snprintf(fmt + n, sizeof(fmt) - n, integer && conversion != 'c' ? "ll%c" : "%c",
                  conversion);
    int len = 0;
    if (integer && conversion == 'c')
        len = std::snprintf(piece, sizeof(piece), fmt, int(a.i));
    else if (integer)
        len = std::snprintf(piece, sizeof(piece), fmt,
                            a.is == print_arg::REAL ? (long long)a.d : a.i);
    else if (conversion == 's')
        len = std::snprintf(piece, sizeof(piece), fmt,
                            a.is == print_arg::TEXT && a.p ? static_cast<const char *>(a.p)
                                                           : "(null)");
    else if (conversion == 'p')
        len = std::snprintf(piece, sizeof(piece), fmt, a.p);
    else
        len = std::snprintf(piece, sizeof(piece), fmt,
                            a.is == print_arg::REAL     ? a.d
                            : a.is == print_arg::SIGNED ? double(a.i)
                                                        : double(a.u));
    if (len > 0)
        out.add(piece, size_t(len) < sizeof(piece) ? size_t(len) : sizeof(piece) - 1);
}

#pragma GCC diagnostic pop

inline void print_format(print_text &out, const char *fmt, const print_arg *args, size_t n_args)
{
    size_t used = 0;
    for (const char *p = fmt; *p;) {
        const size_t plain = std::strcspn(p, "%");
        out.add(p, plain);
        p += plain;
        if (!*p)
            break;
        const size_t keep = 1 + std::strspn(p + 1, "-+ #0123456789."); /* up to the length */
        const char *conversion = p + keep + std::strspn(p + keep, "hlLzjt");
        if (!*conversion)
            break;
        if (*conversion == '%')
            out.add("%", 1);
        else if (used < n_args)
            print_one(out, p, keep, *conversion, args[used++]);
        p = conversion + 1;
    }
}

template <class... A> inline void print_to(print_text &out, const char *fmt, const A &...args)
{
    const print_arg list[sizeof...(A) + 1] = {to_print_arg(args)..., print_arg{}};
    out.text[0] = 0;
    print_format(out, fmt, list, sizeof...(A));
}

template <class... A>
[[gnu::cold]] inline void assert_failed(npu_where where, const char *expr, const A &...args)
{
    print_text story;
    story.text[0] = 0;
    if constexpr (sizeof...(A) > 0)
        print_to(story, args...);
    npu_fault(core(), NPU_E_ASSERT, where, "[ASSERT] %s:%u: Assertion `%s' %s", where.file,
              where.line, expr, story.text);
}

} // namespace nputwin

namespace AscendC {

/* In a kernel: the user's stdout with the block in front. On the host: what C's printf does. */
template <class... A> inline void printf(const char *fmt, A &&...args)
{
    nputwin::print_text out;
    nputwin::print_to(out, fmt, args...);
    if (npu_core *c = nputwin::core())
        npu_kernel_printf(c, "%s", out.text);
    else
        std::fputs(out.text, stdout);
}

inline void Trap(npu_where where = NPU_HERE)
{
    npu_fault(nputwin::core(), NPU_E_ASSERT, where, "Trap() was called");
}

} // namespace AscendC

#define PRINTF(...) ::AscendC::printf(__VA_ARGS__)
#define ascendc_assert(expr, ...)                                                                  \
    ((expr) ? (void)0 : ::nputwin::assert_failed(NPU_HERE, #expr __VA_OPT__(, ) __VA_ARGS__))

/* The older assertion: behavior is code in braces that runs first, usually a KERNEL_LOG, whose text
 * then is the story. Levels below KERNEL_ERROR say nothing. */
enum { KERNEL_DEBUG, KERNEL_INFO, KERNEL_WARN, KERNEL_ERROR };
#define KERNEL_LOG(level, ...)                                                                     \
    ((level) == KERNEL_ERROR ? ::nputwin::assert_failed(NPU_HERE, "KERNEL_LOG", __VA_ARGS__)       \
                             : (void)0)
#define ASCENDC_ASSERT(cond, behavior)                                                             \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            behavior;                                                                              \
            ::nputwin::assert_failed(NPU_HERE, #cond);                                             \
        }                                                                                          \
    } while (0)

#endif
