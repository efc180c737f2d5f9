/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul_types.h - what a Matmul object is told by its template arguments: types, formats,
 * configurations, callbacks, plans that are constants. Plain data.
 *
 * A configuration says on the chip how data moves through L1 and L0, when flags are set and which
 * code is left out. Here only what changes a result or what is written is looked at; what one says
 * nobody will call is a static_assert when it is called.
 */
#ifndef NPU_FRONT_ADV_MATMUL_TYPES_H
#define NPU_FRONT_ADV_MATMUL_TYPES_H
#include "../kernel_operator.h"
#include "../../../sdk/include/kernel_tiling/kernel_tiling.h"

enum class CubeFormat {
    ND = 0,
    NZ,
    ZN,
    ZZ,
    NN,
    ND_ALIGN, /* rows padded to 32 bytes */
    SCALAR,
    VECTOR,
    ROW_MAJOR,
    COLUMN_MAJOR,
};
enum class LayoutMode { NONE = 0, BSNGD, SBNGD, BNGS1S2, NORMAL };
enum class BatchMode { NONE = 0, BATCH_LESS_THAN_L1, BATCH_LARGE_THAN_L1, SINGLE_LARGE_THAN_L1 };
enum class BatchOutMode { SINGLE_BATCH = 0, MULTI_BATCH };
enum class IterateOrder { ORDER_M = 0, ORDER_N, UNDEF };
enum class ScheduleType { INNER_PRODUCT = 0, OUTER_PRODUCT, N_BUFFER_33 };
enum class MatmulConfigMode { CONFIG_NORM = 0, CONFIG_MDL, CONFIG_SPECIALMDL, CONFIG_IBSHARE };
enum IterateMode : uint8_t {
    ITERATE_MODE_NORMAL = 0b00000001,
    ITERATE_MODE_ALL = 0b00000010,
    ITERATE_MODE_BATCH = 0b00000100,
    ITERATE_MODE_N_BATCH = 0b00001000,
    ITERATE_MODE_DEFAULT = 0b11111111,
};

struct MatmulConfig {
    bool doNorm = false, doBasicBlock = false, doMultiDataLoad = false;
    uint32_t basicM = 0, basicN = 0, basicK = 0;
    bool intrinsicsCheck = false, isNBatch = false, enVecND2NZ = false;
    bool doSpecialBasicBlock = false;
    uint32_t doMTE2Preload = 0;
    uint32_t singleCoreM = 0, singleCoreN = 0, singleCoreK = 0;
    uint32_t stepM = 0, stepN = 0, baseMN = 0, singleCoreMN = 0;
    bool enUnitFlag = false, isPerTensor = false, hasAntiQuantOffset = false;
    bool doIBShareNorm = false, doSpecialMDL = false, enableInit = true;
    BatchMode batchMode = BatchMode::BATCH_LESS_THAN_L1;
    bool enableEnd = true, enableGetTensorC = true, enableSetOrgShape = true;
    bool enableSetBias = true, enableSetTail = true, enableQuantVector = true;
    bool enableSetDefineData = true;
    uint8_t iterateMode = ITERATE_MODE_DEFAULT;
    bool enableReuse = true, enableUBReuse = false, enableL1CacheUB = false;
    bool intraBlockPartSum = false;
    IterateOrder iterateOrder = IterateOrder::UNDEF;
    ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
    bool enableDoubleCache = false, isBiasBatch = true, enableStaticPadZeros = false;
    bool isPartialOutput = false, enableMixDualMaster = false, isA2B2Shared = false;
    bool isEnableChannelSplit = false, enableKdimReorderLoad = false;
    bool isCO1Shared = false;
    uint32_t sharedCO1BufferSize = 64 * 1024;
    BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH;
    bool enableL1BankConflictOptimise = false, enableRelu = false;
};

struct MatmulShapeParams {
    uint32_t singleCoreM = 0, singleCoreN = 0, singleCoreK = 0;
    uint32_t basicM = 0, basicN = 0, basicK = 0;
};
struct MatmulQuantParams {
    bool isPerTensor = false, hasAntiQuantOffset = false;
};
struct MatmulBatchParams {
    bool isNBatch = false;
    BatchMode batchMode = BatchMode::BATCH_LESS_THAN_L1;
    bool isBiasBatch = true;
    BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH;
};
struct MatmulFuncParams {
    bool intrinsicsLimit = false, enVecND2NZ = false, enableDoubleCache = false;
    bool enableL1CacheUB = false;
    uint32_t doMTE2Preload = 0;
    IterateOrder iterateOrder = IterateOrder::UNDEF;
    ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
    bool enableReuse = true, enableUBReuse = true, isPartialOutput = false;
    bool isA2B2Shared = false, isEnableChannelSplit = false, enableKdimReorderLoad = false;
    bool enableL1BankConflictOptimise = false;
};

