/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine.h - the AI Cores that run an Ascend C kernel.
 *
 * One struct npu_core a block_idx. A door (front/) describes an instruction and calls
 * npu_issue() or one of the fast doors below; nothing else runs on the core. A door computes
 * no lane, checks no hazard, knows no cycle.
 *
 * A fault (operand out of its memory, assertion, ...) is recorded on the core: the first one
 * wins, later instructions do nothing, and it surfaces when the launch ends. Kernels return
 * void, so no call below reports one.
 *
 * Blocks are fibers on a pool of worker threads; a block that never waits never switches. A
 * fiber stays on its thread for the whole launch.
 */
#ifndef NPU_ENGINE_H
#define NPU_ENGINE_H
#include "../isa/isa.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { NPU_BLK_BYTES = 32, NPU_REPEAT_BYTES = 256, NPU_BLKS_PER_REPEAT = 8, NPU_EVENTS = 8 };
enum { NPU_MAX_BLOCKS = 65535 };

/* Kind of core a piece of a kernel runs on. */
enum npu_core_kind { CORE_AIV, CORE_AIC };

enum npu_kind { KIND_OP, KIND_SET_FLAG, KIND_WAIT_FLAG, KIND_BARRIER, KIND_CROSS_SET };

/* One operand. at_bytes counts from the start of its memory (GM: the host address itself).
 * Strides are in 32-byte blks. */
struct npu_ref {
    uint64_t at_bytes;
    uint16_t blk_stride, rep_stride;
    uint8_t mem; /* enum npu_mem */
};

/* What the instructions of isa/cube.def have beside their operands. All steps in bytes, from the
 * start of one thing to the start of the next; a fractal has 512 bytes. */
enum { NPU_FRACTAL_BYTES = 512, NPU_INDEX_BYTES = 128, NPU_CUBE_MOST = 4095 };
enum npu_mmad_init { MMAD_ADDS, MMAD_ZERO, MMAD_BIAS };
enum npu_hf32 { HF32_OFF, HF32_EVEN, HF32_ZERO }; /* where ties go */
enum npu_fix_layout { FIX_NZ, FIX_ND, FIX_SPLIT /* FIX_NZ in columns of 8 floats */ };

struct npu_nd2nz {
    uint32_t n_nd, n_rows, row_bytes; /* matrices, rows of each, what is read of a row */
    uint32_t src_nd_step, src_row_step;
    uint32_t dst_nd_step, dst_row_step, dst_column_step; /* a column: 32 bytes of each row */
};
struct npu_fractals { /* load2d, load2d_gm, load2d_sparse (index: ref[2]), load2dt */
    uint32_t n_repeat;
    int32_t src_step;
    uint32_t dst_step, dst_fractal_step; /* the second: inside one group of load2dt */
    bool transposes, is_nibbles;         /* nibbles: two 4-bit integers a byte */
};
struct npu_image { /* load3d */
    uint16_t h, w, channels;
    uint16_t columns, rows, column0, row0; /* the part of the matrix that is loaded */
    uint16_t filter_w, filter_h;
    uint8_t pad_left, pad_right, pad_top, pad_bottom;
    uint8_t stride_w, stride_h, dilation_w, dilation_h;
    bool transposes, repeats_columns;
    uint16_t repeat_stride; /* of 16 rows, or of 32 bytes of columns */
    uint8_t n_repeat;
    uint32_t boundary_bytes; /* behind it the source goes on at byte 0 of L1; 0: nowhere */
};
struct npu_mmad {
    uint16_t m, n, k;
    uint8_t init, hf32; /* enum npu_mmad_init, npu_hf32 */
    bool is_nibbles, aligns_k16;
    bool is_sparse; /* two of four: the right matrix holds half of k, what they are is in BI */
    bool is_row;    /* m is 1: the left matrix is one row, element after element */
};
struct npu_fix {
    uint16_t m, n, n_nd;
    uint8_t layout;        /* enum npu_fix_layout */
    bool clips, is_vector; /* negative ones become 0; a parameter a column, in FB */
    float leak;            /* with clips: what a negative one is multiplied by */
    uint32_t src_column_step, src_nd_step;
    uint64_t dst_step, dst_nd_step; /* between rows (ND), or between columns of fractals */
};
/* A matrix as it lies: rows (step from one to the next) or, is_nz, columns of fractals (step from
 * one column to the next). is_turned: what lies there is its transpose. is_one: every element is
 * one value, nothing lies anywhere. */
