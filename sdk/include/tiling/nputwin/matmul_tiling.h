/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul_tiling.h - MatmulApiTiling, MultiCoreMatmulTiling and BatchMatmulTiling: how a matrix
 * product is cut.
 *
 * Setters only fill a question (matmul_plan.h); GetTiling has it answered in libtiling_api.so. A
 * setter returns -1 for what no matmul has; GetTiling returns -1 when nothing fits, with the sizes
 * and the limit in aclGetRecentErrMsg.
 */
#ifndef NPUTWIN_MATMUL_TILING_H
#define NPUTWIN_MATMUL_TILING_H
#include "../../kernel_tiling/tiling_classes.h"
#include "../platform/platform_ascendc.h"
#include "matmul_plan.h"

namespace nputwin {

#define NPU_U32(field)  to.set_##field(from.field);
#define NPU_I32(field)  to.set_##field(from.field);
#define NPU_F32(field)  to.set_##field(from.field);
#define NPU_U16(field)  to.set_##field(from.field);
#define NPU_BOOL(field) to.set_##field(from.field);
#define TILING(name, ...)                                                                          \
    inline void copy_plan(optiling::name &to, const AscendC::tiling::name &from) { __VA_ARGS__ }
#include "../../kernel_tiling/tilings.def"

} // namespace nputwin

namespace matmul_tiling {

enum class DataType : int32_t {
    DT_FLOAT = 0,
    DT_FLOAT16 = 1,
    DT_INT8 = 2,
    DT_INT32 = 3,
    DT_UINT8 = 4,
    DT_INT16 = 6,
    DT_UINT16 = 7,
    DT_UINT32 = 8,
    DT_INT64 = 9,
    DT_UINT64 = 10,
    DT_DOUBLE = 11,
    DT_BOOL = 12,
    DT_BF16 = 27,
    DT_UNDEFINED = 28,
    DT_INT4 = 29,
    DT_BFLOAT16 = 33,
    DT_HIFLOAT8 = 34,
    DT_FLOAT8_E4M3FN = 35,
    DT_FLOAT8_E5M2 = 36,
    DT_FLOAT4_E2M1 = 37,
    DT_FLOAT8_E8M0 = 38,
    DT_FLOAT4_E1M2 = 39,
    DT_MAX = 40
};
enum class TPosition : int32_t {
    GM,
    A1,
    A2,
    B1,
    B2,
    C1,
    C2,
    CO1,
    CO2,
    VECIN,
    VECOUT,
    VECCALC,
    LCM = VECCALC,
    SPM,
    SHM = SPM,
    TSCM,
    MAX
};
enum class CubeFormat : int32_t {
    ND = 0,
    NZ,
    ZN,
    ZZ,
    NN,
    ND_ALIGN,
    SCALAR,
    VECTOR,
    ROW_MAJOR = ND,
    COLUMN_MAJOR = 8
};
enum class MatrixTraverse : int32_t { NOSET = 0, FIRSTM = 1, FIRSTN = 2 };
enum class MatrixMadType : int32_t { NORMAL = 0, HF32 = 1, MXMODE = 2 };
enum class DequantType : int32_t { SCALAR = 0, TENSOR = 1 };
enum class ScheduleType : int32_t { INNER_PRODUCT = 0, OUTER_PRODUCT = 1, N_BUFFER_33 = 2 };

struct SysTilingTempBufSize {
    int32_t ubSize = 0, l1Size = 0, l0cSize = 0;
};
struct PlatformInfo {
    platform_ascendc::SocVersion socVersion;
    uint64_t l1Size = 0, l0CSize = 0, ubSize = 0, l0ASize = 0, l0BSize = 0;
};
/* mmConfigType: 0 for the Norm template, 1 for MDL. */
struct MatmulConfigParams {
    int32_t mmConfigType;
    bool enableL1CacheUB;
    ScheduleType scheduleType;
    MatrixTraverse traverse;
    bool enVecND2NZ;
    MatmulConfigParams(int32_t mmConfigTypeIn = 1, bool enableL1CacheUBIn = false,
                       ScheduleType scheduleTypeIn = ScheduleType::INNER_PRODUCT,
                       MatrixTraverse traverseIn = MatrixTraverse::NOSET, bool enVecND2NZIn = false)
        : mmConfigType(mmConfigTypeIn), enableL1CacheUB(enableL1CacheUBIn),
          scheduleType(scheduleTypeIn), traverse(traverseIn), enVecND2NZ(enVecND2NZIn)
    {
    }
};

class MatmulApiTilingBase {
public:
    MatmulApiTilingBase() { Clear(); } /* the chip of this process */
    explicit MatmulApiTilingBase(const platform_ascendc::PlatformAscendC &ascendcPlatform)
    {
        using platform_ascendc::CoreMemType;
        Clear();
        ask_.chip.arch = uint32_t(ascendcPlatform.GetCurNpuArch());
        const uint32_t aic = ascendcPlatform.GetCoreNumAic(), aiv = ascendcPlatform.GetCoreNumAiv();
        ask_.chip.n_cores = aic > aiv ? aic : aiv; /* mix kernels count vector cores */
        ascendcPlatform.GetCoreMemSize(CoreMemType::L1, ask_.chip.l1);
        ascendcPlatform.GetCoreMemSize(CoreMemType::L0_A, ask_.chip.l0a);
        ascendcPlatform.GetCoreMemSize(CoreMemType::L0_B, ask_.chip.l0b);
        ascendcPlatform.GetCoreMemSize(CoreMemType::L0_C, ask_.chip.l0c);
        ascendcPlatform.GetCoreMemSize(CoreMemType::BT, ask_.chip.bt);
    }
    explicit MatmulApiTilingBase(const PlatformInfo &platform)
    {
        const bool is_950 = platform.socVersion == platform_ascendc::SocVersion::ASCEND950;
        Clear();
        ask_.chip.arch = is_950 ? 3510 : 2201;
        ask_.chip.l1 = platform.l1Size;
        ask_.chip.l0a = platform.l0ASize;
        ask_.chip.l0b = platform.l0BSize;
        ask_.chip.l0c = platform.l0CSize;
        ask_.chip.bt = is_950 ? 4096 : 1024; /* what the struct does not say */
    }

