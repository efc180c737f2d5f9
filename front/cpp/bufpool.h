/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bufpool.h - TBufPool: a part of UB that is divided once more, and shared between stages.
 *
 * nputwin::buffer_pool is the pool itself; TBufPool and the kernel's own pools (through
 * EXTERN_IMPL_BUFPOOL) hold one as `npu_pool`. Two pools that share memory have each their own
 * buffers: Reset() of the one waits for what it still has on the way before the other begins.
 */
#ifndef NPU_FRONT_BUFPOOL_H
#define NPU_FRONT_BUFPOOL_H
#include "queue.h"

namespace nputwin {

template <AscendC::TPosition pos, uint32_t n_ids> class buffer_pool {
    static_assert(is_ub(pos), "TBufPool: this version has pools on VECIN, VECOUT and VECCALC only");
    static_assert(n_ids >= 1 && n_ids <= 16, "TBufPool: a pool has 1 to 16 buffers");

public:
    bool Open(AscendC::TPipe *pipe, uint8_t *p, uint32_t len, npu_where where)
    {
        pipe_ = pipe;
        begin_ = p;
        bytes_ = round_up_blk(len);
        made_ = where;
        Init();
        return !core()->faulted;
    }
    template <class Pool>
    bool Share(AscendC::TPipe *pipe, uint32_t len, const Pool &other, npu_where where)
    {
        if (NPU_UNLIKELY(!other.Bytes() || round_up_blk(len) > other.Bytes()))
            npu_fault(core(), NPU_E_UB_FULL, where,
                      "InitBufPool: %u bytes of a pool that has %u: share at most what there is",
                      len, other.Bytes());
        return Open(pipe, other.Begin(), len, where);
    }
    /* A part of this pool becomes a pool with n buffers: no more than are left here, but its own.
     */
    template <class Pool> bool Divide(Pool &part, uint32_t n, uint32_t len, npu_where where)
    {
        uint8_t *p = Take(n, 1, len, where);
        return part.Open(pipe_, p, len, where);
    }
    template <class Que> bool Queue(Que &que, uint32_t num, uint32_t len, npu_where where)
    {
        uint8_t *p = Take(num, num, len, where);
        if (n_taken_ + num > n_ids)
            num = 0;
        que.Bind(pipe_, &buffers_[n_taken_ % n_ids], num, round_up_blk(len), where);
        for (uint32_t i = 0; i < num; i++)
            buffers_[n_taken_++] = {
                p + i * round_up_blk(len), buffer_state::FREE, {-1, 0, 0}, {-1, 0, 0}};
        return !core()->faulted;
    }
    template <class Buf> bool Scratch(Buf &buf, uint32_t len, npu_where where)
    {
        buf.p_ = Take(1, 1, len, where);
        buf.bytes_ = round_up_blk(len);
        n_taken_++;
        return !core()->faulted;
    }

    /* Waits for what is on the way; buffers stay where they are. */
    void Reset()
    {
        for (buffer &b : buffers_) {
            if (!pipe_)
                break;
            pipe_->Wait(b.filled, {nullptr, 0});
            pipe_->Wait(b.drained, {nullptr, 0});
        }
    }
    void Init()
    {
        n_taken_ = 0;
        at_ = begin_ ? uint32_t(begin_ - core()->mem[MEM_UB].base) : 0;
        for (buffer &b : buffers_)
            b = {nullptr, buffer_state::FREE, {-1, 0, 0}, {-1, 0, 0}};
    }

    uint8_t *Begin() const { return begin_; }
    uint32_t Bytes() const { return bytes_; }
    AscendC::TPipe *Pipe() const { return pipe_; }
    /* For pools of the kernel's own. */
    AscendC::TBufHandle Handle(uint8_t i, npu_where where)
    {
        if (NPU_UNLIKELY(i >= n_ids))
            npu_fault(core(), NPU_E_ARG, where, "GetBufHandle: buffer %u, the pool has %u", i,
                      n_ids);
        return reinterpret_cast<AscendC::TBufHandle>(&buffers_[i % n_ids]);
    }
    uint32_t at_ = 0;      /* first byte of UB that is free */
    uint32_t n_taken_ = 0; /* buffers that are taken */

private:
    AscendC::TPipe *pipe_ = nullptr;
    uint8_t *begin_ = nullptr;
    uint32_t bytes_ = 0;
    npu_where made_ = {nullptr, 0};
    buffer buffers_[n_ids] = {};

    /* num pieces of len bytes, for n buffers. */
    uint8_t *Take(uint32_t n, uint32_t num, uint32_t len, npu_where where)
    {
        npu_core *c = core();
        const uint64_t ask = uint64_t(num) * round_up_blk(len);
        const uint64_t end = uint64_t(at_ - (begin_ ? uint32_t(begin_ - c->mem[MEM_UB].base) : 0));
        if (NPU_UNLIKELY(!begin_ || n_taken_ + n > n_ids))
            npu_fault(c, NPU_E_QUEUE, where,
                      begin_
                          ? "a pool of %u buffers (InitBufPool at %s:%u) has %u taken and is asked "
                            "for %u more: give TBufPool a larger second parameter"
                          : "a pool of %u buffers before InitBufPool",
                      n_ids, made_.file ? made_.file : "nowhere", made_.line, n_taken_, n);
        else if (NPU_UNLIKELY(ask > bytes_ - end))
            npu_fault(
                c, NPU_E_UB_FULL, where,
                "a pool of %u bytes (InitBufPool at %s:%u) has %llu taken; %u x %u bytes do not "
                "fit",
                bytes_, made_.file ? made_.file : "nowhere", made_.line, (unsigned long long)end,
                num, len);
        else {
            uint8_t *p = c->mem[MEM_UB].base + at_;
            at_ += uint32_t(ask);
            return p;
        }
        return c->mem[MEM_UB].base; /* valid memory for a kernel that has failed */
    }
};

} // namespace nputwin

