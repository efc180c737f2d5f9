/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types.h - enums, parameter structs and constants of Ascend C. Plain data, nothing executes.
 *
 * Names, order and units are the documented ones; strides of parameter structs are counted as
 * each comment says, because half the bugs in this field are a stride in the wrong unit.
 */
#ifndef NPU_FRONT_TYPES_H
#define NPU_FRONT_TYPES_H
#include "core.h"

using pipe_t = npu_pipe;
/* Order of value and index that a reduction writes; unqualified, as the intrinsics use it. */
enum Order_t { VALUE_INDEX, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX };
enum bm_t { BM_DISABLE, BM_ENABLE };
/* What copy_gm_to_cbuf does with each group of bytes: see asc_copy_gm2l1_pad1 .. _pad8. */
enum pad_t {
    PAD_NONE,
    PAD_MODE1,
    PAD_MODE2,
    PAD_MODE3,
    PAD_MODE4,
    PAD_MODE5,
    PAD_MODE6,
    PAD_MODE7,
    PAD_MODE8
};

/* Hints of branches; functions, as macros would take [[likely]] from C++20. */
constexpr bool likely(bool x) { return __builtin_expect(x, 1); }
constexpr bool unlikely(bool x) { return __builtin_expect(x, 0); }

/* Kinds of cores, for g_coreType (launch/qualifiers.h). */
constexpr int32_t AIC_VIEW = 1, AIV_VIEW = 2;

namespace AscendC {

constexpr int32_t AIC = AIC_VIEW, AIV = AIV_VIEW, MIX = 3;
using ::AIC_VIEW;
using ::AIV_VIEW;

using TEventID = int8_t;
using TTagType = int32_t;
using TBufHandle = uint8_t *;

enum class TPosition : uint8_t {
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
    C2PIPE2GM,
    C2PIPE2LOCAL,
    MAX,
};
using QuePosition = TPosition;
enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };
enum CacheRwMode { READ = 1, WRITE = 2, RW = 3 };
enum class CacheMode : uint8_t {
    CACHE_MODE_DISABLE = 0,
    CACHE_MODE_NORMAL = 1,
    CACHE_MODE_PERSISTENT = 4
};
enum class MaskMode : uint8_t { NORMAL = 0, COUNTER };
enum class CMPMODE : uint8_t { LT, GT, EQ, LE, GE, NE }; /* as enum npu_relation */
enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };
enum class ReduceOrder { ORDER_VALUE_INDEX, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };
enum class ReduceType : uint8_t { SUM, MAX, MIN };
enum class RoundMode {
    CAST_NONE,
    CAST_RINT,
    CAST_FLOOR,
    CAST_CEIL,
    CAST_ROUND,
    CAST_TRUNC,
    CAST_ODD,
    CAST_HYBRID
};

/* HARD_EVENT(from, to): the flag that pipe `from` sets and pipe `to` waits for. */
// clang-format off
#define NPU_HARD_EVENTS(HARD_EVENT)                                                                \
    HARD_EVENT(MTE2, MTE1) HARD_EVENT(MTE1, MTE2) HARD_EVENT(MTE1, M)    HARD_EVENT(M, MTE1)       \
    HARD_EVENT(MTE2, V)    HARD_EVENT(V, MTE2)    HARD_EVENT(MTE3, V)    HARD_EVENT(V, MTE3)       \
    HARD_EVENT(M, V)       HARD_EVENT(V, M)       HARD_EVENT(V, V)       HARD_EVENT(MTE3, MTE1)    \
    HARD_EVENT(MTE1, MTE3) HARD_EVENT(MTE1, V)    HARD_EVENT(MTE2, M)    HARD_EVENT(M, MTE2)       \
    HARD_EVENT(V, MTE1)    HARD_EVENT(M, FIX)     HARD_EVENT(FIX, M)     HARD_EVENT(MTE3, MTE2)    \
    HARD_EVENT(MTE2, MTE3) HARD_EVENT(S, V)       HARD_EVENT(V, S)       HARD_EVENT(S, MTE2)       \
    HARD_EVENT(MTE2, S)    HARD_EVENT(S, MTE3)    HARD_EVENT(MTE3, S)    HARD_EVENT(MTE2, FIX)     \
    HARD_EVENT(FIX, MTE2)  HARD_EVENT(FIX, S)     HARD_EVENT(M, S)       HARD_EVENT(FIX, MTE3)     \
    HARD_EVENT(MTE1, FIX)  HARD_EVENT(FIX, MTE1)  HARD_EVENT(FIX, FIX)
