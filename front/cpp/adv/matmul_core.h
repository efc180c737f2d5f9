/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul_core.h - what a Matmul object does on a cube core, without its template arguments.
 *
 * The object walks over tiles of baseM x baseN sums. A tile is one mmtile, which takes the matrices
 * where they lie and leaves sums in L0C, and one fixpipe on its way out. L1, L0A and L0B are not
 * touched (but by callbacks that move A or B themselves); that the plan would fit is checked when
 * the object gets it, because on the chip it has to.
 */
#ifndef NPU_FRONT_ADV_MATMUL_CORE_H
#define NPU_FRONT_ADV_MATMUL_CORE_H
#include "matmul_types.h"

namespace nputwin {

/* What is fixed by the template arguments. */
struct mm_types {
    npu_type ab, c;
    uint32_t elem_bits, c_bytes, c0; /* of A and B, of C, elements in 32 bytes of A and B */
    bool is_nibbles, is_int;
    CubeFormat a_format, b_format, c_format;
    LayoutMode a_layout, b_layout, c_layout;
    bool a_turns, b_turns; /* ISTRANS: may be said to be transposed */
    bool splits_channels, is_partial, is_outer, clips, is_bias_batch;
    bool is_upper, is_lower;
    bool is_sparse;     /* B: two of four along k, and which ones (SetSparseIndex) */
    IterateOrder order; /* of is_outer */
    bool a_called, b_called, c_called;
};

/* A, B or the bias: where it begins. */
struct mm_operand {
    npu_ref ref = {};
    uint64_t bits = 0; /* is_one */
    npu_type type = TYPE_f32;
    bool is_set = false, is_turned = false, is_one = false;
    bool is_local = false; /* holds what one core computes, not the whole matrix */
};

/* Where C goes. */
struct mm_target {
    npu_ref ref = {};
    uint8_t atomic = 0;    /* 0 none, 1 add, 2 max, 3 min */
    bool is_dense = false; /* tile after tile instead of each at its place */
    bool is_local = false; /* in UB: at its place among what this core computes */
};

using mm_copy_out = void (*)(const void *, const AscendC::LocalTensor<int8_t> &, const void *,
                             uint64_t, uint64_t);
using mm_copy_in = void (*)(const AscendC::LocalTensor<int8_t> &, const void *, int, int, int, int,
                            uint64_t, uint64_t);

inline npu_ref raw_ref(const void *p) { return gm_ref(p); }

class mm_core {
public:
    const mm_types *types = nullptr;
    AscendC::tiling::TCubeTiling plan;
    bool has_plan = false;
    int32_t m = 0, n = 0, k = 0;                                      /* of one core */
    int32_t org_m = 0, org_n = 0, org_ka = 0, org_kb = 0, org_kc = 0; /* of the whole matrices */
    mm_operand a, b, bias, quant, index;
    uint64_t quant_scalar = 0;
    uint8_t hf32 = HF32_OFF;
    int32_t batch_a = 0, batch_b = 0;
    mm_copy_out copy_out = nullptr;
    mm_copy_in copy_a = nullptr, copy_b = nullptr;
    uint64_t user_data = 0, user_tiling = 0;
    uint64_t workspace = 0, n_workspace = 0; /* GM address, elements (0: not said) */
    int32_t tile = -1;                       /* the newest of Iterate; -1: none yet */
    int32_t fetched = 0;                     /* tiles that GetTensorC<false> has taken */
    bool keeps_b = false;                    /* the same B as the last tile */
    bool is_told = false;                    /* SetTail or SetSingleShape has said m, n and k */

    /* ---- the plan ---- */

    static int32_t ceil(int32_t x, int32_t by) { return (x + by - 1) / by; }

