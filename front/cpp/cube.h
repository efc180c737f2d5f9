/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cube.h - LoadData, Fill, Mmad, Fixpipe and what configures them.
 *
 * A tensor's position says which memory it lies in; the calls become one npu_insn each, with every
 * stride in bytes. unitFlag and the directions of SetMMColumnMajor only order a product and its way
 * out, which the flags of a kernel do here.
 */
#ifndef NPU_FRONT_CUBE_H
#define NPU_FRONT_CUBE_H
#include "copy.h"
#include "cube_types.h"

namespace nputwin {

template <class T> constexpr bool is_nibble = std::is_same_v<T, int4b_t>;
template <class T> constexpr uint32_t c0_of = is_nibble<T> ? 64 : NPU_BLK_BYTES / sizeof(T);

/* The row of T in vec.def and cube.def; 4-bit integers count as bytes. */
template <class T> constexpr npu_type cube_type()
{
    if constexpr (is_nibble<T>)
        return TYPE_s8;
    else
        return type_of<T>;
}

inline npu_insn cube_insn(npu_op op, npu_type type, const npu_ref &dst, const npu_ref &src,
                          npu_where where)
{
    npu_insn in = {};
    in.kind = KIND_OP;
    in.op = op;
    in.type = in.dst_type = type;
    in.ref[0] = dst;
    in.ref[1] = src;
    in.where = where;
    return in;
}
/* False, with a fault, when a tensor lies elsewhere than a call can reach. */
inline bool lies_in(npu_core *c, const char *call, const char *operand, const npu_ref &r,
                    uint32_t mems, const char *allowed, npu_where where)
{
    if (NPU_LIKELY(mems >> r.mem & 1))
        return true;
    npu_fault(c, NPU_E_ARG, where, "%s: %s lies in %s; it may lie in %s", call, operand,
              npu_mems[r.mem].name, allowed);
    return false;
}
constexpr uint32_t mem_bit(npu_mem m) { return 1u << m; }
constexpr uint32_t L0AB = mem_bit(MEM_L0A) | mem_bit(MEM_L0B);

template <class T>
inline void load_fractals(const AscendC::LocalTensor<T> &dst, const npu_ref &src,
                          const AscendC::LoadData2DParams &p, npu_where where)
{
    using P = AscendC::PrimT<T>;
    npu_core *c = core();
    const bool from_gm = src.mem == MEM_GM;
    npu_insn in =
        cube_insn(from_gm ? OP_load2d_gm : OP_load2d, mover_of<P>, local_ref(c, dst), src, where);
    if (!lies_in(c, "LoadData", "dst", in.ref[0], from_gm ? L0AB | mem_bit(MEM_L1) : L0AB,
                 from_gm ? "L1, L0A or L0B" : "L0A or L0B", where))
        return;
    if (NPU_UNLIKELY(p.ifTranspose && (sizeof(P) != 2 || from_gm))) {
        npu_fault(c, NPU_E_ARG, where,
                  "LoadData with ifTranspose: elements of %u bytes%s; it turns fractals of 16-bit "
                  "elements from L1; LoadDataWithTranspose takes others",
                  unsigned(sizeof(P)), from_gm ? " from GM" : "");
        return;
    }
    const int32_t step = p.srcStride * NPU_FRACTAL_BYTES;
    in.ref[1].at_bytes += uint64_t(p.startIndex) * NPU_FRACTAL_BYTES;
    in.cube.fractals = {p.repeatTimes,
                        p.addrMode ? -step : step,
                        (p.dstGap + 1u) * NPU_FRACTAL_BYTES,
                        0,
                        p.ifTranspose,
                        false};
    npu_issue_cube(c, &in);
}

} // namespace nputwin

namespace AscendC {

template <typename T>
inline void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                     const LoadData2DParams &loadDataParams, npu_where where = NPU_HERE)
{
    npu_core *c = nputwin::core();
    const npu_ref from = nputwin::local_ref(c, src);
    if (nputwin::lies_in(c, "LoadData", "src", from, nputwin::mem_bit(MEM_L1), "L1 or GM", where))
        nputwin::load_fractals(dst, from, loadDataParams, where);
}
template <typename T>
inline void LoadData(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                     const LoadData2DParams &loadDataParams, npu_where where = NPU_HERE)
{
    nputwin::load_fractals(dst, nputwin::gm_ref(src.raw()), loadDataParams, where);
}
template <typename T>
inline void LoadData(const LocalTensor<T> &, const LocalTensor<T> &, const LoadData2DParamsV2 &)
{
    static_assert(!std::is_same_v<T, T>, "LoadData with LoadData2DParamsV2: dav-3510 only");
}
template <typename T>
inline void LoadDataWithTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                  const LoadData2dTransposeParams &loadDataParams,
                                  npu_where where = NPU_HERE)
{
    using P = PrimT<T>;
    constexpr bool nibbles = nputwin::is_nibble<P>;
    static_assert(nibbles || sizeof(P) == 1 || sizeof(P) == 2 || sizeof(P) == 4,
                  "LoadDataWithTranspose takes elements of 4, 8, 16 and 32 bits");
    constexpr int32_t square = NPU_FRACTAL_BYTES * (nibbles ? 4 : sizeof(P) == 2 ? 1 : 2);
    const LoadData2dTransposeParams &p = loadDataParams;
    npu_core *c = nputwin::core();
    npu_insn in = nputwin::cube_insn(OP_load2dt, nputwin::mover_of<P>, nputwin::local_ref(c, dst),
                                     nputwin::local_ref(c, src), where);
    if (!nputwin::lies_in(c, "LoadDataWithTranspose", "dst", in.ref[0], nputwin::L0AB, "L0A or L0B",
                          where) ||
        !nputwin::lies_in(c, "LoadDataWithTranspose", "src", in.ref[1], nputwin::mem_bit(MEM_L1),
                          "L1", where))
        return;
    in.ref[1].at_bytes += uint64_t(p.startIndex) * square;
    in.cube.fractals = {p.repeatTimes,
                        p.addrMode ? -p.srcStride * square : p.srcStride * square,
                        (p.dstGap + 1u) * NPU_FRACTAL_BYTES,
                        (p.dstFracGap + 1u) * NPU_FRACTAL_BYTES,
                        true,
                        nibbles};
    npu_issue_cube(c, &in);
}

