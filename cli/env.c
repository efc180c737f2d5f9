/* SPDX-License-Identifier: Apache-2.0 */
/* env.c - the environment of a CANN installation, for programs that a command starts. */
#include "cli.h"
#include "mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Where each variable points below the tree; lists get it in front of what they hold. */
static const struct env_row {
    const char *name, *below;
    bool is_list;
} env_rows[] = {
    {"NPUTWIN_HOME", "", false},
    {"ASCEND_HOME_PATH", "", false},
    {"ASCEND_TOOLKIT_HOME", "", false},
    {"ASCEND_OPP_PATH", "/opp", false},
    {"ASCEND_AICPU_PATH", "", false},
    {"TOOLCHAIN_HOME", "/tools", false},
    {"PATH", "/bin", true},
    {"LD_LIBRARY_PATH", "/lib64", true},
    {"CMAKE_PREFIX_PATH", "/lib64/cmake", true},
};

static int set_row(const char *home, const struct env_row *row)
{
    const char *old = row->is_list ? getenv(row->name) : NULL;
    size_t n = strlen(home) + strlen(row->below) + (old ? strlen(old) : 0) + 2;
    char *value = malloc(n);
    int rc = -1;

    if (value) {
        snprintf(value, n, "%s%s%s%s", home, row->below, old && *old ? ":" : "", old ? old : "");
        rc = setenv(row->name, value, 1);
    }
    free(value);
    return rc;
}

static int set_rows(const char *home)
{
    int rc = setenv("NPUTWIN", "1", 1);

    for (size_t i = 0; rc == 0 && i < sizeof(env_rows) / sizeof(env_rows[0]); i++)
        rc = set_row(home, &env_rows[i]);
    return rc;
}

int cli_set_twin(void)
{
    char home[CLI_PATH_BYTES];

    if (!cli_find_home(home)) {
        fprintf(stderr,
                "nputwin: no twin at '%s' (nputwin.json is missing); "
                "`make prefix` makes one, NPUTWIN_HOME names one\n",
                home);
        return EXIT_FINDINGS;
    }
    if (set_rows(home) != 0) {
        perror("nputwin: setenv");
        return EXIT_OURS;
    }
    return EXIT_FINE;
}

int cli_set_environment(void)
{
    const char *home = getenv("ASCEND_HOME_PATH");

    return home && *home ? EXIT_FINE : cli_set_twin();
}