    /* False, with a fault, when the chip could not work by this plan. */
    bool Fits(npu_core *c, npu_where where) const
    {
        const AscendC::tiling::TCubeTiling &t = plan;
        const int32_t sizes[] = {t.singleCoreM, t.singleCoreN, t.singleCoreK, t.baseM,
                                 t.baseN,       t.baseK,       t.depthA1,     t.depthB1,
                                 t.stepM,       t.stepN,       t.stepKa,      t.stepKb};
        static const char *const names[] = {"singleCoreM", "singleCoreN", "singleCoreK", "baseM",
                                            "baseN",       "baseK",       "depthA1",     "depthB1",
                                            "stepM",       "stepN",       "stepKa",      "stepKb"};
        for (int i = 0; i < 12; i++)
            if (NPU_UNLIKELY(sizes[i] <= 0)) {
                npu_fault(c, NPU_E_ARG, where,
                          "Matmul: %s of TCubeTiling is %d; it is at least 1: was the structure "
                          "filled by GetTiling, and copied whole?",
                          names[i], sizes[i]);
                return false;
            }
        const int32_t c0 = int32_t(types->c0), k_unit = a.is_turned || !types->b_turns ? 16 : c0;
        if (NPU_UNLIKELY(t.baseM % 16 || t.baseN % 16 || t.baseK % k_unit)) {
            npu_fault(c, NPU_E_ALIGN, where,
                      "Matmul: baseM %d and baseN %d are multiples of 16, baseK %d one of %d (32 "
                      "bytes of A and B are %d)",
                      t.baseM, t.baseN, t.baseK, k_unit, c0);
            return false;
        }
        const int64_t bits = types->elem_bits, mk = int64_t(t.baseM) * t.baseK * bits / 8,
                      kn = int64_t(t.baseK) * t.baseN * bits / 8,
                      mn = int64_t(t.baseM) * t.baseN * 4;
        return Room(c, MEM_L0A, "baseM * baseK * dbL0A", mk * Doubled(t.dbL0A), where) &&
               Room(c, MEM_L0B, "baseN * baseK * dbL0B", kn * Doubled(t.dbL0B), where) &&
               Room(c, MEM_L0C, "baseM * baseN * dbL0C", mn * Doubled(t.dbL0C), where) &&
               Room(c, MEM_L1, "baseM * baseK * depthA1 + baseN * baseK * depthB1 + bias",
                    mk * t.depthA1 + kn * t.depthB1 + (t.isBias ? t.baseN * 4 : 0), where) &&
               (!t.isBias || Room(c, MEM_BT, "baseN of the bias", int64_t(t.baseN) * 4, where));
    }
    /* What fits and is illegal by TCubeTiling's page all the same; results on the chip are open. */
    void NotePlan(npu_core *c, bool is_mdl, npu_where where) const
    {
        const AscendC::tiling::TCubeTiling &t = plan;
        const int64_t in_a = int64_t(t.stepM) * t.stepKa, in_b = int64_t(t.stepN) * t.stepKb;
        if (NPU_UNLIKELY((t.depthA1 != in_a && t.depthA1 != 2 * in_a) ||
                         (t.depthB1 != in_b && t.depthB1 != 2 * in_b))) {
            npu_note(c, "MATMUL-PLAN", where,
                     "depthA1 %d is stepM %d * stepKa %d or twice that, depthB1 %d is stepN %d * "
                     "stepKb %d or twice that",
                     t.depthA1, t.stepM, t.stepKa, t.depthB1, t.stepN, t.stepKb);
            return;
        }
        const int64_t ka = ceil(t.singleCoreK, t.baseK * t.stepKa);
        const int64_t kb = ceil(t.singleCoreK, t.baseK * t.stepKb);
        if (NPU_UNLIKELY(is_mdl && ((ka > 1 && t.stepM > 1) || (kb > 1 && t.stepN > 1) ||
                                    (ka % kb && kb % ka))))
            npu_note(c, "MATMUL-PLAN", where,
                     "MDL: A comes in %lld and B in %lld loads along k, one a multiple of the "
                     "other; stepM %d is 1 unless A comes in one, stepN %d unless B does",
                     (long long)ka, (long long)kb, t.stepM, t.stepN);
    }
    static int32_t Doubled(int32_t db) { return db == 2 ? 2 : 1; }
    static bool Room(npu_core *c, npu_mem mem, const char *what, int64_t bytes, npu_where where)
    {
        /* Of a vector core: those of its cube core. */
        const uint32_t room = c->soc->mem_bytes[mem];
        if (NPU_LIKELY(bytes <= int64_t(room)))
            return true;
        npu_fault(c, NPU_E_RANGE, where,
                  "Matmul: the plan does not fit: %s needs %lld bytes of %s, which has %u", what,
                  (long long)bytes, npu_mems[mem].name, room);
        return false;
    }
    void Take(const AscendC::tiling::TCubeTiling &t)
    {
        plan = t;
        has_plan = true;
        m = t.singleCoreM;
        n = t.singleCoreN;
        k = t.singleCoreK;
        is_told = false;
        org_m = t.M;
        org_n = org_kc = t.N;
        org_ka = t.Ka;
        org_kb = t.Kb;
        Restart();
    }
    void Restart()
    {
        tile = -1;
        fetched = 0;
        keeps_b = false;
    }

