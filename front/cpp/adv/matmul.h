/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul.h - Matmul and MatmulImpl: the objects of lib/matmul_intf.h.
 *
 * An object that a cube core runs (ASCENDC_CUBE_ONLY, MatmulImpl) computes where it is called. One
 * of a mix kernel is called by vector cores: what it computes is a message to the cube core of the
 * group (engine/group.c), which waits for them in REGIST_MATMUL_OBJ, and the call returns when it
 * is done. The same object on the other kind of core does nothing. Asynchronous calls are done when
 * they return, which is one of the times at which they may be.
 */
#ifndef NPU_FRONT_ADV_MATMUL_H
#define NPU_FRONT_ADV_MATMUL_H
#ifndef NPU_FRONT_WARNINGS
#pragma GCC system_header
#endif
#include "matmul_core.h"
#include <cstdlib>

namespace nputwin {

template <class A, class B, class C, class Bias> constexpr bool mm_multiplies()
{
    using TA = typename A::T;
    using TC = typename C::T;
    using TB = typename Bias::T;
    constexpr bool ints = std::is_same_v<TA, int8_t> || is_nibble<TA>;
    if constexpr (!std::is_same_v<TA, typename B::T>)
        return false;
    else if constexpr (ints)
        return (std::is_same_v<TC, int32_t> || std::is_same_v<TC, half> ||
                (std::is_same_v<TC, int8_t> && !is_nibble<TA>)) &&
               (std::is_same_v<TB, int32_t> || std::is_same_v<TB, TC>);
    else
        return (std::is_same_v<TA, half> || std::is_same_v<TA, bfloat16_t> ||
                std::is_same_v<TA, float>) &&
               (std::is_same_v<TC, float> || std::is_same_v<TC, half> ||
                std::is_same_v<TC, bfloat16_t> ||
                (std::is_same_v<TC, int8_t> && !std::is_same_v<TA, float>)) &&
               (std::is_same_v<TB, float> || std::is_same_v<TB, half> || std::is_same_v<TB, TC>);
}
template <template <const auto &, typename...> class P,
          template <const auto &, typename...> class Q>
struct same_template : std::false_type {};
template <template <const auto &, typename...> class P>
struct same_template<P, P> : std::true_type {};

template <class A, class B, class C, const auto &CFG, class CB, bool is_upper, bool is_lower>
constexpr mm_types mm_types_of()
{
    using TA = typename A::T;
    constexpr const MatmulConfig &cfg = config_of(CFG);
    mm_types t = {};
    t.ab = cube_type<TA>();
    t.c = type_of<typename C::T>;
    t.elem_bits = is_nibble<TA> ? 4 : 8 * sizeof(TA);
    t.c_bytes = sizeof(typename C::T);
    t.c0 = c0_of<TA>;
    t.is_nibbles = is_nibble<TA>;
    t.is_int = t.ab == TYPE_s8;
    t.a_format = A::format;
    t.b_format = B::format;
    t.c_format = C::format;
    t.a_layout = A::layout;
    t.b_layout = B::layout;
    t.c_layout = C::layout;
    t.a_turns = A::isTrans;
    t.b_turns = B::isTrans;
    t.splits_channels = cfg.isEnableChannelSplit && C::format == CubeFormat::NZ && t.c == TYPE_f32;
    t.is_partial = cfg.isPartialOutput;
    t.is_outer = cfg.scheduleType == ScheduleType::OUTER_PRODUCT;
    t.order = cfg.iterateOrder;
    t.clips = cfg.enableRelu;
    t.is_bias_batch = cfg.isBiasBatch;
    t.is_upper = is_upper;
    t.is_lower = is_lower;
    t.is_sparse = is_sparse_type<B>::value;
    return t;
}

/* The plan of constants, over what a kernel was given. */
inline void fix_plan(AscendC::tiling::TCubeTiling &, const MatmulConfig &c, bool &) { (void)c; }
inline void fix_plan(AscendC::tiling::TCubeTiling &t, const MatmulApiStaticTiling &s,
                     bool &is_whole)
{
    is_whole = s.M > 0;
#define NPU_FIX(field)                                                                             \
    if (s.field > 0)                                                                               \
        t.field = s.field;
    NPU_FIX(baseM)
    NPU_FIX(baseN)
    NPU_FIX(baseK)
    NPU_FIX(depthA1)
    NPU_FIX(depthB1)
    NPU_FIX(stepM)
    NPU_FIX(stepN)
    NPU_FIX(stepKa)
    NPU_FIX(stepKb)
    NPU_FIX(dbL0A)
    NPU_FIX(dbL0B)
    NPU_FIX(dbL0C)
    NPU_FIX(singleCoreM)
    NPU_FIX(singleCoreN)
    NPU_FIX(singleCoreK)
    if (t.M <= 0) { /* no plan was given */
        t.usedCoreNum = 1;
        t.iterateOrder = s.iterateOrder > 0;
        NPU_FIX(M)
        NPU_FIX(N)
        NPU_FIX(Ka)
        NPU_FIX(Kb)
    }
#undef NPU_FIX
}

/* is_direct: called on the cube core itself. */
template <bool is_direct, class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE,
          const auto &MM_CFG, class MM_CB, bool is_upper, bool is_lower>
class mm_object {
public:
    using SrcT = typename A_TYPE::T;
    using SrcAT = typename A_TYPE::T;
    using SrcBT = typename B_TYPE::T;
    using DstT = typename C_TYPE::T;
    using BiasT = typename BIAS_TYPE::T;
    using L0cT = typename AscendC::GetMmDstType<SrcT>::Type;
    using call_back = MM_CB;

private:
    using local_c = AscendC::LocalTensor<DstT>;
    using global_c = AscendC::GlobalTensor<DstT>;
    static constexpr const MatmulConfig &cfg = config_of(MM_CFG);
    static constexpr bool is_dual = cfg.enableMixDualMaster;
    static constexpr bool is_called = is_direct || is_dual; /* on the cube core */
    static constexpr bool is_shared = A_TYPE::ibShare && B_TYPE::ibShare;
    static constexpr mm_types types =
        mm_types_of<A_TYPE, B_TYPE, C_TYPE, MM_CFG, MM_CB, is_upper, is_lower>();
    static_assert(
        mm_multiplies<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE>(),
        "Matmul on this chip: A and B of one type: half, bfloat16_t or float (C half, "
        "bfloat16_t, float, int8_t of half and bfloat16_t), int8_t or int4b_t (C int32_t, "
        "half, int8_t of int8_t); bias float or half, int32_t for integers");
    static_assert(A_TYPE::format != CubeFormat::COLUMN_MAJOR &&
                      B_TYPE::format != CubeFormat::COLUMN_MAJOR &&
                      C_TYPE::format != CubeFormat::COLUMN_MAJOR,
                  "Matmul: CubeFormat::COLUMN_MAJOR is dav-3510 only");
    static_assert(A_TYPE::layout == B_TYPE::layout || A_TYPE::layout == LayoutMode::NONE ||
                      B_TYPE::layout == LayoutMode::NONE,
                  "Matmul: A and B of a batch have one layout");
    static_assert(!cfg.isEnableChannelSplit ||
                      (C_TYPE::format == CubeFormat::NZ && std::is_same_v<DstT, float>),
                  "Matmul: isEnableChannelSplit is for C as NZ of float");
    static_assert(
        !types.is_sparse || (std::is_same_v<SrcT, int8_t> && B_TYPE::isTrans &&
                             B_TYPE::format == CubeFormat::ND && MM_CB::b1 == nullptr),
        "Matmul: a sparse B is int8_t, transposed (ISTRANS), ND and moved in by the object");
    static_assert(!cfg.enableRelu, "Matmul: enableRelu is dav-3510 only");
    static_assert(!cfg.intraBlockPartSum, "Matmul: no chip has intraBlockPartSum");

public:
    /* ---- life ---- */

