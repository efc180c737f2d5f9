/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sync.h - the C API's flags and barriers.
 */
#ifndef NPU_FRONT_C_SYNC_H
#define NPU_FRONT_C_SYNC_H
#include "core.h"

/* Everything that was issued is done. */
inline void asc_sync(npu_where where = NPU_HERE) { nputwin::c_sync(where); }
/* What this pipe was given before is done before what comes after. */
inline void asc_sync_pipe(pipe_t pipe, npu_where where = NPU_HERE)
{
    npu_barrier(nputwin::core(), pipe, where);
}
inline void asc_sync_notify(pipe_t pipe, pipe_t tpipe, int id, npu_where where = NPU_HERE)
{
    npu_set_flag(nputwin::core(), pipe, tpipe, uint32_t(id), where);
}
inline void asc_sync_wait(pipe_t pipe, pipe_t tpipe, int id, npu_where where = NPU_HERE)
{
    npu_wait_flag(nputwin::core(), pipe, tpipe, uint32_t(id), where);
}
/* The program stands still until the pipe has done what it was given. */
#define NPU_C_SYNC(name, pipe)                                                                     \
    inline void name(int id, npu_where where = NPU_HERE)                                           \
    {                                                                                              \
        npu_set_flag(nputwin::core(), pipe, PIPE_S, uint32_t(id), where);                          \
        npu_wait_flag(nputwin::core(), pipe, PIPE_S, uint32_t(id), where);                         \
    }
NPU_C_SYNC(asc_sync_mte2, PIPE_MTE2)
NPU_C_SYNC(asc_sync_mte3, PIPE_MTE3)
#undef NPU_C_SYNC
/* All pipes, for all its name says. */
inline void asc_sync_vec(npu_where where = NPU_HERE) { nputwin::c_sync(where); }

/* Memory that the scalar unit's later accesses depend on: the twin has written it already; the
 * fence is for blocks on other threads. */
enum mem_dsb_t { DSB_ALL, DSB_DDR, DSB_UB, DSB_SEQ };
inline void asc_sync_data_barrier(mem_dsb_t) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#endif
