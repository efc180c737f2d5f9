/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hifloat8_cast_kernel.cpp - half or bfloat16 to HiFloat8 and back, element by element.
 *
 * Both directions are a look-up by vector instructions, and no loop runs over elements: the scalar
 * unit would load, look up and store one element at a time, where Gather takes a register of them.
 *
 *   encode   x -> float -> top 13 bits -> Gather(table of 8192 codes) -> uint8
 *            The 13 bits hold all that rounding can see. But a signalling NaN may have its payload
 *            below them and look like infinity. Times one it is a quiet NaN (IEEE 754, 6.2), whose
 *            top bit of mantissa is set, and all else stays.
 *   decode   code -> half -> int32 -> Gather(table of 256 results)
 *            The table holds bits of half or of bfloat16; the kernel need not know which.
 *
 * UB budget, bytes, for T = tileLength (two buffers a queue: copies run beside computation):
 *
 *            tableQ  inQ     outQ    work                           sum
 *   encode   16384   2 * 2T  2 * T   float 4T, gathered half 2T     16384 + 12 T
 *   decode   512     2 * T   2 * 2T  half 2T, int32 offsets 4T      512 + 12 T
 *
 * and 8192 that the compiler reserves. The host derives T from the size of UB that the platform
 * reports (hifloat8_cast_torch.cpp); 196608 bytes give T = 14336 (encode) and 15616 (decode).
 */
#include "hifloat8_cast_tiling.h"
#include "kernel_operator.h"

