/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.h - the forms that calls of the high-level API come in, stamped from a name and a row.
 *
 * With or without a temporary tensor, with or without a count; a name has all four (NPU_ADV4_*) or
 * the two with a count (NPU_ADV2_*), as its page says. What follows the row are more template
 * parameters, with presets. Included by the families and by nobody else.
 */
#ifndef NPU_FRONT_ADV_CALL_H
#define NPU_FRONT_ADV_CALL_H
#include "../vector.h"
#include "tmp.h"

namespace nputwin::adv {

/* calCount elements of the row; src1 and the scalar are what its shape wants. */
template <npu_op op, class T>
inline void apply(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src0,
                  const T *src1, uint64_t scalar, uint32_t count, npu_where where)
{
    vec_count<op, true>(dst.raw(), src0.raw(), src1, scalar, int32_t(count), where);
}

} // namespace nputwin::adv

/* The four forms around a list of operands. */
#define NPU_ADV_COUNT(name, row, head, operands, run)                                              \
    template <NPU_ADV_UNPACK head>                                                                 \
    inline void name(NPU_ADV_UNPACK operands, const uint32_t calCount, npu_where where = NPU_HERE) \
    {                                                                                              \
        NPU_TAKES(#name, OP_##row, T);                                                             \
        nputwin::adv::apply<OP_##row>(NPU_ADV_UNPACK run, calCount, where);                        \
    }                                                                                              \
    template <NPU_ADV_UNPACK head>                                                                 \
    inline void name(NPU_ADV_UNPACK operands, const LocalTensor<uint8_t> &sharedTmpBuffer,         \
                     const uint32_t calCount, npu_where where = NPU_HERE)                          \
    {                                                                                              \
        NPU_TAKES(#name, OP_##row, T);                                                             \
        NPU_ADV_TMP(name, T, sharedTmpBuffer);                                                     \
        nputwin::adv::apply<OP_##row>(NPU_ADV_UNPACK run, calCount, where);                        \
    }
#define NPU_ADV_WHOLE(name, row, head, operands, run, of)                                          \
    template <NPU_ADV_UNPACK head>                                                                 \
    inline void name(NPU_ADV_UNPACK operands, npu_where where = NPU_HERE)                          \
    {                                                                                              \
        NPU_TAKES(#name, OP_##row, T);                                                             \
        nputwin::adv::apply<OP_##row>(NPU_ADV_UNPACK run, of.GetSize(), where);                    \
    }                                                                                              \
    template <NPU_ADV_UNPACK head>                                                                 \
    inline void name(NPU_ADV_UNPACK operands, const LocalTensor<uint8_t> &sharedTmpBuffer,         \
                     npu_where where = NPU_HERE)                                                   \
    {                                                                                              \
        NPU_TAKES(#name, OP_##row, T);                                                             \
        NPU_ADV_TMP(name, T, sharedTmpBuffer);                                                     \
        nputwin::adv::apply<OP_##row>(NPU_ADV_UNPACK run, of.GetSize(), where);                    \
    }
#define NPU_ADV_UNPACK(...) __VA_ARGS__

/* dst = f(src) */
#define NPU_ADV_ONE                                                                                \
    (const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor),                            \
        (dstTensor, srcTensor, (const T *)nullptr, 0)
#define NPU_ADV2_UNARY(name, row, ...)                                                             \
    NPU_ADV_EXPAND(NPU_ADV_COUNT, name, row,                                                       \
                   (typename T, bool isReuseSource = false, ##__VA_ARGS__), NPU_ADV_ONE)
#define NPU_ADV4_UNARY(name, row, ...)                                                             \
    NPU_ADV2_UNARY(name, row, ##__VA_ARGS__)                                                       \
    NPU_ADV_EXPAND(NPU_ADV_WHOLE, name, row,                                                       \
                   (typename T, bool isReuseSource = false, ##__VA_ARGS__), NPU_ADV_ONE,           \
                   srcTensor)
/* dst = f(src0, src1) */
#define NPU_ADV_TWO                                                                                \
    (const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,                            \
     const LocalTensor<T> &src1Tensor),                                                            \
        (dstTensor, src0Tensor, (const T *)src1Tensor.raw(), 0)
#define NPU_ADV2_BINARY(name, row, ...)                                                            \
    NPU_ADV_EXPAND(NPU_ADV_COUNT, name, row,                                                       \
                   (typename T, bool isReuseSource = false, ##__VA_ARGS__), NPU_ADV_TWO)
#define NPU_ADV4_BINARY(name, row, ...)                                                            \
    NPU_ADV2_BINARY(name, row, ##__VA_ARGS__)                                                      \
    NPU_ADV_EXPAND(NPU_ADV_WHOLE, name, row,                                                       \
                   (typename T, bool isReuseSource = false, ##__VA_ARGS__), NPU_ADV_TWO,           \
                   src0Tensor)
#define NPU_ADV_EXPAND(form, ...) form(__VA_ARGS__)
#endif
