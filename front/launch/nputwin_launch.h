/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nputwin_launch.h - the header that `bisheng` includes before the first line of a file.
 *
 * A launch k<<<blocks, l2, stream>>>(args) reaches the compiler as
 *     k ->* ::nputwin::lang::cfg(blocks, l2, stream)(args)
 * where operator->* takes the kernel's own parameter types and converts each argument to them.
 *
 * Rule: this text is the same for the host and for both sorts of cores. What differs by core is a
 * macro in qualifiers.h, which leaves a trace only where it is used; else every file would have to
 * be compiled three times.
 */
#ifndef NPUTWIN_LAUNCH_H
#define NPUTWIN_LAUNCH_H
#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include "../../engine/kernel.h"
#include "qualifiers.h"
/* No warnings about our text. Behind qualifiers.h: macros of a system header cost the user's
 * columns. */
#pragma GCC system_header

struct npu_core;
extern "C" struct npu_core *npu_self(void);

namespace nputwin::lang {

/* ---- the engine's names, by symbol: base.h and engine.h are not for every kernel's sight ---- */

struct place {
    const char *file;
    std::uint32_t line;
};
enum status {
#define ERR(id, text, hint) id,
#include "../../base/err.def"
};
enum memory {
#define MEM(name, brief) MEM_##name,
#include "../../isa/mem.def"
};
extern "C" void nputwin_fault(struct npu_core *core, status code, place where, const char *fmt,
                              ...) __asm__("npu_fault");

inline void threw(const char *what)
{
    nputwin_fault(npu_self(), NPU_E_THROW, place{nullptr, 0}, "an exception left the kernel: %s",
                  what);
}

/* ---- a kernel called like a function ---- */

struct direct_call : std::exception {
    char text[512];
    explicit direct_call(const char *who)
    {
        std::snprintf(text, sizeof text,
                      "%s is a kernel and was called like a function; launch it as "
                      "kernel<<<blocks, nullptr, stream>>>(arguments)",
                      who);
    }
    const char *what() const noexcept override { return text; }
};
inline void called_directly(const char *who)
{
#ifdef __cpp_exceptions
    throw direct_call(who);
#else
    std::fprintf(stderr, "nputwin: %s\n", direct_call(who).what());
    std::terminate();
#endif
}
inline void entered(const char *who)
{
    if (__builtin_expect(!npu_self(), 0))
        called_directly(who);
}

/* HAVE_WORKSPACE: the system's part comes first, the kernel gets what lies behind it. */
template <class T, class Core = npu_core> bool take_workspace(T *&workspace)
{
    Core *core = static_cast<Core *>(npu_self());

    if (!workspace) {
        nputwin_fault(core, NPU_E_ARG, place{nullptr, 0},
                      "HAVE_WORKSPACE: the workspace is null; pass GetLibApiWorkSpaceSize() bytes "
                      "and what the kernel itself needs");
        return false;
    }
    core->sys_workspace = workspace;
    workspace = reinterpret_cast<T *>(reinterpret_cast<std::uint8_t *>(workspace) +
                                      NPU_SYS_WORKSPACE_BYTES);
    return true;
}

/* ---- the three things inside <<< >>> ---- */

/* Blocks: an integer or a dim3. Anything that is no block count becomes 0 or the largest number,
 * which the runtime refuses with the reason. */
template <class A> std::uint32_t blocks_of(const A &a)
{
    if constexpr (std::is_convertible_v<A, std::int64_t>) {
        const std::int64_t n = static_cast<std::int64_t>(a);

        return n < 0 || n > 0xffffffffLL ? 0xffffffffu : static_cast<std::uint32_t>(n);
    } else {
        return blocks_of(std::int64_t(a.x) * a.y * a.z);
    }
}
/* nullptr, 0, a pointer or a number of bytes. */
template <class A> void *l2_of(const A &a)
{
    if constexpr (std::is_null_pointer_v<A>)
        return nullptr;
    else if constexpr (std::is_pointer_v<A>)
        return const_cast<void *>(static_cast<const void *>(a));
    else
        return reinterpret_cast<void *>(static_cast<std::uintptr_t>(a));
}
/* aclrtStream, nullptr, 0, or an object such as c10_npu::NPUStream. */
template <class S> void *stream_of(const S &s)
{
    if constexpr (std::is_null_pointer_v<S>)
        return nullptr;
    else if constexpr (std::is_convertible_v<const S &, void *>)
        return static_cast<void *>(s);
    else if constexpr (std::is_integral_v<S>)
        return reinterpret_cast<void *>(static_cast<std::uintptr_t>(s));
    else
        return static_cast<void *>(s.stream());
}

/* ---- arguments ---- */

/* An argument in braces: makes a value of the type that it is asked for. */
template <class F> struct braced_value {
    F make;
};
template <class F> braced_value<F> braced(F make) { return {make}; }
template <class P> struct type_of_parameter {
    using type = P;
};
template <class A> constexpr bool is_braced = false;
template <class F> constexpr bool is_braced<braced_value<F>> = true;

template <class P, class A>
constexpr bool can_convert =
    is_braced<std::decay_t<A>> || std::is_convertible_v<A, P> || std::is_constructible_v<P, A> ||
    (std::is_pointer_v<P> &&
     (std::is_integral_v<std::decay_t<A>> || std::is_pointer_v<std::decay_t<A>>));

/* The kernel's parameter type decides: half from 0.5, a pointer from 0, GM_ADDR from int32_t *. */
template <class P, class A> P convert(A &&a)
{
    using D = std::decay_t<A>;

    if constexpr (is_braced<D>)
        return a.make(type_of_parameter<P>{});
    else if constexpr (std::is_convertible_v<A &&, P>)
        return static_cast<P>(std::forward<A>(a));
    else if constexpr (std::is_pointer_v<P> && std::is_integral_v<D>)
        return reinterpret_cast<P>(static_cast<std::uintptr_t>(a));
    else if constexpr (std::is_pointer_v<P> && std::is_pointer_v<D>)
        return (P)a;
    else
        return P(std::forward<A>(a));
}

template <class D> struct defaulted;

struct config {
    std::uint32_t blocks;
    void *l2, *stream;
    template <class... A> struct packed {
        const config &c;
        std::tuple<A &&...> args;
    };
    template <class... A> packed<A...> operator()(A &&...a) const
    {
        return {*this, std::tuple<A &&...>(std::forward<A>(a)...)};
    }
    template <class D> defaulted<D> defaults(D d) const { return {*this, std::move(d)}; }
};
/* A launch of a kernel whose last parameters have the defaults D, a std::tuple. */
template <class D, class... A> struct packed_defaulted {
    config::packed<A...> given;
    D &rest;
};
template <class D> struct defaulted {
    config c;
    D rest;
    template <class... A> packed_defaulted<D, A...> operator()(A &&...a)
    {
        return {c(std::forward<A>(a)...), rest};
    }
};

template <class B> config cfg(const B &b) { return {blocks_of(b), nullptr, nullptr}; }
template <class B, class L> config cfg(const B &b, const L &l)
{
    return {blocks_of(b), l2_of(l), nullptr};
}
template <class B, class L, class S> config cfg(const B &b, const L &l, const S &s)
{
    return {blocks_of(b), l2_of(l), stream_of(s)};
}
template <class B, class T, class L, class S> config cfg(const B &, const T &, const L &, const S &)
{
    static_assert(sizeof(B) == 0,
                  "a launch with four values in <<<grid, block, ub, stream>>> is SIMT, "
                  "which this version of nputwin does not support");
    return {};
}

/* ---- what the runtime needs to know about one kernel signature ---- */

template <class... P> struct signature {
    using values = std::tuple<P...>;

    static void call(void (*fn)(void), const void *args)
    {
#ifdef __cpp_exceptions
        try {
            std::apply(reinterpret_cast<void (*)(P...)>(fn), *static_cast<const values *>(args));
        } catch (const std::exception &e) {
            threw(e.what());
        } catch (...) {
            threw("something that is no std::exception");
        }
#else
        std::apply(reinterpret_cast<void (*)(P...)>(fn), *static_cast<const values *>(args));
#endif
    }
    static void *copy(const void *args) { return new values(*static_cast<const values *>(args)); }
    static void drop(void *copy) { delete static_cast<values *>(copy); }
};

/* The same for callers that have addresses only. The rewriter leaves one of these in each kernel's
 * body, nputwin_flat, where the driver finds it by name. */
template <class... P> struct flat {
    static constexpr nputwin_param PARAMS[sizeof...(P) + 1] = {
        {std::uint32_t(sizeof(P)), std::uint32_t(alignof(P))}..., {0, 0}};
    static constexpr bool PLAIN =
        ((std::is_trivially_copyable_v<P> && !std::is_reference_v<P>) && ...);

    template <std::size_t... I>
    static void call_each(void (*fn)(void), void *const *arg, std::index_sequence<I...>)
    {
        (void)arg;
        const std::tuple<P...> values{*static_cast<const P *>(arg[I])...};

        signature<P...>::call(fn, &values);
    }
    static void call(void (*fn)(void), void *const *arg)
    {
        call_each(fn, arg, std::index_sequence_for<P...>{});
    }
    static constexpr nputwin_params params()
    {
        if constexpr (PLAIN)
            return {std::uint32_t(sizeof...(P)), PARAMS, call};
        else
            return {std::uint32_t(sizeof...(P)), PARAMS, nullptr};
    }
};

template <class... P, class... A, std::size_t... I>
std::uint32_t run_each(void (*kernel)(P...), config::packed<A...> &p, std::index_sequence<I...>)
{
    static_assert(
        sizeof...(A) == sizeof...(P),
        "the launch passes a different number of arguments than the kernel has parameters");
    if constexpr (sizeof...(A) == sizeof...(P)) {
        constexpr bool plain = ((std::is_trivially_copy_constructible_v<P> &&
                                 std::is_trivially_destructible_v<P> && !std::is_reference_v<P>) &&
                                ...);
        constexpr bool fits = (can_convert<P, A> && ...);

        static_assert(plain,
                      "kernel parameters must be plain values: no references, no classes with "
                      "a copy constructor or destructor");
        static_assert(fits, "a launch argument does not convert to the kernel's parameter type");
        if constexpr (plain && fits) {
            using S = signature<P...>;
            const typename S::values args{convert<P>(std::get<I>(std::move(p.args)))...};

            return nputwin_launch(reinterpret_cast<const void *>(kernel), p.c.blocks, p.c.l2,
                                  p.c.stream, S::call, &args, S::copy, S::drop);
        }
    }
    return 0; /* only behind a failed static_assert */
}

/* Returns the aclError of the launch. */
template <class... P, class... A> std::uint32_t run(void (*kernel)(P...), config::packed<A...> &&p)
{
    return run_each(kernel, p, std::index_sequence_for<P...>{});
}

/* A launch is a statement of type void; its error is sticky and meets the next synchronise. */
template <class... P, class... A> void operator->*(void (*kernel)(P...), config::packed<A...> &&p)
{
    run(kernel, std::move(p));
}
template <class... P, class D, class... A, std::size_t... I>
void run_defaulted(void (*kernel)(P...), packed_defaulted<D, A...> &&p, std::index_sequence<I...>)
{
    constexpr std::size_t from = std::tuple_size_v<D> - sizeof...(I);

    run(kernel,
        config::packed<A..., std::tuple_element_t<from + I, D>...>{
            p.given.c,
            std::tuple_cat(std::move(p.given.args),
                           std::forward_as_tuple(std::move(std::get<from + I>(p.rest))...))});
}
template <class... P, class D, class... A>
void operator->*(void (*kernel)(P...), packed_defaulted<D, A...> &&p)
{
    constexpr std::size_t missing = sizeof...(P) > sizeof...(A) ? sizeof...(P) - sizeof...(A) : 0;

    if constexpr (missing <= std::tuple_size_v<D>)
        run_defaulted(kernel, std::move(p), std::make_index_sequence<missing>{});
    else
        run(kernel, std::move(p.given));
}
template <class R, class... P, class... A, std::enable_if_t<!std::is_void_v<R>, int> = 0>
void operator->*(R (*)(P...), config::packed<A...> &&)
{
    static_assert(std::is_void_v<R>, "a kernel returns void (AI-CPU kernels are not supported)");
}

/* ---- helpers of the rewritten text ---- */

template <auto K> struct sel {
    static constexpr decltype(K) value = K;
};
template <int N, class F> struct nth;
template <int N, class... P> struct nth<N, void(P...)> {
    using type = std::tuple_element_t<N, std::tuple<P...>>;
};
template <int N, class F> using arg = typename nth<N, F>::type;

/* ---- `__ubuf__ T a[N];` : arrays in the memories of the core ---- */

/* In the order of the rewriter's list: __ubuf__ __cbuf__ __ca__ __cb__ __cc__ __fbuf__ __biasbuf__.
 */
constexpr memory MEMORY_OF[] = {MEM_UB, MEM_L1, MEM_L0A, MEM_L0B, MEM_L0C, MEM_FB, MEM_BT};
/* Where instructions want their operands to begin. */
constexpr std::uint32_t ALIGN_OF[] = {32, 32, 512, 512, 1024, 128, 64};
constexpr const char *SPACE_NAMES[] = {"UB", "L1", "L0A", "L0B", "L0C", "FB", "BT"};

/* Lives as long as the scope it is declared in. Arrays go downwards from the top of their memory,
 * because buffers of TPipe and the dynamic part begin at its bottom. Core is a template parameter
 * so that struct npu_core may become known later than this header. */
template <int SPACE, class A, class Core = npu_core> class placed {
    static_assert(SPACE < 7, "__ssbuf__ arrays are not supported by this version of nputwin");
    static constexpr std::uint32_t ALIGN = ALIGN_OF[SPACE];
    static constexpr std::uint32_t BYTES = (std::uint32_t(sizeof(A)) + 31u) & ~31u;
    Core *core_ = npu_self();
    A *at_;
    std::uint32_t before_ = 0; /* used when this array came */
    void *spare_ =
        nullptr; /* behind a fault: instructions stop, but the kernel's own stores go on */

    std::uint32_t &used() { return core_->placed_bytes[MEMORY_OF[SPACE]]; }

public:
    placed(const char *name, const char *file, std::uint32_t line)
    {
        const auto &bank = core_->mem[MEMORY_OF[SPACE]];

        before_ = used();
        if (bank.base && BYTES <= bank.bytes - used()) {
            const std::uint32_t at = (bank.bytes - used() - BYTES) & ~(ALIGN - 1);
            used() = bank.bytes - at;
            at_ = reinterpret_cast<A *>(bank.base + at);
            return;
        }
        nputwin_fault(core_, NPU_E_UB_FULL, place{file, line},
                      "%s does not fit into %s: %zu bytes asked, %u of %u left", name,
                      SPACE_NAMES[SPACE], sizeof(A), bank.base ? bank.bytes - used() : 0u,
                      bank.base ? bank.bytes : 0u);
        spare_ = ::operator new(BYTES);
        at_ = static_cast<A *>(spare_);
    }
    ~placed()
    {
        if (spare_)
            ::operator delete(spare_);
        else
            used() = before_;
    }
    placed(const placed &) = delete;
    placed &operator=(const placed &) = delete;
    A &v() { return *at_; }
};
template <class A> void init(A &array, const A &from)
{
    __builtin_memcpy(static_cast<void *>(&array), &from, sizeof(A));
}
/* `extern __ubuf__ T a[];` : UB from its bottom. */
template <class T, class Core = npu_core> struct dynamic_ub {
    operator T *() const
    {
        return reinterpret_cast<T *>(static_cast<Core *>(npu_self())->mem[MEM_UB].base);
    }
    T &operator[](std::int64_t i) const { return static_cast<T *>(*this)[i]; }
};

/* ---- built-in values: block_idx, block_num ---- */

template <class Core> struct block_idx_value {
    operator std::int64_t() const { return static_cast<Core *>(npu_self())->block_idx; }
};
template <class Core> struct block_num_value {
    operator std::int64_t() const { return static_cast<Core *>(npu_self())->block_dim; }
};

} // namespace nputwin::lang

