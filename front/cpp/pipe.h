/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pipe.h - TPipe: who gets which bytes of UB, and which event ids are taken.
 *
 * One TPipe a core, kept in npu_core.door. Rules: UB is handed out from the bottom and never
 * moves; a buffer belongs to one queue. After a fault the tensors stay valid memory, because the
 * scalar code of the kernel runs on.
 */
#ifndef NPU_FRONT_PIPE_H
#define NPU_FRONT_PIPE_H
#include "copy.h"
#include <cstdio>
#include <cstdlib>

namespace nputwin {

enum { MAX_BUFFERS = 64, MAX_OUT = 8 }; /* in a kernel; allocated at one position at a time */

/* A flag on its way: set, not yet waited for. */
struct flag {
    int8_t id; /* -1: none */
    uint8_t from, to;
};
enum class buffer_state : uint8_t { FREE, OUT, QUEUED };
struct buffer {
    uint8_t *p;
    buffer_state state;
    flag filled, drained;
};

/* What a message calls a buffer or a queue. */
struct owner {
    AscendC::TPosition src, dst;
    int depth; /* -1: a TBuf */
};
struct owner_name {
    char text[48];
    explicit owner_name(const owner &o)
    {
        const char *src = position_name(o.src), *dst = position_name(o.dst);
        const bool in = o.src == AscendC::TPosition::GM, out = o.dst == AscendC::TPosition::GM;
        if (o.depth < 0)
            std::snprintf(text, sizeof(text), "TBuf<%s>", src);
        else if (in || out || o.src == o.dst)
            std::snprintf(text, sizeof(text), "TQue<%s, %d>", in ? dst : src, o.depth);
        else
            std::snprintf(text, sizeof(text), "TQueBind<%s, %s, %d>", src, dst, o.depth);
    }
};

constexpr uint32_t round_up_blk(uint32_t n)
{
    return (n + (NPU_BLK_BYTES - 1)) & ~uint32_t(NPU_BLK_BYTES - 1);
}

/* The one sentence about a memory that is full: UB, L1, L0A, L0B, L0C, BT or FB. */
inline void fault_full(npu_core *c, npu_where where, const char *what, uint32_t n, uint64_t len,
                       uint64_t used, npu_mem mem)
{
    const uint64_t all = c->mem[mem].bytes,
                   ask = n * ((len + NPU_BLK_BYTES - 1) / NPU_BLK_BYTES) * NPU_BLK_BYTES;
    const uint64_t left = used < all ? all - used : 0;
    const uint32_t reserved = mem == MEM_UB ? reserved_ub_bytes(c) : 0;
    char plan[80] = "";
    if (reserved)
        std::snprintf(plan, sizeof plan, "; plan for %llu bytes, the top %u are reserved",
                      (unsigned long long)(all - reserved), reserved);
    npu_fault(c, NPU_E_UB_FULL, where,
              "%s does not fit into %s: %u x %llu bytes asked (%llu after rounding up to 32), %llu "
              "of %llu bytes are left, %llu too many%s",
              what, npu_mems[mem].name, n, (unsigned long long)len, (unsigned long long)ask,
              (unsigned long long)left, (unsigned long long)all, (unsigned long long)(ask - left),
              plan);
}

} // namespace nputwin

namespace nputwin {
template <AscendC::TPosition pos, uint32_t n_ids> class buffer_pool; /* bufpool.h */
}

namespace AscendC {

template <TPosition src, TPosition dst, int32_t depth, auto mask> class TQueBind;
template <TPosition pos> class TBuf;

class TPipe {
public:
    TPipe(npu_where where = NPU_HERE) { Open(where); }
    ~TPipe() { Close(); }
    TPipe(const TPipe &) = delete;
    TPipe &operator=(const TPipe &) = delete;

    /* The pipe once more after Destroy. */
    void Init(npu_where where = NPU_HERE)
    {
        Close();
        Open(where);
    }