    mm_object() { Begin(); }
    ~mm_object() { std::free(sums_); }
    mm_object(const mm_object &) = delete;
    mm_object &operator=(const mm_object &) = delete;
    void Init(const AscendC::tiling::TCubeTiling *cubeTiling, AscendC::TPipe * = nullptr,
              npu_where where = NPU_HERE)
    {
        Begin();
        std::free(sums_); /* of another size */
        sums_ = nullptr;
        AscendC::tiling::TCubeTiling t = {};
        bool is_whole = false;
        if (cubeTiling)
            t = *cubeTiling;
        fix_plan(t, MM_CFG, is_whole);
        if (NPU_UNLIKELY(!cubeTiling && !is_whole)) {
            npu_fault(core(), NPU_E_ARG, where,
                      "Matmul: Init without a TCubeTiling; a null pointer is for plans that are "
                      "constants as a whole (GetMatmulApiTiling with singleCoreM, N and K)");
            return;
        }
        m_.Take(t);
        static_bias_ = !cubeTiling;
        if (IsMine() && m_.Fits(core(), where))
            m_.NotePlan(core(), cfg.doMultiDataLoad, where);
    }
    void npu_on_cube() { on_cube_ = true; }
    void SetSubBlockIdx(uint8_t subBlockIdx)
    {
        sub_ = subBlockIdx;
        has_sub_ = true;
    }
    uint8_t GetSubBlockIdx() { return has_sub_ ? sub_ : uint8_t(core()->sub_idx); }
    void End() { m_.Restart(); }

    /* ---- shapes ---- */

    void SetOrgShape(int orgM, int orgN, int orgK, npu_where where = NPU_HERE)
    {
        SetOrgShape(orgM, orgN, orgK, orgK, 0, where);
    }
    void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0,
                     npu_where where = NPU_HERE)
    {
        if (!IsOn(cfg.enableSetOrgShape, "SetOrgShape", "enableSetOrgShape", where))
            return;
        m_.org_m = orgM;
        m_.org_n = orgN;
        m_.org_ka = orgKa;
        m_.org_kb = orgKb;
        m_.org_kc = orgKc ? orgKc : orgN;
        m_.Restart();
    }
    void SetSingleShape(int singleM, int singleN, int singleK)
    {
        m_.m = singleM;
        m_.n = singleN;
        m_.k = singleK;
        m_.is_told = true;
        m_.Restart();
    }
    void SetTail(int tailM = -1, int tailN = -1, int tailK = -1, npu_where where = NPU_HERE)
    {
        if (!IsOn(cfg.enableSetTail, "SetTail", "enableSetTail", where))
            return;
        SetSingleShape(tailM != -1 ? tailM : m_.m, tailN != -1 ? tailN : m_.n,
                       tailK != -1 ? tailK : m_.k);
    }
    void SetBatchNum(int32_t batchA, int32_t batchB)
    {
        m_.batch_a = batchA;
        m_.batch_b = batchB;
    }
    void SetHF32(bool enableHF32 = false, int32_t transMode = 0)
    {
        m_.hf32 = uint8_t(!enableHF32 ? HF32_OFF : transMode ? HF32_ZERO : HF32_EVEN);
    }

    /* ---- operands ---- */