constexpr MatmulConfig
GetNormalConfig(const bool intrinsicsLimit = false, const bool batchLoop = false,
                const bool isVecND2NZ = false,
                const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1,
                const bool isMsgReuse = true, const IterateOrder iterateOrder = IterateOrder::UNDEF,
                const ScheduleType scheduleType = ScheduleType::INNER_PRODUCT,
                const bool enUnitFlag = true, const bool enableMixDualMaster = false,
                const BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH)
{
    MatmulConfig c;
    c.doNorm = true;
    c.intrinsicsCheck = intrinsicsLimit;
    c.isNBatch = batchLoop;
    c.enVecND2NZ = isVecND2NZ;
    c.batchMode = bmmMode;
    c.enableReuse = isMsgReuse;
    c.iterateOrder = iterateOrder;
    c.scheduleType = scheduleType;
    c.enUnitFlag = enUnitFlag;
    c.enableMixDualMaster = enableMixDualMaster;
    c.bmmOutMode = bmmOutMode;
    return c;
}
constexpr MatmulConfig GetMDLConfig(const bool intrinsicsLimit = false,
                                    const bool batchLoop = false, const uint32_t doMTE2Preload = 0,
                                    const bool isVecND2NZ = false, bool isPerTensor = false,
                                    bool hasAntiQuantOffset = false, const bool enUnitFlag = false,
                                    const bool isMsgReuse = true, const bool enableUBReuse = true,
                                    const bool enableL1CacheUB = false,
                                    const bool enableMixDualMaster = false,
                                    const bool enableKdimReorderLoad = false)
{
    MatmulConfig c;
    c.doMultiDataLoad = true;
    c.intrinsicsCheck = intrinsicsLimit;
    c.isNBatch = batchLoop;
    c.doMTE2Preload = doMTE2Preload;
    c.enVecND2NZ = isVecND2NZ;
    c.isPerTensor = isPerTensor;
    c.hasAntiQuantOffset = hasAntiQuantOffset;
    c.enUnitFlag = enUnitFlag;
    c.enableReuse = isMsgReuse;
    c.enableUBReuse = enableUBReuse;
    c.enableL1CacheUB = enableL1CacheUB;
    c.enableMixDualMaster = enableMixDualMaster;
    c.enableKdimReorderLoad = enableKdimReorderLoad;
    return c;
}
constexpr MatmulConfig GetSpecialMDLConfig(const bool intrinsicsLimit = false,
                                           const bool batchLoop = false,
                                           const uint32_t doMTE2Preload = 0,
                                           const bool isVecND2NZ = false, bool isPerTensor = false,
                                           bool hasAntiQuantOffset = false)
{
    MatmulConfig c = GetMDLConfig(intrinsicsLimit, batchLoop, doMTE2Preload, isVecND2NZ,
                                  isPerTensor, hasAntiQuantOffset);
    c.doMultiDataLoad = false;
    c.doSpecialMDL = true;
    return c;
}
constexpr MatmulConfig GetIBShareNormConfig(const bool intrinsicsLimit = false,
                                            const bool batchLoop = false,
                                            const bool isVecND2NZ = false,
                                            const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1,
                                            const bool isDoubleCache = false,
                                            const bool enUnitFlag = true)
{
    MatmulConfig c = GetNormalConfig(intrinsicsLimit, batchLoop, isVecND2NZ, bmmMode);
    c.doNorm = false;
    c.doIBShareNorm = true;
    c.enableDoubleCache = isDoubleCache;
    c.enUnitFlag = enUnitFlag;
    return c;
}
constexpr MatmulConfig GetBasicConfig(const uint32_t basicM, const uint32_t basicN,
                                      const uint32_t basicK, const bool intrinsicsLimit = false,
                                      const bool batchLoop = false,
                                      const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1)
{
    MatmulConfig c;
    c.doBasicBlock = true;
    c.basicM = basicM;
    c.basicN = basicN;
    c.basicK = basicK;
    c.intrinsicsCheck = intrinsicsLimit;
    c.isNBatch = batchLoop;
    c.batchMode = bmmMode;
    return c;
}
constexpr MatmulConfig
GetSpecialBasicConfig(const uint32_t basicM, const uint32_t basicN, const uint32_t basicK,
                      const uint32_t singleCoreM, const uint32_t singleCoreN,
                      const uint32_t singleCoreK, const uint32_t stepM, const uint32_t stepN,
                      const bool intrinsicsLimit = false, const bool batchLoop = false,
                      const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1)
{
    MatmulConfig c = GetBasicConfig(basicM, basicN, basicK, intrinsicsLimit, batchLoop, bmmMode);
    c.doBasicBlock = false;
    c.doSpecialBasicBlock = true;
    c.singleCoreM = singleCoreM;
    c.singleCoreN = singleCoreN;
    c.singleCoreK = singleCoreK;
    c.stepM = stepM;
    c.stepN = stepN;
    c.baseMN = basicM * basicN;
    c.singleCoreMN = singleCoreM * singleCoreN;
    return c;
}

