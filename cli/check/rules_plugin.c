/* SPDX-License-Identifier: Apache-2.0 */
/* rules_plugin.c - extensions as op-plugin builds them: what a package's files must say together.
 */
#include "../../isa/isa.h"
#include "check.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a package holds ---- */

/* The first source of that language in the package that holds the word; NULL. */
static const struct src *with_word(const struct check *c, const struct package *package,
                                   enum lang lang, const char *word)
{
    for (size_t i = 0; i < c->src.n; i++)
        if (c->src.at[i].lang == lang && strstr(c->src.at[i].text, word) &&
            package_of(c, c->src.at[i].name) == package)
            return &c->src.at[i];
    return NULL;
}

static bool builds_with(const struct check *c, const struct package *package, const char *word)
{
    return with_word(c, package, LANG_PYTHON, word) || with_word(c, package, LANG_CMAKE, word);
}

static bool is_mentioned(const struct command *command, const char *word)
{
    for (size_t i = 0; i < command->args.n; i++)
        if (strstr(command->args.at[i], word))
            return true;
    return false;
}

/* ---- CMake against kernels ---- */

static bool has_param(const struct fn *fn, const char *word)
{
    for (size_t i = 0; i < fn->n_params; i++)
        if (fn->param[i].name != CC_NONE && tok_is(fn->src, fn->param[i].name, word))
            return true;
    return false;
}

/* The ascendc_library that compiles the file; NULL. */
static const struct command *library_of(const struct check *c, const struct src *s)
{
    const char *base = strrchr(s->name, '/') ? strrchr(s->name, '/') + 1 : s->name;

    for (size_t i = 0; i < c->command.n; i++)
        if (strcmp(c->command.at[i].name, "ascendc_library") == 0 &&
            is_mentioned(&c->command.at[i], base) &&
            package_of(c, c->command.at[i].src->name) == package_of(c, s->name))
            return &c->command.at[i];
    return NULL;
}

static bool is_defined(const struct check *c, const struct command *library, const char *macro)
{
    for (size_t i = 0; i < c->command.n; i++)
        if (strcmp(c->command.at[i].name, "ascendc_compile_definitions") == 0 &&
            c->command.at[i].src == library->src && c->command.at[i].args.n &&
            strcmp(c->command.at[i].args.at[0], library->args.at[0]) == 0 &&
            is_mentioned(&c->command.at[i], macro))
            return true;
    return false;
}

/* Without HAVE_WORKSPACE the kernel gets the system's part of the workspace as its own. */
static void workspace_definitions(struct check *c)
{
    static const char *const pairs[][2] = {{"workspace", "HAVE_WORKSPACE"},
                                           {"tiling", "HAVE_TILING"}};

    for (size_t f = 0; f < c->fn.n; f++) {
        const struct fn *fn = &c->fn.at[f];
        const struct command *library = fn->is_kernel ? library_of(c, fn->src) : NULL;

        for (size_t p = 0; library && p < 2; p++) {
            bool takes = has_param(fn, pairs[p][0]), says = is_defined(c, library, pairs[p][1]);

            if (takes != says && report(c, "NTL043", library->src, library->at,
                                        "a kernel of %s %s a parameter %s, and -D%s is %s",
                                        library->args.at[0], takes ? "has" : "lacks", pairs[p][0],
                                        pairs[p][1], says ? "given" : "missing"))
                hint(c,
                     "ascendc_compile_definitions(%s PRIVATE -DHAVE_WORKSPACE -DHAVE_TILING) for "
                     "a kernel with both",
                     library->args.at[0]);
        }
    }
}