    void SetTensorA(const AscendC::GlobalTensor<SrcAT> &gm, bool isTransposeA = false,
                    npu_where where = NPU_HERE)
    {
        SetSide(m_.a, gm_ref(gm.raw()), false, isTransposeA, A_TYPE::isTrans, "SetTensorA", where);
    }
    void SetTensorA(const AscendC::LocalTensor<SrcAT> &leftMatrix, bool isTransposeA = false,
                    npu_where where = NPU_HERE)
    {
        SetSide(m_.a, Local(leftMatrix, "SetTensorA", where), true, isTransposeA, A_TYPE::isTrans,
                "SetTensorA", where);
    }
    void SetTensorA(SrcAT aScalar) { SetOne(m_.a, bits_of(aScalar)); }
    void SetTensorB(const AscendC::GlobalTensor<SrcBT> &gm, bool isTransposeB = false,
                    npu_where where = NPU_HERE)
    {
        SetSide(m_.b, gm_ref(gm.raw()), false, isTransposeB, B_TYPE::isTrans, "SetTensorB", where);
    }
    void SetTensorB(const AscendC::LocalTensor<SrcBT> &rightMatrix, bool isTransposeB = false,
                    npu_where where = NPU_HERE)
    {
        SetSide(m_.b, Local(rightMatrix, "SetTensorB", where), true, isTransposeB, B_TYPE::isTrans,
                "SetTensorB", where);
    }
    void SetTensorB(SrcBT bScalar) { SetOne(m_.b, bits_of(bScalar)); }
    void SetBias(const AscendC::GlobalTensor<BiasT> &biasGlobal, npu_where where = NPU_HERE)
    {
        TakeBias(gm_ref(biasGlobal.raw()), where);
    }
    void SetBias(const AscendC::LocalTensor<BiasT> &inputBias, npu_where where = NPU_HERE)
    {
        TakeBias(Local(inputBias, "SetBias", where), where);
    }
    void DisableBias() { m_.SetNoBias(); }
    void ClearBias() { m_.SetNoBias(); }
    void SetQuantScalar(const uint64_t quantScalar, npu_where where = NPU_HERE)
    {
        if (!IsOn(cfg.enableQuantVector, "SetQuantScalar", "enableQuantVector", where))
            return;
        m_.quant_scalar = quantScalar;
        m_.quant.is_set = false;
        has_quant_ = true;
    }
    void SetQuantVector(const AscendC::GlobalTensor<uint64_t> &quantTensor,
                        npu_where where = NPU_HERE)
    {
        if (!IsOn(cfg.enableQuantVector, "SetQuantVector", "enableQuantVector", where))
            return;
        m_.quant.ref = gm_ref(quantTensor.raw());
        m_.quant.is_set = has_quant_ = true;
    }
    void SetQuantVector(const AscendC::LocalTensor<uint64_t> &quantTensor,
                        npu_where where = NPU_HERE)
    {
        if (!IsOn(cfg.enableQuantVector, "SetQuantVector", "enableQuantVector", where))
            return;
        m_.quant.ref = Local(quantTensor, "SetQuantVector", where);
        m_.quant.is_set = has_quant_ = true;
    }
    void SetSparseIndex(const AscendC::GlobalTensor<uint8_t> &indexGlobal)
    {
        static_assert(types.is_sparse && is_direct && cfg.doMultiDataLoad,
                      "Matmul: SetSparseIndex wants B as SparseMatmulType, the MDL template and "
                      "ASCENDC_CUBE_ONLY");
        m_.index.ref = gm_ref(indexGlobal.raw());
        m_.index.is_set = true;
    }
    void SetUserDefInfo(const uint64_t tilingPtr) { m_.user_tiling = tilingPtr; }
    void SetSelfDefineData(const uint64_t dataPtr, npu_where where = NPU_HERE)
    {
        if (!IsOn(cfg.enableSetDefineData, "SetSelfDefineData", "enableSetDefineData", where))
            return;
        m_.user_data = dataPtr;
    }
    /* The twin needs no room in UB. */
    void SetLocalWorkspace(const AscendC::LocalTensor<uint8_t> &) {}
    template <class T> void SetWorkspace(AscendC::GlobalTensor<T> &addr)
    {
        m_.workspace = uint64_t(uintptr_t(addr.raw()));
        m_.n_workspace = addr.GetSize() * sizeof(T) / sizeof(DstT);
    }
    template <class T> void SetWorkspace(const T *addr, int size)
    {
        m_.workspace = uint64_t(uintptr_t(addr));
        m_.n_workspace = size > 0 ? uint64_t(size) * sizeof(T) / sizeof(DstT) : 0;
    }

    /* ---- all of one core's C ---- */

    template <bool sync = true>
    void IterateAll(const global_c &gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                    bool waitIterateAll = false, bool fakeMsg = false, npu_where where = NPU_HERE)
    {
        CheckMode<ITERATE_MODE_ALL>();
        (void)waitIterateAll;
        const mm_target to = {gm_ref(gm.raw()), enAtomic, enSequentialWrite, false};
        Run("IterateAll", where, [&](npu_core *c) {
            if (!fakeMsg)
                m_.All(c, to, where);
        });
        if constexpr (sync)
            Meet(where);
    }
    template <bool sync = true>
    void IterateAll(const local_c &ubCmatrix, uint8_t enAtomic = 0, npu_where where = NPU_HERE)
    {
        CheckMode<ITERATE_MODE_ALL>();
        const mm_target to = {Local(ubCmatrix, "IterateAll", where), enAtomic, false, true};
        if (HasRoom(ubCmatrix, m_.m, m_.n, "IterateAll", where))
            Run("IterateAll", where, [&](npu_core *c) { m_.All(c, to, where); });
        if constexpr (sync)
            Meet(where);
    }
    void WaitIterateAll(npu_where where = NPU_HERE) { Meet(where); }

    /* ---- tile by tile ---- */

