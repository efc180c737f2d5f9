/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hifloat4_cast_kernel.cpp - HiFloat4: quantise to it and back, pack to it, unpack from it.
 *
 * 64 elements share a scale of six exponent and two mantissa bits (E6M2). Eight groups of eight
 * have a bit each that doubles it, sixteen groups of four another. An element is a sign and a code
 * 0..7:
 *
 *     x = +-code / 4 * 2^(bit of its eight + bit of its four) * scale
 *
 * A block of floats is one repeat of 256 bytes, and a group of eight is one blk of 32:
 * BlockReduceMax finds the maximum of every group, Brcb spreads a value over its group again, and a
 * mask takes the lower or the upper four lanes of each blk. So no loop runs over elements, nor over
 * blocks.
 *
 *     fake_quant   elements -> Measure -> Encode -> Decode -> elements
 *     pack         elements -> Measure -> Encode -> bytes
 *     unpack       bytes    -> Read    ->           Decode -> elements
 *
 * A NaN or an infinity makes its whole block NaN (scale byte 0xFF): x * 0, summed over the block,
 * is then NaN, else 0. Added to the scale that carries through Decode.
 *
 * UB budget, bytes, for N = tileBlocks and elements of s bytes (two buffers a queue: copies run
 * beside computation):
 *
 *               inQ             outQ            constants  work                           sum
 *   fake_quant  2 * 64s N       2 * 64s N       -          3 wide, groups, blocks         (256s +
 * 1040) N pack        2 * 64s N       2 * (32 + 4) N  768        3 wide, groups, blocks   768 +
 * (128s + 1112) N unpack      2 * (32 + 4) N  2 * 64s N       768        3 wide, groups, blocks 768
 * + (128s + 1112) N
 *
 *   wide = 256 N (a float an element), groups = 256 N (8 + 8 + 3 * 16 floats a block), blocks = 16
 * N
 *
 * and 8192 that the compiler reserves. The host derives N from the size of UB that the platform
 * reports (hifloat4_cast_torch.cpp); 196608 bytes give N = 120 (half) and 88 (float) in fake_quant.
 */
#include "hifloat4_cast_tiling.h"
#include "kernel_operator.h"

namespace {

using AscendC::BinaryRepeatParams;
using AscendC::BrcbRepeatParams;
using AscendC::GlobalTensor;
using AscendC::LocalTensor;
using AscendC::RoundMode;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;
using AscendC::TQue;

constexpr int32_t BUFFERS = 2;
constexpr uint32_t BLOCK = HIFLOAT4_BLOCK;
constexpr uint32_t EIGHTS = 8; /* groups of eight in a block; also floats in a blk */

/* Lanes of the lower and of the upper group of four in every blk. */
constexpr uint64_t LOWER_FOURS = 0x0F0F0F0F0F0F0F0F;
constexpr uint64_t UPPER_FOURS = 0xF0F0F0F0F0F0F0F0;
constexpr uint64_t EVEN_LANES = 0x5555555555555555;

constexpr float BF16_OF_A_SEVENTH = 0.142578125f;
constexpr float SCALE_MIN = 0x1p-48f;  /* byte 0x00 */
constexpr float SCALE_MAX = 0x1.8p15f; /* byte 0xFE */
constexpr float CODE_MAX = 7.0f;
constexpr uint32_t NAN_BYTE = 0xFF;

/* The upper bits of a float down to two of its mantissa; byte 0x00 is there SCALE_INDEX_MIN. */
constexpr uint32_t BITS_BELOW_SCALE = 21;
constexpr int32_t SCALE_INDEX_MIN = (127 - 48) * 4;

__aicore__ inline uint32_t DivideUp(uint32_t n, uint32_t unit) { return (n + unit - 1) / unit; }

/* dst[i] = src[i / 8]: a value of each group of eight for all its elements. */
__aicore__ inline void SpreadOverEights(const LocalTensor<float> &dst,
                                        const LocalTensor<float> &src, uint32_t eights)
{
    AscendC::Brcb(dst, src, static_cast<uint8_t>(DivideUp(eights, EIGHTS)), BrcbRepeatParams(1, 8));
}

__aicore__ inline void RoundToBf16(const LocalTensor<float> &value,
                                   const LocalTensor<float> &scratch, uint32_t count)
{
    LocalTensor<bfloat16_t> narrow = scratch.ReinterpretCast<bfloat16_t>();

    AscendC::Cast(narrow, value, RoundMode::CAST_RINT, count);
    AscendC::Cast(value, narrow, RoundMode::CAST_NONE, count);
}

/* 1 where value reaches the limit (a power of two), else 0. */
__aicore__ inline void Reaches(const LocalTensor<float> &value, float limit, uint32_t count)
{
    AscendC::Muls(value, value, 1.0f / limit, static_cast<int32_t>(count));
    AscendC::Cast(value, value, RoundMode::CAST_FLOOR, count);
    AscendC::Mins(value, value, 1.0f, static_cast<int32_t>(count));
}

/*
 * The scales of the blocks of one tile, from elements (Measure) or from stored bytes (Read).
 *
 * Of each block scale_ and poison_ (0, or NaN for a block that holds one), of each eight level2_,
 * of each four level3_: first the lower fours of all eights, then the upper ones. `down` turns an
 * element into a code, `up` a code into an element.
 */
class Scales {
public:
    __aicore__ inline void Init(TPipe &pipe, uint32_t tileBlocks)
    {
        uint32_t eights = tileBlocks * EIGHTS;

        pipe.InitBuffer(groupBuf_, tileBlocks * HIFLOAT4_WIDE_BYTES);
        pipe.InitBuffer(blockBuf_, tileBlocks * 4 * sizeof(float));
        LocalTensor<float> groups = groupBuf_.Get<float>();
        LocalTensor<float> blocks = blockBuf_.Get<float>();

        level2_ = groups[0];
        spread_ = groups[eights];
        level3_ = groups[2 * eights];
        down_ = groups[4 * eights];
        up_ = groups[6 * eights];
        scale_ = blocks[0];
        reciprocal_ = blocks[tileBlocks];
        poison_ = blocks[2 * tileBlocks];
        scratch_ = blocks[3 * tileBlocks];
    }

