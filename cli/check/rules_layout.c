/* SPDX-License-Identifier: Apache-2.0 */
/* rules_layout.c - where files lie, and that names agree from kernel to package. */
#include "check.h"
#include "../proc.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static bool is_extension(const struct package *package)
{
    return package->layout == LAYOUT_EXTENSION;
}

/* A folder of an operator project that the package lies in, NULL. */
static const struct package *project_of(const struct check *c, const struct package *package)
{
    const struct package *best = NULL;

    for (size_t i = 0; i < c->package.n; i++)
        if (c->package.at[i].layout == LAYOUT_OP_PROJECT &&
            is_below(package->dir, c->package.at[i].dir) &&
            (!best || strlen(c->package.at[i].dir) > strlen(best->dir)))
            best = &c->package.at[i];
    return best;
}

static void plan_a_first(struct check *c)
{
    for (size_t i = 0; i < c->package.n; i++)
        for (size_t j = 0; j < c->package.n; j++)
            if (c->package.at[i].layout == LAYOUT_OP_PLUGIN &&
                c->package.at[j].layout == LAYOUT_OP_PROJECT &&
                report_dir(c, "NTL001", c->package.at[i].dir,
                           "an op-plugin tree beside the operator project %s",
                           c->package.at[j].dir)) {
                hint(c, "integrate inside the operator project (Plan A), unless delivery in "
                        "op-plugin is asked for");
                return;
            }
}

static void place_of_extension(struct check *c)
{
    for (size_t i = 0; i < c->package.n; i++) {
        const struct package *package = &c->package.at[i], *project = project_of(c, package);
        const char *below =
            project ? package->dir + strlen(project->dir) + (*project->dir ? 1 : 0) : NULL;

        if (!project || !is_extension(package) || strcmp(project->dir, package->dir) == 0)
            continue;
        if (has_file(c, project->dir, "framework/*/*")
                ? !is_below(below, "framework")
                : fnmatch("*_extension", package->base, 0) != 0) {
            if (report_dir(c, "NTL002", package->dir,
                           "the integration lies where nobody looks for it"))
                hint(c, "framework/<package>/ of the operator project, or <operator>_extension/ "
                        "where there is "
                        "no framework/");
        }
    }
}

/* Files changed since a commit, as git names them; the caller frees the text. */
static char *changed_files(const char *base)
{
    const char *const argv[] = {"git", "diff", "--name-only", "--relative", base, "--", NULL};
    char *output = NULL;

    if (cli_capture(argv, NULL, &output) == 0)
        return output;
    fprintf(stderr, "nputwin check: git diff %s: %s", base, output ? output : "not run\n");
    free(output);
    return NULL;
}

static void untouched_implementation(struct check *c)
{
    char *files = c->base ? changed_files(c->base) : NULL, *rest = NULL;

    for (char *name = files ? strtok_r(files, "\n", &rest) : NULL; name;
         name = strtok_r(NULL, "\n", &rest)) {
        const struct package *package = package_of(c, name);

        if (package && package->layout == LAYOUT_OP_PROJECT &&
            (strstr(name, "op_host/") || strstr(name, "op_kernel/") || strstr(name, "tiling") ||
             fnmatch("*.json", name, 0) == 0) &&
            report_dir(c, "NTL003", name, "a file of the operator itself changed since %s",
                       c->base))
            hint(c, "integrate in files of your own: git checkout %s -- %s", c->base, name);
    }
    free(files);
}

static bool has_kernel(const struct check *c, const struct package *package)
{
    for (size_t i = 0; i < c->fn.n; i++)
        if (c->fn.at[i].is_kernel && is_below(c->fn.at[i].src->name, package->dir))
            return true;
    return has_file(c, package->dir, "csrc/kernel/*") || has_file(c, package->dir, "csrc/*.asc");
}

/* test/test.py of the seed's layout, or any Python file below tests/. */
static bool has_tests(const struct check *c, const struct package *package)
{
    char *tests = cli_fmt("%s%stests/", package->dir, *package->dir ? "/" : "");
    bool is_found = has_file(c, package->dir, "test/*.py");

    for (size_t i = 0; i < c->src.n && !is_found; i++)
        is_found = c->src.at[i].lang == LANG_PYTHON &&
                   strncmp(c->src.at[i].name, tests, strlen(tests)) == 0;
    free(tests);
    return is_found;
}

static void required_files(struct check *c)
{
    static const char *const needs[][2] = {
        {"setup.py", "setup.py"},
        {"*/__init__.py", "<package>/__init__.py"},
        {"test/*.py", "test/test.py"},
        {"README.md", "README.md"},
    };

    for (size_t i = 0; i < c->package.n; i++) {
        const struct package *package = &c->package.at[i];

        for (size_t n = 0; is_extension(package) && n < sizeof(needs) / sizeof(needs[0]); n++)
            if (!(strcmp(needs[n][0], "test/*.py") == 0 ? has_tests(c, package)
                                                        : has_file(c, package->dir, needs[n][0])) &&
                report_dir(c, "NTL004", package->dir, "%s is missing", needs[n][1]))
                hint(c, "`nputwin new` writes it");
    }
}

/* Whether the command compiles a source that holds a kernel, in whatever folder. */
static bool compiles_kernel(const struct check *c, const struct command *command)
{
    for (size_t f = 0; f < c->fn.n; f++) {
        const char *name = c->fn.at[f].src->name,
                   *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;

        for (size_t a = 0; c->fn.at[f].is_kernel && a < command->args.n; a++)
            if (strstr(command->args.at[a], base))
                return true;
    }
    return false;
}