    /* ---- tiles ---- */

    int32_t Rows() const { return ceil(m, plan.baseM); }
    int32_t Columns() const { return ceil(n, plan.baseN); }
    int32_t Steps() const { return types->is_partial ? ceil(k, plan.baseK) : 1; }
    int32_t Tiles() const { return Rows() * Columns() * Steps(); }

    struct place {
        int32_t row, column, step;   /* which tile, which part of k */
        int32_t m0, n0, k0, m, n, k; /* where it begins, and what it covers */
    };
    place Place(int32_t i) const
    {
        place p = {};
        p.step = i % Steps();
        i /= Steps();
        const bool by_rows =
            types->is_outer ? types->order == IterateOrder::ORDER_N : plan.iterateOrder == 1;
        if (types->is_outer)
            Pair(p, i, by_rows);
        else {
            p.row = by_rows ? i / Columns() : i % Rows();
            p.column = by_rows ? i % Columns() : i / Rows();
        }
        p.m0 = p.row * plan.baseM;
        p.n0 = p.column * plan.baseN;
        p.k0 = p.step * plan.baseK;
        p.m = m - p.m0 < plan.baseM ? m - p.m0 : plan.baseM;
        p.n = n - p.n0 < plan.baseN ? n - p.n0 : plan.baseN;
        p.k = !types->is_partial ? k : k - p.k0 < plan.baseK ? k - p.k0 : plan.baseK;
        return p;
    }

    /* Before tiles are computed. */
    bool IsReady(npu_core *c, const char *name, npu_where where)
    {
        const char *missing = !has_plan   ? "TCubeTiling (REGIST_MATMUL_OBJ or Init)"
                              : !a.is_set ? "A (SetTensorA)"
                              : !b.is_set ? "B (SetTensorB)"
                              : types->is_sparse && !index.is_set ? "index (SetSparseIndex)"
                                                                  : nullptr;
        if (NPU_UNLIKELY(missing != nullptr)) {
            npu_fault(c, NPU_E_ARG, where, "%s: the Matmul object has no %s", name, missing);
            return false;
        }
        if (NPU_UNLIKELY(m <= 0 || n <= 0 || k <= 0)) {
            npu_fault(c, NPU_E_ARG, where,
                      "%s: singleCoreM %d, singleCoreN %d, singleCoreK %d; the plan has parts for "
                      "%d cores, the others return before they iterate",
                      name, m, n, k, plan.usedCoreNum);
            return false;
        }
        if (NPU_UNLIKELY(plan.isBias == 1 && !bias.is_set && !no_bias_)) {
            npu_fault(
                c, NPU_E_ARG, where,
                "%s: isBias of TCubeTiling is 1 and there is no bias: SetBias, or DisableBias "
                "to compute without",
                name);
            return false;
        }
        NoteRest(c, name, where);
        return Fits(c, where);
    }
    /* Of a plan with a rest the last core has less to do, whichever way the parts are counted. */
    void NoteRest(npu_core *c, const char *name, npu_where where) const
    {
        const AscendC::tiling::TCubeTiling &t = plan;
        if (NPU_LIKELY(is_told || t.usedCoreNum < 2) || a.is_local || b.is_local)
            return;
        const int32_t rest_m = t.M % t.singleCoreM, rest_n = t.N % t.singleCoreN;
        const int64_t parts = int64_t(ceil(t.M, t.singleCoreM)) * ceil(t.N, t.singleCoreN);
        const uint32_t last = uint32_t(t.usedCoreNum) - 1;
        if (NPU_LIKELY(!rest_m && !rest_n) || parts != t.usedCoreNum ||
            AscendC::GetBlockIdx() != int64_t(last))
            return;
        npu_note(
            c, "MATMUL-TAIL", where,
            "%s: the plan cuts m %d and n %d into parts of %d x %d and leaves %d x %d for core "
            "%u, the last one; without SetTail(%d, %d) it computes a whole part, beyond the "
            "ends of the matrices",
            name, t.M, t.N, t.singleCoreM, t.singleCoreN, rest_m ? rest_m : t.singleCoreM,
            rest_n ? rest_n : t.singleCoreN, last, rest_m ? rest_m : t.singleCoreM,
            rest_n ? rest_n : t.singleCoreN);
    }
    void SetNoBias()
    {
        bias.is_set = false;
        no_bias_ = true;
    }
    void SetBiasTo(const mm_operand &x)
    {
        bias = x;
        no_bias_ = false;
    }

