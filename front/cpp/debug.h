/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug.h - printf, dumps of tensors, the log and the assertions of a kernel. ASCENDC_DUMP=0
 * switches them off.
 *
 * The documented printf takes any integer width for %d and half for %f, which C's does not: each
 * conversion is formatted here with the width of its own argument, then handed over as text.
 */
#ifndef NPU_FRONT_DEBUG_H
#define NPU_FRONT_DEBUG_H
#include "sys.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#if defined(ASCENDC_DUMP) && ASCENDC_DUMP == 0
#define NPU_DUMPS false
#else
#define NPU_DUMPS true
#endif

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
    if (!core()) { /* host code */
        std::fprintf(stderr, "[ASSERT] %s:%u: Assertion `%s' %s\n", where.file, where.line, expr,
                     story.text);
        std::abort();
    }
    npu_fault(core(), NPU_E_ASSERT, where, "[ASSERT] %s:%u: Assertion `%s' %s", where.file,
              where.line, expr, story.text);
}
/* Of assert(expr, ...): without a story the texts that the page and C's own assert print. */
template <class... A>
[[gnu::cold]] inline void plain_assert_failed(npu_where where, const char *function,
                                              const char *expr, const A &...args)
{
    if constexpr (sizeof...(A) > 0) {
        assert_failed(where, expr, args...);
    } else if (!core()) {
        std::fprintf(stderr, "%s: %s:%u: %s: Assertion `%s' failed.\n",
                     program_invocation_short_name, where.file, where.line, function, expr);
        std::abort();
    } else {
        npu_fault(core(), NPU_E_ASSERT, where, "[ASSERT] %s:%u: : Assertion `%s' failed.",
                  where.file, where.line, expr);
    }
}

/* What this thread has logged last: blocks change threads only where they wait. */
inline char *newest_log_line()
{
    static thread_local char text[256];
    return text;
}
template <class... A>
[[gnu::cold]] inline void log_line(npu_where where, unsigned level, const char *fmt,
                                   const A &...args)
{
    print_text out;
    print_to(out, fmt, args...);
    std::snprintf(newest_log_line(), 256, "%.255s", out.text);
    npu_kernel_log(core(), level, where, out.text);
}

/* ---- dumps --------------------------------------------------------------------------- */

/* What DumpTensor calls the types. */
template <class T> constexpr const char *dump_name()
{
    constexpr const char *names[] = {"float16", "bfloat16", "float32", "int8",  "uint8", "int16",
                                     "uint16",  "int32",    "uint32",  "int64", "uint64"};
    if constexpr (std::is_same_v<T, bool>) {
        return "bool";
    } else {
        static_assert(
            is_element<T>::value,
            "DumpTensor: T is bool, half, bfloat16_t, float or an integer of 8 to 64 bits");
        return names[type_of<T>];
    }
}
template <class T> inline void dump_one(FILE *to, const T &v)
{
    if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T>)
        std::fprintf(to, "%llu", (unsigned long long)v);
    else if constexpr (std::is_integral_v<T>)
        std::fprintf(to, "%lld", (long long)v);
    else
        std::fprintf(to, "%f", double(float(v)));
}
/* Elements of one dimension and those below it; what lies beyond n is "-". */
template <class T>
inline void dump_dim(FILE *to, const T *p, uint32_t n, const uint32_t *dims, uint32_t n_dims,
                     uint64_t *at)
{
    std::fputc('[', to);
    for (uint32_t i = 0; i < dims[0]; i++) {
        if (n_dims > 1) {
            std::fputs(i ? ",\n" : "", to);
            dump_dim(to, p, n, dims + 1, n_dims - 1, at);
            continue;
        }
        std::fputs(!i ? "" : i % 32 ? ", " : ",\n", to);
        if (*at < n)
            dump_one(to, p[*at]);
        else
            std::fputc('-', to);
        ++*at;
    }
    std::fputc(']', to);
}

enum { DUMP_BYTES = 30 * 1024 }; /* of one call */