// clang-format on
enum class HardEvent : uint8_t {
#define NPU_EVENT(from, to) from##_##to,
    NPU_HARD_EVENTS(NPU_EVENT)
#undef NPU_EVENT
        MAX
};

/* Strides: blk inside a repeat, rep between repeats, both in 32-byte blks. */
const int32_t DEFAULT_BLK_NUM = 8;
const int32_t ONE_REPEAT_BYTE_SIZE = NPU_REPEAT_BYTES;
const int32_t DEFAULT_BLK_STRIDE = 1;
const uint8_t DEFAULT_REPEAT_STRIDE = 8;
struct UnaryRepeatParams {
    UnaryRepeatParams() {}
    UnaryRepeatParams(uint16_t dst_blk, uint16_t src_blk, uint8_t dst_rep, uint8_t src_rep,
                      bool half_blk = false)
        : dstBlkStride(dst_blk), srcBlkStride(src_blk), dstRepStride(dst_rep),
          srcRepStride(src_rep), halfBlock(half_blk)
    {
    }
    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint16_t dstBlkStride = DEFAULT_BLK_STRIDE, srcBlkStride = DEFAULT_BLK_STRIDE;
    uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE, srcRepStride = DEFAULT_REPEAT_STRIDE;
    bool repeatStrideMode = false, strideSizeMode = false, halfBlock = false;
};
struct BinaryRepeatParams {
    BinaryRepeatParams() {}
    BinaryRepeatParams(uint8_t dst_blk, uint8_t src0_blk, uint8_t src1_blk, uint8_t dst_rep,
                       uint8_t src0_rep, uint8_t src1_rep)
        : dstBlkStride(dst_blk), src0BlkStride(src0_blk), src1BlkStride(src1_blk),
          dstRepStride(dst_rep), src0RepStride(src0_rep), src1RepStride(src1_rep)
    {
    }
    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint8_t dstBlkStride = DEFAULT_BLK_STRIDE, src0BlkStride = DEFAULT_BLK_STRIDE;
    uint8_t src1BlkStride = DEFAULT_BLK_STRIDE, dstRepStride = DEFAULT_REPEAT_STRIDE;
    uint8_t src0RepStride = DEFAULT_REPEAT_STRIDE, src1RepStride = DEFAULT_REPEAT_STRIDE;
    bool repeatStrideMode = false, strideSizeMode = false;
};
struct CopyRepeatParams {
    CopyRepeatParams() {}
    CopyRepeatParams(uint16_t dst_blk, uint16_t src_blk, uint16_t dst_rep, uint16_t src_rep)
        : dstStride(dst_blk), srcStride(src_blk), dstRepeatSize(dst_rep), srcRepeatSize(src_rep)
    {
    }
    uint16_t dstStride = DEFAULT_BLK_STRIDE, srcStride = DEFAULT_BLK_STRIDE;
    uint16_t dstRepeatSize = DEFAULT_REPEAT_STRIDE, srcRepeatSize = DEFAULT_REPEAT_STRIDE;
};
struct BrcbRepeatParams {
    BrcbRepeatParams() {}
    BrcbRepeatParams(uint16_t dst_blk, uint16_t dst_rep)
        : dstBlkStride(dst_blk), dstRepStride(dst_rep)
    {
    }
    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint16_t dstBlkStride = DEFAULT_BLK_STRIDE, dstRepStride = DEFAULT_REPEAT_STRIDE;
    uint16_t src1BlkStride = 0, src1RepStride = 0;
    bool repeatStrideMode = false, strideSizeMode = false;
};