    /* Sums of one tile at byte l0c of L0C. starts: nothing of them is there yet. */
    void Compute(npu_core *c, const place &p, uint32_t l0c, bool starts, npu_where where)
    {
        if (copy_a || copy_b) {
            ComputeByCallbacks(c, p, l0c, starts, where);
            return;
        }
        npu_insn in = Insn(c, p, l0c, starts, where);
        in.cube.tile.keeps_b = keeps_b;
        npu_issue_cube(c, &in);
        keeps_b = false;
    }

    /* Sums of a tile on their way out. index: which tile in a row, for is_dense. */
    void Out(npu_core *c, const place &p, uint32_t l0c, const mm_target &to, npu_where where)
    {
        const bool is_nz = types->c_format == CubeFormat::NZ;
        const uint32_t elem = types->c_bytes, width = types->splits_channels ? 8
                                                      : elem == 1            ? 32
                                                                             : 16;
        npu_insn in = cube_insn(OP_fixpipe, types->is_int ? TYPE_s32 : TYPE_f32, to.ref, {}, where);
        in.dst_type = uint8_t(types->c);
        in.ref[1].mem = MEM_L0C;
        in.ref[1].at_bytes = l0c;
        npu_fix &f = in.cube.fix;
        f.m = uint16_t(p.m);
        f.n = uint16_t(p.n);
        f.n_nd = 1;
        f.clips = types->clips;
        f.src_column_step = uint32_t(ceil(p.m, 16)) * 1024;
        f.layout = uint8_t(!is_nz ? FIX_ND : types->splits_channels ? FIX_SPLIT : FIX_NZ);
        int64_t at;
        if (is_nz) {
            const int64_t rows = to.is_dense ? p.m : to.is_local ? m : org_m;
            f.n = uint16_t(ceil(p.n, int32_t(width)) * int32_t(width));
            f.dst_step = uint64_t((rows + 15) / 16 * 16) * width * elem;
            at = to.is_dense
                     ? 0
                     : int64_t(p.n0) / width * int64_t(f.dst_step) + int64_t(p.m0) * width * elem;
        } else {
            f.dst_step = uint64_t(RowBytes(p, to));
            at = to.is_dense ? 0 : int64_t(p.m0) * int64_t(f.dst_step) + int64_t(p.n0) * elem;
        }
        in.ref[0].at_bytes += uint64_t(at);
        AddQuant(in, p);
        if (copy_out) {
            CallOut(c, in, p, l0c);
            return;
        }
        WithAtomic(c, to.atomic, in);
    }

