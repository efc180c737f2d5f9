/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sync.h - flags and barriers inside a core and between cores, caches, atomic copies, the mask
 * register.
 */
#ifndef NPU_FRONT_SYNC_H
#define NPU_FRONT_SYNC_H
#include "pipe.h"
#include "sys.h"

namespace AscendC {

template <HardEvent event> inline void SetFlag(int32_t eventID, npu_where where = NPU_HERE)
{
    constexpr nputwin::pipe_pair p = nputwin::pipes_of(event);
    npu_set_flag(nputwin::core(), p.from, p.to, uint32_t(eventID), where);
}
template <HardEvent event> inline void WaitFlag(int32_t eventID, npu_where where = NPU_HERE)
{
    constexpr nputwin::pipe_pair p = nputwin::pipes_of(event);
    npu_wait_flag(nputwin::core(), p.from, p.to, uint32_t(eventID), where);
}
template <pipe_t pipe> inline void PipeBarrier(npu_where where = NPU_HERE)
{
    static_assert(pipe != PIPE_S,
                  "PipeBarrier: the scalar pipe orders itself, PIPE_S is not allowed");
    npu_barrier(nputwin::core(), pipe, where);
}
/* The same by pipes, for all chips. */
template <pipe_t src, pipe_t dst> class TQueSync {
public:
    void SetFlag(TEventID id, npu_where where = NPU_HERE)
    {
        npu_set_flag(nputwin::core(), src, dst, uint32_t(id), where);
    }
    void WaitFlag(TEventID id, npu_where where = NPU_HERE)
    {
        npu_wait_flag(nputwin::core(), src, dst, uint32_t(id), where);
    }
};

/* All vector cores of the launch meet; or all cores of both kinds. */
template <bool isAIVOnly = true> inline void SyncAll(npu_where where = NPU_HERE)
{
    if constexpr (isAIVOnly)
        npu_sync_all(nputwin::core(), where);
    else
        npu_sync_all_kinds(nputwin::core(), where);
}

/* Flags between cores. The wait stops the whole core on 2201, whatever its template arguments. */
template <uint8_t modeId, pipe_t pipe>
inline void CrossCoreSetFlag(uint16_t flagId, npu_where where = NPU_HERE)
{
    static_assert(modeId <= 2, "CrossCoreSetFlag: modes 0, 1 and 2 are those of this chip");
    static_assert(pipe != PIPE_S && pipe != PIPE_ALL,
                  "CrossCoreSetFlag: pipe is V, M, MTE1, MTE2, MTE3 or FIX");
    npu_cross_set(nputwin::core(), npu_cross(modeId), pipe, flagId & 15u, where);
}
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
inline void CrossCoreWaitFlag(uint16_t flagId, npu_where where = NPU_HERE)
{
    static_assert(modeId <= 2, "CrossCoreWaitFlag: modes 0, 1 and 2 are those of this chip");
    npu_cross_wait(nputwin::core(), flagId & 15u, where);
}

/* Older names: a wait for a cross-core flag, and where the flags' counters lie, which are no memory
 * of the twin. */
inline void WaitEvent(uint16_t flagId, npu_where where = NPU_HERE)
{
    npu_cross_wait(nputwin::core(), flagId & 15u, where);
}
inline void SetSyncBaseAddr(uint64_t) {}

/* Between the kernels of a SuperKernel, which the twin does not fuse: each task already ends before
 * the next begins, so there is nothing to start early. */
template <pipe_t AIV_PIPE = PIPE_MTE3, pipe_t AIC_PIPE = PIPE_FIX, bool FORCE = false>
inline void SetNextTaskStart()
{
    static_assert(AIV_PIPE == PIPE_MTE2 || AIV_PIPE == PIPE_MTE3 || AIV_PIPE == PIPE_S ||
                      AIV_PIPE == PIPE_V,
                  "SetNextTaskStart: AIV_PIPE is MTE2, MTE3, S or V");
    static_assert(AIC_PIPE == PIPE_MTE1 || AIC_PIPE == PIPE_MTE2 || AIC_PIPE == PIPE_MTE3 ||
                      AIC_PIPE == PIPE_FIX || AIC_PIPE == PIPE_M,
                  "SetNextTaskStart: AIC_PIPE is MTE1, MTE2, MTE3, FIX or M");
}
template <bool FORCE = false> inline void WaitPreTaskEnd() {}

/* A flag between two blocks: one word a block and event, 32 bytes apart, 0 at first. IBSet waits
 * until it is 0 and makes it 1; IBWait waits until it is 1 and makes it 0, so that pairs can follow
 * each other. blockIdx and eventID are those of the pair. The tensor in UB is not needed here. */
} // namespace AscendC

