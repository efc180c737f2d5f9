/* SPDX-License-Identifier: Apache-2.0 */
/* machine.c - compiler, environment, driver, and whether torch_npu sees a device. */
#include "doctor.h"
#include "../../isa/isa.h"
#include "../file.h"
#include "../proc.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

static void look_at_tools(struct doctor *d)
{
    const char *tool = NULL;

    for (size_t i = 0; (tool = cli_tool(i)) != NULL; i++) {
        char *path = cli_which(tool);
        const char *install = cli_tool_install(tool);

        if (path) {
            fine(d, "%s is %s", tool, path);
        } else {
            problem(d, "NTD016", install, "%s is not on PATH: operators cannot be built", tool);
            if (strncmp(install, "pip install ", 12) == 0)
                fix_by_pip(d, install + 12);
        }
        free(path);
    }
}

/* torch_npu refuses to be imported when ASCEND_HOME_PATH is set and what it names is not whole. */
static void look_at_environment(struct doctor *d)
{
    const char *home = getenv("ASCEND_HOME_PATH"), *opp = getenv("ASCEND_OPP_PATH");
    static const char *const below[] = {"runtime", "compiler"};

    if (!home) {
        fine(d, "ASCEND_HOME_PATH is not set%s",
             d->is_twin ? "; the twin's import hook sets it" : "");
        return;
    }
    if (!opp || !cli_is_folder(opp))
        problem(d, "NTD020", "source $ASCEND_HOME_PATH/set_env.sh",
                "ASCEND_OPP_PATH is %s: torch_npu cannot be imported",
                opp ? "no folder" : "not set");
    for (size_t i = 0; i < 2; i++) {
        char *path = cli_fmt("%s/%s", home, below[i]);

        if (!cli_is_folder(path))
            problem(d, "NTD020", "source set_env.sh of a whole installation",
                    "%s is no folder: torch_npu cannot be imported", path);
        free(path);
    }
    fine(d, "ASCEND_HOME_PATH is %s", home);
}

static void look_at_chip(struct doctor *d)
{
    const char *soc = getenv("SOC_VERSION");
    struct npu_diag diag = {0};
    const struct npu_soc *twin = npu_soc_current(&diag);

    if (soc && strcasecmp(soc, "Ascend910B") == 0)
        problem(d, "NTD015", "Ascend910B1 to Ascend910B4 for A2",
                "SOC_VERSION=%s names the first generation of 910, not an A2", soc);
    if (d->is_twin && twin)
        fine(d, "the twin is an %s, dav-%u", twin->name, twin->arch);
    else if (d->is_twin)
        problem(d, "NTD015", "`nputwin list soc` names the chips", "NPUTWIN_SOC: %s", diag.text);
}

static void look_at_driver(struct doctor *d)
{
    struct stat st;

    if (stat("/dev/davinci_manager", &st) == 0)
        fine(d, "a driver is there: /dev/davinci_manager");
    else if (d->is_twin)
        fine(d, "no driver: the twin is the device");
    else
        problem(d, "NTD017",
                "install the driver, pass /dev/davinci* into the container, or set NPUTWIN=1",
                "no driver: /dev/davinci_manager is not there");
}

/* A folder torch_npu or torch here would be imported in place of the installed one. */
static void look_at_shadows(struct doctor *d)
{
    static const char *const names[] = {"torch", "torch_npu", "amct_ops"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char *path = cli_fmt("%s/__init__.py", names[i]);

        if (cli_is_file(path))
            problem(d, "NTD018", "run Python from another folder",
                    "a folder %s here hides the installed package", names[i]);
        free(path);
    }
}

void look_at_machine(struct doctor *d)
{
    look_at_environment(d);
    look_at_tools(d);
    look_at_chip(d);
    look_at_driver(d);
    look_at_shadows(d);
}

void look_at_device(struct doctor *d)
{
    static const char script[] =
        "import torch, torch_npu\n"
        "print('device', torch.npu.is_available(), torch.npu.device_count(),\n"
        "      torch.npu.get_device_name(0) if torch.npu.is_available() else '-')\n";
    const char *const argv[] = {d->python, "-c", script, NULL};
    char *output = NULL, *line = NULL;
    struct timespec begin, end;
    int rc = 0;

    if (!d->torch || !d->torch_npu || assumed(d, "torch"))
        return;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    rc = work_ask(&d->work, argv, "/", &output);
    clock_gettime(CLOCK_MONOTONIC, &end);
    line = rc == 0 && output ? strstr(output, "device True") : NULL;
    if (line) {
        line[strcspn(line, "\n")] = '\0';
        fine(d, "npu available: True, %s (import took %.1f s)", line + strlen("device True "),
             (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9);
    } else {
        line = output ? strrchr(output, '\n') : NULL;
        for (; line && line > output && line[1] == '\0';
             line = memrchr(output, '\n', (size_t)(line - output)))
            *line = '\0';
        problem(d, "NTD014", "mend what is named above, then try again", "npu available: False; %s",
                line                ? line + 1
                : output && *output ? output
                                    : "Python did not start");
    }
    free(output);
}