    /* Bytes from row to row of C. */
    int64_t RowBytes(const place &p, const mm_target &to) const
    {
        const int64_t elem = types->c_bytes;
        int64_t columns = to.is_dense ? p.n : to.is_local ? n : c_row_ ? c_row_ : org_kc;
        if (types->c_format == CubeFormat::ND_ALIGN)
            columns = (columns * elem + 31) / 32 * 32 / elem;
        return columns * elem;
    }
    /* What a dense tile takes. */
    int64_t TileBytes(const place &p, const mm_target &to) const
    {
        if (types->c_format == CubeFormat::NZ)
            return int64_t(ceil(p.m, 16)) * 16 * ceil(p.n, 16) * 16 * types->c_bytes;
        return RowBytes(p, to) * p.m;
    }

    void All(npu_core *c, const mm_target &to, npu_where where)
    {
        const int32_t n_tiles = Tiles();
        mm_target at = to;
        int32_t column = -1;
        npu_barrier(c, PIPE_ALL, where);
        for (int32_t i = 0; i < n_tiles && !c->faulted; i++) {
            const place p = Place(i);
            if (IsSkipped(p))
                continue;
            keeps_b = p.column == column && !types->is_partial;
            column = p.column;
            Compute(c, p, 0, true, where);
            npu_barrier(c, PIPE_ALL, where);
            Out(c, p, 0, at, where);
            npu_barrier(c, PIPE_ALL, where);
            if (to.is_dense)
                at.ref.at_bytes += uint64_t(TileBytes(p, to));
        }
        Restart();
    }
    /* ---- batches ---- */