    int32_t SetAType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false)
    {
        return Matrix(ask_.a, IsSource(pos) && IsFormat(type), pos, type, dataType, isTrans);
    }
    int32_t SetBType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false)
    {
        return Matrix(ask_.b, IsSource(pos) && IsFormat(type), pos, type, dataType, isTrans);
    }
    int32_t SetCType(TPosition pos, CubeFormat type, DataType dataType)
    {
        const bool is_there =
            pos == TPosition::GM || pos == TPosition::VECIN || pos == TPosition::CO1;
        return Matrix(ask_.c, is_there && IsFormat(type), pos, type, dataType, false);
    }
    int32_t SetBiasType(TPosition pos, CubeFormat type, DataType dataType)
    {
        const bool is_known = dataType == DataType::DT_FLOAT || dataType == DataType::DT_FLOAT16 ||
                              dataType == DataType::DT_INT32 || dataType == DataType::DT_BF16 ||
                              dataType == DataType::DT_BFLOAT16;
        return Matrix(ask_.bias, is_known && IsSource(pos) && type == CubeFormat::ND, pos, type,
                      dataType, false);
    }
    /* Scales lie and turn as their matrices unless said; the plan loads each with its data. */
    int32_t SetScaleAType(TPosition scalePos, CubeFormat scaleType, bool isScaleTrans = false)
    {
        (void)isScaleTrans;
        return IsSource(scalePos) && IsFormat(scaleType) ? 0 : -1;
    }
    int32_t SetScaleBType(TPosition scalePos, CubeFormat scaleType, bool isScaleTrans = true)
    {
        (void)isScaleTrans;
        return IsSource(scalePos) && IsFormat(scaleType) ? 0 : -1;
    }
    int32_t SetDequantType(DequantType dequantType)
    {
        ask_.is_one_scale = dequantType == DequantType::SCALAR;
        return dequantType == DequantType::SCALAR || dequantType == DequantType::TENSOR ? 0 : -1;
    }

    /* -1: the length of SetOrgShape. */
    int32_t SetShape(int32_t m, int32_t n, int32_t k) { return Size(ask_.shape, m, n, k); }
    int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKIn)
    {
        return SetOrgShape(orgMIn, orgNIn, orgKIn, orgKIn);
    }
    int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKaIn, int32_t orgKbIn)
    {
        if (orgMIn <= 0 || orgNIn <= 0 || orgKaIn <= 0 || orgKbIn <= 0)
            return -1;
        ask_.org_m = orgMIn;
        ask_.org_n = orgNIn;
        ask_.org_ka = orgKaIn;
        ask_.org_kb = orgKbIn;
        return 0;
    }
    int32_t SetSingleShape(int32_t singleMIn = -1, int32_t singleNIn = -1, int32_t singleKIn = -1)
    {
        return Size(ask_.single, singleMIn, singleNIn, singleKIn);
    }
    int32_t SetSingleRange(int32_t maxM = -1, int32_t maxN = -1, int32_t maxK = -1,
                           int32_t minM = -1, int32_t minN = -1, int32_t minK = -1)
    {
        return Size(ask_.single_most, maxM, maxN, maxK) | Size(ask_.single_least, minM, minN, minK);
    }

    int32_t SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d)
    {
        return Layout(ask_.a_layout, b, s, n, g, d);
    }
    int32_t SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d)
    {
        return Layout(ask_.b_layout, b, s, n, g, d);
    }
    int32_t SetCLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d)
    {
        return Layout(ask_.c_layout, b, s, n, g, d);
    }
    int32_t SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m, int32_t n, int32_t k)
    {
        return SetALayout(batchA, m, 1, 1, k) | SetBLayout(batchB, n, 1, 1, k) |
               SetCLayout(batchA > batchB ? batchA : batchB, m, 1, 1, n);
    }
    int32_t SetBatchNum(int32_t batch) { return Number(ask_.n_batch, batch, batch > 0); }

    int32_t EnableBias(bool isBiasIn = false)
    {
        ask_.has_bias = isBiasIn;
        return 0;
    }
    int32_t SetBias(bool isBiasIn = false) { return EnableBias(isBiasIn); }
    int32_t SetSparse(bool isSparseIn = false)
    {
        ask_.is_sparse = isSparseIn;
        return 0;
    }
    int32_t SetFixSplit(int32_t baseMIn = -1, int32_t baseNIn = -1, int32_t baseKIn = -1)
    {
        return Size(ask_.base, baseMIn, baseNIn, baseKIn);
    }
    int32_t SetSplitRange(int32_t maxBaseM = -1, int32_t maxBaseN = -1, int32_t maxBaseK = -1,
                          int32_t minBaseM = -1, int32_t minBaseN = -1, int32_t minBaseK = -1)
    {
        return Size(ask_.base_most, maxBaseM, maxBaseN, maxBaseK) |
               Size(ask_.base_least, minBaseM, minBaseN, minBaseK);
    }
    /* Bytes that may be used; -1: all. Products of the cube core need no UB of their own. */
    int32_t SetBufferSpace(int32_t l1Size = -1, int32_t l0CSize = -1, int32_t ubSize = -1,
                           int32_t btSize = -1)
    {
        if (l1Size < -1 || l0CSize < -1 || ubSize < -1 || btSize < -1)
            return -1;
        ask_.l1 = l1Size;
        ask_.l0c = l0CSize;
        ask_.bt = btSize;
        return 0;
    }
    int32_t SetTraverse(MatrixTraverse traverse)
    {
        const bool is_known =
            traverse == MatrixTraverse::FIRSTM || traverse == MatrixTraverse::FIRSTN;
        return Number(ask_.traverse, int32_t(traverse), is_known);
    }
    /* HF32 takes the bases of float; MXMODE is for chips that multiply scaled numbers. */
    int32_t SetMadType(MatrixMadType madType)
    {
        const bool is_known = madType == MatrixMadType::NORMAL || madType == MatrixMadType::HF32 ||
                              (madType == MatrixMadType::MXMODE && ask_.chip.arch == 3510);
        return Number(ask_.mad, int32_t(madType), is_known);
    }
    /* Kept for later by the vendor too: the plan decides on its own how often each is buffered. */
    int32_t SetDoubleBuffer(bool a, bool b, bool c, bool bias, bool transND2NZ = true,
                            bool transNZ2ND = true)
    {
        (void)a, (void)b, (void)c, (void)bias, (void)transND2NZ, (void)transNZ2ND;
        return 0;
    }
    void SetMatmulConfigParams(int32_t mmConfigTypeIn = 1, bool enableL1CacheUBIn = false,
                               ScheduleType scheduleTypeIn = ScheduleType::INNER_PRODUCT,
                               MatrixTraverse traverseIn = MatrixTraverse::NOSET,
                               bool enVecND2NZIn = false)
    {
        SetMatmulConfigParams(MatmulConfigParams(mmConfigTypeIn, enableL1CacheUBIn, scheduleTypeIn,
                                                 traverseIn, enVecND2NZIn));
    }
    void SetMatmulConfigParams(const MatmulConfigParams &configParams)
    {
        ask_.config = configParams.mmConfigType;
        ask_.schedule = int32_t(configParams.scheduleType);
        if (configParams.traverse != MatrixTraverse::NOSET)
            ask_.traverse = int32_t(configParams.traverse);
    }

    int64_t GetTiling(optiling::TCubeTiling &tiling)
    {
        if (GetTiling(plan_) == -1)
            return -1;
        nputwin::copy_plan(tiling, plan_);
        return 0;
    }
    int64_t GetTiling(AscendC::tiling::TCubeTiling &tiling)
    {
        is_planned_ = nputwin_matmul_plan(&ask_, &plan_, &cut_) == 0;
        if (!is_planned_)
            return -1;
        tiling = plan_;
        return 0;
    }
    int32_t GetBaseM() const { return plan_.baseM; }
    int32_t GetBaseN() const { return plan_.baseN; }
    int32_t GetBaseK() const { return plan_.baseK; }
    /* Whether half of L1 holds the buffers that one product reads. dav-3510 only. */
    bool EnableL1BankConflictOptimise() const
    {
        const int64_t n_buffers = plan_.depthA1 > plan_.stepM * plan_.stepKa ? 2 : 1;
        return is_planned_ && ask_.chip.arch == 3510 &&
               plan_.shareL1Size / n_buffers <= int64_t(ask_.chip.l1) / 2;
    }

