/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cube_types.h - enums and parameter structs of the cube core's calls. Plain data.
 *
 * Names, order and units are the documented ones; each comment says the unit of a stride.
 */
#ifndef NPU_FRONT_CUBE_TYPES_H
#define NPU_FRONT_CUBE_TYPES_H
#include "types.h"
#include "kernel_tiling/adv_types.h"

/* What happens to a sum on its way out of L0C; V..: a parameter a column. Those from QF322F16_PRE
 * on are of dav-3510: sources for both chips name them, quant_fits() takes none. */
// clang-format off
#define NPU_QUANT_MODES(F) \
    F(NoQuant) F(F322F16) F(F322BF16) F(DEQF16) F(VDEQF16) F(QF322B8_PRE) F(VQF322B8_PRE) F(REQ8) \
    F(VREQ8) F(QF322F16_PRE) F(VQF322F16_PRE) F(QF322BF16_PRE) F(VQF322BF16_PRE) F(QF322F32_PRE) \
    F(VQF322F32_PRE) F(QF322FP8_PRE) F(VQF322FP8_PRE) F(QF322HIF8_PRE) F(VQF322HIF8_PRE) \
    F(QS322BF16_PRE) F(VQS322BF16_PRE)
// clang-format on
enum QuantMode_t {
#define NPU_MODE(name) name,
    NPU_QUANT_MODES(NPU_MODE)
#undef NPU_MODE
};

