/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rms_norm_custom.cpp - y = x / sqrt(mean(x * x) + eps) * gamma, row by row, in two passes.
 *
 * The mean of a row is needed before its first result. When there are fewer rows than cores,
 * several blocks share a row, and each needs the sums of the others: they meet in the workspace.
 *
 *     pass 1   every block: sum of the squares of its part  -> workspace
 *     SyncAll  the sums of all blocks are there
 *     pass 2   every block: total of its row <- workspace; its part times gamma -> y
 *
 * UB: (3 queues * 2 buffers * element + 2 * 4) * tileLength + (128 + 2) * 32: x, gamma and y; two
 * rows of floats; the sums of a row, one's own, and the one that is on its way out.
 */
#include "kernel_operator.h"

#include "rms_norm_tiling_data.h"

#include <type_traits>

namespace {

using AscendC::GlobalTensor;
using AscendC::LocalTensor;

constexpr int32_t BUFFERS = 2;
constexpr int32_t LANES = RMS_NORM_SUM_BYTES / sizeof(float);
constexpr int32_t REPEAT = RMS_NORM_ALIGN; /* floats that one repeat of an instruction takes */

template <typename T> class KernelRmsNorm {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, GM_ADDR workspace,
                                const RmsNormTilingData &tiling)
    {
        uint64_t length = tiling.rows * tiling.rowLength;

        t_ = tiling;
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(x), length);
        gamma_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(gamma), t_.rowLength);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(y), length);
        sums_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(workspace),
                              AscendC::GetBlockNum() * LANES);
        pipe_.InitBuffer(inX_, BUFFERS, t_.tileLength * sizeof(T));
        pipe_.InitBuffer(inGamma_, BUFFERS, t_.tileLength * sizeof(T));
        pipe_.InitBuffer(outY_, BUFFERS, t_.tileLength * sizeof(T));
        pipe_.InitBuffer(bufA_, t_.tileLength * sizeof(float));
        pipe_.InitBuffer(bufB_, t_.tileLength * sizeof(float));
        pipe_.InitBuffer(bufSum_, RMS_NORM_SUM_BYTES);
        pipe_.InitBuffer(outSum_, 1, RMS_NORM_SUM_BYTES); /* one buffer each: filled once */
        pipe_.InitBuffer(inSums_, 1, t_.parts * RMS_NORM_SUM_BYTES);
    }

    __aicore__ inline void Process()
    {
        if (t_.parts == 1)
            ProcessRows();
        else
            ProcessPart();
    }