namespace nputwin {

constexpr void change(MatmulConfig &c, const MatmulShapeParams &p)
{
    c.singleCoreM = p.singleCoreM;
    c.singleCoreN = p.singleCoreN;
    c.singleCoreK = p.singleCoreK;
    c.basicM = p.basicM;
    c.basicN = p.basicN;
    c.basicK = p.basicK;
}
constexpr void change(MatmulConfig &c, const MatmulQuantParams &p)
{
    c.isPerTensor = p.isPerTensor;
    c.hasAntiQuantOffset = p.hasAntiQuantOffset;
}
constexpr void change(MatmulConfig &c, const MatmulBatchParams &p)
{
    c.isNBatch = p.isNBatch;
    c.batchMode = p.batchMode;
    c.isBiasBatch = p.isBiasBatch;
    c.bmmOutMode = p.bmmOutMode;
}
constexpr void change(MatmulConfig &c, const MatmulFuncParams &p)
{
    c.intrinsicsCheck = p.intrinsicsLimit;
    c.enVecND2NZ = p.enVecND2NZ;
    c.enableDoubleCache = p.enableDoubleCache;
    c.enableL1CacheUB = p.enableL1CacheUB;
    c.doMTE2Preload = p.doMTE2Preload;
    c.iterateOrder = p.iterateOrder;
    c.scheduleType = p.scheduleType;
    c.enableReuse = p.enableReuse;
    c.enableUBReuse = p.enableUBReuse;
    c.isPartialOutput = p.isPartialOutput;
    c.isA2B2Shared = p.isA2B2Shared;
    c.isEnableChannelSplit = p.isEnableChannelSplit;
    c.enableKdimReorderLoad = p.enableKdimReorderLoad;
    c.enableL1BankConflictOptimise = p.enableL1BankConflictOptimise;
}

} // namespace nputwin

template <MatmulConfigMode configMode, typename... ArgTypes>
constexpr MatmulConfig GetMMConfig(ArgTypes &&...args)
{
    MatmulConfig c = configMode == MatmulConfigMode::CONFIG_MDL          ? GetMDLConfig()
                     : configMode == MatmulConfigMode::CONFIG_SPECIALMDL ? GetSpecialMDLConfig()
                     : configMode == MatmulConfigMode::CONFIG_IBSHARE    ? GetIBShareNormConfig()
                                                                         : GetNormalConfig();
    (nputwin::change(c, args), ...);
    return c;
}

inline constexpr MatmulConfig CFG_NORM = GetNormalConfig();
inline constexpr MatmulConfig CFG_MDL = GetMDLConfig();
inline constexpr MatmulConfig CFG_IBSHARE_NORM = GetIBShareNormConfig();
inline constexpr MatmulConfig MM_CFG_BB = GetBasicConfig(128, 128, 128);