/* Every pipe is done first, and the text of a call stays together. */
template <class T>
inline void dump(const T *p, uint64_t addr, const char *position, uint32_t desc, uint32_t n,
                 const AscendC::ShapeInfo *shape, npu_where where)
{
    npu_core *c = core();
    const uint32_t line[1] = {n};
    uint64_t at = 0;

    npu_barrier(c, PIPE_ALL, where);
    if (uint64_t(n) * sizeof(T) > DUMP_BYTES) {
        npu_note(c, "DUMP-SIZE", where,
                 "a dump of %u elements of %u bytes; one call prints at most "
                 "%d bytes, so nothing is printed",
                 n, unsigned(sizeof(T)), DUMP_BYTES);
        return;
    }
    if (c->faulted)
        return;
    flockfile(stdout);
    std::fprintf(stdout,
                 "DumpTensor: desc=%u, addr=%llx, data_type=%s, position=%s, dump_size=%u\n", desc,
                 (unsigned long long)addr, dump_name<T>(), position, n);
    dump_dim(stdout, p, n, shape ? shape->shape : line, shape ? shape->shapeDim : 1, &at);
    std::fputc('\n', stdout);
    funlockfile(stdout);
}
template <class T>
inline void dump_local(const AscendC::LocalTensor<T> &t, uint32_t desc, uint32_t n,
                       const AscendC::ShapeInfo *shape, npu_where where)
{
    const npu_core *c = core();
    const npu_mem mem = mem_of(AscendC::TPosition(t.GetPosition()));
    const uint64_t addr = t.GetPhyAddr() - uint64_t(uintptr_t(c->mem[mem].base));
    const uint64_t end = addr + uint64_t(n) * sizeof(AscendC::PrimT<T>);

    if (NPU_UNLIKELY(end > c->mem[mem].bytes))
        npu_fault(core(), NPU_E_RANGE, where,
                  "DumpTensor: %u elements end at byte %llu of %s, which "
                  "has %u",
                  n, (unsigned long long)end, npu_mems[mem].name, c->mem[mem].bytes);
    else
        dump(t.raw(), addr, npu_mems[mem].name, desc, n, shape, where);
}
/* n elements from an address on, in the memory that mem names; N_MEMS: where the address lies. */
template <class T>
inline void dump_address(const char *name, npu_mem mem, const T *p, uint32_t desc, uint32_t n,
                         npu_where where)
{
    const npu_core *c = core();
    const uint64_t bytes = uint64_t(n) * sizeof(T);
    npu_mem at = MEM_GM;
    uint64_t addr = uint64_t(uintptr_t(p));

    for (int m = 0; m < N_MEMS; m++)
        if (addr - uint64_t(uintptr_t(c->mem[m].base)) < c->mem[m].bytes)
            at = npu_mem(m);
    if (at != MEM_GM)
        addr -= uint64_t(uintptr_t(c->mem[at].base));
    if (NPU_UNLIKELY(mem != N_MEMS && at != mem))
        npu_fault(core(), NPU_E_RANGE, where, "%s: the address is byte 0x%llx of %s, not of %s",
                  name, (unsigned long long)addr, npu_mems[at].name, npu_mems[mem].name);
    else if (NPU_UNLIKELY(at != MEM_GM && addr + bytes > c->mem[at].bytes))
        npu_fault(core(), NPU_E_RANGE, where,
                  "%s: %u elements end at byte %llu of %s, which has %u", name, n,
                  (unsigned long long)(addr + bytes), npu_mems[at].name, c->mem[at].bytes);
    else
        dump(p, addr, npu_mems[at].name, desc, n, nullptr, where);
}
template <class T>
inline void dump_global(const AscendC::GlobalTensor<T> &t, uint32_t desc, uint32_t n,
                        const AscendC::ShapeInfo *shape, npu_where where)
{
    dump(t.raw(), uint64_t(uintptr_t(t.raw())), "GM", desc, n, shape, where);
}

} // namespace nputwin