namespace nputwin {

inline bool move_word(const AscendC::GlobalTensor<int32_t> &gm, int64_t index, int32_t from,
                      int32_t to, const char *name, npu_where where)
{
    npu_core *c = core();
    if (NPU_UNLIKELY(!gm.raw() || index < 0)) {
        npu_fault(c, NPU_E_ARG, where, "%s: word %lld of a workspace at %p", name, (long long)index,
                  static_cast<void *>(gm.raw()));
        return false;
    }
    return npu_wait_word(c, gm.raw() + index * 8, from, to, name, where);
}

} // namespace nputwin

namespace AscendC {

/* The first usedCores blocks meet (0: all), by words in GM that are 0 at first, 32 bytes a block.
 */
template <bool isAIVOnly = true>
inline void SyncAll(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &,
                    const int32_t usedCores = 0, npu_where where = NPU_HERE)
{
    static_assert(isAIVOnly, "SyncAll<false> has no form with a workspace");
    npu_core *c = nputwin::core();
    const uint32_t n = usedCores > 0 ? uint32_t(usedCores) : c->block_dim;
    if (NPU_UNLIKELY(usedCores < 0 || n > c->block_dim || c->block_idx >= n)) {
        npu_fault(
            c, NPU_E_ARG, where,
            "SyncAll of %d cores in block %u of %u: usedCores is at most the number of blocks, "
            "and only the first ones call it",
            usedCores, c->block_idx, c->block_dim);
        return;
    }
    if (n == c->block_dim) {
        npu_sync_all(c, where);
        return;
    }
    if (c->block_idx) { /* "I am here", then wait to be let go */
        nputwin::move_word(gmWorkspace, c->block_idx, 0, 1, "SyncAll", where);
        nputwin::move_word(gmWorkspace, c->block_idx, 3, 0, "SyncAll", where);
        return;
    }
    for (uint32_t i = 1; i < n; i++)
        nputwin::move_word(gmWorkspace, i, 1, 2, "SyncAll", where);
    for (uint32_t i = 1; i < n; i++)
        nputwin::move_word(gmWorkspace, i, 2, 3, "SyncAll", where);
}

template <bool isAIVOnly = true>
inline void IBSet(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &,
                  int32_t blockIdx, int32_t eventID, npu_where where = NPU_HERE)
{
    static_assert(isAIVOnly, "IBSet<false>: cube cores are not part of this version");
    nputwin::move_word(gmWorkspace, int64_t(nputwin::core()->block_dim) * eventID + blockIdx, 0, 1,
                       "IBSet", where);
}
template <bool isAIVOnly = true>
inline void IBWait(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &,
                   int32_t blockIdx, int32_t eventID, npu_where where = NPU_HERE)
{
    static_assert(isAIVOnly, "IBWait<false>: cube cores are not part of this version");
    nputwin::move_word(gmWorkspace, int64_t(nputwin::core()->block_dim) * eventID + blockIdx, 1, 0,
                       "IBWait", where);
}

/* Blocks in rising order, again and again: word i is 1 when it is block i's turn. */
inline void InitDetermineComputeWorkspace(GlobalTensor<int32_t> &gmWorkspace,
                                          LocalTensor<int32_t> &, npu_where where = NPU_HERE)
{
    npu_core *c = nputwin::core();
    if (gmWorkspace.raw())
        __atomic_store_n(gmWorkspace.raw() + c->block_idx * 8, int32_t(c->block_idx == 0),
                         __ATOMIC_RELEASE);
    npu_sync_all(c, where);
}
inline void WaitPreBlock(GlobalTensor<int32_t> &gmWorkspace, LocalTensor<int32_t> &,
                         npu_where where = NPU_HERE)
{
    nputwin::move_word(gmWorkspace, nputwin::core()->block_idx, 1, 0, "WaitPreBlock", where);
}
inline void NotifyNextBlock(GlobalTensor<int32_t> &gmWorkspace, LocalTensor<int32_t> &,
                            npu_where where = NPU_HERE)
{
    const npu_core *c = nputwin::core();
    nputwin::move_word(gmWorkspace, (c->block_idx + 1) % c->block_dim, 0, 1, "NotifyNextBlock",
                       where);
}

/* Blocks that wait for a group of others: a word for each pair, 512 bytes a waiting block. */
enum class PipeMode : uint8_t { SCALAR_MODE = 0, MTE3_MODE = 1, MAX };
template <PipeMode pipeMode> class GroupBarrier {
    static_assert(pipeMode == PipeMode::MTE3_MODE, "GroupBarrier: pipeMode is MTE3_MODE");

public:
    GroupBarrier(GM_ADDR groupWorkspace, uint32_t arriveSizeIn, uint32_t waitSizeIn,
                 npu_where where = NPU_HERE)
        : words_(reinterpret_cast<int32_t *>(groupWorkspace)), n_arrive_(arriveSizeIn),
          n_wait_(waitSizeIn)
    {
        if (NPU_UNLIKELY(!words_ || uintptr_t(words_) % 512 || n_arrive_ > PER_WAITER))
            npu_fault(
                nputwin::core(), NPU_E_ARG, where,
                "GroupBarrier: workspace at %p (a multiple of 512), %u blocks arrive (at most "
                "%d)",
                static_cast<void *>(groupWorkspace), n_arrive_, PER_WAITER);
    }
    void Arrive(uint32_t arriveIndex, npu_where where = NPU_HERE)
    {
        if (Has(arriveIndex, n_arrive_, "Arrive", where))
            for (uint32_t i = 0; i < n_wait_; i++)
                npu_wait_word(nputwin::core(), words_ + i * PER_WAITER + arriveIndex, 0, 1,
                              "GroupBarrier::Arrive", where);
    }
    void Wait(uint32_t waitIndex, npu_where where = NPU_HERE)
    {
        if (Has(waitIndex, n_wait_, "Wait", where))
            for (uint32_t i = 0; i < n_arrive_; i++)
                npu_wait_word(nputwin::core(), words_ + waitIndex * PER_WAITER + i, 1, 0,
                              "GroupBarrier::Wait", where);
    }
    uint64_t GetWorkspaceLen() { return uint64_t(n_wait_) * PER_WAITER * sizeof(int32_t); }

private:
    static constexpr int PER_WAITER = 512 / sizeof(int32_t);
    int32_t *words_;
    uint32_t n_arrive_, n_wait_;

    bool Has(uint32_t i, uint32_t n, const char *name, npu_where where) const
    {
        if (NPU_LIKELY(i < n))
            return true;
        npu_fault(nputwin::core(), NPU_E_ARG, where, "GroupBarrier::%s: index %u of %u", name, i,
                  n);
        return false;
    }
};

/* Scalar accesses to GM that other blocks see at once. A block that reads lets others run: it may
 * be waiting for what they write. */
template <typename T> inline T ReadGmByPassDCache(T *addr)
{
    static_assert(std::is_integral_v<T>, "ReadGmByPassDCache takes integers of 8 to 64 bits");
    npu_poll(nputwin::core());
    return __atomic_load_n(addr, __ATOMIC_ACQUIRE);
}
template <typename T> inline void WriteGmByPassDCache(T *addr, nputwin::same<T> value)
{
    static_assert(std::is_integral_v<T>, "WriteGmByPassDCache takes integers of 8 to 64 bits");
    __atomic_store_n(addr, value, __ATOMIC_RELEASE);
}

/* ---- caches -------------------------------------------------------------------------- */

/* The twin's memory is coherent unless NPUTWIN_SCALAR_CACHE=strict. A block that cleans lets others
 * run, because it may be waiting for what they write. */
enum class MemDsbT : uint8_t { ALL, DDR, UB, SEQ };
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
template <MemDsbT arg0> inline void DataSyncBarrier() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

} // namespace AscendC

