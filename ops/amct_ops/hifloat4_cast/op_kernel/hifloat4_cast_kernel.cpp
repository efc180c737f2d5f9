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
 * A tile of N blocks is turned, by Gather, so that lanes are blocks and rows are elements:
 *
 *     element 8 e + 4 h + k of a block  ->  row 16 k + 8 h + e, N lanes
 *
 * The four elements of a group are then 16 rows apart, the two fours of an eight 8 rows: a maximum
 * of groups is a Max of two halves, a factor of all groups multiplies four times 16 rows, and every
 * vector instruction is dense. No loop runs over elements, nor over blocks.
 *
 *     fake_quant   elements -> Measure -> Encode -> Decode -> elements
 *     pack         elements -> Measure -> Encode -> bytes
 *     unpack       bytes    -> Read    ->           Decode -> elements
 *
 * A NaN or an infinity makes its whole block NaN (scale byte 0xFF). Magnitudes are compared by
 * their bits as integers, where both lie above all numbers: the maximum * 0 is then NaN, else 0.
 * Added to the scale that carries through Decode.
 *
 * UB budget, bytes, for N = tileBlocks and elements of s bytes (two buffers a queue: copies run
 * beside computation):
 *
 *               inQ             outQ            work                                      sum
 *   fake_quant  2 * 64s N       2 * 64s N       2 wide, 2 offsets, groups, blocks  (256s + 1264) N
 *   pack        2 * 64s N       2 * (32 + 4) N  2 wide, 2 offsets, groups, blocks  (128s + 1336) N
 *   unpack      2 * (32 + 4) N  2 * 64s N       2 wide, 2 offsets, groups, blocks  (128s + 1336) N
 *
 *   wide, offsets = 256 N (4 bytes an element), groups = 224 N (8 + 3 * 16 floats a block),
 *   blocks = 16 N (4 floats a block)
 *
 * and 8192 that the compiler reserves. The host derives N from the size of UB that the platform
 * reports (hifloat4_cast_torch.cpp); 196608 bytes give N = 104 (half) and 80 (float) in fake_quant.
 */
#include "hifloat4_cast_tiling.h"
#include "kernel_operator.h"

