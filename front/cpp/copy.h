/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy.h - DataCopy, DataCopyPad and Copy.
 *
 * Every form becomes one npu_insn: bursts of bytes with gaps from the end of a burst to the start
 * of the next. On the UB side a burst ends at the next multiple of 32 bytes. A length that is no
 * multiple of 32 is rounded down by DataCopy (as the chip does) and moved exactly by DataCopyPad.
 */
#ifndef NPU_FRONT_COPY_H
#define NPU_FRONT_COPY_H
#include "tensor.h"

namespace nputwin {

struct bursts {
    uint32_t n, bytes;
    int64_t src_gap_bytes, dst_gap_bytes;
};
struct padding {
    uint8_t left, right; /* elements */
    bool is_pad;
    uint64_t value;
};

inline npu_insn copy_insn(const npu_core *c, npu_op op, npu_type type, void *dst, const void *src,
                          const bursts &b, npu_where where)
{
    npu_insn in = {};
    in.kind = KIND_OP;
    in.op = op;
    in.type = in.dst_type = type;
    in.pipe = op == OP_copy_gm_to_ub ? PIPE_MTE2 : PIPE_MTE3;
    in.n_burst = b.n;
    in.burst_bytes = b.bytes;
    in.src_gap_bytes = b.src_gap_bytes;
    in.dst_gap_bytes = b.dst_gap_bytes;
    in.ref[0] = op == OP_copy_gm_to_ub ? ub_ref(c, dst, 1, 8) : gm_ref(dst);
    in.ref[1] = op == OP_copy_gm_to_ub ? gm_ref(src) : ub_ref(c, src, 1, 8);
    in.where = where;
    return in;
}
inline void copy_bursts(npu_core *c, npu_op op, npu_type type, void *dst, const void *src,
                        const bursts &b, const padding &pad, npu_where where)
{
    if (b.n == 0 || b.bytes == 0)
        return;
    npu_insn in = copy_insn(c, op, type, dst, src, b, where);
    in.pad_left = pad.left;
    in.pad_right = pad.right;
    in.is_pad = pad.is_pad || c->regs.has_pad_value;
    in.scalar = pad.is_pad ? pad.value : c->regs.pad_value;
    npu_issue(c, &in);
}
/* UB to UB runs on the vector pipe. */
inline void copy_ub_to_ub(npu_core *c, void *dst, const void *src, const bursts &b, npu_where where)
{
    if (b.n == 0 || b.bytes == 0)
        return;
    npu_insn in =
        vec_insn(c, OP_vcopy, TYPE_u16, dst, src, nullptr, 1, {{1, 1, 0}, {8, 8, 0}}, where);
    reset_mask(in.mask);
    in.n_burst = b.n;
    in.burst_bytes = b.bytes;
    in.src_gap_bytes = b.src_gap_bytes;
    in.dst_gap_bytes = b.dst_gap_bytes;
    npu_issue(c, &in);
}
inline bursts blk_bursts(const AscendC::DataCopyParams &p)
{
    return {p.blockCount, p.blockLen * uint32_t(NPU_BLK_BYTES), p.srcGap * NPU_BLK_BYTES,
            p.dstGap * NPU_BLK_BYTES};
}

/* Limits of DataCopyPad; false and a fault when one is passed. */
inline bool check_pad(npu_core *c, const char *name, uint32_t count, uint32_t len, uint32_t elem,
                      uint32_t left, uint32_t right, npu_where where)
{
    if (NPU_UNLIKELY(count > 4095 || len > 2097151))
        npu_fault(c, NPU_E_ARG, where, "%s: blockCount %u (0..4095), blockLen %u (0..2097151)",
                  name, count, len);
    else if (NPU_UNLIKELY(len % elem))
        npu_fault(c, NPU_E_ARG, where,
                  "%s: blockLen is %u bytes, no multiple of the %u-byte element", name, len, elem);
    else if (NPU_UNLIKELY(left * elem > NPU_BLK_BYTES || right * elem > NPU_BLK_BYTES))
        npu_fault(
            c, NPU_E_ARG, where,
            "%s: leftPadding %u and rightPadding %u elements of %u bytes; each at most 32 bytes",
            name, left, right, elem);
    else
        return true;
    return false;
}

} // namespace nputwin

