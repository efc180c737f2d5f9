/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_operator.h"
#include "sum_list_custom_tiling.h"

extern "C" __global__ __aicore__ void sum_list_custom(GM_ADDR x, GM_ADDR weights, GM_ADDR scale,
                                                      GM_ADDR shifts, GM_ADDR bias, GM_ADDR y,
                                                      GM_ADDR workspace, GM_ADDR tiling)
{
    REGISTER_TILING_DEFAULT(SumListTilingData);
    GET_TILING_DATA(t, tiling);
    AscendC::ListTensorDesc list(x);
    AscendC::TensorDesc<DTYPE_X> last;
    uint64_t shape[8] = {};
    auto *out = (__gm__ DTYPE_Y *)y;
    auto *w = (__gm__ int64_t *)weights;

    ascendc_assert(workspace == AscendC::GetUserWorkspace(workspace) &&
                       AscendC::GetSysWorkSpacePtr(),
                   "workspace\n");
    ascendc_assert(list.GetSize() == t.n_tensors, "number of tensors\n");
    last.SetShapeAddr(shape);
    list.GetDesc(last, t.n_tensors - 1);
    uint64_t length = 1;
    for (uint64_t d = 0; d < last.GetDim(); d++)
        length *= last.GetShape(d);
    ascendc_assert(length == t.length && last.GetIndex() == t.n_tensors - 1,
                   "description of the last tensor\n");
    for (uint32_t i = 0; i < t.length; i++) {
        float sum = 0, more = float(t.plus) + float(t.weight_sum);

        for (uint32_t k = 0; k < t.n_tensors; k++)
            sum += float(w[k]) * float(list.GetDataPtr<DTYPE_X>(k)[i]);
        for (uint32_t k = 0; k < t.n_shifts; k++)
            more += ((__gm__ float *)shifts)[k];
        more += t.has_bias ? float(((__gm__ DTYPE_X *)bias)[i]) : 0.0f;
        sum = float(out[i]) + float(*(__gm__ DTYPE_SCALE *)scale) * sum + more;
        out[i] = DTYPE_Y(t.negate ? -sum : sum);
    }
}