struct npu_matrix {
    uint64_t step;
    uint32_t row0, column0; /* where the part begins that is meant, as it lies */
    bool is_turned, is_nz, is_one;
};
struct npu_tile { /* mmtile: ref[1] m x k, ref[2] k x n; is_one: scalar and mask[0] are the values
                   */
    uint32_t m, n, k;
    struct npu_matrix a, b;
    uint8_t init, hf32, bias_type; /* enum npu_mmad_init, npu_hf32, npu_type: bias at sel */
    bool is_nibbles;
    bool keeps_b; /* the right matrix is as the last mmtile of this core has read it */
    /* 0: dense. Else the right matrix, is_turned, has two of four elements along k, and GM has
     * there which ones: fractals of 16 rows of 8 bytes, columns of them index_step bytes apart. A
     * byte has two pairs of bits for each four of k: place of the first (0 to 2), place of the
     * second less 1. */
    uint64_t index, index_step;
};
struct npu_groups { /* copy_gm_l1_pad: so many bytes become so many */
    uint8_t from_bytes, to_bytes;
};
union npu_cube {
    struct npu_tile tile;
    struct npu_nd2nz nd2nz;
    struct npu_fractals fractals;
    struct npu_image image;
    struct npu_mmad mmad;
    struct npu_fix fix;
    struct npu_groups groups;
};

/* One dynamic instruction: a plain value; can be copied, printed, saved, replayed. */
struct npu_insn {
    uint8_t kind, op, type, dst_type; /* dst_type: vconv and its relations, vdeqs16 */
    uint8_t pipe, peer, event_id;     /* peer: the other end of a flag */
    uint8_t mode; /* enum npu_relation, npu_round, npu_cross, order of a reduction, mode of vsel */
    uint32_t repeat; /* the chip's field has 8 bits; vsumall and its sisters take more */
    uint8_t pad_left, pad_right;   /* elements of pad around each burst (copy_gm_to_ub) */
    bool is_pad;                   /* pads hold `scalar`; else the filler is the first element */
    uint32_t count;                /* count form: elements; 0: repeat, mask and strides rule */
    uint64_t mask[2];              /* bit a lane of one repeat */
    uint64_t scalar;               /* the bits of one element, zero-extended */
    uint32_t n_burst, burst_bytes; /* copies */
    int64_t src_gap_bytes,
        dst_gap_bytes;     /* copies: from the end of a burst to the start of the next */
    struct npu_ref ref[3]; /* dst, src0, src1 (vsel: the bits of the choice are sel) */
    struct npu_ref sel;
    uint32_t seq;           /* program order, filled by the engine */
    struct npu_where where; /* line of the kernel */
    bool counter;           /* counter mode: mask[0] counts elements, repeat is not looked at,
                             * strides rule; doors copy it from the registers */
    uint64_t cmpmask[2];    /* vsel mode 0: filled by the engine from the registers */
    uint8_t atomic_op, atomic_type; /* copy_ub_to_gm: the same */
    bool saturates;                 /* the same: results in half or bfloat16 are finite */
    bool stops, cuts;               /* the same: sums and products of integers stop at the ends of
                                     * their type; conversions to an integer keep the lower bits */
    union npu_cube cube;            /* instructions of isa/cube.def */
    const struct npu_rows *rows; /* vrows: operands and numbers; npu_issue copies what it keeps */
};