namespace AscendC {

/* n elements; what does not fill a 32-byte blk at the end stays behind. */
template <typename T>
inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, uint32_t count,
                     npu_where where = NPU_HERE)
{
    const uint32_t bytes = count * uint32_t(sizeof(T)) & ~uint32_t(NPU_BLK_BYTES - 1);
    if (bytes)
        npu_copy(nputwin::core(), OP_copy_gm_to_ub, dst.raw(), src.raw(), bytes, where);
}
template <typename T>
inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count,
                     npu_where where = NPU_HERE)
{
    const uint32_t bytes = count * uint32_t(sizeof(T)) & ~uint32_t(NPU_BLK_BYTES - 1);
    if (bytes)
        npu_copy(nputwin::core(), OP_copy_ub_to_gm, dst.raw(), src.raw(), bytes, where);
}
template <typename T>
inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count,
                     npu_where where = NPU_HERE)
{
    const uint32_t bytes = count * uint32_t(sizeof(T)) & ~uint32_t(NPU_BLK_BYTES - 1);
    nputwin::copy_ub_to_ub(nputwin::core(), dst.raw(), src.raw(), {1, bytes, 0, 0}, where);
}

template <typename T>
inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                     const DataCopyParams &params, npu_where where = NPU_HERE)
{
    nputwin::copy_bursts(nputwin::core(), OP_copy_gm_to_ub, nputwin::mover_of<T>, dst.raw(),
                         src.raw(), nputwin::blk_bursts(params), {}, where);
}
template <typename T>
inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                     const DataCopyParams &params, npu_where where = NPU_HERE)
{
    nputwin::copy_bursts(nputwin::core(), OP_copy_ub_to_gm, nputwin::mover_of<T>, dst.raw(),
                         src.raw(), nputwin::blk_bursts(params), {}, where);
}
template <typename T>
inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                     const DataCopyParams &params, npu_where where = NPU_HERE)
{
    nputwin::copy_ub_to_ub(nputwin::core(), dst.raw(), src.raw(), nputwin::blk_bursts(params),
                           where);
}

/* Bursts of any number of bytes; each lands at a multiple of 32 bytes in UB. */
template <typename T>
inline void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                        const DataCopyExtParams &p, const DataCopyPadExtParams<T> &pad,
                        npu_where where = NPU_HERE)
{
    npu_core *c = nputwin::core();
    if (nputwin::check_pad(c, "DataCopyPad", p.blockCount, p.blockLen, sizeof(T), pad.leftPadding,
                           pad.rightPadding, where))
        nputwin::copy_bursts(
            c, OP_copy_gm_to_ub, nputwin::mover_of<T>, dst.raw(), src.raw(),
            {p.blockCount, p.blockLen, int64_t(p.srcStride), int64_t(p.dstStride) * NPU_BLK_BYTES},
            {pad.leftPadding, pad.rightPadding, pad.isPad, nputwin::bits_of(pad.paddingValue)},
            where);
}
template <typename T>
inline void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                        const DataCopyParams &p, const DataCopyPadParams &pad,
                        npu_where where = NPU_HERE)
{
    npu_core *c = nputwin::core();
    if (nputwin::check_pad(c, "DataCopyPad", p.blockCount, p.blockLen, sizeof(T), pad.leftPadding,
                           pad.rightPadding, where))
        nputwin::copy_bursts(c, OP_copy_gm_to_ub, nputwin::mover_of<T>, dst.raw(), src.raw(),
                             {p.blockCount, p.blockLen, p.srcStride, p.dstStride * NPU_BLK_BYTES},
                             {pad.leftPadding, pad.rightPadding, pad.isPad, pad.paddingValue},
                             where);
}
template <typename T>
inline void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                        const DataCopyExtParams &p, npu_where where = NPU_HERE)
{
    npu_core *c = nputwin::core();
    if (nputwin::check_pad(c, "DataCopyPad", p.blockCount, p.blockLen, sizeof(T), 0, 0, where))
        nputwin::copy_bursts(
            c, OP_copy_ub_to_gm, nputwin::mover_of<T>, dst.raw(), src.raw(),
            {p.blockCount, p.blockLen, int64_t(p.srcStride) * NPU_BLK_BYTES, int64_t(p.dstStride)},
            {}, where);
}
template <typename T>
inline void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                        const DataCopyParams &p, npu_where where = NPU_HERE)
{
    npu_core *c = nputwin::core();
    if (nputwin::check_pad(c, "DataCopyPad", p.blockCount, p.blockLen, sizeof(T), 0, 0, where))
        nputwin::copy_bursts(c, OP_copy_ub_to_gm, nputwin::mover_of<T>, dst.raw(), src.raw(),
                             {p.blockCount, p.blockLen, p.srcStride * NPU_BLK_BYTES, p.dstStride},
                             {}, where);
}

} // namespace AscendC
#endif
