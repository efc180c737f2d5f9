/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transform.h - Broadcast, Transpose, TransData, Pad, UnPad and Fill: elements in other places.
 *
 * NZ format: blocks of 16 columns stand one below the other, a row of a block is 16 elements.
 */
#ifndef NPU_FRONT_ADV_TRANSFORM_H
#define NPU_FRONT_ADV_TRANSFORM_H
#include "softmax.h"
#include "../copy.h"
#include "../order.h"
#include "../sync.h"
#include "kernel_tiling/adv_types.h"
#include <initializer_list>

namespace nputwin {

struct axis {
    uint64_t size, dst_step, src_step; /* steps in elements */
};

/* One instruction that copies along all axes, the last of them innermost. */
template <class T>
inline void strided(npu_rows_fn fn, const AscendC::LocalTensor<T> &dst, uint64_t dst_at,
                    const AscendC::LocalTensor<T> &src, uint64_t src_at,
                    std::initializer_list<axis> axes, const AscendC::LocalTensor<uint8_t> &tmp,
                    npu_where where)
{
    rows_call c(fn, mover_of<T>, mover_of<T>, where);
    uint64_t n_dst = 1, n_src = 1;
    for (const axis &a : axes) {
        if (a.size == 0)
            return;
        n_dst += (a.size - 1) * a.dst_step;
        n_src += (a.size - 1) * a.src_step;
    }
    /* Operands begin at whole blks; what lies before the first element is a step of its own. */
    constexpr uint64_t per = NPU_BLK_BYTES / sizeof(T);
    c.writes(dst[uint32_t(dst_at / per * per)], dst_at % per + n_dst).tmp(tmp);
    c.reads(src[uint32_t(src_at / per * per)], src_at % per + n_src);
    c.number(axes.size());
    for (const axis &a : axes)
        c.number(a.size);
    for (const axis &a : axes)
        c.number(a.dst_step);
    for (const axis &a : axes)
        c.number(a.src_step);
    c.number(dst_at % per).number(src_at % per).issue();
}

template <class T, class... Ts> constexpr bool is_one_of = (std::is_same_v<T, Ts> || ...);

} // namespace nputwin

namespace AscendC {

/* The page of dav-2201 names int8_t, uint8_t, half and float; public kernels have bfloat16_t too.
 */
#define NPU_BROADCAST(tmp_arg, ...)                                                                \
    template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>                   \
    inline void Broadcast(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,          \
                          const uint32_t *dstShape, const uint32_t *srcShape __VA_ARGS__,          \
                          npu_where where = NPU_HERE)                                              \
    {                                                                                              \
        static_assert(sizeof(T) <= 4, "Broadcast: elements of 1, 2 or 4 bytes are allowed");       \
        static_assert((dim == 1 && axis == 0) || (dim == 2 && (axis == 0 || axis == 1)),           \
                      "Broadcast: dim is 1 or 2, and axis is one of its axes");                    \
        nputwin::broadcast<T, dim, axis>(dstLocal, srcLocal, dstShape, srcShape, {tmp_arg},        \
                                         where);                                                   \
    }                                                                                              \
    template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>                   \
    inline void BroadCast(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,          \
                          const uint32_t *dstShape, const uint32_t *srcShape __VA_ARGS__,          \
                          npu_where where = NPU_HERE)                                              \
    {                                                                                              \
        nputwin::broadcast<T, dim, axis>(dstLocal, srcLocal, dstShape, srcShape, {tmp_arg},        \
                                         where);                                                   \
    }

} // namespace AscendC

