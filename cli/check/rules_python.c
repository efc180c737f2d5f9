/* SPDX-License-Identifier: Apache-2.0 */
/* rules_python.c - loaders, setup.py and tests, from the facts of python.c. */
#include "check.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static bool is_fact(const struct py_fact *fact, const char *kind, const char *name)
{
    return strcmp(fact->kind, kind) == 0 && (!name || strcmp(fact->name, name) == 0);
}

static bool is_test(const struct src *s)
{
    return fnmatch("*test/*.py", s->name, 0) == 0 || fnmatch("*tests/*.py", s->name, 0) == 0 ||
           fnmatch("*/test_*.py", s->name, 0) == 0 || fnmatch("test_*.py", s->name, 0) == 0 ||
           fnmatch("test.py", s->name, 0) == 0;
}

static void syntax(struct check *c)
{
    for (size_t i = 0; i < c->py.n; i++)
        if (is_fact(&c->py.at[i], "error", NULL))
            report_line(c, "NTL085", c->py.at[i].src, c->py.at[i].line,
                        "Python cannot read this file: %s", c->py.at[i].text);
}

/* The gradient of another operator is called through it. */
static bool is_gradient(const struct check *c, const struct def *def)
{
    for (size_t i = 0; i < c->def.n; i++) {
        const char *name = c->def.at[i].schema.name;
        size_t n = strlen(name);

        if (strncmp(def->schema.name, name, n) == 0 &&
            (strcmp(def->schema.name + n, "_backward") == 0 ||
             strcmp(def->schema.name + n, "_grad") == 0))
            return true;
    }
    return false;
}

/* Every operator of an extension appears in a test below the same package. */
static void every_operator_tested(struct check *c)
{
    for (size_t d = 0; d < c->def.n; d++) {
        const struct def *def = &c->def.at[d];
        const struct package *package = package_of(c, def->lib->src->name);
        bool has_tests = false, is_called = false;

        for (size_t i = 0; package && i < c->src.n; i++) {
            const struct src *s = &c->src.at[i];

            if (s->lang != LANG_PYTHON || !is_test(s) || !is_below(s->name, package->dir))
                continue;
            has_tests = true;
            is_called |= strstr(s->text, def->schema.name) != NULL;
        }
        if (package && package->layout == LAYOUT_EXTENSION && has_tests && !is_called &&
            !is_gradient(c, def) &&
            report(c, "NTL080", def->lib->src, tok_at(def->lib->src, def->at),
                   "no test calls %s::%s", def->lib->ns, def->schema.name))
            hint(c, "def test_%s(self): compare torch.ops.%s.%s with the CPU's result",
                 def->schema.name, def->lib->ns, def->schema.name);
    }
}

static bool has_fact(const struct check *c, const struct src *s, const char *kind,
                     const char *pattern)
{
    for (size_t i = 0; i < c->py.n; i++)
        if (c->py.at[i].src == s && is_fact(&c->py.at[i], kind, NULL) &&
            fnmatch(pattern, c->py.at[i].name, 0) == 0)
            return true;
    return false;
}

/* assertEqual, torch.equal, allclose, and helpers that are called so. */
static bool compares(const struct check *c, const struct src *s)
{
    static const char *const calls[] = {"*assert*",  "*allclose", "torch.equal", "*check_*",
                                        "*compare*", "*verify*",  "*expect*"};

    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (has_fact(c, s, "call", calls[i]))
            return true;
    return strstr(s->text, "assert ");
}

/* A test that calls an operator and compares nothing cannot fail on a wrong number. */
static void test_compares(struct check *c)
{
    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];

        if (s->lang == LANG_PYTHON && is_test(s) && has_fact(c, s, "op", "torch.ops.*.*") &&
            !compares(c, s) &&
            report_line(c, "NTL083", s, 1,
                        "this test calls an operator and compares its result with nothing"))
            hint(c, "self.assertRtolEqual(result.cpu(), reference), with the reference computed on "
                    "the CPU");
    }
}

static void placeholder_in_test(struct check *c)
{
    for (size_t i = 0; i < c->py.n; i++) {
        const struct py_fact *fact = &c->py.at[i];

        if (is_fact(fact, "op", NULL) && fnmatch("torch.ops.*.my_*", fact->name, 0) == 0 &&
            is_test(fact->src) &&
            report_line(c, "NTL082", fact->src, fact->line, "%s is the name of an example",
                        fact->name))
            hint(c, "call the operator by its own name");
    }
}

/* A hard dependency lets pip replace the torch that is installed. */
static void hard_dependency(struct check *c)
{
    for (size_t i = 0; i < c->py.n; i++) {
        const struct py_fact *fact = &c->py.at[i];
        const char *needs =
            is_fact(fact, "setup", NULL) ? strstr(fact->text, "install_requires=") : NULL;

        if (needs && (strstr(needs, "'torch") || strstr(needs, "\"torch")) &&
            package_of(c, fact->src->name) &&
            report_line(c, "NTL087", fact->src, fact->line,
                        "install_requires names torch: pip --force-reinstall then replaces the "
                        "torch that is there"))
            hint(c, "leave torch and torch_npu out, and let the loader compare versions");
    }
}

static void distutils_import(struct check *c)
{
    for (size_t i = 0; i < c->py.n; i++) {
        const struct py_fact *fact = &c->py.at[i];

        if ((is_fact(fact, "import", NULL) || is_fact(fact, "from", NULL)) &&
            strncmp(fact->name, "distutils", 9) == 0 && package_of(c, fact->src->name) &&
            report_line(c, "NTL089", fact->src, fact->line,
                        "distutils is gone from Python 3.12 on"))
            hint(c, "setuptools has the same names");
    }
}

/* load_library of a path that nobody looked at: the error then names a symbol, not the missing
 * file. */
static void loader_says_what_is_missing(struct check *c)
{
    for (size_t i = 0; i < c->py.n; i++) {
        const struct py_fact *fact = &c->py.at[i];
        const char *text = fact->src->text;

        if (is_fact(fact, "call", "torch.ops.load_library") && !is_test(fact->src) &&
            package_of(c, fact->src->name) && !strstr(text, "raise") && !strstr(text, "exists") &&
            !strstr(text, "is_file") &&
            report_line(c, "NTL086", fact->src, fact->line,
                        "the library is loaded without a look whether it is there"))
            hint(c, "if not path.is_file(): raise FileNotFoundError(f\"{path} is missing: build it "
                    "first\")");
    }
}

const struct check_rule python_rules[] = {
    {"NTL080", every_operator_tested},
    {"NTL082", placeholder_in_test},
    {"NTL083", test_compares},
    {"NTL085", syntax},
    {"NTL086", loader_says_what_is_missing},
    {"NTL087", hard_dependency},
    {"NTL089", distutils_import},
    {0},
};
