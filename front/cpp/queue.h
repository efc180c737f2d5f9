/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.h - TQue, TQueBind, TBuf and LocalMemAllocator.
 *
 *          AllocTensor        EnQue              DeQue             FreeTensor
 *    FREE -------------> OUT ---------> QUEUED ----------> OUT ---------------> FREE
 *          wait drained       set filled        wait filled      set drained
 *
 * "filled" goes from the pipe that writes a buffer to the one that reads it, "drained" back. A call
 * that does not fit the picture is a fault that names the queue, its InitBuffer line and what to
 * do.
 */
#ifndef NPU_FRONT_QUEUE_H
#define NPU_FRONT_QUEUE_H
#include "pipe.h"

namespace nputwin {

/* Pipe that writes and pipe that reads what goes from position src to position dst. */
constexpr npu_pipe writer_of(AscendC::TPosition src)
{
    using P = AscendC::TPosition;
    switch (src) {
    case P::GM:
    case P::VECIN:
    case P::A1:
    case P::B1:
    case P::C1:
        return PIPE_MTE2;
    case P::A2:
    case P::B2:
    case P::C2:
        return PIPE_MTE1;
    case P::CO1:
        return PIPE_M;
    case P::C2PIPE2GM:
        return PIPE_FIX;
    default:
        return PIPE_V;
    }
}
constexpr npu_pipe reader_of(AscendC::TPosition dst)
{
    using P = AscendC::TPosition;
    switch (dst) {
    case P::GM:
    case P::VECOUT:
        return PIPE_MTE3;
    case P::A1:
    case P::B1:
    case P::C1:
    case P::TSCM:
        return PIPE_MTE1;
    case P::A2:
    case P::B2:
    case P::C2:
        return PIPE_M;
    case P::CO1:
    case P::C2PIPE2GM:
        return PIPE_FIX;
    default:
        return PIPE_V;
    }
}

} // namespace nputwin