namespace AscendC {

using ::QuantMode_t;
constexpr int32_t PAD_SIZE = 4;

/* Fractals of 512 bytes: startIndex and srcStride from start to start, dstGap from end to start. */
struct LoadData2DParams {
    LoadData2DParams() {}
    LoadData2DParams(const uint16_t start, const uint8_t repeats, const uint16_t src_stride,
                     const uint8_t sid_, const uint16_t dst_gap, const bool transposes,
                     const uint8_t addr_mode)
        : startIndex(start), dstGap(dst_gap), srcStride(src_stride), ifTranspose(transposes),
          repeatTimes(repeats), sid(sid_), addrMode(addr_mode)
    {
    }
    uint16_t startIndex = 0, dstGap = 0, srcStride = 0;
    bool ifTranspose = false;
    uint8_t repeatTimes = 0, sid = 0, addrMode = 0;
};
using LoadData2dParams = LoadData2DParams;
struct LoadData2DParamsV2 {
    LoadData2DParamsV2() {}
    LoadData2DParamsV2(const uint32_t m_start, const uint32_t k_start, const uint16_t m_step,
                       const uint16_t k_step, const int32_t src_stride, const uint16_t dst_stride,
                       const bool transposes, const uint8_t sid_)
        : mStartPosition(m_start), kStartPosition(k_start), mStep(m_step), kStep(k_step),
          srcStride(src_stride), dstStride(dst_stride), ifTranspose(transposes), sid(sid_)
    {
    }
    uint32_t mStartPosition = 0, kStartPosition = 0;
    uint16_t mStep = 0, kStep = 0;
    int32_t srcStride = 0;
    uint16_t dstStride = 0;
    bool ifTranspose = false;
    uint8_t sid = 0;
};
/* startIndex and srcStride in squares (two fractals of 8 or 32 bits, one of 16, four of 4); the
 * gaps in fractals. */
struct LoadData2dTransposeParams {
    LoadData2dTransposeParams() {}
    LoadData2dTransposeParams(const uint16_t start, const uint8_t repeats,
                              const uint16_t src_stride, const uint16_t dst_gap,
                              const uint16_t frac_gap, const uint8_t addr_mode = 0)
        : startIndex(start), repeatTimes(repeats), srcStride(src_stride), dstGap(dst_gap),
          dstFracGap(frac_gap), addrMode(addr_mode)
    {
    }
    uint16_t startIndex = 0;
    uint8_t repeatTimes = 0;
    uint16_t srcStride = 0, dstGap = 0, dstFracGap = 0;
    uint8_t addrMode = 0;
};
/* kExtension, kStartPt, mExtension, mStartPt in elements of the unfolded matrix. */
template <typename T> struct LoadData3DParamsV2 {
    LoadData3DParamsV2() {}
    LoadData3DParamsV2(const uint8_t pads[PAD_SIZE], const uint16_t h, const uint16_t w,
                       const uint16_t channels, const uint16_t k_ext, const uint16_t m_ext,
                       const uint16_t k_start, const uint16_t m_start, const uint8_t stride_w,
                       const uint8_t stride_h, const uint8_t filter_w, const uint8_t filter_h,
                       const uint8_t dilation_w, const uint8_t dilation_h, const bool transposes,
                       const bool small_k, const T pad, const bool wide_w = false,
                       const bool wide_h = false, const bool right = false)
        : l1H(h), l1W(w), channelSize(channels), kExtension(k_ext), mExtension(m_ext),
          kStartPt(k_start), mStartPt(m_start), strideW(stride_w), strideH(stride_h),
          filterW(filter_w), filterH(filter_h), dilationFilterW(dilation_w),
          dilationFilterH(dilation_h), enTranspose(transposes), enSmallK(small_k), padValue(pad),
          filterSizeW(wide_w), filterSizeH(wide_h), fMatrixCtrl(right)
    {
        std::memcpy(padList, pads, sizeof(padList));
    }
    uint8_t padList[PAD_SIZE] = {};
    uint16_t l1H = 0, l1W = 0, channelSize = 0;
    uint16_t kExtension = 0, mExtension = 0, kStartPt = 0, mStartPt = 0;
    uint8_t strideW = 1, strideH = 1, filterW = 1, filterH = 1;
    uint8_t dilationFilterW = 1, dilationFilterH = 1;
    bool enTranspose = false, enSmallK = false;
    T padValue = {};
    bool filterSizeW = false, filterSizeH = false, fMatrixCtrl = false;
    bm_t enDualSrc = BM_DISABLE;
};
struct LoadData3DParamsV2Pro {
    LoadData3DParamsV2Pro() {}
    LoadData3DParamsV2Pro(const uint16_t channels, const bool transposes, const bool small_k,
                          const bool wide_w, const bool wide_h, const bool right,
                          const uint64_t ext, const uint64_t filter)
        : channelSize(channels), enTranspose(transposes), enSmallK(small_k), filterSizeW(wide_w),
          filterSizeH(wide_h), fMatrixCtrl(right), extConfig(ext), filterConfig(filter)
    {
    }
    uint16_t channelSize = 0;
    bool enTranspose = false, enSmallK = false, filterSizeW = false, filterSizeH = false;
    bool fMatrixCtrl = false;
    uint64_t extConfig = 0, filterConfig = 0x10101010101;
    bm_t enDualSrc = BM_DISABLE;
};
struct IsResetLoad3dConfig {
    bool isSetFMatrix = true, isSetPadding = true;
};
inline constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG = {true, true};
enum class FmatrixMode : uint8_t { FMATRIX_LEFT = 0, FMATRIX_RIGHT = 1 };
/* repeatStride: mode 0 (rows) in 16 elements, mode 1 (columns) in 32 bytes. */
struct LoadDataRepeatParam {
    LoadDataRepeatParam() {}
    LoadDataRepeatParam(const uint16_t stride, const uint8_t times, const uint8_t mode)
        : repeatStride(stride), repeatTime(times), repeatMode(mode)
    {
    }
    uint16_t repeatStride = 0;
    uint8_t repeatTime = 1, repeatMode = 0;
};

/* blockNum and dstGap in 32 bytes (L1) or 512 bytes (L0A, L0B). */
template <typename T> struct InitConstValueParams {
    InitConstValueParams() {}
    InitConstValueParams(const uint16_t repeats, const uint16_t blocks, const uint16_t gap,
                         const T value)
        : repeatTimes(repeats), blockNum(blocks), dstGap(gap), initValue(value)
    {
    }
    InitConstValueParams(const uint16_t repeats, const T value)
        : repeatTimes(repeats), initValue(value)
    {
    }
    uint16_t repeatTimes = 0, blockNum = 0, dstGap = 0;
    T initValue = T(0);
};

struct MmadParams {
    MmadParams() {}
    MmadParams(const uint16_t m_, const uint16_t n_, const uint16_t k_, const bool adds,
               const int32_t offset, const bool sparse, const bool winograd_a,
               const bool winograd_b)
        : m(m_), n(n_), k(k_), isBias(adds), fmOffset(offset), enSsparse(sparse),
          enWinogradA(winograd_a), enWinogradB(winograd_b)
    {
    }
    MmadParams(const uint16_t m_, const uint16_t n_, const uint16_t k_, const uint8_t unit_flag,
               const bool from_bias_table, const bool from_zero)
        : m(m_), n(n_), k(k_), unitFlag(unit_flag), cmatrixSource(from_bias_table),
          cmatrixInitVal(from_zero)
    {
    }
    uint16_t m = 0, n = 0, k = 0;
    bool isBias = false;
    int32_t fmOffset = 0;
    bool enSsparse = false, enWinogradA = false, enWinogradB = false;
    int8_t unitFlag = 0;
    bool kDirectionAlign = false, cmatrixSource = false, cmatrixInitVal = true;
    bool disableGemv = false;
};
enum class HF32Mode { ENABLE, DISABLE };
enum class HF32TransMode { NEAREST_ZERO, NEAREST_EVEN };

enum class CO2Layout : uint8_t { NZ = 0, ROW_MAJOR, COLUMN_MAJOR };
struct FixpipeConfig {
    CO2Layout format;
    bool isToUB = false;
    constexpr FixpipeConfig(CO2Layout layout, bool ub = false) : format(layout), isToUB(ub) {}
};
inline constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
inline constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};
inline constexpr FixpipeConfig CFG_COLUMN_MAJOR = {CO2Layout::COLUMN_MAJOR};