/* Gatherb; only the strides of dst are looked at, dstBlkStride 0 means 1. */
struct GatherRepeatParams {
    GatherRepeatParams() {}
    GatherRepeatParams(uint8_t dst_blk, uint8_t dst_rep)
        : dstBlkStride(dst_blk), dstRepStride(dst_rep)
    {
    }
    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
    uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
    uint8_t src0BlkStride = 0, src1BlkStride = 0, src0RepStride = 0, src1RepStride = 0;
    bool repeatStrideMode = false, strideSizeMode = false;
};
/* GatherMask; src1RepeatStride is that of the tensor of bits. */
enum class GatherMaskMode : uint8_t { VERSION_V1, VERSION_V2 };
constexpr GatherMaskMode defaultGatherMaskMode = GatherMaskMode::VERSION_V2;
struct GatherMaskParams {
    GatherMaskParams() {}
    GatherMaskParams(uint8_t src0_blk, uint16_t repeats, uint16_t src0_rep, uint8_t src1_rep)
        : src0BlockStride(src0_blk), repeatTimes(repeats), src0RepeatStride(src0_rep),
          src1RepeatStride(src1_rep)
    {
    }
    uint8_t src0BlockStride = DEFAULT_BLK_STRIDE;
    uint16_t repeatTimes = 0, src0RepeatStride = DEFAULT_REPEAT_STRIDE;
    uint8_t src1RepeatStride = DEFAULT_REPEAT_STRIDE;
};

/* MrgSort; lengths in pairs of score and index, 8 bytes each. */
struct MrgSort4Info {
    MrgSort4Info() {}
    MrgSort4Info(const uint16_t lengths[4], bool stops, uint16_t valid, uint8_t repeats)
        : ifExhaustedSuspension(stops), validBit(valid), repeatTimes(repeats)
    {
        std::memcpy(elementLengths, lengths, sizeof(elementLengths));
    }
    uint16_t elementLengths[4] = {};
    bool ifExhaustedSuspension = false;
    uint16_t validBit = 0;
    uint8_t repeatTimes = 1;
};

/* Transpose and TransDataTo5HD. */
enum class TransposeType : uint8_t {
    TRANSPOSE_TYPE_NONE,
    TRANSPOSE_NZ2ND_0213,
    TRANSPOSE_NZ2NZ_0213,
    TRANSPOSE_NZ2NZ_012_WITH_N,
    TRANSPOSE_NZ2ND_012_WITH_N,
    TRANSPOSE_NZ2ND_012_WITHOUT_N,
    TRANSPOSE_NZ2NZ_012_WITHOUT_N,
    TRANSPOSE_ND2ND_ONLY,
    TRANSPOSE_ND_UB_GM,
    TRANSPOSE_GRAD_ND_UB_GM,
    TRANSPOSE_ND2ND_B16,
    TRANSPOSE_NCHW2NHWC,
    TRANSPOSE_NHWC2NCHW,
};
struct TransposeParamsExt {
    TransposeParamsExt() {}
    TransposeParamsExt(const uint16_t n, const uint16_t c, const uint16_t h, const uint16_t w,
                       const TransposeType type)
        : nSize(n), cSize(c), hSize(h), wSize(w), transposeType(type)
    {
    }
    uint16_t nSize = 0, cSize = 0, hSize = 0, wSize = 0;
    TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
};
constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;
struct TransDataTo5HDParams {
    TransDataTo5HDParams() {}
    TransDataTo5HDParams(bool dst_high, bool src_high, uint8_t repeats, uint16_t dst_rep,
                         uint16_t src_rep)
        : dstHighHalf(dst_high), srcHighHalf(src_high), repeatTimes(repeats), dstRepStride(dst_rep),
          srcRepStride(src_rep)
    {
    }
    bool dstHighHalf = false, srcHighHalf = false;
    uint8_t repeatTimes = 1;
    uint16_t dstRepStride = 0, srcRepStride = 0;
};

/* blockLen and the gaps (end of a burst to the start of the next) in 32-byte blks; with
 * DataCopyPad blockLen and the gap on the GM side are bytes. */
struct DataCopyParams {
    DataCopyParams() {}
    DataCopyParams(uint16_t count, uint16_t len, uint16_t src_gap, uint16_t dst_gap)
        : blockCount(count), blockLen(len), srcGap(src_gap), dstGap(dst_gap)
    {
    }
    uint16_t blockCount = 1, blockLen = 0;
    union {
        uint16_t srcGap = 0;
        uint16_t srcStride;
    };
    union {
        uint16_t dstGap = 0;
        uint16_t dstStride;
    };
};
/* What another chip does on the way from L0C to UB. The pages: the calls are there on this one, and
 * are those without it. */