    /* n blocks of x; a and b are overwritten. */
    __aicore__ inline void Measure(const LocalTensor<float> &x, const LocalTensor<float> &a,
                                   const LocalTensor<float> &b, uint32_t n)
    {
        FindMaxima(x, a, b, n);
        RoundScale(n);
        FindLevels(n);
    }

    /* n words of scale: byte 0 E6M2, byte 1 level 2, bytes 2 and 3 level 3, first group on top. */
    __aicore__ inline void Read(const LocalTensor<uint32_t> &word, const LocalTensor<float> &powers,
                                uint32_t n)
    {
        ReadScale(word, n);
        ReadLevels(level2_, word, 16, 24, powers[0], n);
        ReadLevels(level3_, word, 0, 16, powers[BLOCK], n);
        ReadLevels(level3_[n * EIGHTS], word, 0, 16, powers[2 * BLOCK], n);
    }

    /* The words that Read reads. Clobbers scale_ and spread_: the last use of a tile. */
    __aicore__ inline void Write(const LocalTensor<uint32_t> &word,
                                 const LocalTensor<float> &powers, uint32_t n)
    {
        LocalTensor<int32_t> bytes = word.ReinterpretCast<int32_t>();
        LocalTensor<int32_t> part = scratch_.ReinterpretCast<int32_t>();
        int32_t count = static_cast<int32_t>(n);

        AscendC::ShiftRight(bytes, scale_.ReinterpretCast<int32_t>(),
                            static_cast<int32_t>(BITS_BELOW_SCALE), count);
        AscendC::Adds(bytes, bytes, -SCALE_INDEX_MIN, count);
        GatherBits(part, level2_, powers[0], n);
        AddShifted(bytes, part, 8, n);
        GatherBits(part, level3_, powers[BLOCK], n);
        AddShifted(bytes, part, 16, n);
        GatherBits(part, level3_[n * EIGHTS], powers[2 * BLOCK], n);
        AddShifted(bytes, part, 16, n);
        PoisonWords(word, n);
    }

    /* code = nearest code of x, with its sign; a is overwritten. x and code may be one. Rounding to
     * a whole number loses the sign of a zero, so the sign is kept apart meanwhile. */
    __aicore__ inline void Encode(const LocalTensor<float> &code, const LocalTensor<float> &x,
                                  const LocalTensor<float> &a, uint32_t n)
    {
        int32_t count = static_cast<int32_t>(n * BLOCK);
        LocalTensor<uint32_t> sign = a.ReinterpretCast<uint32_t>();
        LocalTensor<uint16_t> codeHalves = code.ReinterpretCast<uint16_t>();

        MulGroups(code, x, down_, a, n);
        RoundToBf16(code, a, n * BLOCK);
        AscendC::ShiftRight(sign, code.ReinterpretCast<uint32_t>(), 31u, count);
        AscendC::ShiftLeft(sign, sign, 31u, count);
        AscendC::Abs(code, code, count);
        AscendC::Cast(code, code, RoundMode::CAST_ROUND, n * BLOCK);
        AscendC::Mins(code, code, CODE_MAX, count);
        AscendC::Or(codeHalves, codeHalves, sign.ReinterpretCast<uint16_t>(), 2 * count);
    }

    /* x = value of the signed codes; a is overwritten. x and code may be one. */
    __aicore__ inline void Decode(const LocalTensor<float> &x, const LocalTensor<float> &code,
                                  const LocalTensor<float> &a, uint32_t n)
    {
        FindUp(n);
        MulGroups(x, code, up_, a, n);
    }

