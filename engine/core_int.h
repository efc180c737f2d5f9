/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core_int.h - the engine's own half of a core, and what its files say to each other.
 *
 *   core.c    issue, flags, barriers, faults          fiber.c   switching stacks
 *   order.c   what runs next, and what waits          note.c    what is wrong but runs
 *   access.c  where an instruction reads and writes   pool.c    worker threads
 *   vec.c     the vector unit: fast door and walk     launch.c  blocks, SyncAll, collecting faults
 *   special.c what is not lane by lane                trap.c    signals raised by a kernel
 *   mte.c     copies                                  lanes.h   the loops themselves, with
 *                                                     lane_rows.h, those over whole rows
 *   rearrange.c  gathering, sorting, transposing      quant.c   quantisation
 *   dcache.c  the scalar unit's cache                 cross.c   flags between cores
 *   group.c   what vector cores ask of their cube core
 *   deadline.c  kernels that do not end
 *   ahead.h   lines fetched before their copy
 */
#ifndef NPU_CORE_INT_H
#define NPU_CORE_INT_H
#include "ahead.h"
#include "deadline.h"
#include "engine.h"
#include "fiber.h"
#include "vec.h"

/* Instructions of one pipe that are issued and have not run. */
struct npu_held {
    struct npu_insn *insn;
    uint32_t n, room, head;
    bool is_running; /* order.c: somebody further up is at its head */
};

struct npu_block_run; /* launch.c */
struct npu_dcache;    /* dcache.c */

struct npu_core_int {
    struct npu_core pub; /* first: doors see only this */
    const struct npu_lanes *lanes;
    struct npu_where where; /* of the newest instruction */
    uint32_t seq;
    uint32_t n_held;                            /* over all pipes */
    uint8_t order;                              /* enum npu_order */
    uint64_t random;                            /* ORDER_RANDOM: state of the generator */
    uint8_t flag[N_PIPES][N_PIPES][NPU_EVENTS]; /* [from][to]: sets without their wait */
    struct npu_held held[N_PIPES];
    struct npu_diag fault;
    struct npu_fiber fiber;
    struct npu_block_run *run;
    uint32_t wait_generation; /* SyncAll: resume when the run's generation is another one */
    uint64_t gm_bytes;        /* that npu_copy has moved */
    bool streams;             /* the launch moves more than caches keep */
    bool fetches;             /* it moves more than those of one core keep */
    struct npu_ahead ahead;   /* used when it fetches */
    bool is_stopped;          /* its fault is the limit of the launch */
    bool is_leaving; /* trap.c: on the way out of a kernel that raised a signal or did not end */
    bool waiting;
    bool is_setting;          /* waits until a counter has room for its CrossCoreSetFlag */
    bool polls;               /* parked, but wants to look again whenever its worker has time */
    uint32_t confirmed_epoch; /* npu_wait_word: see launch.c */
    uint32_t n_vain_polls;    /* of a launch that has failed */
    struct npu_dcache *dcache;
    float *scratch; /* rows.c: made when first wanted, kept for the next block */
    uint32_t scratch_floats;
    float *right; /* mmtile.c: panels of the newest right matrix; right_floats: room */
    uint64_t right_floats;
    struct npu_right {
        uint64_t at, step, index;
        uint32_t n, k, row0, column0, bits;
    } right_is; /* which one that is */
};

static inline struct npu_core_int *npu_core_int(struct npu_core *c)
{
    return (struct npu_core_int *)c;
}

/* The core that runs on this thread. A fiber never changes threads, so the address may be cached.
 */
extern _Thread_local struct npu_core_int *npu_core_now __attribute__((tls_model("initial-exec")));

/* ---- core.c ---- */
/* Empties flags, registers and held instructions for the next block. */
void npu_core_reset(struct npu_core_int *c);
/* Runs what is still queued when the kernel has returned, reports what can not run. */
void npu_core_end(struct npu_core_int *c);
void npu_core_finish(struct npu_core_int *c);
/* Sets pub.slow to whether a fast door has to come through npu_issue(). */
void npu_core_look(struct npu_core_int *c);
/* False when in is a wait_flag whose flag is down. */
bool npu_insn_run(struct npu_core_int *c, const struct npu_insn *in);

