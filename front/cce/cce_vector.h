/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cce_vector.h - raw intrinsics of dav-2201's vector unit beside those of cce.h: fused and
 * narrowing arithmetic, comparisons into the register, dequantisation, gathers, sorting,
 * transposing.
 *
 * Names and operands are those that the C API's calls end in; c/special.h says what each one means.
 */
#ifndef NPU_FRONT_CCE_VECTOR_H
#define NPU_FRONT_CCE_VECTOR_H
#include "../c/scalar.h"
#include "../c/steps.h"
#include "../c/sync.h"
#include "../c/system.h"

/* The strides of three operands, of two, and how they travel. */
#define NPU_CCE_STRIDES3                                                                           \
    uint8_t repeat, uint8_t dst_blk, uint8_t src0_blk, uint8_t src1_blk, uint8_t dst_rep,          \
        uint8_t src0_rep, uint8_t src1_rep, npu_where where = NPU_HERE
#define NPU_CCE_STRIDED3                                                                           \
    repeat, {{dst_blk, src0_blk, src1_blk}, {dst_rep, src0_rep, src1_rep}}, where
#define NPU_CCE_STRIDES2                                                                           \
    uint8_t repeat, uint16_t dst_blk, uint16_t src_blk, uint16_t dst_rep, uint16_t src_rep,        \
        npu_where where = NPU_HERE
#define NPU_CCE_STRIDED2 repeat, {{dst_blk, src_blk, 0}, {dst_rep, src_rep, 0}}, where

/* ---- lane by lane -------------------------------------------------------------------- */

