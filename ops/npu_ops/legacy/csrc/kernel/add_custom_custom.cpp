/* SPDX-License-Identifier: Apache-2.0 */
/*
 * add_custom_custom.cpp - z = x + y on halves, the smallest kernel that handles any length.
 *
 * Every block (one a vector core) takes every blockDim-th tile: CopyIn -> Compute -> CopyOut, with
 * two buffers a queue, so that copies run beside the addition.
 *
 * UB: 3 queues * 2 buffers * TILE halves = 48 KB, of 192 KB (A2, A3) and 248 KB (A5).
 */
#include "kernel_operator.h"

namespace {

constexpr int32_t BUFFERS = 2;
constexpr uint32_t TILE = 4096; /* elements */

class KernelAdd {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t length)
    {
        length_ = length;
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(x), length);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(y), length);
        z_.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(z), length);
        pipe_.InitBuffer(inX_, BUFFERS, TILE * sizeof(half));
        pipe_.InitBuffer(inY_, BUFFERS, TILE * sizeof(half));
        pipe_.InitBuffer(outZ_, BUFFERS, TILE * sizeof(half));
    }

    __aicore__ inline void Process()
    {
        uint32_t tiles = length_ / TILE + (length_ % TILE != 0);

        for (uint32_t tile = AscendC::GetBlockIdx(); tile < tiles; tile += AscendC::GetBlockNum()) {
            uint32_t at = tile * TILE;
            uint32_t left = length_ - at;
            uint32_t count = left < TILE ? left : TILE;

            CopyIn(at, count);
            Compute(count);
            CopyOut(at, count);
        }
    }

private:
    /* DataCopyPad moves any number of bytes; DataCopy would drop what does not fill 32. */
    __aicore__ inline void CopyIn(uint32_t at, uint32_t count)
    {
        AscendC::LocalTensor<half> x = inX_.AllocTensor<half>();
        AscendC::LocalTensor<half> y = inY_.AllocTensor<half>();
        AscendC::DataCopyExtParams run{1, static_cast<uint32_t>(count * sizeof(half)), 0, 0, 0};
        AscendC::DataCopyPadExtParams<half> noPad{false, 0, 0, static_cast<half>(0.0f)};

        AscendC::DataCopyPad(x, x_[at], run, noPad);
        AscendC::DataCopyPad(y, y_[at], run, noPad);
        inX_.EnQue(x);
        inY_.EnQue(y);
    }

    __aicore__ inline void Compute(uint32_t count)
    {
        AscendC::LocalTensor<half> x = inX_.DeQue<half>();
        AscendC::LocalTensor<half> y = inY_.DeQue<half>();
        AscendC::LocalTensor<half> z = outZ_.AllocTensor<half>();

        AscendC::Add(z, x, y, static_cast<int32_t>(count));
        outZ_.EnQue(z);
        inX_.FreeTensor(x);
        inY_.FreeTensor(y);
    }

    __aicore__ inline void CopyOut(uint32_t at, uint32_t count)
    {
        AscendC::LocalTensor<half> z = outZ_.DeQue<half>();
        AscendC::DataCopyExtParams run{1, static_cast<uint32_t>(count * sizeof(half)), 0, 0, 0};

        AscendC::DataCopyPad(z_[at], z, run);
        outZ_.FreeTensor(z);
    }

    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::VECIN, BUFFERS> inX_, inY_;
    AscendC::TQue<AscendC::TPosition::VECOUT, BUFFERS> outZ_;
    AscendC::GlobalTensor<half> x_, y_, z_;
    uint32_t length_ = 0;
};

} // namespace

extern "C" __global__ __aicore__ void add_custom(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t length)
{
    KernelAdd op;

    op.Init(x, y, z, length);
    op.Process();
}