/* ---- order.c ---- */
struct npu_order_choice {
    enum npu_order order;
    uint64_t seed;
};
/* What NPUTWIN_ORDER says, read once. */
enum npu_status npu_order_current(struct npu_order_choice *choice, struct npu_diag *d);
/* "program", "lazy" or "random:7". */
const char *npu_order_text(const struct npu_order_choice *choice, char text[48]);
/* The order of the block that begins now. */
void npu_order_begin(struct npu_core_int *c, const struct npu_order_choice *choice);
/* in is legal and complete. */
void npu_order_issue(struct npu_core_int *c, const struct npu_insn *in);
void npu_order_end(struct npu_core_int *c);

/* ---- dcache.c ---- */
/* What NPUTWIN_AUTO_SYNC says, read once; sets npu_scalar_settles for a launch in that order. */
enum npu_status npu_auto_sync_choose(enum npu_order order, struct npu_diag *d);
/* What NPUTWIN_SCALAR_CACHE says, read once. */
enum npu_status npu_dcache_choose(struct npu_diag *d);
void npu_dcache_end(struct npu_core_int *c);

/* ---- cross.c ---- */
struct npu_cross_core; /* sets and counters of one core */
/* One a core of the launch; NULL when there is no memory. */
struct npu_cross_core *npu_cross_new(uint32_t n_cores);
/* What KIND_CROSS_SET does when its pipe comes to it. */
void npu_cross_run(struct npu_core_int *c, const struct npu_insn *in);

/* ---- group.c ---- */
struct npu_group; /* what the vector cores of one block ask of its cube core */
struct npu_group *npu_group_new(uint32_t n_blocks);
void npu_group_free(struct npu_group *groups, uint32_t n_blocks); /* NULL is nothing */
/* A core of a mix kernel has ended. */
void npu_group_leave(struct npu_core_int *c);

/* ---- launch.c ---- */
/* One a block of the launch, made when the first is used; NULL without memory. Under the lock. */
struct npu_group *npu_run_groups(struct npu_block_run *run);
/* The flags of the launch's cores, made when the first is used; NULL without memory. */
struct npu_cross_core *npu_run_cross(struct npu_block_run *run);
void npu_run_lock(struct npu_block_run *run);
void npu_run_unlock(struct npu_block_run *run);
/* Suspends the block until ready(arg) is true; false when no other block can make it so. */
bool npu_run_wait(struct npu_core_int *c, bool (*ready)(void *arg), void *arg);
/* NULL: the launch has no limit. */
const struct npu_deadline *npu_run_deadline(const struct npu_block_run *run);
/* The fault of a core that was stopped because the time is up. */
void npu_run_stop(struct npu_core_int *c);
/* False, with a fault, when some blocks can not begin before others end. */
bool npu_run_all_resident(struct npu_core *core, const char *name, struct npu_where where);

/* ---- note.c ---- */
/* Tells what the launch noted that was not told before, on stderr. */
void npu_notes_tell(const char *kernel);

/* The instruction's name for messages: that of the call for vrows. */
static inline const char *npu_insn_name(const struct npu_insn *in)
{
    return in->op == OP_vrows && in->rows && in->rows->fn < N_ROWS
               ? npu_rows_table[in->rows->fn].name
               : npu_isa[in->op].name;
}

/* ---- access.c ---- */

/* One operand as chunks: chunk k of repeat r begins at at + r * rep_step + k * chunk_step. */
struct npu_view {
    const char *name; /* "dst", "src0" .. for messages */
    uint64_t at, rep_step, chunk_step;
    uint32_t chunk_bytes, n_chunks;
    uint32_t lanes_per_chunk; /* lanes that a chunk serves; 0: the mask does not apply */
    uint32_t align;           /* of `at`, in bytes */
    const uint32_t *starts;   /* chunk k begins at + starts[k]; NULL: chunk_step rules */
    const uint32_t *lengths;  /* bytes of chunk k; NULL: chunk_bytes of each */
    uint8_t mem, use;         /* enum npu_mem, npu_use */
    bool is_pairs;            /* two lanes have one result, written when either is on */
};