    template <bool sync = true> bool Iterate(bool enPartialSum = false, npu_where where = NPU_HERE)
    {
        CheckMode<ITERATE_MODE_NORMAL>();
        static_assert(!is_dual, "Matmul: Iterate is not for enableMixDualMaster");
        if (!IsMine())
            return false;
        if constexpr (!sync)
            return IterateAhead(where);
        else
            return Next(enPartialSum, nullptr, where);
    }
    /* Into L0C that the kernel holds. */
    template <bool sync = true, typename T>
    bool Iterate(bool enPartialSum, const AscendC::LocalTensor<T> &localCmatrix,
                 npu_where where = NPU_HERE)
    {
        CheckMode<ITERATE_MODE_NORMAL>();
        static_assert(std::is_same_v<T, L0cT>,
                      "Matmul: Iterate into CO1 takes float, or int32_t for integers");
        static_assert(C_TYPE::pos == AscendC::TPosition::CO1 && C_TYPE::format == CubeFormat::NZ,
                      "Matmul: Iterate into CO1 wants C as TPosition::CO1 and CubeFormat::NZ");
        if (!IsMine())
            return false;
        const npu_ref to = local_ref(core(), localCmatrix);
        if (!lies_in(core(), "Iterate", "localCmatrix", to, mem_bit(MEM_L0C), "L0C (CO1)", where))
            return false;
        return Next(enPartialSum, &to, where);
    }
    template <bool sync = true, bool doPad = false>
    void GetTensorC(const local_c &c, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                    uint32_t height = 0, uint32_t width = 0, uint32_t srcGap = 0,
                    uint32_t dstGap = 0, npu_where where = NPU_HERE)
    {
        (void)height, (void)width, (void)srcGap, (void)dstGap;
        CheckGet();
        if (!IsMine())
            return;
        (void)enSequentialWrite; /* in UB a tile lies alone */
        const mm_core::place p = m_.Place(sync ? Newest() : m_.fetched);
        if (HasRoom(c, p.m, p.n, "GetTensorC", where))
            Get<sync>({Local(c, "GetTensorC", where), enAtomic, true, true}, where);
    }
    template <bool sync = true>
    void GetTensorC(const global_c &gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                    npu_where where = NPU_HERE)
    {
        CheckGet();
        if (IsMine())
            Get<sync>({gm_ref(gm.raw()), enAtomic, enSequentialWrite, false}, where);
    }
    template <bool sync = true>
    void GetTensorC(const global_c &gm, const local_c &co2Local, uint8_t enAtomic = 0,
                    bool enSequentialWrite = false, npu_where where = NPU_HERE)
    {
        static_assert(!is_direct, "Matmul: GetTensorC into GM and UB is not for ASCENDC_CUBE_ONLY");
        const int32_t fetched = m_.fetched;
        GetTensorC<sync>(co2Local, 0, true, 0, 0, 0, 0, where);
        m_.fetched = fetched;
        GetTensorC<sync>(gm, enAtomic, enSequentialWrite, where);
    }
    /* Where the next tile of Iterate<false> lies in the workspace. */
    template <bool sync = true>
    global_c GetTensorC(uint8_t enAtomic = 0, bool enSequentialWrite = false,
                        npu_where where = NPU_HERE)
    {
        static_assert(!sync, "Matmul: GetTensorC() without a tensor is GetTensorC<false>()");
        (void)enAtomic, (void)enSequentialWrite;
        CheckGet();
        global_c at;
        if (!IsMine() || !IsAhead("GetTensorC", where))
            return at;
        at.SetGlobalBuffer(reinterpret_cast<DstT *>(uintptr_t(m_.workspace)) + SlotOf(m_.fetched),
                           SlotElements());
        m_.fetched++;
        return at;
    }
    void AsyncGetTensorC(const local_c &c, npu_where where = NPU_HERE)
    {
        GetTensorC<false>(c, 0, false, 0, 0, 0, 0, where);
    }
    void WaitGetTensorC() {}
    AscendC::MatrixOffset GetOffsetC()
    {
        const mm_core::place p = m_.Place(Newest());
        return {p.m0 * m_.org_kc + p.n0, p.m0, p.n0, p.m, p.n};
    }

    /* ---- batches ---- */