namespace {

using AscendC::GlobalTensor;
using AscendC::LocalTensor;
using AscendC::RoundMode;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;
using AscendC::TQue;

constexpr int32_t BUFFERS = 2;
constexpr uint32_t BLOCK = HIFLOAT4_BLOCK;
constexpr uint32_t EIGHTS = 8; /* groups of eight in a block */
constexpr uint32_t FOURS = 16; /* groups of four */
constexpr uint32_t LANES = 64; /* floats of a repeat */
constexpr uint32_t FLOATS_PER_UB_BLOCK = 8;

constexpr float BF16_OF_A_SEVENTH = 0.142578125f;
constexpr float SCALE_MIN = 0x1p-48f;  /* byte 0x00 */
constexpr float SCALE_MAX = 0x1.8p15f; /* byte 0xFE */
constexpr float CODE_MAX = 7.0f;

/* The upper bits of a float down to two of its mantissa; byte 0x00 is there SCALE_INDEX_MIN. */
constexpr uint32_t BITS_BELOW_SCALE = 21;
constexpr int32_t SCALE_INDEX_MIN = (127 - 48) * 4;

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

/* dst = 2^-bit */
__aicore__ inline void Halve(const LocalTensor<float> &dst, const LocalTensor<float> &bit,
                             uint32_t count)
{
    AscendC::Muls(dst, bit, -0.5f, static_cast<int32_t>(count));
    AscendC::Adds(dst, dst, 1.0f, static_cast<int32_t>(count));
}

/*
 * Turns N blocks of UNITS elements (64) or bytes (32) into rows and back: Gather with offsets that
 * a launch fills once. Unit (2 e + h) * K + k is in row 16 k + 8 h + e, with K = UNITS / 16.
 */
template <uint32_t UNITS> class Turn {
    static constexpr uint32_t K = UNITS / FOURS;

public:
    /* offsets: UNITS * n of them, each the byte offset of what lands there. */
    __aicore__ inline void FillToRows(const LocalTensor<int32_t> &offsets, uint32_t n,
                                      uint32_t unitBytes)
    {
        int32_t unit = static_cast<int32_t>(unitBytes), k = static_cast<int32_t>(K);

        offsets_ = offsets.ReinterpretCast<uint32_t>();
        FillSteps(offsets, n, static_cast<int32_t>(UNITS) * unit);
        Repeat(offsets, n, EIGHTS * n, 2 * k * unit);     /* the eights of a block */
        Repeat(offsets, EIGHTS * n, FOURS * n, k * unit); /* their upper fours */
        Repeat(offsets, FOURS * n, UNITS * n, unit);      /* the units of a four */
    }

    __aicore__ inline void FillToBlocks(const LocalTensor<int32_t> &offsets,
                                        const LocalTensor<int32_t> &scratch, uint32_t n,
                                        uint32_t unitBytes)
    {
        offsets_ = offsets.ReinterpretCast<uint32_t>();
        FillRows(scratch, offsets, offsets[UNITS]);
        AscendC::Muls(offsets, scratch, static_cast<int32_t>(n * unitBytes),
                      static_cast<int32_t>(UNITS));
        Repeat(offsets, UNITS, UNITS * n, static_cast<int32_t>(unitBytes));
    }

    /* Gather moves bits, and need not know bfloat16. */
    template <typename T>
    __aicore__ inline void Run(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t n)
    {
        if constexpr (sizeof(T) == sizeof(uint16_t))
            AscendC::Gather(dst.template ReinterpretCast<uint16_t>(),
                            src.template ReinterpretCast<uint16_t>(), offsets_, 0u, n * UNITS);
        else
            AscendC::Gather(dst, src, offsets_, 0u, n * UNITS);
    }

private:
    /* row[unit] = the row of each unit: 16 unit - (16 K - 8) four - 15 eight, with four = unit /
     * K and eight = four / 2. */
    __aicore__ inline void FillRows(const LocalTensor<int32_t> &row,
                                    const LocalTensor<int32_t> &four,
                                    const LocalTensor<int32_t> &eight)
    {
        constexpr int32_t COUNT = UNITS, LOG2_K = K == 4 ? 2 : 1;

        FillSteps(row, UNITS, 1);
        AscendC::ShiftRight(four, row, LOG2_K, COUNT);
        AscendC::ShiftRight(eight, four, 1, COUNT);
        AscendC::Muls(row, row, 16, COUNT);
        AscendC::Muls(four, four, 8 - 16 * static_cast<int32_t>(K), COUNT);
        AscendC::Muls(eight, eight, -15, COUNT);
        AscendC::Add(row, row, four, COUNT);
        AscendC::Add(row, row, eight, COUNT);
    }

    /* dst[i] = i * step: eight lanes one by one, then what is there, doubled. */
    __aicore__ inline void FillSteps(const LocalTensor<int32_t> &dst, uint32_t n, int32_t step)
    {
        for (uint32_t i = 0; i < HIFLOAT4_TILE_ALIGN; i++) {
            uint64_t lane[2] = {1ull << i, 0};

            AscendC::Duplicate(dst, static_cast<int32_t>(i) * step, lane, 1, 1, 8);
        }
        Repeat(dst, HIFLOAT4_TILE_ALIGN, n, static_cast<int32_t>(HIFLOAT4_TILE_ALIGN) * step);
    }

    /* The first `period` of `count` offsets are there; each further period is `step` above the one
     * before. What is there doubles. */
    __aicore__ inline void Repeat(const LocalTensor<int32_t> &dst, uint32_t period, uint32_t count,
                                  int32_t step)
    {
        for (uint32_t done = period; done < count; done *= 2) {
            uint32_t left = count - done;

            AscendC::Adds(dst[done], dst, static_cast<int32_t>(done / period) * step,
                          static_cast<int32_t>(left < done ? left : done));
        }
    }

    LocalTensor<uint32_t> offsets_;
};

/*
 * The scales of the N blocks of one tile, from elements (Measure) or from stored bytes (Read).
 *
 * A row of scale_ and of poison_ (0, or NaN for a block that holds one), 8 of level2_, 16 of
 * level3_: first the lower fours of all eights, then the upper ones. `down` turns an element into a
 * code, `up` a code into an element.
 */
class Scales {
public:
    __aicore__ inline void Init(TPipe &pipe, uint32_t tileBlocks)
    {
        n_ = tileBlocks;
        pipe.InitBuffer(groupBuf_, n_ * HIFLOAT4_GROUP_BYTES);
        pipe.InitBuffer(blockBuf_, n_ * 4 * sizeof(float));
        LocalTensor<float> groups = groupBuf_.Get<float>();
        LocalTensor<float> blocks = blockBuf_.Get<float>();

        level2_ = groups;
        level3_ = groups[EIGHTS * n_];
        down_ = groups[(EIGHTS + FOURS) * n_];
        up_ = groups[(EIGHTS + 2 * FOURS) * n_];
        scale_ = blocks;
        reciprocal_ = blocks[n_];
        poison_ = blocks[2 * n_];
        scratch_ = blocks[3 * n_];
    }

