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
inline void InitSocState() { nputwin::after_count(nputwin::core()); }

} // namespace AscendC
#endif