/* Pattern C needs no kernel; with an ascendc_library and no OpCommand it is A or B. */
static void host_only(struct check *c)
{
    for (size_t i = 0; i < c->command.n; i++) {
        const struct command *command = &c->command.at[i];
        const struct package *package = package_of(c, command->src->name);

        if (package && is_extension(package) && !has_kernel(c, package) &&
            strcmp(command->name, "ascendc_library") == 0 && !compiles_kernel(c, command) &&
            report(c, "NTL005", command->src, command->at,
                   "a library of kernels in a package without a kernel"))
            hint(c, "leave it out: OpCommand calls operators that are installed, and links "
                    "torch_npu alone");
    }
}

/* Whether a kernel of that name is among the sources; a project without kernels has them elsewhere.
 */
static void kernel_names(struct check *c)
{
    for (size_t i = 0; i < c->launch.n; i++) {
        const struct launch *launch = &c->launch.at[i];
        const struct package *package = package_of(c, launch->src->name);
        const struct fn *kernel = launch->to;
        const char *base = NULL;

        if (launch->kind != LAUNCH_EXEC || !package || !has_file(c, package->dir, "csrc/kernel/*"))
            continue;
        if (!kernel) {
            if (report(c, "NTL007", launch->src, tok_at(launch->src, launch->at),
                       "no kernel is called %s in csrc/kernel/", launch->kernel))
                hint(c, "one name for the __global__ function, aclrtlaunch_<name>.h and "
                        "EXEC_KERNEL_CMD(<name>, ...)");
            continue;
        }
        base = strrchr(kernel->src->name, '/') ? strrchr(kernel->src->name, '/') + 1
                                               : kernel->src->name;
        if (strncmp(base, launch->kernel, strlen(launch->kernel)) != 0 &&
            report(c, "NTL007", kernel->src, tok_at(kernel->src, kernel->name),
                   "kernel %s lies in %s", launch->kernel, base))
            hint(c, "%s_custom.cpp or %s.cpp", launch->kernel, launch->kernel);
    }
}

static void placeholder_names(struct check *c)
{
    for (size_t i = 0; i < c->def.n; i++) {
        const struct def *def = &c->def.at[i];

        if (strncmp(def->schema.name, "my_", 3) == 0 && package_of(c, def->lib->src->name) &&
            report(c, "NTL008", def->lib->src, tok_at(def->lib->src, def->at),
                   "%s::%s still has the name of an example", def->lib->ns, def->schema.name))
            hint(c, "the operator's own name: %s", def->schema.name + 3);
    }
}

/* What a setup() installs; NULL for other facts, and where the name is no literal. */
static const char *installed_by(const struct py_fact *fact)
{
    const bool is_setup = strcmp(fact->kind, "setup") == 0;

    return is_setup && fact->name && strcmp(fact->name, "-") != 0 ? fact->name : NULL;
}

static void clashing_packages(struct check *c)
{
    for (size_t i = 0; i < c->py.n; i++) {
        const struct py_fact *fact = &c->py.at[i];
        const char *name = installed_by(fact);

        for (size_t j = 0; name && j < i; j++) {
            const struct py_fact *other = &c->py.at[j];
            const char *its_name = other->src != fact->src ? installed_by(other) : NULL;

            if (its_name && strcmp(its_name, name) == 0 &&
                report_line(c, "NTL010", fact->src, fact->line,
                            "another setup.py installs %s too: %s", name, other->src->name)) {
                hint(c, "a name of its own: the one installed last hides the other");
                break;
            }
        }
    }
}

/* What git follows of what a build leaves behind. */
static void tracked_artefacts(struct check *c)
{
    const char *const argv[] = {"git",       "ls-files",    "--",     "*.so",      "*.whl",
                                "*.o",       "build/*",     "dist/*", "*/build/*", "*/dist/*",
                                "staging/*", "*/staging/*", NULL};
    char *files = NULL, *rest = NULL;

    if (is_selected(c, "NTL095") && cli_capture(argv, NULL, &files) == 0 && files)
        for (char *name = strtok_r(files, "\n", &rest); name; name = strtok_r(NULL, "\n", &rest))
            if (report_dir(c, "NTL095", name, "an artefact of a build is under version control"))
                hint(c, "git rm --cached %s, and a line in .gitignore", name);
    free(files);
}

static void demo_beside_test(struct check *c)
{
    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];
        const char *base = strrchr(s->name, '/') ? strrchr(s->name, '/') + 1 : s->name;
        const struct package *package = package_of(c, s->name);

        if (package && is_extension(package) && strcmp(base, "demo.py") == 0 &&
            report_line(c, "NTL084", s, 1, "a demo.py beside the test"))
            hint(c, "test/test.py runs and checks the operator: one entry point");
    }
}

const struct check_rule layout_rules[] = {
    {"NTL001", plan_a_first},
    {"NTL002", place_of_extension},
    {"NTL003", untouched_implementation},
    {"NTL004", required_files},
    {"NTL005", host_only},
    {"NTL007", kernel_names},
    {"NTL008", placeholder_names},
    {"NTL010", clashing_packages},
    {"NTL084", demo_beside_test},
    {"NTL095", tracked_artefacts},
    {0},
};
