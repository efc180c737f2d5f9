/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cube_group.h - groups of cube cores that take messages from vector cores: CubeResGroupHandle.
 *
 * A message is a struct of the kernel's, in GM. Each vector core has a queue of four; a cube core
 * goes over its queues in order, first the first message of each, then the second, and waits for
 * the one whose turn it is. Messages of one turn lie side by side, so that `message + i` is that of
 * the i-th queue behind, as the pages use it. Rule: a state is written last, and read first.
 */
#ifndef NPU_FRONT_CUBE_GROUP_H
#define NPU_FRONT_CUBE_GROUP_H
#include "sync.h"
#include <utility>

namespace AscendC {

enum class CubeMsgState : uint8_t { FREE = 0, VALID, QUIT, FAKE };
struct CubeGroupMsgHead {
    CubeMsgState msgState = CubeMsgState::FREE;
    uint8_t aivID = 0;
};

/* Memory for messages, zeroed by the caller. Each CreateCubeResGroup takes the next part of it. */
class KfcWorkspace {
public:
    explicit KfcWorkspace(GM_ADDR workspace) : at_(workspace) {}
    GM_ADDR GetKfcWorkspace() { return at_; }
    void UpdateKfcWorkspace(uint32_t offset) { at_ += offset; }

private:
    GM_ADDR at_;
};

} // namespace AscendC

namespace nputwin {
/* A Matmul object that vector cores call is called by the cube core itself here. */
template <class M> inline auto call_on_cube(M &mm, int) -> decltype(mm.npu_on_cube())
{
    mm.npu_on_cube();
}
template <class M> inline void call_on_cube(M &, long) {}
} // namespace nputwin

