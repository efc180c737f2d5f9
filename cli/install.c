/* SPDX-License-Identifier: Apache-2.0 */
/*
 * install.c - `nputwin install`: the wheel built last, over whatever is there, and an import from
 * elsewhere, which has to find the wheel's own files.
 *
 * --no-deps: another torch is never pulled in. The import runs in /: in the source tree Python
 * would take the sources for the package.
 */
#include "proc.h"
#include "steps.h"

#include <stdlib.h>
#include <string.h>

/* The names of the package's top-level modules, from the wheel. */
static const char script[] =
    "import os, sys, zipfile\n"
    "wheel = zipfile.ZipFile(sys.argv[1])\n"
    "names = {n.split('/')[0] for n in wheel.namelist() if n.endswith('__init__.py')}\n"
    "before = None\n"
    "import torch, torch_npu\n"
    "before = set(torch._C._dispatch_get_all_op_names())\n"
    "for name in sorted(names):\n"
    "    module = __import__(name)\n"
    "    print('imported', name, 'from', module.__file__)\n"
    "    for n in wheel.namelist():\n"
    "        path = os.path.join(os.path.dirname(os.path.dirname(module.__file__)), n)\n"
    "        if n.startswith(name + '/') and (not os.path.isfile(path) or "
    "open(path, 'rb').read() != wheel.read(n)):\n"
    "            sys.exit(f'{path} is not what the wheel has: pip left an older one there (with "
    "--target it replaces nothing), or another installation comes first')\n"
    "new = sorted(set(torch._C._dispatch_get_all_op_names()) - before)\n"
    "for op in new:\n"
    "    has = torch._C._dispatch_has_kernel_for_dispatch_key(op, 'PrivateUse1')\n"
    "    meta = torch._C._dispatch_has_kernel_for_dispatch_key(op, 'Meta')\n"
    "    print('registered', op, 'npu:', has, 'meta:', meta)\n"
    "sys.exit(0 if new else 'nothing was registered with torch')\n";

static int run(struct work *work)
{
    char *wheel = newest_wheel(work->dir), *path = NULL;
    int code = EXIT_FINDINGS;

    if (!wheel)
        return step_note(work, "install", false, "dist/ has no wheel: nputwin build makes one");
    path = work->engine ? cli_fmt("%s%s", work->inside, wheel + strlen(work->dir))
                        : cli_fmt("%s", wheel);
    {
        const char *const install[] = {work->python,        "-m",        "pip", "install",
                                       "--force-reinstall", "--no-deps", path,  NULL};
        const char *const import[] = {work->python, "-c", script, path, NULL};

        code = step_run(work, "install", install, "", NULL);
        if (code == EXIT_FINE)
            code = step_run(work, "import", import, "build",
                            NULL); /* a folder without the package's sources */
    }
    free(path);
    free(wheel);
    return code;
}

int cmd_install(int argc, char **argv)
{
    struct cli_line line;
    struct work work = {0};
    int code = cli_parse(&line, CLI_MIXED, argc, argv);

    if (code != EXIT_FINE)
        return code;
    if (line.n_words)
        return cli_usage_error("install", "takes no '%s'", line.words[0]);
    code = work_open(&work, &line);
    if (code == EXIT_FINE && work.layout == WORK_PROJECT)
        code = step_note(&work, "install", false,
                         "an operator project installs itself: run build/*.run");
    else if (code == EXIT_FINE && work.layout == WORK_PLUGIN)
        code = step_note(&work, "install", false,
                         "op-plugin is installed as part of torch_npu, which is not built here: "
                         "`nputwin build npu_NAME` prints the commands");
    else if (code == EXIT_FINE && work.layout == WORK_DIRECT)
        code = step_note(&work, "install", true, "a program without torch is not installed");
    else if (code == EXIT_FINE)
        code = run(&work);
    if (work.given)
        work_close(&work);
    return code;
}
