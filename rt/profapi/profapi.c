/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profapi.c - libprofapi.so: where programs report what they do while a profiler collects.
 *
 * No profiler ever collects here (nothing that starts one is exported), and reports are documented
 * to vanish then. Registering a module's command callback succeeds: it is called when profiling
 * starts, which does not happen. Hash ids are real: the same text has the same id in every process.
 */
#include "../../base/base.h"

#include <time.h>

enum { OK = 0, BAD_PARAMETER = -1 };

int32_t MsprofRegisterCallback(uint32_t module, int32_t (*handle)(uint32_t, void *, uint32_t));
int32_t MsprofReportApi(uint32_t ageing, const void *api);
int32_t MsprofReportCompactInfo(uint32_t ageing, const void *data, uint32_t length);
int32_t MsprofReportAdditionalInfo(uint32_t ageing, const void *data, uint32_t length);
uint64_t MsprofGetHashId(const char *text, size_t length);
uint64_t MsprofSysCycleTime(void);

int32_t MsprofRegisterCallback(uint32_t module, int32_t (*handle)(uint32_t, void *, uint32_t))
{
    (void)module;
    return handle ? OK : BAD_PARAMETER;
}

int32_t MsprofReportApi(uint32_t ageing, const void *api)
{
    (void)ageing;
    return api ? OK : BAD_PARAMETER;
}

int32_t MsprofReportCompactInfo(uint32_t ageing, const void *data, uint32_t length)
{
    (void)ageing;
    return data && length ? OK : BAD_PARAMETER;
}

int32_t MsprofReportAdditionalInfo(uint32_t ageing, const void *data, uint32_t length)
{
    (void)ageing;
    return data && length ? OK : BAD_PARAMETER;
}

/* FNV-1a, 64 bits. */
uint64_t MsprofGetHashId(const char *text, size_t length)
{
    uint64_t h = 0xcbf29ce484222325u;

    for (size_t i = 0; text && i < length; i++)
        h = (h ^ (uint8_t)text[i]) * 0x100000001b3u;
    return h;
}

/* The cycle counter of the system: nanoseconds here. */
uint64_t MsprofSysCycleTime(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}