protected:
    static bool IsSource(TPosition pos)
    {
        return pos == TPosition::GM || pos == TPosition::VECOUT || pos == TPosition::TSCM;
    }
    static bool IsFormat(CubeFormat format)
    {
        return int32_t(format) >= 0 && format <= CubeFormat::COLUMN_MAJOR;
    }
    static int32_t Number(int32_t &to, int32_t value, bool is_good)
    {
        if (is_good)
            to = value;
        return is_good ? 0 : -1;
    }
    static int32_t Matrix(nputwin_mm_matrix &to, bool is_good, TPosition pos, CubeFormat format,
                          DataType type, bool turned)
    {
        if (is_good)
            to = {int32_t(pos), int32_t(format), int32_t(type), turned};
        return is_good ? 0 : -1;
    }
    static int32_t Size(nputwin_mm_size &to, int32_t m, int32_t n, int32_t k)
    {
        if (m < -1 || n < -1 || k < -1 || !m || !n || !k)
            return -1;
        to = {m, n, k};
        return 0;
    }
    static int32_t Layout(nputwin_mm_layout &to, int32_t b, int32_t s, int32_t n, int32_t g,
                          int32_t d)
    {
        if (b <= 0 || s <= 0 || n <= 0 || g <= 0 || d <= 0)
            return -1;
        to = {b, s, n, g, d};
        return 0;
    }

    nputwin_mm_question ask_ = {};
    AscendC::tiling::TCubeTiling plan_;
    nputwin_mm_cut cut_ = {};
    bool is_planned_ = false;