/* srcStride in 16 elements; dstStride: ND in elements, NZ in 32 bytes; srcNdStride in 16 x 16
 * elements, dstNdStride in elements. */
struct FixpipeParamsV220 {
    FixpipeParamsV220() {}
    FixpipeParamsV220(const uint16_t n, const uint16_t m, const uint16_t src_stride,
                      const uint32_t dst_stride, const bool relu)
        : nSize(n), mSize(m), srcStride(src_stride), dstStride(dst_stride), reluEn(relu)
    {
    }
    FixpipeParamsV220(const uint16_t n, const uint16_t m, const uint16_t src_stride,
                      const uint32_t dst_stride, const bool relu, const QuantMode_t quant,
                      const int64_t scalar, const uint16_t nds, const uint16_t src_nd_stride,
                      const uint16_t dst_nd_stride, const uint8_t unit_flag,
                      const bool splits = false)
        : nSize(n), mSize(m), srcStride(src_stride), dstStride(dst_stride), quantPre(quant),
          deqScalar(uint64_t(scalar)), ndNum(nds), srcNdStride(src_nd_stride),
          dstNdStride(dst_nd_stride), reluEn(relu), unitFlag(unit_flag), isChannelSplit(splits)
    {
    }
    uint16_t nSize = 0, mSize = 0, srcStride = 0;
    uint32_t dstStride = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint64_t deqScalar = 0;
    uint16_t ndNum = 1, srcNdStride = 0, dstNdStride = 0;
    bool reluEn = false;
    uint8_t unitFlag = 0;
    bool isChannelSplit = false;
};
/* The older form: bursts, each a column of sums 16 wide. burstLen in 32 bytes of sums, srcStride (a
 * gap) in 256 sums; dstStride: ND from row to row in elements, NZ a gap in 32 bytes. */
struct QuantParams {
    QuantParams() {}
    QuantParams(const QuantMode_t quant) : quantPre(quant) {}
    QuantParams(const QuantMode_t quant, const uint64_t scalar) : quantPre(quant), deqScalar(scalar)
    {
    }
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint64_t deqScalar = 0;
};
struct Nz2NdParams {
    bool nz2ndEn = false;
    uint16_t ndNum = 1, srcNdStride = 0, dstNdStride = 0;
    uint16_t originalNSize = 0; /* columns of the matrix, which the last burst may pass */
};
template <typename T> struct FixpipeParams {
    FixpipeParams() {}
    FixpipeParams(const uint16_t count, const uint16_t len, const uint16_t src_gap,
                  const uint32_t dst_stride)
        : cburstNum(count), burstLen(len), srcStride(src_gap), dstStride(dst_stride)
    {
    }
    uint16_t cburstNum = 0, burstLen = 1, srcStride = 0;
    uint32_t dstStride = 0;
    QuantParams quantParams;
    bool reluEn = false;
    Nz2NdParams nz2ndParams;
    uint8_t unitFlag = 0;
};
/* The same in DataCopy; nz2ndEn takes its matrices from SetFixpipeNz2ndFlag. */
struct DataCopyCO12DstParams {
    DataCopyCO12DstParams() {}
    DataCopyCO12DstParams(const uint16_t n, const uint16_t m, const uint32_t dst_stride,
                          const uint16_t src_stride, const QuantMode_t quant, const uint8_t relu,
                          const bool splits, const bool to_nd)
        : nSize(n), mSize(m), dstStride(dst_stride), srcStride(src_stride), quantPre(quant),
          reluPre(relu), channelSplit(splits), nz2ndEn(to_nd)
    {
    }
    uint8_t sid = 0;
    uint16_t nSize = 0, mSize = 0;
    uint32_t dstStride = 0;
    uint16_t srcStride = 0;
    uint8_t unitFlag = 0, clipReluPre = 0, eltWiseOp = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint8_t reluPre = 0;
    bool channelSplit = false, nz2ndEn = false;
};

} // namespace AscendC
#endif