    template <TPosition src, TPosition dst, int32_t depth, auto mask>
    bool InitBuffer(TQueBind<src, dst, depth, mask> &que, uint8_t num, uint32_t len,
                    npu_where where = NPU_HERE)
    {
        uint8_t *p;
        if constexpr (TQueBind<src, dst, depth, mask>::is_shared)
            p = TakeShared(que.Owner(), num, len, where);
        else
            p = Take(que.Owner(), num, len, where);
        if (n_buffers_ + num > nputwin::MAX_BUFFERS) {
            npu_fault(core_, NPU_E_QUEUE, where,
                      "%s: a kernel has at most %d queue buffers, %u are taken and %u asked",
                      nputwin::owner_name(que.Owner()).text, nputwin::MAX_BUFFERS, n_buffers_, num);
            num = 0;
        }
        que.Bind(this, &buffers_[n_buffers_], num, nputwin::round_up_blk(len), where);
        for (uint32_t i = 0; i < num; i++)
            buffers_[n_buffers_++] = {p + i * nputwin::round_up_blk(len),
                                      nputwin::buffer_state::FREE,
                                      {-1, 0, 0},
                                      {-1, 0, 0}};
        return !core_->faulted;
    }
    template <TPosition pos>
    bool InitBuffer(TBuf<pos> &buf, uint32_t len, npu_where where = NPU_HERE)
    {
        buf.p_ = Take({pos, pos, -1}, 1, len, where);
        buf.bytes_ = nputwin::round_up_blk(len);
        return !core_->faulted;
    }

    /* Each buffer where the kernel says: (first byte, bytes), both multiples of 32. */
    template <TPosition src, TPosition dst, int32_t depth, auto mask, class U, class V,
              class... Addrs>
    bool InitBuffer(TQueBind<src, dst, depth, mask> &que, const Std::tuple<U, V> &addr0,
                    const Addrs &...addrs)
    {
        const npu_where where = {nullptr, 0}; /* a pack takes no default argument behind it */
        const uint64_t at[] = {uint64_t(Std::get<0>(addr0)), uint64_t(Std::get<0>(addrs))...};
        const uint64_t len[] = {uint64_t(Std::get<1>(addr0)), uint64_t(Std::get<1>(addrs))...};
        constexpr uint32_t num = 1 + sizeof...(Addrs);
        constexpr npu_mem mem = nputwin::mem_of(TQueBind<src, dst, depth, mask>::pos);
        uint32_t end = used_[mem];
        for (uint32_t i = 0; i < num; i++) {
            if (NPU_UNLIKELY(at[i] % NPU_BLK_BYTES || len[i] % NPU_BLK_BYTES || len[i] != len[0] ||
                             at[i] + len[i] > core_->mem[mem].bytes)) {
                npu_fault(core_, NPU_E_ARG, where,
                          "%s: buffer %u at byte %llu, %llu bytes: multiples of 32, all of one "
                          "length, inside the %u bytes of %s",
                          nputwin::owner_name(que.Owner()).text, i, (unsigned long long)at[i],
                          (unsigned long long)len[i], core_->mem[mem].bytes, npu_mems[mem].name);
                return false;
            }
            end = at[i] + len[i] > end ? uint32_t(at[i] + len[i]) : end;
        }
        if (NPU_UNLIKELY(n_buffers_ + num > nputwin::MAX_BUFFERS)) {
            npu_fault(core_, NPU_E_QUEUE, where,
                      "%s: a kernel has at most %d queue buffers, %u are taken and %u asked",
                      nputwin::owner_name(que.Owner()).text, nputwin::MAX_BUFFERS, n_buffers_, num);
            return false;
        }
        used_[mem] = end; /* what InitBuffer without an address hands out begins behind it */
        que.Bind(this, &buffers_[n_buffers_], num, uint32_t(len[0]), where);
        for (uint32_t i = 0; i < num; i++)
            buffers_[n_buffers_++] = {
                core_->mem[mem].base + at[i], nputwin::buffer_state::FREE, {-1, 0, 0}, {-1, 0, 0}};
        return !core_->faulted;
    }

