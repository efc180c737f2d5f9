/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy.h - DataCopy and DataCopyPad.
 *
 * Every form becomes npu_insns: bursts of bytes with gaps from the end of a burst to the start of
 * the next. On the UB side a burst ends at the next multiple of 32 bytes. A length that is no
 * multiple of 32 is rounded down by DataCopy, as the chip does, and a note says so; DataCopyPad
 * moves it exactly.
 */
#ifndef NPU_FRONT_COPY_H
#define NPU_FRONT_COPY_H
#include "tensor.h"
#include <cstdlib>

namespace nputwin {

/* A tensor as an operand: its memory by its position, its byte there. */
template <class T> inline npu_ref local_ref(const npu_core *c, const AscendC::LocalTensor<T> &t)
{
    npu_ref r = {};
    r.mem = mem_of(AscendC::TPosition(t.GetPosition()));
    r.at_bytes = uint64_t(uintptr_t(t.raw())) - uint64_t(uintptr_t(c->mem[r.mem].base));
    r.blk_stride = 1;
    return r;
}
/* The same of a tensor in L1. Of a vector core that is L1 of its group's cube core (TSCM): the
 * memory that its TPipe keeps for the queue, which the cube core reads there. */
template <class T> inline npu_ref l1_ref(const npu_core *c, const AscendC::LocalTensor<T> &t)
{
    npu_ref r = local_ref(c, t);
    if (NPU_UNLIKELY(r.mem == MEM_L1 && c->is_mix && c->core_kind == CORE_AIV)) {
        r.mem = MEM_GM;
        r.at_bytes = uint64_t(uintptr_t(t.raw()));
    }
    return r;
}
template <class T> inline bool is_in_l1(const AscendC::LocalTensor<T> &t)
{
    return mem_of(AscendC::TPosition(t.GetPosition())) == MEM_L1;
}
template <class T> inline bool is_in_ub(const AscendC::LocalTensor<T> &t)
{
    return mem_of(AscendC::TPosition(t.GetPosition())) == MEM_UB;
}

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

/* ---- the three ways, by the tensors' types ------------------------------------------- */

template <class T> constexpr npu_type mover = mover_of<AscendC::PrimT<T>>;

/* Bursts between GM and L1, or from L1 into the bias table or the fixpipe buffer. Not through
 * npu_issue_cube: where a tensor lies is known when the kernel runs, and every kernel that copies
 * would then ask for a cube core. */
inline void cube_bursts(npu_core *c, npu_op op, npu_type type, const npu_ref &dst,
                        const npu_ref &src, const bursts &b, npu_where where, npu_type dst_type)
{
    npu_insn in = {};
    in.kind = KIND_OP;
    in.op = op;
    in.type = type;
    in.dst_type = dst_type;
    in.n_burst = b.n;
    in.burst_bytes = b.bytes;
    in.src_gap_bytes = b.src_gap_bytes;
    in.dst_gap_bytes = b.dst_gap_bytes;
    in.ref[0] = dst;
    in.ref[1] = src;
    in.where = where;
    if (b.n && b.bytes)
        npu_issue(c, &in);
}
inline void cube_bursts(npu_core *c, npu_op op, npu_type type, const npu_ref &dst,
                        const npu_ref &src, const bursts &b, npu_where where)
{
    cube_bursts(c, op, type, dst, src, b, where, type);
}
[[gnu::cold, gnu::noinline]] inline void no_way(npu_core *c, int dst, int src, npu_where where)
{
    npu_fault(
        c, NPU_E_ARG, where,
        "DataCopy from %s (%s) to %s (%s): this chip copies GM <-> UB, GM <-> L1, UB -> UB, "
        "L1 -> bias table, L1 -> fixpipe buffer; LoadData fills L0A and L0B, Fixpipe and "
        "DataCopyCO12DstParams empty L0C",
        position_name(AscendC::TPosition(src)), npu_mems[mem_of(AscendC::TPosition(src))].name,
        position_name(AscendC::TPosition(dst)), npu_mems[mem_of(AscendC::TPosition(dst))].name);
}
/* Into and out of memories other than UB; out of line, because most copies know UB only. */
template <class T>
[[gnu::noinline]] void move_l1_in(const AscendC::LocalTensor<T> &dst,
                                  const AscendC::GlobalTensor<T> &src, const bursts &b,
                                  npu_where where)
{
    npu_core *c = core();
    const npu_ref to = l1_ref(c, dst);
    if (is_in_l1(dst))
        cube_bursts(c, OP_copy_gm_to_l1, mover<T>, to, gm_ref(src.raw()), b, where);
    else
        no_way(c, dst.GetPosition(), int(AscendC::TPosition::GM), where);
}
template <class T>
[[gnu::noinline]] void move_l1_out(const AscendC::GlobalTensor<T> &dst,
                                   const AscendC::LocalTensor<T> &src, const bursts &b,
                                   npu_where where)
{
    npu_core *c = core();
    const npu_ref from = local_ref(c, src);
    if (from.mem == MEM_L1)
        cube_bursts(c, OP_copy_l1_to_gm, mover<T>, gm_ref(dst.raw()), from, b, where);
    else
        no_way(c, int(AscendC::TPosition::GM), src.GetPosition(), where);
}
/* Rows become columns of fractals. */
template <class T>
inline void issue_nd2nz(npu_core *c, const npu_ref &to, const npu_ref &from,
                        const AscendC::Nd2NzParams &p, npu_where where)
{
    constexpr uint32_t elem = sizeof(AscendC::PrimT<T>);
    npu_insn in = {};
    in.kind = KIND_OP;
    in.op = OP_copy_nd2nz;
    in.type = in.dst_type = mover<T>;
    in.ref[0] = to;
    in.ref[1] = from;
    in.where = where;
    in.cube.nd2nz = {p.ndNum,
                     p.nValue,
                     uint32_t(p.dValue) * elem,
                     uint32_t(p.srcNdMatrixStride) * elem,
                     uint32_t(p.srcDValue) * elem,
                     uint32_t(p.dstNzMatrixStride) * elem,
                     uint32_t(p.dstNzNStride) * NPU_BLK_BYTES,
                     uint32_t(p.dstNzC0Stride) * NPU_BLK_BYTES};
    npu_issue(c, &in);
}
template <class T>
[[gnu::noinline]] void nd2nz_l1(const AscendC::LocalTensor<T> &dst,
                                const AscendC::GlobalTensor<T> &src, const AscendC::Nd2NzParams &p,
                                npu_where where)
{
    npu_core *c = core();
    const npu_ref to = l1_ref(c, dst);
    if (!is_in_l1(dst))
        no_way(c, dst.GetPosition(), int(AscendC::TPosition::GM), where);
    else
        issue_nd2nz<T>(c, to, gm_ref(src.raw()), p, where);
}
/* UB to L1 (TSCM): a vector core of this chip reaches it through GM and its cube core. The vendor's
 * calls wait for what fills src, and dst is there when they return: so these bring their own
 * barriers. False and a fault when there is no such way, or when the `end` bytes leave the tensor.
 */
template <class T>
inline bool opens_l1(npu_core *c, const AscendC::LocalTensor<T> &dst,
                     const AscendC::LocalTensor<T> &src, int64_t end, npu_where where)
{
    const uint64_t room = uint64_t(dst.GetSize()) * sizeof(AscendC::PrimT<T>);
    if (NPU_UNLIKELY(!c->is_mix || c->core_kind != CORE_AIV)) {
        no_way(c, dst.GetPosition(), src.GetPosition(), where);
        return false;
    }
    if (NPU_UNLIKELY(uint64_t(uintptr_t(dst.raw())) < c->soc->mem_bytes[MEM_L1])) {
        npu_fault(
            c, NPU_E_ARG, where,
            "DataCopy to L1 byte %llu: here a vector core has the L1 that a TSCM queue gives it: "
            "TSCM<pos, 1> que, InitBuffer, AllocTensor",
            (unsigned long long)uintptr_t(dst.raw()));
        return false;
    }
    if (NPU_UNLIKELY(end > int64_t(room))) {
        npu_fault(c, NPU_E_RANGE, where, "DataCopy: writes %lld bytes into a tensor of %llu in L1",
                  (long long)end, (unsigned long long)room);
        return false;
    }
    npu_barrier(c, PIPE_ALL, where);
    return true;
}
template <class T>
[[gnu::noinline]] void ub_to_l1(const AscendC::LocalTensor<T> &dst,
                                const AscendC::LocalTensor<T> &src, const bursts &b,
                                npu_where where)
{
    npu_core *c = core();
    const int64_t end = b.n ? (b.n - 1) * (int64_t(b.bytes) + b.dst_gap_bytes) + b.bytes : 0;
    if (!opens_l1(c, dst, src, end, where))
        return;
    copy_bursts(c, OP_copy_ub_to_gm, mover<T>, dst.raw(), src.raw(), b, {}, where);
    npu_barrier(c, PIPE_ALL, where);
}
/* Bytes of dst up to the end of the last blk. */
inline int64_t nd2nz_end(const AscendC::Nd2NzParams &p, uint32_t elem)
{
    const int64_t columns = (int64_t(p.dValue) * elem + NPU_BLK_BYTES - 1) / NPU_BLK_BYTES;
    if (!p.ndNum || !p.nValue || !columns)
        return 0;
    return int64_t(p.ndNum - 1) * p.dstNzMatrixStride * elem +
           ((columns - 1) * p.dstNzC0Stride + int64_t(p.nValue - 1) * p.dstNzNStride + 1) *
               NPU_BLK_BYTES;
}
template <class T>
[[gnu::noinline]] void nd2nz_ub_l1(const AscendC::LocalTensor<T> &dst,
                                   const AscendC::LocalTensor<T> &src, const npu_ref &from,
                                   const AscendC::Nd2NzParams &p, npu_where where)
{
    npu_core *c = core();
    if (NPU_UNLIKELY(p.ndNum != 1 || !p.nValue || !p.dValue)) {
        npu_fault(c, NPU_E_ARG, where,
                  "DataCopy of ND to NZ from UB to L1: ndNum %u, nValue %u, dValue %u; ndNum is 1, "
                  "the others at least 1",
                  p.ndNum, p.nValue, p.dValue);
        return;
    }
    if (!opens_l1(c, dst, src, nd2nz_end(p, sizeof(AscendC::PrimT<T>)), where))
        return;
    issue_nd2nz<T>(c, l1_ref(c, dst), from, p, where);
    npu_barrier(c, PIPE_ALL, where);
}
/* L1 to the bias table or to the fixpipe buffer. */
template <class T, class U>
[[gnu::noinline]] void bursts_inside(const AscendC::LocalTensor<T> &dst,
                                     const AscendC::LocalTensor<U> &src, const bursts &b,
                                     npu_where where)
{
    npu_core *c = core();
    const npu_ref to = local_ref(c, dst), from = local_ref(c, src);
    const npu_op op = to.mem == MEM_BT ? OP_copy_l1_bt : OP_copy_l1_fb;
    if (from.mem != MEM_L1 || (to.mem != MEM_BT && to.mem != MEM_FB))
        no_way(c, dst.GetPosition(), src.GetPosition(), where);
    else if constexpr (std::is_same_v<AscendC::PrimT<U>, half> &&
                       std::is_same_v<AscendC::PrimT<T>, float>)
        cube_bursts(c, op, TYPE_f16, to, from, b, where,
                    TYPE_f32); /* a bias of halves becomes floats */
    else
        cube_bursts(c, op, mover<T>, to, from, b, where);
}
/* In units of 64 bytes of the bias table, or of 128 of the fixpipe buffer: there from the start of
 * a burst to the start of the next on both sides. */
template <class T, class U>
[[gnu::noinline]] void move_inside(const AscendC::LocalTensor<T> &dst,
                                   const AscendC::LocalTensor<U> &src,
                                   const AscendC::DataCopyParams &p, npu_where where)
{
    enum { BT_UNIT = 64, FB_UNIT = 128 };
    const bool is_fb = mem_of(AscendC::TPosition(dst.GetPosition())) == MEM_FB;
    const int64_t unit = is_fb ? FB_UNIT : BT_UNIT, bytes = p.blockLen * unit;
    bursts b = {p.blockCount, uint32_t(bytes), int64_t(p.srcGap) * NPU_BLK_BYTES,
                int64_t(p.dstGap) * unit};
    if (is_fb && p.blockCount > 1) {
        b.src_gap_bytes -= bytes;
        b.dst_gap_bytes -= bytes;
    }
    bursts_inside(dst, src, b, where);
}

template <class T>
inline void move(const AscendC::LocalTensor<T> &dst, const AscendC::GlobalTensor<T> &src,
                 const bursts &b, const padding &pad, npu_where where)
{
    if (NPU_LIKELY(is_in_ub(dst)))
        copy_bursts(core(), OP_copy_gm_to_ub, mover<T>, dst.raw(), src.raw(), b, pad, where);
    else
        move_l1_in(dst, src, b, where);
}
template <class T>
inline void move(const AscendC::GlobalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                 const bursts &b, const padding &, npu_where where)
{
    if (NPU_LIKELY(is_in_ub(src)))
        copy_bursts(core(), OP_copy_ub_to_gm, mover<T>, dst.raw(), src.raw(), b, {}, where);
    else
        move_l1_out(dst, src, b, where);
}
template <class T>
inline void move(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                 const bursts &b, const padding &, npu_where where)
{
    copy_ub_to_ub(core(), dst.raw(), src.raw(), b, where);
}
template <class T>
inline void move_run(const AscendC::LocalTensor<T> &dst, const AscendC::GlobalTensor<T> &src,
                     uint32_t bytes, npu_where where)
{
    if (NPU_LIKELY(is_in_ub(dst)))
        npu_copy(core(), OP_copy_gm_to_ub, dst.raw(), src.raw(), bytes, where);
    else
        move_l1_in(dst, src, {1, bytes, 0, 0}, where);
}
template <class T>
inline void move_run(const AscendC::GlobalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                     uint32_t bytes, npu_where where)
{
    if (NPU_LIKELY(is_in_ub(src)))
        npu_copy(core(), OP_copy_ub_to_gm, dst.raw(), src.raw(), bytes, where);
    else
        move_l1_out(dst, src, {1, bytes, 0, 0}, where);
}
template <class T>
inline void move_run(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                     uint32_t bytes, npu_where where)
{
    if (NPU_LIKELY(is_in_ub(dst) && is_in_ub(src)))
        copy_ub_to_ub(core(), dst.raw(), src.raw(), {1, bytes, 0, 0}, where);
    else if (is_in_ub(src) && is_in_l1(dst))
        ub_to_l1(dst, src, {1, bytes, 0, 0}, where);
    else
        bursts_inside(dst, src, {1, bytes, 0, 0}, where);
}

[[gnu::cold, gnu::noinline]] inline void note_length(uint64_t bytes, uint32_t moved,
                                                     npu_where where)
{
    npu_note(core(), "DATACOPY-LENGTH", where,
             "%llu B requested, %u B moved: DataCopy moves whole blocks of 32 bytes; DataCopyPad "
             "moves any length",
             (unsigned long long)bytes, moved);
}
/* What DataCopy moves of count elements: what does not fill a blk at the end stays behind. */
template <class T> inline uint32_t whole_blks(uint32_t count, npu_where where)
{
    const uint64_t bytes = bytes_of_n<T>(count);
    const uint32_t moved =
        uint32_t(bytes < UINT32_MAX ? bytes : UINT32_MAX) & ~uint32_t(NPU_BLK_BYTES - 1);
    if (NPU_UNLIKELY(bytes != moved))
        note_length(bytes, moved, where);
    return moved;
}

/* ---- DataCopyPad --------------------------------------------------------------------- */

/* Limits; false and a fault when one is passed. */
inline bool check_pad(npu_core *c, const char *name, uint32_t count, uint32_t len, uint32_t elem,
                      const padding &pad, npu_where where)
{
    if (NPU_UNLIKELY(count > 4095 || len > 2097151))
        npu_fault(c, NPU_E_ARG, where, "%s: blockCount %u (0..4095), blockLen %u (0..2097151)",
                  name, count, len);
    else if (NPU_UNLIKELY(len % elem))
        npu_fault(c, NPU_E_ARG, where,
                  "%s: blockLen is %u bytes, no multiple of the %u-byte element", name, len, elem);
    else if (NPU_UNLIKELY(pad.left * elem > NPU_BLK_BYTES || pad.right * elem > NPU_BLK_BYTES))
        npu_fault(
            c, NPU_E_ARG, where,
            "%s: leftPadding %u and rightPadding %u elements of %u bytes; each at most 32 bytes",
            name, pad.left, pad.right, elem);
    else if (NPU_UNLIKELY(elem == 8 && pad.is_pad && pad.value))
        npu_fault(c, NPU_E_ARG, where,
                  "%s: paddingValue 0x%llx of a 64-bit type; the chip fills those with 0 only",
                  name, (unsigned long long)pad.value);
    else
        return true;
    return false;
}
/* Sides: GM in bytes, UB in blks. */
template <class T, class Params>
inline void pad_in(const AscendC::LocalTensor<T> &dst, const AscendC::GlobalTensor<T> &src,
                   const Params &p, const padding &pad, npu_where where)
{
    if (check_pad(core(), "DataCopyPad", p.blockCount, p.blockLen, sizeof(AscendC::PrimT<T>), pad,
                  where))
        move(dst, src,
             {p.blockCount, p.blockLen, int64_t(p.srcStride), int64_t(p.dstStride) * NPU_BLK_BYTES},
             pad, where);
}
template <class T, class Params>
inline void pad_out(const AscendC::GlobalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                    const Params &p, npu_where where)
{
    if (check_pad(core(), "DataCopyPad", p.blockCount, p.blockLen, sizeof(AscendC::PrimT<T>), {},
                  where))
        move(dst, src,
             {p.blockCount, p.blockLen, int64_t(p.srcStride) * NPU_BLK_BYTES, int64_t(p.dstStride)},
             {}, where);
}

/* The rows between the two steps are memory of this call: it returns when both are done. */
template <class T>
[[gnu::noinline]] void
pad_ub_l1(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
          const AscendC::DataCopyExtParams &p, const AscendC::Nd2NzParams &nz, npu_where where)
{
    constexpr uint32_t elem = sizeof(AscendC::PrimT<T>);
    npu_core *c = core();
    if (NPU_UNLIKELY(!is_in_l1(dst) || !is_in_ub(src))) {
        no_way(c, dst.GetPosition(), src.GetPosition(), where);
        return;
    }
    if (!check_pad(c, "DataCopyPad", p.blockCount, p.blockLen, elem, {}, where))
        return;
    const uint64_t step = uint64_t(p.blockLen) + uint64_t(p.dstStride);
    const uint64_t rows = p.blockCount ? (p.blockCount - 1) * step + p.blockLen : 0;
    const uint64_t reads =
        nz.nValue ? (uint64_t(nz.nValue - 1) * nz.srcDValue + nz.dValue) * elem : 0;
    if (NPU_UNLIKELY(reads > rows)) {
        npu_fault(
            c, NPU_E_RANGE, where,
            "DataCopyPad from UB to L1: blockCount, blockLen and dstStride put %llu bytes into GM, "
            "nValue, dValue and srcDValue read %llu",
            (unsigned long long)rows, (unsigned long long)reads);
        return;
    }
    AscendC::PrimT<T> *mid = static_cast<AscendC::PrimT<T> *>(std::calloc(1, rows + NPU_BLK_BYTES));
    if (NPU_UNLIKELY(!mid)) {
        npu_fault(c, NPU_E_NOMEM, where, "no memory for %llu bytes", (unsigned long long)rows);
        return;
    }
    const bursts b = {p.blockCount, p.blockLen, int64_t(p.srcStride) * NPU_BLK_BYTES,
                      int64_t(p.dstStride)};
    npu_barrier(c, PIPE_ALL, where);
    copy_bursts(c, OP_copy_ub_to_gm, mover<T>, mid, src.raw(), b, {}, where);
    nd2nz_ub_l1(dst, src, gm_ref(mid), nz, where);
    npu_settle(c);
    std::free(mid);
}

/* ---- slices -------------------------------------------------------------------------- */

/* Pieces of one dimension: how many, of how many elements, from the start of one to the next. */
struct slices {
    uint32_t n, len, step, start;
};
inline bool read_slices(slices *to, const AscendC::SliceInfo &s, int dim, uint32_t elem,
                        npu_where where)
{
    const uint32_t len = dim == 0 ? s.burstLen * (NPU_BLK_BYTES / elem) : s.burstLen;
    const uint64_t span = uint64_t(s.endIndex) - s.startIndex + 1 + s.stride;
    const uint64_t step = uint64_t(len) + s.stride;

    if (NPU_UNLIKELY(s.endIndex < s.startIndex || len == 0 || (dim > 0 && len != 1) ||
                     span % step || (s.shapeValue && s.endIndex >= s.shapeValue))) {
        npu_fault(core(), NPU_E_ARG, where,
                  "DataCopy: slices of dimension %d: startIndex %u, endIndex %u, stride %u, "
                  "burstLen %u, shapeValue %u: endIndex - startIndex + 1 is (n - 1) * stride + n "
                  "pieces, burstLen is %s, endIndex below shapeValue",
                  dim, s.startIndex, s.endIndex, s.stride, s.burstLen, s.shapeValue,
                  dim ? "1 beyond the first dimension" : "in 32-byte blocks");
        return false;
    }
    *to = {uint32_t(span / step), len, uint32_t(step), s.startIndex};
    return true;
}

struct slice_side {
    slices dim[AscendC::K_MAX_DIM];
    uint64_t size[AscendC::K_MAX_DIM]; /* elements from one index of the dimension to the next */
};
inline bool read_side(slice_side *side, const AscendC::SliceInfo info[], uint32_t dims,
                      uint32_t elem, npu_where where)
{
    uint64_t size = 1;

    for (uint32_t d = 0; d < dims; d++) {
        if (!read_slices(&side->dim[d], info[d], int(d), elem, where))
            return false;
        if (d + 1 < dims && !info[d].shapeValue) {
            npu_fault(
                core(), NPU_E_ARG, where,
                "DataCopy: slices of dimension %u need its shapeValue: dimension %u lies above", d,
                d + 1);
            return false;
        }
        side->size[d] = size;
        size *= info[d].shapeValue;
    }
    return true;
}
/* Offset in elements of piece number i, counted over all dimensions but the first. */
inline uint64_t slice_offset(const slice_side &side, uint32_t dims, uint64_t i)
{
    uint64_t at = side.dim[0].start;

    for (uint32_t d = 1; d < dims; d++) {
        const slices &s = side.dim[d];
        at += (s.start + i % s.n * s.step) * side.size[d];
        i /= s.n;
    }
    return at;
}
template <class Dst, class Src>
inline void move_slices(const Dst &dst, const Src &src, const AscendC::SliceInfo dst_info[],
                        const AscendC::SliceInfo src_info[], uint32_t dims, npu_where where)
{
    constexpr uint32_t elem = sizeof(typename Dst::PrimType);
    slice_side to, from;
    uint64_t n = 1;

    if (NPU_UNLIKELY(dims < 1 || dims > uint32_t(AscendC::K_MAX_DIM))) {
        npu_fault(core(), NPU_E_ARG, where, "DataCopy: slices of %u dimensions; 1 to %d", dims,
                  AscendC::K_MAX_DIM);
        return;
    }
    if (!read_side(&to, dst_info, dims, elem, where) ||
        !read_side(&from, src_info, dims, elem, where))
        return;
    for (uint32_t d = 0; d < dims; d++) {
        if (NPU_UNLIKELY(to.dim[d].n != from.dim[d].n || to.dim[d].len != from.dim[d].len)) {
            npu_fault(core(), NPU_E_ARG, where,
                      "DataCopy: dimension %u has %u slices of %u elements in src and %u of %u in "
                      "dst",
                      d, from.dim[d].n, from.dim[d].len, to.dim[d].n, to.dim[d].len);
            return;
        }
        n *= d ? to.dim[d].n : 1;
    }
    const bursts b = {to.dim[0].n, to.dim[0].len * elem,
                      int64_t(from.dim[0].step - from.dim[0].len) * elem,
                      int64_t(to.dim[0].step - to.dim[0].len) * elem};
    for (uint64_t i = 0; i < n; i++)
        move(dst[uint32_t(slice_offset(to, dims, i))], src[uint32_t(slice_offset(from, dims, i))],
             b, {}, where);
}

} // namespace nputwin

