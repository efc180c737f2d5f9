/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python.c - which Python, torch and torch_npu there are, and whether they belong together.
 *
 * Versions come from the installed packages' metadata: importing torch_npu without its libraries
 * fails, and that is what a doctor is asked about.
 */
#include "doctor.h"
#include "../file.h"
#include "../proc.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

static const char script[] =
    "import importlib.metadata as m, importlib.util as u, os, sys\n"
    "def version(name):\n"
    "    try:\n"
    "        return m.version(name)\n"
    "    except m.PackageNotFoundError:\n"
    "        return ''\n"
    "def folder(name):\n"
    "    try:\n"
    "        spec = u.find_spec(name)\n"
    "    except Exception:\n"
    "        spec = None\n"
    "    return os.path.dirname(spec.origin) if spec and spec.origin else ''\n"
    "def has(name):\n"
    "    return 'yes' if u.find_spec(name) else ''\n"
    "print('%d.%d.%d' % sys.version_info[:3], version('torch'), version('torch_npu'), "
    "folder('torch'),\n"
    "      folder('torch_npu'), folder('nputwin'), has('expecttest'), sep='\\n')\n";

static char *field(char **rest)
{
    char *line = strsep(rest, "\n");

    return line && *line ? cli_fmt("%s", line) : NULL;
}

const char *assumed(const struct doctor *d, const char *name)
{
    const char *value = NULL;

    for (size_t i = 0; (value = cli_value_at(d->given, "assume", i)) != NULL; i++)
        if (strncmp(value, name, strlen(name)) == 0 && value[strlen(name)] == '=')
            return value + strlen(name) + 1;
    return NULL;
}

static void take_assumed(const struct doctor *d, const char *name, char **value)
{
    if (!assumed(d, name))
        return;
    free(*value);
    *value = cli_fmt("%s", assumed(d, name));
}

static bool is_twin_wanted(void)
{
    const char *forced = getenv("NPUTWIN"), *home = getenv("ASCEND_HOME_PATH");
    char *mark = cli_fmt("%s/nputwin.json", home ? home : "");
    bool is_wanted = forced && *forced
                         ? strcmp(forced, "0") != 0
                         : !(home && !cli_is_file(mark)) && !cli_is_file("/dev/davinci_manager");

    free(mark);
    return is_wanted;
}

void look_at_python(struct doctor *d)
{
    const char *const argv[] = {d->python, "-c", script, NULL};
    char *output = NULL, *rest = NULL, *twin = NULL, *expecttest = NULL;
    /* "/" is no source tree, whose packages would be found first */
    int rc = work_ask(&d->work, argv, "/", &output);

    rest = output;
    if (rc == 0) {
        d->python_version = field(&rest);
        d->torch = field(&rest);
        d->torch_npu = field(&rest);
        d->torch_dir = field(&rest);
        d->npu_dir = field(&rest);
        twin = field(&rest);
        expecttest = field(&rest);
        d->has_expecttest = expecttest != NULL;
        d->is_twin = twin && is_twin_wanted();
        d->twin_home = twin ? cli_fmt("%s/cann", twin) : NULL;
    } else if (!assumed(d, "torch")) {
        problem(d, "NTD012", "name one: nputwin doctor --python /path/to/python",
                "no Python: %s %s", d->python, output && *output ? output : "is not on PATH");
    }
    take_assumed(d, "torch", &d->torch);
    take_assumed(d, "torch_npu", &d->torch_npu);
    take_assumed(d, "python", &d->python_version);
    free(output);
    free(twin);
    free(expecttest);
}

/* Length of "2.13" in "2.13.0+cpu". */
static int minor_length(const char *version)
{
    const char *dot = strchr(version, '.');

    return dot ? (int)(dot + 1 - version + (long)strspn(dot + 1, "0123456789"))
               : (int)strlen(version);
}

static bool same_minor(const char *a, const char *b)
{
    return minor_length(a) == minor_length(b) && strncmp(a, b, (size_t)minor_length(a)) == 0;
}

static const struct matrix_row {
    const char *torch, *torch_npu, *branch, *op_plugin, *cann;
    int python_min, python_max;
    const char *gcc;
} rows[] = {
#define MATRIX(torch, torch_npu, branch, op_plugin, cann, python_min, python_max, gcc)             \
    {torch, torch_npu, branch, op_plugin, cann, python_min, python_max, gcc},
#include "../matrix.def"
};