/* What vrows works on, all in UB. An operand of 0 bytes is one that the call leaves out; one that
 * is read and written stands in both lists. engine/rows.h says what each function does with them.
 */
enum { NPU_ROWS_OPERANDS = 10, NPU_ROWS_NUMBERS = 32, NPU_ROWS_MOST = 1 << 20 };
struct npu_rows {
    uint8_t fn; /* enum npu_rows_fn */
    uint8_t n_dst, n_src;
    uint32_t dst[NPU_ROWS_OPERANDS], dst_bytes[NPU_ROWS_OPERANDS];
    uint32_t src[NPU_ROWS_OPERANDS], src_bytes[NPU_ROWS_OPERANDS];
    uint32_t num[NPU_ROWS_NUMBERS]; /* sizes and choices, at most NPU_ROWS_MOST */
    uint32_t bits[4];
    float real[2];
};

/* What the fields mean where it is not obvious (strides in 32-byte blks unless said otherwise):
 *
 * vcmp, vcmps   dst: packed bits, least significant first, contiguous over the repeats whatever dst
 *               strides and mask are. Counts are cut down to whole repeats. NaN compares false, NE
 * too. vsel          mode 0: choice = the cmpmask register, the same in each repeat; mode 1: choice
 * = bits at `sel`, consumed contiguously, src1 = `scalar`; mode 2: bits at `sel`, src1 a tensor.
 * vconv         type = source, dst_type = result, mode = enum npu_round; the mask counts lanes of
 * the wider type, and a repeat has 256 bytes of it. vcadd, vcmax, vcmin     ref[0].rep_stride in
 * results: for vcadd and order 2 one element; orders 0 and 1 two elements; order 3 four bytes. mode
 * = order: 0 value,index 1 index,value 2 value 3 index (32 bits). An index counts lanes of its
 * repeat. vcgadd, vcgmax, vcgmin  ref[0].rep_stride in 8 elements. On 2201 a blk without an active
 * lane leaves its result as it was. vcpadd        ref[0].rep_stride in 128 bytes; a pair without an
 * active lane leaves its result as it was. vsumall, vmaxall, vminall  one result; vmaxall and
 * vminall have the modes 0 and 2 of vcmax, an index counts lanes of all repeats; the result of
 * vsumall stands in regs.sum as well. vmlaw, vaxpyw  type = sources, dst is f32.
 * vdeq, vadddeqrelu  dst is f16, scalar the bits of a half. vaddreluconv, vsubreluconv, vmulconv
 * dst_type: f16 of f32, s8 of f16 and s16, u8 too of vmulconv; the sum of halves is a half, that of
 * s16 stops at the ends of the type, NaN becomes 0. vdeqs16  dst_type s8 or u8; scalar = DEQSCALE:
 * bits 0..31 a float of which 10 bits of fraction count, 37..45 offset, 46 signed; mode: DEQ_*
 * below; 16 results fill one half of a blk of dst, strides count whole blks. vcmpr  one repeat into
 * regs.cmpmask; lanes that are off keep their bit. vindex  lane i of repeat r is scalar + r * lanes
 * + i, one rounding. vgathermask   mode 1 to 7: a pattern (1 even, 2 odd, 3 to 6 one of four, 7
 * all); 0: bits at ref[2], consumed inside a repeat. A repeat takes 256 bytes or, with counter,
 * mask[0] elements; the mask itself plays no part. The number written stands in regs.n_gathered.
 * vf162s4, vs42f16  type f16; two 4-bit integers a byte, the lower half first, 64 of them a blk;
 * mode of vf162s4 = enum npu_round, ROUND_ODD excepted. vgatherb  8 blks a repeat, mask is not
 * looked at. vsort32  pairs of 8 bytes: score, index. vmrgsort  queues in lists; mode: how many,
 * and MERGE_STOPS to end when one is empty; regs.n_merged says what was taken of each. vnchwconv
 * lists hold dst and src; mode: NCHW_* below. vpermute  n_burst: c, burst_bytes: h * w, repeat: n;
 * mode 1 goes back from NHWC. vcumsum  n_burst rows of burst_bytes elements, repeat 1; mode 1: down
 * the rows. vbrcb         8 elements of src0 a repeat, one after the other; mask is not looked at.
 * vgather       ref[1] + scalar + offset is where an element lies, all in bytes; the offsets are
 * 32-bit, contiguous at ref[2], one a lane. vrows  all operands and numbers at `rows`; type: of the
 * elements, dst_type: of what stands beside them (sums, means). vcopy         n_burst 0: lanes
 * under mask and strides; else n_burst bursts with gaps, as the movers. copy_*        n_burst
 * bursts of burst_bytes; gaps in bytes. In UB each burst begins at a multiple of 32 bytes and its
 * gap counts from the padded end. A burst with pads or a tail is filled with `scalar` when is_pad
 * is set, else with its own first element. Set and wait  set_flag: pipe = from, peer = to;
 * wait_flag: pipe = the one that waits, peer = from.
 */