namespace {

using AscendC::GlobalTensor;
using AscendC::LocalTensor;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;
using AscendC::TQue;

constexpr int32_t BUFFERS = 2;
constexpr uint32_t FLOAT_BITS_BELOW_INDEX = 19; /* 32 - 13 */

__aicore__ inline uint32_t RoundUp(uint32_t n, uint32_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* x (half or bfloat16) -> code. Buffers are only as large as the file header says. */
template <typename In> class Encode {
public:
    using Out = uint8_t;
    static constexpr uint32_t TABLE_ENTRIES = HIFLOAT8_ENCODE_ENTRIES;

    __aicore__ inline void Init(TPipe &pipe, uint32_t tileLength)
    {
        pipe.InitBuffer(floatBuf_, tileLength * sizeof(float));
        pipe.InitBuffer(codeBuf_, tileLength * sizeof(half));
    }

    __aicore__ inline void Compute(const LocalTensor<uint8_t> &out, const LocalTensor<In> &in,
                                   const LocalTensor<uint16_t> &table, uint32_t count)
    {
        LocalTensor<float> value = floatBuf_.Get<float>();
        LocalTensor<uint32_t> offset = value.ReinterpretCast<uint32_t>();
        LocalTensor<half> code = codeBuf_.Get<half>();

        AscendC::Cast(value, in, AscendC::RoundMode::CAST_NONE, count);
        AscendC::Muls(value, value, 1.0f, static_cast<int32_t>(count)); /* quiet NaNs */
        AscendC::ShiftRight(offset, offset, FLOAT_BITS_BELOW_INDEX, static_cast<int32_t>(count));
        AscendC::ShiftLeft(offset, offset, 1u,
                           static_cast<int32_t>(count)); /* two bytes an entry */
        AscendC::Gather(code, table.ReinterpretCast<half>(), offset, 0u, count);
        AscendC::Cast(out, code, AscendC::RoundMode::CAST_RINT, count);
    }

private:
    TBuf<TPosition::VECCALC> floatBuf_, codeBuf_;
};

/* code -> bits of half or bfloat16. */
class Decode {
public:
    using Out = uint16_t;
    static constexpr uint32_t TABLE_ENTRIES = HIFLOAT8_DECODE_ENTRIES;

    __aicore__ inline void Init(TPipe &pipe, uint32_t tileLength)
    {
        pipe.InitBuffer(halfBuf_, tileLength * sizeof(half));
        pipe.InitBuffer(offsetBuf_, tileLength * sizeof(int32_t));
    }

    __aicore__ inline void Compute(const LocalTensor<uint16_t> &out, const LocalTensor<uint8_t> &in,
                                   const LocalTensor<uint16_t> &table, uint32_t count)
    {
        LocalTensor<half> code = halfBuf_.Get<half>();
        LocalTensor<int32_t> offset = offsetBuf_.Get<int32_t>();

        AscendC::Cast(code, in, AscendC::RoundMode::CAST_NONE, count);
        AscendC::Muls(code, code, static_cast<half>(2.0f), static_cast<int32_t>(count));
        AscendC::Cast(offset, code, AscendC::RoundMode::CAST_RINT, count); /* 0..510, exact */
        AscendC::Gather(out, table, offset.ReinterpretCast<uint32_t>(), 0u, count);
    }

private:
    TBuf<TPosition::VECCALC> halfBuf_, offsetBuf_;
};

/* CopyIn -> Compute -> CopyOut over this core's share of the tensor. */
template <typename In, typename Step> class CastLoop {
    using Out = typename Step::Out;

public:
    __aicore__ inline void Init(GM_ADDR input, GM_ADDR table, GM_ADDR output,
                                const HiFloat8CastTiling &tiling)
    {
        uint64_t first = AscendC::GetBlockIdx() * tiling.coreLength;
        uint64_t left = first < tiling.totalLength ? tiling.totalLength - first : 0;

        length_ = left < tiling.coreLength ? left : tiling.coreLength;
        tileLength_ = tiling.tileLength;
        in_.SetGlobalBuffer(reinterpret_cast<__gm__ In *>(input) + first, length_);
        out_.SetGlobalBuffer(reinterpret_cast<__gm__ Out *>(output) + first, length_);
        table_.SetGlobalBuffer(reinterpret_cast<__gm__ uint16_t *>(table), Step::TABLE_ENTRIES);
        // One buffer: the table is loaded once.
        pipe_.InitBuffer(tableQ_, 1, Step::TABLE_ENTRIES * sizeof(uint16_t));
        pipe_.InitBuffer(inQ_, BUFFERS, tileLength_ * sizeof(In));
        pipe_.InitBuffer(outQ_, BUFFERS, tileLength_ * sizeof(Out));
        step_.Init(pipe_, tileLength_);
    }

    __aicore__ inline void Process()
    {
        if (length_ == 0)
            return;
        LocalTensor<uint16_t> table = LoadTable();

        for (uint64_t at = 0; at < length_; at += tileLength_) {
            uint64_t left = length_ - at;
            uint32_t count = static_cast<uint32_t>(left < tileLength_ ? left : tileLength_);

            CopyIn(at, count);
            Compute(table, count);
            CopyOut(at, count);
        }
        tableQ_.FreeTensor(table);
    }

private:
    /* Through a queue, so that the first Gather waits for the copy. */
    __aicore__ inline LocalTensor<uint16_t> LoadTable()
    {
        LocalTensor<uint16_t> table = tableQ_.template AllocTensor<uint16_t>();

        AscendC::DataCopy(table, table_, Step::TABLE_ENTRIES);
        tableQ_.EnQue(table);
        return tableQ_.template DeQue<uint16_t>();
    }

    __aicore__ inline void CopyIn(uint64_t at, uint32_t count)
    {
        LocalTensor<In> in = inQ_.template AllocTensor<In>();
        AscendC::DataCopyExtParams run{1, static_cast<uint32_t>(count * sizeof(In)), 0, 0, 0};

        AscendC::DataCopyPad(in, in_[at], run, AscendC::DataCopyPadExtParams<In>{});
        inQ_.EnQue(in);
    }

    /* Elements between count and the next whole repeat are computed and never copied out. */
    __aicore__ inline void Compute(const LocalTensor<uint16_t> &table, uint32_t count)
    {
        LocalTensor<In> in = inQ_.template DeQue<In>();
        LocalTensor<Out> out = outQ_.template AllocTensor<Out>();

        step_.Compute(out, in, table, RoundUp(count, HIFLOAT8_TILE_ALIGN));
        outQ_.EnQue(out);
        inQ_.FreeTensor(in);
    }

    __aicore__ inline void CopyOut(uint64_t at, uint32_t count)
    {
        LocalTensor<Out> out = outQ_.template DeQue<Out>();
        AscendC::DataCopyExtParams run{1, static_cast<uint32_t>(count * sizeof(Out)), 0, 0, 0};

        AscendC::DataCopyPad(out_[at], out, run);
        outQ_.FreeTensor(out);
    }

    TPipe pipe_;
    TQue<TPosition::VECIN, 1> tableQ_;
    TQue<TPosition::VECIN, BUFFERS> inQ_;
    TQue<TPosition::VECOUT, BUFFERS> outQ_;
    Step step_;
    GlobalTensor<In> in_;
    GlobalTensor<Out> out_;
    GlobalTensor<uint16_t> table_;
    uint64_t length_ = 0;
    uint32_t tileLength_ = 0;
};

template <typename In, typename Step>
__aicore__ inline void Run(GM_ADDR input, GM_ADDR table, GM_ADDR output,
                           const HiFloat8CastTiling &tiling)
{
    CastLoop<In, Step> loop;

    loop.Init(input, table, output, tiling);
    loop.Process();
}

} // namespace

/* input, output: tiling.totalLength elements. table: EncodeTable() or DecodeTable() of
 * hifloat8_cast_table.h on the device. */
extern "C" __global__ __vector__ void
hifloat8_cast_kernel_lut(GM_ADDR input, GM_ADDR table, GM_ADDR output, HiFloat8CastTiling tiling)
{
    if (tiling.castMode == HIFLOAT8_ENCODE_F16)
        Run<half, Encode<half>>(input, table, output, tiling);
    else if (tiling.castMode == HIFLOAT8_ENCODE_BF16)
        Run<bfloat16_t, Encode<bfloat16_t>>(input, table, output, tiling);
    else
        Run<uint8_t, Decode>(input, table, output, tiling);
}