/* A plan of constants, and the configuration it was made from. */
struct MatmulApiStaticTiling {
    int32_t usedCoreNum = -1, M = -1, N = -1, Ka = -1, Kb = -1;
    int32_t singleCoreM = -1, singleCoreN = -1, singleCoreK = -1;
    int32_t baseM = -1, baseN = -1, baseK = -1, depthA1 = -1, depthB1 = -1;
    int32_t stepM = -1, stepN = -1, stepKa = -1, stepKb = -1, isBias = -1, transLength = -1;
    int32_t iterateOrder = -1, dbL0A = -1, dbL0B = -1, dbL0C = -1;
    int32_t shareMode = -1, shareL1Size = -1, shareL0CSize = -1, shareUbSize = -1;
    int32_t batchM = -1, batchN = -1, singleBatchM = -1, singleBatchN = -1, mxTypePara = -1;
    MatmulConfig cfg;
};

namespace AscendC {

using ::BatchMode;
using ::BatchOutMode;
using ::CFG_IBSHARE_NORM;
using ::CFG_MDL;
using ::CFG_NORM;
using ::CubeFormat;
using ::GetBasicConfig;
using ::GetIBShareNormConfig;
using ::GetMDLConfig;
using ::GetMMConfig;
using ::GetNormalConfig;
using ::GetSpecialBasicConfig;
using ::GetSpecialMDLConfig;
using ::IterateMode;
using ::IterateOrder;
using ::LayoutMode;
using ::MatmulApiStaticTiling;
using ::MatmulBatchParams;
using ::MatmulConfig;
using ::MatmulConfigMode;
using ::MatmulFuncParams;
using ::MatmulQuantParams;
using ::MatmulShapeParams;
using ::MM_CFG_BB;
using ::ScheduleType;

template <TPosition POSITION, CubeFormat FORMAT, typename TYPE, bool ISTRANS = false,
          LayoutMode LAYOUT = LayoutMode::NONE, bool IBSHARE = false,
          TPosition SRCPOS = TPosition::GM>
struct MatmulType {
    static constexpr TPosition pos = POSITION;
    static constexpr CubeFormat format = FORMAT;
    using T = TYPE;
    static constexpr bool isTrans = ISTRANS;
    static constexpr LayoutMode layout = LAYOUT;
    static constexpr bool ibShare = IBSHARE;
    static constexpr TPosition srcPos = SRCPOS;
};
/* B of which two of four neighbours along k are there; which ones: SetSparseIndex. */
template <TPosition POSITION, TPosition INDEX_POSITION, CubeFormat CUBEFORMAT, typename TYPE,
          bool ISTRANS = false, TPosition SRCPOS = TPosition::GM,
          LayoutMode LAYOUT = LayoutMode::NONE, bool IBSHARE = false>
struct SparseMatmulType : MatmulType<POSITION, CUBEFORMAT, TYPE, ISTRANS, LAYOUT, IBSHARE, SRCPOS> {
    static constexpr TPosition indexPosition = INDEX_POSITION;
};
/* The type of the sums. */
template <typename SrcT> struct GetMmDstType {
    using Type = std::conditional_t<std::is_same_v<SrcT, int8_t> || std::is_same_v<SrcT, int4b_t>,
                                    int32_t, float>;
};
/* Rounded up; of numbers, beside the call on tensors. */
template <typename T, std::enable_if_t<std::is_integral_v<T>, bool> = true>
constexpr T Ceil(const T num1, const nputwin::same<T> num2)
{
    return num2 == 0 ? 0 : (num1 + num2 - 1) / num2;
}
template <typename T, std::enable_if_t<std::is_integral_v<T>, bool> = true>
constexpr T CeilAlign(const T num1, const nputwin::same<T> num2)
{
    return Ceil(num1, num2) * num2;
}
struct MatrixOffset {
    int32_t offset;
    int32_t row, col;
    int32_t height, width;
};
/* What a callback that moves C out is told; lengths in 32 bytes, dstStride in elements. */
struct DataCopyOutParams {
    uint16_t cBurstNum;
    uint16_t burstLen;
    uint16_t srcStride;
    uint32_t dstStride;
    uint16_t oriNSize;
    bool enUnitFlag;
    uint64_t quantScalar;
    uint64_t cbufWorkspaceAddr;
};
template <
    void (*DataCopyOut)(const void *gm, const LocalTensor<int8_t> &co1Local,
                        const void *dataCopyOutParams, const uint64_t tilingPtr,
                        const uint64_t dataPtr) = nullptr,
    void (*CopyA1)(const LocalTensor<int8_t> &aMatrix, const void *gm, int row, int col, int useM,
                   int useK, const uint64_t tilingPtr, const uint64_t dataPtr) = nullptr,
    void (*CopyB1)(const LocalTensor<int8_t> &bMatrix, const void *gm, int row, int col, int useK,
                   int useN, const uint64_t tilingPtr, const uint64_t dataPtr) = nullptr>
struct MatmulCallBackFunc {
    static constexpr auto out = DataCopyOut;
    static constexpr auto a1 = CopyA1;
    static constexpr auto b1 = CopyB1;
};

namespace Impl {
constexpr int32_t L1_SIZE = 512 * 1024;
constexpr int32_t QUEUE_DEPTH = 1;
namespace Detail {
template <const auto &MM_CFG, typename... REST> class MatmulPolicy {};
template <const auto &MM_CFG, typename... REST> class TrianUpperMatmulPolicy {};
template <const auto &MM_CFG, typename... REST> class TrianLowerMatmulPolicy {};
template <const auto &MM_CFG, typename... REST> class NBuffer33MatmulPolicy {};
} // namespace Detail
} // namespace Impl

} // namespace AscendC