/* Fractals one after the other, each with the 128 bytes of its index. */
template <typename T = int8_t, typename U = uint8_t>
inline void LoadDataWithSparse(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                               const LocalTensor<U> &idx, const LoadData2dParams &loadDataParam,
                               npu_where where = NPU_HERE)
{
    static_assert(std::is_same_v<PrimT<T>, int8_t> && std::is_same_v<PrimT<U>, uint8_t>,
                  "LoadDataWithSparse: int8_t with an index of uint8_t");
    npu_core *c = nputwin::core();
    npu_insn in = nputwin::cube_insn(OP_load2d_sparse, TYPE_s8, nputwin::local_ref(c, dst),
                                     nputwin::local_ref(c, src), where);
    in.ref[2] = nputwin::local_ref(c, idx);
    constexpr uint32_t in_l1 = nputwin::mem_bit(MEM_L1);
    if (!nputwin::lies_in(c, "LoadDataWithSparse", "dst", in.ref[0], nputwin::mem_bit(MEM_L0B),
                          "L0B (B2)", where) ||
        !nputwin::lies_in(c, "LoadDataWithSparse", "src", in.ref[1], in_l1, "L1 (B1)", where) ||
        !nputwin::lies_in(c, "LoadDataWithSparse", "idx", in.ref[2], in_l1, "L1 (B1)", where))
        return;
    in.ref[1].at_bytes += uint64_t(loadDataParam.startIndex) * NPU_FRACTAL_BYTES;
    in.ref[2].at_bytes += uint64_t(loadDataParam.startIndex) * NPU_INDEX_BYTES;
    in.cube.fractals = {};
    in.cube.fractals.n_repeat = loadDataParam.repeatTimes;
    npu_issue_cube(c, &in);
}

/* ---- image to columns ---------------------------------------------------------------- */

inline void SetFmatrix(uint16_t l1H, uint16_t l1W, const uint8_t padList[4],
                       const FmatrixMode &fmatrixMode, npu_where where = NPU_HERE)
{
    npu_cube_regs &r = nputwin::core()->regs.cube;
    const unsigned side = unsigned(fmatrixMode);
    if (NPU_UNLIKELY(side > 1)) {
        npu_fault(nputwin::core(), NPU_E_ARG, where,
                  "SetFmatrix: fmatrixMode %u; FMATRIX_LEFT (0) or FMATRIX_RIGHT (1)", side);
        return;
    }
    if (NPU_UNLIKELY(l1H > INT16_MAX || l1W > INT16_MAX)) {
        npu_fault(nputwin::core(), NPU_E_ARG, where,
                  "SetFmatrix: an image of %u x %u (height x width); each is at most %d", l1H, l1W,
                  INT16_MAX);
        return;
    }
    r.image_h[side] = l1H;
    r.image_w[side] = l1W;
    std::memcpy(r.pad[side], padList, sizeof(r.pad[side]));
}
template <typename T> inline void SetLoadDataPaddingValue(const T padValue)
{
    nputwin::core()->regs.cube.pad_value = nputwin::bits_of(padValue);
}
inline void SetLoadDataBoundary(uint32_t boundaryValue, npu_where where = NPU_HERE)
{
    enum { LEAST = 1024 };
    npu_core *c = nputwin::core();
    if (NPU_UNLIKELY((boundaryValue && boundaryValue < LEAST) ||
                     boundaryValue > c->mem[MEM_L1].bytes)) {
        npu_fault(c, NPU_E_ARG, where,
                  "SetLoadDataBoundary: %u bytes; 0, or %d to the %u bytes of L1", boundaryValue,
                  LEAST, c->mem[MEM_L1].bytes);
        return;
    }
    nputwin::core()->regs.cube.boundary_bytes = boundaryValue;
}
inline void SetLoadDataRepeat(const LoadDataRepeatParam &repeatParams)
{
    npu_cube_regs &r = nputwin::core()->regs.cube;
    r.repeat_stride = repeatParams.repeatStride;
    r.repeats_columns = repeatParams.repeatMode != 0;
    r.repeats_none = repeatParams.repeatTime == 0;
    r.n_repeat_less_1 = uint8_t(repeatParams.repeatTime ? repeatParams.repeatTime - 1 : 0);
}

} // namespace AscendC

