/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cce_cube.h - the raw intrinsics of the cube core: movers, product, way out and their registers.
 *
 * The C API's calls say the same with names; each line here is one of them. Units as there:
 * fractals of 512 bytes, bursts and gaps in blks of 32 bytes. Registers are the packed numbers of
 * the chip.
 */
#ifndef NPU_FRONT_CCE_CUBE_H
#define NPU_FRONT_CCE_CUBE_H
#include "../c/cube.h"

/* Whether the source of a load goes up or down from one repeat to the next. */
enum class addr_cal_mode_t : uint8_t { inc = 0, dec = 1 };

#define NPU_CCE_CUBE template <class T> inline void
#define NPU_CCE_2D                                                                                 \
    (T * dst, const T *src, uint16_t base, uint8_t repeat, uint16_t src_stride, uint16_t dst_gap,  \
     uint8_t sid, addr_cal_mode_t mode, npu_where where = NPU_HERE)
#define NPU_CCE_2D_TURNED                                                                          \
    (T * dst, const T *src, uint16_t base, uint8_t repeat, uint16_t src_stride, uint16_t dst_gap,  \
     uint8_t sid, bool turns, addr_cal_mode_t mode, npu_where where = NPU_HERE)
#define NPU_CCE_2D_PARAMS(turns)                                                                   \
    AscendC::LoadData2DParams(base, repeat, src_stride, sid, dst_gap, turns, uint8_t(mode))

/* ---- into L1 --------------------------------------------------------------------------- */