/* What a copy to GM does with the old value. */
enum npu_atomic { ATOMIC_NONE, ATOMIC_ADD, ATOMIC_MAX, ATOMIC_MIN };

/* Of the cube core: what its doors have been told for calls that follow. */
struct npu_cube_regs {
    uint64_t quant;                /* SetFixpipePreQuantFlag */
    uint32_t quant_at;             /* byte of FB, SetFixPipeConfig */
    uint64_t quant_given, relu_at; /* as asc_set_l0c2gm_config got them: kept for who asks */
    float leaky;                   /* asc_set_l0c2gm_lrelu_alpha */
    uint16_t n_nd, src_nd_step, repeat_stride;
    uint16_t image_h[2], image_w[2]; /* of the left and of the right matrix */
    uint32_t dst_nd_step;            /* SetFixpipeNz2ndFlag */
    uint64_t pad_value;
    uint32_t boundary_bytes;
    uint8_t pad[2][4]; /* of the same: left, right, top, bottom */
    uint8_t n_repeat_less_1;
    bool repeats_columns, is_hf32, is_hf32_zero, is_column_major, repeats_none, has_unit_flag;
};

/* Special registers that instructions read and doors may set at any time. */
struct npu_regs {
    uint64_t mask[2];               /* vector mask, lanes 0..63 and 64..127 */
    uint64_t cmpmask[2];            /* set_cmpmask */
    bool counter_mode;              /* mask[0] counts elements */
    uint32_t sum;                   /* bits of the newest vsumall, in its type */
    uint8_t atomic_op, atomic_type; /* enum npu_atomic, npu_type: of copies from UB to GM */
    bool has_pad_value;             /* pad_value takes the place of the first element as filler */
    uint64_t pad_value;             /* bits of one element, for the doors */
    uint64_t deq_scale; /* DEQSCALE, for the doors: what vdeq and vdeqs16 get as their scalar */
    bool saturates;     /* halves and bfloat16: infinity becomes the largest number, NaN 0 */
    bool stops;         /* integer arithmetic stops at the ends of its type; else it wraps */
    bool cuts;          /* conversions to an integer keep the lower bits; else they clamp */
    uint32_t
        extreme[2]; /* bits of value and index of the newest vcmax or vcmin, over all repeats */
    uint16_t n_merged[4]; /* elements of each queue that the newest vmrgsort has taken */
    uint64_t n_gathered;  /* elements that the newest vgathermask has written */
    bool has_adjusted;    /* the newest AdjustSoftMaxRes has found the number it looks for */
    uint64_t ffts_base;   /* of asc_set_ffts_base_addr: kept for who asks */
    struct npu_cube_regs cube;
};