    /* From 64 rows x; a is overwritten. */
    __aicore__ inline void Measure(const LocalTensor<float> &x, const LocalTensor<float> &a)
    {
        FindMaxima(x, a);
        RoundScale();
        FindLevels();
    }

    /* From words: byte 0 is E6M2, byte 1 level 2, bytes 2 and 3 level 3, the first group on top. */
    __aicore__ inline void Read(const LocalTensor<uint32_t> &word)
    {
        ReadScale(word);
        ReadLevel(level2_, 1, 0, word, 1);
        ReadLevel(level3_, 2, 0, word, 2);
        ReadLevel(level3_, 2, EIGHTS, word, 3);
    }

    /* The words that Read reads. */
    __aicore__ inline void Write(const LocalTensor<uint32_t> &word)
    {
        LocalTensor<int32_t> sum = word.ReinterpretCast<int32_t>();

        AscendC::ShiftRight(sum, scale_.ReinterpretCast<int32_t>(),
                            static_cast<int32_t>(BITS_BELOW_SCALE), Count(1));
        AscendC::Adds(sum, sum, -SCALE_INDEX_MIN, Count(1));
        AddLevel(sum, 1, level2_, 1, 0);
        AddLevel(sum, 2, level3_, 2, 0);
        AddLevel(sum, 3, level3_, 2, EIGHTS);
        PoisonWords(word);
    }

    /* x = nearest code of x, with its sign; a is overwritten. Rounding to a whole number loses the
     * sign of a zero, so the sign is kept apart meanwhile. */
    __aicore__ inline void Encode(const LocalTensor<float> &x, const LocalTensor<float> &a)
    {
        LocalTensor<uint32_t> sign = a.ReinterpretCast<uint32_t>();
        LocalTensor<uint16_t> halves = x.ReinterpretCast<uint16_t>();

        MulFours(x, down_);
        RoundToBf16(x, a, n_ * BLOCK);
        AscendC::ShiftRight(sign, x.ReinterpretCast<uint32_t>(), 31u, Count(BLOCK));
        AscendC::ShiftLeft(sign, sign, 31u, Count(BLOCK));
        AscendC::Abs(x, x, Count(BLOCK));
        AscendC::Cast(x, x, RoundMode::CAST_ROUND, n_ * BLOCK);
        AscendC::Mins(x, x, CODE_MAX, Count(BLOCK));
        AscendC::Or(halves, halves, sign.ReinterpretCast<uint16_t>(), Count(2 * BLOCK));
    }

    /* x = the values of the signed codes x. The levels are used up. */
    __aicore__ inline void Decode(const LocalTensor<float> &x)
    {
        FindUp();
        MulFours(x, up_);
    }

    /* Zero bits in `rows` rows x where the block is NaN. */
    __aicore__ inline void DropNanBlocks(const LocalTensor<float> &x, uint32_t rows)
    {
        LocalTensor<uint16_t> keep = scratch_.ReinterpretCast<uint16_t>();

        FindSound();
        for (uint32_t row = 0; row < rows; row++) {
            LocalTensor<uint16_t> halves = x[row * n_].ReinterpretCast<uint16_t>();

            AscendC::And(halves, halves, keep, Count(2));
        }
    }

private:
    /* Of each four, and of each block. */
    __aicore__ inline void FindMaxima(const LocalTensor<float> &x, const LocalTensor<float> &a)
    {
        LocalTensor<int32_t> size = a.ReinterpretCast<int32_t>();
        LocalTensor<int32_t> ofFours = level3_.ReinterpretCast<int32_t>();

        AscendC::Abs(a, x, Count(BLOCK));
        AscendC::Max(size, size, size[32 * n_], Count(32));
        AscendC::Max(ofFours, size, size[FOURS * n_], Count(FOURS));
        AscendC::Max(size, ofFours, ofFours[8 * n_], Count(8));
        AscendC::Max(size, size, size[4 * n_], Count(4));
        AscendC::Max(size, size, size[2 * n_], Count(2));
        AscendC::Max(scale_.ReinterpretCast<int32_t>(), size, size[n_], Count(1));
        AscendC::Muls(poison_, scale_, 0.0f, Count(1));
    }