private:
    void Clear()
    {
        constexpr nputwin_mm_size open = {-1, -1, -1};
        ask_.shape = ask_.single = ask_.single_most = ask_.single_least = ask_.single_align = open;
        ask_.base = ask_.base_most = ask_.base_least = open;
        ask_.org_m = ask_.org_n = ask_.org_ka = ask_.org_kb = -1;
        ask_.l1 = ask_.l0c = ask_.bt = -1;
        ask_.dim = 1;
        ask_.is_one_scale = true;
    }
};

/* One core computes the whole shape. */
class MatmulApiTiling : public MatmulApiTilingBase {
public:
    using MatmulApiTilingBase::MatmulApiTilingBase;
};

class MultiCoreMatmulTiling : public MatmulApiTilingBase {
public:
    MultiCoreMatmulTiling() { ask_.is_for_cores = true; }
    explicit MultiCoreMatmulTiling(const platform_ascendc::PlatformAscendC &ascendcPlatform)
        : MatmulApiTilingBase(ascendcPlatform)
    {
        ask_.is_for_cores = true;
    }
    explicit MultiCoreMatmulTiling(const PlatformInfo &platform) : MatmulApiTilingBase(platform)
    {
        ask_.is_for_cores = true;
    }

    int32_t SetDim(int32_t dim) { return Number(ask_.dim, dim, dim > 0); }
    /* 0 and -1: as the plan likes. */
    int32_t SetAlignSplit(int32_t alignM, int32_t alignN, int32_t alignK)
    {
        return Size(ask_.single_align, alignM ? alignM : -1, alignN ? alignN : -1,
                    alignK ? alignK : -1);
    }
    void EnableMultiCoreSplitK(bool flag) { ask_.splits_k = flag; }
    void SetSplitK(bool flag) { EnableMultiCoreSplitK(flag); }
    int32_t GetSingleShape(int32_t &shapeM, int32_t &shapeN, int32_t &shapeK)
    {
        shapeM = plan_.singleCoreM;
        shapeN = plan_.singleCoreN;
        shapeK = plan_.singleCoreK;
        return is_planned_ ? 0 : -1;
    }
    int32_t GetCoreNum(int32_t &dim, int32_t &mDim, int32_t &nDim)
    {
        dim = plan_.usedCoreNum;
        mDim = cut_.m;
        nDim = cut_.n;
        return is_planned_ ? 0 : -1;
    }
};