namespace nputwin {
inline void clean_cache(const void *gm, AscendC::CacheLine entire)
{
    npu_core *c = core();
    if (npu_scalar_strict)
        npu_scalar_clean(c, entire == AscendC::CacheLine::ENTIRE_DATA_CACHE ? nullptr : gm);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    npu_poll(c);
}
} // namespace nputwin

namespace AscendC {

template <typename T, CacheLine entireType, DcciDst dcciDst = DcciDst::CACHELINE_ALL>
inline void DataCacheCleanAndInvalid(const GlobalTensor<T> &dst)
{
    static_assert(dcciDst != DcciDst::CACHELINE_ATOMIC || NPU_ARCH == 3510,
                  "DataCacheCleanAndInvalid: CACHELINE_ATOMIC is not supported on this chip");
    if constexpr (dcciDst != DcciDst::CACHELINE_UB)
        nputwin::clean_cache(dst.raw(), entireType);
}
/* UB is not cached here. */
template <typename T, CacheLine entireType, DcciDst dcciDst>
inline void DataCacheCleanAndInvalid(const LocalTensor<T> &)
{
    static_assert(dcciDst == DcciDst::CACHELINE_UB || dcciDst == DcciDst::CACHELINE_ALL,
                  "DataCacheCleanAndInvalid of a LocalTensor: dcciDst is CACHELINE_UB or ALL");
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
/* Loads the line of src + cacheOffset bytes. */
template <typename T>
inline void DataCachePreload(const GlobalTensor<uint64_t> &src, const T cacheOffset)
{
    static_assert(std::is_same_v<T, int16_t> || std::is_same_v<T, int64_t>,
                  "DataCachePreload: cacheOffset is int16_t or int64_t, in bytes");
    if (npu_scalar_strict)
        npu_scalar_at(nputwin::core(), reinterpret_cast<uint8_t *>(src.raw()) + cacheOffset, 1,
                      false, {nullptr, 0});
}
/* Instructions are not cached here: loading them ahead is done at once. */
inline void ICachePreLoad(const int64_t) {}
inline int64_t GetICachePreloadStatus() { return 0; }
#define PRELOAD(len) AscendC::ICachePreLoad(len)

#if NPU_ARCH == 2201
/* ---- atomic operations of copies from UB to GM ---------------------------------------- */

/* Numbers as GetStoreAtomicConfig says them. */
enum class AtomicDtype {
    ATOMIC_NONE = 0,
    ATOMIC_F32,
    ATOMIC_F16,
    ATOMIC_S16,
    ATOMIC_S32,
    ATOMIC_S8,
    ATOMIC_BF16
};
enum class AtomicOp { ATOMIC_SUM = 0 };

} // namespace AscendC

namespace nputwin {

constexpr uint8_t atomic_types[] = {0, TYPE_f32, TYPE_f16, TYPE_s16, TYPE_s32, TYPE_s8, TYPE_bf16};

template <class T> inline void set_atomic_type(npu_core *c)
{
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, half> ||
                      std::is_same_v<T, bfloat16_t> || std::is_same_v<T, int8_t> ||
                      std::is_same_v<T, int16_t> || std::is_same_v<T, int32_t>,
                  "atomic copies take int8_t, int16_t, half, bfloat16_t, int32_t and float");
    c->regs.atomic_type = type_of<T>;
}
template <class T> inline void set_atomic(npu_atomic op)
{
    npu_core *c = core();
    set_atomic_type<T>(c);
    c->regs.atomic_op = op;
}

} // namespace nputwin

