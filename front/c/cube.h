/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cube.h - the C API of the cube core: into L1, L0A, L0B, BT and FB, products, out of L0C.
 *
 * A pointer becomes a tensor of the C++ calls and the call one of theirs, so both doors make the
 * same instructions. Units: size in bytes, bursts and gaps in blks of 32 bytes, fractals in 512
 * bytes; a gap counts from an end to the next start, a stride from start to start.
 */
#ifndef NPU_FRONT_C_CUBE_H
#define NPU_FRONT_C_CUBE_H
#include "../cpp/cube.h"
#include "core.h"

constexpr uint64_t ASC_FILL_VALUE_DEFAULT_VALUE = 0;
/* blk_num and dst_gap in 32 bytes (L1) or 512 bytes (L0A, L0B). */
union asc_fill_value_config {
    uint64_t config = ASC_FILL_VALUE_DEFAULT_VALUE;
    struct {
        uint64_t repeat : 15;
        uint64_t reserved1 : 1;
        uint64_t blk_num : 15;
        uint64_t reserved2 : 1;
        uint64_t dst_gap : 15;
        uint64_t reserved3 : 17;
    };
};
constexpr uint64_t ASC_DEFAULT_L13D_FMATRIX_CONFIG_VALUE = 0;
union asc_l13d_fmatrix_config {
    uint64_t config = ASC_DEFAULT_L13D_FMATRIX_CONFIG_VALUE;
    struct {
        uint16_t l1_height, l1_width;
        uint8_t padding_left_size, padding_right_size, padding_top_size, padding_bottom_size;
    };
};
constexpr uint64_t ASC_DEFAULT_LOAD3D_V2_CONFIG_VALUE = 0x10000;
union asc_load3d_v2_config {
    uint64_t config = ASC_DEFAULT_LOAD3D_V2_CONFIG_VALUE;
    struct {
        uint64_t rpt_stride : 16;
        uint64_t rpt_time : 8;
        uint64_t rpt_mode : 1;
        uint64_t reserved2 : 39;
    };
};

namespace nputwin {

/* The operands of one call: what each pointer lies in, and whether all lie where they have to. */
struct c_places {
    const char *name;
    npu_where where;
    bool all_there = true;