    /* keep[i] = all bits where block i is sound, none where it is NaN. */
    __aicore__ inline void SoundBlocks(const LocalTensor<int32_t> &keep, uint32_t n)
    {
        int32_t count = static_cast<int32_t>(n);
        LocalTensor<uint32_t> bits = poison_.ReinterpretCast<uint32_t>();
        LocalTensor<uint16_t> words = keep.ReinterpretCast<uint16_t>();

        AscendC::ShiftLeft(keep.ReinterpretCast<uint32_t>(), bits, 1u, count); /* without sign */
        AscendC::ShiftRight(keep, keep, 31, count);
        AscendC::Not(words, words, 2 * count);
    }

private:
    /* level3_: of every four; level2_: of every eight; scale_: of every block. Poison. */
    __aicore__ inline void FindMaxima(const LocalTensor<float> &x, const LocalTensor<float> &a,
                                      const LocalTensor<float> &b, uint32_t n)
    {
        int32_t count = static_cast<int32_t>(n * BLOCK);
        int32_t repeats = static_cast<int32_t>(n);
        int32_t eightRepeats = static_cast<int32_t>(DivideUp(n, EIGHTS));
        uint64_t lower[2] = {LOWER_FOURS, 0}, upper[2] = {UPPER_FOURS, 0};
        LocalTensor<float> upperFours = level3_[n * EIGHTS];

        AscendC::Abs(a, x, count);
        AscendC::BlockReduceMax(level3_, a, repeats, lower, 1, 1, 8);
        AscendC::BlockReduceMax(upperFours, a, repeats, upper, 1, 1, 8);
        AscendC::Max(level2_, level3_, upperFours, static_cast<int32_t>(n * EIGHTS));
        AscendC::BlockReduceMax(scale_, level2_, eightRepeats, 64, 1, 1, 8);

        AscendC::Muls(b, x, 0.0f, count);
        AscendC::BlockReduceSum(level2_, b, repeats, 64, 1, 1, 8);
        AscendC::BlockReduceSum(poison_, level2_, eightRepeats, 64, 1, 1, 8);
    }

    /* scale_ = maximum / 7 with two bits of mantissa, ties to even; reciprocal_ = 1 / scale_. */
    __aicore__ inline void RoundScale(uint32_t n)
    {
        int32_t count = static_cast<int32_t>(n);
        LocalTensor<int32_t> bits = scale_.ReinterpretCast<int32_t>();
        LocalTensor<int32_t> odd = scratch_.ReinterpretCast<int32_t>();
        LocalTensor<int32_t> even = reciprocal_.ReinterpretCast<int32_t>();
        int32_t below = static_cast<int32_t>(BITS_BELOW_SCALE);

        AscendC::Muls(scale_, scale_, BF16_OF_A_SEVENTH, count);
        RoundToBf16(scale_, scratch_, n);
        AscendC::Maxs(scale_, scale_, SCALE_MIN, count);
        AscendC::Mins(scale_, scale_, SCALE_MAX, count);

        AscendC::ShiftRight(odd, bits, below, count);
        AscendC::ShiftRight(even, odd, 1, count);
        AscendC::ShiftLeft(even, even, 1, count);
        AscendC::Sub(odd, odd, even, count);
        AscendC::Adds(bits, bits, (1 << (BITS_BELOW_SCALE - 1)) - 1, count);
        AscendC::Add(bits, bits, odd, count);
        AscendC::ShiftRight(bits, bits, below, count);
        AscendC::ShiftLeft(bits, bits, below, count);

        AscendC::Duplicate(reciprocal_, 1.0f, count);
        AscendC::Div(reciprocal_, reciprocal_, scale_, count);
        RoundToBf16(reciprocal_, scratch_, n);
    }

    /* From maxima to bits, and down_ = 4 / scale / 2^(bits). */
    __aicore__ inline void FindLevels(uint32_t n)
    {
        uint32_t eights = n * EIGHTS;
        int32_t count = static_cast<int32_t>(eights);
        LocalTensor<float> lower = level3_, upper = level3_[eights];
        LocalTensor<float> halve = up_; /* free until FindUp */

        SpreadOverEights(spread_, reciprocal_, n);
        AscendC::Mul(lower, lower, spread_, count);
        AscendC::Mul(upper, upper, spread_, count);
        AscendC::Max(level2_, lower, upper, count);
        Reaches(level2_, 4.0f, eights);

        Halve(halve, level2_, eights);
        AscendC::Mul(lower, lower, halve, count);
        AscendC::Mul(upper, upper, halve, count);
        Reaches(level3_, 2.0f, 2 * eights);

        AscendC::Muls(spread_, spread_, 4.0f, count);
        AscendC::Mul(spread_, spread_, halve, count);
        Halve(down_, level3_, 2 * eights);
        AscendC::Mul(down_, down_, spread_, count);
        AscendC::Mul(down_[eights], down_[eights], spread_, count);
    }