namespace AscendC {

/* The forms that all three ways have: n elements; bursts of whole blks. */
#define NPU_DATA_COPY(Dst, Src)                                                                    \
    template <typename T>                                                                          \
    inline void DataCopy(const Dst<T> &dst, const Src<T> &src, uint32_t count,                     \
                         npu_where where = NPU_HERE)                                               \
    {                                                                                              \
        const uint32_t bytes = nputwin::whole_blks<PrimT<T>>(count, where);                        \
        if (bytes)                                                                                 \
            nputwin::move_run(dst, src, bytes, where);                                             \
    }                                                                                              \
    template <typename T>                                                                          \
    inline void DataCopy(const Dst<T> &dst, const Src<T> &src, const DataCopyParams &repeatParams, \
                         npu_where where = NPU_HERE)                                               \
    {                                                                                              \
        const DataCopyParams &p = repeatParams;                                                    \
        nputwin::move(dst, src,                                                                    \
                      {p.blockCount, p.blockLen * uint32_t(NPU_BLK_BYTES),                         \
                       p.srcGap * NPU_BLK_BYTES, p.dstGap * NPU_BLK_BYTES},                        \
                      {}, where);                                                                  \
    }
NPU_DATA_COPY(LocalTensor, GlobalTensor)
NPU_DATA_COPY(GlobalTensor, LocalTensor)
#undef NPU_DATA_COPY
template <typename T>
inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count,
                     npu_where where = NPU_HERE)
{
    const uint32_t bytes = nputwin::whole_blks<PrimT<T>>(count, where);
    if (bytes)
        nputwin::move_run(dst, src, bytes, where);
}
template <typename T>
inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                     const DataCopyParams &repeatParams, npu_where where = NPU_HERE)
{
    const DataCopyParams &p = repeatParams;
    const nputwin::bursts b = {p.blockCount, p.blockLen * uint32_t(NPU_BLK_BYTES),
                               p.srcGap * NPU_BLK_BYTES, p.dstGap * NPU_BLK_BYTES};
    if (NPU_LIKELY(nputwin::is_in_ub(dst) && nputwin::is_in_ub(src)))
        nputwin::copy_ub_to_ub(nputwin::core(), dst.raw(), src.raw(), b, where);
    else if (nputwin::is_in_ub(src) && nputwin::is_in_l1(dst))
        nputwin::ub_to_l1(dst, src, b, where);
    else
        nputwin::move_inside(dst, src, p, where);
}