enum { VIEW_DST, VIEW_SRC0, VIEW_SRC1, VIEW_SEL, N_VIEWS };

/* An instruction laid out: what repeats, which lanes, where. Unused views have use USE_N. */
struct npu_walk {
    struct npu_view view[N_VIEWS];
    uint64_t mask[2];
    uint32_t n_repeats, lanes;
    uint32_t last_lanes; /* lanes of the last repeat; below `lanes` only in counter mode */
    bool is_full;        /* the mask has every lane */
};

/* in: a vector instruction or a copy. False, with a fault, when its type or form is not possible.
 */
bool npu_walk_init(struct npu_walk *w, struct npu_core_int *c, const struct npu_insn *in);
/* Mask of repeat r. */
void npu_walk_mask(const struct npu_walk *w, uint32_t r, uint64_t mask[2]);
/* True when every operand is aligned and inside its memory; else records the fault. */
bool npu_walk_check(const struct npu_walk *w, struct npu_core_int *c, const struct npu_insn *in);
/* Where the bytes of a view begin. */
static inline uint8_t *npu_view_base(const struct npu_core_int *c, const struct npu_view *v)
{
    if (v->mem == MEM_GM)
        return (uint8_t *)(uintptr_t)v->at;
    return c->pub.mem[v->mem].base + v->at;
}
/* The same message for the fast doors. at_bytes counts from the start of mem. */
void npu_fault_range(struct npu_core_int *c, const char *name, const char *operand,
                     enum npu_mem mem, uint64_t at_bytes, uint64_t bytes, struct npu_where where);

/* ---- executing one laid-out instruction ---- */
void npu_vec_run(struct npu_core_int *c, const struct npu_insn *in, const struct npu_walk *w);
/* n halves (or bfloat16): infinities become the largest number of their sign, NaN 0. */
void npu_make_finite(enum npu_type type, void *elements, uint32_t n);
void npu_special_run(struct npu_core_int *c, const struct npu_insn *in, const struct npu_walk *w);
/* False when the instruction is none of those in rearrange.c. */
bool npu_rearrange_run(struct npu_core_int *c, const struct npu_insn *in, const struct npu_walk *w);
/* A queued vrows owns its operands: a copy of what the door has on its stack. False: no memory. */
bool npu_rows_keep(struct npu_core_int *c, struct npu_insn *in);
void npu_rows_drop(struct npu_insn *in);
void npu_rows_run(struct npu_core_int *c, const struct npu_insn *in, const struct npu_walk *w);
/* vquant, vdequant, vantiquant, and how many bytes of scales (or offsets) one reads. */
void npu_quant_run(struct npu_core_int *c, const struct npu_insn *in, const struct npu_walk *w);
uint32_t npu_quant_scale_bytes(const struct npu_insn *in);
uint64_t npu_quant_scales(const struct npu_insn *in);
void npu_mte_run(struct npu_core_int *c, const struct npu_insn *in, const struct npu_walk *w);
/* n elements of the instruction's atomic type: to = to op from, each in one step. */
void npu_atomic_burst(const struct npu_insn *in, void *to, const void *from, uint32_t n);
/* At least n floats, made when first wanted; NULL, with a fault, when there is no memory. */
float *npu_scratch(struct npu_core_int *c, uint64_t n, struct npu_where where);

/* ---- cube.c: the cube unit and its movers ---- */