namespace AscendC {

constexpr uint32_t defaultBufIDSize = 4;

template <TPosition pos, uint32_t bufIDSize = defaultBufIDSize> class TBufPool {
public:
    TBufPool() {}

    template <class T> bool InitBufPool(T &bufPool, uint32_t len, npu_where where = NPU_HERE)
    {
        return npu_pool.Divide(bufPool.npu_pool, T::npu_ids, len, where);
    }
    template <class T, class U>
    bool InitBufPool(T &bufPool, uint32_t len, U &shareBuf, npu_where where = NPU_HERE)
    {
        static_assert(T::npu_ids <= bufIDSize,
                      "InitBufPool: a part has no more buffers than the pool");
        return bufPool.npu_pool.Share(npu_pool.Pipe(), len, shareBuf.npu_pool, where);
    }
    template <class T>
    bool InitBuffer(T &que, uint8_t num, uint32_t len, npu_where where = NPU_HERE)
    {
        return npu_pool.Queue(que, num, len, where);
    }
    template <TPosition at> bool InitBuffer(TBuf<at> &buf, uint32_t len, npu_where where = NPU_HERE)
    {
        return npu_pool.Scratch(buf, len, where);
    }
    void Reset() { npu_pool.Reset(); }

    /* For this door only. */
    static constexpr TPosition npu_position = pos;
    static constexpr uint32_t npu_ids = bufIDSize;
    nputwin::buffer_pool<pos, bufIDSize> npu_pool;
};

} // namespace AscendC

/* Inside a class of the kernel: what makes it a pool. Addresses are bytes of UB. */
#define EXTERN_IMPL_BUFPOOL(EXT_BUFPOOL, POSITION, BUFID_SIZE)                                     \
public:                                                                                            \
    void Reset() { npu_pool.Reset(); }                                                             \
    void Init() { npu_pool.Init(); }                                                               \
    AscendC::TBufHandle GetBufHandle(uint8_t offset, npu_where where = NPU_HERE)                   \
    {                                                                                              \
        return npu_pool.Handle(offset, where);                                                     \
    }                                                                                              \
    void SetCurAddr(uint32_t curAddr) { npu_pool.at_ = curAddr; }                                  \
    uint32_t GetCurAddr() { return npu_pool.at_; }                                                 \
    void SetCurBufSize(uint8_t curBufSize) { npu_pool.n_taken_ = curBufSize; }                     \
    uint8_t GetCurBufSize() { return uint8_t(npu_pool.n_taken_); }                                 \
    static constexpr AscendC::TPosition npu_position = POSITION;                                   \
    static constexpr uint32_t npu_ids = BUFID_SIZE;                                                \
    nputwin::buffer_pool<POSITION, BUFID_SIZE> npu_pool
#endif