    /* A place in GM for what UB has no room for; offsets in bytes. */
    template <typename T>
    void InitSpmBuffer(const GlobalTensor<T> &workspace, const int32_t bufferSize)
    {
        spm_ = reinterpret_cast<uint8_t *>(workspace.raw());
        spm_bytes_ = bufferSize;
    }
    template <typename N> void InitSpmBuffer(const N)
    {
        static_assert(!std::is_same_v<N, N>,
                      "InitSpmBuffer(bufferSize): this chip keeps no such buffer in L1; "
                      "InitSpmBuffer(workspace, bufferSize) keeps it in GM");
    }
    template <typename T>
    void WriteSpmBuffer(const LocalTensor<T> &writeBuffer, const DataCopyParams &copyParams,
                        int32_t writeOffset = 0, npu_where where = NPU_HERE)
    {
        GlobalTensor<T> gm;
        if (Spm(gm, writeOffset, where))
            DataCopy(gm, writeBuffer, copyParams, where);
    }
    template <typename T>
    void WriteSpmBuffer(const LocalTensor<T> &writeBuffer, const int32_t writeSize,
                        int32_t writeOffset = 0, npu_where where = NPU_HERE)
    {
        GlobalTensor<T> gm;
        if (Spm(gm, writeOffset, where))
            DataCopy(gm, writeBuffer, uint32_t(writeSize), where);
    }
    template <typename T>
    void ReadSpmBuffer(const LocalTensor<T> &readBuffer, const DataCopyParams &copyParams,
                       int32_t readOffset = 0, npu_where where = NPU_HERE)
    {
        GlobalTensor<T> gm;
        if (Spm(gm, readOffset, where))
            DataCopy(readBuffer, gm, copyParams, where);
    }
    template <typename T>
    void ReadSpmBuffer(const LocalTensor<T> &readBuffer, const int32_t readSize,
                       int32_t readOffset = 0, npu_where where = NPU_HERE)
    {
        GlobalTensor<T> gm;
        if (Spm(gm, readOffset, where))
            DataCopy(readBuffer, gm, uint32_t(readSize), where);
    }

    /* A pool of len bytes; or one more name for the memory of another pool. */
    template <class T> bool InitBufPool(T &bufPool, uint32_t len, npu_where where = NPU_HERE)
    {
        uint8_t *p = Take({T::npu_position, T::npu_position, -1}, 1, len, where);
        return bufPool.npu_pool.Open(this, p, len, where);
    }
    template <class T, class U>
    bool InitBufPool(T &bufPool, uint32_t len, U &shareBuf, npu_where where = NPU_HERE)
    {
        return bufPool.npu_pool.Share(this, len, shareBuf.npu_pool, where);
    }

    /* All buffers back, all event ids free. */
    void Reset()
    {
        for (uint32_t i = 0; i < n_buffers_; i++) {
            Wait(buffers_[i].filled, {nullptr, 0});
            Wait(buffers_[i].drained, {nullptr, 0});
        }
        n_buffers_ = 0;
        std::memset(used_, 0, sizeof(used_));
        shared_ = 0;
        std::memset(ids_, 0, sizeof(ids_));
        std::memset(n_out_, 0, sizeof(n_out_));
    }
    void Destroy()
    {
        if (core_)
            npu_barrier(core_, PIPE_ALL, {nullptr, 0});
        Close();
    }
    void DestroyWithoutPipeAll() { Close(); }

    /* Reserves an id of that flag until ReleaseEventID; a fault and -1 when all eight are taken. */
    template <HardEvent event> TEventID AllocEventID(npu_where where = NPU_HERE)
    {
        constexpr nputwin::pipe_pair p = nputwin::pipes_of(event);
        return TakeId(p.from, p.to, where);
    }
    template <HardEvent event> void ReleaseEventID(TEventID id)
    {
        constexpr nputwin::pipe_pair p = nputwin::pipes_of(event);
        GiveId(p.from, p.to, id);
    }
    /* An id that nobody has reserved; does not reserve it. */
    template <HardEvent event> TEventID FetchEventID(npu_where where = NPU_HERE)
    {
        return FetchEventID(event, where);
    }
    TEventID FetchEventID(HardEvent event, npu_where where = NPU_HERE)
    {
        const nputwin::pipe_pair p = nputwin::pipes_of(event);
        const TEventID id = TakeId(p.from, p.to, where);
        GiveId(p.from, p.to, id);
        return id;
    }
    TBufHandle GetBaseAddr(int8_t logicPos) const
    {
        return core_->mem[nputwin::mem_of(TPosition(logicPos))].base;
    }