/* Operands of the instructions that have more than three; read when one is issued. Bytes of UB. */
enum {
    DEQ_HIGH = 1,
    DEQ_VECTOR = 2
}; /* the upper half of each blk; 16 words at src1, not scalar */
/* mode of vquant, vdequant, vantiquant: what scale (ref[2]) and offset (sel) are; a number each in
 * the low and the high half of `scalar` otherwise. Elements are a matrix of rows of burst_bytes
 * elements, and n_burst rows in a row share one row of scales; QUANT_EACH: n_burst elements share
 * one scale. QUANT_U64: a float in the low half of 64 bits; QUANT_BF16: scales are bfloat16;
 * QUANT_S4: elements of src0 are of 4 bits, two a byte, the lower half first. */
enum {
    QUANT_SCALES = 1,
    QUANT_OFFSETS = 2,
    QUANT_EACH = 4,
    QUANT_U64 = 8,
    QUANT_BF16 = 16,
    QUANT_S4 = 32
};
enum { NPU_LIST = 16, MERGE_QUEUES = 7, MERGE_STOPS = 8, NCHW_DST_HIGH = 1, NCHW_SRC_HIGH = 2 };
struct npu_lists {
    uint32_t dst[NPU_LIST], src[NPU_LIST];
    uint32_t src_bytes[4]; /* vmrgsort: length of each queue */
    uint32_t va[8][8];     /* address registers VA0 to VA7 of the doors, eight blks each */
};

struct npu_bank {
    uint8_t *base;
    uint32_t bytes;
};

/* What doors may read in place. The engine's own part follows behind it in engine/core_int.h. */
struct npu_core {
    struct npu_bank mem[N_MEMS]; /* GM: base NULL, bytes 0 */
    struct npu_regs regs;
    const struct npu_soc *soc;
    uint32_t block_idx, block_dim; /* launch instance on this core, and how many there are */
    uint32_t sub_idx, n_sub;       /* AIV 0 or 1 of a mix group; 0 of 1 otherwise */
    uint8_t core_kind;             /* enum npu_core_kind */
    bool is_mix;                   /* cube core and n_sub vector cores make one block */
    bool slow;                     /* a watch, another order or a trace wants each npu_insn */
    bool faulted;
    void *door;                    /* the C++ facade keeps its TPipe here */
    struct npu_lists lists;        /* what the next vmrgsort or vnchwconv works on */
    uint32_t placed_bytes[N_MEMS]; /* taken from the top of each memory by `__ubuf__ T a[N];` */
    void *sys_workspace;           /* in front of the kernel's own workspace; NULL: none */
};

/* The core that this thread runs at the moment; NULL outside a kernel. */
NPU_API struct npu_core *npu_self(void);

/* ---- issue ---------------------------------------------------------------------------- */

NPU_API void npu_issue(struct npu_core *c, const struct npu_insn *in);

/* The same for instructions of isa/cube.def; a door of its own, because it tells the driver that a
 * kernel needs a cube core. */
NPU_API void npu_issue_cube(struct npu_core *c, const struct npu_insn *in);

/* Count form of a vector instruction on contiguous UB operands (src pointers NULL when the shape
 * has none). The fast path of the machine: one branch, then a SIMD loop. scalar: bits of one
 * element. */
NPU_API void npu_vec(struct npu_core *c, enum npu_op op, enum npu_type type, void *dst,
                     const void *src0, const void *src1, uint64_t scalar, uint32_t count,
                     struct npu_where where);
/* Count form of vconv. */
NPU_API void npu_conv(struct npu_core *c, enum npu_type dst_type, void *dst, enum npu_type src_type,
                      const void *src, enum npu_round round, uint32_t count,
                      struct npu_where where);
/* One contiguous run of bytes, OP_copy_gm_to_ub or OP_copy_ub_to_gm. */
NPU_API void npu_copy(struct npu_core *c, enum npu_op op, void *dst, const void *src,
                      uint32_t bytes, struct npu_where where);
NPU_API void npu_set_flag(struct npu_core *c, enum npu_pipe from, enum npu_pipe to,
                          uint32_t event_id, struct npu_where where);