    /* up_ = scale / 4 * 2^(bits); NaN in a block that is. */
    __aicore__ inline void FindUp(uint32_t n)
    {
        uint32_t eights = n * EIGHTS;
        int32_t count = static_cast<int32_t>(eights);

        AscendC::Add(reciprocal_, scale_, poison_, static_cast<int32_t>(n));
        SpreadOverEights(spread_, reciprocal_, n);
        AscendC::Muls(spread_, spread_, 0.25f, count);
        AscendC::Adds(up_, level2_, 1.0f, count);
        AscendC::Mul(spread_, spread_, up_, count);
        AscendC::Adds(up_, level3_, 1.0f, 2 * count);
        AscendC::Mul(up_, up_, spread_, count);
        AscendC::Mul(up_[eights], up_[eights], spread_, count);
    }

    /* 2^-bit */
    __aicore__ inline void Halve(const LocalTensor<float> &dst, const LocalTensor<float> &bit,
                                 uint32_t count)
    {
        AscendC::Muls(dst, bit, -0.5f, static_cast<int32_t>(count));
        AscendC::Adds(dst, dst, 1.0f, static_cast<int32_t>(count));
    }

    /* dst = src * the factor of the group of four; scratch holds a factor an element. */
    __aicore__ inline void MulGroups(const LocalTensor<float> &dst, const LocalTensor<float> &src,
                                     const LocalTensor<float> &factors,
                                     const LocalTensor<float> &scratch, uint32_t n)
    {
        uint64_t lower[2] = {LOWER_FOURS, 0}, upper[2] = {UPPER_FOURS, 0};
        uint8_t repeats = static_cast<uint8_t>(n);
        BinaryRepeatParams dense(1, 1, 1, 8, 8, 8);

        SpreadOverEights(scratch, factors, n * EIGHTS);
        AscendC::Mul(dst, src, scratch, lower, repeats, dense);
        SpreadOverEights(scratch, factors[n * EIGHTS], n * EIGHTS);
        AscendC::Mul(dst, src, scratch, upper, repeats, dense);
    }

    /* word[i] = sum of bit * power over the eights of block i, as a whole number. */
    __aicore__ inline void GatherBits(const LocalTensor<int32_t> &part,
                                      const LocalTensor<float> &bit,
                                      const LocalTensor<float> &power, uint32_t n)
    {
        uint8_t repeats = static_cast<uint8_t>(DivideUp(n, EIGHTS));

        AscendC::Mul(spread_, bit, power, 64, repeats, BinaryRepeatParams(1, 1, 1, 8, 8, 0));
        AscendC::BlockReduceSum(reciprocal_, spread_, repeats, 64, 1, 1, 8);
        AscendC::Cast(part, reciprocal_, RoundMode::CAST_RINT, n);
    }

    __aicore__ inline void AddShifted(const LocalTensor<int32_t> &sum,
                                      const LocalTensor<int32_t> &part, int32_t shift, uint32_t n)
    {
        AscendC::ShiftLeft(part, part, shift, static_cast<int32_t>(n));
        AscendC::Add(sum, sum, part, static_cast<int32_t>(n));
    }

    /* A block that holds a NaN becomes FF 00 00 00. */
    __aicore__ inline void PoisonWords(const LocalTensor<uint32_t> &word, uint32_t n)
    {
        int32_t count = static_cast<int32_t>(n);
        LocalTensor<int32_t> keep = scale_.ReinterpretCast<int32_t>();
        LocalTensor<uint16_t> halves = word.ReinterpretCast<uint16_t>();
        LocalTensor<uint16_t> keepHalves = scale_.ReinterpretCast<uint16_t>();
        LocalTensor<uint32_t> drop = scale_.ReinterpretCast<uint32_t>();

        SoundBlocks(keep, n);
        AscendC::And(halves, halves, keepHalves, 2 * count);
        AscendC::Not(keepHalves, keepHalves, 2 * count);
        AscendC::ShiftRight(drop, drop, 24u, count);
        AscendC::Or(halves, halves, keepHalves, 2 * count);
    }

    /* scale_ from byte 0, poison_ from its value 0xFF. */
    __aicore__ inline void ReadScale(const LocalTensor<uint32_t> &word, uint32_t n)
    {
        int32_t count = static_cast<int32_t>(n);
        LocalTensor<uint32_t> byte = scale_.ReinterpretCast<uint32_t>();
        LocalTensor<int32_t> bits = scale_.ReinterpretCast<int32_t>();
        LocalTensor<int32_t> isNan = poison_.ReinterpretCast<int32_t>();

        AscendC::ShiftLeft(byte, word, 24u, count);
        AscendC::ShiftRight(byte, byte, 24u, count);
        AscendC::Adds(isNan, bits, 1, count);
        AscendC::ShiftRight(isNan, isNan, 8, count); /* 1 for 0xFF alone */
        AscendC::Muls(isNan, isNan, 0x7FC00000, count);
        AscendC::Adds(bits, bits, SCALE_INDEX_MIN, count);
        AscendC::ShiftLeft(bits, bits, static_cast<int32_t>(BITS_BELOW_SCALE), count);
    }