class BatchMatmulTiling : public MatmulApiTilingBase {
public:
    using MatmulApiTilingBase::MatmulApiTilingBase;

    int32_t GetCoreNum(int32_t &dim, int32_t &mDim, int32_t &nDim, int32_t &batchCoreM,
                       int32_t &batchCoreN)
    {
        dim = plan_.usedCoreNum;
        mDim = cut_.m;
        nDim = cut_.n;
        batchCoreM = plan_.batchM;
        batchCoreN = plan_.batchN;
        return is_planned_ ? 0 : -1;
    }
};

} // namespace matmul_tiling

namespace nputwin {

/* What a plan uses of a core; -1 when it is none. */
inline int32_t plan_size(const AscendC::tiling::TCubeTiling &plan,
                         matmul_tiling::SysTilingTempBufSize &size)
{
    size = {plan.shareUbSize, plan.shareL1Size, plan.shareL0CSize};
    return plan.baseM > 0 && plan.shareL1Size > 0 ? 0 : -1;
}
inline int32_t plan_size(const optiling::TCubeTiling &tiling,
                         matmul_tiling::SysTilingTempBufSize &size)
{
    AscendC::tiling::TCubeTiling plan;
    tiling.SaveToBuffer(&plan, sizeof plan);
    return plan_size(plan, size);
}

} // namespace nputwin

#define NPU_PLAN_SIZE(name)                                                                        \
    inline int32_t name(optiling::TCubeTiling &tiling,                                             \
                        matmul_tiling::SysTilingTempBufSize &bufSize)                              \
    {                                                                                              \
        return nputwin::plan_size(tiling, bufSize);                                                \
    }                                                                                              \
    inline int32_t name##V2(AscendC::tiling::TCubeTiling &tiling,                                  \
                            matmul_tiling::SysTilingTempBufSize &bufSize)                          \
    {                                                                                              \
        return nputwin::plan_size(tiling, bufSize);                                                \
    }
NPU_PLAN_SIZE(MatmulGetTmpBufSize)
NPU_PLAN_SIZE(MultiCoreMatmulGetTmpBufSize)
NPU_PLAN_SIZE(BatchMatmulGetTmpBufSize)
#undef NPU_PLAN_SIZE
#endif