using ::nputwin::lang::operator->*;
/* Objects, not macros: a variable of that name in the user's code hides them. */
inline constexpr ::nputwin::lang::block_idx_value<npu_core> block_idx{};
inline constexpr ::nputwin::lang::block_num_value<npu_core> block_num{};

/* Kept by the driver only in files with kernels; the table is made from the compiled object. */
__nputwin_registration__
{
    extern "C" __attribute__((visibility("hidden"))) const struct nputwin_kernel nputwin_rows[];
    extern "C" __attribute__((visibility("hidden"))) const std::uint32_t nputwin_n_rows;
    /* Defined by front/cpp where a file includes it. */
    extern "C" __attribute__((weak, visibility("hidden"))) const std::uint32_t nputwin_layout;
    static void __attribute__((constructor(101))) nputwin_enter()
    {
        const std::uint32_t layout = &nputwin_layout ? nputwin_layout : 0;
        if (nputwin_n_rows)
            nputwin_register(NPUTWIN_KERNEL_ABI | layout << NPUTWIN_KERNEL_ABI_BITS, nputwin_rows,
                             nputwin_n_rows);
    }
    static void __attribute__((destructor(101))) nputwin_leave()
    {
        if (nputwin_n_rows)
            nputwin_unregister(nputwin_rows);
    }
}
#endif
