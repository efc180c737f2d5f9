/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.c - what belongs to the process, whichever door sets it: libascendcl.so and libacl_rt.so
 * are the same functions twice, so they keep nothing themselves.
 */
#include "core.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t n_inits;
static _Atomic int64_t settings[N_SETTINGS] = {[SETTING_WAIT_LIMIT_MS] = -1};

/* ---- where operator packages are looked for ---- */

static const char *const opp_variables[] = {"ASCEND_CUSTOM_OPP_PATH", "ASCEND_OPP_PATH"};
enum { N_OPP_VARIABLES = sizeof(opp_variables) / sizeof(opp_variables[0]) };
static char *opp_at_init[N_OPP_VARIABLES]; /* NULL: was unset */
static atomic_bool watches_opp;

static void keep_opp_variables(void)
{
    for (int i = 0; i < N_OPP_VARIABLES; i++) {
        const char *now = getenv(opp_variables[i]);

        free(opp_at_init[i]);
        opp_at_init[i] = now ? strdup(now) : NULL;
    }
    atomic_store(&watches_opp, true);
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

/* The libraries that look for packages read the variables when they are loaded. */
static void tell_opp(const char *variable)
{
    npu_rt_log(LOG_OF_ACL, NPU_LOG_WARNING, __func__, NULL, 0,
               "%s was changed after aclInit, which has no effect", variable);
    fprintf(
        stderr,
        "nputwin: warning: %s was changed after aclInit: operator packages are looked for where "
        "it pointed before; set it before the program starts\n",
        variable);
}

void npu_rt_look_at_opp_path(void)
{
    if (!atomic_load_explicit(&watches_opp, memory_order_relaxed))
        return;
    for (int i = 0; i < N_OPP_VARIABLES; i++) {
        if (same_text(getenv(opp_variables[i]), opp_at_init[i]))
            continue;
        if (atomic_exchange(&watches_opp, false)) /* told once */
            tell_opp(opp_variables[i]);
        return;
    }
}

uint64_t npu_rt_count_init(void)
{
    uint64_t n;

    pthread_mutex_lock(&lock);
    n = ++n_inits;
    if (n == 1)
        keep_opp_variables();
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