namespace AscendC {

struct TQueConfig {
    bool nd2nz = false, nz2nd = false, scmBlockGroup = false;
    uint32_t bufferLen = 0, bufferNumber = 0, consumerSize = 0;
    TPosition consumer[8] = {};
    bool enableStaticEvtId = false, enableLoopQueue = false;
};

} // namespace AscendC
namespace nputwin {
constexpr bool is_one_place(int mask) { return mask & 4; }
constexpr bool is_one_place(const AscendC::TQueConfig *config)
{
    return config && config->scmBlockGroup;
}
} // namespace nputwin
namespace AscendC {

template <TPosition src, TPosition dst, int32_t depth, auto mask = 0> class TQueBind {
    static_assert(nputwin::has_buffers(src) || nputwin::has_buffers(dst),
                  "TQue: a queue lies in a memory of the core: VECIN, VECOUT, VECCALC, A1, B1, C1, "
                  "A2, B2, C2, CO1, C2PIPE2GM or TSCM");
    static_assert(depth >= 0 && depth <= nputwin::MAX_BUFFERS, "TQue: depth is 0..64");

public:
    TQueBind() {}

    template <typename T> LocalTensor<T> AllocTensor(npu_where where = NPU_HERE)
    {
        static_assert(depth > 0, "a queue of depth 0 takes AllocTensor(tensor)");
        return Tensor<T>(Alloc(where));
    }
    template <typename T> void AllocTensor(LocalTensor<T> &tensor, npu_where where = NPU_HERE)
    {
        static_assert(depth == 0, "AllocTensor(tensor) needs a queue of depth 0");
        tensor = Tensor<T>(Alloc(where));
    }
    template <typename T> bool EnQue(const LocalTensor<T> &tensor, npu_where where = NPU_HERE)
    {
        return Put(tensor.GetPhyAddr(), nputwin::writer_of(src), nputwin::reader_of(dst), where);
    }
    template <TPosition from, TPosition to, typename T>
    bool EnQue(const LocalTensor<T> &tensor, npu_where where = NPU_HERE)
    {
        return Put(tensor.GetPhyAddr(), nputwin::writer_of(from), nputwin::reader_of(to), where);
    }
    template <typename T> LocalTensor<T> DeQue(npu_where where = NPU_HERE)
    {
        static_assert(depth > 0, "a queue of depth 0 takes DeQue(tensor)");
        return Tensor<T>(Get(where));
    }
    template <TPosition from, TPosition to, typename T>
    LocalTensor<T> DeQue(npu_where where = NPU_HERE)
    {
        return Tensor<T>(Get(where));
    }
    template <typename T> void DeQue(LocalTensor<T> &tensor, npu_where where = NPU_HERE)
    {
        static_assert(depth == 0, "DeQue(tensor) needs a queue of depth 0");
        tensor = Tensor<T>(Get(where));
    }
    template <typename T> void FreeTensor(LocalTensor<T> &tensor, npu_where where = NPU_HERE)
    {
        Free(tensor.GetPhyAddr(), where);
    }

    /* The pages have none of these for a queue in place. */
#define NPU_QUEUES(name)                                                                           \
    static_assert(depth != 0, name ": a queue of depth 0 works in place and queues nothing; give " \
                                   "it a depth of 1 or more")
    bool VacantInQue() const
    {
        NPU_QUEUES("VacantInQue");
        return n_queued_ < slots;
    }
    bool HasTensorInQue() const
    {
        NPU_QUEUES("HasTensorInQue");
        return n_queued_ != 0;
    }
    int32_t GetTensorCountInQue() const
    {
        NPU_QUEUES("GetTensorCountInQue");
        return int32_t(n_queued_);
    }
    bool HasIdleBuffer() const
    {
        NPU_QUEUES("HasIdleBuffer");
        return FindFree() != nullptr;
    }
#undef NPU_QUEUES
    /* Gives the event ids of buffers that wait to be allocated again back to the pipe. */
    void FreeAllEvent(npu_where where = NPU_HERE)
    {
        for (uint32_t i = 0; i < num_; i++)
            pipe_->Wait(buffers_[i].drained, where);
    }

    nputwin::owner Owner() const { return {src, dst, depth}; }

    /* For pools of the kernel's own: num buffers of len bytes, then the place of each. */
    void InitStartBufHandle(TBufHandle startBufhandle, uint8_t num, uint32_t len,
                            npu_where where = NPU_HERE)
    {
        Bind(::GetTPipePtr(), reinterpret_cast<nputwin::buffer *>(startBufhandle), num, len, where);
    }
    template <class T>
    void InitBufHandle(T *, uint32_t index, TBufHandle, uint32_t curPoolAddr, uint32_t len,
                       npu_where where = NPU_HERE)
    {
        npu_core *c = nputwin::core();
        if (NPU_UNLIKELY(index >= num_ || len > c->mem[MEM_UB].bytes ||
                         curPoolAddr > c->mem[MEM_UB].bytes - len)) {
            npu_fault(c, NPU_E_RANGE, where,
                      "InitBufHandle: buffer %u of %u, UB bytes %u to %llu of %u", index, num_,
                      curPoolAddr, (unsigned long long)curPoolAddr + len, c->mem[MEM_UB].bytes);
            return;
        }
        buffers_[index] = {
            c->mem[MEM_UB].base + curPoolAddr, nputwin::buffer_state::FREE, {-1, 0, 0}, {-1, 0, 0}};
    }

private:
    friend class TPipe;
    template <TPosition, uint32_t> friend class nputwin::buffer_pool;
    static constexpr uint32_t slots = depth > 0 ? depth : 1;
    static constexpr TPosition pos = nputwin::buffers_at(src, dst);
    /* Both vector cores of a group have the same place in L1. */
    static constexpr bool is_shared = dst == TPosition::TSCM && nputwin::is_one_place(mask);

    TPipe *pipe_ = nullptr;
    nputwin::buffer *buffers_ = nullptr;
    uint32_t num_ = 0, len_ = 0; /* buffers, and bytes of each */
    uint32_t next_ = 0;          /* buffer to hand out next: round robin keeps both halves busy */
    uint32_t head_ = 0, n_queued_ = 0;
    npu_where made_ = {nullptr, 0};
    uint8_t queued_[slots] = {}; /* ring of buffer numbers */

    void Bind(TPipe *pipe, nputwin::buffer *buffers, uint32_t num, uint32_t len, npu_where where)
    {
        pipe_ = pipe;
        buffers_ = buffers;
        num_ = num;
        len_ = len;
        next_ = head_ = n_queued_ = 0;
        made_ = where;
    }
    template <typename T> LocalTensor<T> Tensor(const nputwin::buffer *b) const
    {
        if (b)
            return LocalTensor<T>(reinterpret_cast<PrimT<T> *>(b->p), len_, pos);
        const npu_bank &ub =
            nputwin::core()->mem[nputwin::mem_of(pos)]; /* a fault: anything valid */
        return LocalTensor<T>(reinterpret_cast<PrimT<T> *>(ub.base), num_ ? len_ : ub.bytes, pos);
    }

    nputwin::buffer *Alloc(npu_where where)
    {
        nputwin::buffer *b = FindFree();
        if (NPU_UNLIKELY(!b)) {
            Fault(where,
                  num_ ? "AllocTensor with every buffer taken: FreeTensor one before, or give "
                         "InitBuffer a larger number"
                       : "AllocTensor before InitBuffer");
            return num_ ? &buffers_[0] : nullptr;
        }
        if (NPU_UNLIKELY(pipe_->n_out_[int(pos)] >= nputwin::MAX_OUT))
            Fault(where, "more than 8 tensors allocated at this position at a time: put several "
                         "into one buffer and use offsets");
        pipe_->n_out_[int(pos)]++;
        pipe_->Wait(b->drained, where);
        b->state = nputwin::buffer_state::OUT;
        next_ = uint32_t(b - buffers_) + 1;
        return b;
    }
    bool Put(uint64_t addr, npu_pipe writer, npu_pipe reader, npu_where where)
    {
        nputwin::buffer *b = Find(addr);
        if (NPU_UNLIKELY(!b || b->state != nputwin::buffer_state::OUT)) {
            Fault(where, !b ? "EnQue of a tensor that this queue did not allocate"
                            : "EnQue of a tensor that is not allocated: AllocTensor comes first");
            return false;
        }
        if (NPU_UNLIKELY(n_queued_ == slots)) {
            Fault(where, "EnQue into a full queue: DeQue first, or give the queue a larger depth");
            return false;
        }
        b->filled = pipe_->Set(writer, reader, where);
        b->state = nputwin::buffer_state::QUEUED;
        queued_[(head_ + n_queued_++) % slots] = uint8_t(b - buffers_);
        return true;
    }
    nputwin::buffer *Get(npu_where where)
    {
        if (NPU_UNLIKELY(n_queued_ == 0)) {
            Fault(where, "DeQue from an empty queue: EnQue comes first");
            return num_ ? &buffers_[0] : nullptr;
        }
        nputwin::buffer *b = &buffers_[queued_[head_]];
        head_ = (head_ + 1) % slots;
        n_queued_--;
        reader_ = b->filled.id >= 0 ? npu_pipe(b->filled.to) : reader_;
        pipe_->Wait(b->filled, where);
        b->state = nputwin::buffer_state::OUT;
        return b;
    }
    void Free(uint64_t addr, npu_where where)
    {
        nputwin::buffer *b = Find(addr);
        if (NPU_UNLIKELY(!b || b->state != nputwin::buffer_state::OUT)) {
            Fault(where, !b ? "FreeTensor of a tensor that this queue did not allocate"
                         : b->state == nputwin::buffer_state::FREE
                             ? "FreeTensor of a tensor that is free already"
                             : "FreeTensor of a tensor that is still in the queue: DeQue it first");
            return;
        }
        pipe_->n_out_[int(pos)]--;
        b->drained = pipe_->Set(reader_, nputwin::writer_of(src), where);
        b->state = nputwin::buffer_state::FREE;
    }
    npu_pipe reader_ = nputwin::reader_of(dst); /* pipe that read the last buffer taken out */

    nputwin::buffer *FindFree() const
    {
        for (uint32_t i = 0, at = next_; i < num_; i++, at++) {
            at = at < num_ ? at : 0; /* a division would be a tenth of a small tile's cost */
            if (buffers_[at].state == nputwin::buffer_state::FREE)
                return &buffers_[at];
        }
        return nullptr;
    }
    /* The buffer that holds an address, so that a tensor with an offset is known as well. */
    nputwin::buffer *Find(uint64_t addr) const
    {
        for (uint32_t i = 0; i < num_; i++)
            if (addr - uint64_t(uintptr_t(buffers_[i].p)) < len_)
                return &buffers_[i];
        return nullptr;
    }
    void Fault(npu_where where, const char *story) const
    {
        npu_fault(nputwin::core(), NPU_E_QUEUE, where, "%s (InitBuffer of %u buffers at %s:%u): %s",
                  nputwin::owner_name(Owner()).text, num_, made_.file ? made_.file : "nowhere",
                  made_.line, story);
    }
};

template <TPosition pos, int32_t depth, auto mask = 0>
class TQue : public TQueBind<pos == TPosition::VECIN ? TPosition::GM : pos,
                             pos == TPosition::VECOUT ? TPosition::GM : pos, depth, mask> {};

/* Scratch memory without a protocol. */
template <TPosition pos = TPosition::LCM> class TBuf {
    static_assert(
        nputwin::has_buffers(pos),
        "TBuf: a buffer lies in a memory of the core: VECIN, VECOUT, VECCALC, A1, B1, C1, "
        "A2, B2, C2, CO1 or C2PIPE2GM");

public:
    TBuf() {}
    template <typename T> LocalTensor<T> Get()
    {
        return LocalTensor<T>(reinterpret_cast<PrimT<T> *>(p_), bytes_, pos);
    }
    /* No page has these two, but public programs say them: the buffer is always the kernel's. */
    template <typename T> LocalTensor<T> AllocTensor() { return Get<T>(); }
    template <typename T> void FreeTensor(LocalTensor<T> &) {}
    template <typename T> LocalTensor<T> Get(uint32_t n, npu_where where = NPU_HERE)
    {
        return GetWithOffset<T>(n, 0, where);
    }
    template <typename T>
    LocalTensor<T> GetWithOffset(uint32_t n, uint32_t offset_bytes, npu_where where = NPU_HERE)
    {
        const uint64_t end = offset_bytes + nputwin::bytes_of_n<PrimT<T>>(n);
        if (NPU_UNLIKELY(end > bytes_))
            npu_fault(
                nputwin::core(), NPU_E_RANGE, where,
                "TBuf<%s>: %u elements of %u bytes at offset %u end at %llu, the buffer has %u "
                "bytes",
                nputwin::position_name(pos), n, unsigned(sizeof(PrimT<T>)), offset_bytes,
                (unsigned long long)end, bytes_);
        return LocalTensor<T>(reinterpret_cast<PrimT<T> *>(p_ + offset_bytes),
                              uint32_t(nputwin::bytes_of_n<PrimT<T>>(n)), pos);
    }

    /* For pools of the kernel's own. */
    void InitStartBufHandle(TBufHandle, uint8_t num, uint32_t len, npu_where where = NPU_HERE)
    {
        if (NPU_UNLIKELY(num != 1))
            npu_fault(nputwin::core(), NPU_E_ARG, where,
                      "InitStartBufHandle: num is %u; a TBuf has one buffer", num);
        bytes_ = len;
    }
    template <class T>
    void InitBufHandle(T *, uint32_t, TBufHandle, uint32_t curPoolAddr, uint32_t len,
                       npu_where where = NPU_HERE)
    {
        npu_core *c = nputwin::core();
        if (NPU_UNLIKELY(len > c->mem[MEM_UB].bytes || curPoolAddr > c->mem[MEM_UB].bytes - len)) {
            npu_fault(c, NPU_E_RANGE, where, "InitBufHandle: UB bytes %u to %llu of %u",
                      curPoolAddr, (unsigned long long)curPoolAddr + len, c->mem[MEM_UB].bytes);
            return;
        }
        p_ = c->mem[MEM_UB].base + curPoolAddr;
        bytes_ = len;
    }

private:
    friend class TPipe;
    template <TPosition, uint32_t> friend class nputwin::buffer_pool;
    uint8_t *p_ = nullptr;
    uint32_t bytes_ = 0;
};

/* A memory of the core without a TPipe: tensors one after the other, never given back. */
template <Hardware hard = Hardware::UB> class LocalMemAllocator {
    static_assert(hard != Hardware::GM && hard != Hardware::MAX,
                  "LocalMemAllocator allocates from memories of the core, not from GM");

public:
    LocalMemAllocator() {}
    uint32_t GetCurAddr() const { return used_; }

    template <typename T, uint32_t n> LocalTensor<T> Alloc(npu_where where = NPU_HERE)
    {
        return Take<T>(home, n, where);
    }
    template <TPosition pos, typename T, uint32_t n>
    LocalTensor<T> Alloc(npu_where where = NPU_HERE)
    {
        return Take<T>(pos, n, where);
    }
    template <typename T> LocalTensor<T> Alloc(uint32_t n, npu_where where = NPU_HERE)
    {
        return Take<T>(home, n, where);
    }
    template <TPosition pos, typename T>
    LocalTensor<T> Alloc(uint32_t n, npu_where where = NPU_HERE)
    {
        return Take<T>(pos, n, where);
    }

private:
    /* Of enum Hardware: its memory, and the position that a tensor has when the kernel names none.
     */
    static constexpr npu_mem mems[] = {MEM_GM,  MEM_UB,  MEM_L1, MEM_L0A,
                                       MEM_L0B, MEM_L0C, MEM_BT, MEM_FB};
    static constexpr TPosition homes[] = {TPosition::GM, TPosition::VECCALC,  TPosition::A1,
                                          TPosition::A2, TPosition::B2,       TPosition::CO1,
                                          TPosition::C2, TPosition::C2PIPE2GM};
    static constexpr npu_mem mem = mems[int(hard)];
    static constexpr TPosition home = homes[int(hard)];
    uint32_t used_ = 0;

    template <typename T> LocalTensor<T> Take(TPosition pos, uint32_t n, npu_where where)
    {
        npu_core *c = nputwin::core();
        const npu_bank &bank = c->mem[mem];
        const uint64_t bytes = nputwin::bytes_of_n<PrimT<T>>(n);
        const uint64_t ask = (bytes + NPU_BLK_BYTES - 1) / NPU_BLK_BYTES * NPU_BLK_BYTES;
        uint32_t at = used_;
        if (NPU_UNLIKELY(nputwin::mem_of(pos) != mem)) {
            npu_fault(c, NPU_E_ARG, where, "LocalMemAllocator<%s>::Alloc: %s lies in %s",
                      npu_mems[mem].name, nputwin::position_name(pos),
                      npu_mems[nputwin::mem_of(pos)].name);
            at = 0;
        } else if (NPU_UNLIKELY(!bank.base)) {
            npu_fault(c, NPU_E_ARG, where, "LocalMemAllocator<%s>: %s cores have no such memory",
                      npu_mems[mem].name, c->core_kind == CORE_AIV ? "vector" : "cube");
            at = 0;
        } else if (NPU_UNLIKELY(ask > bank.bytes - used_)) {
            nputwin::fault_full(c, where, "LocalMemAllocator::Alloc", 1, bytes, used_, mem);
            at = 0;
        } else {
            used_ += uint32_t(ask);
        }
        return LocalTensor<T>(reinterpret_cast<PrimT<T> *>(bank.base + at), uint32_t(bytes), pos);
    }
};

/* The way from the vector to the cube unit. */
template <TPosition pos, int32_t depth = 1, auto mask = 0>
using TSCM = TQueBind<pos, TPosition::TSCM, depth, mask>;

} // namespace AscendC
#endif