/* With what another chip does on the way: the same copies without it. */
#define NPU_DATA_COPY(Dst, Src)                                                                    \
    template <typename T>                                                                          \
    inline void DataCopy(const Dst<T> &dst, const Src<T> &src, const DataCopyParams &intriParams,  \
                         const DataCopyEnhancedParams &, npu_where where = NPU_HERE)               \
    {                                                                                              \
        DataCopy(dst, src, intriParams, where);                                                    \
    }
NPU_DATA_COPY(LocalTensor, GlobalTensor)
NPU_DATA_COPY(GlobalTensor, LocalTensor)
NPU_DATA_COPY(LocalTensor, LocalTensor)
#undef NPU_DATA_COPY
template <typename T, typename U, std::enable_if_t<!std::is_same_v<T, U>, bool> = true>
inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const DataCopyParams &,
                     const DataCopyEnhancedParams &, npu_where where = NPU_HERE)
{
    nputwin::no_way(nputwin::core(), dst.GetPosition(), src.GetPosition(), where);
}

/* A bias of halves on its way into the bias table, where it lies as floats. */
template <typename T, typename U, std::enable_if_t<!std::is_same_v<T, U>, bool> = true>
inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                     const DataCopyParams &repeatParams, npu_where where = NPU_HERE)
{
    static_assert(std::is_same_v<PrimT<U>, half> && std::is_same_v<PrimT<T>, float>,
                  "DataCopy of two types: half in L1 (C1) becomes float in the bias table (C2)");
    nputwin::move_inside(dst, src, repeatParams, where);
}
template <typename T, typename U, std::enable_if_t<!std::is_same_v<T, U>, bool> = true>
inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint32_t count,
                     npu_where where = NPU_HERE)
{
    static_assert(std::is_same_v<PrimT<U>, half> && std::is_same_v<PrimT<T>, float>,
                  "DataCopy of two types: half in L1 (C1) becomes float in the bias table (C2)");
    npu_core *c = nputwin::core();
    const npu_ref to = nputwin::local_ref(c, dst), from = nputwin::local_ref(c, src);
    const uint32_t bytes = nputwin::whole_blks<U>(count, where);
    if (NPU_UNLIKELY(to.mem != MEM_BT || from.mem != MEM_L1))
        nputwin::no_way(c, dst.GetPosition(), src.GetPosition(), where);
    else if (bytes)
        nputwin::cube_bursts(c, OP_copy_l1_bt, TYPE_f16, to, from, {1, bytes, 0, 0}, where,
                             TYPE_f32);
}