private:
    /* Every block takes every blockDim-th row; no block needs another one. */
    __aicore__ inline void ProcessRows()
    {
        LocalTensor<float> sum = bufSum_.Get<float>();

        for (uint64_t row = AscendC::GetBlockIdx(); row < t_.rows; row += AscendC::GetBlockNum()) {
            SumOfSquares(sum, row * t_.rowLength, t_.rowLength);
            Scale(row, 0, t_.rowLength, ReciprocalRoot(sum));
        }
    }

    /* This block's part of one row. All blocks come to SyncAll, or none would leave it. */
    __aicore__ inline void ProcessPart()
    {
        uint64_t row = AscendC::GetBlockIdx() / t_.parts;
        uint64_t first = AscendC::GetBlockIdx() % t_.parts * t_.partLength;
        uint64_t left = t_.rowLength - first;
        uint64_t length = left < t_.partLength ? left : t_.partLength;

        Publish(row * t_.rowLength + first, length);
        AscendC::SyncAll();
        Scale(row, first, length, ReciprocalRoot(TotalOfRow(row)));
    }

    __aicore__ inline void Publish(uint64_t at, uint64_t length)
    {
        LocalTensor<float> sum = outSum_.template AllocTensor<float>();

        SumOfSquares(sum, at, length);
        outSum_.EnQue(sum);
        sum = outSum_.template DeQue<float>();
        AscendC::DataCopy(sums_[AscendC::GetBlockIdx() * LANES], sum, LANES);
        outSum_.FreeTensor(sum);
    }

    __aicore__ inline LocalTensor<float> TotalOfRow(uint64_t row)
    {
        LocalTensor<float> sums = inSums_.template AllocTensor<float>();
        LocalTensor<float> total = bufSum_.Get<float>(), lanes = bufA_.Get<float>();
        uint32_t count = t_.parts * LANES; /* what is not a sum is 0 */

        AscendC::DataCopy(sums, sums_[row * count], count);
        inSums_.EnQue(sums);
        sums = inSums_.template DeQue<float>();
        AscendC::Duplicate(lanes, 0.0f, WholeRepeats(count));
        AscendC::Add(lanes, lanes, sums, static_cast<int32_t>(count));
        Fold(total, lanes, WholeRepeats(count));
        inSums_.FreeTensor(sums);
        return total;
    }

    /* sum = that of the squares of length elements from at on, and zeros behind it. Lanes add up
     * on their own first, so that long rows keep their precision. */
    __aicore__ inline void SumOfSquares(const LocalTensor<float> &sum, uint64_t at, uint64_t length)
    {
        LocalTensor<float> lanes = bufA_.Get<float>(), square = bufB_.Get<float>();
        int32_t width = WholeRepeats(TileAt(0, length));

        AscendC::Duplicate(lanes, 0.0f, width);
        for (uint64_t i = 0; i < length; i += t_.tileLength) {
            uint32_t count = TileAt(i, length);
            LocalTensor<T> in = CopyIn(inX_, x_[at + i], count);
            LocalTensor<float> x = Widen(square, in, count);

            AscendC::Mul(square, x, x, static_cast<int32_t>(count));
            AscendC::Add(lanes, lanes, square, static_cast<int32_t>(count));
            inX_.FreeTensor(in);
        }
        Fold(sum, lanes, width);
    }

    /* sum = that of width lanes, whole repeats of them, and zeros behind it; lanes are used up. The
     * upper half goes onto the lower one until one repeat is left. */
    __aicore__ inline void Fold(const LocalTensor<float> &sum, const LocalTensor<float> &lanes,
                                int32_t width)
    {
        for (int32_t repeats = width / REPEAT; repeats > 1; repeats -= repeats / 2) {
            int32_t upper = repeats / 2 * REPEAT;

            AscendC::Add(lanes, lanes, lanes[repeats * REPEAT - upper], upper);
        }
        AscendC::Duplicate(sum, 0.0f, LANES);
        AscendC::WholeReduceSum(sum, lanes, REPEAT, 1, 1, 1, 8);
    }

    __aicore__ inline int32_t WholeRepeats(uint32_t count)
    {
        return static_cast<int32_t>((count + REPEAT - 1) / REPEAT * REPEAT);
    }

    /* 1 / sqrt(sum * factor + eps) */
    __aicore__ inline float ReciprocalRoot(const LocalTensor<float> &sum)
    {
        AscendC::Muls(sum, sum, t_.factor, LANES);
        AscendC::Adds(sum, sum, t_.eps, LANES);
        AscendC::Sqrt(sum, sum, LANES);
        /* The scalar unit reads what the vector unit has written. */
        int32_t event = static_cast<int32_t>(GetTPipePtr()->FetchEventID(AscendC::HardEvent::V_S));
        AscendC::SetFlag<AscendC::HardEvent::V_S>(event);
        AscendC::WaitFlag<AscendC::HardEvent::V_S>(event);
        return 1.0f / sum.GetValue(0);
    }

    /* y = x * factor * gamma for length elements of a row from first on. */
    __aicore__ inline void Scale(uint64_t row, uint64_t first, uint64_t length, float factor)
    {
        for (uint64_t i = first; i < first + length; i += t_.tileLength) {
            uint32_t count = TileAt(i - first, length);
            LocalTensor<T> x = CopyIn(inX_, x_[row * t_.rowLength + i], count);
            LocalTensor<T> gamma = CopyIn(inGamma_, gamma_[i], count);

            Compute(x, gamma, factor, static_cast<int32_t>(count));
            CopyOut(row * t_.rowLength + i, count);
        }
    }

    __aicore__ inline void Compute(LocalTensor<T> &x, LocalTensor<T> &gamma, float factor,
                                   int32_t count)
    {
        LocalTensor<float> a = bufA_.Get<float>(), b = bufB_.Get<float>();
        LocalTensor<T> y = outY_.template AllocTensor<T>();

        AscendC::Muls(a, Widen(a, x, count), factor, count);
        if constexpr (std::is_same_v<T, float>) {
            AscendC::Mul(y, a, gamma, count);
        } else {
            AscendC::Mul(a, a, Widen(b, gamma, count), count);
            AscendC::Cast(y, a, AscendC::RoundMode::CAST_RINT, count);
        }
        outY_.EnQue(y);
        inX_.FreeTensor(x);
        inGamma_.FreeTensor(gamma);
    }

    /* DataCopyPad moves any number of bytes; DataCopy would drop what does not fill 32. */
    template <typename Queue>
    __aicore__ inline LocalTensor<T> CopyIn(Queue &queue, const GlobalTensor<T> &from,
                                            uint32_t count)
    {
        LocalTensor<T> in = queue.template AllocTensor<T>();
        AscendC::DataCopyExtParams run{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};

        AscendC::DataCopyPad(in, from, run, AscendC::DataCopyPadExtParams<T>{});
        queue.EnQue(in);
        return queue.template DeQue<T>();
    }

    __aicore__ inline void CopyOut(uint64_t at, uint32_t count)
    {
        LocalTensor<T> y = outY_.template DeQue<T>();
        AscendC::DataCopyExtParams run{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};

        AscendC::DataCopyPad(y_[at], y, run);
        outY_.FreeTensor(y);
    }

    /* from as floats: itself, or its copy in to. */
    __aicore__ inline LocalTensor<float> Widen(const LocalTensor<float> &to,
                                               const LocalTensor<T> &from, uint32_t count)
    {
        if constexpr (std::is_same_v<T, float>) {
            return from;
        } else {
            AscendC::Cast(to, from, AscendC::RoundMode::CAST_NONE, count);
            return to;
        }
    }

    /* Elements of the tile that begins at i of length. */
    __aicore__ inline uint32_t TileAt(uint64_t i, uint64_t length)
    {
        uint64_t left = length - i;

        return static_cast<uint32_t>(left < t_.tileLength ? left : t_.tileLength);
    }

    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::VECIN, BUFFERS> inX_, inGamma_;
    AscendC::TQue<AscendC::TPosition::VECOUT, BUFFERS> outY_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inSums_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outSum_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> bufA_, bufB_, bufSum_;
    GlobalTensor<T> x_, gamma_, y_;
    GlobalTensor<float> sums_;
    RmsNormTilingData t_;
};