namespace AscendC {

/* In a kernel: the user's stdout with the block in front. On the host: what C's printf does. */
template <class... A> inline void printf(const char *fmt, A &&...args)
{
    if constexpr (!NPU_DUMPS)
        return;
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

/* dumpSize elements to the user's stdout, with a number of the user's to tell dumps apart; by shape
 * when there is one. */
#define NPU_DUMP(Tensor, dump_it)                                                                  \
    template <typename T>                                                                          \
    inline void DumpTensor(const Tensor<T> &tensor, uint32_t desc, uint32_t dumpSize,              \
                           npu_where where = NPU_HERE)                                             \
    {                                                                                              \
        if constexpr (NPU_DUMPS)                                                                   \
            nputwin::dump_it(tensor, desc, dumpSize, nullptr, where);                              \
    }                                                                                              \
    template <typename T>                                                                          \
    inline void DumpTensor(const Tensor<T> &tensor, uint32_t desc, uint32_t dumpSize,              \
                           const ShapeInfo &shapeInfo, npu_where where = NPU_HERE)                 \
    {                                                                                              \
        if constexpr (NPU_DUMPS)                                                                   \
            nputwin::dump_it(tensor, desc, dumpSize, &shapeInfo, where);                           \
    }                                                                                              \
    template <typename T>                                                                          \
    inline void DumpAccChkPoint(const Tensor<T> &tensor, uint32_t index, uint32_t countOff,        \
                                uint32_t dumpSize, npu_where where = NPU_HERE)                     \
    {                                                                                              \
        if constexpr (NPU_DUMPS)                                                                   \
            nputwin::dump_it(tensor[countOff], index, dumpSize, nullptr, where);                   \
    }
NPU_DUMP(LocalTensor, dump_local)
NPU_DUMP(GlobalTensor, dump_global)
#undef NPU_DUMP

/* Compiled in by ASCENDC_TIME_STAMP_ON. Wall time of the twin. */
inline void PrintTimeStamp([[maybe_unused]] uint32_t descId)
{
#ifdef ASCENDC_TIME_STAMP_ON
    const npu_core *c = nputwin::core();
    const uint64_t tick_ns = c->soc->arch == 2201 ? 20 : 1;
    std::fprintf(stdout,
                 "descId is %u, rsv is 0, timeStamp is %lld, pcPtr is %lld, entry is %llu.\n",
                 descId, (long long)GetSystemCycle(), (long long)GetProgramCounter(),
                 (unsigned long long)(npu_launch_start_ns(c) / tick_ns));
#endif
}
/* Where a profiler of the chip looks; none is attached to the twin. */
inline void MetricsProfStart() {}
inline void MetricsProfStop() {}

/* One blk a line. */
template <typename T> inline void LocalTensor<T>::Print(uint32_t len) const
{
    constexpr uint32_t per_line = NPU_BLK_BYTES / sizeof(PrimType);
    npu_barrier(nputwin::core(), PIPE_ALL, {nullptr, 0});
    flockfile(stdout);
    for (uint32_t i = 0; i < len && i < GetSize(); i++) {
        nputwin::dump_one(stdout, raw()[i]);
        std::fputc((i + 1) % per_line && i + 1 < len && i + 1 < GetSize() ? ' ' : '\n', stdout);
    }
    funlockfile(stdout);
}
template <typename T>
template <class Name>
inline int32_t LocalTensor<T>::ToFile(const Name &fileName) const
{
    npu_barrier(nputwin::core(), PIPE_ALL, {nullptr, 0});
    FILE *f = std::fopen(fileName.c_str(), "wb");
    if (!f)
        return -1;
    const size_t n = std::fwrite(raw(), 1, GetLength(), f);
    return std::fclose(f) == 0 && n == GetLength() ? 0 : -1;
}

} // namespace AscendC

/* Without a tensor: from an address on. The spaces of addresses are one here, so that each name
 * finds the memory by itself, and asc_dump takes all of them. */
#define NPU_ASC_DUMP(name, mem)                                                                    \
    template <typename T>                                                                          \
    inline void name(T *input, uint32_t desc, uint32_t dump_size, npu_where where = NPU_HERE)      \
    {                                                                                              \
        if constexpr (NPU_DUMPS)                                                                   \
            nputwin::dump_address(#name, mem, input, desc, dump_size, where);                      \
    }
NPU_ASC_DUMP(asc_dump_gm, MEM_GM)
NPU_ASC_DUMP(asc_dump_ubuf, MEM_UB)
NPU_ASC_DUMP(asc_dump_l1buf, MEM_L1)
NPU_ASC_DUMP(asc_dump_cbuf, MEM_L0C)
NPU_ASC_DUMP(asc_dump, N_MEMS)
#undef NPU_ASC_DUMP
inline void asc_time_stamp(uint32_t desc_id) { AscendC::PrintTimeStamp(desc_id); }
inline void asc_prof_start() { AscendC::MetricsProfStart(); }
inline void asc_prof_stop() { AscendC::MetricsProfStop(); }
/* Marks in the vendor's simulator; the twin runs the kernel and no simulator looks. */
#define TRACE_START(...) (static_cast<void>(0))
#define TRACE_STOP(...)  (static_cast<void>(0))

#define PRINTF(...) ::AscendC::printf(__VA_ARGS__)
#define ascendc_assert(expr, ...)                                                                  \
    (!NPU_DUMPS || (expr) ? (void)0                                                                \
                          : ::nputwin::assert_failed(NPU_HERE, #expr __VA_OPT__(, ) __VA_ARGS__))
#ifndef ASSERT /* no page has it, but public programs say it */
#define ASSERT(expr) ascendc_assert(expr)
#endif

/* Lines for the log of the process, from ASCEND_GLOBAL_LOG_LEVEL on. */
enum { KERNEL_DEBUG, KERNEL_INFO, KERNEL_WARN, KERNEL_ERROR };
#define KERNEL_LOG(level, ...) ::nputwin::log_line(NPU_HERE, level, __VA_ARGS__)
/* The older assertions: behavior is code in braces that runs first, usually a KERNEL_LOG, whose
 * text is the story of the fault that follows; after a warning the kernel goes on. */
#define ASCENDC_ASSERT(cond, behavior)                                                             \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            ::nputwin::newest_log_line()[0] = 0;                                                   \
            behavior;                                                                              \
            ::nputwin::assert_failed(NPU_HERE, #cond, "%s", ::nputwin::newest_log_line());         \
        }                                                                                          \
    } while (0)
#define ASCENDC_ASSERT_WARNING(cond, behavior)                                                     \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            behavior;                                                                              \
        }                                                                                          \
    } while (0)

#endif
