/* SPDX-License-Identifier: Apache-2.0 */
/* scale_custom_custom.cpp - y = factor * x on floats: CopyIn -> Compute -> CopyOut, any length. */
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void scale_custom(GM_ADDR x, GM_ADDR y, float factor,
                                                   uint32_t length)
{
    constexpr uint32_t TILE = 4096; /* elements: 2 queues * 16 KB of UB */
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out;
    AscendC::GlobalTensor<float> from, to;

    from.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(x), length);
    to.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(y), length);
    pipe.InitBuffer(in, 1, TILE * sizeof(float));
    pipe.InitBuffer(out, 1, TILE * sizeof(float));
    for (uint64_t at = uint64_t(AscendC::GetBlockIdx()) * TILE; at < length;
         at += uint64_t(AscendC::GetBlockNum()) * TILE) {
        const uint32_t n = uint32_t(length - at < TILE ? length - at : TILE);
        const AscendC::DataCopyExtParams run{1, uint32_t(n * sizeof(float)), 0, 0, 0};

        AscendC::LocalTensor<float> a = in.AllocTensor<float>();
        AscendC::DataCopyPad(a, from[at], run,
                             AscendC::DataCopyPadExtParams<float>{false, 0, 0, 0.0f});
        in.EnQue(a);
        AscendC::LocalTensor<float> b = in.DeQue<float>(), c = out.AllocTensor<float>();
        AscendC::Muls(c, b, factor, int32_t(n));
        in.FreeTensor(b);
        out.EnQue(c);
        AscendC::LocalTensor<float> d = out.DeQue<float>();
        AscendC::DataCopyPad(to[at], d, run);
        out.FreeTensor(d);
    }
}