namespace nputwin {

template <class T, int32_t dim, int32_t axis_no>
inline void broadcast(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                      const uint32_t *to, const uint32_t *from,
                      const AscendC::LocalTensor<uint8_t> &tmp, npu_where where)
{
    const uint32_t rows = dim == 2 ? to[0] : 1, columns = to[dim - 1];
    const uint32_t src_rows = dim == 2 ? from[0] : 1, src_columns = from[dim - 1];
    const bool fits = (src_rows == rows || src_rows == 1) &&
                      (src_columns == columns || src_columns == 1) &&
                      (dim == 1 || from[1 - axis_no] == to[1 - axis_no]);

    if (!fits) {
        npu_fault(core(), NPU_E_ARG, where,
                  "Broadcast: [%u, %u] does not become [%u, %u] along axis %d; the axis has 1 "
                  "element in src and the other one the same number in both",
                  src_rows, src_columns, rows, columns, axis_no);
        return;
    }
    strided(ROWS_Broadcast, dst, 0, src, 0,
            {{rows, columns, src_rows == 1 ? 0 : src_columns},
             {columns, 1, src_columns == 1 ? 0u : 1u}},
            tmp, where);
}

/* Where column d of head n stands in a matrix of s rows: joined, the heads are one row of columns;
 * apart, each is a matrix of its own. In NZ the columns stand in blocks of 16. */
struct heads {
    bool is_nz, is_joined;
    uint64_t b_step, n_step, s_step, d1_step;
    uint64_t at(uint64_t n, uint64_t d, uint64_t d_size) const
    {
        const uint64_t column = is_joined ? n * d_size + d : d, base = is_joined ? 0 : n * n_step;
        return is_nz ? base + column / 16 * d1_step + column % 16 : base + column;
    }
    /* Columns from there on that stand side by side. */
    uint64_t run(uint64_t n, uint64_t d, uint64_t d_size) const
    {
        const uint64_t column = is_joined ? n * d_size + d : d, rest = d_size - d;
        return is_nz && 16 - column % 16 < rest ? 16 - column % 16 : rest;
    }
};

template <class T>
inline void move_heads(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                       const heads &to, const heads &from, const uint64_t shape[4],
                       const AscendC::LocalTensor<uint8_t> &tmp, npu_where where)
{
    for (uint64_t n = 0; n < shape[1]; n++)
        for (uint64_t d = 0; d < shape[3];) {
            const uint64_t a = to.run(n, d, shape[3]), b = from.run(n, d, shape[3]);
            const uint64_t run = a < b ? a : b;
            strided(ROWS_Transpose, dst, to.at(n, d, shape[3]), src, from.at(n, d, shape[3]),
                    {{shape[0], to.b_step, from.b_step},
                     {shape[2], to.s_step, from.s_step},
                     {run, 1, 1}},
                    tmp, where);
            d += run;
        }
}

/* shape: b, n, s, columns of a head; the seven scenes of the page. */
template <class T>
inline void transpose(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                      AscendC::TransposeType type, const uint64_t shape[4],
                      const AscendC::LocalTensor<uint8_t> &tmp, npu_where where)
{
    using AscendC::TransposeType;
    const uint64_t n = shape[1], s = shape[2], d = shape[3], dp = (d + 15) / 16 * 16;
    const uint64_t hp = (n * d + 15) / 16 * 16;
    const heads apart = {true, false, n * dp * s, dp * s, 16, s * 16};
    const heads joined = {true, true, hp * s, 0, 16, s * 16};
    const heads nd_swapped = {false, false, s * n * d, d, n * d, 0};
    const heads nz_swapped = {true, false, s * n * d, 16, n * d, n * 16};
    const heads nd_apart = {false, false, n * s * dp, s * dp, dp, 0};
    const heads nd_joined = {false, true, s * hp, 0, hp, 0};

    switch (type) {
    case TransposeType::TRANSPOSE_NZ2ND_0213:
        return move_heads(dst, src, nd_swapped, apart, shape, tmp, where);
    case TransposeType::TRANSPOSE_NZ2NZ_0213:
        return move_heads(dst, src, nz_swapped, apart, shape, tmp, where);
    case TransposeType::TRANSPOSE_NZ2NZ_012_WITH_N:
        return move_heads(dst, src, apart, joined, shape, tmp, where);
    case TransposeType::TRANSPOSE_NZ2ND_012_WITH_N:
        return move_heads(dst, src, nd_apart, joined, shape, tmp, where);
    case TransposeType::TRANSPOSE_NZ2ND_012_WITHOUT_N:
        return move_heads(dst, src, nd_joined, apart, shape, tmp, where);
    case TransposeType::TRANSPOSE_NZ2NZ_012_WITHOUT_N:
        return move_heads(dst, src, joined, apart, shape, tmp, where);
    case TransposeType::TRANSPOSE_ND2ND_ONLY:
        return strided(ROWS_Transpose, dst, 0, src, 0,
                       {{shape[1], shape[0], 1}, {shape[0], 1, shape[1]}}, tmp, where);
    default:
        npu_fault(core(), NPU_E_UNSUP, where,
                  "Transpose: transposeType %d with a tiling; this chip has "
                  "TRANSPOSE_NZ2ND_0213 to TRANSPOSE_ND2ND_ONLY",
                  int(type));
    }
}

} // namespace nputwin