    /* bit[8 i + g] = the bit of `power` of group g in word[i] << left >> right. */
    __aicore__ inline void ReadLevels(const LocalTensor<float> &bit,
                                      const LocalTensor<uint32_t> &word, uint32_t left,
                                      uint32_t right, const LocalTensor<float> &power, uint32_t n)
    {
        int32_t count = static_cast<int32_t>(n);
        uint32_t eights = n * EIGHTS;
        uint8_t repeats = static_cast<uint8_t>(DivideUp(n, EIGHTS));
        LocalTensor<uint32_t> field = scratch_.ReinterpretCast<uint32_t>();
        LocalTensor<float> doubled = up_; /* free until FindUp */

        AscendC::ShiftLeft(field, word, left, count);
        AscendC::ShiftRight(field, field, right, count);
        AscendC::Cast(reciprocal_, scratch_.ReinterpretCast<int32_t>(), RoundMode::CAST_NONE, n);
        SpreadOverEights(spread_, reciprocal_, n);
        AscendC::Div(spread_, spread_, power, 64, repeats, BinaryRepeatParams(1, 1, 1, 8, 8, 0));
        /* parity of floor(field / power) */
        AscendC::Muls(doubled, spread_, 0.5f, static_cast<int32_t>(eights));
        AscendC::Cast(spread_, spread_, RoundMode::CAST_FLOOR, eights);
        AscendC::Cast(doubled, doubled, RoundMode::CAST_FLOOR, eights);
        AscendC::Muls(doubled, doubled, 2.0f, static_cast<int32_t>(eights));
        AscendC::Sub(bit, spread_, doubled, static_cast<int32_t>(eights));
    }

    TBuf<TPosition::VECCALC> groupBuf_, blockBuf_;
    LocalTensor<float> level2_, spread_, level3_, down_, up_;
    LocalTensor<float> scale_, reciprocal_, poison_, scratch_;
};

/* Three vectors with a power of two for each group of eight, repeated to 64 lanes: the places of
 * level 2 in its byte, and of the lower and the upper fours in the 16 bits of level 3. */
__aicore__ inline void FillPowers(const LocalTensor<float> &powers)
{
    for (uint32_t group = 0; group < EIGHTS; group++) {
        uint64_t lanes[2] = {0x0101010101010101ull << group, 0};
        uint32_t lower = group < 4 ? 7 - 2 * group : 15 - 2 * (group - 4);

        AscendC::Duplicate(powers, static_cast<float>(1 << (7 - group)), lanes, 1, 1, 8);
        AscendC::Duplicate(powers[BLOCK], static_cast<float>(1 << lower), lanes, 1, 1, 8);
        AscendC::Duplicate(powers[2 * BLOCK], static_cast<float>(1 << (lower - 1)), lanes, 1, 1, 8);
    }
}

/* Which blocks of the tensor are this core's. */
struct Share {
    uint64_t first, blocks;

    __aicore__ inline explicit Share(const HiFloat4CastTiling &tiling)
    {
        first = AscendC::GetBlockIdx() * tiling.coreBlocks;
        uint64_t left = first < tiling.totalBlocks ? tiling.totalBlocks - first : 0;
        blocks = left < tiling.coreBlocks ? left : tiling.coreBlocks;
    }
};

/* A tensor in global memory that is moved tile by tile, UNIT elements a block. */
template <typename T, uint32_t UNIT> class Stream {
public:
    static constexpr uint32_t BLOCK_BYTES = UNIT * sizeof(T);

    __aicore__ inline void Init(GM_ADDR memory, const Share &share)
    {
        gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(memory) + share.first * UNIT,
                            share.blocks * UNIT);
    }

    template <typename Queue> __aicore__ inline void Load(Queue &queue, uint64_t at, uint32_t n)
    {
        LocalTensor<T> tile = queue.template AllocTensor<T>();
        AscendC::DataCopyExtParams run{1, n * BLOCK_BYTES, 0, 0, 0};

        AscendC::DataCopyPad(tile, gm_[at * UNIT], run, AscendC::DataCopyPadExtParams<T>{});
        queue.EnQue(tile);
    }

    template <typename Queue> __aicore__ inline void Store(Queue &queue, uint64_t at, uint32_t n)
    {
        LocalTensor<T> tile = queue.template DeQue<T>();
        AscendC::DataCopyExtParams run{1, n * BLOCK_BYTES, 0, 0, 0};

        AscendC::DataCopyPad(gm_[at * UNIT], tile, run);
        queue.FreeTensor(tile);
    }

private:
    GlobalTensor<T> gm_;
};

template <typename T> using Elements = Stream<T, HIFLOAT4_BLOCK>;
using Codes = Stream<uint8_t, HIFLOAT4_CODE_BYTES>;
using ScaleWords = Stream<uint32_t, HIFLOAT4_SCALE_BYTES / sizeof(uint32_t)>;
using InQueue = TQue<TPosition::VECIN, BUFFERS>;
using OutQueue = TQue<TPosition::VECOUT, BUFFERS>;

