/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - `nputwin run -- COMMAND`: the environment of a CANN installation, then exec.
 *
 * The command gets its own exit code; there is no process of ours above it.
 */
#include "../isa/isa.h"
#include "opt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_DEVICES = 64 };

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

static int set_environment(const char *home)
{
    int rc = setenv("NPUTWIN", "1", 1);

    for (size_t i = 0; rc == 0 && i < sizeof(env_rows) / sizeof(env_rows[0]); i++)
        rc = set_row(home, &env_rows[i]);
    return rc;
}

static int set_soc(const char *name)
{
    const struct npu_soc *soc = npu_soc_find(name);

    if (soc)
        return setenv("NPUTWIN_SOC", soc->name, 1) == 0 ? EXIT_FINE : EXIT_OURS;
    fprintf(stderr, "nputwin run: no chip '%s'; there are:", name);
    for (size_t i = 0; i < npu_n_socs; i++)
        fprintf(stderr, " %s", npu_socs[i].name);
    fputc('\n', stderr);
    return EXIT_USAGE;
}

static int set_devices(const char *text)
{
    char *end = NULL;
    long n = strtol(text, &end, 10);

    if (end == text || *end || n < 1 || n > MAX_DEVICES)
        return cli_usage_error("run", "--devices %s: a number from 1 to %d", text, MAX_DEVICES);
    return setenv("NPUTWIN_DEVICES", text, 1) == 0 ? EXIT_FINE : EXIT_OURS;
}

int cmd_run(int argc, char **argv)
{
    char home[CLI_PATH_BYTES];
    struct cli_line line;
    int code = cli_parse(&line, CLI_FIRST, argc, argv);

    if (code == EXIT_FINE && cli_value(&line, "soc"))
        code = set_soc(cli_value(&line, "soc"));
    if (code == EXIT_FINE && cli_value(&line, "devices"))
        code = set_devices(cli_value(&line, "devices"));
    if (code != EXIT_FINE)
        return code;
    if (!line.n_words)
        return cli_usage_error("run", "no command given");
    if (!cli_find_home(home)) {
        fprintf(stderr,
                "nputwin run: no twin at '%s' (nputwin.json is missing); "
                "`make prefix` makes one, NPUTWIN_HOME names one\n",
                home);
        return EXIT_FINDINGS;
    }
    if (set_environment(home) != 0) {
        perror("nputwin run: setenv");
        return EXIT_OURS;
    }
    execvp(line.words[0], line.words);
    fprintf(stderr, "nputwin run: cannot run '%s': %s\n", line.words[0], strerror(errno));
    return EXIT_USAGE;
}