namespace AscendC {

NPU_TMP_FORMS(NPU_BROADCAST)
#undef NPU_BROADCAST

#define NPU_TRANSPOSE(tmp_arg, ...)                                                                \
    template <typename T>                                                                          \
    inline void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src __VA_ARGS__,        \
                          TransposeType transposeType, ConfusionTransposeTiling &tiling,           \
                          npu_where where = NPU_HERE)                                              \
    {                                                                                              \
        static_assert(                                                                             \
            nputwin::is_one_of<T, int16_t, uint16_t, half, int32_t, uint32_t, float>,              \
            "Transpose: this element type is not supported, allowed are int16_t, uint16_t, half, " \
            "int32_t, uint32_t, float");                                                           \
        const uint64_t shape[4] = {tiling.param0, tiling.param1, tiling.param2, tiling.param3};    \
        nputwin::transpose(dst, src, transposeType, shape, {tmp_arg}, where);                      \
    }                                                                                              \
    template <typename T>                                                                          \
    inline void ConfusionTranspose(                                                                \
        const LocalTensor<T> &dst, const LocalTensor<T> &src __VA_ARGS__,                          \
        TransposeType transposeType, ConfusionTransposeTiling &tiling, npu_where where = NPU_HERE) \
    {                                                                                              \
        const uint64_t shape[4] = {tiling.param0, tiling.param1, tiling.param2, tiling.param3};    \
        nputwin::transpose(dst, src, transposeType, shape, {tmp_arg}, where);                      \
    }
NPU_TMP_FORMS(NPU_TRANSPOSE)
#undef NPU_TRANSPOSE

template <typename T, typename U> struct TransDataParams {
    T srcLayout;
    U dstLayout;
};

} // namespace AscendC

