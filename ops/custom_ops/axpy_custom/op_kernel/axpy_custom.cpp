/* SPDX-License-Identifier: Apache-2.0 */
/*
 * axpy_custom.cpp - z = alpha * x + y.
 *
 * float is computed as it is. float16 is computed in float and rounded once: the product of a tile
 * waits in the block's part of the workspace while y takes its place in UB.
 */
#include "axpy_custom_tiling.h"
#include "kernel_operator.h"

using namespace AscendC;

template <class T> class AxpyCustom {
public:
    __aicore__ AxpyCustom(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace,
                          const AxpyCustomTilingData &tiling)
        : length_(tiling.length), tile_(tiling.tile), alpha_(tiling.alpha)
    {
        x_.SetGlobalBuffer((__gm__ T *)x, length_);
        y_.SetGlobalBuffer((__gm__ T *)y, length_);
        z_.SetGlobalBuffer((__gm__ T *)z, length_);
        product_.SetGlobalBuffer((__gm__ float *)workspace + uint64_t(GetBlockIdx()) * tile_,
                                 tile_);
        pipe_.InitBuffer(in_, 1, tile_ * sizeof(float));
        pipe_.InitBuffer(out_, 1, tile_ * sizeof(float));
        pipe_.InitBuffer(wide_, tile_ * sizeof(float));
    }

    __aicore__ void Direct()
    {
        for (uint64_t at = Begin(); at < length_; at += Step()) {
            const uint32_t n = Count(at);

            Load(x_[at], n);
            LocalTensor<T> x = in_.DeQue<T>(), t = wide_.Get<T>();
            Muls(t, x, T(alpha_), n);
            in_.FreeTensor(x);
            Load(y_[at], n);
            LocalTensor<T> y = in_.DeQue<T>(), z = out_.AllocTensor<T>();
            Add(z, t, y, n);
            in_.FreeTensor(y);
            out_.EnQue(z);
            Store(z_[at], n);
        }
    }

    __aicore__ void Wide()
    {
        for (uint64_t at = Begin(); at < length_; at += Step()) {
            const uint32_t n = Count(at);

            Multiply(at, n);
            PipeBarrier<PIPE_ALL>(); /* the product is in the workspace */
            AddAndRound(at, n);
            PipeBarrier<PIPE_ALL>(); /* and may be overwritten */
        }
    }

private:
    __aicore__ uint64_t Begin() { return uint64_t(GetBlockIdx()) * tile_; }
    __aicore__ uint64_t Step() { return uint64_t(GetBlockNum()) * tile_; }
    __aicore__ uint32_t Count(uint64_t at)
    {
        return uint32_t(length_ - at < tile_ ? length_ - at : tile_);
    }

    template <class U> __aicore__ void Load(GlobalTensor<U> from, uint32_t n)
    {
        LocalTensor<U> to = in_.AllocTensor<U>();

        DataCopyPad(to, from, DataCopyExtParams{1, uint32_t(n * sizeof(U)), 0, 0, 0},
                    DataCopyPadExtParams<U>{false, 0, 0, U(0)});
        in_.EnQue(to);
    }
    template <class U> __aicore__ void Store(GlobalTensor<U> to, uint32_t n)
    {
        LocalTensor<U> from = out_.DeQue<U>();

        DataCopyPad(to, from, DataCopyExtParams{1, uint32_t(n * sizeof(U)), 0, 0, 0});
        out_.FreeTensor(from);
    }

    __aicore__ void Multiply(uint64_t at, uint32_t n)
    {
        Load(x_[at], n);
        LocalTensor<T> x = in_.DeQue<T>();
        LocalTensor<float> product = out_.AllocTensor<float>();
        Cast(product, x, RoundMode::CAST_NONE, n);
        Muls(product, product, alpha_, n);
        in_.FreeTensor(x);
        out_.EnQue(product);
        Store(product_, n);
    }
    __aicore__ void AddAndRound(uint64_t at, uint32_t n)
    {
        LocalTensor<float> y = wide_.Get<float>();

        Load(y_[at], n);
        LocalTensor<T> y16 = in_.DeQue<T>();
        Cast(y, y16, RoundMode::CAST_NONE, n);
        in_.FreeTensor(y16);
        Load(product_, n);
        LocalTensor<float> product = in_.DeQue<float>();
        Add(y, product, y, n);
        in_.FreeTensor(product);
        LocalTensor<T> z = out_.AllocTensor<T>();
        Cast(z, y, RoundMode::CAST_RINT, n);
        out_.EnQue(z);
        Store(z_[at], n);
    }

    TPipe pipe_;
    TQue<TPosition::VECIN, 1> in_;
    TQue<TPosition::VECOUT, 1> out_;
    TBuf<TPosition::VECCALC> wide_;
    GlobalTensor<T> x_, y_, z_;
    GlobalTensor<float> product_;
    uint64_t length_;
    uint32_t tile_;
    float alpha_;
};

extern "C" __global__ __aicore__ void axpy_custom(GM_ADDR x, GM_ADDR y, GM_ADDR z,
                                                  GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(AxpyCustomTilingData);
    GET_TILING_DATA(data, tiling);
    AxpyCustom<DTYPE_X> op(x, y, z, workspace, data);

    if (TILING_KEY_IS(AXPY_DIRECT)) {
        op.Direct();
    } else if (TILING_KEY_IS(AXPY_WIDE)) {
#if ORIG_DTYPE_X == DT_FLOAT16
        op.Wide();
#endif
    }
}
