/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sys.h - who am I: system variables, special registers, scalar arithmetic.
 */
#ifndef NPU_FRONT_SYS_H
#define NPU_FRONT_SYS_H
#include "tensor.h"
#include <ctime>

namespace AscendC {

/* ---- which core, how many, how large ------------------------------------------------- */

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
inline constexpr int16_t GetDataBlockSizeInBytes() { return int16_t(ONE_BLK_SIZE); }
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
/* An address of this process's code: where the caller stands. */
[[gnu::noinline]] inline int64_t GetProgramCounter()
{
    return int64_t(uintptr_t(__builtin_return_address(0)));
}
/* No page says the number of any chip. */
template <typename T> inline void GetArchVersion(T &)
{
    static_assert(!std::is_same_v<T, T>,
                  "GetArchVersion: the version numbers of the chips are not published, so the twin "
                  "has none to return; __NPU_ARCH__ tells the architecture");
}

/* A range of UB that faults when it is touched: registers of the chip that the twin has none of. */
struct CheckLocalMemoryIAParam {
    uint8_t enableBit = 0;
    uint32_t startAddr = 0, endAddr = 0;
    bool isScalarRead = false, isScalarWrite = false, isVectorRead = false, isVectorWrite = false;
    bool isMteRead = false, isMteWrite = false, isEnable = false;
    uint32_t reserved = 0;
};
template <typename T> inline void CheckLocalMemoryIA(const T &)
{
    static_assert(!std::is_same_v<T, T>,
                  "CheckLocalMemoryIA: the twin does not model the exception registers; every "
                  "operand that leaves UB is a fault without them");
}

/* Runs fun on one kind of core. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* AscendC::AIC is a constant too */
enum class EngineType { AIC, AIV };
#pragma GCC diagnostic pop
template <EngineType engine, auto funPtr, class... Args> inline void Async(Args... args)
{
    if ((engine == EngineType::AIV) == (nputwin::core()->core_kind == CORE_AIV))
        funPtr(args...);
}

/* ---- special registers --------------------------------------------------------------- */

/* CTRL. The twin has bit 48 on 2201: 1 keeps inf and nan of half and bfloat16 results (and is what
 * a kernel finds), 0 makes them the largest number and 0. */
template <int8_t startBit, int8_t endBit> static inline int64_t GetCtrlSpr()
{
    static_assert(0 <= startBit && startBit <= endBit && endBit <= 63,
                  "GetCtrlSpr: 0 <= startBit <= endBit <= 63");
    static_assert(startBit == 48 && endBit == 48,
                  "GetCtrlSpr: bit 48 is the one that this chip documents");
    return nputwin::core()->regs.saturates ? 0 : 1;
}
template <int8_t startBit, int8_t endBit> static inline void SetCtrlSpr(int64_t value)
{
    static_assert(0 <= startBit && startBit <= endBit && endBit <= 63,
                  "SetCtrlSpr: 0 <= startBit <= endBit <= 63");
    static_assert(startBit == 48 && endBit == 48,
                  "SetCtrlSpr: bit 48 is the one that this chip supports");
    nputwin::core()->regs.saturates = !(value & 1);
}
template <typename T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(int32_t len, npu_where where = NPU_HERE);
/* Older names, as pages and kernels use them. */
class AscendCUtils {
public:
    template <typename T> static void SetMask(int32_t len, npu_where where = NPU_HERE)
    {
        SetVectorMask<T, MaskMode::NORMAL>(len, where);
    }
    /* CTRL[48]: 1 keeps infinity and NaN. */
    static void SetOverflow(uint64_t ctrlValue, npu_where where = NPU_HERE)
    {
        npu_core *c = nputwin::core();
        if (ctrlValue > 1)
            npu_fault(c, NPU_E_ARG, where,
                      "SetOverflow: %llu; 0 saturates, 1 keeps infinity and NaN",
                      (unsigned long long)ctrlValue);
        else
            c->regs.saturates = !ctrlValue;
    }
};
#if NPU_ARCH == 2201
enum class SaturationMode : uint8_t { FLOAT, CAST };
/* FLOAT: results in half and bfloat16 (CTRL[48]). CAST: conversions to an integer clamp, or keep
 * the lower bits (CTRL[59]). */
template <SaturationMode mode> inline bool GetSaturationFlag()
{
    const npu_regs &r = nputwin::core()->regs;
    return mode == SaturationMode::CAST ? !r.cuts : r.saturates;
}
template <SaturationMode mode> inline void SetSaturationFlag(bool enableSat)
{
    npu_regs &r = nputwin::core()->regs;
    if (mode == SaturationMode::CAST)
        r.cuts = !enableSat;
    else
        r.saturates = enableSat;
}
#endif

/* ---- scalar arithmetic --------------------------------------------------------------- */

/* How many bits below the sign are as the sign. */
inline int64_t CountBitsCntSameAsSignBit(int64_t valueIn) { return __builtin_clrsbll(valueIn); }
inline int64_t CountLeadingZero(uint64_t valueIn)
{
    return valueIn ? __builtin_clzll(valueIn) : 64;
}
/* How many bits are countValue. */
template <int countValue> inline int64_t GetBitCount(uint64_t valueIn)
{
    static_assert(countValue == 0 || countValue == 1, "GetBitCount counts bits that are 0 or 1");
    const int ones = __builtin_popcountll(valueIn);
    return countValue ? ones : 64 - ones;
}
/* The lowest bit that is countValue; -1 when there is none. */
template <int countValue> inline int64_t GetSFFValue(uint64_t valueIn)
{
    static_assert(countValue == 0 || countValue == 1, "GetSFFValue looks for a bit 0 or 1");
    const uint64_t v = countValue ? valueIn : ~valueIn;
    return v ? __builtin_ctzll(v) : -1;
}
/* Rounds up; positive numbers, 0 for a division by 0. */
constexpr int32_t CeilDivision(int32_t num1, int32_t num2)
{
    return num2 ? (num1 + num2 - 1) / num2 : 0;
}
template <int count = 1> inline void Nop() {}

} // namespace AscendC