namespace nputwin {

/* Five axes of a tensor, and how far the neighbours along each stand apart; n and c are counted in
 * blocks of 16 as well. */
struct five_axes {
    uint64_t n1, n0, c1, c0, d, hw; /* steps in elements */
    uint64_t all;                   /* elements */
};
enum { FORMAT_BLOCK = 16, FORMAT_MOST = 1 << 20 };

/* Sizes of the axes; beyond 2^20 elements nothing fits in UB. */
struct format_size {
    uint64_t n, c, d, h, w;
    constexpr uint64_t c1() const { return (c + FORMAT_BLOCK - 1) / FORMAT_BLOCK; }
    constexpr uint64_t n1() const { return (n + FORMAT_BLOCK - 1) / FORMAT_BLOCK; }
    constexpr bool is_usable() const
    {
        return n && c && d && h && w && n < FORMAT_MOST && c < FORMAT_MOST && d < FORMAT_MOST &&
               h < FORMAT_MOST && w < FORMAT_MOST && n * c * d < FORMAT_MOST &&
               n * c * d * h * w < FORMAT_MOST;
    }
};
/* Rows of h * w elements stand at whole 32 bytes. */
inline five_axes axes_of_ncdhw(const format_size &s)
{
    const uint64_t row = (s.h * s.w + FORMAT_BLOCK - 1) / FORMAT_BLOCK * FORMAT_BLOCK;
    const uint64_t c = s.d * row, n = s.c * c;

    return {FORMAT_BLOCK * n, n, FORMAT_BLOCK * c, c, row, 1, s.n * n};
}
inline five_axes axes_of_ndc1hwc0(const format_size &s)
{
    const uint64_t c1 = s.h * s.w * FORMAT_BLOCK, d = s.c1() * c1, n = s.d * d;

    return {FORMAT_BLOCK * n, n, c1, 1, d, FORMAT_BLOCK, s.n * n};
}
inline five_axes axes_of_fractal(const format_size &s)
{
    const uint64_t n1 = FORMAT_BLOCK * FORMAT_BLOCK, hw = s.n1() * n1, c1 = s.h * s.w * hw;

    return {n1, FORMAT_BLOCK, c1, 1, s.c1() * c1, hw, s.d * s.c1() * c1};
}

/* Whole blocks of n and c, then what is left of them. */
template <class T>
inline void move_format(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                        const five_axes &to, const five_axes &from, const format_size &s,
                        const AscendC::LocalTensor<uint8_t> &tmp, npu_where where)
{
    const struct part {
        uint64_t first, n_blocks, rows;
    } n[2] = {{0, s.n / FORMAT_BLOCK, FORMAT_BLOCK}, {s.n / FORMAT_BLOCK, 1, s.n % FORMAT_BLOCK}},
      c[2] = {{0, s.c / FORMAT_BLOCK, FORMAT_BLOCK}, {s.c / FORMAT_BLOCK, 1, s.c % FORMAT_BLOCK}};

    for (const part &pn : n)
        for (const part &pc : c)
            strided(ROWS_TransData, dst, pn.first * to.n1 + pc.first * to.c1, src,
                    pn.first * from.n1 + pc.first * from.c1,
                    {{pn.n_blocks, to.n1, from.n1},
                     {pn.rows, to.n0, from.n0},
                     {pc.n_blocks, to.c1, from.c1},
                     {s.d, to.d, from.d},
                     {s.h * s.w, to.hw, from.hw},
                     {pc.rows, to.c0, from.c0}},
                    tmp, where);
}

/* The shape of a layout in that format, and whether its blocks are those of the five axes. */
template <AscendC::DataFormat format, class L> inline bool has_blocks(const L &l, format_size s)
{
    const auto &shape = l.GetShape();
    constexpr size_t n_dims = std::tuple_size_v<std::decay_t<decltype(shape)>>;

    if constexpr (format == AscendC::DataFormat::NDC1HWC0) {
        static_assert(n_dims == 6, "TransData: the layout of NDC1HWC0 has 6 dimensions");
        return uint64_t(std::get<0>(shape)) == s.n && uint64_t(std::get<1>(shape)) == s.d &&
               uint64_t(std::get<2>(shape)) == s.c1() && uint64_t(std::get<3>(shape)) == s.h &&
               uint64_t(std::get<4>(shape)) == s.w && uint64_t(std::get<5>(shape)) == FORMAT_BLOCK;
    } else {
        static_assert(n_dims == 7, "TransData: the layout of FRACTAL_Z_3D has 7 dimensions");
        return uint64_t(std::get<0>(shape)) == s.d && uint64_t(std::get<1>(shape)) == s.c1() &&
               uint64_t(std::get<2>(shape)) == s.h && uint64_t(std::get<3>(shape)) == s.w &&
               uint64_t(std::get<4>(shape)) == s.n1() &&
               uint64_t(std::get<5>(shape)) == FORMAT_BLOCK &&
               uint64_t(std::get<6>(shape)) == FORMAT_BLOCK;
    }
}
template <class L> inline format_size size_of_ncdhw(const L &l)
{
    const auto &s = l.GetShape();
    static_assert(std::tuple_size_v<std::decay_t<decltype(s)>> == 5,
                  "TransData: the layout of NCDHW has 5 dimensions");
    return {uint64_t(std::get<0>(s)), uint64_t(std::get<1>(s)), uint64_t(std::get<2>(s)),
            uint64_t(std::get<3>(s)), uint64_t(std::get<4>(s))};
}

template <const AscendC::TransDataConfig &config, class T, class U, class S>
inline void trans_data(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                       const AscendC::LocalTensor<uint8_t> &tmp,
                       const AscendC::TransDataParams<U, S> &p, npu_where where)
{
    using AscendC::DataFormat;
    constexpr bool splits = config.srcFormat == DataFormat::NCDHW;
    constexpr DataFormat blocked = splits ? config.dstFormat : config.srcFormat;
    static_assert((splits || config.dstFormat == DataFormat::NCDHW) &&
                      (blocked == DataFormat::NDC1HWC0 || blocked == DataFormat::FRACTAL_Z_3D),
                  "TransData: between NCDHW and NDC1HWC0 or FRACTAL_Z_3D, either way");
    static_assert(is_one_of<T, int16_t, uint16_t, half, bfloat16_t>,
                  "TransData: this element type is not supported, allowed are int16_t, uint16_t, "
                  "half, bfloat16_t");
    static_assert(AscendC::is_layout_v<std::remove_cv_t<U>> &&
                      AscendC::is_layout_v<std::remove_cv_t<S>>,
                  "TransData: srcLayout and dstLayout are made by MakeLayout");
    format_size size;
    bool fits;
    if constexpr (splits) {
        size = size_of_ncdhw(p.srcLayout);
        fits = has_blocks<blocked>(p.dstLayout, size);
    } else {
        size = size_of_ncdhw(p.dstLayout);
        fits = has_blocks<blocked>(p.srcLayout, size);
    }
    if (!fits || !size.is_usable()) {
        npu_fault(core(), NPU_E_ARG, where,
                  "TransData: n %u, c %u, d %u, h %u, w %u in NCDHW; the other layout has the same "
                  "n, d, h and w, ceil(c / 16) and, in FRACTAL_Z_3D, ceil(n / 16) blocks of 16",
                  uint32_t(size.n), uint32_t(size.c), uint32_t(size.d), uint32_t(size.h),
                  uint32_t(size.w));
        return;
    }
    const five_axes plain = axes_of_ncdhw(size);
    const five_axes blocks =
        blocked == DataFormat::NDC1HWC0 ? axes_of_ndc1hwc0(size) : axes_of_fractal(size);
    if constexpr (splits) {
        const bool is_padded =
            size.c % FORMAT_BLOCK || (blocked == DataFormat::FRACTAL_Z_3D && size.n % FORMAT_BLOCK);
        if (is_padded) /* channels and batches that fill a block are 0 */
            AscendC::Duplicate(dst, T(0), int32_t(blocks.all), where);
        move_format(dst, src, blocks, plain, size, tmp, where);
    } else {
        move_format(dst, src, plain, blocks, size, tmp, where);
    }
}

} // namespace nputwin

