/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system.h - the C API's questions about the running core, its caches and its atomic copies.
 */
#ifndef NPU_FRONT_C_SYSTEM_H
#define NPU_FRONT_C_SYSTEM_H
#include "../cpp/sys.h"
#include "core.h"

/* ---- who and where --------------------------------------------------------------------- */

inline int64_t asc_get_block_num() { return nputwin::core()->block_dim; }
inline int64_t asc_get_block_idx() { return nputwin::core()->block_idx; }
inline int64_t asc_get_sub_block_id() { return nputwin::core()->sub_idx; }
inline int64_t asc_get_sub_block_num() { return nputwin::core()->n_sub; }
/* The core that a launch of no more blocks than cores puts this block on. */
inline int64_t asc_get_core_id()
{
    const npu_core *c = nputwin::core();
    return c->block_idx % (c->core_kind == CORE_AIV ? c->soc->n_aiv : c->soc->n_aic);
}
/* Ticks of the chip's clock register on this machine's clock, not a model of the chip's. */
inline int64_t asc_get_system_cycle() { return AscendC::GetSystemCycle(); }
/* Where in the program the call stands: the address of what follows it. */
__attribute__((noinline)) inline int64_t asc_get_program_counter()
{
    __asm__ volatile(""); /* else two calls become one */
    return int64_t(uintptr_t(__builtin_return_address(0)));
}
/* An address of UB from its offset. */
inline uint64_t asc_get_phy_buf_addr(uint64_t offset)
{
    return uint64_t(uintptr_t(nputwin::core()->mem[MEM_UB].base)) + offset;
}

/* ---- state ----------------------------------------------------------------------------- */

inline void asc_init() { AscendC::InitSocState(); }

#if NPU_ARCH == 2201
/* CTRL, the bits that the page lets a kernel set. 48 keeps infinity and NaN of halves (0: the
 * largest number, 0), 53 stops integer arithmetic at the ends of its type (0: it wraps), 56 is the
 * counter mode of the mask, 59 keeps the lower bits in conversions to an integer (0: they clamp).
 */
enum { NPU_C_CTRL_INF = 48, NPU_C_CTRL_STOP = 53, NPU_C_CTRL_COUNTER = 56, NPU_C_CTRL_CUT = 59 };
inline int64_t asc_get_ctrl()
{
    const npu_regs &r = nputwin::core()->regs;
    return int64_t(uint64_t(!r.saturates) << NPU_C_CTRL_INF | uint64_t(r.stops) << NPU_C_CTRL_STOP |
                   uint64_t(r.counter_mode) << NPU_C_CTRL_COUNTER |
                   uint64_t(r.cuts) << NPU_C_CTRL_CUT);
}
inline void asc_set_ctrl(uint64_t config, npu_where where = NPU_HERE)
{
    npu_core *c = nputwin::core();
    const uint64_t known = uint64_t(1) << NPU_C_CTRL_INF | uint64_t(1) << NPU_C_CTRL_STOP |
                           uint64_t(1) << NPU_C_CTRL_COUNTER | uint64_t(1) << NPU_C_CTRL_CUT;
    if (NPU_UNLIKELY(config & ~known)) {
        npu_fault(
            c, NPU_E_UNSUP, where,
            "asc_set_ctrl: bit %d of CTRL; bits 48, 53, 56 and 59 can be set: change those of "
            "asc_get_ctrl()",
            __builtin_ctzll(config & ~known));
        return;
    }
    c->regs.saturates = !(config >> NPU_C_CTRL_INF & 1);
    c->regs.stops = config >> NPU_C_CTRL_STOP & 1;
    c->regs.counter_mode = config >> NPU_C_CTRL_COUNTER & 1;
    c->regs.cuts = config >> NPU_C_CTRL_CUT & 1;
}
#endif

/* ---- caches ------------------------------------------------------------------------------ */

/* The twin's memory is coherent unless NPUTWIN_SCALAR_CACHE=strict; UB and atomics have no cache.
 */
inline void asc_dcci_single(const void *dst)
{
    nputwin::clean_cache(dst, AscendC::CacheLine::SINGLE_CACHE_LINE);
}
inline void asc_dcci_entire_all()
{
    nputwin::clean_cache(nullptr, AscendC::CacheLine::ENTIRE_DATA_CACHE);
}
inline void asc_dcci_entire_out() { asc_dcci_entire_all(); }
inline void asc_ub_dcci_single(const void *) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void asc_dcci_entire_ub() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void asc_dcci_entire_atomic() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
/* Loads the line: into the strict cache, else a hint to this machine's. */
inline void asc_datacache_preload(const uint64_t *address, int64_t offset)
{
    const uint8_t *at = reinterpret_cast<const uint8_t *>(address) + offset;
    if (npu_scalar_strict)
        npu_scalar_at(nputwin::core(), at, 1, false, {nullptr, 0});
    else
        __builtin_prefetch(at);
}
/* The host fetches its own instructions: a preload is done when it is asked for. */
inline void asc_icache_preload(const void *addr, int64_t) { __builtin_prefetch(addr); }
inline int64_t asc_get_icache_preload_status() { return 0; }