enum class BlockMode : uint8_t {
    BLOCK_MODE_NORMAL,
    BLOCK_MODE_MATRIX,
    BLOCK_MODE_VECTOR,
    BLOCK_MODE_SMALL_CHANNEL,
    BLOCK_MODE_DEPTHWISE
};
enum class DeqScale : uint8_t { DEQ_NONE, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };
struct DataCopyEnhancedParams {
    DataCopyEnhancedParams() {}
    DataCopyEnhancedParams(const BlockMode block, const DeqScale scale, const uint64_t value,
                           const uint8_t store, const bool relu, const pad_t pad,
                           const uint64_t pad_value)
        : blockMode(block), deqScale(scale), deqValue(value), sidStoreMode(store), isRelu(relu),
          padMode(pad), padValue(pad_value)
    {
    }
    BlockMode blockMode = BlockMode::BLOCK_MODE_NORMAL;
    DeqScale deqScale = DeqScale::DEQ_NONE;
    uint64_t deqValue = 0, deqTensorAddr = 0;
    uint8_t sidStoreMode = 0;
    bool isRelu = false;
    pad_t padMode = pad_t::PAD_NONE;
    uint64_t padValue = 0;
};
/* blockLen in bytes; the stride is a gap, in bytes on the GM side and in blks on the UB side. */
struct DataCopyExtParams {
#if NPU_ARCH == 3510
    using stride_t = int64_t;
#else
    using stride_t = uint32_t;
#endif
    DataCopyExtParams() {}
    DataCopyExtParams(uint16_t count, uint32_t len, stride_t src_gap, stride_t dst_gap,
                      uint32_t reserved)
        : blockCount(count), blockLen(len), srcStride(src_gap), dstStride(dst_gap), rsv(reserved)
    {
    }
    uint16_t blockCount = 1;
    uint32_t blockLen = 0;
    stride_t srcStride = 0, dstStride = 0;
    uint32_t rsv = 0;
};
/* Paddings in elements, at most 32 bytes a side; paddingValue holds the bits of one element. */
struct DataCopyPadParams {
    DataCopyPadParams() {}
    DataCopyPadParams(bool pad, uint8_t left, uint8_t right, uint64_t value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value)
    {
    }
    bool isPad = false;
    uint8_t leftPadding = 0, rightPadding = 0;
    uint64_t paddingValue = 0;
};
template <typename T> struct DataCopyPadExtParams {
    DataCopyPadExtParams() {}
    DataCopyPadExtParams(bool pad, uint8_t left, uint8_t right, T value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value)
    {
    }
    bool isPad = false;
    uint8_t leftPadding = 0, rightPadding = 0;
    T paddingValue = T(0);
};

/* Slices of one dimension, in elements; the last one is included, burstLen in blks. */
struct SliceInfo {
    SliceInfo() {}
    SliceInfo(const uint32_t start, const uint32_t end, const uint32_t gap, const uint32_t burst,
              const uint32_t shape = 0)
        : startIndex(start), endIndex(end), stride(gap), burstLen(burst), shapeValue(shape)
    {
    }
    uint32_t startIndex = 0, endIndex = 31, stride = 0, burstLen = 32, shapeValue = 0;
};
/* Rows to fractals on the way in; all strides from start to start. src in elements, dstNzC0Stride
 * and dstNzNStride in blks, dstNzMatrixStride in elements. */
struct Nd2NzParams {
#if NPU_ARCH == 3510
    using wide32 = uint32_t;
    using wide64 = uint64_t;
#else
    using wide32 = uint16_t;
    using wide64 = uint16_t;
#endif
    Nd2NzParams() {}
    Nd2NzParams(const uint16_t n_nd, const uint16_t n, const wide32 d, const wide64 src_nd_stride,
                const wide64 src_d, const uint16_t c0_stride, const uint16_t n_stride,
                const wide32 nz_stride)
        : ndNum(n_nd), nValue(n), dValue(d), srcNdMatrixStride(src_nd_stride), srcDValue(src_d),
          dstNzC0Stride(c0_stride), dstNzNStride(n_stride), dstNzMatrixStride(nz_stride)
    {
    }
    uint16_t ndNum = 0, nValue = 0;
    wide32 dValue = 0;
    wide64 srcNdMatrixStride = 0, srcDValue = 0;
    uint16_t dstNzC0Stride = 0, dstNzNStride = 0;
    wide32 dstNzMatrixStride = 0;
};
/* Fractals to rows on the way out. srcNdMatrixStride in 256 elements, srcNStride in 16 elements,
 * dst in elements. */