namespace AscendC {

#define NPU_TRANS_DATA(tmp_arg, ...)                                                               \
    template <const TransDataConfig &config, typename T, typename U, typename S>                   \
    inline void TransData(const LocalTensor<T> &dstTensor,                                         \
                          const LocalTensor<T> &srcTensor __VA_ARGS__,                             \
                          const TransDataParams<U, S> &params, npu_where where = NPU_HERE)         \
    {                                                                                              \
        nputwin::trans_data<config>(dstTensor, srcTensor, LocalTensor<uint8_t>{tmp_arg}, params,   \
                                    where);                                                        \
    }
NPU_TMP_FORMS(NPU_TRANS_DATA)
#undef NPU_TRANS_DATA

struct PadParams {
    uint16_t leftPad = 0, rightPad = 0; /* columns */
    int32_t padValue = 0;
};
struct UnPadParams {
    uint16_t leftPad = 0, rightPad = 0; /* columns; leftPad has no effect */
};

} // namespace AscendC

namespace nputwin {

template <class T>
inline void pad(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                const AscendC::PadParams &p, const PadTiling &tiling,
                const AscendC::LocalTensor<uint8_t> &tmp, npu_where where)
{
    constexpr uint64_t per = NPU_BLK_BYTES / sizeof(T);
    const uint64_t rows = tiling.srcHeight, width = tiling.srcWidth, used = tiling.srcOriWidth;
    const uint64_t padded = (width + per - 1) / per * per;
    const T value = T(p.padValue);

    if (used > width || p.leftPad + used + p.rightPad > padded || (width % per == 0 && p.leftPad)) {
        npu_fault(core(), NPU_E_ARG, where,
                  "Pad: leftPad %u and rightPad %u around %u of %u columns; together at most the "
                  "%u of whole 32 bytes, and rows of whole 32 bytes have no leftPad",
                  p.leftPad, p.rightPad, uint32_t(used), uint32_t(width), uint32_t(padded));
        return;
    }
    rows_call c(ROWS_Pad, mover_of<T>, mover_of<T>, where);
    c.writes(dst, rows * padded).tmp(tmp).reads(src, rows * width).bits(uint32_t(bits_of(value)));
    c.number(rows).number(width).number(padded).number(p.leftPad).number(used).issue();
}

template <class T>
inline void unpad(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                  const AscendC::UnPadParams &p, const UnPadTiling &tiling,
                  const AscendC::LocalTensor<uint8_t> &tmp, npu_where where)
{
    const uint64_t rows = tiling.srcHeight, width = tiling.srcWidth;

    if (p.rightPad * sizeof(T) >= NPU_BLK_BYTES || p.rightPad == 0 ||
        width * sizeof(T) % NPU_BLK_BYTES || p.rightPad >= width) {
        npu_fault(core(), NPU_E_ARG, where,
                  "UnPad: rightPad %u of %u columns; at least 1 and less than 32 bytes, from rows "
                  "of whole 32 bytes",
                  p.rightPad, uint32_t(width));
        return;
    }
    const uint64_t kept = width - p.rightPad;
    strided(ROWS_UnPad, dst, 0, src, 0, {{rows, kept, width}, {kept, 1, 1}}, tmp, where);
}

} // namespace nputwin