    template <bool sync = true, bool waitIterateBatch = false, bool d = is_direct,
              std::enable_if_t<!d, bool> = true>
    void IterateBatch(const global_c &gm, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
                      const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                      const uint32_t matrixStrideC = 0, const bool enPartialSum = false,
                      const uint8_t enAtomic = 0, npu_where where = NPU_HERE)
    {
        (void)enSequentialWrite;
        RunBatch({gm_ref(gm.raw()), enAtomic, false, false}, 0, 1, int32_t(batchA), int32_t(batchB),
                 {matrixStrideA, matrixStrideB, matrixStrideC}, enPartialSum, where);
    }
    template <bool sync = true, bool d = is_direct, std::enable_if_t<!d, bool> = true>
    void IterateBatch(const local_c &ubCmatrix, uint32_t batchA, uint32_t batchB,
                      bool enSequentialWrite, const uint32_t matrixStrideA = 0,
                      const uint32_t matrixStrideB = 0, const uint32_t matrixStrideC = 0,
                      const bool enPartialSum = false, const uint8_t enAtomic = 0,
                      npu_where where = NPU_HERE)
    {
        static_assert(sync, "Matmul: IterateBatch into UB is not asynchronous");
        (void)enSequentialWrite;
        RunBatch({Local(ubCmatrix, "IterateBatch", where), enAtomic, false, true}, 0, 1,
                 int32_t(batchA), int32_t(batchB), {matrixStrideA, matrixStrideB, matrixStrideC},
                 enPartialSum, where);
    }
    /* On a cube core, with the numbers of SetBatchNum. */
    template <bool d = is_direct, std::enable_if_t<d, bool> = true>
    void IterateBatch(const global_c &gm, bool enPartialSum, uint8_t enAtomic,
                      bool enSequentialWrite, const uint32_t matrixStrideA = 0,
                      const uint32_t matrixStrideB = 0, const uint32_t matrixStrideC = 0,
                      npu_where where = NPU_HERE)
    {
        (void)enSequentialWrite;
        RunBatch({gm_ref(gm.raw()), enAtomic, false, false}, 0, 1, m_.batch_a, m_.batch_b,
                 {matrixStrideA, matrixStrideB, matrixStrideC}, enPartialSum, where);
    }
    template <bool d = is_direct, std::enable_if_t<d, bool> = true>
    void IterateBatch(const local_c &ubCmatrix, bool enPartialSum, uint8_t enAtomic,
                      bool enSequentialWrite, const uint32_t matrixStrideA = 0,
                      const uint32_t matrixStrideB = 0, const uint32_t matrixStrideC = 0,
                      npu_where where = NPU_HERE)
    {
        (void)enSequentialWrite;
        RunBatch({Local(ubCmatrix, "IterateBatch", where), enAtomic, false, true}, 0, 1, m_.batch_a,
                 m_.batch_b, {matrixStrideA, matrixStrideB, matrixStrideC}, enPartialSum, where);
    }
    template <bool sync = true, bool waitIterateBatch = false>
    void IterateNBatch(const uint32_t batchLoop, uint32_t batchA, uint32_t batchB,
                       bool enSequentialWrite, const uint32_t matrixStrideA = 0,
                       const uint32_t matrixStrideB = 0, const uint32_t matrixStrideC = 0,
                       npu_where where = NPU_HERE)
    {
        static_assert(cfg.isNBatch, "Matmul: IterateNBatch wants isNBatch of MatmulConfig");
        (void)enSequentialWrite;
        if (!IsMine() || !HasWorkspace("IterateNBatch", where))
            return;
        m_.fetched = 0;
        mm_target to = {};
        to.ref = gm_ref(reinterpret_cast<void *>(uintptr_t(m_.workspace)));
        RunBatch(to, 0, int32_t(batchLoop), int32_t(batchA), int32_t(batchB),
                 {matrixStrideA, matrixStrideB, matrixStrideC}, false, where);
    }
    void WaitIterateBatch() {}
    template <bool sync = true>
    global_c GetBatchTensorC(uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false,
                             npu_where where = NPU_HERE)
    {
        (void)enSequentialWrite;
        global_c at;
        if (!IsMine() || !HasWorkspace("GetBatchTensorC", where))
            return at;
        const uint64_t elements = BatchElements(batchA, batchB);
        at.SetGlobalBuffer(reinterpret_cast<DstT *>(uintptr_t(m_.workspace)) +
                               uint64_t(m_.fetched) * elements,
                           elements);
        m_.fetched++;
        return at;
    }
    template <bool sync = true>
    void GetBatchTensorC(const local_c &c, uint32_t batchA, uint32_t batchB,
                         bool enSequentialWrite = false, npu_where where = NPU_HERE)
    {
        const global_c from = GetBatchTensorC<sync>(batchA, batchB, enSequentialWrite, where);
        if (from.raw() && HasRoom(c, 1, int32_t(from.GetSize()), "GetBatchTensorC", where))
            ToUb(c, from.raw(), from.GetSize(), where);
    }
    template <bool sync = true>
    global_c GetBatchC(uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false,
                       npu_where where = NPU_HERE)
    {
        return GetBatchTensorC<sync>(batchA, batchB, enSequentialWrite, where);
    }
    template <bool sync = true>
    void GetBatchC(const local_c &c, uint32_t batchA, uint32_t batchB,
                   bool enSequentialWrite = false, npu_where where = NPU_HERE)
    {
        GetBatchTensorC<sync>(c, batchA, batchB, enSequentialWrite, where);
    }

    /* REGIST_MATMUL_OBJ, for this door only: true where the kernel's lines end. */
    static constexpr bool npu_is_served = !is_called;

private:
    mm_core m_;
    uint8_t sub_ = 0;
    bool has_sub_ = false, static_bias_ = false, has_quant_ = false;
    bool is_ahead_ = false; /* Iterate<false> has filled the workspace */
    struct strides3 {
        uint32_t a, b, c;
    };

    void Begin()
    {
        m_.types = &types;
        m_.copy_out = MM_CB::out;
        m_.copy_a = MM_CB::a1;
        m_.copy_b = MM_CB::b1;
    }
    /* False, with a fault, of a call that the configuration says is not used. */
    bool IsOn(bool is_on, const char *name, const char *by, npu_where where) const
    {
        if (NPU_UNLIKELY(!is_on && IsMine()))
            npu_fault(core(), NPU_E_ARG, where,
                      "%s: MatmulConfig of the object says with %s = false that it is not called",
                      name, by);
        return is_on;
    }
    /* On the cube core, by its type or because a CubeResGroupHandle calls it there. */
    bool IsCalled() const { return is_called || on_cube_; }
    /* This core is the one that calls. */
    bool IsMine() const { return (core()->core_kind == CORE_AIC) == IsCalled(); }
    template <uint8_t mode> static void CheckMode()
    {
        static_assert((cfg.iterateMode & mode) != 0,
                      "Matmul: iterateMode of MatmulConfig says that this call is not used");
    }
    static void CheckGet()
    {
        static_assert(cfg.enableGetTensorC && !is_dual,
                      "Matmul: GetTensorC is switched off by enableGetTensorC = false, and is not "
                      "for enableMixDualMaster");
    }

    /* ---- operands ---- */