/* Pieces of a tensor of up to eight dimensions, the first one contiguous. */
template <typename T>
inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                     const SliceInfo dstSliceInfo[], const SliceInfo srcSliceInfo[],
                     const uint32_t dimValue = 1, npu_where where = NPU_HERE)
{
    nputwin::move_slices(dst, src, dstSliceInfo, srcSliceInfo, dimValue, where);
}
template <typename T>
inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                     const SliceInfo dstSliceInfo[], const SliceInfo srcSliceInfo[],
                     const uint32_t dimValue = 1, npu_where where = NPU_HERE)
{
    nputwin::move_slices(dst, src, dstSliceInfo, srcSliceInfo, dimValue, where);
}

/* Rows become columns of 32-byte blks; what a row lacks in its last blk is 0. */
template <typename T>
inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                     const Nd2NzParams &intriParams, npu_where where = NPU_HERE)
{
    const Nd2NzParams &p = intriParams;
    constexpr uint32_t elem = sizeof(PrimT<T>), c0 = NPU_BLK_BYTES / elem;
    static_assert(elem <= 4, "DataCopy of ND to NZ takes elements of 8, 16 and 32 bits");
    if (!nputwin::is_in_ub(dst)) {
        nputwin::nd2nz_l1(dst, src, p, where);
        return;
    }
    for (uint32_t nd = 0; nd < p.ndNum; nd++)
        for (uint32_t d = 0; d < p.dValue; d += c0) {
            const uint32_t len = (p.dValue - d < c0 ? p.dValue - d : c0) * elem;
            nputwin::move(dst[nd * p.dstNzMatrixStride + d / c0 * p.dstNzC0Stride * c0],
                          src[uint64_t(nd) * p.srcNdMatrixStride + d],
                          {p.nValue, len, int64_t(p.srcDValue) * elem - len,
                           (int64_t(p.dstNzNStride) - 1) * NPU_BLK_BYTES},
                          {0, 0, true, 0}, where);
        }
}
/* The same from UB to L1. */
template <typename T>
inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                     const Nd2NzParams &intriParams, npu_where where = NPU_HERE)
{
    static_assert(sizeof(PrimT<T>) <= 4,
                  "DataCopy of ND to NZ takes elements of 8, 16 and 32 bits");
    npu_core *c = nputwin::core();
    if (NPU_UNLIKELY(!nputwin::is_in_l1(dst) || !nputwin::is_in_ub(src)))
        nputwin::no_way(c, dst.GetPosition(), src.GetPosition(), where);
    else
        nputwin::nd2nz_ub_l1(dst, src, nputwin::local_ref(c, src), intriParams, where);
}
/* Columns 16 elements wide become rows. */
template <typename T>
inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                     const Nz2NdParamsFull &intriParams, npu_where where = NPU_HERE)
{
    const Nz2NdParamsFull &p = intriParams;
    constexpr uint32_t elem = sizeof(PrimT<T>), wide = 16;
    static_assert(elem == 2 || elem == 4,
                  "DataCopy of NZ to ND takes elements of 16 and 32 bits on this chip");
    if (NPU_UNLIKELY(p.dValue % wide)) {
        npu_fault(nputwin::core(), NPU_E_ARG, where,
                  "DataCopy of NZ to ND: dValue %u is no multiple of 16", p.dValue);
        return;
    }
    for (uint32_t nd = 0; nd < p.ndNum; nd++)
        for (uint32_t d = 0; d < p.dValue; d += wide)
            nputwin::move(
                dst[uint64_t(nd) * p.dstNdMatrixStride + d],
                src[nd * p.srcNdMatrixStride * 256 + d / wide * p.srcNStride * 16],
                {p.nValue, wide * elem, 0, (int64_t(p.dstDStride) - int64_t(wide)) * int64_t(elem)},
                {}, where);
}