namespace AscendC {

#define NPU_PAD_TYPES(name)                                                                        \
    static_assert(nputwin::is_one_of<T, int16_t, uint16_t, half, int32_t, uint32_t, float>,        \
                  name ": this element type is not supported, allowed are int16_t, uint16_t, "     \
                       "half, int32_t, uint32_t, float")
template <typename T>
inline void Pad(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                PadParams &padParams, const LocalTensor<uint8_t> &sharedTmpBuffer,
                PadTiling &tiling, npu_where where = NPU_HERE)
{
    NPU_PAD_TYPES("Pad");
    nputwin::pad(dstTensor, srcTensor, padParams, tiling, sharedTmpBuffer, where);
}
template <typename T>
inline void Pad(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                PadParams &padParams, PadTiling &tiling, npu_where where = NPU_HERE)
{
    NPU_PAD_TYPES("Pad");
    nputwin::pad(dstTensor, srcTensor, padParams, tiling, LocalTensor<uint8_t>(), where);
}
template <typename T>
inline void UnPad(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                  UnPadParams &unPadParams, LocalTensor<uint8_t> &sharedTmpBuffer,
                  UnPadTiling &tiling, npu_where where = NPU_HERE)
{
    NPU_PAD_TYPES("UnPad");
    nputwin::unpad(dstTensor, srcTensor, unPadParams, tiling, sharedTmpBuffer, where);
}
template <typename T>
inline void UnPad(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                  UnPadParams &unPadParams, UnPadTiling &tiling, npu_where where = NPU_HERE)
{
    NPU_PAD_TYPES("UnPad");
    nputwin::unpad(dstTensor, srcTensor, unPadParams, tiling, LocalTensor<uint8_t>(), where);
}
#undef NPU_PAD_TYPES

} // namespace AscendC