namespace AscendC {

template <typename T> inline void SetAtomicAdd() { nputwin::set_atomic<T>(ATOMIC_ADD); }
template <typename T> inline void SetAtomicMax() { nputwin::set_atomic<T>(ATOMIC_MAX); }
template <typename T> inline void SetAtomicMin() { nputwin::set_atomic<T>(ATOMIC_MIN); }
template <typename T> inline void SetAtomicType() { nputwin::set_atomic_type<T>(nputwin::core()); }
inline void DisableDmaAtomic() { nputwin::core()->regs.atomic_op = ATOMIC_NONE; }
inline void SetAtomicNone() { DisableDmaAtomic(); } /* older name */

template <AtomicDtype type, AtomicOp op> inline void SetStoreAtomicConfig()
{
    npu_core *c = nputwin::core();
    c->regs.atomic_op = type == AtomicDtype::ATOMIC_NONE ? ATOMIC_NONE : ATOMIC_ADD;
    c->regs.atomic_type = nputwin::atomic_types[int(type)];
}
/* Reads what SetStoreAtomicConfig, or SetAtomicAdd, has set. */
inline void GetStoreAtomicConfig(uint16_t &atomicType, uint16_t &atomicOp)
{
    const npu_core *c = nputwin::core();
    atomicType = atomicOp = 0;
    for (uint16_t k = 1; c->regs.atomic_op && k < sizeof(nputwin::atomic_types); k++)
        if (nputwin::atomic_types[k] == c->regs.atomic_type)
            atomicType = k;
}

/* What DataCopyPad fills with when its isPad is false. */
template <typename T, TPosition pos = TPosition::MAX> inline void SetPadValue(T paddingValue)
{
    static_assert(pos == TPosition::MAX || pos == TPosition::VECIN || pos == TPosition::VECOUT,
                  "SetPadValue: pos is VECIN, VECOUT or MAX");
    npu_core *c = nputwin::core();
    c->regs.pad_value = nputwin::bits_of(paddingValue);
    c->regs.has_pad_value = true;
}
#endif

/* Mask register: bits of one repeat, or (counter mode) a number of elements. */
inline void SetMaskNorm() { nputwin::core()->regs.counter_mode = false; }
inline void SetMaskCount() { nputwin::core()->regs.counter_mode = true; }
inline void ResetMask() { nputwin::reset_mask(nputwin::core()); }
template <typename T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(uint64_t maskHigh, uint64_t maskLow)
{
    const uint64_t mask[2] = {maskLow, mode == MaskMode::COUNTER ? 0 : maskHigh};
    nputwin::load_mask(nputwin::core(), mask);
}
template <typename T, MaskMode mode> inline void SetVectorMask(int32_t len, npu_where where)
{
    const uint64_t mask[2] = {uint64_t(uint32_t(len)), 0};
    if (mode == MaskMode::COUNTER)
        nputwin::load_mask(nputwin::core(), mask);
    else
        nputwin::load_mask(nputwin::core(), mask[0], where);
}
/* 16 bytes of UB into the compare register. */
template <typename T> inline void SetCmpMask(const LocalTensor<T> &src)
{
    npu_settle(nputwin::core()); /* the vector unit reads it */
    std::memcpy(nputwin::core()->regs.cmpmask, src.raw(), 16);
}
/* State of the core as a kernel without TPipe expects it. */
inline void InitSocState()
{
    npu_core *c = nputwin::core();
    nputwin::after_count(c);
    c->regs.atomic_op = ATOMIC_NONE;
#if NPU_ARCH == 3510 /* the 2201 pages do not list it */
    c->regs.deq_scale = 0x3c00;
#endif
}

} // namespace AscendC
#endif