namespace nputwin {

/* Size and padding of the image, as SetFmatrix said them for that side. */
inline void image_of(npu_image &i, bool is_right)
{
    const npu_cube_regs &r = core()->regs.cube;
    i.h = r.image_h[is_right];
    i.w = r.image_w[is_right];
    i.pad_left = r.pad[is_right][0];
    i.pad_right = r.pad[is_right][1];
    i.pad_top = r.pad[is_right][2];
    i.pad_bottom = r.pad[is_right][3];
}
template <class T>
inline void load_image(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                       npu_image p, uint64_t pad_value, npu_where where)
{
    using P = AscendC::PrimT<T>;
    npu_core *c = core();
    const npu_cube_regs &r = c->regs.cube;
    npu_insn in = cube_insn(OP_load3d, mover_of<P>, local_ref(c, dst), local_ref(c, src), where);
    if (!lies_in(c, "LoadData (3D)", "dst", in.ref[0], L0AB, "L0A or L0B", where) ||
        !lies_in(c, "LoadData (3D)", "src", in.ref[1], mem_bit(MEM_L1), "L1", where))
        return;
    const bool to_b = in.ref[0].mem == MEM_L0B;
    if (NPU_UNLIKELY(sizeof(P) == 1 && (to_b || p.transposes))) {
        npu_fault(c, NPU_E_UNSUP, where,
                  "LoadData (3D) of 8-bit elements: into L0A and not transposed only");
        return;
    }
    const uint32_t rest = p.channels % c0_of<P>;
    constexpr uint32_t least = is_nibble<P> ? 8 : 4; /* of a last plane: 4, 8, 16 .. channels */
    if (NPU_UNLIKELY((rest && (rest < least || (rest & (rest - 1)))) || p.column0 % c0_of<P>)) {
        npu_fault(c, NPU_E_ARG, where,
                  "LoadData (3D): channelSize %u and kStartPt %u; channels are multiples of %u and "
                  "%u, %u .. beyond them, kStartPt is a multiple of %u, the elements of 32 bytes",
                  p.channels, p.column0, c0_of<P>, least, 2 * least, c0_of<P>);
        return;
    }
    if (is_nibble<P>) { /* two a byte: columns of bytes */
        p.channels /= 2;
        p.columns = uint16_t((p.columns + 1) / 2);
        p.column0 /= 2;
    }
    p.repeat_stride = r.repeat_stride;
    p.repeats_columns = r.repeats_columns;
    p.n_repeat = uint8_t(r.repeats_none ? 0 : r.n_repeat_less_1 + 1);
    p.boundary_bytes = r.boundary_bytes;
    in.cube.image = p;
    in.scalar = pad_value;
    if (p.n_repeat && p.h && p.w && p.channels && p.columns && p.rows && p.filter_w && p.filter_h)
        npu_issue_cube(c, &in);
}

} // namespace nputwin

namespace AscendC {

template <typename T, const IsResetLoad3dConfig &defaultConfig = IS_RESER_LOAD3D_DEFAULT_CONFIG,
          typename U = PrimT<T>, std::enable_if_t<std::is_same_v<PrimT<T>, U>, bool> = true>
inline void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                     const LoadData3DParamsV2<U> &loadDataParams, npu_where where = NPU_HERE)
{
    const LoadData3DParamsV2<U> &p = loadDataParams;
    npu_cube_regs &r = nputwin::core()->regs.cube;
    if constexpr (defaultConfig.isSetFMatrix)
        SetFmatrix(p.l1H, p.l1W, p.padList, FmatrixMode(p.fMatrixCtrl), where);
    if constexpr (defaultConfig.isSetPadding)
        r.pad_value = nputwin::bits_of(p.padValue);
    npu_image i = {};
    nputwin::image_of(i, p.fMatrixCtrl);
    i.channels = p.channelSize;
    i.columns = p.kExtension;
    i.rows = p.mExtension;
    i.column0 = p.kStartPt;
    i.row0 = p.mStartPt;
    i.stride_w = p.strideW;
    i.stride_h = p.strideH;
    i.filter_w = uint16_t(p.filterW + (p.filterSizeW ? 256 : 0));
    i.filter_h = uint16_t(p.filterH + (p.filterSizeH ? 256 : 0));
    i.dilation_w = p.dilationFilterW;
    i.dilation_h = p.dilationFilterH;
    i.transposes = p.enTranspose;
    nputwin::load_image(dst, src, i, r.pad_value, where);
}
/* The same with the numbers packed; image, padding and its value are those set before. */
template <typename T>
inline void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                     const LoadData3DParamsV2Pro &loadDataParams, npu_where where = NPU_HERE)
{
    const uint64_t ext = loadDataParams.extConfig, filter = loadDataParams.filterConfig;
    static constexpr IsResetLoad3dConfig keeps = {false, false};
    LoadData3DParamsV2<PrimT<T>> p;
    p.channelSize = loadDataParams.channelSize;
    p.kExtension = uint16_t(ext);
    p.mExtension = uint16_t(ext >> 16);
    p.kStartPt = uint16_t(ext >> 32);
    p.mStartPt = uint16_t(ext >> 48);
    p.strideW = uint8_t(filter);
    p.strideH = uint8_t(filter >> 8);
    p.filterW = uint8_t(filter >> 16);
    p.filterH = uint8_t(filter >> 24);
    p.dilationFilterW = uint8_t(filter >> 32);
    p.dilationFilterH = uint8_t(filter >> 40);
    p.enTranspose = loadDataParams.enTranspose;
    p.filterSizeW = loadDataParams.filterSizeW;
    p.filterSizeH = loadDataParams.filterSizeH;
    p.fMatrixCtrl = loadDataParams.fMatrixCtrl;
    LoadData<T, keeps>(dst, src, p, where);
}