/* A source below csrc/host/tiling that no target compiles. */
static void tiling_source(struct check *c)
{
    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];
        const struct package *package = package_of(c, s->name);
        const char *base = strrchr(s->name, '/') ? strrchr(s->name, '/') + 1 : s->name;

        if (package && fnmatch("*csrc/host/tiling/*.cpp", s->name, 0) == 0 &&
            with_word(c, package, LANG_CMAKE, "add_library") &&
            !with_word(c, package, LANG_CMAKE, base) &&
            !with_word(c, package, LANG_CMAKE, "tiling/*") &&
            report_line(c, "NTL069", s, 1, "no target compiles %s", base))
            hint(c, "add_library(... SHARED csrc/host/<op>.cpp csrc/host/tiling/%s)", base);
    }
}

/* ---- names and flags ---- */

static bool is_arch(const char *text, size_t n)
{
    unsigned arch = (unsigned)strtoul(text + 4, NULL, 10);
    static const unsigned others[] = {1001, 2002, 3002}; /* chips that the twin is not */

    for (size_t i = 0; i < npu_n_socs; i++)
        if (npu_socs[i].arch == arch)
            return true;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (others[i] == arch)
            return true;
    return n == 4; /* dav- before a variable */
}

static void architecture(struct check *c)
{
    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];
        static const char mark[] = "--npu-arch=dav-";

        for (const char *at = s->text; s->lang != LANG_MARKDOWN && (at = strstr(at, mark)) != NULL;
             at += sizeof(mark) - 1) {
            const char *name = at + sizeof(mark) - 5;
            size_t n = 4 + strspn(name + 4, "0123456789");

            if (!is_arch(name, n) && report(c, "NTL065", s, (size_t)(name - s->text),
                                            "no chip has the architecture %.*s", (int)n, name))
                hint(c, "dav-2201 for A2 and A3, dav-3510 for A5");
        }
    }
}

/* Whether a target of that name links torch, in any of the build files. */
static bool links_torch(const struct check *c, const char *target)
{
    for (size_t i = 0; i < c->command.n; i++) {
        const struct command *command = &c->command.at[i];

        if (strcmp(command->name, "target_link_libraries") == 0 && command->args.n &&
            strcmp(command->args.at[0], target) == 0 &&
            (is_mentioned(command, "torch") || is_mentioned(command, "TORCH")))
            return true;
    }
    return false;
}

/* Whether a C++ source of the same build is written for torch. */
static bool is_for_torch(const struct check *c, const struct src *s)
{
    const char *build = build_of(c, s->name);

    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *other = &c->src.at[i];
        const char *its = other->lang == LANG_CPP && strstr(other->text, "at::Tensor")
                              ? build_of(c, other->name)
                              : NULL;

        if (its && build && strcmp(its, build) == 0)
            return true;
    }
    return false;
}

static void old_string(struct check *c, const struct src *s, size_t at)
{
    if (package_of(c, s->name) &&
        report(c, "NTL066", s, at, "the old std::string, whatever the installed torch has"))
        hint(c, "int(torch.compiled_with_cxx11_abi()), asked when it is built");
}

/* Flags of every target of a build, not those that another project is built with. */
static bool is_for_all_targets(const struct command *command)
{
    static const char *const names[] = {"add_definitions", "add_compile_definitions",
                                        "add_compile_options"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(command->name, names[i]) == 0)
            return true;
    return is_mentioned(command, "CMAKE_CXX_FLAGS");
}

/* A library that links no torch keeps the strings of what it links: CANN's have the old ones. */
static void fixed_abi(struct check *c)
{
    static const char mark[] = "_GLIBCXX_USE_CXX11_ABI=0";

    for (size_t i = 0; i < c->command.n; i++) {
        const struct command *command = &c->command.at[i];
        bool is_of_target = strncmp(command->name, "target_", 7) == 0;

        if (is_mentioned(command, mark) &&
            (is_of_target ? links_torch(c, command->args.at[0])
                          : is_for_all_targets(command) && is_for_torch(c, command->src)))
            old_string(
                c, command->src,
                (size_t)(strstr(command->src->text + command->at, mark) - command->src->text));
    }
    for (size_t i = 0; i < c->src.n; i++) {
        const char *at = c->src.at[i].lang == LANG_PYTHON ? strstr(c->src.at[i].text, mark) : NULL;

        if (at)
            old_string(c, &c->src.at[i], (size_t)(at - c->src.at[i].text));
    }
}