#define NPU_CCE_VVV(name)                                                                          \
    template <class T> inline void name(T *dst, const T *src0, const T *src1, NPU_CCE_STRIDES3)    \
    {                                                                                              \
        NPU_TAKES(#name, OP_##name, T);                                                            \
        nputwin::c_repeat(                                                                         \
            {OP_##name, nputwin::type_of<T>, nputwin::type_of<T>, dst, src0, src1, 0, 0},          \
            NPU_CCE_STRIDED3);                                                                     \
    }
NPU_CCE_VVV(vaddrelu)
NPU_CCE_VVV(vsubrelu)
NPU_CCE_VVV(vmla)
NPU_CCE_VVV(vmadd)
NPU_CCE_VVV(vmaddrelu)
#undef NPU_CCE_VVV

/* dst of another type than the sources. */
#define NPU_CCE_TO(name, row, D, S)                                                                \
    inline void name(NPU_C_##D *dst, const NPU_C_##S *src0, const NPU_C_##S *src1,                 \
                     NPU_CCE_STRIDES3)                                                             \
    {                                                                                              \
        nputwin::c_repeat({OP_##row, TYPE_##D, TYPE_##S, dst, src0, src1, 0, 0},                   \
                          NPU_CCE_STRIDED3);                                                       \
    }
NPU_CCE_TO(vmla, vmlaw, f32, f16)
NPU_CCE_TO(vaddreluconv_s162s8, vaddreluconv, s8, s16)
NPU_CCE_TO(vaddreluconv_f162s8, vaddreluconv, s8, f16)
NPU_CCE_TO(vaddreluconv_f322f16, vaddreluconv, f16, f32)
NPU_CCE_TO(vsubreluconv_s162s8, vsubreluconv, s8, s16)
NPU_CCE_TO(vsubreluconv_f162s8, vsubreluconv, s8, f16)
NPU_CCE_TO(vsubreluconv_f322f16, vsubreluconv, f16, f32)
NPU_CCE_TO(vmulconv_f162s8, vmulconv, s8, f16)
NPU_CCE_TO(vmulconv_f162u8, vmulconv, u8, f16)
#undef NPU_CCE_TO

template <class T>
inline void vlrelu(T *dst, const T *src, nputwin::same<T> scalar, NPU_CCE_STRIDES2)
{
    NPU_TAKES("vlrelu", OP_vlrelu, T);
    nputwin::c_repeat({OP_vlrelu, nputwin::type_of<T>, nputwin::type_of<T>, dst, src, nullptr,
                       nputwin::bits_of(scalar), 0},
                      NPU_CCE_STRIDED2);
}
/* A half times a half, added to a float. */
inline void vaxpy(float *dst, const half *src, half scalar, NPU_CCE_STRIDES2)
{
    nputwin::c_repeat(
        {OP_vaxpyw, TYPE_f32, TYPE_f16, dst, src, nullptr, nputwin::bits_of(scalar), 0},
        NPU_CCE_STRIDED2);
}
template <class T> inline void vcopy(T *dst, const T *src, NPU_CCE_STRIDES2)
{
    NPU_TAKES("vcopy", OP_vcopy, T);
    nputwin::c_repeat({OP_vcopy, nputwin::type_of<T>, nputwin::type_of<T>, dst, src, nullptr, 0, 0},
                      NPU_CCE_STRIDED2);
}
template <class T> inline void vshl(T *dst, const T *src, uint32_t distance, NPU_CCE_STRIDES2)
{
    NPU_TAKES("vshl", OP_vshl, T);
    if (nputwin::c_shift("vshl", distance, 8 * sizeof(T), where))
        nputwin::c_repeat(
            {OP_vshl, nputwin::type_of<T>, nputwin::type_of<T>, dst, src, nullptr, distance, 0},
            NPU_CCE_STRIDED2);
}
/* round: plus the last bit that fell out; of signed elements. */
template <class T>
inline void vshr(T *dst, const T *src, int32_t distance, uint8_t repeat, uint16_t dst_blk,
                 uint16_t src_blk, uint16_t dst_rep, uint16_t src_rep, bool round,
                 npu_where where = NPU_HERE)
{
    NPU_TAKES("vshr", OP_vshr, T);
    if (NPU_UNLIKELY(round && std::is_unsigned_v<T>))
        npu_fault(nputwin::core(), NPU_E_TYPE, where, "vshr: rounding is for signed elements");
    else if (nputwin::c_shift("vshr", distance, 8 * sizeof(T), where))
        nputwin::c_repeat({round ? OP_vshrr : OP_vshr, nputwin::type_of<T>, nputwin::type_of<T>,
                           dst, src, nullptr, uint64_t(distance), 0},
                          NPU_CCE_STRIDED2);
}

/* ---- comparison into the register, sums of pairs ---------------------------------------- */

/* One repeat; lanes that are off keep their bit. */
#define NPU_CCE_CMPR(name, relation)                                                               \
    template <class T> inline void vcmp_##name(const T *src0, const T *src1, NPU_CCE_STRIDES3)     \
    {                                                                                              \
        NPU_TAKES("vcmp_" #name, OP_vcmpr, T);                                                     \
        repeat = 1;                                                                                \
        nputwin::c_repeat({OP_vcmpr, nputwin::type_of<T>, nputwin::type_of<T>, nullptr, src0,      \
                           src1, 0, relation},                                                     \
                          NPU_CCE_STRIDED3);                                                       \
    }
NPU_CCE_CMPR(lt, CMP_LT)
NPU_CCE_CMPR(gt, CMP_GT)
NPU_CCE_CMPR(eq, CMP_EQ)
NPU_CCE_CMPR(le, CMP_LE)
NPU_CCE_CMPR(ge, CMP_GE)
NPU_CCE_CMPR(ne, CMP_NE)
#undef NPU_CCE_CMPR
inline void get_cmpmask(void *dst, npu_where where = NPU_HERE)
{
    npu_settle(nputwin::core());
    uint8_t *p = nputwin::c_ub_bytes("get_cmpmask", dst, 16, where, 16);
    if (p)
        std::memcpy(p, nputwin::core()->regs.cmpmask, 16);
}
/* dst_rep counts half a repeat. */
template <class T>
inline void vcpadd(T *dst, const T *src, uint8_t repeat, uint16_t dst_rep, uint16_t src_blk,
                   uint16_t src_rep, npu_where where = NPU_HERE)
{
    NPU_TAKES("vcpadd", OP_vcpadd, T);
    nputwin::c_repeat(
        {OP_vcpadd, nputwin::type_of<T>, nputwin::type_of<T>, dst, src, nullptr, 0, ONLY_VALUE},
        repeat, {{1, src_blk, 0}, {dst_rep, src_rep, 0}}, where);
}

/* ---- dequantisation, 4-bit integers ------------------------------------------------------ */

inline void set_deqscale(half scale) { nputwin::core()->regs.deq_scale = nputwin::bits_of(scale); }
/* The register as it is: a scale, an offset, a sign; or where 16 of them lie, in blks of UB. */
inline void set_deqscale(uint64_t config) { nputwin::core()->regs.deq_scale = config; }
inline void vconv_deq(half *dst, const int32_t *src, NPU_CCE_STRIDES2)
{
    npu_core *c = nputwin::core();
    if (nputwin::check_deq_scale(c, "vconv_deq", where))
        nputwin::c_repeat({OP_vdeq, TYPE_f16, TYPE_s32, dst, src, nullptr, c->regs.deq_scale, 0},
                          NPU_CCE_STRIDED2);
}
#define NPU_CCE_DEQ(name, mode)                                                                    \
    template <class T> inline void vconv_##name(T *dst, const int16_t *src, NPU_CCE_STRIDES2)      \
    {                                                                                              \
        static_assert(std::is_same_v<T, int8_t> || std::is_same_v<T, uint8_t>,                     \
                      "vconv_" #name ": dst is int8_t or uint8_t");                                \
        nputwin::c_deq_bytes(nputwin::type_of<T>, dst, src, mode, 0, NPU_CCE_STRIDED2);            \
    }
NPU_CCE_DEQ(deqs162b8l, 0)
NPU_CCE_DEQ(deqs162b8h, DEQ_HIGH)
NPU_CCE_DEQ(vdeqs162b8l, DEQ_VECTOR)
NPU_CCE_DEQ(vdeqs162b8h, DEQ_VECTOR | DEQ_HIGH)
#undef NPU_CCE_DEQ
/* Two 4-bit integers a byte, behind any pointer. */
#define NPU_CCE_INT4(name, row, D, S, rounding)                                                    \
    inline void vconv_##name(D *dst, const S *src, NPU_CCE_STRIDES2)                               \
    {                                                                                              \
        nputwin::c_repeat({OP_##row, TYPE_f16, TYPE_f16, dst, src, nullptr, 0, ROUND_##rounding},  \
                          NPU_CCE_STRIDED2);                                                       \
    }
NPU_CCE_INT4(f162s4, vf162s4, void, half, NONE)
NPU_CCE_INT4(f162s4r, vf162s4, void, half, RINT)
NPU_CCE_INT4(f162s4a, vf162s4, void, half, ROUND)
NPU_CCE_INT4(f162s4f, vf162s4, void, half, FLOOR)
NPU_CCE_INT4(f162s4c, vf162s4, void, half, CEIL)
NPU_CCE_INT4(f162s4z, vf162s4, void, half, TRUNC)
NPU_CCE_INT4(s42f16, vs42f16, half, void, NONE)
#undef NPU_CCE_INT4

/* ---- gathers, sorting, transposing ------------------------------------------------------- */

/* Offsets in bytes of UB from src_base on, which is an address of UB in 32 bits. */
template <class T>
inline void vgather(T *dst, const uint32_t *offsets, uint32_t src_base, uint16_t dst_rep,
                    uint8_t repeat, npu_where where = NPU_HERE)
{
    NPU_TAKES("vgather", OP_vgather, T);
    npu_core *c = nputwin::core();
    const uint32_t at = src_base - uint32_t(uintptr_t(c->mem[MEM_UB].base));
    nputwin::c_repeat({OP_vgather, nputwin::type_of<T>, nputwin::type_of<T>, dst,
                       c->mem[MEM_UB].base + at, offsets, 0, 0},
                      repeat, {{1, 1, 1}, {dst_rep, 8, 8}}, where);
}
template <class T>
inline void vgatherb(T *dst, const uint32_t *offsets, uint32_t src_base, uint16_t dst_rep,
                     uint8_t dst_blk, uint8_t repeat, npu_where where = NPU_HERE)
{
    NPU_TAKES("vgatherb", OP_vgatherb, T);
    npu_core *c = nputwin::core();
    const uint32_t at = src_base - uint32_t(uintptr_t(c->mem[MEM_UB].base));
    nputwin::c_repeat_all({OP_vgatherb, nputwin::type_of<T>, nputwin::type_of<T>, dst,
                           c->mem[MEM_UB].base + at, offsets, 0, 0},
                          repeat, {{dst_blk, 1, 1}, {dst_rep, 8, 1}}, where);
}
/* In counter mode a repeat has as many elements as the mask register says, else 256 bytes. */
template <class T>
inline void vreducev2(T *dst, const T *src0, const T *src1, uint16_t repeat, uint8_t src0_blk,
                      uint8_t pattern, uint16_t src0_rep, uint8_t src1_rep,
                      npu_where where = NPU_HERE)
{
    NPU_TAKES("vreducev2", OP_vgathermask, T);
    const npu_regs &regs = nputwin::core()->regs;
    nputwin::c_gather_mask({OP_vgathermask, nputwin::type_of<T>, nputwin::type_of<T>, dst, src0,
                            pattern ? nullptr : src1, 0, pattern},
                           regs.counter_mode ? uint32_t(regs.mask[0]) : 0, repeat,
                           {{1, src0_blk, 1}, {8, src0_rep, src1_rep}}, where);
}
inline int64_t get_rsvd_cnt() { return int64_t(nputwin::core()->regs.n_gathered); }
template <class T>
inline void vbitsort(T *dst, const T *src0, const uint32_t *src1, uint8_t repeat,
                     npu_where where = NPU_HERE)
{
    NPU_TAKES("vbitsort", OP_vsort32, T);
    nputwin::c_sort32(nputwin::type_of<T>, dst, src0, src1, repeat, where);
}
template <class T> inline void vtranspose(T *dst, const T *src, npu_where where = NPU_HERE)
{
    NPU_TAKES("vtranspose", OP_vtranspose, T);
    nputwin::c_repeat_all(
        {OP_vtranspose, nputwin::type_of<T>, nputwin::type_of<T>, dst, src, nullptr, 0, 0}, 1,
        {{1, 1, 0}, {16, 16, 0}}, where);
}
/* Eight addresses of UB. */
inline void set_va_reg_sb(ub_addr8_t addr, const uint64_t *array)
{
    npu_core *c = nputwin::core();
    for (int k = 0; k < 8; k++)
        c->lists.va[addr & 7][k] = nputwin::ub_offset(c, array[k]);
}
#define NPU_CCE_NCHW(suffix, row)                                                                  \
    inline void scatter_vnchwconv_##suffix(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat,         \
                                           uint16_t dst_stride, uint16_t src_stride,               \
                                           npu_where where = NPU_HERE)                             \
    {                                                                                              \
        nputwin::c_nchw("scatter_vnchwconv_" #suffix, TYPE_##row, dst, src, repeat, dst_stride,    \
                        src_stride, 0, where);                                                     \
    }
NPU_CCE_NCHW(b16, u16)
NPU_CCE_NCHW(b32, u32)
#undef NPU_CCE_NCHW
inline void scatter_vnchwconv_b8(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat,
                                 uint16_t dst_stride, uint16_t src_stride, bool dst_high,
                                 bool src_high, npu_where where = NPU_HERE)
{
    nputwin::c_nchw("scatter_vnchwconv_b8", TYPE_u8, dst, src, repeat, dst_stride, src_stride,
                    uint8_t((dst_high ? NCHW_DST_HIGH : 0) | (src_high ? NCHW_SRC_HIGH : 0)),
                    where);
}

/* ---- registers and words ----------------------------------------------------------------- */

/* Bits of one element: what fills the paddings of later copies. */
inline void set_mov_pad_val(uint64_t bits)
{
    npu_core *c = nputwin::core();
    c->regs.pad_value = bits;
    c->regs.has_pad_value = true;
}
inline int64_t get_ctrl() { return asc_get_ctrl(); }
inline void set_ctrl(uint64_t config, npu_where where = NPU_HERE) { asc_set_ctrl(config, where); }
inline int64_t get_coreid() { return asc_get_core_id(); }
inline int64_t get_sys_cnt() { return asc_get_system_cycle(); }
inline uint64_t get_imm(uint64_t offset) { return asc_get_phy_buf_addr(offset); }
inline int64_t bcnt0(uint64_t value) { return asc_zero_bits_cnt(value); }
inline int64_t bcnt1(uint64_t value) { return asc_popc(value); }
inline int64_t clz(uint64_t value) { return asc_clz(value); }
inline int64_t sff0(uint64_t value) { return asc_ffz(value); }
inline int64_t sff1(uint64_t value) { return asc_ffs(value); }
inline int64_t sflbits(int64_t value) { return asc_sflbits(value); }
inline uint64_t sbitset0(uint64_t bits, int64_t idx) { return asc_clear_nthbit(bits, idx); }
inline uint64_t sbitset1(uint64_t bits, int64_t idx) { return asc_set_nthbit(bits, idx); }
inline void dsb(mem_dsb_t arg) { asc_sync_data_barrier(arg); }
inline void dc_preload(const uint64_t *address, int64_t offset)
{
    asc_datacache_preload(address, offset);
}
inline int64_t get_icache_prl_st() { return asc_get_icache_preload_status(); }

/* An operation, and the type that it is done in; none switches it off. */
inline void set_atomic_none() { asc_set_atomic_none(); }
inline void set_atomic_add() { nputwin::core()->regs.atomic_op = ATOMIC_ADD; }
inline void set_atomic_max() { nputwin::core()->regs.atomic_op = ATOMIC_MAX; }
inline void set_atomic_min() { nputwin::core()->regs.atomic_op = ATOMIC_MIN; }
inline void set_atomic_f32() { nputwin::core()->regs.atomic_type = TYPE_f32; }
inline void set_atomic_f16() { nputwin::core()->regs.atomic_type = TYPE_f16; }
inline void set_atomic_bf16() { nputwin::core()->regs.atomic_type = TYPE_bf16; }
inline void set_atomic_s32() { nputwin::core()->regs.atomic_type = TYPE_s32; }
inline void set_atomic_s16() { nputwin::core()->regs.atomic_type = TYPE_s16; }
inline void set_atomic_s8() { nputwin::core()->regs.atomic_type = TYPE_s8; }

/* ---- cores and caches ------------------------------------------------------------------------ */

/* config: bit 0, the mode from bit 4, the flag from bit 8. */
inline void ffts_cross_core_sync(pipe_t pipe, uint64_t config, npu_where where = NPU_HERE)
{
    npu_core *c = nputwin::core();
    const uint64_t mode = config >> 4 & 3, flag_id = config >> 8 & 15;
    if (NPU_UNLIKELY(!(config & 1) || config >> 12 || config & 0xce || mode > CROSS_GROUP)) {
        npu_fault(c, NPU_E_ARG, where,
                  "ffts_cross_core_sync: config is 0x%llx; it is 1 | mode << 4 | flag << 8 with "
                  "modes 0 to 2 and flags 0 to 15",
                  (unsigned long long)config);
        return;
    }
    if (NPU_UNLIKELY(pipe == PIPE_S || pipe == PIPE_ALL)) {
        npu_fault(c, NPU_E_ARG, where,
                  "ffts_cross_core_sync: pipe is V, M, MTE1, MTE2, MTE3 or FIX");
        return;
    }
    npu_cross_set(c, npu_cross(mode), pipe, uint32_t(flag_id), where);
}
inline void wait_flag_dev(int64_t flag_id, npu_where where = NPU_HERE)
{
    if (nputwin::c_flag_id("wait_flag_dev", flag_id, where))
        npu_cross_wait(nputwin::core(), uint32_t(flag_id), where);
}
/* The wait stops the whole core, whatever its pipe. */
inline void wait_flag_dev(pipe_t, int64_t flag_id, npu_where where = NPU_HERE)
{
    wait_flag_dev(flag_id, where);
}
inline void set_ffts_base_addr(uint64_t config) { asc_set_ffts_base_addr(config); }
inline int64_t get_ffts_base_addr() { return asc_get_ffts_base_addr(); }

enum cache_line_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum dcci_dst_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
inline void dcci(const volatile void *dst, uint64_t entire, uint64_t kind = CACHELINE_ALL,
                 npu_where where = NPU_HERE)
{
    if (NPU_UNLIKELY(entire > ENTIRE_DATA_CACHE || kind > CACHELINE_OUT)) {
        npu_fault(nputwin::core(), NPU_E_ARG, where,
                  "dcci(dst, %llu, %llu): SINGLE_CACHE_LINE (0) or ENTIRE_DATA_CACHE (1), then "
                  "CACHELINE_ALL (0), CACHELINE_UB (1) or CACHELINE_OUT (2)",
                  (unsigned long long)entire, (unsigned long long)kind);
        return;
    }
    if (kind != CACHELINE_UB)
        nputwin::clean_cache(const_cast<const void *>(dst), AscendC::CacheLine(entire));
}

/* lengths: pairs of each queue, 16 bits each. config: repeats, the queues that are there from bit
 * 8, and bit 12: stop when one is empty. */
template <class T>
inline void vmrgsort4(T *dst, T **src, uint64_t lengths, uint64_t config,
                      npu_where where = NPU_HERE)
{
    NPU_TAKES("vmrgsort4", OP_vmrgsort, T);
    const void *queues[4] = {};
    uint16_t n[4];
    for (uint32_t k = 0; k < 4; k++) {
        queues[k] = config >> (8 + k) & 1 ? src[k] : nullptr;
        n[k] = uint16_t(lengths >> 16 * k);
    }
    nputwin::c_merge("vmrgsort4", nputwin::type_of<T>, dst, queues, uint8_t(config), n,
                     config >> 12 & 1, config >> 8 & 15, where);
}
template <class T>
inline void vmrgsort4(T *dst, T **src, uint8_t repeat, uint16_t length0, uint16_t length1,
                      uint16_t length2, uint16_t length3, bool stops, uint8_t valid_bit,
                      npu_where where = NPU_HERE)
{
    NPU_TAKES("vmrgsort4", OP_vmrgsort, T);
    const void *const queues[] = {src[0], src[1], src[2], src[3]};
    const uint16_t n[] = {length0, length1, length2, length3};
    nputwin::c_merge("vmrgsort4", nputwin::type_of<T>, dst, queues, repeat, n, stops, valid_bit,
                     where);
}
/* What the newest of them has left: pairs taken of each queue, 16 bits each; bits of the value and
 * the index of an extreme; bits of a sum. */
inline int64_t get_vms4_sr()
{
    int64_t bits;
    std::memcpy(&bits, nputwin::core()->regs.n_merged, sizeof bits);
    return bits;
}
inline int64_t get_max_min_cnt()
{
    npu_settle(nputwin::core());
    const uint32_t *reg = nputwin::core()->regs.extreme;
    return int64_t(uint64_t(reg[1]) << 32 | reg[0]);
}
inline int64_t get_acc_val()
{
    npu_settle(nputwin::core());
    return int64_t(nputwin::core()->regs.sum);
}
#endif