/* ---- one value ----------------------------------------------------------------------- */

template <typename T, typename U = PrimT<T>,
          std::enable_if_t<std::is_same_v<PrimT<T>, U>, bool> = true>
inline void Fill(const LocalTensor<T> &dst, const InitConstValueParams<U> &initConstValueParams,
                 npu_where where = NPU_HERE)
{
    static_assert(sizeof(U) == 2 || sizeof(U) == 4,
                  "Fill takes int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t and float");
    const InitConstValueParams<U> &p = initConstValueParams;
    npu_core *c = nputwin::core();
    const npu_ref to = nputwin::local_ref(c, dst);
    const uint32_t block = to.mem == MEM_L1 ? uint32_t(NPU_BLK_BYTES) : uint32_t(NPU_FRACTAL_BYTES);
    if (!nputwin::lies_in(c, "Fill", "dst", to, nputwin::L0AB | nputwin::mem_bit(MEM_L1),
                          "L1, L0A or L0B", where))
        return;
    npu_insn in = nputwin::cube_insn(to.mem == MEM_L1 ? OP_fill_l1 : OP_fill_l0,
                                     nputwin::type_of<U>, to, to, where);
    in.n_burst = p.repeatTimes;
    in.burst_bytes = p.blockNum * block;
    in.dst_gap_bytes = int64_t(p.dstGap) * block;
    in.scalar = nputwin::bits_of(p.initValue);
    if (in.n_burst && in.burst_bytes)
        npu_issue_cube(c, &in);
}
template <typename T, typename U = PrimT<T>,
          std::enable_if_t<std::is_same_v<PrimT<T>, U>, bool> = true>
inline void InitConstValue(const LocalTensor<T> &dst,
                           const InitConstValueParams<U> &initConstValueParams,
                           npu_where where = NPU_HERE)
{
    Fill<T, U>(dst, initConstValueParams, where);
}

/* ---- product ------------------------------------------------------------------------- */

inline void SetHF32Mode(HF32Mode mode)
{
    nputwin::core()->regs.cube.is_hf32 = mode == HF32Mode::ENABLE;
}
inline void SetHF32Mode(bool hf32Mode) { nputwin::core()->regs.cube.is_hf32 = hf32Mode; }
inline void SetHF32TransMode(HF32TransMode mode)
{
    nputwin::core()->regs.cube.is_hf32_zero = mode == HF32TransMode::NEAREST_ZERO;
}
inline void SetHF32TransMode(bool hf32TransMode)
{
    nputwin::core()->regs.cube.is_hf32_zero = hf32TransMode;
}
inline void SetMMColumnMajor() { nputwin::core()->regs.cube.is_column_major = true; }
inline void SetMMRowMajor() { nputwin::core()->regs.cube.is_column_major = false; }
inline void SetMMLayoutTransform(bool mmLayoutMode)
{
    nputwin::core()->regs.cube.is_column_major = mmLayoutMode;
}

} // namespace AscendC