/* Three vectors of a float an element. */
class Wide {
public:
    __aicore__ inline void Init(TPipe &pipe, uint32_t tileBlocks)
    {
        pipe.InitBuffer(buf_, 3 * tileBlocks * HIFLOAT4_WIDE_BYTES);
        x = buf_.Get<float>();
        a = x[tileBlocks * BLOCK];
        b = x[2 * tileBlocks * BLOCK];
    }

    /* in as floats; floats stay where they are. */
    template <typename T>
    __aicore__ inline LocalTensor<float> Widen(const LocalTensor<T> &in, uint32_t n)
    {
        if constexpr (sizeof(T) == sizeof(float)) {
            return in;
        } else {
            AscendC::Cast(x, in, RoundMode::CAST_NONE, n * BLOCK);
            return x;
        }
    }

    LocalTensor<float> x, a, b;

private:
    TBuf<TPosition::VECCALC> buf_;
};

/* out = values of the signed codes; work may be where the codes are. */
template <typename T>
__aicore__ inline void DecodeTo(const LocalTensor<T> &out, Scales &scales,
                                const LocalTensor<float> &code, const LocalTensor<float> &scratch,
                                uint32_t n)
{
    if constexpr (sizeof(T) == sizeof(float)) {
        scales.Decode(out, code, scratch, n);
    } else {
        scales.Decode(code, code, scratch, n);
        AscendC::Cast(out, code, RoundMode::CAST_RINT, n * BLOCK);
    }
}

template <typename T> class FakeQuant {
public:
    __aicore__ inline void Init(TPipe &pipe, GM_ADDR input, GM_ADDR output, const Share &share,
                                uint32_t tileBlocks)
    {
        in_.Init(input, share);
        out_.Init(output, share);
        pipe.InitBuffer(inQ_, BUFFERS, tileBlocks * Elements<T>::BLOCK_BYTES);
        pipe.InitBuffer(outQ_, BUFFERS, tileBlocks * Elements<T>::BLOCK_BYTES);
        wide_.Init(pipe, tileBlocks);
        scales_.Init(pipe, tileBlocks);
    }

    __aicore__ inline void CopyIn(uint64_t at, uint32_t n) { in_.Load(inQ_, at, n); }

    __aicore__ inline void Compute(uint32_t n)
    {
        LocalTensor<T> in = inQ_.template DeQue<T>();
        LocalTensor<T> out = outQ_.template AllocTensor<T>();
        LocalTensor<float> x = wide_.Widen(in, n);

        scales_.Measure(x, wide_.a, wide_.b, n);
        scales_.Encode(wide_.b, x, wide_.a, n);
        DecodeTo(out, scales_, wide_.b, wide_.a, n);
        outQ_.EnQue(out);
        inQ_.FreeTensor(in);
    }

    __aicore__ inline void CopyOut(uint64_t at, uint32_t n) { out_.Store(outQ_, at, n); }

private:
    Elements<T> in_, out_;
    InQueue inQ_;
    OutQueue outQ_;
    Wide wide_;
    Scales scales_;
};