/* UB to L1 by way of rows in GM: bursts of bytes lie there dstStride bytes apart, and rows of the
 * second step are srcDValue elements long. */
template <typename T>
inline void DataCopyPad(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                        const DataCopyExtParams &dataCopyParams, const Nd2NzParams &nd2nzParams,
                        npu_where where = NPU_HERE)
{
    nputwin::pad_ub_l1(dst, src, dataCopyParams, nd2nzParams, where);
}

/* Bursts of any number of bytes; each lands at a multiple of 32 bytes in UB. */
template <typename T>
inline void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                        const DataCopyExtParams &dataCopyParams,
                        const DataCopyPadExtParams<PrimT<T>> &padParams, npu_where where = NPU_HERE)
{
    nputwin::pad_in(dst, src, dataCopyParams,
                    {padParams.leftPadding, padParams.rightPadding, padParams.isPad,
                     nputwin::bits_of(padParams.paddingValue)},
                    where);
}
template <typename T>
inline void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                        const DataCopyParams &dataCopyParams, const DataCopyPadParams &padParams,
                        npu_where where = NPU_HERE)
{
    nputwin::pad_in(
        dst, src, dataCopyParams,
        {padParams.leftPadding, padParams.rightPadding, padParams.isPad, padParams.paddingValue},
        where);
}
template <typename T>
inline void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                        const DataCopyExtParams &dataCopyParams, npu_where where = NPU_HERE)
{
    nputwin::pad_out(dst, src, dataCopyParams, where);
}
template <typename T>
inline void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                        const DataCopyParams &dataCopyParams, npu_where where = NPU_HERE)
{
    nputwin::pad_out(dst, src, dataCopyParams, where);
}

} // namespace AscendC
#endif