namespace nputwin {

template <class C, class A, class B> constexpr bool multiplies()
{
    constexpr bool ints = std::is_same_v<A, int8_t> || is_nibble<A>;
    constexpr bool floats =
        std::is_same_v<A, half> || std::is_same_v<A, bfloat16_t> || std::is_same_v<A, float>;
    return std::is_same_v<A, B> &&
           ((ints && std::is_same_v<C, int32_t>) || (floats && std::is_same_v<C, float>));
}
/* What a sum begins with when the call names no bias. */
inline npu_mmad_init init_of(const AscendC::MmadParams &p)
{
    return p.isBias           ? MMAD_ADDS
           : p.cmatrixInitVal ? MMAD_ZERO
           : p.cmatrixSource  ? MMAD_BIAS
                              : MMAD_ADDS;
}
template <class T, class U, class S>
inline void multiply(const char *call, const AscendC::LocalTensor<T> &dst,
                     const AscendC::LocalTensor<U> &fm, const AscendC::LocalTensor<S> &filter,
                     const AscendC::MmadParams &p, npu_mmad_init init, const npu_ref &bias,
                     bool is_sparse, npu_where where)
{
    using A = AscendC::PrimT<U>;
    static_assert(multiplies<AscendC::PrimT<T>, A, AscendC::PrimT<S>>(),
                  "Mmad on this chip: half, bfloat16_t or float, both sides the same, into float; "
                  "int8_t or int4b_t into int32_t");
    npu_core *c = core();
    npu_insn in = cube_insn(OP_mmad, cube_type<A>(), local_ref(c, dst), local_ref(c, fm), where);
    in.ref[2] = local_ref(c, filter);
    in.sel = bias;
    if (!lies_in(c, call, "dst", in.ref[0], mem_bit(MEM_L0C), "L0C (CO1)", where) ||
        !lies_in(c, call, "fm", in.ref[1], mem_bit(MEM_L0A), "L0A (A2)", where) ||
        !lies_in(c, call, "filter", in.ref[2], mem_bit(MEM_L0B), "L0B (B2)", where))
        return;
    if (NPU_UNLIKELY(p.m > NPU_CUBE_MOST || p.n > NPU_CUBE_MOST || p.k > NPU_CUBE_MOST)) {
        npu_fault(c, NPU_E_ARG, where, "%s: m %u, n %u, k %u; each is at most %d", call, p.m, p.n,
                  p.k, NPU_CUBE_MOST);
        return;
    }
    const npu_cube_regs &r = c->regs.cube;
    const bool is_float = std::is_same_v<A, float>;
    in.cube.mmad = {p.m,
                    p.n,
                    p.k,
                    uint8_t(init),
                    uint8_t(!is_float || !r.is_hf32 ? HF32_OFF
                            : r.is_hf32_zero        ? HF32_ZERO
                                                    : HF32_EVEN),
                    is_nibble<A>,
                    is_float && p.kDirectionAlign,
                    is_sparse,
                    p.m == 1 && !is_sparse};
    if (p.m && p.n && p.k)
        npu_issue_cube(c, &in);
}

} // namespace nputwin

namespace AscendC {

/* dst = fm x filter, on top of nothing, of dst, or of the bias table from its start. */
template <typename T, typename U, typename S>
inline void Mmad(const LocalTensor<T> &dst, const LocalTensor<U> &fm, const LocalTensor<S> &filter,
                 const MmadParams &mmadParams, npu_where where = NPU_HERE)
{
    npu_ref bias = {};
    bias.mem = MEM_BT;
    nputwin::multiply("Mmad", dst, fm, filter, mmadParams, nputwin::init_of(mmadParams), bias,
                      false, where);
}
/* Of each four rows of the right matrix, two: LoadDataWithSparse brought them and which they are.
 */
template <typename T = int32_t, typename U = int8_t>
inline void MmadWithSparse(const LocalTensor<T> &dst, const LocalTensor<U> &fm,
                           const LocalTensor<U> &filter, const MmadParams &mmadParams,
                           npu_where where = NPU_HERE)
{
    static_assert(std::is_same_v<PrimT<T>, int32_t> && std::is_same_v<PrimT<U>, int8_t>,
                  "MmadWithSparse: int8_t into int32_t");
    npu_ref bias = {};
    bias.mem = MEM_BT;
    nputwin::multiply("MmadWithSparse", dst, fm, filter, mmadParams, nputwin::init_of(mmadParams),
                      bias, true, where);
}
/* On top of a bias: n elements in the bias table, added to every row. */
template <typename T, typename U, typename S, typename V>
inline void Mmad(const LocalTensor<T> &dst, const LocalTensor<U> &fm, const LocalTensor<S> &filter,
                 const LocalTensor<V> &bias, const MmadParams &mmadParams,
                 npu_where where = NPU_HERE)
{
    static_assert(!nputwin::is_nibble<PrimT<U>>, "Mmad with a bias does not take int4b_t");
    static_assert(std::is_same_v<PrimT<T>, PrimT<V>>,
                  "Mmad: the bias has the type of dst, float or int32_t");
    npu_core *c = nputwin::core();
    const npu_ref from = nputwin::local_ref(c, bias);
    if (nputwin::lies_in(c, "Mmad", "bias", from,
                         nputwin::mem_bit(MEM_BT) | nputwin::mem_bit(MEM_L0C),
                         "the bias table (C2) or L0C (CO1)", where))
        nputwin::multiply("Mmad", dst, fm, filter, mmadParams,
                          from.mem == MEM_BT ? MMAD_BIAS : MMAD_ADDS, from, false, where);
}

/* ---- out of L0C ---------------------------------------------------------------------- */

inline void SetFixpipePreQuantFlag(uint64_t config) { nputwin::core()->regs.cube.quant = config; }
inline void SetFixpipeNz2ndFlag(uint16_t ndNum, uint16_t srcNdStride, uint16_t dstNdStride)
{
    npu_cube_regs &r = nputwin::core()->regs.cube;
    r.n_nd = ndNum;
    r.src_nd_step = srcNdStride;
    r.dst_nd_step = dstNdStride;
}
/* A parameter a column, in the fixpipe buffer. In L0C: only clears unit flags, which are none here.
 */
template <typename T, bool setRelu = false>
inline void SetFixPipeConfig(const LocalTensor<T> &preData, bool = false)
{
    static_assert(!setRelu, "SetFixPipeConfig: setRelu is false on this chip");
    npu_core *c = nputwin::core();
    const npu_ref r = nputwin::local_ref(c, preData);
    if (r.mem == MEM_FB)
        c->regs.cube.quant_at = uint32_t(r.at_bytes);
}
template <typename T>
inline void SetFixPipeConfig(const LocalTensor<T> &, const LocalTensor<T> &quantPre,
                             bool isUnitFlag = false)
{
    SetFixPipeConfig<T, false>(quantPre, isUnitFlag);
}

} // namespace AscendC