    uint32_t offset(npu_mem mem, const char *operand, const void *p)
    {
        npu_core *c = core();
        const npu_bank &bank = c->mem[mem];
        const uint64_t at = uint64_t(uintptr_t(p)) - uint64_t(uintptr_t(bank.base));
        if (NPU_LIKELY(bank.base && at < bank.bytes))
            return uint32_t(at);
        all_there = false;
        npu_fault(c, NPU_E_RANGE, where, "%s: %s is at %p, which is not in %s%s", name, operand, p,
                  npu_mems[mem].name, bank.base ? "" : " (this core has none)");
        return 0;
    }
    template <class T>
    AscendC::LocalTensor<T> at(AscendC::TPosition position, const char *operand, const T *p)
    {
        const npu_mem mem = mem_of(position);
        return AscendC::LocalTensor<T>(position, offset(mem, operand, p), 1);
    }
    npu_ref ref(npu_mem mem, const char *operand, const void *p)
    {
        npu_ref r = {};
        r.mem = uint8_t(mem);
        r.at_bytes = offset(mem, operand, p);
        return r;
    }
    /* A number instead of a pointer: the address divided by unit, or how many units from the start.
     */
    npu_ref units(npu_mem mem, const char *operand, uint64_t n, uint32_t unit)
    {
        const npu_bank &bank = core()->mem[mem];
        npu_ref r = {};
        r.mem = uint8_t(mem);
        if (NPU_LIKELY(bank.base && n * unit < bank.bytes))
            r.at_bytes = n * unit;
        else
            r.at_bytes = offset(mem, operand, reinterpret_cast<const void *>(uintptr_t(n * unit)));
        return r;
    }
};

template <class T, class... Ts> constexpr bool c_is_one = (std::is_same_v<T, Ts> || ...);
template <class T>
constexpr bool c_fractals =
    c_is_one<T, int8_t, uint8_t, half, bfloat16_t, int32_t, uint32_t, float>;
template <class T> constexpr bool c_fractals4 = c_fractals<T> || std::is_same_v<T, int4b_t>;
template <class T> constexpr bool c_wide = c_fractals<T> && sizeof(T) != 1;
template <class T>
constexpr bool c_fills = c_is_one<T, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>;
template <class V, class T>
constexpr bool c_fills_with =
    c_is_one<V, half, uint32_t> || (std::is_same_v<T, bfloat16_t> && std::is_same_v<V, bfloat16_t>);

/* Bursts of blks. */
inline bursts c_l1_bursts(uint32_t n, uint32_t len, uint32_t src_gap, uint32_t dst_gap)
{
    return {n, len * uint32_t(NPU_BLK_BYTES), int64_t(src_gap) * NPU_BLK_BYTES,
            int64_t(dst_gap) * NPU_BLK_BYTES};
}
inline bursts c_l1_bytes(const char *name, uint32_t size, npu_where where)
{
    const uint32_t moved = size & ~uint32_t(NPU_BLK_BYTES - 1);
    if (NPU_UNLIKELY(moved != size))
        npu_note(core(), "ASC-COPY-LENGTH", where,
                 "%u B requested, %u B moved: %s moves whole blocks of 32 bytes", size, moved,
                 name);
    return {1, moved, 0, 0};
}
inline void c_move_cube(npu_op op, npu_type type, npu_type dst_type, const npu_ref &dst,
                        const npu_ref &src, const bursts &b, npu_where where,
                        npu_groups groups = {1, 1})
{
    npu_insn in = cube_insn(op, type, dst, src, where);
    in.dst_type = uint8_t(dst_type);
    in.n_burst = b.n;
    in.burst_bytes = b.bytes;
    in.src_gap_bytes = b.src_gap_bytes;
    in.dst_gap_bytes = b.dst_gap_bytes;
    in.cube.groups = groups;
    if (b.n && b.bytes)
        npu_issue_cube(core(), &in);
}
inline void c_gm2l1(const char *name, void *dst, const void *src, const bursts &b, npu_where where)
{
    c_places in = {name, where};
    const npu_ref to = in.ref(MEM_L1, "dst", dst);
    if (in.all_there)
        c_move_cube(OP_copy_gm_to_l1, TYPE_u8, TYPE_u8, to, gm_ref(src), b, where);
}
/* from bytes of the source become `to` in L1. */
inline void c_gm2l1_pad(const char *name, void *dst, const void *src, const bursts &b,
                        npu_groups groups, npu_where where)
{
    c_places in = {name, where};
    const npu_ref to = in.ref(MEM_L1, "dst", dst);
    if (in.all_there)
        c_move_cube(OP_copy_gm_l1_pad, TYPE_u8, TYPE_u8, to, gm_ref(src), b, where, groups);
}
template <class T>
inline void c_fractals_in(const char *name, AscendC::TPosition to, T *dst, const T *src,
                          const AscendC::LoadData2DParams &p, npu_where where)
{
    c_places in = {name, where};
    const AscendC::LocalTensor<T> d = in.at(to, "dst", dst);
    if (in.all_there)
        load_fractals(d, gm_ref(src), p, where);
}
template <class T>
inline void c_l12l0(const char *name, AscendC::TPosition to, T *dst, const T *src,
                    const AscendC::LoadData2DParams &p, npu_where where)
{
    c_places in = {name, where};
    const AscendC::LocalTensor<T> d = in.at(to, "dst", dst),
                                  s = in.at(AscendC::TPosition::A1, "src", src);
    if (in.all_there)
        AscendC::LoadData(d, s, p, where);
}
template <class T>
inline void c_l12l0_trans(const char *name, AscendC::TPosition to, T *dst, const T *src,
                          const AscendC::LoadData2dTransposeParams &p, npu_where where)
{
    c_places in = {name, where};
    const AscendC::LocalTensor<T> d = in.at(to, "dst", dst),
                                  s = in.at(AscendC::TPosition::A1, "src", src);
    if (in.all_there)
        AscendC::LoadDataWithTranspose(d, s, p, where);
}
template <class T>
inline void c_l12l0_image(const char *name, AscendC::TPosition to, T *dst, const T *src,
                          npu_image i, bool is_right, npu_where where)
{
    c_places in = {name, where};
    const AscendC::LocalTensor<T> d = in.at(to, "dst", dst),
                                  s = in.at(AscendC::TPosition::A1, "src", src);
    image_of(i, is_right);
    if (in.all_there)
        load_image(d, s, i, core()->regs.cube.pad_value, where);
}
template <class T, class V>
inline void c_fill(const char *name, npu_mem mem, T *dst, V value,
                   const asc_fill_value_config &config, npu_where where)
{
    const uint32_t block = mem == MEM_L1 ? uint32_t(NPU_BLK_BYTES) : uint32_t(NPU_FRACTAL_BYTES);
    c_places places = {name, where};
    const npu_ref to = places.ref(mem, "dst", dst);
    npu_insn in = cube_insn(mem == MEM_L1 ? OP_fill_l1 : OP_fill_l0, type_of<T>, to, to, where);
    in.n_burst = uint32_t(config.repeat);
    in.burst_bytes = uint32_t(config.blk_num) * block;
    in.dst_gap_bytes = int64_t(config.dst_gap) * block;
    in.scalar = bits_of(value) & (sizeof(T) == 2 ? 0xffffu : 0xffffffffu);
    if (places.all_there && in.n_burst && in.burst_bytes)
        npu_issue_cube(core(), &in);
}
enum { C_RELU_NONE, C_RELU, C_RELU_LEAKY };
template <class T, class U>
inline void c_l0c_out(const char *name, const npu_ref &dst, const U *src, uint16_t n_size,
                      uint16_t m_size, uint32_t dst_stride, uint16_t src_stride, uint64_t quant_pre,
                      uint8_t relu_pre, bool splits, bool to_nd, npu_where where)
{
    npu_core *c = core();
    const npu_cube_regs &r = c->regs.cube;
    c_places in = {name, where};
    const AscendC::LocalTensor<U> from = in.at(AscendC::TPosition::CO1, "src", src);
    const uint64_t step = uint64_t(dst_stride) * sizeof(T);
    if (!in.all_there)
        return;
    if (NPU_UNLIKELY(relu_pre > C_RELU_LEAKY)) {
        npu_fault(c, NPU_E_ARG, where, "%s: relu_pre %u; 0 (none), 1 (ReLU) or 2 (leaky)", name,
                  relu_pre);
        return;
    }
    if (NPU_UNLIKELY(!to_nd && step % NPU_BLK_BYTES)) {
        npu_fault(c, NPU_E_ALIGN, where,
                  "%s: columns of fractals begin %u elements of %u bytes apart; they begin at "
                  "multiples of 32 bytes",
                  name, dst_stride, unsigned(sizeof(T)));
        return;
    }
    out_of_l0c o = {name,
                    n_size,
                    m_size,
                    src_stride,
                    to_nd ? dst_stride : uint32_t(step / NPU_BLK_BYTES),
                    to_nd ? r.n_nd : 1u,
                    r.src_nd_step,
                    r.dst_nd_step,
                    QuantMode_t(quant_pre),
                    r.quant,
                    r.quant_at,
                    relu_pre != C_RELU_NONE,
                    to_nd,
                    splits};
    o.leak = relu_pre == C_RELU_LEAKY ? r.leaky : 0;
    fixpipe<T>(dst, from, o, where);
}
template <class C, class A>
inline void c_mmad(const char *name, C *c, const A *a, const A *b, const AscendC::MmadParams &p,
                   bool is_sparse, npu_where where)
{
    using AscendC::TPosition;
    c_places in = {name, where};
    const AscendC::LocalTensor<C> to = in.at(TPosition::CO1, "c_matrix", c);
    const AscendC::LocalTensor<A> left = in.at(TPosition::A2, "a_matrix", a);
    const AscendC::LocalTensor<A> right = in.at(TPosition::B2, "b_matrix", b);
    npu_ref bias = {};
    bias.mem = MEM_BT;
    if (in.all_there)
        multiply(name, to, left, right, p, init_of(p), bias, is_sparse, where);
}
inline AscendC::MmadParams c_mmad_params(uint16_t m, uint16_t k, uint16_t n, uint8_t unit_flag,
                                         bool k_direction_align, bool source, bool init)
{
    AscendC::MmadParams p(m, n, k, unit_flag, source, init);
    p.kDirectionAlign = k_direction_align;
    return p;
}
inline bool c_no_offset(const char *name, bool is_weight_offset, npu_where where)
{
    if (NPU_LIKELY(!is_weight_offset))
        return true;
    npu_fault(core(), NPU_E_UNSUP, where,
              "%s: is_weight_offset; what an offset of the weights does is not published", name);
    return false;
}

} // namespace nputwin