    /* Of a vector core UB, and L1 where its queue has put it, are addresses to the cube core. */
    template <class T>
    npu_ref Local(const AscendC::LocalTensor<T> &t, const char *name, npu_where where)
    {
        npu_core *c = core();
        const npu_mem mem = mem_of(AscendC::TPosition(t.GetPosition()));
        if (NPU_UNLIKELY(!t.raw() || (mem != MEM_UB && mem != MEM_L1) ||
                         (IsCalled() && mem == MEM_UB))) {
            if (IsMine())
                npu_fault(c, NPU_E_ARG, where, "%s: the tensor lies in %s; %s", name,
                          npu_mems[mem].name,
                          IsCalled() ? "a cube core takes GM and TSCM (L1)"
                                     : "a vector core takes GM, UB (VECIN, VECOUT) and TSCM");
            return gm_ref(nullptr);
        }
        return IsCalled() ? local_ref(c, t) : gm_ref(t.raw());
    }
    void SetSide(mm_operand &x, const npu_ref &ref, bool is_local, bool turns, bool may_turn,
                 const char *name, npu_where where)
    {
        if (NPU_UNLIKELY(turns && !may_turn && IsMine())) {
            constexpr const char *why =
                "%s: transposed, and ISTRANS of its MatmulType is false: the plan may not have the "
                "room in L1 for it, and the page says that results are wrong then";
            if (sizeof(SrcT) == 2) /* whose fractals take as much room either way */
                npu_note(core(), "MATMUL-ISTRANS", where, why, name);
            else
                npu_fault(core(), NPU_E_ARG, where, why, name);
        }
        if (NPU_UNLIKELY(turns && is_nibble<SrcT> && &x == &m_.a && IsMine()))
            npu_fault(core(), NPU_E_UNSUP, where, "%s: A of int4b_t is not transposed on this chip",
                      name);
        x.ref = ref;
        x.is_local = is_local;
        x.is_turned = turns;
        x.is_one = false;
        x.is_set = true;
        m_.Restart();
    }
    void SetOne(mm_operand &x, uint64_t bits)
    {
        static_assert(std::is_same_v<SrcT, half> || std::is_same_v<SrcT, float>,
                      "Matmul: one value for a whole matrix is half or float");
        x = {};
        x.bits = bits;
        x.is_one = x.is_set = true;
        m_.Restart();
    }
    void TakeBias(const npu_ref &ref, npu_where where)
    {
        if (!IsOn(cfg.enableSetBias, "SetBias", "enableSetBias", where))
            return;
        mm_operand x;
        x.ref = ref;
        x.type = type_of<BiasT>;
        x.is_set = true;
        if (NPU_UNLIKELY(m_.has_plan && !m_.plan.isBias && !static_bias_ && IsMine()))
            npu_fault(
                core(), NPU_E_ARG, where,
                "SetBias: isBias of TCubeTiling is 0; EnableBias(true) on the host makes room "
                "for one");
        m_.SetBiasTo(x);
    }

    /* ---- running ---- */

    template <class F> static void Enter(void *f, npu_core *cube) { (*static_cast<F *>(f))(cube); }
    /* body on the cube core, from wherever it is called. */
    template <class F> void Run(const char *name, npu_where where, F body)
    {
        if (!IsMine())
            return;
        npu_core *c = core();
        if (!m_.IsReady(c, name, where) || !HasQuant(name, where))
            return;
        if constexpr (is_called)
            body(c);
        else if (on_cube_)
            body(c);
        else
            npu_group_call(c, Enter<F>, &body, is_shared, name, where);
    }
    bool HasQuant(const char *name, npu_where where)
    {
        constexpr bool wants = sizeof(DstT) == 1 || (types.is_int && sizeof(DstT) == 2);
        if (NPU_LIKELY(!wants || has_quant_))
            return true;
        npu_fault(core(), NPU_E_ARG, where,
                  "%s: C is scaled to %s on its way out: SetQuantScalar or SetQuantVector comes "
                  "first",
                  name, npu_types[types.c].name);
        return false;
    }
    /* enableMixDualMaster: the vector cores of a group wait for their cube core. */
    void Meet(npu_where where)
    {
        if constexpr (is_dual) {
            npu_core *c = core();
            if (c->is_mix && c->core_kind == CORE_AIC)
                npu_cross_set(c, CROSS_GROUP, PIPE_FIX, 0, where);
            else if (c->is_mix)
                npu_cross_wait(c, 0, where);
        }
    }

    int32_t PerIterate() const { return types.is_outer ? 2 : 1; }
    int32_t Newest() const { return m_.tile < 0 ? 0 : m_.tile; }
    /* Tile i, or the two of an outer product, to L0C. */
    bool Next(bool adds, const npu_ref *into, npu_where where)
    {
        const int32_t next = m_.tile < 0 ? 0 : m_.tile + made_;
        if (!m_.IsReady(core(), "Iterate", where))
            return false;
        if (next >= m_.Tiles()) {
            m_.Restart();
            return false;
        }
        const int32_t left = m_.Tiles() - next;
        const bool same_b = m_.tile >= 0 && !into && !types.is_partial && !types.is_outer &&
                            m_.Place(next).column == m_.Place(m_.tile).column;
        m_.tile = next;
        made_ = types.is_outer && left > 1 && IsPair(next) ? 2 : 1;
        const uint32_t at = into ? uint32_t(into->at_bytes) : 0;
        const int32_t made = made_;
        Run("Iterate", where, [&](npu_core *c) {
            npu_barrier(c, PIPE_ALL, where);
            if (adds)
                Restore(c);
            for (int32_t i = 0; i < made; i++) {
                m_.keeps_b = same_b;
                m_.Compute(c, m_.Place(next + i), at + uint32_t(i) * TileSums(), !adds, where);
            }
            npu_barrier(c, PIPE_ALL, where);
            Keep(c);
        });
        return !core()->faulted;
    }
    /* Two vector cores share L0C of one cube core: the sums of each are put aside until it asks for
     * them. Everything that was issued has run here. */
    void Keep(npu_core *c)
    {
        if (c->n_sub < 2 || IsCalled())
            return;
        if (!sums_)
            sums_ = static_cast<float *>(std::malloc(TileSums()));
        if (sums_)
            std::memcpy(sums_, c->mem[MEM_L0C].base, TileSums());
        else
            npu_fault(c, NPU_E_NOMEM, {nullptr, 0}, "Iterate: no memory for a tile of sums");
    }
    void Restore(npu_core *c)
    {
        if (sums_)
            std::memcpy(c->mem[MEM_L0C].base, sums_, TileSums());
    }
    uint32_t TileSums() const
    {
        return uint32_t(m_.plan.baseM) * uint32_t(m_.plan.baseN) * uint32_t(sizeof(float));
    }
    bool IsPair(int32_t i) const
    {
        const mm_core::place p = m_.Place(i), q = m_.Place(i + 1);
        return types.order == IterateOrder::ORDER_N ? p.column == q.column : p.row == q.row;
    }
    template <bool sync> void Get(const mm_target &to, npu_where where)
    {
        if constexpr (!sync) {
            GetAhead(to, where);
        } else {
            if (NPU_UNLIKELY(m_.tile < 0)) {
                npu_fault(core(), NPU_E_ARG, where,
                          "GetTensorC: no tile has been computed: Iterate comes first, and has to "
                          "say true");
                return;
            }
            const int32_t first = m_.tile, made = made_;
            Run("GetTensorC", where, [&](npu_core *c) {
                mm_target at = to;
                npu_barrier(c, PIPE_ALL, where);
                Restore(c);
                for (int32_t i = 0; i < made; i++) {
                    const mm_core::place p = m_.Place(first + i);
                    m_.Out(c, p, uint32_t(i) * TileSums(), at, where);
                    if (to.is_dense)
                        at.ref.at_bytes += uint64_t(m_.TileBytes(p, to));
                }
                npu_barrier(c, PIPE_ALL, where);
            });
        }
    }