/* Headers of op-plugin that ask for the version, and lie below third_party/. */
static void plugin_headers(struct check *c)
{
    static const char *const heads[] = {"*npu_cpp_extension.h", "*op_api_common.h",
                                        "*op_api_common_base.h"};

    for (size_t i = 0; i < c->include.n; i++) {
        const struct include *include = &c->include.at[i];
        const struct package *package = package_of(c, include->src->name);
        bool is_one = false;

        for (size_t h = 0; h < sizeof(heads) / sizeof(heads[0]); h++)
            is_one = is_one || fnmatch(heads[h], include->path, 0) == 0;
        if (!is_one || include->to || !package || package->layout != LAYOUT_EXTENSION)
            continue; /* a header of the project's own is another one */
        if (!builds_with(c, package, "CURRENT_VERSION") &&
            report(c, "NTL067", include->src, include->at,
                   "%s asks for CURRENT_VERSION, which this build does not define", include->path))
            hint(c, "-DCURRENT_VERSION=V2R13 of torch 2.13, made from torch.__version__; "
                    "CXXFLAGS=-DCURRENT_VERSION=V2R13 for one build");
        if (!builds_with(c, package, "third_party") &&
            report(
                c, "NTL070", include->src, include->at,
                "%s lies below torch_npu's include/third_party, which is not on the include path",
                include->path))
            hint(c, "include/third_party/op-plugin and include/third_party/acl/inc of torch_npu");
    }
}

/* _load.py opens libX.so: a target has to make it. */
static void library_name(struct check *c)
{
    for (size_t i = 0; i < c->py.n; i++) {
        const struct py_fact *fact = &c->py.at[i];
        const struct package *package = package_of(c, fact->src->name);
        size_t n = strlen(fact->text);
        char *name = NULL;
        bool is_made = false, has_shared = false;

        if (!package || package->layout != LAYOUT_EXTENSION || strcmp(fact->kind, "string") != 0 ||
            fnmatch("*/_load.py", fact->src->name, 0) != 0 || n < 7 ||
            strncmp(fact->text, "lib", 3) != 0 || strcmp(fact->text + n - 3, ".so") != 0 ||
            strpbrk(fact->text, " *{"))
            continue;
        name = cli_fmt("%.*s", (int)n - 6, fact->text + 3);
        for (size_t k = 0; k < c->command.n; k++) {
            const struct command *command = &c->command.at[k];

            if (package_of(c, command->src->name) != package)
                continue;
            is_made =
                is_made || is_mentioned(command, "OUTPUT_NAME") ||
                (command->args.n && strcmp(command->name, "add_library") == 0 &&
                 (strcmp(command->args.at[0], name) == 0 || strchr(command->args.at[0], '$')));
            has_shared = has_shared || strcmp(command->name, "add_library") == 0;
        }
        if (has_shared && !is_made &&
            report_line(c, "NTL009", fact->src, fact->line, "no target of CMake makes %s",
                        fact->text))
            hint(c, "add_library(%s SHARED ...), or the name of the target that is there", name);
        free(name);
    }
}

/* ---- host functions ---- */

/* A function that a dispatcher of PrivateUse1 calls has been given NPU tensors. */
static void device_of_opcommand(struct check *c)
{
    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];

        if (s->lang == LANG_CPP && strstr(s->text, ".Name(\"") &&
            strstr(s->text, "PYBIND11_MODULE") && !strstr(s->text, "PrivateUse1") &&
            !strstr(s->text, "is_privateuseone") &&
            report(c, "NTL057", s, (size_t)(strstr(s->text, ".Name(\"") - s->text),
                   "nothing asks whether the tensors are on an NPU"))
            hint(c,
                 "TORCH_CHECK(x.is_privateuseone(), \"x must be on an npu, is on \", x.device())");
    }
}