    /* One operand of a batch: rows and columns of a matrix as it lies, the matrices of a row of
     * them (N * G), and how the layout nests them. */
    struct batch_shape {
        LayoutMode layout;
        int32_t b, s, ng, d;
        int64_t stride; /* elements from matrix to matrix where they lie one after the other; 0: s *
                           d */
    };
    static int64_t BatchRow(const batch_shape &x)
    {
        return x.layout == LayoutMode::BSNGD   ? int64_t(x.ng) * x.d
               : x.layout == LayoutMode::SBNGD ? int64_t(x.b) * x.ng * x.d
                                               : x.d;
    }
    static int64_t BatchOffset(const batch_shape &x, int64_t i, bool is_nz, int32_t c0)
    {
        if (x.layout == LayoutMode::SBNGD)
            return i * x.d;
        if (x.layout == LayoutMode::BSNGD)
            return i / x.ng * x.s * x.ng * x.d + i % x.ng * x.d;
        if (x.stride)
            return i * x.stride;
        return is_nz ? i * (ceil(x.s, 16) * 16) * int64_t(ceil(x.d, c0) * c0) : i * x.s * x.d;
    }
    static int32_t Or(int32_t x, int32_t other) { return x > 0 ? x : other; }
    batch_shape ShapeA(int64_t stride) const
    {
        const AscendC::tiling::TCubeTiling &t = plan;
        return {types->a_layout,
                Or(t.ALayoutInfoB, 1),
                Or(t.ALayoutInfoS, a.is_turned ? k : m),
                Or(t.ALayoutInfoN, 1) * Or(t.ALayoutInfoG, 1),
                Or(t.ALayoutInfoD, a.is_turned ? m : k),
                stride};
    }
    batch_shape ShapeB(int64_t stride) const
    {
        const AscendC::tiling::TCubeTiling &t = plan;
        const bool is_normal = types->b_layout == LayoutMode::NORMAL;
        /* SetBatchInfoForNormal says m, n and k whichever way the matrices lie. */
        const int32_t s =
            is_normal ? (b.is_turned ? n : k) : Or(t.BLayoutInfoS, b.is_turned ? n : k);
        const int32_t d =
            is_normal ? (b.is_turned ? k : n) : Or(t.BLayoutInfoD, b.is_turned ? k : n);
        return {types->b_layout,
                Or(t.BLayoutInfoB, 1),
                s,
                Or(t.BLayoutInfoN, 1) * Or(t.BLayoutInfoG, 1),
                d,
                stride};
    }
    batch_shape ShapeC() const
    {
        const AscendC::tiling::TCubeTiling &t = plan;
        return {types->c_layout,        Or(t.CLayoutInfoB, 1),
                Or(t.CLayoutInfoS1, m), Or(t.CLayoutInfoN, 1) * Or(t.CLayoutInfoG, 1),
                Or(t.CLayoutInfoS2, n), 0};
    }
    /* How many products are summed up into one matrix of C. */
    int32_t Reduced() const
    {
        const AscendC::tiling::TCubeTiling &t = plan;
        const int32_t g = t.ALayoutInfoG > t.BLayoutInfoG ? t.ALayoutInfoG : t.BLayoutInfoG;
        return types->c_layout != LayoutMode::NORMAL && t.CLayoutInfoG == 1 && g > 1 ? g : 1;
    }
    /* Products first .. first + n of a batch; A and B begin at product 0. */
    void Batch(npu_core *c, const mm_target &to, int32_t first, int32_t n_a, int32_t n_b,
               int64_t stride_a, int64_t stride_b, bool continues, npu_where where)
    {
        const int32_t most = n_a > n_b ? n_a : n_b, reduced = Reduced();
        if (NPU_UNLIKELY(n_a <= 0 || n_b <= 0 || most % n_a || most % n_b || most % reduced)) {
            npu_fault(
                c, NPU_E_ARG, where,
                "IterateBatch: batchA %d and batchB %d: both at least 1, one a multiple of the "
                "other%s",
                n_a, n_b, reduced > 1 ? ", and whole groups when C has one G" : "");
            return;
        }
        const batch_shape sa = ShapeA(stride_a), sb = ShapeB(stride_b), sc = ShapeC();
        const mm_operand a0 = a, b0 = b, bias0 = bias;
        a_row_ = BatchRow(sa);
        b_row_ = BatchRow(sb);
        c_row_ = to.is_local ? 0 : BatchRow(sc);
        a_rows_ = sa.s;
        b_rows_ = sb.s;
        npu_barrier(c, PIPE_ALL, where);
        for (int32_t i = 0; i < most / reduced && !c->faulted; i++) {
            const int32_t x = first * (most / reduced) + i;
            mm_target at = to;
            at.ref.at_bytes +=
                uint64_t((to.is_local ? int64_t(i) * m * (RowBytes(Place(0), to) / types->c_bytes)
                                      : BatchOffset(sc, x, types->c_format == CubeFormat::NZ, 16)) *
                         types->c_bytes);
            if (bias0.is_set && types->is_bias_batch)
                bias.ref.at_bytes =
                    bias0.ref.at_bytes + uint64_t(int64_t(x) * n) * npu_types[bias.type].bytes;
            for (int32_t t = 0; t < Tiles() && !c->faulted; t++) {
                const place p = Place(t);
                for (int32_t g = 0; g < reduced; g++) {
                    const int32_t y = first * most + i * reduced + g;
                    a.ref.at_bytes =
                        a0.ref.at_bytes +
                        Bytes(BatchOffset(sa, y / (most / n_a), types->a_format == CubeFormat::NZ,
                                          int32_t(types->c0)));
                    b.ref.at_bytes =
                        b0.ref.at_bytes +
                        Bytes(BatchOffset(sb, y / (most / n_b), types->b_format == CubeFormat::NZ,
                                          int32_t(types->c0)));
                    Compute(c, p, 0, g == 0 && !continues, where);
                    npu_barrier(c, PIPE_ALL, where);
                }
                Out(c, p, 0, at, where);
                npu_barrier(c, PIPE_ALL, where);
            }
        }
        a = a0;
        b = b0;
        bias = bias0;
        a_row_ = b_row_ = c_row_ = 0;
        a_rows_ = b_rows_ = 0;
        Restart();
    }
    uint64_t Bytes(int64_t elements) const { return uint64_t(elements) * types->elem_bits / 8; }

    /* A triangle leaves the tiles of the other one as they are. */
    bool IsSkipped(const place &p) const
    {
        return (types->is_upper && p.row > p.column) || (types->is_lower && p.row < p.column);
    }

protected:
    bool no_bias_ = false;
    int64_t c_row_ = 0;             /* columns of C from row to row, of a batch; 0: org_kc */
    int64_t a_row_ = 0, b_row_ = 0; /* the same of A and B; their rows, of fractals */
    int32_t a_rows_ = 0, b_rows_ = 0;