    /* ---- Iterate<false>: all tiles into the workspace, baseM * baseN elements each ---- */

    uint64_t SlotElements() const { return uint64_t(m_.plan.baseM) * uint64_t(m_.plan.baseN); }
    uint64_t SlotOf(int32_t i) const { return uint64_t(i) * SlotElements(); }
    bool HasWorkspace(const char *name, npu_where where)
    {
        if (NPU_LIKELY(m_.workspace != 0))
            return true;
        npu_fault(core(), NPU_E_ARG, where,
                  "%s: results wait in a workspace in GM: SetWorkspace comes first", name);
        return false;
    }
    bool IterateAhead(npu_where where)
    {
        if (!HasWorkspace("Iterate<false>", where) || !m_.IsReady(core(), "Iterate<false>", where))
            return false;
        const mm_core::place last = m_.Place(m_.Tiles() - 1);
        mm_target dense = {};
        dense.is_dense = true;
        const uint64_t wants =
            SlotOf(m_.Tiles() - 1) + uint64_t(m_.TileBytes(last, dense)) / sizeof(DstT);
        if (NPU_UNLIKELY(m_.n_workspace && wants > m_.n_workspace)) {
            npu_fault(core(), NPU_E_RANGE, where,
                      "Iterate<false>: %d tiles of baseM %d x baseN %d are %llu elements, the "
                      "workspace has %llu",
                      m_.Tiles(), m_.plan.baseM, m_.plan.baseN, (unsigned long long)wants,
                      (unsigned long long)m_.n_workspace);
            return false;
        }
        Run("Iterate<false>", where, [&](npu_core *c) {
            mm_target to = {};
            to.is_dense = true;
            npu_barrier(c, PIPE_ALL, where);
            for (int32_t i = 0; i < m_.Tiles() && !c->faulted; i++) {
                to.ref = gm_ref(reinterpret_cast<DstT *>(uintptr_t(m_.workspace)) + SlotOf(i));
                m_.Compute(c, m_.Place(i), 0, true, where);
                npu_barrier(c, PIPE_ALL, where);
                m_.Out(c, m_.Place(i), 0, to, where);
                npu_barrier(c, PIPE_ALL, where);
            }
        });
        m_.fetched = 0;
        is_ahead_ = true;
        return !core()->faulted;
    }
    bool IsAhead(const char *name, npu_where where)
    {
        if (NPU_LIKELY(is_ahead_ && m_.fetched < m_.Tiles()))
            return true;
        npu_fault(core(), NPU_E_ARG, where,
                  "%s<false>: tile %d of %d; Iterate<false> computes them, once each", name,
                  m_.fetched, is_ahead_ ? m_.Tiles() : 0);
        return false;
    }
    void GetAhead(const mm_target &to, npu_where where)
    {
        if (!IsAhead("GetTensorC", where))
            return;
        const int32_t i = m_.fetched++;
        /* Out of its slot it would have to go through UB; the sums are the same once more. */
        Run("GetTensorC<false>", where, [&](npu_core *c) {
            npu_barrier(c, PIPE_ALL, where);
            m_.Compute(c, m_.Place(i), 0, true, where);
            npu_barrier(c, PIPE_ALL, where);
            m_.Out(c, m_.Place(i), 0, to, where);
            npu_barrier(c, PIPE_ALL, where);
        });
    }

    /* ---- UB ---- */

    bool HasRoom(const local_c &c, int32_t rows, int32_t columns, const char *name, npu_where where)
    {
        if (!IsMine())
            return true;
        constexpr int32_t blk = int32_t(NPU_BLK_BYTES / sizeof(DstT));
        const bool is_nz = C_TYPE::format == CubeFormat::NZ;
        if (NPU_UNLIKELY(C_TYPE::format == CubeFormat::ND && rows > 1 && columns % blk)) {
            npu_fault(core(), NPU_E_ALIGN, where,
                      "%s: %d columns of C in UB are not whole blocks of 32 bytes (%d elements); "
                      "CubeFormat::ND_ALIGN pads each row",
                      name, columns, blk);
            return false;
        }
        const uint64_t wide =
            uint64_t(is_nz                                    ? mm_core::ceil(columns, 16) * 16
                     : C_TYPE::format == CubeFormat::ND_ALIGN ? mm_core::ceil(columns, blk) * blk
                                                              : columns);
        const uint64_t ask = wide * uint64_t(is_nz ? mm_core::ceil(rows, 16) * 16 : rows);
        if (NPU_LIKELY(ask <= c.GetSize()))
            return true;
        npu_fault(core(), NPU_E_RANGE, where,
                  "%s: %d x %d of C are %llu elements, the tensor in UB has %llu", name, rows,
                  columns, (unsigned long long)ask, (unsigned long long)c.GetSize());
        return false;
    }
    void ToUb(const local_c &c, const DstT *from, uint64_t n, npu_where where)
    {
        npu_copy(core(), OP_copy_gm_to_ub, c.raw(), from, uint32_t(n * sizeof(DstT)), where);
    }

    /* ---- batches ---- */

