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
    code = cli_set_twin();
    if (code != EXIT_FINE)
        return code;
    execvp(line.words[0], line.words);
    fprintf(stderr, "nputwin run: cannot run '%s': %s\n", line.words[0], strerror(errno));
    return EXIT_USAGE;
}