template <typename T> class Pack {
public:
    __aicore__ inline void Init(TPipe &pipe, GM_ADDR input, GM_ADDR codes, GM_ADDR words,
                                const Share &share, uint32_t tileBlocks)
    {
        in_.Init(input, share);
        codes_.Init(codes, share);
        words_.Init(words, share);
        pipe.InitBuffer(inQ_, BUFFERS, tileBlocks * Elements<T>::BLOCK_BYTES);
        pipe.InitBuffer(codeQ_, BUFFERS, tileBlocks * Codes::BLOCK_BYTES);
        pipe.InitBuffer(wordQ_, BUFFERS, tileBlocks * ScaleWords::BLOCK_BYTES);
        wide_.Init(pipe, tileBlocks);
        scales_.Init(pipe, tileBlocks);
        pipe.InitBuffer(powerBuf_, HIFLOAT4_CONSTANT_BYTES);
        powers_ = powerBuf_.Get<float>();
        FillPowers(powers_);
    }

    __aicore__ inline void CopyIn(uint64_t at, uint32_t n) { in_.Load(inQ_, at, n); }

    __aicore__ inline void Compute(uint32_t n)
    {
        LocalTensor<T> in = inQ_.template DeQue<T>();
        LocalTensor<uint8_t> codes = codeQ_.template AllocTensor<uint8_t>();
        LocalTensor<uint32_t> words = wordQ_.template AllocTensor<uint32_t>();
        LocalTensor<float> x = wide_.Widen(in, n);

        scales_.Measure(x, wide_.a, wide_.b, n);
        scales_.Encode(wide_.b, x, wide_.a, n);
        PackCodes(codes, wide_.b, n);
        scales_.Write(words, powers_, n);
        codeQ_.EnQue(codes);
        wordQ_.EnQue(words);
        inQ_.FreeTensor(in);
    }

    __aicore__ inline void CopyOut(uint64_t at, uint32_t n)
    {
        codes_.Store(codeQ_, at, n);
        words_.Store(wordQ_, at, n);
    }

private:
    /* nibble = |code| + 8 * sign; byte = even element + 16 * odd element; 0 in a NaN block. */
    __aicore__ inline void PackCodes(const LocalTensor<uint8_t> &out,
                                     const LocalTensor<float> &code, uint32_t n)
    {
        int32_t count = static_cast<int32_t>(n * BLOCK);
        uint8_t repeats = static_cast<uint8_t>(n);
        uint64_t odd[2] = {~EVEN_LANES, 0};
        AscendC::UnaryRepeatParams inPlace(1, 1, 8, 8);
        LocalTensor<float> sign = wide_.a, bytes = wide_.a;
        LocalTensor<half> narrow = wide_.b.template ReinterpretCast<half>();

        AscendC::ShiftRight(sign.ReinterpretCast<uint32_t>(), code.ReinterpretCast<uint32_t>(), 31u,
                            count);
        AscendC::Cast(sign, sign.ReinterpretCast<int32_t>(), RoundMode::CAST_NONE,
                      static_cast<uint32_t>(count));
        AscendC::Muls(sign, sign, 8.0f, count);
        AscendC::Abs(code, code, count);
        AscendC::Add(code, code, sign, count);
        AscendC::Muls(code, code, 16.0f, odd, repeats, inPlace);
        AscendC::PairReduceSum(bytes, code, repeats, 64, 1, 1, 8);
        AscendC::Cast(narrow, bytes, RoundMode::CAST_NONE, n * HIFLOAT4_CODE_BYTES);
        DropNanBlocks(narrow, n);
        AscendC::Cast(out, narrow, RoundMode::CAST_RINT, n * HIFLOAT4_CODE_BYTES);
    }

    /* The 32 halves of a block are two blks: Brcb fills first all even blks, then all odd ones. */
    __aicore__ inline void DropNanBlocks(const LocalTensor<half> &value, uint32_t n)
    {
        LocalTensor<int32_t> keep = wide_.a.template ReinterpretCast<int32_t>();
        LocalTensor<int32_t> spread = keep[RoundUpBlocks(n)];
        LocalTensor<uint16_t> bits = value.template ReinterpretCast<uint16_t>();
        uint8_t repeats = static_cast<uint8_t>(DivideUp(n, EIGHTS));

        scales_.SoundBlocks(keep, n);
        AscendC::Brcb(spread, keep, repeats, BrcbRepeatParams(2, 16));
        AscendC::Brcb(spread[EIGHTS], keep, repeats, BrcbRepeatParams(2, 16));
        AscendC::And(bits, bits, spread.ReinterpretCast<uint16_t>(),
                     static_cast<int32_t>(n * HIFLOAT4_CODE_BYTES));
    }

    __aicore__ inline uint32_t RoundUpBlocks(uint32_t n)
    {
        return DivideUp(n, HIFLOAT4_TILE_ALIGN) * HIFLOAT4_TILE_ALIGN;
    }

    Elements<T> in_;
    Codes codes_;
    ScaleWords words_;
    InQueue inQ_;
    OutQueue codeQ_, wordQ_;
    Wide wide_;
    Scales scales_;
    TBuf<TPosition::VECCALC> powerBuf_;
    LocalTensor<float> powers_;
};