template <typename T>
__aicore__ inline void Run(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, GM_ADDR workspace,
                           const RmsNormTilingData &tiling)
{
    KernelRmsNorm<T> op;

    op.Init(x, gamma, y, workspace, tiling);
    op.Process();
}

/* From a tensor in GM, word by word: the scalar unit reads it. */
__aicore__ inline RmsNormTilingData ReadTiling(GM_ADDR tiling)
{
    RmsNormTilingData t;
    uint32_t *to = reinterpret_cast<uint32_t *>(&t);
    const __gm__ uint32_t *from = reinterpret_cast<const __gm__ uint32_t *>(tiling);

    for (uint32_t i = 0; i < sizeof(t) / sizeof(uint32_t); i++)
        to[i] = from[i];
    return t;
}

} // namespace

/* workspace: with HAVE_WORKSPACE it begins behind the system's part; RMS_NORM_SUM_BYTES a block.
 * tiling: a RmsNormTilingData. HAVE_WORKSPACE and HAVE_TILING want them last, in this order. */
extern "C" __global__ __aicore__ void rms_norm(GM_ADDR x, GM_ADDR gamma, GM_ADDR y,
                                               GM_ADDR workspace, GM_ADDR tiling)
{
    /* SyncAll on vector cores alone works with this type of kernel, not with AIV_ONLY. */
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    RmsNormTilingData t = ReadTiling(tiling);

    if (t.type == RMS_NORM_F16)
        Run<half>(x, gamma, y, workspace, t);
    else if (t.type == RMS_NORM_BF16)
        Run<bfloat16_t>(x, gamma, y, workspace, t);
    else
        Run<float>(x, gamma, y, workspace, t);
}