static void device_guard(struct check *c)
{
    for (size_t i = 0; i < c->launch.n; i++) {
        const struct launch *launch = &c->launch.at[i];
        const struct fn *fn = launch->in;

        if (!fn || fn->is_kernel || !strstr(launch->src->text, "at::Tensor") ||
            strstr(launch->src->text, "DeviceGuard") ||
            strstr(launch->src->text, "#define EXEC_KERNEL_CMD"))
            continue;
        report(c, "NTL045", launch->src, tok_at(launch->src, launch->at),
               "%s runs on the current device, which may be another than its tensors'",
               launch->kernel);
    }
}

/* Whether every name of the product that ends before tok is a constant: the author knows the rest.
 */
static bool is_fixed(const struct check *c, const struct src *s, int32_t tok)
{
    int32_t t = tok - 1;

    for (; t > 0 && (cc_is_id(&s->lex, t) || s->lex.tok[t].kind == TOK_NUM || tok_is(s, t, "*"));
         t--) {
        char *name = span_text(s, (struct span){t, t + 1});
        bool is_open = cc_is_id(&s->lex, t) && !is_constant(c, s, name);

        free(name);
        if (is_open)
            return false;
    }
    return t < tok - 1 && !tok_is(s, t, ".") && !tok_is(s, t, ">");
}

/* total / GetBlockNum() and nothing about the rest. */
static void even_split(struct check *c)
{
    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];

        for (int32_t t = 1; s->lang == LANG_CPP && t + 3 < s->lex.n; t++) {
            int32_t name = tok_is(s, t + 1, "AscendC") ? t + 3 : t + 1;

            if (tok_is(s, t, "/") && tok_is(s, name, "GetBlockNum") && tok_is(s, name + 1, "(") &&
                tok_is(s, name + 3, ";") && !strchr(s->text, '%') && !is_fixed(c, s, t) &&
                report(c, "NTL046", s, tok_at(s, t),
                       "the length is divided by the number of blocks, and nobody takes the rest"))
                hint(c,
                     "tiles in a loop with stride GetBlockNum(), the last one shorter; or a tail "
                     "from the host");
        }
    }
}

/* ---- tests ---- */

static bool calls_operator(const struct check *c, const struct src *s)
{
    for (size_t i = 0; i < c->py.n; i++)
        if (c->py.at[i].src == s && strcmp(c->py.at[i].kind, "op") == 0)
            return true;
    return false;
}

static bool has_any(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strstr(text, *words))
            return true;
    return false;
}

static void tests_say_what(struct check *c)
{
    static const char *const forms[] = {"dtype",        "shape",       "assertRtolEqual",
                                        "assert_close", "torch.equal", NULL};
    static const char *const host[] = {".cpu()", "\"cpu\"", "'cpu'", ".npu()", "\"meta\"", NULL};

    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];
        const struct package *package = package_of(c, s->name);

        if (!package || package->layout != LAYOUT_EXTENSION || s->lang != LANG_PYTHON ||
            fnmatch("*test/*.py", s->name, 0) != 0 || !calls_operator(c, s))
            continue;
        if (!has_any(s->text, forms) &&
            report_line(c, "NTL081", s, 1, "neither dtype nor shape of a result is looked at"))
            hint(c, "self.assertEqual((out.dtype, out.shape), (want.dtype, want.shape))");
        if (!has_any(s->text, host) &&
            report_line(c, "NTL094", s, 1,
                        "no reference on the CPU: the NPU is compared with itself"))
            hint(c, "the reference from CPU tensors, and out.cpu() beside it");
    }
}

/* ---- scripts and READMEs ---- */

static const struct matrix_row {
    const char *branch;
    int python_min, python_max;
} rows[] = {
#define MATRIX(torch, torch_npu, branch, op_plugin, cann, python_min, python_max, gcc)             \
    {branch, python_min, python_max},
#include "../matrix.def"
};

