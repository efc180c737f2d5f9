/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sync.h - flags, barriers, caches, the mask register and who am I.
 */
#ifndef NPU_FRONT_SYNC_H
#define NPU_FRONT_SYNC_H
#include "pipe.h"
#include <ctime>

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
/* All vector cores of the launch meet. */
template <bool isAIVOnly = true> inline void SyncAll(npu_where where = NPU_HERE)
{
    static_assert(isAIVOnly, "SyncAll<false>: cube cores are not part of this version");
    npu_sync_all(nputwin::core(), where);
}

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

/* Caches. The twin's memory is coherent, so cleaning one moves nothing; the fence keeps what was
 * written before in front of what is written after, for the blocks on other threads. */
enum class MemDsbT : uint8_t { ALL, DDR, UB, SEQ };
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
template <MemDsbT arg0> inline void DataSyncBarrier() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
template <typename T, CacheLine entireType, DcciDst dcciDst = DcciDst::CACHELINE_ALL>
inline void DataCacheCleanAndInvalid(const GlobalTensor<T> &)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* In a mix group of n vector cores the index counts vector cores, not groups. */
inline int64_t GetBlockIdx()
{
    const npu_core *c = nputwin::core();
    return c->core_kind == CORE_AIV ? int64_t(c->block_idx) * c->n_sub + c->sub_idx : c->block_idx;
}
inline int64_t GetBlockNum() { return nputwin::core()->block_dim; }
inline int64_t GetSubBlockIdx() { return nputwin::core()->sub_idx; }
inline int64_t GetSubBlockNum() { return nputwin::core()->n_sub; }
inline int64_t GetTaskRatio()
{
    const npu_core *c = nputwin::core();
    return c->core_kind == CORE_AIV ? c->n_sub : 1;
}
inline int64_t GetTaskRation() { return GetTaskRatio(); } /* older spelling */

/* Sizes. UB as the chip that the file is compiled for has it, and as the one it runs on has it. */
inline constexpr uint32_t GetDataBlockSizeInBytes() { return ONE_BLK_SIZE; }
#if NPU_ARCH == 3510
inline constexpr uint32_t GetUBSizeInBytes() { return TOTAL_UB_SIZE; }
inline uint32_t GetRuntimeUBSize() { return nputwin::core()->mem[MEM_UB].bytes; }
#endif
/* Ticks of the chip's clock register, 50 MHz on 2201 and 1 GHz on 3510, counted on this machine's
 * clock: wall time of the twin, not a model of the chip's. */
inline int64_t GetSystemCycle()
{
    timespec t = {};
    clock_gettime(CLOCK_MONOTONIC, &t);
    const int64_t ns = int64_t(t.tv_sec) * 1000000000 + t.tv_nsec;
    return nputwin::core()->soc->arch == 2201 ? ns / 20 : ns;
}

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
template <typename T, MaskMode mode = MaskMode::NORMAL> inline void SetVectorMask(int32_t len)
{
    npu_core *c = nputwin::core();
    if (mode == MaskMode::COUNTER || c->regs.counter_mode) {
        const uint64_t mask[2] = {uint64_t(uint32_t(len)), 0};
        nputwin::load_mask(c, mask);
    } else {
        nputwin::lanes_mask(c->regs.mask, uint32_t(len));
    }
}
/* 16 bytes of UB into the compare register. */
template <typename T> inline void SetCmpMask(const LocalTensor<T> &src)
{
    std::memcpy(nputwin::core()->regs.cmpmask, src.raw(), 16);
}
/* State of the core as a kernel without TPipe expects it. */
inline void InitSocState()
{
    npu_core *c = nputwin::core();
    nputwin::after_count(c);
    c->regs.atomic_op = ATOMIC_NONE;
    c->regs.deq_scale = 0;
}

} // namespace AscendC
#endif