static const struct matrix_row *row_of(const char *torch, const char *torch_npu)
{
    const struct matrix_row *best = NULL;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (!same_minor(rows[i].torch, torch))
            continue;
        if (strcmp(rows[i].torch_npu, torch_npu) == 0)
            return &rows[i];
        best = best ? best : &rows[i];
    }
    return best;
}

static void look_at_pair(struct doctor *d)
{
    const struct matrix_row *row = row_of(d->torch, d->torch_npu);
    int python = d->python_version ? (int)strtol(d->python_version + 2, NULL, 10) : -1;
    char *fix = NULL;

    if (!same_minor(d->torch, d->torch_npu)) {
        fix = cli_fmt("pip install torch_npu==%.*s.0, which goes with torch %.*s",
                      minor_length(d->torch), d->torch, minor_length(d->torch), d->torch);
        problem(d, "NTD007", fix, "torch %.*s (%s) and torch_npu %.*s (%s) do not belong together",
                minor_length(d->torch), d->torch, d->torch, minor_length(d->torch_npu),
                d->torch_npu, d->torch_npu);
        free(fix);
        return;
    }
    fine(d, "torch %s and torch_npu %s belong together", d->torch, d->torch_npu);
    if (!row)
        problem(d, "NTD019", NULL, "torch %s is not in the version matrix of this nputwin",
                d->torch);
    else if (python >= 0 && (python < row->python_min || python > row->python_max))
        problem(d, "NTD019", NULL, "torch_npu %s is for Python 3.%d to 3.%d, this is %s",
                row->torch_npu, row->python_min, row->python_max, d->python_version);
    else
        fine(d, "matrix: CANN %s, torch_npu branch %s, op-plugin branch %s%s%s", row->cann,
             row->branch, row->op_plugin, *row->gcc ? ", GCC " : "", row->gcc);
}

static const char *text_of(const cJSON *record, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(record, name);

    return cJSON_IsString(item) ? item->valuestring : NULL;
}

/* <so>.nputwin-build.json, written beside a library when it was built. */
static void look_at_record(struct doctor *d, const char *path)
{
    char *text = cli_read(path, NULL), *fix = NULL;
    cJSON *record = text ? cJSON_Parse(text) : NULL;
    const char *torch = record ? text_of(record, "torch") : NULL,
               *npu = record ? text_of(record, "torch_npu") : NULL;

    if (!torch || !npu) {
        problem(d, "NTD008", "build again: nputwin build", "%s: %s", path,
                text ? "no build record: torch and torch_npu are missing" : "cannot be read");
    } else if (!d->torch || !d->torch_npu) {
        problem(d, "NTD008", NULL, "%s: built for torch %s, and no torch is here", path, torch);
    } else if (!same_minor(torch, d->torch) || !same_minor(npu, d->torch_npu)) {
        fix = cli_fmt("build again here, or: pip install torch==%.*s.0 torch_npu==%s",
                      minor_length(torch), torch, npu);
        problem(d, "NTD008", fix,
                "built for torch %.*s / torch_npu %s, running torch %.*s / torch_npu %s",
                minor_length(torch), torch, npu, minor_length(d->torch), d->torch, d->torch_npu);
        free(fix);
    } else {
        fine(d, "%s: built for torch %s / torch_npu %s", path, torch, npu);
    }
    cJSON_Delete(record);
    free(text);
}

void look_at_versions(struct doctor *d)
{
    const char *record = NULL;

    if (d->python_version && d->torch_dir)
        fine(d, "Python %s, torch in %s", d->python_version, d->torch_dir);
    if (!d->torch)
        problem(d, "NTD012", "pip install torch==2.13.0", "torch is not installed in %s",
                d->python);
    if (!d->torch_npu) {
        char *package =
            d->torch ? cli_fmt("torch_npu==%.*s.0", minor_length(d->torch), d->torch) : NULL;

        problem(d, "NTD013",
                d->torch ? "pip install torch_npu of the same version, or go on with Plan B" : NULL,
                "torch_npu is not installed in %s", d->python);
        if (package)
            fix_by_pip(d, package);
        free(package);
    }
    if (d->torch_npu && d->npu_dir && !d->has_expecttest) {
        problem(d, "NTD025", "pip install expecttest",
                "expecttest is not installed in %s: torch_npu.testing cannot be imported",
                d->python);
        fix_by_pip(d, "expecttest");
    }
    if (d->torch && d->torch_npu)
        look_at_pair(d);
    for (size_t i = 0; (record = cli_value_at(d->given, "build-record", i)) != NULL; i++)
        look_at_record(d, record);
}