inline void copy_gm_to_cbuf(void *dst, const void *src, uint8_t, uint16_t n_burst,
                            uint16_t len_burst, uint16_t src_gap, uint16_t dst_gap, pad_t pad,
                            npu_where where = NPU_HERE)
{
    constexpr npu_groups groups[] = {{1, 1},  {1, 32}, {1, 16}, {2, 16}, {4, 16},
                                     {8, 16}, {32, 4}, {32, 8}, {32, 16}};
    const nputwin::bursts b = nputwin::c_l1_bursts(n_burst, len_burst, src_gap, dst_gap);
    if (pad == PAD_NONE)
        nputwin::c_gm2l1("copy_gm_to_cbuf", dst, src, b, where);
    else
        nputwin::c_gm2l1_pad("copy_gm_to_cbuf", dst, src, b, groups[pad], where);
}
#define NPU_CCE_ND2NZ(bits, bytes)                                                                 \
    NPU_CCE_CUBE copy_gm_to_cbuf_multi_nd2nz_##bits(                                               \
        T *dst, const T *src, uint8_t, uint16_t nd_num, uint16_t n_value, uint16_t d_value,        \
        uint16_t src_nd_stride, uint16_t src_d_value, uint16_t dst_c0_stride,                      \
        uint16_t dst_n_stride, uint16_t dst_nd_stride, npu_where where = NPU_HERE)                 \
    {                                                                                              \
        static_assert(sizeof(T) == bytes,                                                          \
                      "copy_gm_to_cbuf_multi_nd2nz_" #bits ": elements of another width");         \
        asc_copy_gm2l1_nd2nz(dst, src, nd_num, n_value, d_value, src_nd_stride, src_d_value,       \
                             dst_c0_stride, dst_n_stride, dst_nd_stride, where);                   \
    }
NPU_CCE_ND2NZ(b8, 1)
NPU_CCE_ND2NZ(b16, 2)
NPU_CCE_ND2NZ(b32s, 4)
#undef NPU_CCE_ND2NZ
NPU_CCE_CUBE load_gm_to_cbuf NPU_CCE_2D
{
    nputwin::c_fractals_in("load_gm_to_cbuf", AscendC::TPosition::A1, dst, src,
                           NPU_CCE_2D_PARAMS(false), where);
}

/* ---- into L0A and L0B ------------------------------------------------------------------ */

NPU_CCE_CUBE load_gm_to_ca NPU_CCE_2D
{
    nputwin::c_fractals_in("load_gm_to_ca", AscendC::TPosition::A2, dst, src,
                           NPU_CCE_2D_PARAMS(false), where);
}
NPU_CCE_CUBE load_gm_to_cb NPU_CCE_2D
{
    nputwin::c_fractals_in("load_gm_to_cb", AscendC::TPosition::B2, dst, src,
                           NPU_CCE_2D_PARAMS(false), where);
}
NPU_CCE_CUBE load_cbuf_to_ca NPU_CCE_2D_TURNED
{
    nputwin::c_l12l0("load_cbuf_to_ca", AscendC::TPosition::A2, dst, src, NPU_CCE_2D_PARAMS(turns),
                     where);
}
NPU_CCE_CUBE load_cbuf_to_cb NPU_CCE_2D_TURNED
{
    nputwin::c_l12l0("load_cbuf_to_cb", AscendC::TPosition::B2, dst, src, NPU_CCE_2D_PARAMS(turns),
                     where);
}
#define NPU_CCE_TRANSPOSE(name, position)                                                          \
    NPU_CCE_CUBE name(T *dst, const T *src, uint16_t base, uint8_t repeat, uint16_t src_stride,    \
                      uint16_t dst_gap, addr_cal_mode_t mode, uint16_t dst_frac_gap,               \
                      npu_where where = NPU_HERE)                                                  \
    {                                                                                              \
        nputwin::c_l12l0_trans(#name, position, dst, src,                                          \
                               AscendC::LoadData2dTransposeParams(base, repeat, src_stride,        \
                                                                  dst_gap, dst_frac_gap,           \
                                                                  uint8_t(mode)),                  \
                               where);                                                             \
    }
NPU_CCE_TRANSPOSE(load_cbuf_to_ca_transpose, AscendC::TPosition::A2)
NPU_CCE_TRANSPOSE(load_cbuf_to_cb_transpose, AscendC::TPosition::B2)
#undef NPU_CCE_TRANSPOSE
#define NPU_CCE_IMAGE(name, call)                                                                  \
    NPU_CCE_CUBE name(T *dst, const T *src, uint16_t k_extension, uint16_t m_extension,            \
                      uint16_t k_start, uint16_t m_start, uint8_t stride_w, uint8_t stride_h,      \
                      uint8_t filter_w, uint8_t filter_h, uint8_t dilation_w, uint8_t dilation_h,  \
                      bool wide_w, bool wide_h, bool turns, bool is_right, uint16_t channels,      \
                      npu_where where = NPU_HERE)                                                  \
    {                                                                                              \
        call(dst, src, k_extension, m_extension, k_start, m_start, stride_w, stride_h, filter_w,   \
             filter_h, dilation_w, dilation_h, wide_w, wide_h, turns, is_right, channels, where);  \
    }
NPU_CCE_IMAGE(img2colv2_cbuf_to_ca, asc_copy_l12l0a)
NPU_CCE_IMAGE(img2colv2_cbuf_to_cb, asc_copy_l12l0b)
#undef NPU_CCE_IMAGE

/* ---- one value; config: repeats, blks << 16, gap << 32 --------------------------------- */

#define NPU_CCE_FILL(name, mem)                                                                    \
    template <class T, class V>                                                                    \
    inline void name(T *dst, int64_t config, V value, npu_where where = NPU_HERE)                  \
    {                                                                                              \
        asc_fill_value_config c;                                                                   \
        c.config = uint64_t(config);                                                               \
        nputwin::c_fill(#name, mem, dst, value, c, where);                                         \
    }
NPU_CCE_FILL(create_cbuf_matrix, MEM_L1)
NPU_CCE_FILL(create_ca_matrix, MEM_L0A)
NPU_CCE_FILL(create_cb_matrix, MEM_L0B)
NPU_CCE_FILL(create_cbuf_matrix_bf16, MEM_L1)
NPU_CCE_FILL(create_ca_matrix_bf16, MEM_L0A)
NPU_CCE_FILL(create_cb_matrix_bf16, MEM_L0B)
#undef NPU_CCE_FILL

/* ---- from L1 elsewhere ----------------------------------------------------------------- */

inline void copy_cbuf_to_bt(uint64_t dst, const void *src, uint16_t conv_control, uint16_t n_burst,
                            uint16_t len_burst, uint16_t src_gap, uint16_t dst_gap,
                            npu_where where = NPU_HERE)
{
    asc_copy_l12bt(dst, src, conv_control, n_burst, len_burst, src_gap, dst_gap, where);
}
inline void copy_cbuf_to_fbuf(void *dst, const void *src, uint16_t n_burst, uint16_t len_burst,
                              uint16_t src_gap, uint16_t dst_gap, npu_where where = NPU_HERE)
{
    asc_copy_l12fb(dst, src, n_burst, len_burst, src_gap, dst_gap, where);
}
inline void copy_cbuf_to_gm(void *dst, const void *src, uint8_t, uint16_t n_burst,
                            uint16_t len_burst, uint16_t src_gap, uint16_t dst_gap,
                            npu_where where = NPU_HERE)
{
    asc_copy_l12gm(dst, src, n_burst, len_burst, src_gap, dst_gap, where);
}

/* ---- product and way out --------------------------------------------------------------- */

template <class C, class A>
inline void mad(C *c, const A *a, const A *b, uint16_t m, uint16_t k, uint16_t n, uint8_t unit_flag,
                bool k_direction_align, bool c_source, bool c_init, npu_where where = NPU_HERE)
{
    nputwin::c_mmad("mad", c, a, b,
                    nputwin::c_mmad_params(m, k, n, unit_flag, k_direction_align, c_source, c_init),
                    false, where);
}
#define NPU_CCE_OUT(name, call)                                                                    \
    template <class D, class S>                                                                    \
    inline void name(D *dst, const S *src, uint8_t, uint16_t n, uint16_t m, uint32_t dst_stride,   \
                     uint16_t src_stride, uint8_t unit_flag, uint64_t quant, uint8_t relu,         \
                     bool splits, bool to_nd, npu_where where = NPU_HERE)                          \
    {                                                                                              \
        call(dst, src, n, m, dst_stride, src_stride, unit_flag, quant, relu, splits, to_nd,        \
             where);                                                                               \
    }
NPU_CCE_OUT(copy_matrix_cc_to_gm, asc_copy_l0c2gm)
NPU_CCE_OUT(copy_matrix_cc_to_cbuf, asc_copy_l0c2l1)
#undef NPU_CCE_OUT

/* ---- registers ------------------------------------------------------------------------- */

inline void set_fmatrix(uint64_t config)
{
    asc_l13d_fmatrix_config k;
    k.config = config;
    asc_set_l13d_fmatrix(k);
}
inline void set_fmatrix_b(uint64_t config)
{
    asc_l13d_fmatrix_config k;
    k.config = config;
    asc_set_l13d_fmatrix_b(k);
}
inline void set_padding(uint64_t value) { asc_set_l13d_padding(value); }
inline void set_l3d_rpt(uint64_t config)
{
    asc_load3d_v2_config k;
    k.config = config;
    asc_set_l13d_rpt(k);
}
inline void set_l1_3d_size(uint64_t bytes, npu_where where = NPU_HERE)
{
    asc_set_l13d_size(bytes, where);
}
inline void set_quant_pre(uint64_t value) { asc_set_l0c_copy_prequant(value); }
/* Matrices, their step in 16 x 16 sums << 16, the step of the results in elements << 32. */
inline void set_nd_para(uint64_t config)
{
    asc_set_l0c_copy_params(uint16_t(config), uint16_t(config >> 16), uint16_t(config >> 32));
}

#undef NPU_CCE_CUBE
#undef NPU_CCE_2D
#undef NPU_CCE_2D_TURNED
#undef NPU_CCE_2D_PARAMS
#endif