/* One operand: n[0] times n[1] times n[2] runs of bytes. */
struct npu_box {
    const char *name;
    uint64_t at;
    int64_t step[3];
    uint32_t n[3], bytes, align;
    uint8_t mem, use;
};
enum { NPU_BOXES = 5 };
/* Where the index of what lies at l0b stands. */
static inline struct npu_ref npu_index_of(const struct npu_ref *l0b)
{
    return (struct npu_ref){.mem = MEM_BI,
                            .at_bytes = l0b->at_bytes / NPU_FRACTAL_BYTES * NPU_INDEX_BYTES};
}
void npu_cube_run(struct npu_core_int *c, const struct npu_insn *in);
void npu_cube_accesses(const struct npu_insn *in, npu_access_fn *fn, void *arg);
/* Elements of one blk of a column of fractals: of the type, or of 4-bit integers. */
static inline uint32_t npu_c0(uint8_t type, bool is_nibbles)
{
    return is_nibbles ? 64 : NPU_BLK_BYTES / npu_types[type].bytes;
}
static inline uint8_t *npu_at(const struct npu_core_int *c, const struct npu_ref *r)
{
    return r->mem == MEM_GM ? (uint8_t *)(uintptr_t)r->at_bytes
                            : c->pub.mem[r->mem].base + r->at_bytes;
}
void npu_mmad_run(struct npu_core_int *c, const struct npu_insn *in);
void npu_fixpipe_run(struct npu_core_int *c, const struct npu_insn *in);
void npu_load3d_run(struct npu_core_int *c, const struct npu_insn *in);
void npu_mmtile_run(struct npu_core_int *c, const struct npu_insn *in);
/* Without the lowest `lost` bits of a float; ties as `how` says. HF32 loses 12 on 2201, 13 on 3510.
 */
float npu_to_hf32(float f, enum npu_hf32 how, uint32_t lost);
/* a + b, or the end of the type beyond it; written so that compilers do many at once. */
static inline int32_t npu_add_stops(int32_t a, int32_t b)
{
    const uint32_t x = (uint32_t)a, y = (uint32_t)b, sum = x + y;
    const bool is_over = (~(x ^ y) & (x ^ sum)) >> 31;

    return is_over ? (int32_t)(x >> 31 ? 0x80000000u : 0x7fffffffu) : (int32_t)sum;
}
/* overflow.c. Integer arithmetic under CTRL[53]: may it overflow, and the lanes of it. */
bool npu_is_stopped(const struct npu_insn *in);
void npu_run_stopped(const struct npu_insn *in, void *dst, const void *a, const void *b,
                     uint32_t n);
int64_t npu_stop(int64_t v, enum npu_type type); /* s16 or s32 */
/* Lanes of one type into another, as CTRL[59] says. */
void npu_convert(const struct npu_core_int *c, const struct npu_insn *in, enum npu_type src_type,
                 enum npu_type dst_type, enum npu_round mode, void *dst, const void *src,
                 uint32_t n);
/* The lower 64 bits of a whole number, however large; of what is finite. */
uint64_t npu_low_bits(double whole);
/* CTRL[48] = 0: infinity becomes the largest number, NaN 0. */
void npu_finite_sums(float *sums, size_t n);

/* One repeat of a view into a dense buffer of 256 bytes. mask NULL: all of it; else only the chunks
 * with an active lane are touched, because the others may lie outside the memory. */
void npu_view_gather(uint8_t *dense, const struct npu_core_int *c, const struct npu_view *v,
                     uint32_t r, const uint64_t *mask);
/* The active lanes of a dense repeat to where they belong. */
void npu_view_scatter(struct npu_core_int *c, const struct npu_view *v, uint32_t r,
                      const uint8_t *dense, uint32_t lanes, const uint64_t mask[2]);
/* Bytes of one result of vcadd, vcmax or vcmin. */
uint32_t npu_extreme_bytes(const struct npu_insn *in);

/* vgathermask: elements of one repeat, and whether element i of repeat r is taken. */
uint32_t npu_gathered_elements(const struct npu_insn *in);
bool npu_is_gathered(const struct npu_core_int *c, const struct npu_insn *in,
                     const struct npu_walk *w, uint32_t r, uint32_t i);

static inline bool npu_mask_has(const uint64_t mask[2], uint32_t lane)
{
    return mask[lane / 64] >> (lane % 64) & 1;
}
#endif