namespace nputwin {

/* What a mode makes of which sums; the result's own type decides between int8_t and uint8_t. */
template <class T, class U> inline bool quant_fits(QuantMode_t q)
{
    constexpr bool from_float = std::is_same_v<U, float>;
    constexpr bool bytes = std::is_same_v<T, int8_t> || std::is_same_v<T, uint8_t>;
    switch (q) {
    case QuantMode_t::NoQuant:
        return std::is_same_v<T, U>;
    case QuantMode_t::F322F16:
        return from_float && std::is_same_v<T, half>;
    case QuantMode_t::F322BF16:
        return from_float && std::is_same_v<T, bfloat16_t>;
    case QuantMode_t::DEQF16:
    case QuantMode_t::VDEQF16:
        return !from_float && std::is_same_v<T, half>;
    case QuantMode_t::QF322B8_PRE:
    case QuantMode_t::VQF322B8_PRE:
        return from_float && bytes;
    case QuantMode_t::REQ8:
    case QuantMode_t::VREQ8:
        return !from_float && bytes;
    default:
        return false;
    }
}
inline bool is_vector_quant(QuantMode_t q)
{
    return q == QuantMode_t::VDEQF16 || q == QuantMode_t::VQF322B8_PRE || q == QuantMode_t::VREQ8;
}
constexpr const char *quant_name(QuantMode_t q)
{
    constexpr const char *names[] = {
#define NPU_MODE(name) #name,
        NPU_QUANT_MODES(NPU_MODE)
#undef NPU_MODE
    };
    return unsigned(q) < sizeof(names) / sizeof(*names) ? names[int(q)] : "?";
}

struct out_of_l0c {
    const char *call;
    uint32_t n, m, src_stride, dst_stride, n_nd, src_nd_stride, dst_nd_stride;
    QuantMode_t quant;
    uint64_t scalar;
    uint32_t quant_at; /* byte of FB */
    bool relu, to_nd, splits;
    float leak = 0; /* of a negative one under relu */
};
/* What the pages ask of sizes and layouts. */
inline bool is_out_legal(npu_core *c, const out_of_l0c &o, bool to_nd, bool to_l1, bool is_narrow,
                         npu_where where)
{
    enum { MOST_ROWS_ND = 8192 };
    const bool splits = o.splits && !to_l1;
    const uint32_t of = splits ? 8 : 16;
    if (NPU_UNLIKELY(splits && (is_narrow || to_nd))) {
        npu_fault(c, NPU_E_ARG, where, "%s: isChannelSplit is for float in NZ layout", o.call);
        return false;
    }
    if (NPU_UNLIKELY(to_l1 && o.quant == QuantMode_t::NoQuant)) {
        npu_fault(c, NPU_E_TYPE, where,
                  "%s: quantPre NoQuant into L1; there go half, bfloat16_t, int8_t and uint8_t",
                  o.call);
        return false;
    }
    if (NPU_UNLIKELY(o.n > NPU_CUBE_MOST)) {
        npu_fault(c, NPU_E_ARG, where, "%s: nSize %u; at most %d", o.call, o.n, NPU_CUBE_MOST);
        return false;
    }
    if (NPU_UNLIKELY(!to_nd && o.n % of)) {
        npu_fault(c, NPU_E_ARG, where, "%s: nSize %u; columns of fractals take multiples of %u",
                  o.call, o.n, of);
        return false;
    }
    if (NPU_UNLIKELY(to_nd && o.m > MOST_ROWS_ND)) {
        npu_fault(c, NPU_E_ARG, where, "%s: mSize %u; at most %d into rows", o.call, o.m,
                  MOST_ROWS_ND);
        return false;
    }
    return true;
}
template <class T, class U>
inline void fixpipe(const npu_ref &dst, const AscendC::LocalTensor<U> &src, const out_of_l0c &o,
                    npu_where where)
{
    using To = AscendC::PrimT<T>;
    using From = AscendC::PrimT<U>;
    static_assert(std::is_same_v<From, float> || std::is_same_v<From, int32_t>,
                  "Fixpipe: sums in L0C are float or int32_t");
    constexpr uint32_t column = 16 * sizeof(float);
    npu_core *c = core();
    npu_insn in = cube_insn(OP_fixpipe, type_of<From>, dst, local_ref(c, src), where);
    if (!lies_in(c, o.call, "src", in.ref[1], mem_bit(MEM_L0C), "L0C (CO1)", where) ||
        !lies_in(c, o.call, "dst", dst, mem_bit(MEM_GM) | mem_bit(MEM_L1), "GM or L1", where))
        return;
    if (NPU_UNLIKELY((!quant_fits<To, From>(o.quant)))) {
        npu_fault(c, NPU_E_TYPE, where, "%s: quantPre %s does not make %s of %s", o.call,
                  quant_name(o.quant), npu_types[type_of<To>].name, npu_types[type_of<From>].name);
        return;
    }
    /* Into L1 there are only columns of fractals, whatever the call says of layouts. */
    const bool to_l1 = dst.mem == MEM_L1, to_nd = o.to_nd && !to_l1, splits = o.splits && !to_l1;
    if (NPU_UNLIKELY(!is_out_legal(c, o, to_nd, to_l1, sizeof(To) != 4, where)))
        return;
    in.dst_type = type_of<To>;
    in.scalar = o.scalar;
    in.cube.fix.m = uint16_t(o.m);
    in.cube.fix.n = uint16_t(o.n);
    in.cube.fix.n_nd = uint16_t(o.n_nd);
    in.cube.fix.layout = to_nd ? FIX_ND : splits ? FIX_SPLIT : FIX_NZ;
    in.cube.fix.clips = o.relu;
    in.cube.fix.leak = o.leak;
    in.cube.fix.is_vector = is_vector_quant(o.quant);
    in.cube.fix.src_column_step = o.src_stride * column;
    in.cube.fix.src_nd_step = o.src_nd_stride * 16 * column;
    in.cube.fix.dst_step = uint64_t(o.dst_stride) * (to_nd ? sizeof(To) : size_t(NPU_BLK_BYTES));
    in.cube.fix.dst_nd_step = uint64_t(o.dst_nd_stride) * sizeof(To);
    in.ref[2].mem = MEM_FB;
    in.ref[2].at_bytes = o.quant_at;
    if (o.m && o.n && o.n_nd)
        npu_issue_cube(c, &in);
}
template <class T, class U>
inline void fixpipe(const npu_ref &dst, const AscendC::LocalTensor<U> &src,
                    const AscendC::FixpipeParamsV220 &p, const AscendC::FixpipeConfig &config,
                    npu_where where)
{
    const bool to_nd = config.format == AscendC::CO2Layout::ROW_MAJOR;
    fixpipe<T>(dst, src,
               {"Fixpipe", p.nSize, p.mSize, p.srcStride, p.dstStride, to_nd ? p.ndNum : 1u,
                p.srcNdStride, p.dstNdStride, p.quantPre, p.deqScalar, 0, p.reluEn, to_nd,
                p.isChannelSplit},
               where);
}
/* The older parameters in terms of the newer. */
template <class To, class From>
inline AscendC::FixpipeParamsV220 of_bursts(const AscendC::FixpipeParams<From> &p, npu_where where)
{
    using AscendC::BLOCK_CUBE;
    const AscendC::Nz2NdParams &nd = p.nz2ndParams;
    const uint32_t rows =
        p.burstLen * uint32_t(NPU_BLK_BYTES) / uint32_t(sizeof(From)) / BLOCK_CUBE;
    const uint32_t wide = p.cburstNum * uint32_t(BLOCK_CUBE);
    const uint32_t column_blks = rows * BLOCK_CUBE * uint32_t(sizeof(To)) / NPU_BLK_BYTES;
    AscendC::FixpipeParamsV220 to;
    if (NPU_UNLIKELY(nd.nz2ndEn && !nd.originalNSize))
        npu_fault(core(), NPU_E_ARG, where,
                  "Fixpipe: nz2ndParams.originalNSize 0; rows have 1 to %u columns (cburstNum %u)",
                  wide, p.cburstNum);
    to.nSize = nd.nz2ndEn ? nd.originalNSize : uint16_t(wide);
    to.mSize = uint16_t(rows);
    to.srcStride = uint16_t((rows + BLOCK_CUBE - 1) / BLOCK_CUBE * BLOCK_CUBE +
                            p.srcStride * uint32_t(BLOCK_CUBE));
    to.dstStride = nd.nz2ndEn ? p.dstStride : p.dstStride + column_blks;
    to.quantPre = p.quantParams.quantPre;
    to.deqScalar = p.quantParams.deqScalar;
    to.ndNum = nd.ndNum;
    to.srcNdStride = nd.srcNdStride;
    to.dstNdStride = nd.dstNdStride;
    to.reluEn = p.reluEn;
    to.unitFlag = p.unitFlag;
    return to;
}
/* The parameters of a call that names them in L1 go through the start of the fixpipe buffer. */
template <class S>
inline void load_quant(const AscendC::LocalTensor<S> &from, uint32_t n, npu_where where)
{
    enum { FB_BURST = 128 };
    npu_core *c = core();
    npu_ref fb = {};
    fb.mem = MEM_FB;
    npu_insn in = cube_insn(OP_copy_l1_fb, TYPE_u64, fb, local_ref(c, from), where);
    if (!lies_in(c, "Fixpipe", "cbufWorkspace", in.ref[1], mem_bit(MEM_L1), "L1 (C1)", where))
        return;
    in.n_burst = 1;
    in.burst_bytes = (n * uint32_t(sizeof(uint64_t)) + FB_BURST - 1) / FB_BURST * FB_BURST;
    if (n)
        npu_issue_cube(c, &in);
}
template <class T, class U>
inline void copy_out(const npu_ref &dst, const AscendC::LocalTensor<U> &src,
                     const AscendC::DataCopyCO12DstParams &p, npu_where where)
{
    npu_core *c = core();
    const npu_cube_regs &r = c->regs.cube;
    if (NPU_UNLIKELY(p.clipReluPre || p.eltWiseOp)) {
        npu_fault(c, NPU_E_ARG, where,
                  "DataCopy out of L0C: clipReluPre %u, eltWiseOp %u; this chip has neither",
                  p.clipReluPre, p.eltWiseOp);
        return;
    }
    fixpipe<T>(dst, src,
               {"DataCopy", p.nSize, p.mSize, p.srcStride, p.dstStride, p.nz2ndEn ? r.n_nd : 1u,
                r.src_nd_step, r.dst_nd_step, p.quantPre, r.quant, r.quant_at, p.reluPre != 0,
                p.nz2ndEn, p.channelSplit},
               where);
}

} // namespace nputwin