static void one_build_line(struct check *c, const struct src *s, const char *at)
{
    const char *end = at + strcspn(at, "\n"), *python = strstr(at, "--python=3."),
               *branch = strstr(at, "--pytorch=");
    long minor = python && python < end ? strtol(python + 11, NULL, 10) : -1;
    size_t n = branch && branch < end ? strcspn(branch + 10, " \t\n`'\"") : 0;

    if (memmem(at, (size_t)(end - at), "--python ", 9) ||
        memmem(at, (size_t)(end - at), "--pytorch ", 10)) {
        report(c, "NTL097", s, (size_t)(at - s->text),
               "ci/build.sh knows the form --option=value alone");
        return;
    }
    if (!n || minor < 0 || strpbrk(branch, "$<{") == branch + 10)
        return;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strlen(rows[i].branch) == n && strncmp(rows[i].branch, branch + 10, n) == 0 &&
            minor >= rows[i].python_min && minor <= rows[i].python_max)
            return;
    if (report(c, "NTL097", s, (size_t)(at - s->text),
               "Python 3.%ld and %.*s are in no row of the version matrix", minor, (int)n,
               branch + 10))
        hint(c,
             "docs/references/reference.md has the rows, `nputwin doctor` the one of this machine");
}

static void scripts(struct check *c)
{
    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];
        const struct package *package = NULL;
        const char *at = NULL;

        if (s->lang != LANG_SHELL && s->lang != LANG_MARKDOWN)
            continue;
        for (at = s->text; (at = strstr(at, "ci/build.sh --py")) != NULL; at++)
            one_build_line(c, s, at);
        at = s->lang == LANG_SHELL ? strstr(s->text, "git clone") : NULL;
        if (at && strstr(at, "op-plugin") && !strstr(s->text, "if ") && !strstr(s->text, "[ ") &&
            report(c, "NTL098", s, (size_t)(at - s->text),
                   "a clone that is there already stops the script"))
            hint(c, "[ -d op-plugin ] || git clone ...");
        at = strstr(s->text, "python test/test");
        at = at ? at : strstr(s->text, "python3 test/test");
        package = at ? package_of(c, s->name) : NULL;
        if (package && package->layout == LAYOUT_EXTENSION &&
            report(c, "NTL099", s, (size_t)(at - s->text),
                   "from here Python may import the sources in place of the installed package"))
            hint(c, "cd test && python test.py");
    }
}

/* One script, one Python. */
static void one_python(struct check *c)
{
    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];
        const char *two = s->lang == LANG_SHELL ? strstr(s->text, "\npython setup.py") : NULL,
                   *three = s->lang == LANG_SHELL ? strstr(s->text, "\npython3 ") : NULL;

        if (two && three && package_of(c, s->name) &&
            report(c, "NTL047", s, (size_t)(three + 1 - s->text),
                   "python builds here and python3 does the rest: they may be two"))
            hint(c, "${PYTHON:-python3} for each of them");
    }
}

/* ---- the tree of op-plugin ---- */

static void plugin_places(struct check *c)
{
    static const char *const folders[] = {"aclops", "opapi", "atb", "dvm"};

    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];
        const struct package *package = package_of(c, s->name);
        const char *at = strstr(s->name, "op_plugin/"), *ops = strstr(s->name, "op_plugin/ops/");
        bool is_right = false;

        if (!package || package->layout != LAYOUT_OP_PLUGIN || s->lang != LANG_CPP || !at ||
            (!ops && strchr(at + 10, '/')))
            continue;
        for (size_t f = 0; ops && f < 4; f++)
            is_right = is_right || (strncmp(ops + 14, folders[f], strlen(folders[f])) == 0 &&
                                    ops[14 + strlen(folders[f])] == '/');
        if (!is_right && report_line(c, "NTL006", s, 1, "no folder of op-plugin's build"))
            hint(c, "op_plugin/ops/aclops for OpCommand, op_plugin/ops/opapi for aclnn; the demo "
                    "below examples/<op>_extension");
    }
}