namespace AscendC {

/* Vector cores: AssignQueue, then AllocMessage, PostMessage or PostFakeMsg, and Wait; at last
 * SetQuit. Cube cores, in Call of the callback: FreeMessage and SetSkipMsg. On the other kind of
 * core a call does nothing, because both run the kernel's lines. */
template <typename CubeMsgType> class CubeResGroupHandle {
    static_assert(sizeof(CubeMsgType) % 64 == 0,
                  "CubeResGroupHandle: a message is a struct of a multiple of 64 bytes");
    static_assert(std::is_same_v<decltype(CubeMsgType::head), CubeGroupMsgHead>,
                  "CubeResGroupHandle: a message begins with CubeGroupMsgHead head");

public:
    CubeResGroupHandle() = default;
    CubeResGroupHandle(GM_ADDR workspace, uint8_t blockStart, uint8_t blockSize,
                       uint8_t msgQueueSize, uint8_t evtIDIn, npu_where where = NPU_HERE)
        : queues_(reinterpret_cast<CubeMsgType *>(workspace)), n_queues_(msgQueueSize),
          first_(blockStart / 2u), n_cubes_(blockSize / 2u)
    {
        (void)evtIDIn; /* messages are written in order without one */
        if (NPU_UNLIKELY(blockStart % 2 || blockSize % 2 || !blockSize ||
                         Share() * (n_cubes_ - 1) >= n_queues_ || uintptr_t(workspace) % 64))
            npu_fault(
                nputwin::core(), NPU_E_ARG, where,
                "CubeResGroupHandle: blockStart %u and blockSize %u are even, msgQueueSize %u "
                "gives each of %u cube cores a queue, the workspace at %p is a multiple of 64",
                blockStart, blockSize, msgQueueSize, n_cubes_, static_cast<void *>(workspace));
    }
    static uint32_t npu_bytes(uint8_t n_queues) { return n_queues * DEPTH * sizeof(CubeMsgType); }

    /* ---- vector cores ---- */

    void AssignQueue(uint8_t queueIdIn, npu_where where = NPU_HERE)
    {
        if (NPU_UNLIKELY(IsClient() && queueIdIn >= n_queues_))
            npu_fault(nputwin::core(), NPU_E_ARG, where, "AssignQueue(%u): the group has %u queues",
                      queueIdIn, n_queues_);
        queue_ = queueIdIn < n_queues_ ? queueIdIn : 0;
        turn_ = 0;
    }
    template <PipeMode pipeMode = PipeMode::SCALAR_MODE>
    CubeMsgType *AllocMessage(npu_where where = NPU_HERE)
    {
        CubeMsgType *msg = At(turn_, queue_);
        if (!IsClient())
            return msg;
        turn_ = (turn_ + 1) % DEPTH;
        WaitFor(msg, bit(CubeMsgState::FREE), "AllocMessage", where);
        return msg;
    }
    template <PipeMode pipeMode = PipeMode::SCALAR_MODE>
    uint16_t PostMessage(CubeMsgType *msg, CubeMsgType &msgInput, npu_where where = NPU_HERE)
    {
        const CubeMsgState state = msgInput.head.msgState;
        if (NPU_UNLIKELY(IsClient() && state != CubeMsgState::VALID)) {
            npu_fault(nputwin::core(), NPU_E_ARG, where,
                      "PostMessage: head.msgState is %u, a message that is to be read says "
                      "CubeMsgState::VALID",
                      unsigned(state));
            return 0;
        }
        return Post(msg, CubeMsgState::VALID, &msgInput);
    }
    uint16_t PostFakeMsg(CubeMsgType *msg) { return Post(msg, CubeMsgState::FAKE, nullptr); }
    void SetQuit(CubeMsgType *msg) { Post(msg, CubeMsgState::QUIT, nullptr); }
    /* Has the message been freed? sync: waits until it is. */
    template <bool sync = true> bool Wait(uint16_t offset, npu_where where = NPU_HERE)
    {
        CubeMsgType *msg = At(0, queue_) + offset;
        if (!IsClient())
            return true;
        if constexpr (sync)
            return WaitFor(msg, bit(CubeMsgState::FREE), "Wait", where);
        npu_poll(nputwin::core());
        return nputwin::core()->faulted ||
               __atomic_load_n(&msg->head.msgState, __ATOMIC_ACQUIRE) == CubeMsgState::FREE;
    }

    /* ---- cube cores ---- */

    uint16_t FreeMessage(CubeMsgType *msg)
    {
        if (IsClient())
            return Offset(msg);
        npu_settle(nputwin::core()); /* the results are there */
        has_freed_ |= msg == current_;
        __atomic_store_n(&msg->head.msgState, CubeMsgState::FREE, __ATOMIC_RELEASE);
        return Offset(msg);
    }
    uint16_t FreeMessage(CubeMsgType *msg, CubeMsgState waitState, npu_where where = NPU_HERE)
    {
        if (NPU_UNLIKELY(waitState == CubeMsgState::QUIT || waitState == CubeMsgState::FREE)) {
            npu_fault(nputwin::core(), NPU_E_ARG, where,
                      "FreeMessage: waitState %u; CubeMsgState::VALID and FAKE are waited for",
                      unsigned(waitState));
            return 0;
        }
        if (!IsClient() && !WaitFor(msg, bit(waitState), "FreeMessage", where))
            return 0;
        return FreeMessage(msg);
    }
    void SetSkipMsg(uint8_t skipCnt) { n_skip_ = skipCnt; }

    /* Which queues the cube core serves; none when it is of another group. */
    std::pair<uint32_t, uint32_t> npu_served(uint32_t cube) const
    {
        const uint32_t from = (cube - first_) * Share(), to = from + Share();
        if (cube < first_ || cube >= first_ + n_cubes_)
            return {0, 0};
        return {from, to < n_queues_ ? to : n_queues_};
    }
    /* Until each of them has quit: call(message) for what is to be read. */
    template <class F> void npu_serve(npu_where where, F call)
    {
        const auto [from, to] = npu_served(nputwin::core()->block_idx);
        bool has_quit[UINT8_MAX + 1] = {};
        uint32_t n_left = to - from;

        for (uint32_t turn = 0; n_left; turn = (turn + 1) % DEPTH)
            for (uint32_t q = from; q < to; q++) {
                if (has_quit[q])
                    continue;
                current_ = At(turn, q);
                if (!WaitFor(current_,
                             bit(CubeMsgState::VALID) | bit(CubeMsgState::QUIT) |
                                 bit(CubeMsgState::FAKE),
                             "CubeResGroupHandle", where))
                    return;
                const CubeMsgState state =
                    __atomic_load_n(&current_->head.msgState, __ATOMIC_ACQUIRE);
                has_freed_ = state != CubeMsgState::VALID;
                n_skip_ = 0;
                if (state == CubeMsgState::VALID)
                    call(current_);
                else
                    FreeMessage(current_);
                if (NPU_UNLIKELY(!has_freed_)) {
                    npu_fault(nputwin::core(), NPU_E_ARG, where,
                              "CubeResGroupHandle: Call has returned without FreeMessage of the "
                              "message in queue %u: its vector core waits for it",
                              q);
                    return;
                }
                has_quit[q] = state == CubeMsgState::QUIT;
                n_left -= has_quit[q];
                q += n_skip_;
            }
    }

private:
    enum : uint32_t { DEPTH = 4 };
    CubeMsgType *queues_ = nullptr, *current_ = nullptr;
    uint32_t n_queues_ = 1, first_ = 0, n_cubes_ = 1, queue_ = 0, turn_ = 0, n_skip_ = 0;
    bool has_freed_ = false;

    static bool IsClient() { return nputwin::core()->core_kind == CORE_AIV; }
    static constexpr uint32_t bit(CubeMsgState s) { return 1u << unsigned(s); }
    /* Queues of each cube core; the last one has what is left. */
    uint32_t Share() const { return n_cubes_ ? (n_queues_ + n_cubes_ - 1) / n_cubes_ : 1; }
    CubeMsgType *At(uint32_t turn, uint32_t queue) const
    {
        return queues_ + turn * n_queues_ + queue;
    }
    /* In messages, from the first of the queue. */
    uint16_t Offset(const CubeMsgType *msg) const
    {
        return uint16_t((msg - queues_) / n_queues_ * n_queues_);
    }
    bool WaitFor(CubeMsgType *msg, uint32_t states, const char *name, npu_where where)
    {
        return npu_wait_byte(nputwin::core(), reinterpret_cast<uint8_t *>(&msg->head.msgState),
                             states, name, where);
    }
    uint16_t Post(CubeMsgType *msg, CubeMsgState state, CubeMsgType *input)
    {
        enum { HEAD = sizeof(CubeMsgState) };
        if (!IsClient())
            return 0;
        npu_settle(nputwin::core()); /* what the message speaks of */
        if (input)
            std::memcpy(reinterpret_cast<uint8_t *>(msg) + HEAD,
                        reinterpret_cast<const uint8_t *>(input) + HEAD,
                        sizeof(CubeMsgType) - HEAD);
        __atomic_store_n(&msg->head.msgState, state, __ATOMIC_RELEASE);
        return Offset(msg);
    }
};

/* A cube core of the group makes its object, lets the callback begin, and serves its queues until
 * all of them have quit. groupID is the kernel's own number. */
template <int groupID, class MatmulApiType, template <class, class> class CallBack,
          typename CubeMsgType>
inline CubeResGroupHandle<CubeMsgType>
CreateCubeResGroup(KfcWorkspace &desc, uint8_t blockStart, uint8_t blockSize, uint8_t msgQueueSize,
                   GM_ADDR tiling, npu_where where = NPU_HERE)
{
    using handle_t = CubeResGroupHandle<CubeMsgType>;
    npu_core *c = nputwin::core();
    handle_t handle(desc.GetKfcWorkspace(), blockStart, blockSize, msgQueueSize, 0, where);

    desc.UpdateKfcWorkspace((handle_t::npu_bytes(msgQueueSize) + 511u) & ~511u);
    const auto [from, to] = handle.npu_served(c->block_idx);
    if (c->core_kind != CORE_AIC || from == to || c->faulted)
        return handle;
    MatmulApiType mm;
    CallBack<MatmulApiType, CubeMsgType> back;
    nputwin::call_on_cube(mm, 0);
    CallBack<MatmulApiType, CubeMsgType>::Init(back, mm, tiling);
    handle.npu_serve(where, [&](CubeMsgType *msg) {
        CallBack<MatmulApiType, CubeMsgType>::Call(mm, msg, handle);
    });
    return handle;
}

} // namespace AscendC
#endif
