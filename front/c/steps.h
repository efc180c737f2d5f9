/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps.h - the instructions of special.h and of the raw intrinsics, with types as numbers:
 * sorting, merging, gathering by bits, transposing, dequantising.
 */
#ifndef NPU_FRONT_C_STEPS_H
#define NPU_FRONT_C_STEPS_H
#include "core.h"

/* Address registers: each holds eight blks; two neighbours are the 16 of one operand. */
enum ub_addr8_t { VA0, VA1, VA2, VA3, VA4, VA5, VA6, VA7 };

namespace nputwin {

/* int16_t to bytes: 16 results fill a half of each blk of dst, the other half stays. */
inline void c_deq_bytes(npu_type type, void *dst, const int16_t *src, uint8_t mode, uint32_t count,
                        uint8_t repeat, const strides &s, npu_where where)
{
    npu_core *c = core();
    npu_insn in = vec_insn(c, OP_vdeqs16, TYPE_s16, dst, src, nullptr, repeat, s, where);
    in.dst_type = uint8_t(type);
    in.mode = mode;
    in.scalar = c->regs.deq_scale;
    in.count = count;
    if (mode & DEQ_VECTOR) {
        in.ref[2].mem = MEM_UB;
        in.ref[2].at_bytes = c->regs.deq_scale * NPU_BLK_BYTES;
    }
    if (count)
        npu_issue(c, &in);
    else
        issue_masked(c, in);
}
inline void c_deq_bytes_count(npu_type type, void *dst, const int16_t *src, uint8_t mode,
                              uint32_t count, npu_where where)
{
    if (count)
        c_deq_bytes(type, dst, src, mode, count, 0, {{1, 1, 1}, {8, 8, 8}}, where);
    after_count(core());
}

inline bool c_even(const char *name, uint32_t count, npu_where where)
{
    if (NPU_LIKELY(count % 2 == 0))
        return true;
    npu_fault(core(), NPU_E_ARG, where,
              "%s: count is %u; two 4-bit integers share a byte, so it is "
              "even",
              name, count);
    return false;
}

/* Elements whose bit is set, one after the other. The mask register has no say; `counted` elements
 * a repeat, or 256 bytes when it is 0. */
inline void c_gather_mask(const c_call &k, uint32_t counted, uint32_t repeat, const strides &s,
                          npu_where where)
{
    npu_core *c = core();
    npu_insn in = c_insn(c, k, repeat, s, where);
    reset_mask(in.mask);
    in.counter = counted != 0;
    if (in.counter)
        in.mask[0] = counted;
    if (repeat)
        npu_issue(c, &in);
}

inline void c_sort32(npu_type type, void *dst, const void *src0, const void *src1, int32_t repeat,
                     npu_where where)
{
    if (NPU_UNLIKELY(repeat < 0 || repeat > 255)) {
        npu_fault(core(), NPU_E_ARG, where, "asc_bitsort: repeat is %d, allowed are 0 to 255",
                  repeat);
        return;
    }
    c_repeat_all({OP_vsort32, type, type, dst, src0, src1, 0, 0}, uint32_t(repeat),
                 {{1, 1, 1}, {8, 4, 4}}, where);
}

/* Several repeats are merged only when four queues of one length lie one after the other. */
inline bool c_merge_repeats(const npu_lists &l, uint32_t repeat, bool stops, uint32_t n)
{
    bool regular = n == 4 && !stops;
    for (int k = 1; k < 4; k++)
        regular = regular && l.src_bytes[k] == l.src_bytes[0] &&
                  l.src[k] == l.src[k - 1] + l.src_bytes[k - 1];
    return repeat <= 1 || regular;
}

inline void c_merge(const char *name, npu_type type, void *dst, const void *const *src,
                    uint8_t repeat, const uint16_t *lengths, bool stops, uint8_t valid_bit,
                    npu_where where)
{
    npu_core *c = core();
    const uint32_t n = valid_bit == 15 ? 4 : valid_bit == 7 ? 3 : valid_bit == 3 ? 2 : 0;
    if (NPU_UNLIKELY(!n)) {
        npu_fault(c, NPU_E_ARG, where, "%s: valid_bit is %u, allowed are 3, 7 and 15", name,
                  valid_bit);
        return;
    }
    for (uint32_t k = 0; k < 4; k++) {
        c->lists.src[k] = k < n ? ub_offset(c, uint64_t(uintptr_t(src[k]))) : 0;
        c->lists.src_bytes[k] = k < n ? lengths[k] * 8u : 0;
    }
    if (NPU_UNLIKELY(!c_merge_repeats(c->lists, repeat, stops, n))) {
        npu_fault(c, NPU_E_ARG, where,
                  "%s: repeat is %u; more than one takes four queues of one length that lie one "
                  "after the other, and no stop when one is empty",
                  name, repeat);
        return;
    }
    npu_insn in = vec_insn(c, OP_vmrgsort, type, dst, nullptr, nullptr, repeat,
                           {{1, 1, 1}, {8, 8, 8}}, where);
    in.mode = uint8_t(n | (stops ? MERGE_STOPS : 0));
    issue_unmasked(c, in);
}

inline void c_nchw(const char *name, npu_type type, ub_addr8_t dst, ub_addr8_t src, uint8_t repeat,
                   uint16_t dst_stride, uint16_t src_stride, uint8_t mode, npu_where where)
{
    npu_core *c = core();
    if (NPU_UNLIKELY(unsigned(dst) >= VA7 || unsigned(src) >= VA7)) {
        npu_fault(c, NPU_E_ARG, where,
                  "%s: VA%d and VA%d: an operand is two registers that follow each other, VA0 to "
                  "VA6 can be the first",
                  name, int(dst), int(src));
        return;
    }
    for (int k = 0; k < NPU_LIST; k++) {
        c->lists.dst[k] = c->lists.va[dst + k / 8][k % 8];
        c->lists.src[k] = c->lists.va[src + k / 8][k % 8];
    }
    npu_insn in = vec_insn(c, OP_vnchwconv, type, c->mem[MEM_UB].base, c->mem[MEM_UB].base, nullptr,
                           repeat, {{1, 1, 0}, {dst_stride, src_stride, 0}}, where);
    in.mode = mode;
    issue_unmasked(c, in);
}

} // namespace nputwin
#endif