    /* Bytes of UB handed out so far; for this door only. */
    uint32_t UsedBytes() const { return used_[MEM_UB]; }

private:
    template <TPosition, TPosition, int32_t, auto> friend class TQueBind;
    template <TPosition, uint32_t> friend class nputwin::buffer_pool;

    /* Memory for what UB has no room for: a kernel that has failed still writes somewhere. */
    struct spill {
        spill *next;
    };

    npu_core *core_ = nullptr;
    uint8_t *spm_ = nullptr;
    int32_t spm_bytes_ = 0;
    spill *spills_ = nullptr;
    uint32_t shared_ = 0; /* bytes of L1 that both vector cores of a group have in common */
    uint32_t used_[N_MEMS] = {}, n_buffers_ = 0;    /* bytes handed out of each memory */
    uint8_t ids_[N_PIPES][N_PIPES] = {};            /* bit an event id that is taken */
    uint8_t n_out_[int(TPosition::MAX)] = {};       /* tensors between AllocTensor and FreeTensor */
    nputwin::buffer buffers_[nputwin::MAX_BUFFERS]; /* of all queues, in order of InitBuffer */

    template <typename T> bool Spm(GlobalTensor<T> &gm, int32_t offset, npu_where where)
    {
        if (NPU_UNLIKELY(!spm_ || offset < 0 || offset >= spm_bytes_)) {
            npu_fault(core_, NPU_E_ARG, where, "SPM buffer: offset %d of %d bytes%s", offset,
                      spm_bytes_, spm_ ? "" : "; InitSpmBuffer comes first");
            return false;
        }
        gm.SetGlobalBuffer(reinterpret_cast<PrimT<T> *>(spm_ + offset),
                           uint64_t(spm_bytes_ - offset) / sizeof(PrimT<T>));
        return true;
    }
    void Open(npu_where where)
    {
        core_ = nputwin::core();
        if (core_->door)
            npu_fault(core_, NPU_E_QUEUE, where,
                      "a second TPipe while one is alive: pass a pointer to the first, or call its "
                      "Destroy()");
        core_->door = this;
        nputwin::after_count(core_);
    }
    void Close()
    {
        if (!core_)
            return;
        Reset();
        while (spills_) {
            spill *next = spills_->next;
            std::free(spills_);
            spills_ = next;
        }
        if (core_->door == this)
            core_->door = nullptr;
        core_ = nullptr;
    }

    /* A core of a mix kernel runs the lines for the other kind too: what lies in a memory that it
     * has not is made elsewhere, and a fault comes only when an instruction uses it. */
    uint8_t *Take(const nputwin::owner &o, uint32_t n, uint32_t len, npu_where where)
    {
        const npu_mem mem = nputwin::mem_of(nputwin::buffers_at(o.src, o.dst));
        const uint64_t ask = uint64_t(n) * nputwin::round_up_blk(len);
        if (NPU_UNLIKELY(!core_->mem[mem].base))
            return Spill(ask);
        if (NPU_UNLIKELY(ask > core_->mem[mem].bytes - used_[mem])) {
            nputwin::fault_full(core_, where, nputwin::owner_name(o).text, n, len, used_[mem], mem);
            return Spill(ask);
        }
        uint8_t *p = core_->mem[mem].base + used_[mem];
        used_[mem] += uint32_t(ask);
        return p;
    }
    /* Of a vector core: what the other one takes with the same calls lies at the same place. */
    uint8_t *TakeShared(const nputwin::owner &o, uint32_t n, uint32_t len, npu_where where)
    {
        const uint64_t ask = uint64_t(n) * nputwin::round_up_blk(len);
        if (core_->core_kind != CORE_AIV || !core_->is_mix)
            return Take(o, n, len, where);
        uint8_t *l1 = static_cast<uint8_t *>(npu_group_l1(core_));
        if (NPU_UNLIKELY(!l1 || ask > core_->soc->mem_bytes[MEM_L1] - shared_)) {
            npu_fault(core_, NPU_E_UB_FULL, where,
                      "%s: %u x %u bytes do not fit into L1 of the cube core, of which the vector "
                      "cores share %u of %u bytes",
                      nputwin::owner_name(o).text, n, len, shared_, core_->soc->mem_bytes[MEM_L1]);
            return Spill(ask);
        }
        uint8_t *p = l1 + shared_;
        shared_ += uint32_t(ask);
        return p;
    }
    uint8_t *Spill(uint64_t bytes)
    {
        spill *s = static_cast<spill *>(std::calloc(1, sizeof(spill) + NPU_BLK_BYTES + bytes));
        if (!s)
            return core_->mem[MEM_UB].base;
        s->next = spills_;
        spills_ = s;
        return reinterpret_cast<uint8_t *>((uintptr_t(s + 1) + NPU_BLK_BYTES - 1) &
                                           ~uintptr_t(NPU_BLK_BYTES - 1));
    }