/* A call and its _sync form, which waits for all pipes. PARAMS ends in `npu_where where =
 * NPU_HERE`. */
#define NPU_C_CUBE(name, PARAMS, ...)                                                              \
    inline void name PARAMS { __VA_ARGS__; }                                                       \
    inline void name##_sync PARAMS                                                                 \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        nputwin::c_sync(where);                                                                    \
    }
/* The same for the types that the condition names. */
#define NPU_C_CUBE_T(name, condition, PARAMS, ...)                                                 \
    template <class T, std::enable_if_t<condition, bool> = true> inline void name PARAMS           \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    template <class T, std::enable_if_t<condition, bool> = true> inline void name##_sync PARAMS    \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        nputwin::c_sync(where);                                                                    \
    }
#define NPU_C_WHERE npu_where where = NPU_HERE
#define NPU_C_BURSTS                                                                               \
    uint16_t n_burst, uint16_t len_burst, uint16_t src_gap, uint16_t dst_gap, NPU_C_WHERE
#define NPU_C_BLKS nputwin::c_l1_bursts(n_burst, len_burst, src_gap, dst_gap)

/* ---- GM to L1 -------------------------------------------------------------------------- */

NPU_C_CUBE(asc_copy_gm2l1, (void *dst, const void *src, uint32_t size, NPU_C_WHERE),
           nputwin::c_gm2l1("asc_copy_gm2l1", dst, src,
                            nputwin::c_l1_bytes("asc_copy_gm2l1", size, where), where))