    /* scale_ = maximum / 7 with two bits of mantissa, ties to even; reciprocal_ = 1 / scale_. */
    __aicore__ inline void RoundScale()
    {
        LocalTensor<int32_t> bits = scale_.ReinterpretCast<int32_t>();
        LocalTensor<int32_t> odd = scratch_.ReinterpretCast<int32_t>();
        LocalTensor<int32_t> even = reciprocal_.ReinterpretCast<int32_t>();
        int32_t below = static_cast<int32_t>(BITS_BELOW_SCALE);

        AscendC::Muls(scale_, scale_, BF16_OF_A_SEVENTH, Count(1));
        RoundToBf16(scale_, scratch_, n_);
        AscendC::Maxs(scale_, scale_, SCALE_MIN, Count(1));
        AscendC::Mins(scale_, scale_, SCALE_MAX, Count(1));

        AscendC::ShiftRight(odd, bits, below, Count(1));
        AscendC::ShiftRight(even, odd, 1, Count(1));
        AscendC::ShiftLeft(even, even, 1, Count(1));
        AscendC::Sub(odd, odd, even, Count(1));
        AscendC::Adds(bits, bits, (1 << (BITS_BELOW_SCALE - 1)) - 1, Count(1));
        AscendC::Add(bits, bits, odd, Count(1));
        AscendC::ShiftRight(bits, bits, below, Count(1));
        AscendC::ShiftLeft(bits, bits, below, Count(1));

        AscendC::Duplicate(reciprocal_, 1.0f, Count(1));
        AscendC::Div(reciprocal_, reciprocal_, scale_, Count(1));
        RoundToBf16(reciprocal_, scratch_, n_);
    }

    /* From maxima to bits, and down_ = 4 / scale / 2^(bits). */
    __aicore__ inline void FindLevels()
    {
        LocalTensor<float> halve = up_; /* free until FindUp */

        MulRows(level3_, reciprocal_);
        AscendC::Max(level2_, level3_, level3_[EIGHTS * n_], Count(EIGHTS));
        Reaches(level2_, 4.0f, EIGHTS * n_);
        Halve(halve, level2_, EIGHTS * n_);
        MulEights(level3_, halve);
        Reaches(level3_, 2.0f, FOURS * n_);

        Halve(down_, level3_, FOURS * n_);
        MulEights(down_, halve);
        AscendC::Muls(scratch_, reciprocal_, 4.0f, Count(1));
        MulRows(down_, scratch_);
    }

    /* up_ = scale / 4 * 2^(bits); NaN in a block that is. */
    __aicore__ inline void FindUp()
    {
        AscendC::Adds(level2_, level2_, 1.0f, Count(EIGHTS));
        AscendC::Adds(up_, level3_, 1.0f, Count(FOURS));
        MulEights(up_, level2_);
        AscendC::Add(scratch_, scale_, poison_, Count(1));
        AscendC::Muls(scratch_, scratch_, 0.25f, Count(1));
        MulRows(up_, scratch_);
    }

    /* Each of 16 rows times one factor a block: a repeat is a row, and comes back to the factor. */
    __aicore__ inline void MulRows(const LocalTensor<float> &rows, const LocalTensor<float> &factor)
    {
        uint8_t row = static_cast<uint8_t>(n_ / FLOATS_PER_UB_BLOCK);

        for (uint32_t lane = 0; lane < n_; lane += LANES) {
            uint64_t left = n_ - lane;

            AscendC::Mul(rows[lane], rows[lane], factor[lane], left < LANES ? left : LANES, FOURS,
                         {1, 1, 1, row, row, 0});
        }
    }

    /* Lower and upper fours times one factor an eight. */
    __aicore__ inline void MulEights(const LocalTensor<float> &rows,
                                     const LocalTensor<float> &factor)
    {
        LocalTensor<float> upper = rows[EIGHTS * n_];

        AscendC::Mul(rows, rows, factor, Count(EIGHTS));
        AscendC::Mul(upper, upper, factor, Count(EIGHTS));
    }

    /* All 64 rows times one factor a four. */
    __aicore__ inline void MulFours(const LocalTensor<float> &x, const LocalTensor<float> &factor)
    {
        for (uint32_t row = 0; row < BLOCK; row += FOURS)
            AscendC::Mul(x[row * n_], x[row * n_], factor, Count(FOURS));
    }

    /* Row of group `group`: eights follow each other; of fours the lower ones come first. */
    __aicore__ inline uint32_t RowOf(uint32_t group, uint32_t perEight)
    {
        return group % perEight * EIGHTS + group / perEight;
    }