namespace nputwin {

/* One value into GM from a cube core, whose memory is L1: its top, where a TPipe hands out last. */
template <class T>
inline void fill_gm_by_l1(npu_core *c, const AscendC::GlobalTensor<T> &gm, uint64_t size, T value,
                          npu_where where)
{
    constexpr uint32_t room = 32768;
    const uint32_t at = c->mem[MEM_L1].bytes - room;
    const AscendC::LocalTensor<T> some(
        reinterpret_cast<AscendC::PrimT<T> *>(c->mem[MEM_L1].base + at), room,
        AscendC::TPosition::A1);
    uint64_t word = 0;
    for (size_t i = 0; i < sizeof(word); i += sizeof(T))
        std::memcpy(reinterpret_cast<uint8_t *>(&word) + i, &value, sizeof(T));
    npu_insn in = cube_insn(OP_fill_l1, TYPE_u32, local_ref(c, some), local_ref(c, some), where);
    in.n_burst = 1;
    in.burst_bytes = room;
    in.scalar = uint32_t(word);
    npu_issue(c, &in);
    npu_barrier(c, PIPE_ALL, where);
    for (uint64_t done = 0, bytes = size * sizeof(T); done < bytes; done += room) {
        const uint32_t n = uint32_t(bytes - done < room ? bytes - done : room);
        cube_bursts(c, OP_copy_l1_to_gm, TYPE_u8,
                    gm_ref(reinterpret_cast<const uint8_t *>(gm.raw()) + done), local_ref(c, some),
                    {1, n, 0, 0}, where);
    }
    npu_barrier(c, PIPE_ALL, where);
    npu_let_begin(c);
}

} // namespace nputwin

namespace AscendC {

template <typename T>
inline void Fill(GlobalTensor<T> &gmWorkspaceAddr, const uint64_t size, const T value,
                 npu_where where = NPU_HERE);
/* The older name of Fill. */
template <typename T>
inline void InitGlobalMemory(GlobalTensor<T> &gmWorkspaceAddr, const uint64_t size, const T value,
                             npu_where where = NPU_HERE)
{
    Fill(gmWorkspaceAddr, size, value, where);
}
/* Fills size elements of GM. Works through the bottom of UB, so it comes before InitBuffer. */
template <typename T>
inline void Fill(GlobalTensor<T> &gmWorkspaceAddr, const uint64_t size, const T value,
                 npu_where where)
{
    static_assert(nputwin::is_one_of<T, uint16_t, int16_t, half, uint32_t, int32_t, float>,
                  "Fill: this element type is not supported, allowed are uint16_t, int16_t, half, "
                  "uint32_t, int32_t, float");
    constexpr uint64_t most = 65536 / sizeof(T);
    if (nputwin::core()->core_kind == CORE_AIC) {
        nputwin::fill_gm_by_l1(nputwin::core(), gmWorkspaceAddr, size, value, where);
        return;
    }
    const LocalTensor<T> some(TPosition::VECCALC, 0, uint32_t(most));
    Duplicate(some, value, int32_t(size < most ? size : most), where);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0, where);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0, where);
    for (uint64_t at = 0; at < size; at += most) {
        const uint64_t n = size - at < most ? size - at : most;
        DataCopyPad(gmWorkspaceAddr[at], some,
                    DataCopyExtParams(1, uint32_t(n * sizeof(T)), 0, 0, 0), where);
    }
    npu_let_begin(nputwin::core());
}

/* The older name, for kernels with a TPipe: works through what InitBuffer has left of UB. */
template <typename T>
inline void InitOutput(GlobalTensor<T> gmWorkspaceAddr, uint32_t size, T value = T(0),
                       npu_where where = NPU_HERE)
{
    constexpr uint32_t most = 65536 / sizeof(T);
    LocalTensor<T> rest;
    if (nputwin::core()->core_kind == CORE_AIC) {
        nputwin::fill_gm_by_l1(nputwin::core(), gmWorkspaceAddr, size, value, where);
        return;
    }
    if (!PopStackBuffer<T, TPosition::LCM>(rest, where))
        return;
    const uint32_t room = rest.GetSize() < most ? rest.GetSize() : most;
    Duplicate(rest, value, int32_t(size < room ? size : room), where);
    PipeBarrier<PIPE_ALL>(where);
    for (uint32_t at = 0; at < size; at += room) {
        const uint32_t n = size - at < room ? size - at : room;
        DataCopyPad(gmWorkspaceAddr[at], rest,
                    DataCopyExtParams(1, n * uint32_t(sizeof(T)), 0, 0, 0), where);
    }
    PipeBarrier<PIPE_ALL>(where);
    npu_let_begin(nputwin::core());
}

} // namespace AscendC
#endif