struct Nz2NdParamsFull {
    Nz2NdParamsFull() {}
    Nz2NdParamsFull(const uint16_t n_nd, const uint16_t n, const uint16_t d,
                    const uint16_t src_nd_stride, const uint16_t src_n, const uint16_t dst_d,
                    const uint16_t dst_nd_stride)
        : ndNum(n_nd), nValue(n), dValue(d), srcNdMatrixStride(src_nd_stride), srcNStride(src_n),
          dstDStride(dst_d), dstNdMatrixStride(dst_nd_stride)
    {
    }
    uint16_t ndNum = 1, nValue = 0, dValue = 0, srcNdMatrixStride = 1, srcNStride = 0;
    uint16_t dstDStride = 0, dstNdMatrixStride = 1;
};

/* No page has these, but public programs say them. */
template <class A, class B> struct IsSameType : std::is_same<A, B> {};
template <bool condition, class Then, class Else>
struct Conditional : std::conditional<condition, Then, Else> {};
template <class A, class B> constexpr auto DivCeil(A a, B b) { return b ? (a + b - 1) / b : a; }
/* Less special than any AlignUp of a kernel's own, which is then the one that is meant. */
template <class A, class B, class... None> constexpr auto AlignUp(A a, B b, None...)
{
    return DivCeil(a, b) * b;
}
constexpr uint32_t F32_INF = 0x7f800000, F32_NEG_INF = 0xff800000, F32_NAN = 0x7fc00000;

constexpr uint64_t MASK_PLACEHOLDER = 0;
constexpr uint32_t ONE_BLK_SIZE = 32;
constexpr uint32_t DEFAULT_C0_SIZE = 32;
#if NPU_ARCH == 3510
constexpr uint32_t TOTAL_UB_SIZE = 253952;
#else
constexpr uint32_t TOTAL_UB_SIZE = 196608;
#endif

} // namespace AscendC

namespace nputwin {

/* "VECIN" and the like, for messages. */
constexpr const char *position_name(AscendC::TPosition p)
{
    constexpr const char *names[] = {"GM",  "A1",   "A2",        "B1",          "B2",     "C1",
                                     "C2",  "CO1",  "CO2",       "VECIN",       "VECOUT", "VECCALC",
                                     "SPM", "TSCM", "C2PIPE2GM", "C2PIPE2LOCAL"};
    return p < AscendC::TPosition::MAX ? names[int(p)] : "?";
}
constexpr bool is_ub(AscendC::TPosition p)
{
    return p == AscendC::TPosition::VECIN || p == AscendC::TPosition::VECOUT ||
           p == AscendC::TPosition::VECCALC;
}

/* A position in a memory that queues and buffers are made in. */
constexpr bool has_buffers(AscendC::TPosition p)
{
    return is_ub(p) || (p >= AscendC::TPosition::A1 && p <= AscendC::TPosition::CO1) ||
           p == AscendC::TPosition::C2PIPE2GM || p == AscendC::TPosition::TSCM;
}
/* Which end of a queue its buffers lie at. */
constexpr AscendC::TPosition buffers_at(AscendC::TPosition src, AscendC::TPosition dst)
{
    return dst != AscendC::TPosition::TSCM && has_buffers(src) ? src : dst;
}

struct pipe_pair {
    npu_pipe from, to;
};
constexpr pipe_pair pipes_of(AscendC::HardEvent e)
{
    constexpr pipe_pair pairs[] = {
#define NPU_EVENT(from, to) {PIPE_##from, PIPE_##to},
        NPU_HARD_EVENTS(NPU_EVENT)
#undef NPU_EVENT
    };
    return pairs[int(e)];
}

/* Bytes at the top of UB that some calls (Select) use for themselves. */
inline uint32_t reserved_ub_bytes(const npu_core *c)
{
#ifdef __NPU_NO_RESERVED_UB__
    (void)c;
    return 0;
#else
    return c->soc->arch == 2201 ? 8192 : 0;
#endif
}

} // namespace nputwin
#endif