    /* sum |= eight bits of a level, from group `first` on, as byte `byte` */
    __aicore__ inline void AddLevel(const LocalTensor<int32_t> &sum, int32_t byte,
                                    const LocalTensor<float> &level, uint32_t perEight,
                                    uint32_t first)
    {
        LocalTensor<float> value = reciprocal_;
        LocalTensor<int32_t> part = scratch_.ReinterpretCast<int32_t>();

        AscendC::Duplicate(value, 0.0f, Count(1));
        for (uint32_t group = first; group < first + 8; group++) {
            AscendC::Muls(value, value, 2.0f, Count(1));
            AscendC::Add(value, value, level[RowOf(group, perEight) * n_], Count(1));
        }
        AscendC::Cast(part, value, RoundMode::CAST_RINT, n_);
        AscendC::ShiftLeft(part, part, 8 * byte, Count(1));
        AscendC::Add(sum, sum, part, Count(1));
    }

    __aicore__ inline void ReadLevel(const LocalTensor<float> &level, uint32_t perEight,
                                     uint32_t first, const LocalTensor<uint32_t> &word,
                                     uint32_t byte)
    {
        LocalTensor<float> value = reciprocal_;

        ReadByte(scratch_.ReinterpretCast<uint32_t>(), word, byte);
        AscendC::Cast(value, scratch_.ReinterpretCast<int32_t>(), RoundMode::CAST_NONE, n_);
        for (uint32_t i = 0; i < 8; i++) {
            LocalTensor<float> bit = level[RowOf(first + i, perEight) * n_];
            float place = static_cast<float>(1 << (7 - i));

            AscendC::Muls(bit, value, 1.0f / place, Count(1));
            AscendC::Cast(bit, bit, RoundMode::CAST_FLOOR, n_);
            AscendC::Axpy(value, bit, -place, Count(1));
        }
    }

    __aicore__ inline void ReadByte(const LocalTensor<uint32_t> &dst,
                                    const LocalTensor<uint32_t> &word, uint32_t byte)
    {
        AscendC::ShiftLeft(dst, word, 24 - 8 * byte, Count(1));
        AscendC::ShiftRight(dst, dst, 24u, Count(1));
    }

    /* scale_ from byte 0, poison_ from its value 0xFF. */
    __aicore__ inline void ReadScale(const LocalTensor<uint32_t> &word)
    {
        LocalTensor<int32_t> bits = scale_.ReinterpretCast<int32_t>();
        LocalTensor<int32_t> isNan = poison_.ReinterpretCast<int32_t>();

        ReadByte(scale_.ReinterpretCast<uint32_t>(), word, 0);
        AscendC::Adds(isNan, bits, 1, Count(1));
        AscendC::ShiftRight(isNan, isNan, 8, Count(1)); /* 1 for 0xFF alone */
        AscendC::Muls(isNan, isNan, 0x7FC00000, Count(1));
        AscendC::Adds(bits, bits, SCALE_INDEX_MIN, Count(1));
        AscendC::ShiftLeft(bits, bits, static_cast<int32_t>(BITS_BELOW_SCALE), Count(1));
    }

    /* scratch_ = all bits where the block is sound, none where it is NaN. */
    __aicore__ inline void FindSound()
    {
        LocalTensor<int32_t> keep = scratch_.ReinterpretCast<int32_t>();
        LocalTensor<uint16_t> halves = scratch_.ReinterpretCast<uint16_t>();

        AscendC::ShiftLeft(scratch_.ReinterpretCast<uint32_t>(),
                           poison_.ReinterpretCast<uint32_t>(), 1u,
                           Count(1)); /* a zero of either sign: no bits left */
        AscendC::ShiftRight(keep, keep, 31, Count(1));
        AscendC::Not(halves, halves, Count(2));
    }

    /* A block that holds a NaN becomes FF 00 00 00. */
    __aicore__ inline void PoisonWords(const LocalTensor<uint32_t> &word)
    {
        LocalTensor<uint16_t> halves = word.ReinterpretCast<uint16_t>();
        LocalTensor<uint16_t> mask = scratch_.ReinterpretCast<uint16_t>();
        LocalTensor<uint32_t> drop = scratch_.ReinterpretCast<uint32_t>();

        FindSound();
        AscendC::And(halves, halves, mask, Count(2));
        AscendC::Not(mask, mask, Count(2));
        AscendC::ShiftRight(drop, drop, 24u, Count(1));
        AscendC::Or(halves, halves, mask, Count(2));
    }

