/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage.h - what a process lets npu-smi know of its devices.
 *
 * An anonymous file in memory, found as /proc/PID/fd/N -> /memfd:npu-usage. It goes when the
 * process goes, however that ends. core/usage.c writes it, cli/npu_smi.c reads it; whoever forked
 * holds it too, but has another pid.
 */
#ifndef NPU_RT_USAGE_H
#define NPU_RT_USAGE_H
#include <stdint.h>

#define NPU_USAGE_NAME  "npu-usage"
#define NPU_USAGE_MAGIC UINT64_C(0x316567617375706e) /* "npusage1" */

enum { NPU_USAGE_DEVICES = 16 }; /* as many as there can be */

struct npu_usage {
    uint64_t magic;
    int64_t pid; /* as the process itself sees it */
    struct npu_usage_device {
        uint64_t bytes;          /* of device memory */
        uint64_t running;        /* kernels and operators at work right now */
    } device[NPU_USAGE_DEVICES]; /* by the number of the machine, not of the process */
};

#endif
