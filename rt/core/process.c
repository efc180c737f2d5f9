/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.c - what belongs to the process, whichever door sets it: libascendcl.so and libacl_rt.so
 * are the same functions twice, so they keep nothing themselves.
 */
#include "core.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t n_inits;
static _Atomic int64_t settings[N_SETTINGS] = {[SETTING_WAIT_LIMIT_MS] = -1};

uint64_t npu_rt_count_init(void)
{
    uint64_t n;

    pthread_mutex_lock(&lock);
    n = ++n_inits;
    pthread_mutex_unlock(&lock);
    return n;
}

bool npu_rt_end_inits(bool all, uint64_t *left)
{
    bool had;

    pthread_mutex_lock(&lock);
    had = n_inits > 0;
    if (had)
        n_inits = all ? 0 : n_inits - 1;
    if (left)
        *left = n_inits;
    pthread_mutex_unlock(&lock);
    return had;
}

int64_t npu_rt_setting(uint32_t setting)
{
    assert(setting < N_SETTINGS);
    return atomic_load(&settings[setting]);
}

void npu_rt_set_setting(uint32_t setting, int64_t value)
{
    assert(setting < N_SETTINGS);
    atomic_store(&settings[setting], value);
}