NPU_API void npu_wait_flag(struct npu_core *c, enum npu_pipe from, enum npu_pipe to,
                           uint32_t event_id, struct npu_where where);
NPU_API void npu_barrier(struct npu_core *c, enum npu_pipe pipe, struct npu_where where);

/* Everything issued so far has run, as far as its flags allow; for doors that touch UB in the name
 * of another pipe. In program order there is nothing to do. */
NPU_API void npu_settle(struct npu_core *c);

/* All cores of this kind in the launch meet here (SyncAll); suspends the block. */
NPU_API void npu_sync_all(struct npu_core *c, struct npu_where where);
/* All cores of both kinds. */
NPU_API void npu_sync_all_kinds(struct npu_core *c, struct npu_where where);

/* Suspends the block so that others may run: for programs that look at GM until it changes. It does
 * not return for ever once a block of the launch has failed. */
NPU_API void npu_poll(struct npu_core *c);
/* Lets the other blocks of the launch begin, when all can be there at a time: on the chip they do.
 * For calls that prepare GM for what follows, as kernels do without waiting for each other. */
NPU_API void npu_let_begin(struct npu_core *c);
/* Suspends the block until *word is `from`, then makes it `to`. A fault when no block can do that
 * any more. name: the call, for messages. False after a fault. */
NPU_API bool npu_wait_word(struct npu_core *c, int32_t *word, int32_t from, int32_t to,
                           const char *name, struct npu_where where);

/* Suspends the block until *byte is one of the numbers whose bits are set in any_of. The same
 * fault. */
NPU_API bool npu_wait_byte(struct npu_core *c, const uint8_t *byte, uint32_t any_of,
                           const char *name, struct npu_where where);

/* CLOCK_MONOTONIC when the launch began. */
NPU_API uint64_t npu_launch_start_ns(const struct npu_core *c);

/* ---- flags between cores, and the scalar unit's cache ----------------------------------- */

/* Which cores a flag joins: all of one kind, the vector cores of a group, or the cube core of a
 * group with its vector cores. */
enum npu_cross { CROSS_ALL, CROSS_AIV, CROSS_GROUP, N_CROSS };
enum { NPU_CROSS_FLAGS = 16, NPU_CROSS_MAX = 15 };
/* This core is done as far as pipe is; when all of its side are, the counter `id` of each core of
 * the other side goes up by one. Runs on pipe, as an instruction. */
NPU_API void npu_cross_set(struct npu_core *c, enum npu_cross mode, enum npu_pipe pipe, uint32_t id,
                           struct npu_where where);
/* Suspends the block until its counter `id` is up, and takes one off. False after a fault. */
NPU_API bool npu_cross_wait(struct npu_core *c, uint32_t id, struct npu_where where);

/* A vector core of a mix kernel asks its cube core to run fn(arg, cube core), and is suspended
 * until that is done; in the order of the calls. is_shared: both vector cores of the group ask, and
 * fn of the first is run once for both. False after a fault. name: the call, for messages. */
typedef void npu_group_fn(void *arg, struct npu_core *cube);
NPU_API bool npu_group_call(struct npu_core *c, npu_group_fn *fn, void *arg, bool is_shared,
                            const char *name, struct npu_where where);
/* As much memory as L1, the same for both vector cores of a group, until the launch ends. NULL
 * outside a mix kernel, or when there is none left. */
NPU_API void *npu_group_l1(struct npu_core *c);
/* The cube core does what it is asked until the vector cores of its group have ended. Afterwards
 * its instructions do nothing: the rest of the kernel's lines are those of the vector cores. */
NPU_API void npu_group_serve(struct npu_core *cube);

/* 1: some launch ran out of program order, and NPUTWIN_AUTO_SYNC is not off. The vendor's compiler
 * then orders a scalar access to a tensor of UB behind the pipes, and so does the door:
 * npu_settle(). */