namespace nputwin {

template <class M, class = void> struct is_sparse_type : std::false_type {};
template <class M>
struct is_sparse_type<M, std::void_t<decltype(M::indexPosition)>> : std::true_type {};

constexpr int32_t ceil_to(int32_t n, int32_t by) { return (n + by - 1) / by; }
constexpr int32_t floor_at_1(int32_t n) { return n < 1 ? 1 : n; }

/* Bytes of n elements. */
template <class T> constexpr int32_t bytes_in(int32_t n)
{
    return is_nibble<T> ? (n + 1) / 2 : n * int32_t(sizeof(T));
}
constexpr const MatmulConfig &config_of(const MatmulConfig &c) { return c; }
constexpr const MatmulConfig &config_of(const MatmulApiStaticTiling &c) { return c.cfg; }

} // namespace nputwin

namespace AscendC {

/* L1 is split between both sides, as many steps of k as fit, twice where there is room. */
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE>
constexpr MatmulApiStaticTiling GetMatmulApiTiling(const MatmulConfig &mmCFG,
                                                   int32_t l1Size = Impl::L1_SIZE)
{
    using A = typename A_TYPE::T;
    MatmulApiStaticTiling t;
    t.cfg = mmCFG;
    t.baseM = int32_t(mmCFG.basicM);
    t.baseN = int32_t(mmCFG.basicN);
    t.baseK = int32_t(mmCFG.basicK);
    t.singleCoreM = int32_t(mmCFG.singleCoreM);
    t.singleCoreN = int32_t(mmCFG.singleCoreN);
    t.singleCoreK = int32_t(mmCFG.singleCoreK);
    if (t.baseM <= 0 || t.baseN <= 0 || t.baseK <= 0)
        return t;
    const int32_t a = nputwin::bytes_in<A>(t.baseM * t.baseK);
    const int32_t b = nputwin::bytes_in<A>(t.baseN * t.baseK);
    const int32_t bias = t.baseN * int32_t(sizeof(float));
    t.stepM = t.stepN = 1;
    t.dbL0A = 2 * a <= 64 * 1024 ? 2 : 1;
    t.dbL0B = 2 * b <= 64 * 1024 ? 2 : 1;
    t.dbL0C = 2 * t.baseM * t.baseN * 4 <= 128 * 1024 ? 2 : 1;
    t.iterateOrder = mmCFG.iterateOrder == IterateOrder::ORDER_N ? 1 : 0;
    t.transLength = 0;
    t.shareMode = t.shareL1Size = t.shareL0CSize = t.shareUbSize = 0;
    t.batchM = t.batchN = t.singleBatchM = t.singleBatchN = 1;
    t.mxTypePara = 0;
    const int32_t most = nputwin::floor_at_1((l1Size - bias) / (2 * (a + b)));
    const int32_t k = t.singleCoreK > 0 ? nputwin::ceil_to(t.singleCoreK, t.baseK) : most;
    t.stepKa = t.stepKb = k < most ? k : most;
    t.depthA1 = t.depthB1 = 2 * t.stepKa;
    if (t.singleCoreM <= 0 || t.singleCoreN <= 0 || t.singleCoreK <= 0)
        return t;
    t.usedCoreNum = 1;
    t.M = t.singleCoreM;
    t.N = t.singleCoreN;
    t.Ka = t.Kb = t.singleCoreK;
    t.isBias = 0;
    return t;
}

} // namespace AscendC
#endif