/* The versions of one line "acl_op: [v2.1, newest]", "all_version" or "v2.1, v2.7", a bit each. */
static uint64_t versions_of(const char *text)
{
    size_t n = strcspn(text, "\n");
    char *line = cli_fmt("%.*s", (int)n, text), *rest = NULL;
    bool is_range = strchr(line, '[') != NULL;
    uint64_t bits = strstr(line, "all_version") ? UINT64_MAX : 0;
    int first = -1, last = 63;

    for (char *word = strtok_r(line, "[], ", &rest); word && !bits;
         word = strtok_r(NULL, "[], ", &rest)) {
        int minor = strncmp(word, "v2.", 3) == 0 ? (int)strtol(word + 3, NULL, 10) : 63;

        if (minor < 0 || minor > 63)
            minor = 63;
        if (first < 0)
            first = minor;
        else
            last = minor;
        if (!is_range)
            bits |= (uint64_t)1 << minor;
    }
    if (is_range && !bits && first >= 0 && first <= last)
        bits = UINT64_MAX >> (63 - last) & UINT64_MAX << first;
    free(line);
    return bits;
}

/* One entry: its schema, the section it stands in and the versions that have it. */
struct entry {
    size_t at;
    const char *section;
    char *func;
    uint64_t versions;
};

static void read_entry(struct entry *entry, const char *text, const char *at)
{
    const char *end = strstr(at + 1, "- func: ");
    static const char *const kinds[] = {"acl_op:", "op_api:"};

    entry->at = (size_t)(at - text);
    entry->func = cli_fmt("%.*s", (int)strcspn(at + 8, "\n"), at + 8);
    end = end ? end : at + strlen(at);
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        const char *line = memmem(at, (size_t)(end - at), kinds[k], strlen(kinds[k]));

        if (line)
            entry->versions |= versions_of(line + strlen(kinds[k]));
    }
    for (const char *line = text; line && line < at; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (line < at && *line >= 'a' && *line <= 'z')
            entry->section = line;
    }
}

static void one_entry(struct check *c, const struct src *s, const struct entry *all, size_t i)
{
    struct schema schema;

    schema_parse(all[i].func, &schema);
    if (!schema.is_parsed)
        report(c, "NTL048", s, all[i].at, "\"%s\" is no operator schema", all[i].func);
    for (size_t j = 0; schema.is_parsed && j < i; j++)
        if (all[i].section == all[j].section && (all[i].versions & all[j].versions) &&
            strncmp(all[i].func, all[j].func, strlen(schema.full) + 1) == 0) {
            report(c, "NTL048", s, all[i].at, "%s has an entry already", schema.full);
            break;
        }
    schema_finish(&schema);
}

/* Entries of op_plugin_functions.yaml: a schema that can be read, once a section and version. */
static void plugin_entries(struct check *c)
{
    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];
        struct entry *all = NULL;
        size_t n = 0, room = 0;

        if (fnmatch("*op_plugin_functions.yaml", s->name, 0) != 0)
            continue;
        for (const char *at = s->text; (at = strstr(at, "- func: ")) != NULL; at++) {
            all = cli_room(all, n, &room, sizeof(*all));
            all[n] = (struct entry){0};
            read_entry(&all[n++], s->text, at);
        }
        for (size_t e = 0; e < n; e++)
            one_entry(c, s, all, e);
        for (size_t e = 0; e < n; e++)
            free(all[e].func);
        free(all);
    }
}

const struct check_rule plugin_rules[] = {
    {"NTL006", plugin_places},
    {"NTL009", library_name},
    {"NTL043", workspace_definitions},
    {"NTL045", device_guard},
    {"NTL046", even_split},
    {"NTL047", one_python},
    {"NTL048", plugin_entries},
    {"NTL057", device_of_opcommand},
    {"NTL065", architecture},
    {"NTL066", fixed_abi},
    {"NTL067", plugin_headers},
    {"NTL069", tiling_source},
    {"NTL081", tests_say_what},
    {"NTL097", scripts},
    {0},
};