NPU_API extern uint8_t npu_scalar_settles;
/* 1: NPUTWIN_SCALAR_CACHE=strict, scalar accesses to GM go through npu_scalar_at(). */
NPU_API extern uint8_t npu_scalar_strict;
/* Where this core's scalar unit sees `bytes` of GM at gm; valid until the line is cleaned. */
NPU_API void *npu_scalar_at(struct npu_core *c, const void *gm, uint32_t bytes, bool writes,
                            struct npu_where where);
/* Writes back and drops the line of gm, or all of them (NULL). */
NPU_API void npu_scalar_clean(struct npu_core *c, const void *gm);

/* Records a fault found by a door. fmt says what, the actual value, what is allowed. */
NPU_API void npu_fault(struct npu_core *c, enum npu_status st, struct npu_where where,
                       const char *fmt, ...) NPU_PRINTF(4, 5);

/* Something that is wrong but has a defined result: the launch goes on, and tells it on stderr with
 * the number of times. code: one word of capitals, of static life. The same code and line is told
 * once in a process. */
NPU_API void npu_note(struct npu_core *c, const char *code, struct npu_where where, const char *fmt,
                      ...) NPU_PRINTF(4, 5);

/* A line of a kernel's log: level 0 debug to 3 error. Where it goes, and from which level on, says
 * who has set the sink; without one nothing is kept. c: NULL outside a kernel. */
typedef void npu_log_fn(unsigned level, struct npu_where where, const char *text);
void npu_log_to(npu_log_fn *sink);
NPU_API void npu_kernel_log(struct npu_core *c, unsigned level, struct npu_where where,
                            const char *text);

/* printf of a kernel: to the user's stdout, prefixed "[AIV Block i/n] ". */
NPU_API void npu_kernel_printf(struct npu_core *c, const char *fmt, ...) NPU_PRINTF(2, 3);

/* Every byte range that an instruction reads or writes, in address order of each operand. */
typedef void npu_access_fn(void *arg, enum npu_mem mem, uint64_t at_bytes, uint32_t bytes,
                           enum npu_use use);
NPU_API void npu_insn_accesses(const struct npu_core *c, const struct npu_insn *in,
                               npu_access_fn *fn, void *arg);

/* ---- launch --------------------------------------------------------------------------- */

/* Which of the orders that flags and barriers allow. Pipes are queues; the scalar unit runs ahead.
 *   program  each instruction when it is issued
 *   lazy     producers as late as possible: an instruction runs when something has to wait for it
 *   random   any, by a seed
 * A kernel whose flags are complete computes the same in all of them. */
enum npu_order {
    ORDER_ENV, /* what NPUTWIN_ORDER says, else program */
    ORDER_PROGRAM,
    ORDER_LAZY,
    ORDER_RANDOM
};

/* Runs one core of a block. Called on a fiber with npu_self() set; must not throw. */
typedef void npu_block_fn(void *arg, struct npu_core *c);

struct npu_launch {
    const struct npu_soc *soc;
    const char *name;   /* kernel, for messages */
    uint32_t block_dim; /* 1..NPU_MAX_BLOCKS */
    uint8_t core_kind;  /* enum npu_core_kind; of every core when n_mix_aiv is 0 */
    uint8_t n_mix_aiv;  /* each block is a cube core with so many vector cores: 1 or 2 */
    npu_block_fn *run;
    void *arg;     /* borrowed until npu_launch returns */
    uint8_t order; /* enum npu_order */
    uint64_t seed; /* of ORDER_RANDOM */
};

/* Runs every block to its end on the pool and the calling thread; returns the first fault with its
 * story in d. Thread-safe; launches of several threads are served one after the other. */
NPU_API enum npu_status npu_launch(const struct npu_launch *l, struct npu_diag *d);

/* The pool's parallel loop, for runtime code that streams over memory: fn(arg, i) for 0 <= i < n.
 */
NPU_API void npu_parallel(uint32_t n, void (*fn)(void *arg, uint32_t i), void *arg);

#ifdef __cplusplus
}
#endif
#endif
