/* SPDX-License-Identifier: Apache-2.0 */
/* rules_text.c - commands in READMEs and scripts, and tests: what a person will run. */
#include "check.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* is_code: of a script, or between the fences of a README. */
typedef void line_fn(struct check *c, const struct src *s, unsigned number, const char *line,
                     bool is_code);

/* Lines of READMEs and scripts; a line that ends in a backslash goes on in the next. */
static void each_line(struct check *c, line_fn *look)
{
    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];
        const char *at = s->text;
        unsigned number = 1, n_lines = 0;
        bool is_code = s->lang == LANG_SHELL;

        if (s->lang != LANG_MARKDOWN && s->lang != LANG_SHELL)
            continue;
        for (; *at; number += n_lines) {
            char *line = cli_fmt("%s", ""), *longer = NULL;
            size_t n = 0;
            bool goes_on = true;

            for (n_lines = 0; goes_on && *at; n_lines++) {
                n = strcspn(at, "\n");
                goes_on = n && at[n - 1] == '\\';
                longer = cli_fmt("%s%.*s", line, (int)(n - goes_on), at);
                free(line);
                line = longer;
                at += n + (at[n] == '\n');
            }
            if (s->lang == LANG_MARKDOWN && strncmp(line + strspn(line, " "), "```", 3) == 0)
                is_code = !is_code;
            look(c, s, number, line, is_code);
            free(line);
        }
    }
}

/* dist/x.whl, *.whl, or a wheel that a setup.py of the project makes: others come with a version of
 * their own. */
static bool is_own_wheel(const struct check *c, const char *command)
{
    if (strstr(command, "dist/") || strstr(command, " *.whl"))
        return true;
    for (size_t i = 0; i < c->py.n; i++) {
        const char *name = strcmp(c->py.at[i].kind, "setup") == 0 ? c->py.at[i].name : NULL;
        const char *at = name && strcmp(name, "-") != 0 ? strstr(command, name) : NULL;

        if (at && strchr("-*", at[strlen(name)]))
            return true;
    }
    return false;
}

static void force_reinstall(struct check *c, const struct src *s, unsigned number, const char *line,
                            bool is_code)
{
    const char *at = strstr(line, "pip install");

    at = at ? at : strstr(line, "pip3 install");
    (void)is_code; /* prose quotes commands too */
    if (at && strstr(at, ".whl") && !strstr(at, "--force-reinstall") && !strstr(at, "torch_npu-") &&
        is_own_wheel(c, at) && package_of(c, s->name) &&
        report_line(c, "NTL090", s, number, "a wheel is installed without --force-reinstall"))
        hint(c, "pip install --force-reinstall dist/*.whl: with the same version pip keeps the old "
                "one");
}

static void doubled_dist(struct check *c, const struct src *s, unsigned number, const char *line,
                         bool is_code)
{
    const char *at = strstr(line, "cd dist");

    (void)is_code; /* prose quotes commands too */
    if (at && strstr(at, "pip") && strstr(at, " dist/") &&
        report_line(c, "NTL091", s, number, "`cd dist` and then dist/... looks for dist/dist/..."))
        hint(c, "cd dist && pip install --force-reinstall *.whl");
}

static void container_commands(struct check *c, const struct src *s, unsigned number,
                               const char *line, bool is_code)
{
    const char *at = strstr(line, "docker exec");

    at = at ? at : strstr(line, "podman exec");
    (void)is_code; /* prose quotes commands too */
    if (at && (strstr(at, "python") || strstr(at, "pip") || strstr(at, "cmake")) &&
        (!strstr(at, "bash -lc") || !strstr(at, "set_env.sh")) &&
        report_line(c, "NTL092", s, number,
                    "a container's shell starts without the environment of CANN"))
        hint(
            c,
            "docker exec NAME bash -lc 'source <CANN>/set_env.sh && . <venv>/bin/activate && ...'");
}

static void listing_by_dir(struct check *c, const struct src *s, unsigned number, const char *line,
                           bool is_code)
{
    if (is_code && strstr(line, "dir(torch.ops.npu)") &&
        report_line(c, "NTL088", s, number,
                    "dir(torch.ops.npu) does not list operators before they are used: torch "
                    "resolves them lazily"))
        hint(c, "torch._C._dispatch_has_kernel_for_dispatch_key(\"npu::<op>\", \"PrivateUse1\")");
}

/* UB of A2 and A3 is 192 KB, whatever the nominal figures say. */
static void nominal_ub(struct check *c, const struct src *s, unsigned number, const char *line,
                       bool is_code)
{
    (void)is_code; /* prose quotes commands too */
    if (strstr(line, "UB") &&
        (strstr(line, "256 KB") || strstr(line, "256KB") || strstr(line, "512 KB") ||
         strstr(line, "512KB")) &&
        (strstr(line, "A2") || strstr(line, "A3") || strstr(line, "910")) &&
        report_line(c, "NTL096", s, number, "the sizes of UB given here are nominal"))
        hint(c, "A2 and A3 have 196608 bytes, of which the top 8 KB are reserved; A5 has 253952");
}

static void force_rule(struct check *c)
{
    each_line(c, force_reinstall);
}
static void dist_rule(struct check *c)
{
    each_line(c, doubled_dist);
}
static void container_rule(struct check *c)
{
    each_line(c, container_commands);
}
static void dir_rule(struct check *c)
{
    each_line(c, listing_by_dir);
}
static void ub_rule(struct check *c)
{
    each_line(c, nominal_ub);
}

static void readme_commands(struct check *c)
{
    for (size_t i = 0; i < c->package.n; i++) {
        const struct package *package = &c->package.at[i];
        const struct src *s =
            package->layout == LAYOUT_EXTENSION ? src_find(c, package->dir, "README.md") : NULL;

        if (s &&
            (!(strstr(s->text, "setup.py") || strcasestr(s->text, "build")) ||
             !(strcasestr(s->text, "install")) || !(strcasestr(s->text, "test"))) &&
            report_line(c, "NTL093", s, 1,
                        "the README does not say how to build, install and test"))
            hint(c, "python setup.py bdist_wheel; cd dist && pip install --force-reinstall *.whl; "
                    "cd test && "
                    "python test.py");
    }
}

const struct check_rule text_rules[] = {
    {"NTL088", dir_rule},
    {"NTL090", force_rule},
    {"NTL091", dist_rule},
    {"NTL092", container_rule},
    {"NTL093", readme_commands},
    {"NTL096", ub_rule},
    {0},
};