    /* From the top, so that kernels which write EVENT_ID0 by hand beside queues meet last. */
    TEventID TakeId(npu_pipe from, npu_pipe to, npu_where where)
    {
        for (int id = NPU_EVENTS - 1; id >= 0; id--)
            if (!(ids_[from][to] >> id & 1)) {
                ids_[from][to] = uint8_t(ids_[from][to] | 1u << id);
                return TEventID(id);
            }
        npu_fault(
            core_, NPU_E_QUEUE, where,
            "all %d event ids from pipe %s to pipe %s are taken: hold fewer buffers at a time, "
            "or release ids",
            NPU_EVENTS, npu_pipes[from].name, npu_pipes[to].name);
        return -1;
    }
    void GiveId(npu_pipe from, npu_pipe to, TEventID id)
    {
        if (id >= 0)
            ids_[from][to] = uint8_t(ids_[from][to] & ~(1u << id));
    }
    /* A flag of a buffer; none is needed inside one pipe. */
    nputwin::flag Set(npu_pipe from, npu_pipe to, npu_where where)
    {
        if (from == to)
            return {-1, 0, 0};
        const TEventID id = TakeId(from, to, where);
        if (id >= 0)
            npu_set_flag(core_, from, to, uint32_t(id), where);
        return {id, uint8_t(from), uint8_t(to)};
    }
    void Wait(nputwin::flag &f, npu_where where)
    {
        if (f.id < 0)
            return;
        npu_wait_flag(core_, npu_pipe(f.from), npu_pipe(f.to), uint32_t(f.id), where);
        GiveId(npu_pipe(f.from), npu_pipe(f.to), f.id);
        f.id = -1;
    }
};

} // namespace AscendC

/* The TPipe of this core. Kernels say it with and without AscendC:: in front. */
inline AscendC::TPipe *GetTPipePtr()
{
    return static_cast<AscendC::TPipe *>(nputwin::core()->door);
}
namespace AscendC {
using ::GetTPipePtr;

/* The rest of UB behind what is handed out, up to what is reserved. */
template <typename T, TPosition pos>
inline bool PopStackBuffer(LocalTensor<T> &popLocal, npu_where where = NPU_HERE)
{
    static_assert(nputwin::is_ub(pos), "PopStackBuffer: this version has UB only");
    npu_core *c = nputwin::core();
    const TPipe *pipe = GetTPipePtr();
    const uint32_t used = pipe ? pipe->UsedBytes() : 0;
    const uint32_t end = c->mem[MEM_UB].bytes - nputwin::reserved_ub_bytes(c);
    if (NPU_UNLIKELY(used >= end)) {
        npu_fault(c, NPU_E_UB_FULL, where,
                  "PopStackBuffer: %u bytes of UB are taken, and the last %u are reserved", used,
                  nputwin::reserved_ub_bytes(c));
        return false;
    }
    popLocal =
        LocalTensor<T>(reinterpret_cast<PrimT<T> *>(c->mem[MEM_UB].base + used), end - used, pos);
    return true;
}
} // namespace AscendC
#endif