namespace AscendC {

#define NPU_FIXPIPE(Dst, ref)                                                                      \
    template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>                 \
    inline void Fixpipe(const Dst<T> &dst, const LocalTensor<U> &src,                              \
                        const FixpipeParamsV220 &intriParams, npu_where where = NPU_HERE)          \
    {                                                                                              \
        static_assert(config.format != CO2Layout::COLUMN_MAJOR,                                    \
                      "Fixpipe: CFG_COLUMN_MAJOR is dav-3510 only");                               \
        nputwin::fixpipe<T>(ref, src, intriParams, config, where);                                 \
    }                                                                                              \
    template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR,                 \
              typename S = uint64_t,                                                               \
              std::enable_if_t<std::is_same_v<PrimT<S>, uint64_t>, bool> = true>                   \
    inline void Fixpipe(const Dst<T> &dst, const LocalTensor<U> &src,                              \
                        const LocalTensor<S> &cbufWorkspace, const FixpipeParamsV220 &intriParams, \
                        npu_where where = NPU_HERE)                                                \
    {                                                                                              \
        static_assert(config.format != CO2Layout::COLUMN_MAJOR,                                    \
                      "Fixpipe: CFG_COLUMN_MAJOR is dav-3510 only");                               \
        nputwin::load_quant(cbufWorkspace, intriParams.nSize, where);                              \
        nputwin::fixpipe<T>(ref, src, intriParams, config, where);                                 \
    }                                                                                              \
    template <typename T, typename U>                                                              \
    inline void Fixpipe(const Dst<T> &dst, const LocalTensor<U> &src,                              \
                        const FixpipeParams<PrimT<U>> &intriParams, npu_where where = NPU_HERE)    \
    {                                                                                              \
        nputwin::fixpipe<T>(ref, src, nputwin::of_bursts<PrimT<T>>(intriParams, where),            \
                            intriParams.nz2ndParams.nz2ndEn ? CFG_ROW_MAJOR : CFG_NZ, where);      \
    }                                                                                              \
    template <typename T, typename U, typename S>                                                  \
    inline void Fixpipe(const Dst<T> &dst, const LocalTensor<U> &src,                              \
                        const LocalTensor<S> &cbufWorkspace,                                       \
                        const FixpipeParams<PrimT<U>> &intriParams, npu_where where = NPU_HERE)    \
    {                                                                                              \
        const FixpipeParamsV220 p = nputwin::of_bursts<PrimT<T>>(intriParams, where);              \
        nputwin::load_quant(cbufWorkspace, p.nSize, where);                                        \
        nputwin::fixpipe<T>(ref, src, p, intriParams.nz2ndParams.nz2ndEn ? CFG_ROW_MAJOR : CFG_NZ, \
                            where);                                                                \
    }                                                                                              \
    template <typename T, typename U>                                                              \
    inline void DataCopy(const Dst<T> &dst, const LocalTensor<U> &src,                             \
                         const DataCopyCO12DstParams &intriParams, npu_where where = NPU_HERE)     \
    {                                                                                              \
        nputwin::copy_out<T>(ref, src, intriParams, where);                                        \
    }
NPU_FIXPIPE(GlobalTensor, nputwin::gm_ref(dst.raw()))
NPU_FIXPIPE(LocalTensor, nputwin::local_ref(nputwin::core(), dst))
#undef NPU_FIXPIPE

} // namespace AscendC
#endif