inline void asc_copy_gm2l1(void *dst, const void *src, NPU_C_BURSTS)
{
    nputwin::c_gm2l1("asc_copy_gm2l1", dst, src, NPU_C_BLKS, where);
}
#define NPU_C_PAD(name, from, to)                                                                  \
    NPU_C_CUBE(name, (void *dst, const void *src, uint32_t size, NPU_C_WHERE),                     \
               nputwin::c_gm2l1_pad(#name, dst, src, nputwin::c_l1_bytes(#name, size, where),      \
                                    {from, to}, where))                                            \
    inline void name(void *dst, const void *src, NPU_C_BURSTS)                                     \
    {                                                                                              \
        nputwin::c_gm2l1_pad(#name, dst, src, NPU_C_BLKS, {from, to}, where);                      \
    }
NPU_C_PAD(asc_copy_gm2l1_pad1, 1, 32)
NPU_C_PAD(asc_copy_gm2l1_pad2, 1, 16)
NPU_C_PAD(asc_copy_gm2l1_pad3, 2, 16)
NPU_C_PAD(asc_copy_gm2l1_pad4, 4, 16)
NPU_C_PAD(asc_copy_gm2l1_pad5, 8, 16)
NPU_C_PAD(asc_copy_gm2l1_pad6, 32, 4)
NPU_C_PAD(asc_copy_gm2l1_pad7, 32, 8)
NPU_C_PAD(asc_copy_gm2l1_pad8, 32, 16)
#undef NPU_C_PAD

/* Rows become columns of fractals. Strides of src and of whole matrices in elements, those inside
 * dst in blks. */
NPU_C_CUBE_T(asc_copy_gm2l1_nd2nz,
             (nputwin::c_fractals<T> || nputwin::c_is_one<T, int16_t, uint16_t>),
             (T * dst, const T *src, uint16_t nd_num, uint16_t n_value, uint16_t d_value,
              uint16_t src_nd_matrix_stride, uint16_t src_d_value, uint16_t dst_nz_c0_stride,
              uint16_t dst_nz_n_stride, uint16_t dst_nz_matrix_stride, NPU_C_WHERE),
             {
                 nputwin::c_places in = {"asc_copy_gm2l1_nd2nz", where};
                 const AscendC::LocalTensor<T> to = in.at(AscendC::TPosition::A1, "dst", dst);
                 AscendC::GlobalTensor<T> from;
                 from.SetGlobalBuffer(const_cast<T *>(src));
                 if (in.all_there)
                     AscendC::DataCopy(to, from,
                                       AscendC::Nd2NzParams(nd_num, n_value, d_value,
                                                            src_nd_matrix_stride, src_d_value,
                                                            dst_nz_c0_stride, dst_nz_n_stride,
                                                            dst_nz_matrix_stride),
                                       where);
             })

/* ---- fractals from GM, and from L1 into L0A and L0B ------------------------------------ */

#define NPU_C_2D                                                                                   \
    (T * dst, const T *src, uint16_t base_idx, uint8_t repeat, uint16_t src_stride,                \
     uint16_t dst_gap, NPU_C_WHERE)
#define NPU_C_2D_PARAMS                                                                            \
    AscendC::LoadData2DParams(base_idx, repeat, src_stride, 0, dst_gap, false, 0)
NPU_C_CUBE_T(asc_copy_gm2l1, nputwin::c_fractals<T>, NPU_C_2D,
             nputwin::c_fractals_in("asc_copy_gm2l1", AscendC::TPosition::A1, dst, src,
                                    NPU_C_2D_PARAMS, where))
NPU_C_CUBE_T(asc_copy_gm2l0a, nputwin::c_fractals4<T>, NPU_C_2D,
             nputwin::c_fractals_in("asc_copy_gm2l0a", AscendC::TPosition::A2, dst, src,
                                    NPU_C_2D_PARAMS, where))
NPU_C_CUBE_T(asc_copy_gm2l0b, nputwin::c_fractals4<T>, NPU_C_2D,
             nputwin::c_fractals_in("asc_copy_gm2l0b", AscendC::TPosition::B2, dst, src,
                                    NPU_C_2D_PARAMS, where))
NPU_C_CUBE_T(asc_copy_l12l0a, nputwin::c_fractals4<T>, NPU_C_2D,
             nputwin::c_l12l0("asc_copy_l12l0a", AscendC::TPosition::A2, dst, src, NPU_C_2D_PARAMS,
                              where))
NPU_C_CUBE_T(asc_copy_l12l0b, nputwin::c_fractals4<T>, NPU_C_2D,
             nputwin::c_l12l0("asc_copy_l12l0b", AscendC::TPosition::B2, dst, src, NPU_C_2D_PARAMS,
                              where))
#undef NPU_C_2D
#undef NPU_C_2D_PARAMS

/* Squares, turned: start and src_stride in squares, the gaps in fractals. */
#define NPU_C_TRANS(name, position)                                                                \
    NPU_C_CUBE_T(                                                                                  \
        name, nputwin::c_fractals4<T>,                                                             \
        (T * dst, const T *src, uint16_t index_id, uint8_t repeat, uint16_t src_stride,            \
         uint16_t dst_gap, bool enable_addr_decrement, uint16_t dst_frac_gap, NPU_C_WHERE),        \
        nputwin::c_l12l0_trans(#name, position, dst, src,                                          \
                               AscendC::LoadData2dTransposeParams(index_id, repeat, src_stride,    \
                                                                  dst_gap, dst_frac_gap,           \
                                                                  uint8_t(enable_addr_decrement)), \
                               where))
NPU_C_TRANS(asc_copy_l12l0a_trans, AscendC::TPosition::A2)
NPU_C_TRANS(asc_copy_l12l0b_trans, AscendC::TPosition::B2)
#undef NPU_C_TRANS

/* An image to columns, its size and padding as set before; extents and starts in elements. */
#define NPU_C_IMAGE(name, types, position)                                                         \
    NPU_C_CUBE_T(name, types,                                                                      \
                 (T * dst, const T *src, uint16_t k_extension, uint16_t m_extension,               \
                  uint16_t k_start_pt, uint16_t m_start_pt, uint8_t stride_w, uint8_t stride_h,    \
                  uint8_t filter_w, uint8_t filter_h, uint8_t dilation_filter_w,                   \
                  uint8_t dilation_filter_h, bool filter_size_w, bool filter_size_h,               \
                  bool transpose, bool f_matrix_ctrl, uint16_t channel_size, NPU_C_WHERE),         \
                 npu_image i = {};                                                                 \
                 i.channels = channel_size; i.columns = k_extension; i.rows = m_extension;         \
                 i.column0 = k_start_pt; i.row0 = m_start_pt; i.stride_w = stride_w;               \
                 i.stride_h = stride_h;                                                            \
                 i.filter_w = uint16_t(filter_w + (filter_size_w ? 256 : 0));                      \
                 i.filter_h = uint16_t(filter_h + (filter_size_h ? 256 : 0));                      \
                 i.dilation_w = dilation_filter_w; i.dilation_h = dilation_filter_h;               \
                 i.transposes = transpose;                                                         \
                 nputwin::c_l12l0_image(#name, position, dst, src, i, f_matrix_ctrl, where))
NPU_C_IMAGE(asc_copy_l12l0a, nputwin::c_fractals4<T>, AscendC::TPosition::A2)
NPU_C_IMAGE(asc_copy_l12l0b, nputwin::c_wide<T>, AscendC::TPosition::B2)
#undef NPU_C_IMAGE

NPU_C_CUBE(asc_copy_l12l0b_sparse,
           (int8_t *dst, const int8_t *src, const int8_t *index, uint16_t start_index,
            uint8_t repeat, NPU_C_WHERE),
           {
               nputwin::c_places in = {"asc_copy_l12l0b_sparse", where};
               const AscendC::LocalTensor<int8_t> to = in.at(AscendC::TPosition::B2, "dst", dst);
               const AscendC::LocalTensor<int8_t> from = in.at(AscendC::TPosition::B1, "src", src);
               const AscendC::LocalTensor<uint8_t> which =
                   in.at(AscendC::TPosition::B1, "index", reinterpret_cast<const uint8_t *>(index));
               AscendC::LoadData2DParams p;
               p.startIndex = start_index;
               p.repeatTimes = repeat;
               if (in.all_there)
                   AscendC::LoadDataWithSparse(to, from, which, p, where);
           })

/* ---- one value ------------------------------------------------------------------------- */

#define NPU_C_FILL(name, mem)                                                                      \
    template <class T, class V,                                                                    \
              std::enable_if_t<nputwin::c_fills<T> && nputwin::c_fills_with<V, T>, bool> = true>   \
    inline void name(T *dst, V value, const asc_fill_value_config &config, NPU_C_WHERE)            \
    {                                                                                              \
        nputwin::c_fill(#name, mem, dst, value, config, where);                                    \
    }                                                                                              \
    template <class T, class V,                                                                    \
              std::enable_if_t<nputwin::c_fills<T> && nputwin::c_fills_with<V, T>, bool> = true>   \
    inline void name##_sync(T *dst, V value, const asc_fill_value_config &config, NPU_C_WHERE)     \
    {                                                                                              \
        nputwin::c_fill(#name, mem, dst, value, config, where);                                    \
        nputwin::c_sync(where);                                                                    \
    }
NPU_C_FILL(asc_fill_l1, MEM_L1)
NPU_C_FILL(asc_fill_l0a, MEM_L0A)
NPU_C_FILL(asc_fill_l0b, MEM_L0B)
#undef NPU_C_FILL

/* ---- from L1 elsewhere ----------------------------------------------------------------- */

/* dst counts 16 bytes, as the page's example has it. conv_control: halves become floats. */
#define NPU_C_TO_BT(type, bursts_)                                                                 \
    nputwin::c_places in = {"asc_copy_l12bt", where};                                              \
    enum { BT_UNIT = 16 };                                                                         \
    const npu_ref to = in.units(MEM_BT, "dst", dst, BT_UNIT);                                      \
    const npu_ref from = in.ref(MEM_L1, "src", src);                                               \
    if (in.all_there)                                                                              \
    nputwin::c_move_cube(OP_copy_l1_bt, (type) ? TYPE_f16 : TYPE_u32,                              \
                         (type) ? TYPE_f32 : TYPE_u32, to, from, bursts_, where)
NPU_C_CUBE(asc_copy_l12bt, (uint64_t dst, const void *src, uint32_t size, NPU_C_WHERE),
           NPU_C_TO_BT(false, nputwin::c_l1_bytes("asc_copy_l12bt", size, where)))
inline void asc_copy_l12bt(uint64_t dst, const void *src, uint16_t conv_control, uint16_t n_burst,
                           uint16_t len_burst, uint16_t source_gap, uint16_t dst_gap, NPU_C_WHERE)
{
    NPU_C_TO_BT(conv_control, nputwin::c_l1_bursts(n_burst, len_burst, source_gap, dst_gap));
}
#undef NPU_C_TO_BT
#define NPU_C_TO_FB(bursts_)                                                                       \
    nputwin::c_places in = {"asc_copy_l12fb", where};                                              \
    const npu_ref to = in.ref(MEM_FB, "dst", dst), from = in.ref(MEM_L1, "src", src);              \
    if (in.all_there)                                                                              \
    nputwin::c_move_cube(OP_copy_l1_fb, TYPE_u64, TYPE_u64, to, from, bursts_, where)
NPU_C_CUBE(asc_copy_l12fb, (void *dst, const void *src, uint32_t size, NPU_C_WHERE),
           NPU_C_TO_FB(nputwin::c_l1_bytes("asc_copy_l12fb", size, where)))
inline void asc_copy_l12fb(void *dst, const void *src, NPU_C_BURSTS) { NPU_C_TO_FB(NPU_C_BLKS); }
#undef NPU_C_TO_FB
NPU_C_CUBE(asc_copy_l12gm, (void *dst, const void *src, NPU_C_BURSTS), {
    nputwin::c_places in = {"asc_copy_l12gm", where};
    const npu_ref from = in.ref(MEM_L1, "src", src);
    if (in.all_there)
        nputwin::c_move_cube(OP_copy_l1_to_gm, TYPE_u8, TYPE_u8, nputwin::gm_ref(dst), from,
                             NPU_C_BLKS, where);
})
/* A burst has len_burst blks of the source; floats may become halves or bfloat16. */
#define NPU_C_TO_L0C(D, S)                                                                         \
    NPU_C_CUBE(asc_copy_l12l0c, (D * dst, const S *src, NPU_C_BURSTS), {                           \
        nputwin::c_places in = {"asc_copy_l12l0c", where};                                         \
        const npu_ref to = in.ref(MEM_L0C, "dst", dst), from = in.ref(MEM_L1, "src", src);         \
        if (in.all_there)                                                                          \
            nputwin::c_move_cube(OP_copy_l1_l0c, nputwin::type_of<S>, nputwin::type_of<D>, to,     \
                                 from, NPU_C_BLKS, where);                                         \
    })
NPU_C_TO_L0C(bfloat16_t, bfloat16_t)
NPU_C_TO_L0C(half, half)
NPU_C_TO_L0C(half, float)
NPU_C_TO_L0C(bfloat16_t, float)
NPU_C_TO_L0C(float, float)
NPU_C_TO_L0C(int32_t, int32_t)
NPU_C_TO_L0C(uint32_t, uint32_t)
#undef NPU_C_TO_L0C

/* ---- product --------------------------------------------------------------------------- */

/* a is left_height x n_dim, b is n_dim x right_width. */
#define NPU_C_MMAD(name, C, A)                                                                     \
    NPU_C_CUBE(name,                                                                               \
               (C * c_matrix, const A *a_matrix, const A *b_matrix, uint16_t left_height,          \
                uint16_t n_dim, uint16_t right_width, uint8_t unit_flag, bool k_direction_align,   \
                bool c_matrix_source, bool c_matrix_init_val, NPU_C_WHERE),                        \
               nputwin::c_mmad(#name, c_matrix, a_matrix, b_matrix,                                \
                               nputwin::c_mmad_params(left_height, n_dim, right_width, unit_flag,  \
                                                      k_direction_align, c_matrix_source,          \
                                                      c_matrix_init_val),                          \
                               false, where))                                                      \
    NPU_C_CUBE(name,                                                                               \
               (C * c_matrix, const A *a_matrix, const A *b_matrix, uint16_t left_height,          \
                uint16_t n_dim, uint16_t right_width, uint8_t, uint8_t, uint8_t unit_flag,         \
                bool k_direction_align, bool is_weight_offset, bool c_matrix_source,               \
                bool c_matrix_init_val, NPU_C_WHERE),                                              \
               if (nputwin::c_no_offset(#name, is_weight_offset, where)) nputwin::c_mmad(          \
                   #name, c_matrix, a_matrix, b_matrix,                                            \
                   nputwin::c_mmad_params(left_height, n_dim, right_width, unit_flag,              \
                                          k_direction_align, c_matrix_source, c_matrix_init_val),  \
                   false, where))
NPU_C_MMAD(asc_mmad_s4, int32_t, int4b_t)
NPU_C_MMAD(asc_mmad, int32_t, int8_t)
NPU_C_MMAD(asc_mmad, float, half)
NPU_C_MMAD(asc_mmad, float, float)
NPU_C_MMAD(asc_mmad, float, bfloat16_t)
#undef NPU_C_MMAD
NPU_C_CUBE(asc_mmad_sparse,
           (int32_t *c, const int8_t *a, const int8_t *b, uint16_t m, uint16_t k, uint16_t n,
            uint8_t unit_flag, bool c_matrix_source, bool c_matrix_init_val, NPU_C_WHERE),
           nputwin::c_mmad("asc_mmad_sparse", c, a, b,
                           nputwin::c_mmad_params(m, k, n, unit_flag, false, c_matrix_source,
                                                  c_matrix_init_val),
                           true, where))

inline void asc_enable_hf32() { AscendC::SetHF32Mode(true); }
inline void asc_set_fp32_mode() { AscendC::SetHF32Mode(false); }
/* 0: ties to even, 1: towards zero. */
inline void asc_enable_hf32_trans(uint32_t mode, NPU_C_WHERE)
{
    if (NPU_UNLIKELY(mode > 1))
        npu_fault(nputwin::core(), NPU_E_ARG, where,
                  "asc_enable_hf32_trans: mode %u; 0 (ties to even) or 1 (towards zero)", mode);
    else
        AscendC::SetHF32TransMode(mode == 1);
}
inline void asc_set_mmad_direction_m() { AscendC::SetMMColumnMajor(); }
inline void asc_set_mmad_direction_n() { AscendC::SetMMRowMajor(); }

/* ---- what a later load of an image takes ----------------------------------------------- */

namespace nputwin {
inline void c_fmatrix(const asc_l13d_fmatrix_config &k, AscendC::FmatrixMode side)
{
    const uint8_t pads[4] = {k.padding_left_size, k.padding_right_size, k.padding_top_size,
                             k.padding_bottom_size};
    AscendC::SetFmatrix(k.l1_height, k.l1_width, pads, side);
}
} // namespace nputwin
inline void asc_set_l13d_fmatrix(const asc_l13d_fmatrix_config &config)
{
    nputwin::c_fmatrix(config, AscendC::FmatrixMode::FMATRIX_LEFT);
}
inline void asc_set_l13d_fmatrix_b(const asc_l13d_fmatrix_config &config)
{
    nputwin::c_fmatrix(config, AscendC::FmatrixMode::FMATRIX_RIGHT);
}
inline void asc_set_l13d_padding(uint64_t config) { nputwin::core()->regs.cube.pad_value = config; }
inline void asc_set_l13d_padding(half config) { AscendC::SetLoadDataPaddingValue(config); }
inline void asc_set_l13d_padding(int16_t config) { AscendC::SetLoadDataPaddingValue(config); }
inline void asc_set_l13d_padding(uint16_t config) { AscendC::SetLoadDataPaddingValue(config); }
inline void asc_set_l13d_rpt(const asc_load3d_v2_config &config)
{
    AscendC::SetLoadDataRepeat(
        {uint16_t(config.rpt_stride), uint8_t(config.rpt_time), uint8_t(config.rpt_mode)});
}
/* Bytes of L1 after which an image goes on at byte 0; 0: nowhere. */
inline void asc_set_l13d_size(uint64_t value, NPU_C_WHERE)
{
    AscendC::SetLoadDataBoundary(value < UINT32_MAX ? uint32_t(value) : UINT32_MAX, where);
}

/* ---- out of L0C ------------------------------------------------------------------------ */

/* dst_stride in elements: of a row (nz2nd_en), or between columns of fractals. */
#define NPU_C_OUT                                                                                  \
    uint16_t n_size, uint16_t m_size, uint32_t dst_stride, uint16_t src_stride, uint8_t,           \
        uint64_t quant_pre, uint8_t relu_pre, bool channel_split, bool nz2nd_en, NPU_C_WHERE
#define NPU_C_OUT_ARGS                                                                             \
    n_size, m_size, dst_stride, src_stride, quant_pre, relu_pre, channel_split, nz2nd_en, where
#define NPU_C_L0C2GM(D, S)                                                                         \
    NPU_C_CUBE(                                                                                    \
        asc_copy_l0c2gm, (D * dst, const S *src, NPU_C_OUT),                                       \
        nputwin::c_l0c_out<D>("asc_copy_l0c2gm", nputwin::gm_ref(dst), src, NPU_C_OUT_ARGS))
NPU_C_L0C2GM(half, float)
NPU_C_L0C2GM(bfloat16_t, float)
NPU_C_L0C2GM(int8_t, float)
NPU_C_L0C2GM(uint8_t, float)
NPU_C_L0C2GM(float, float)
NPU_C_L0C2GM(half, int32_t)
NPU_C_L0C2GM(int16_t, int32_t)
NPU_C_L0C2GM(int8_t, int32_t)
NPU_C_L0C2GM(uint8_t, int32_t)
NPU_C_L0C2GM(int32_t, int32_t)
#undef NPU_C_L0C2GM
#define NPU_C_L0C2L1(D, S)                                                                         \
    NPU_C_CUBE(asc_copy_l0c2l1, (D * dst, const S *src, NPU_C_OUT), {                              \
        nputwin::c_places in = {"asc_copy_l0c2l1", where};                                         \
        const npu_ref to = in.ref(MEM_L1, "dst", dst);                                             \
        if (in.all_there)                                                                          \
            nputwin::c_l0c_out<D>("asc_copy_l0c2l1", to, src, NPU_C_OUT_ARGS);                     \
    })
NPU_C_L0C2L1(half, float)
NPU_C_L0C2L1(bfloat16_t, float)
NPU_C_L0C2L1(int8_t, float)
NPU_C_L0C2L1(half, int32_t)
NPU_C_L0C2L1(int16_t, int32_t)
NPU_C_L0C2L1(int8_t, int32_t)
NPU_C_L0C2L1(uint8_t, int32_t)
#undef NPU_C_L0C2L1
#undef NPU_C_OUT
#undef NPU_C_OUT_ARGS
/* The form into int4b_t, whose modes the page does not name. */
template <class S>
inline void asc_copy_l0c2l1(void *, const S *, uint16_t, uint16_t, uint32_t, uint16_t, uint8_t,
                            uint64_t quant_pre, uint8_t, bool, bool, NPU_C_WHERE)
{
    npu_fault(
        nputwin::core(), NPU_E_UNSUP, where,
        "asc_copy_l0c2l1 into void: 4-bit results with quant_pre %llu; the page names no mode "
        "that makes them",
        (unsigned long long)quant_pre);
}

inline void asc_set_l0c_copy_prequant(uint64_t config) { AscendC::SetFixpipePreQuantFlag(config); }
/* src_nd_stride in 16 x 16 sums, dst_nd_stride in elements. */
inline void asc_set_l0c_copy_params(uint16_t nd_num, uint16_t src_nd_stride, uint16_t dst_nd_stride)
{
    AscendC::SetFixpipeNz2ndFlag(nd_num, src_nd_stride, dst_nd_stride);
}
/* Where parameters of columns begin in FB: an address of FB, or that divided by 128. */
inline void asc_set_l0c2gm_config(uint64_t relu_pre, uint64_t quant_pre, bool enable_unit_flag,
                                  NPU_C_WHERE)
{
    enum { FB_UNIT = 128 };
    npu_core *c = nputwin::core();
    npu_cube_regs &r = c->regs.cube;
    const npu_bank &fb = c->mem[MEM_FB];
    const uint64_t base = uint64_t(uintptr_t(fb.base));
    nputwin::c_places in = {"asc_set_l0c2gm_config", where};
    const bool is_address = quant_pre - base < fb.bytes;
    const npu_ref at = is_address ? in.ref(MEM_FB, "quant_pre", reinterpret_cast<void *>(quant_pre))
                                  : in.units(MEM_FB, "quant_pre", quant_pre, FB_UNIT);
    if (!in.all_there)
        return;
    r.quant_at = uint32_t(at.at_bytes);
    r.quant_given = quant_pre;
    r.relu_at = relu_pre;
    r.has_unit_flag = enable_unit_flag;
}
inline uint64_t asc_get_l0c2gm_prequant() { return nputwin::core()->regs.cube.quant_given; }
inline uint64_t asc_get_l0c2gm_relu() { return nputwin::core()->regs.cube.relu_at; }
inline uint64_t asc_get_l0c2gm_unitflag() { return nputwin::core()->regs.cube.has_unit_flag; }
/* Of relu_pre 2: what a negative sum is multiplied by. */
inline void asc_set_l0c2gm_lrelu_alpha(const half &config)
{
    nputwin::core()->regs.cube.leaky = float(config);
}
inline void asc_set_l0c2gm_lrelu_alpha(const float &config)
{
    nputwin::core()->regs.cube.leaky = config;
}

#define NPU_C_SAYS_IMAGE                                                                           \
    ": the image processor (AIPP) is not modelled, and the C API has no call that says where the " \
    "image lies; asc_copy_gm2l1 brings pixels as they are"
NPU_C_REFUSE(asc_load_image_to_cbuf, "asc_load_image_to_cbuf" NPU_C_SAYS_IMAGE)
NPU_C_REFUSE(asc_load_image_to_cbuf_sync, "asc_load_image_to_cbuf" NPU_C_SAYS_IMAGE)

#undef NPU_C_CUBE
#undef NPU_C_CUBE_T
#undef NPU_C_WHERE
#undef NPU_C_BURSTS
#undef NPU_C_BLKS
#endif
