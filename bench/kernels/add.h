/* SPDX-License-Identifier: Apache-2.0 */
/*
 * add.h - the tiled vector add that the figures are about: double-buffered queues, as in any first
 * Ascend C operator. Whole tiles only; n is a multiple of blocks * tile.
 */
#ifndef BENCH_ADD_H
#define BENCH_ADD_H
#include "kernel_operator.h"

template <class T> class TiledAdd {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t n, uint32_t tile)
    {
        uint32_t mine = n / AscendC::GetBlockNum();
        uint32_t begin = mine * AscendC::GetBlockIdx();

        tile_ = tile;
        n_tiles_ = mine / tile;
        x_.SetGlobalBuffer((__gm__ T *)x + begin, mine);
        y_.SetGlobalBuffer((__gm__ T *)y + begin, mine);
        z_.SetGlobalBuffer((__gm__ T *)z + begin, mine);
        pipe_.InitBuffer(in_x_, 2, tile * sizeof(T));
        pipe_.InitBuffer(in_y_, 2, tile * sizeof(T));
        pipe_.InitBuffer(out_, 2, tile * sizeof(T));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t i = 0; i < n_tiles_; i++) {
            CopyIn(i * tile_);
            Compute();
            CopyOut(i * tile_);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t at)
    {
        AscendC::LocalTensor<T> x = in_x_.AllocTensor<T>(), y = in_y_.AllocTensor<T>();

        AscendC::DataCopy(x, x_[at], tile_);
        AscendC::DataCopy(y, y_[at], tile_);
        in_x_.EnQue(x);
        in_y_.EnQue(y);
    }

    __aicore__ inline void Compute()
    {
        AscendC::LocalTensor<T> x = in_x_.DeQue<T>(), y = in_y_.DeQue<T>();
        AscendC::LocalTensor<T> z = out_.AllocTensor<T>();

        AscendC::Add(z, x, y, tile_);
        out_.EnQue(z);
        in_x_.FreeTensor(x);
        in_y_.FreeTensor(y);
    }

    __aicore__ inline void CopyOut(uint32_t at)
    {
        AscendC::LocalTensor<T> z = out_.DeQue<T>();

        AscendC::DataCopy(z_[at], z, tile_);
        out_.FreeTensor(z);
    }

    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> in_x_, in_y_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> out_;
    AscendC::GlobalTensor<T> x_, y_, z_;
    uint32_t tile_, n_tiles_;
};

#endif