/* ---- what the chip knows and no page tells ------------------------------------------------ */

#define NPU_C_UNKNOWN(name, what)                                                                  \
    template <class T = void> inline int64_t name()                                                \
    {                                                                                              \
        static_assert(nputwin::c_refused<T>, #name ": the twin has no " what " to return");        \
        return 0;                                                                                  \
    }
NPU_C_UNKNOWN(asc_get_status, "exception bits of the arithmetic units")
NPU_C_UNKNOWN(asc_get_smmu_tag_version, "memory management unit")
NPU_C_UNKNOWN(asc_get_phy_stack_base, "stack at a physical address")
NPU_C_UNKNOWN(asc_get_sys_virtual_base, "base of the system's virtual addresses")
template <class T> inline void asc_get_arch_ver(T &)
{
    static_assert(nputwin::c_refused<T>,
                  "asc_get_arch_ver: the version numbers of the chips are not published, so the "
                  "twin has none to return; __NPU_ARCH__ tells the architecture");
}

#if NPU_ARCH == 2201
/* ---- flags between cores ------------------------------------------------------------------ */

/* Where the flags lie: kept for who asks, the twin's flags need no address. */
inline void asc_set_ffts_base_addr(uint64_t config) { nputwin::core()->regs.ffts_base = config; }
inline int64_t asc_get_ffts_base_addr() { return int64_t(nputwin::core()->regs.ffts_base); }

namespace nputwin {
inline bool c_flag_id(const char *name, int64_t flag_id, npu_where where)
{
    if (NPU_LIKELY(flag_id >= 0 && flag_id < NPU_CROSS_FLAGS))
        return true;
    npu_fault(core(), NPU_E_ARG, where, "%s: flag_id is %lld, allowed are 0 to %d", name,
              (long long)flag_id, NPU_CROSS_FLAGS - 1);
    return false;
}
} // namespace nputwin

/* Between the cube core of a group and its vector cores: when all of one side have arrived, the
 * counter of each core of the other side goes up by one. A group of vector cores alone has no other
 * side, and counts its own arrivals. */
inline void asc_sync_block_arrive(pipe_t pipe, int64_t flag_id, npu_where where = NPU_HERE)
{
    npu_core *c = nputwin::core();
    if (nputwin::c_flag_id("asc_sync_block_arrive", flag_id, where))
        npu_cross_set(c, c->is_mix ? CROSS_GROUP : CROSS_AIV, pipe, uint32_t(flag_id), where);
}
inline void asc_sync_block_wait(pipe_t, int64_t flag_id, npu_where where = NPU_HERE)
{
    if (nputwin::c_flag_id("asc_sync_block_wait", flag_id, where))
        npu_cross_wait(nputwin::core(), uint32_t(flag_id), where);
}

/* ---- atomic copies from UB to GM --------------------------------------------------------- */

#define NPU_C_ATOMIC(suffix, T)                                                                    \
    inline void asc_set_atomic_add_##suffix() { nputwin::set_atomic<T>(ATOMIC_ADD); }              \
    inline void asc_set_atomic_max_##suffix() { nputwin::set_atomic<T>(ATOMIC_MAX); }              \
    inline void asc_set_atomic_min_##suffix() { nputwin::set_atomic<T>(ATOMIC_MIN); }
NPU_C_ATOMIC(float, float)
NPU_C_ATOMIC(float16, half)
NPU_C_ATOMIC(bfloat, bfloat16_t)
NPU_C_ATOMIC(int, int32_t)
NPU_C_ATOMIC(int16, int16_t)
NPU_C_ATOMIC(int8, int8_t)
#undef NPU_C_ATOMIC
inline void asc_set_atomic_none() { AscendC::DisableDmaAtomic(); }

union asc_store_atomic_config {
    uint64_t config = 0;
    struct {
        uint64_t atomic_type : 3;
        uint64_t atomic_op : 2;
        uint64_t reserved1 : 59;
    };
};
constexpr asc_store_atomic_config ASC_STORE_ATOMIC_DEFAULT_CFG{};

/* type: 0 none, 1 float, 2 half, 3 int16_t, 4 int32_t, 5 int8_t, 6 bfloat16_t; op: 0 a sum. */
inline void asc_set_store_atomic_config_v1(uint16_t type, uint16_t op, npu_where where = NPU_HERE)
{
    npu_core *c = nputwin::core();
    if (NPU_UNLIKELY(type >= sizeof(nputwin::atomic_types) || op != 0)) {
        npu_fault(c, NPU_E_ARG, where,
                  "asc_set_store_atomic_config_v1: type %u, op %u; types are 0 to 6, op is 0", type,
                  op);
        return;
    }
    c->regs.atomic_op = type ? ATOMIC_ADD : ATOMIC_NONE;
    c->regs.atomic_type = nputwin::atomic_types[type];
}
inline void asc_get_store_atomic_config(asc_store_atomic_config &config)
{
    uint16_t type, op;
    AscendC::GetStoreAtomicConfig(type, op);
    config.config = 0;
    config.atomic_type = type & 7;
    config.atomic_op = op & 3;
}
#endif
#endif