namespace nputwin {
/* von Neumann: an inexact half gets an odd last bit, and never becomes infinite. */
inline half to_half_odd(float f)
{
    half h = half(f);
    uint16_t bits = uint16_t(bits_of(h));
    if (f != f || float(h) == f)
        return h;
    if (std::fabs(float(h)) > std::fabs(f))
        bits--;
    bits = uint16_t(bits | 1u);
    std::memcpy(&h, &bits, sizeof(h));
    return h;
}
inline int32_t to_int(float f)
{
    if (f != f)
        return 0;
    return f >= 2147483648.0f ? INT32_MAX : f <= -2147483648.0f ? INT32_MIN : int32_t(f);
}
} // namespace nputwin

namespace AscendC {

/* One value; the pairs and roundings that the scalar unit has. */
template <typename T, typename U, RoundMode roundMode> inline U Cast(T valueIn)
{
    constexpr bool to_half = std::is_same_v<U, half> && roundMode == RoundMode::CAST_ODD;
    constexpr bool to_int =
        std::is_same_v<U, int32_t> &&
        (roundMode == RoundMode::CAST_ROUND || roundMode == RoundMode::CAST_CEIL ||
         roundMode == RoundMode::CAST_FLOOR || roundMode == RoundMode::CAST_RINT);
    static_assert(std::is_same_v<T, float> && (to_half || to_int),
                  "Cast of a scalar: float to half with CAST_ODD, or float to int32_t with "
                  "CAST_ROUND, CAST_CEIL, CAST_FLOOR or CAST_RINT");
    if constexpr (to_half)
        return nputwin::to_half_odd(valueIn);
    else if constexpr (roundMode == RoundMode::CAST_ROUND)
        return nputwin::to_int(std::round(valueIn));
    else if constexpr (roundMode == RoundMode::CAST_CEIL)
        return nputwin::to_int(std::ceil(valueIn));
    else if constexpr (roundMode == RoundMode::CAST_FLOOR)
        return nputwin::to_int(std::floor(valueIn));
    else
        return nputwin::to_int(std::nearbyint(valueIn));
}
inline bfloat16_t Cast(const float &fVal) { return bfloat16_t(fVal); }
inline float Cast(const bfloat16_t &bVal) { return float(bVal); }

/* Older names of the same. */
inline int64_t ScalarCountLeadingZero(uint64_t valueIn) { return CountLeadingZero(valueIn); }
template <int countValue> inline int64_t ScalarGetCountOfValue(uint64_t valueIn)
{
    return GetBitCount<countValue>(valueIn);
}
template <int countValue> inline int64_t ScalarGetSFFValue(uint64_t valueIn)
{
    return GetSFFValue<countValue>(valueIn);
}
template <typename T, typename U, RoundMode roundMode> inline U ScalarCast(T valueIn)
{
    return Cast<T, U, roundMode>(valueIn);
}
inline bfloat16_t ToBfloat16(const float &fVal) { return bfloat16_t(fVal); }
inline float ToFloat(const bfloat16_t &bVal) { return float(bVal); }

} // namespace AscendC
#endif