template <typename T> class Unpack {
public:
    __aicore__ inline void Init(TPipe &pipe, GM_ADDR codes, GM_ADDR words, GM_ADDR output,
                                const Share &share, uint32_t tileBlocks)
    {
        codes_.Init(codes, share);
        words_.Init(words, share);
        out_.Init(output, share);
        pipe.InitBuffer(codeQ_, BUFFERS, tileBlocks * Codes::BLOCK_BYTES);
        pipe.InitBuffer(wordQ_, BUFFERS, tileBlocks * ScaleWords::BLOCK_BYTES);
        pipe.InitBuffer(outQ_, BUFFERS, tileBlocks * Elements<T>::BLOCK_BYTES);
        wide_.Init(pipe, tileBlocks);
        scales_.Init(pipe, tileBlocks);
        pipe.InitBuffer(powerBuf_, HIFLOAT4_CONSTANT_BYTES);
        powers_ = powerBuf_.Get<float>();
        FillPowers(powers_);
    }

    __aicore__ inline void CopyIn(uint64_t at, uint32_t n)
    {
        codes_.Load(codeQ_, at, n);
        words_.Load(wordQ_, at, n);
    }

    __aicore__ inline void Compute(uint32_t n)
    {
        LocalTensor<uint8_t> codes = codeQ_.template DeQue<uint8_t>();
        LocalTensor<uint32_t> words = wordQ_.template DeQue<uint32_t>();
        LocalTensor<T> out = outQ_.template AllocTensor<T>();

        UnpackCodes(wide_.x, codes, n);
        scales_.Read(words, powers_, n);
        DecodeTo(out, scales_, wide_.x, wide_.a, n);
        outQ_.EnQue(out);
        codeQ_.FreeTensor(codes);
        wordQ_.FreeTensor(words);
    }

    __aicore__ inline void CopyOut(uint64_t at, uint32_t n) { out_.Store(outQ_, at, n); }

private:
    /* A byte as 32 bits, or-ed with itself shifted by 12, has its lower nibble at the foot of the
     * first 16 bits and its upper one at the foot of the second: as many 16-bit lanes as elements.
     */
    __aicore__ inline void UnpackCodes(const LocalTensor<float> &code,
                                       const LocalTensor<uint8_t> &in, uint32_t n)
    {
        uint32_t bytes = n * HIFLOAT4_CODE_BYTES;
        int32_t lanes = static_cast<int32_t>(n * BLOCK);
        LocalTensor<half> narrow = wide_.x.template ReinterpretCast<half>();
        LocalTensor<int32_t> word = wide_.a.template ReinterpretCast<int32_t>();
        LocalTensor<int32_t> shifted = wide_.b.template ReinterpretCast<int32_t>();
        LocalTensor<uint16_t> lane = word.ReinterpretCast<uint16_t>();
        LocalTensor<uint16_t> other = shifted.ReinterpretCast<uint16_t>();
        LocalTensor<half> value = wide_.b.template ReinterpretCast<half>();

        AscendC::Cast(narrow, in, RoundMode::CAST_NONE, bytes);
        AscendC::Cast(word, narrow, RoundMode::CAST_RINT, bytes);
        AscendC::ShiftLeft(shifted, word, 12, static_cast<int32_t>(bytes));
        AscendC::Or(lane, lane, other, lanes);
        /* magnitude: bits 0..2 alone, as a half */
        AscendC::ShiftLeft(other, lane, static_cast<uint16_t>(13), lanes);
        AscendC::ShiftRight(other, other, static_cast<uint16_t>(13), lanes);
        AscendC::Cast(value, other.ReinterpretCast<int16_t>(), RoundMode::CAST_NONE,
                      static_cast<uint32_t>(lanes));
        /* sign: bit 3 alone, on top */
        AscendC::ShiftRight(lane, lane, static_cast<uint16_t>(3), lanes);
        AscendC::ShiftLeft(lane, lane, static_cast<uint16_t>(15), lanes);
        AscendC::Or(other, other, lane, lanes);
        AscendC::Cast(code, value, RoundMode::CAST_NONE, static_cast<uint32_t>(lanes));
    }

    Codes codes_;
    ScaleWords words_;
    Elements<T> out_;
    InQueue codeQ_, wordQ_;
    OutQueue outQ_;
    Wide wide_;
    Scales scales_;
    TBuf<TPosition::VECCALC> powerBuf_;
    LocalTensor<float> powers_;
};

/* CopyIn -> Compute -> CopyOut over this core's share of the blocks. */
template <typename Op, typename... Memory>
__aicore__ inline void Run(const HiFloat4CastTiling &tiling, Memory... memory)
{
    Share share(tiling);

    if (share.blocks == 0)
        return;
    TPipe pipe;
    Op op;

    op.Init(pipe, memory..., share, tiling.tileBlocks);
    for (uint64_t at = 0; at < share.blocks; at += tiling.tileBlocks) {
        uint64_t left = share.blocks - at;
        uint32_t n = static_cast<uint32_t>(left < tiling.tileBlocks ? left : tiling.tileBlocks);

        op.CopyIn(at, n);
        op.Compute(n);
        op.CopyOut(at, n);
    }
}

template <template <typename> class Op, typename... Memory>
__aicore__ inline void RunTyped(const HiFloat4CastTiling &tiling, Memory... memory)
{
    if (tiling.castMode == HIFLOAT4_F16)
        Run<Op<half>>(tiling, memory...);
    else if (tiling.castMode == HIFLOAT4_BF16)
        Run<Op<bfloat16_t>>(tiling, memory...);
    else
        Run<Op<float>>(tiling, memory...);
}

} // namespace

/* input, output: 64 elements a block, blocks one after the other. */
extern "C" __global__ __vector__ void hifloat4_fake_quant_kernel(GM_ADDR input, GM_ADDR output,
                                                                 HiFloat4CastTiling tiling)
{
    RunTyped<FakeQuant>(tiling, input, output);
}

/* codes: 32 bytes a block, words: 4. */
extern "C" __global__ __vector__ void hifloat4_pack_kernel(GM_ADDR input, GM_ADDR codes,
                                                           GM_ADDR words, HiFloat4CastTiling tiling)
{
    RunTyped<Pack>(tiling, input, codes, words);
}

extern "C" __global__ __vector__ void
hifloat4_unpack_kernel(GM_ADDR codes, GM_ADDR words, GM_ADDR output, HiFloat4CastTiling tiling)
{
    RunTyped<Unpack>(tiling, codes, words, output);
}