    uint64_t BatchElements(uint32_t batchA, uint32_t batchB) const
    {
        const uint64_t n = batchA > batchB ? batchA : batchB;
        return n / uint64_t(m_.Reduced()) * uint64_t(m_.m) * uint64_t(m_.n);
    }
    void RunBatch(const mm_target &to, int32_t first, int32_t loops, int32_t n_a, int32_t n_b,
                  const strides3 &s, bool continues, npu_where where)
    {
        CheckMode<ITERATE_MODE_BATCH | ITERATE_MODE_N_BATCH>();
        static_assert(!is_dual, "Matmul: IterateBatch is not for enableMixDualMaster");
        static_assert(A_TYPE::layout != LayoutMode::NONE,
                      "Matmul: IterateBatch wants LAYOUT of MatmulType: NORMAL, BSNGD, SBNGD or "
                      "BNGS1S2");
        static_assert(!is_nibble<SrcT>, "Matmul: IterateBatch does not take int4b_t");
        Run("IterateBatch", where, [&](npu_core *c) {
            for (int32_t i = 0; i < loops && !c->faulted; i++)
                m_.Batch(c, to, first + i, n_a, n_b, s.a, s.b, continues, where);
        });
    }

    bool on_cube_ = false;
    int32_t made_ = 1;      /* tiles of the newest Iterate */
    float *sums_ = nullptr; /* its sums, while another vector core has the cube core */
};

template <const auto &CFG, template <const auto &, typename...> class P>
constexpr bool is_upper_policy =
    same_template<P, AscendC::Impl::Detail::TrianUpperMatmulPolicy>::value;
template <const auto &CFG, template <const auto &, typename...> class P>
constexpr bool is_lower_policy =
    same_template<P, AscendC::Impl::Detail::TrianLowerMatmulPolicy>::value;

/* ---- REGIST_MATMUL_OBJ --------------------------------------------------------------------------
 */

template <class T> struct is_mm_object : std::false_type {};
template <bool d, class A, class B, class C, class Bias, const auto &CFG, class CB, bool u, bool l>
struct is_mm_object<mm_object<d, A, B, C, Bias, CFG, CB, u, l>> : std::true_type {};

inline void regist(AscendC::TPipe *, npu_where) {}
template <class M, class... Rest>
void regist(AscendC::TPipe *pipe, npu_where where, M &mm, Rest &&...rest);
/* An object, then its plan: a pointer, or the plan itself. */
template <class M, class... Rest>
void regist_with(AscendC::TPipe *pipe, npu_where where, M &mm,
                 const AscendC::tiling::TCubeTiling *t, Rest &&...rest)
{
    mm.Init(t, pipe, where);
    regist(pipe, where, rest...);
}
template <class M, class... Rest>
void regist_with(AscendC::TPipe *pipe, npu_where where, M &mm,
                 const AscendC::tiling::TCubeTiling &t, Rest &&...rest)
{
    mm.Init(&t, pipe, where);
    regist(pipe, where, rest...);
}
template <class M, class N, class... Rest>
std::enable_if_t<is_mm_object<N>::value> regist_with(AscendC::TPipe *pipe, npu_where where, M &,
                                                     N &next, Rest &&...rest)
{
    regist(pipe, where, next, rest...);
}
template <class M> void regist_with(AscendC::TPipe *, npu_where, M &) {}
template <class M, class... Rest>
void regist(AscendC::TPipe *pipe, npu_where where, M &mm, Rest &&...rest)
{
    static_assert(is_mm_object<M>::value,
                  "REGIST_MATMUL_OBJ(&pipe, workspace, object, &tiling, object, &tiling ..)");
    regist_with(pipe, where, mm, rest...);
}

/* True on a cube core whose vector cores do the calling, after they have ended. */
template <class M, class... Rest>
bool regist_all(npu_where where, AscendC::TPipe *pipe, void *workspace, M &mm, Rest &&...rest)
{
    (void)workspace;
    if constexpr (M::npu_is_served) {
        npu_core *c = core();
        if (c->core_kind == CORE_AIC) {
            if (c->is_mix)
                npu_group_serve(c);
            else
                npu_fault(c, NPU_E_UNSUP, where,
                          "REGIST_MATMUL_OBJ on cube cores alone: nobody would call the object: "
                          "define ASCENDC_CUBE_ONLY in front of lib/matmul_intf.h, or launch "
                          "__mix__(1, 1) or __mix__(1, 2)");
            return true;
        }
    }
    regist(pipe, where, mm, rest...);
    return false;
}

} // namespace nputwin

#define MATMUL_POLICY_DEFAULT_OF(DEFAULT)                                                          \
    template <const auto & = MM_CFG, typename...>                                                  \
    class MATMUL_POLICY = AscendC::Impl::Detail::DEFAULT

namespace AscendC {

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE,
          const auto &MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>,
          template <const auto &, typename...> class MATMUL_POLICY = Impl::Detail::MatmulPolicy>
using MatmulImpl = nputwin::mm_object<true, A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB,
                                      nputwin::is_upper_policy<MM_CFG, MATMUL_POLICY>,
                                      nputwin::is_lower_policy<MM_CFG, MATMUL_POLICY>>;
#ifdef ASCENDC_CUBE_ONLY
#define NPU_MATMUL_DIRECT true
#else
#define NPU_MATMUL_DIRECT false
#endif
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE,
          const auto &MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>,
          template <const auto &, typename...> class MATMUL_POLICY = Impl::Detail::MatmulPolicy>
using Matmul = nputwin::mm_object<NPU_MATMUL_DIRECT, A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG,
                                  MM_CB, nputwin::is_upper_policy<MM_CFG, MATMUL_POLICY>,
                                  nputwin::is_lower_policy<MM_CFG, MATMUL_POLICY>>;
#undef NPU_MATMUL_DIRECT

} // namespace AscendC

/* Older spelling of the same names. */
namespace matmul {
using namespace AscendC;
}

/* On the cube core of a mix kernel the rest of the kernel function is not run. */
#define REGIST_MATMUL_OBJ(tpipe, workspace, ...)                                                   \
    if (nputwin::regist_all(NPU_HERE, tpipe, workspace, __VA_ARGS__))                              \
    return
#endif
