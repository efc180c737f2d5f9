/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul_leakyrelu_custom.cpp - c = leaky_relu(a * b + bias): cube cores multiply, vector cores
 * finish.
 *
 * A cube core and two vector cores work as a group. Every vector core has a rectangle of c, calls
 * the Matmul object for it, and the cube core of its group computes. The product lands in the
 * workspace; then the vector core reads its rectangle there, and writes c.
 *
 *     a, b, bias -> Matmul object (cube core) -> workspace -> LeakyRelu (vector core) -> c
 *
 * UB: 2 queues * 2 buffers * tileLength floats.
 */
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

#include "matmul_leakyrelu_tiling_data.h"

namespace {

using AscendC::GlobalTensor;
using AscendC::LocalTensor;
using AscendC::TPosition;

constexpr int32_t BUFFERS = 2;
constexpr uint32_t BLK = 32 / sizeof(float);

template <typename T> using InGm = AscendC::MatmulType<TPosition::GM, CubeFormat::ND, T>;

__aicore__ inline uint32_t Least(uint32_t a, uint32_t b) { return a < b ? a : b; }

__aicore__ inline uint32_t DivideUp(uint32_t n, uint32_t unit) { return (n + unit - 1) / unit; }

class KernelMatmulLeakyRelu {
public:
    AscendC::Matmul<InGm<half>, InGm<half>, InGm<float>, InGm<float>> matmul;

    __aicore__ inline void Init(AscendC::TPipe &pipe, GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c,
                                GM_ADDR workspace, const MatmulLeakyReluTilingData &tiling)
    {
        t_ = tiling;
        m_ = static_cast<uint32_t>(t_.cube.M);
        n_ = static_cast<uint32_t>(t_.cube.N);
        k_ = static_cast<uint32_t>(t_.cube.Ka);
        a_.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(a), uint64_t(m_) * k_);
        b_.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(b), uint64_t(k_) * n_);
        bias_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(bias), n_);
        c_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(c), uint64_t(m_) * n_);
        product_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(workspace), uint64_t(m_) * n_);
        pipe.InitBuffer(in_, BUFFERS, t_.tileLength * sizeof(float));
        pipe.InitBuffer(out_, BUFFERS, t_.tileLength * sizeof(float));
    }

    /* The rectangle of this vector core: rectangles go down the rows first. */
    __aicore__ inline void Process()
    {
        uint32_t core = static_cast<uint32_t>(AscendC::GetBlockIdx());
        uint32_t height = static_cast<uint32_t>(t_.cube.singleCoreM);
        uint32_t width = static_cast<uint32_t>(t_.cube.singleCoreN);

        if (core >= static_cast<uint32_t>(t_.cube.usedCoreNum))
            return;
        uint32_t inColumn = DivideUp(m_, height);
        uint32_t row = core % inColumn * height, column = core / inColumn * width;

        height = Least(height, m_ - row);
        width = Least(width, n_ - column);
        Multiply(row, column, height, width);
        Finish(row, column, height, width);
    }

private:
    __aicore__ inline void Multiply(uint32_t row, uint32_t column, uint32_t height, uint32_t width)
    {
        matmul.SetTensorA(a_[uint64_t(row) * k_]);
        matmul.SetTensorB(b_[column]);
        matmul.SetBias(bias_[column]);
        matmul.SetTail(static_cast<int32_t>(height), static_cast<int32_t>(width));
        matmul.IterateAll(product_[uint64_t(row) * n_ + column]);
        matmul.End();
    }

    /* Runs of rows: as many as a tile holds, each on a blk of its own. */
    __aicore__ inline void Finish(uint32_t row, uint32_t column, uint32_t height, uint32_t width)
    {
        for (uint32_t x = 0; x < width; x += t_.tileLength) {
            uint32_t run = Least(width - x, t_.tileLength);
            uint32_t rows = t_.tileLength / (DivideUp(run, BLK) * BLK);

            rows = Least(rows, MATMUL_LEAKYRELU_RUNS_MAX);
            for (uint32_t y = 0; y < height; y += rows) {
                uint64_t at = uint64_t(row + y) * n_ + column + x;

                FinishTile(at, Least(rows, height - y), run);
            }
        }
    }

    __aicore__ inline void FinishTile(uint64_t at, uint32_t rows, uint32_t run)
    {
        uint32_t bytes = run * sizeof(float), gap = (n_ - run) * sizeof(float);
        AscendC::DataCopyExtParams from{static_cast<uint16_t>(rows), bytes, gap, 0, 0};
        AscendC::DataCopyExtParams to{static_cast<uint16_t>(rows), bytes, 0, gap, 0};
        LocalTensor<float> x = in_.AllocTensor<float>();

        AscendC::DataCopyPad(x, product_[at], from, AscendC::DataCopyPadExtParams<float>{});
        in_.EnQue(x);
        x = in_.DeQue<float>();
        LocalTensor<float> y = out_.AllocTensor<float>();
        AscendC::LeakyRelu(y, x, t_.negativeSlope,
                           static_cast<int32_t>(rows * DivideUp(run, BLK) * BLK));
        out_.EnQue(y);
        in_.FreeTensor(x);
        y = out_.DeQue<float>();
        AscendC::DataCopyPad(c_[at], y, to);
        out_.FreeTensor(y);
    }

    AscendC::TQue<TPosition::VECIN, BUFFERS> in_;
    AscendC::TQue<TPosition::VECOUT, BUFFERS> out_;
    GlobalTensor<half> a_, b_;
    GlobalTensor<float> bias_, c_, product_;
    MatmulLeakyReluTilingData t_;
    uint32_t m_ = 0, n_ = 0, k_ = 0;
};

/* From a tensor in GM, word by word: the scalar unit reads it. */
__aicore__ inline MatmulLeakyReluTilingData ReadTiling(GM_ADDR tiling)
{
    MatmulLeakyReluTilingData t;
    uint32_t *to = reinterpret_cast<uint32_t *>(&t);
    const __gm__ uint32_t *from = reinterpret_cast<const __gm__ uint32_t *>(tiling);

    for (uint32_t i = 0; i < sizeof(t) / sizeof(uint32_t); i++)
        to[i] = from[i];
    return t;
}

} // namespace

/* workspace: with HAVE_WORKSPACE it begins behind the system's part, which the Matmul object uses;
 * a float for each element of c. HAVE_WORKSPACE and HAVE_TILING want them last, in this order. */
extern "C" __global__ __aicore__ void matmul_leakyrelu(GM_ADDR a, GM_ADDR b, GM_ADDR bias,
                                                       GM_ADDR c, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    AscendC::TPipe pipe;
    KernelMatmulLeakyRelu op;
    MatmulLeakyReluTilingData t = ReadTiling(tiling);

    op.Init(pipe, a, b, bias, c, workspace, t);
    REGIST_MATMUL_OBJ(&pipe, AscendC::GetSysWorkSpacePtr(), op.matmul, &t.cube);
    op.Process();
}