    void Pair(place &p, int32_t i, bool by_rows) const
    {
        /* Two tiles beside each other in the direction that is not the outer one. */
        const int32_t lines = by_rows ? Columns() : Rows();
        const int32_t across = by_rows ? Rows() : Columns();
        const int32_t strip = i / (2 * lines), first = 2 * strip;
        const int32_t width = across - first < 2 ? 1 : 2, at = i - first * lines;
        const int32_t line = at / width, other = first + at % width;
        p.row = by_rows ? other : line;
        p.column = by_rows ? line : other;
    }

    npu_matrix Matrix(const mm_operand &x, CubeFormat format, int32_t rows, int32_t columns,
                      int64_t row_elems, int32_t n_rows, int32_t row0, int32_t column0) const
    {
        npu_matrix r = {};
        r.is_one = x.is_one;
        r.is_turned = x.is_turned;
        r.is_nz = format == CubeFormat::NZ;
        r.row0 = uint32_t(x.is_turned ? column0 : row0);
        r.column0 = uint32_t(x.is_turned ? row0 : column0);
        const int64_t stored_rows = n_rows ? n_rows : x.is_turned ? columns : rows;
        int64_t stored_columns = row_elems ? row_elems : x.is_turned ? rows : columns;
        if (x.is_local) /* rows in UB begin at multiples of 32 bytes */
            stored_columns = (stored_columns + types->c0 - 1) / types->c0 * types->c0;
        r.step = r.is_nz ? uint64_t((stored_rows + 15) / 16 * 16) * NPU_BLK_BYTES
                         : uint64_t(stored_columns) * types->elem_bits / 8;
        return r;
    }
    npu_insn Insn(npu_core *c, const place &p, uint32_t l0c, bool starts, npu_where where) const
    {
        npu_insn in = cube_insn(OP_mmtile, types->ab, {}, a.ref, where);
        in.ref[0].mem = MEM_L0C;
        in.ref[0].at_bytes = l0c;
        in.ref[2] = b.ref;
        in.scalar = a.bits;
        in.mask[0] = b.bits;
        npu_tile &t = in.cube.tile;
        t = {};
        t.m = uint32_t(p.m);
        t.n = uint32_t(p.n);
        t.k = uint32_t(p.k);
        t.hf32 = types->ab == TYPE_f32 ? hf32 : uint8_t(HF32_OFF);
        t.is_nibbles = types->is_nibbles;
        t.a = Matrix(a, types->a_format, a.is_local ? m : org_m, a.is_local ? k : org_ka, a_row_,
                     a_rows_, p.m0, p.k0);
        t.b = Matrix(b, types->b_format, b.is_local ? k : org_kb, b.is_local ? n : org_n, b_row_,
                     b_rows_, p.k0, p.n0);
        t.init = uint8_t(!starts ? MMAD_ADDS : MMAD_ZERO);
        if (starts && bias.is_set && p.k0 == 0) {
            t.init = MMAD_BIAS;
            t.bias_type = uint8_t(bias.type);
            in.sel = bias.ref;
            in.sel.at_bytes += uint64_t(p.n0) * npu_types[bias.type].bytes;
        }
        if (types->is_sparse) {
            t.b.step /= 2;
            t.index = index.ref.at_bytes;
            t.index_step = uint64_t(ceil(b.is_local ? n : org_n, 16)) * 16 * 8;
        }
        (void)c;
        return in;
    }
    /* The user's functions bring blocks of A or B into L1, as fractals, baseK steps of k at a time.
     */
    void ComputeByCallbacks(npu_core *c, const place &p, uint32_t l0c, bool starts, npu_where where)
    {
        const uint32_t half = c->soc->mem_bytes[MEM_L1] / 2;
        for (int32_t k0 = p.k0; k0 < p.k0 + p.k; k0 += plan.baseK) {
            place q = p;
            q.k0 = k0;
            q.k = p.k0 + p.k - k0 < plan.baseK ? p.k0 + p.k - k0 : plan.baseK;
            npu_insn in = Insn(c, q, l0c, starts && k0 == p.k0, where);
            if (copy_a)
                BringIn(c, copy_a, a, in.ref[1], in.cube.tile.a, 0, half, p.row, k0 / plan.baseK,
                        q.m, q.k);
            if (copy_b)
                BringIn(c, copy_b, b, in.ref[2], in.cube.tile.b, half, half, k0 / plan.baseK,
                        p.column, q.k, q.n);
            npu_barrier(c, PIPE_ALL, where);
            npu_issue_cube(c, &in);
            npu_barrier(c, PIPE_ALL, where);
        }
    }
    void BringIn(npu_core *c, mm_copy_in copy, const mm_operand &x, npu_ref &ref, npu_matrix &r,
                 uint32_t at, uint32_t room, int32_t row, int32_t column, int32_t rows,
                 int32_t columns) const
    {
        const int32_t stored = x.is_turned ? columns : rows;
        const AscendC::LocalTensor<int8_t> l1(reinterpret_cast<int8_t *>(c->mem[MEM_L1].base + at),
                                              room, AscendC::TPosition::A1);
        copy(l1, reinterpret_cast<const void *>(uintptr_t(x.ref.at_bytes)), row, column, rows,
             columns, user_tiling, user_data);
        ref = {};
        ref.mem = MEM_L1;
        ref.at_bytes = at;
        r = {};
        r.is_nz = true;
        r.is_turned = x.is_turned;
        r.step = uint64_t((stored + 15) / 16 * 16) * NPU_BLK_BYTES;
    }
    void AddQuant(npu_insn &in, const place &p) const
    {
        const bool scales = types->c_bytes == 1 || (types->is_int && types->c_bytes == 2);
        if (!scales)
            return;
        in.scalar = quant_scalar;
        in.cube.fix.is_vector = quant.is_set;
        if (quant.is_set) {
            in.ref[2] = quant.ref;
            in.ref[2].at_bytes += uint64_t(p.n0) * sizeof(uint64_t);
        }
    }
    void CallOut(npu_core *c, const npu_insn &in, const place &p, uint32_t l0c) const
    {
        const npu_fix &f = in.cube.fix;
        AscendC::DataCopyOutParams o = {};
        o.cBurstNum = uint16_t(ceil(p.n, 16));
        o.burstLen = uint16_t(p.m * 16 * 4 / NPU_BLK_BYTES);
        o.srcStride = uint16_t((ceil(p.m, 16) * 16 - p.m) * 16 * 4 / NPU_BLK_BYTES);
        o.dstStride = uint32_t(f.layout == FIX_ND ? f.dst_step / types->c_bytes : f.dst_step / 32);
        o.oriNSize = uint16_t(p.n);
        o.quantScalar = quant_scalar;
        o.cbufWorkspaceAddr = in.ref[2].at_bytes;
        const AscendC::LocalTensor<int8_t> co1(
            reinterpret_cast<int8_t *>(c->mem[MEM_L0C].base + l0c), c->mem[MEM_L0C].bytes - l0c,
            AscendC::TPosition::CO1);
        copy_out(reinterpret_cast<const void *>(uintptr_t(in.ref[0].at_bytes)), co1, &o,
                 user_tiling, user_data);
    }
    void WithAtomic(npu_core *c, uint8_t atomic, npu_insn &in) const
    {
        static const uint8_t ops[] = {ATOMIC_NONE, ATOMIC_ADD, ATOMIC_MAX, ATOMIC_MIN};
        const uint8_t op = c->regs.atomic_op, type = c->regs.atomic_type;
        if (atomic) {
            c->regs.atomic_op = ops[atomic & 3];
            c->regs.atomic_type = uint8_t(types->c);
        }
        npu_issue_cube(c, &in);
        c->regs.atomic_op = op;
        c->regs.atomic_type = type;
    }
};

} // namespace nputwin
#endif