    __aicore__ inline int32_t Count(uint32_t rows) { return static_cast<int32_t>(rows * n_); }

    TBuf<TPosition::VECCALC> groupBuf_, blockBuf_;
    LocalTensor<float> level2_, level3_, down_, up_;
    LocalTensor<float> scale_, reciprocal_, poison_, scratch_;
    uint32_t n_ = 0;
};

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

/* Work space of a tile: 64 rows of floats, as much beside it, and the offsets of both turns. */
class Work {
public:
    __aicore__ inline void Init(TPipe &pipe, uint32_t tileBlocks)
    {
        uint32_t elements = tileBlocks * BLOCK;

        pipe.InitBuffer(wideBuf_, 2 * tileBlocks * HIFLOAT4_WIDE_BYTES);
        pipe.InitBuffer(offsetBuf_, 2 * tileBlocks * HIFLOAT4_WIDE_BYTES);
        x = wideBuf_.Get<float>();
        a = x[elements];
        offsetsIn = offsetBuf_.Get<int32_t>();
        offsetsOut = offsetsIn[elements];
    }

    LocalTensor<float> x, a;
    LocalTensor<int32_t> offsetsIn, offsetsOut;

private:
    TBuf<TPosition::VECCALC> wideBuf_, offsetBuf_;
};

/* x = elements of n blocks as rows; a is overwritten. */
template <typename T>
__aicore__ inline void ToRows(Turn<BLOCK> &turn, Work &work, const LocalTensor<T> &in, uint32_t n)
{
    if constexpr (sizeof(T) == sizeof(float)) {
        turn.Run(work.x, in, n);
    } else {
        LocalTensor<T> rows = work.a.template ReinterpretCast<T>();

        turn.Run(rows, in, n);
        AscendC::Cast(work.x, rows, RoundMode::CAST_NONE, n * BLOCK);
    }
}

/* out = x as n blocks; a is overwritten. */
template <typename T>
__aicore__ inline void ToBlocks(Turn<BLOCK> &turn, Work &work, const LocalTensor<T> &out,
                                uint32_t n)
{
    if constexpr (sizeof(T) == sizeof(float)) {
        turn.Run(out, work.x, n);
    } else {
        LocalTensor<T> rows = work.a.template ReinterpretCast<T>();

        AscendC::Cast(rows, work.x, RoundMode::CAST_RINT, n * BLOCK);
        turn.Run(out, rows, n);
    }
}

template <typename T> class FakeQuant {
public:
    __aicore__ inline void Init(TPipe &pipe, GM_ADDR input, GM_ADDR output, const Share &share,
                                uint32_t tileBlocks)
    {
        n_ = tileBlocks;
        in_.Init(input, share);
        out_.Init(output, share);
        pipe.InitBuffer(inQ_, BUFFERS, n_ * Elements<T>::BLOCK_BYTES);
        pipe.InitBuffer(outQ_, BUFFERS, n_ * Elements<T>::BLOCK_BYTES);
        work_.Init(pipe, n_);
        scales_.Init(pipe, n_);
        LocalTensor<int32_t> scratch = work_.x.template ReinterpretCast<int32_t>();
        toRows_.FillToRows(work_.offsetsIn, n_, sizeof(T));
        toBlocks_.FillToBlocks(work_.offsetsOut, scratch, n_, sizeof(T));
    }

    __aicore__ inline void CopyIn(uint64_t at, uint32_t blocks) { in_.Load(inQ_, at, blocks); }

    __aicore__ inline void Compute()
    {
        LocalTensor<T> in = inQ_.template DeQue<T>();
        LocalTensor<T> out = outQ_.template AllocTensor<T>();

        ToRows(toRows_, work_, in, n_);
        scales_.Measure(work_.x, work_.a);
        scales_.Encode(work_.x, work_.a);
        scales_.Decode(work_.x);
        ToBlocks(toBlocks_, work_, out, n_);
        outQ_.EnQue(out);
        inQ_.FreeTensor(in);
    }

    __aicore__ inline void CopyOut(uint64_t at, uint32_t blocks) { out_.Store(outQ_, at, blocks); }

private:
    Elements<T> in_, out_;
    InQueue inQ_;
    OutQueue outQ_;
    Work work_;
    Scales scales_;
    Turn<BLOCK> toRows_, toBlocks_;
    uint32_t n_ = 0;
};

template <typename T> class Pack {
public:
    __aicore__ inline void Init(TPipe &pipe, GM_ADDR input, GM_ADDR codes, GM_ADDR words,
                                const Share &share, uint32_t tileBlocks)
    {
        n_ = tileBlocks;
        in_.Init(input, share);
        codes_.Init(codes, share);
        words_.Init(words, share);
        pipe.InitBuffer(inQ_, BUFFERS, n_ * Elements<T>::BLOCK_BYTES);
        pipe.InitBuffer(codeQ_, BUFFERS, n_ * Codes::BLOCK_BYTES);
        pipe.InitBuffer(wordQ_, BUFFERS, n_ * ScaleWords::BLOCK_BYTES);
        work_.Init(pipe, n_);
        scales_.Init(pipe, n_);
        LocalTensor<int32_t> scratch = work_.x.template ReinterpretCast<int32_t>();
        toRows_.FillToRows(work_.offsetsIn, n_, sizeof(T));
        toBytes_.FillToBlocks(work_.offsetsOut, scratch, n_, sizeof(half));
    }

    __aicore__ inline void CopyIn(uint64_t at, uint32_t blocks) { in_.Load(inQ_, at, blocks); }

    __aicore__ inline void Compute()
    {
        LocalTensor<T> in = inQ_.template DeQue<T>();
        LocalTensor<uint8_t> codes = codeQ_.template AllocTensor<uint8_t>();
        LocalTensor<uint32_t> words = wordQ_.template AllocTensor<uint32_t>();

        ToRows(toRows_, work_, in, n_);
        scales_.Measure(work_.x, work_.a);
        scales_.Encode(work_.x, work_.a);
        PackCodes(codes);
        scales_.Write(words);
        codeQ_.EnQue(codes);
        wordQ_.EnQue(words);
        inQ_.FreeTensor(in);
    }

    __aicore__ inline void CopyOut(uint64_t at, uint32_t blocks)
    {
        codes_.Store(codeQ_, at, blocks);
        words_.Store(wordQ_, at, blocks);
    }

private:
    /* nibble = |code| + 8 * sign; byte = even element + 16 * odd element; 0 in a NaN block. */
    __aicore__ inline void PackCodes(const LocalTensor<uint8_t> &out)
    {
        uint32_t bytes = n_ * HIFLOAT4_CODE_BYTES;
        int32_t count = static_cast<int32_t>(n_ * BLOCK);
        LocalTensor<float> x = work_.x, sign = work_.a;
        LocalTensor<half> rows = work_.a.template ReinterpretCast<half>();
        LocalTensor<half> packed = work_.x.template ReinterpretCast<half>();

        AscendC::ShiftRight(sign.ReinterpretCast<uint32_t>(), x.ReinterpretCast<uint32_t>(), 31u,
                            count);
        AscendC::Cast(sign, sign.ReinterpretCast<int32_t>(), RoundMode::CAST_NONE, n_ * BLOCK);
        AscendC::Abs(x, x, count);
        AscendC::Axpy(x, sign, 8.0f, count);
        PairUp(x, 0, 0);
        PairUp(x, FOURS, 2 * FOURS);
        scales_.DropNanBlocks(x, HIFLOAT4_CODE_BYTES);
        AscendC::Cast(rows, x, RoundMode::CAST_NONE, bytes);
        toBytes_.Run(packed, rows, n_);
        AscendC::Cast(out, packed, RoundMode::CAST_RINT, bytes);
    }

    /* 16 rows of bytes from 16 rows of even and the 16 rows of odd elements behind them */
    __aicore__ inline void PairUp(const LocalTensor<float> &x, uint32_t to, uint32_t from)
    {
        int32_t count = static_cast<int32_t>(FOURS * n_);
        LocalTensor<float> odd = x[(from + FOURS) * n_];

        AscendC::Muls(odd, odd, 16.0f, count);
        AscendC::Add(x[to * n_], x[from * n_], odd, count);
    }

    Elements<T> in_;
    Codes codes_;
    ScaleWords words_;
    InQueue inQ_;
    OutQueue codeQ_, wordQ_;
    Work work_;
    Scales scales_;
    Turn<BLOCK> toRows_;
    Turn<HIFLOAT4_CODE_BYTES> toBytes_;
    uint32_t n_ = 0;
};

template <typename T> class Unpack {
public:
    __aicore__ inline void Init(TPipe &pipe, GM_ADDR codes, GM_ADDR words, GM_ADDR output,
                                const Share &share, uint32_t tileBlocks)
    {
        n_ = tileBlocks;
        codes_.Init(codes, share);
        words_.Init(words, share);
        out_.Init(output, share);
        pipe.InitBuffer(codeQ_, BUFFERS, n_ * Codes::BLOCK_BYTES);
        pipe.InitBuffer(wordQ_, BUFFERS, n_ * ScaleWords::BLOCK_BYTES);
        pipe.InitBuffer(outQ_, BUFFERS, n_ * Elements<T>::BLOCK_BYTES);
        work_.Init(pipe, n_);
        scales_.Init(pipe, n_);
        LocalTensor<int32_t> scratch = work_.x.template ReinterpretCast<int32_t>();
        toRows_.FillToRows(work_.offsetsIn, n_, sizeof(half));
        toBlocks_.FillToBlocks(work_.offsetsOut, scratch, n_, sizeof(T));
    }

    __aicore__ inline void CopyIn(uint64_t at, uint32_t blocks)
    {
        codes_.Load(codeQ_, at, blocks);
        words_.Load(wordQ_, at, blocks);
    }

    __aicore__ inline void Compute()
    {
        LocalTensor<uint8_t> codes = codeQ_.template DeQue<uint8_t>();
        LocalTensor<uint32_t> words = wordQ_.template DeQue<uint32_t>();
        LocalTensor<T> out = outQ_.template AllocTensor<T>();

        UnpackCodes(codes);
        scales_.Read(words);
        scales_.Decode(work_.x);
        ToBlocks(toBlocks_, work_, out, n_);
        outQ_.EnQue(out);
        codeQ_.FreeTensor(codes);
        wordQ_.FreeTensor(words);
    }

    __aicore__ inline void CopyOut(uint64_t at, uint32_t blocks) { out_.Store(outQ_, at, blocks); }

private:
    /* x = signed codes as rows. */
    __aicore__ inline void UnpackCodes(const LocalTensor<uint8_t> &in)
    {
        uint32_t bytes = n_ * HIFLOAT4_CODE_BYTES;
        int32_t count = static_cast<int32_t>(n_ * BLOCK);
        LocalTensor<float> x = work_.x, a = work_.a;
        LocalTensor<half> packed = work_.a.template ReinterpretCast<half>();
        LocalTensor<half> rows = work_.x.template ReinterpretCast<half>();

        AscendC::Cast(packed, in, RoundMode::CAST_NONE, bytes);
        toRows_.Run(rows, packed, n_);
        AscendC::Cast(a, rows, RoundMode::CAST_NONE, bytes);
        Split(x, 0, a, 0);
        Split(x, 2 * FOURS, a, FOURS);
        /* a nibble 8..15 is a negative code, and 8 itself -0 */
        AscendC::Muls(a, x, 0.125f, count);
        AscendC::Cast(a, a, RoundMode::CAST_FLOOR, n_ * BLOCK);
        AscendC::Axpy(x, a, -8.0f, count);
        AscendC::Muls(a, a, -2.0f, count);
        AscendC::Adds(a, a, 1.0f, count);
        AscendC::Mul(x, x, a, count);
    }

    /* 16 rows of bytes to 16 rows of their lower nibbles and, behind them, 16 of the upper ones */
    __aicore__ inline void Split(const LocalTensor<float> &x, uint32_t to,
                                 const LocalTensor<float> &a, uint32_t from)
    {
        uint32_t count = FOURS * n_;
        LocalTensor<float> byte = a[from * n_], upper = x[(to + FOURS) * n_], lower = x[to * n_];

        AscendC::Muls(upper, byte, 0.0625f, static_cast<int32_t>(count));
        AscendC::Cast(upper, upper, RoundMode::CAST_FLOOR, count);
        AscendC::Muls(lower, upper, -16.0f, static_cast<int32_t>(count));
        AscendC::Add(lower, lower, byte, static_cast<int32_t>(count));
    }

    Codes codes_;
    ScaleWords words_;
    Elements<T> out_;
    InQueue codeQ_, wordQ_;
    OutQueue outQ_;
    Work work_;
    Scales scales_;
    Turn<HIFLOAT4_CODE_BYTES> toRows_;
    Turn<BLOCK> toBlocks_;
    uint32_t n_ = 0;
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
        uint32_t blocks =
            static_cast<uint32_t>(left < tiling.tileBlocks ? left : tiling.tileBlocks);

        op.CopyIn(at, blocks);
        op.Compute(); /* a whole tile; what is not this core's is never copied out */
        op.CopyOut(at, blocks);
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
