/* SPDX-License-Identifier: Apache-2.0 */
/* rules_amct.c - the rule book of an amct_ops package: three layers, one door to build them. */
#include "../file.h"
#include "check.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

typedef void op_fn(struct check *c, const struct package *op);

static void each_op(struct check *c, op_fn *look)
{
    for (size_t i = 0; i < c->package.n; i++)
        if (c->package.at[i].layout == LAYOUT_AMCT_OP)
            look(c, &c->package.at[i]);
}

static const struct package *root_of(const struct check *c, const struct package *op)
{
    for (size_t i = 0; i < c->package.n; i++)
        if (c->package.at[i].layout == LAYOUT_AMCT_ROOT && is_below(op->dir, c->package.at[i].dir))
            return &c->package.at[i];
    return NULL;
}

/* The first source of the operator in that layer that matches; NULL. */
static const struct src *layer(const struct check *c, const struct package *op, const char *pattern)
{
    return src_find(c, op->dir, pattern);
}

static void fixed_files(struct check *c, const struct package *op)
{
    static const char *const files[] = {
        "CMakeLists.txt",        "op_kernel/%s_kernel.cpp",   "op_kernel/%s_tiling.h",
        "op_extension/ops.h",    "op_extension/register.cpp", "op_extension/%s_torch.cpp",
        "python/%s/__init__.py", "python/%s/ops.py"};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        const char *at = strstr(files[i], "%s");
        char *name = at ? cli_fmt("%.*s%s%s", (int)(at - files[i]), files[i], op->base, at + 2)
                        : cli_fmt("%s", files[i]);

        if (!has_file(c, op->dir, name) && report_dir(c, "NTL110", op->dir, "%s is missing", name))
            hint(c, "ops_build.sh collects libraries and Python files by these names; copy "
                    "hifloat8_cast/");
        free(name);
    }
}

static void one_namespace(struct check *c)
{
    for (size_t i = 0; i < c->lib.n; i++) {
        const struct lib *lib = &c->lib.at[i];
        const struct package *package = package_of(c, lib->src->name);

        if (package && package->layout == LAYOUT_AMCT_OP &&
            (strcmp(lib->ns, "amct") != 0 || lib->kind == LIB_LIBRARY) &&
            report(c, "NTL111", lib->src, tok_at(lib->src, lib->name),
                   "operators of amct_ops share the namespace amct; this block is for %s%s",
                   lib->ns, lib->kind == LIB_LIBRARY ? " and claims it" : ""))
            hint(c, "TORCH_LIBRARY_FRAGMENT(amct, m)");
    }
}

static void host_namespace(struct check *c, const struct package *op)
{
    const struct src *s = layer(c, op, "op_extension/ops.h");

    if (s && !strstr(s->text, "namespace AscendKernel") &&
        report_line(c, "NTL112", s, 1, "host functions are not in namespace AscendKernel"))
        hint(c, "namespace AscendKernel { at::Tensor %s(...); }", op->base);
}

/* TORCH_CHECK(condition, "text") prints the text alone: the value that was wrong stays unknown. */
static void check_prints_value(struct check *c, const struct package *op)
{
    const struct src *s = layer(c, op, "op_extension/register.cpp");
    struct call call;

    for (int32_t at = 0; s && next_call(s, "TORCH_CHECK", &at, s->lex.n, &call);)
        if (call.n_args <= 2 && report(c, "NTL113", s, tok_at(s, call.name),
                                       "the message does not print the value that was refused"))
            hint(c, "TORCH_CHECK(x.dim() == 2, \"%s: x must have 2 dimensions, got \", x.dim())",
                 op->base);
}

/* Checks of dtype and shape stand at the dispatcher's entry, where Meta shares them. */
static void check_in_register(struct check *c, const struct package *op)
{
    const struct src *entry = layer(c, op, "op_extension/register.cpp");

    if (entry && !strstr(entry->text, "TORCH_CHECK") &&
        report_line(c, "NTL114", entry, 1, "register.cpp checks no argument"))
        hint(c, "TORCH_CHECK dtype and shape in the function that PrivateUse1 gets");
}

static void thin_python(struct check *c)
{
    for (size_t i = 0; i < c->py.n; i++) {
        const struct py_fact *fact = &c->py.at[i];
        const struct package *op = package_of(c, fact->src->name);

        if (!op || op->layout != LAYOUT_AMCT_OP || fnmatch("*/ops.py", fact->src->name, 0) != 0 ||
            strcmp(fact->kind, "def") != 0 || fact->name[0] == '_')
            continue;
        if (strncmp(fact->text, "return torch.ops.amct.", 22) != 0 &&
            report_line(c, "NTL115", fact->src, fact->line,
                        "%s does more than pass its arguments on: %s", fact->name, fact->text))
            hint(c, "return torch.ops.amct.%s(...); checks belong in register.cpp", fact->name);
    }
}

static void docstrings(struct check *c)
{
    static const char *const parts[][2] = {{"dtype", "dtype"},
                                           {"shape", "shape"},
                                           {"NPU", "device (NPU only)"},
                                           {"Example", "Example"}};

    for (size_t i = 0; i < c->py.n; i++) {
        const struct py_fact *fact = &c->py.at[i];
        const struct package *op = package_of(c, fact->src->name);

        if (!op || op->layout != LAYOUT_AMCT_OP || fnmatch("*/ops.py", fact->src->name, 0) != 0 ||
            strcmp(fact->kind, "doc") != 0 || fact->name[0] == '_')
            continue;
        for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++)
            if (!strcasestr(fact->text, parts[p][0]) &&
                report_line(c, "NTL116", fact->src, fact->line,
                            "the docstring of %s does not give the %s", fact->name, parts[p][1]))
                hint(c, "say dtype, shape, device and an Example");
    }
}

static void layer_below(struct check *c)
{
    for (size_t i = 0; i < c->py.n; i++) {
        const struct py_fact *fact = &c->py.at[i];
        const struct package *package = package_of(c, fact->src->name);

        if (package && (package->layout == LAYOUT_AMCT_OP || package->layout == LAYOUT_AMCT_ROOT) &&
            (strcmp(fact->kind, "import") == 0 || strcmp(fact->kind, "from") == 0) &&
            strncmp(fact->name, "amct_pytorch", 12) == 0 && !strstr(fact->src->name, "test") &&
            report_line(c, "NTL117", fact->src, fact->line,
                        "hardware code imports the layer above: %s", fact->name))
            hint(c, "amct_pytorch calls amct_ops, never the other way");
    }
}

/* Between two """, as the list of operators in the head of setup.py. */
static bool is_in_docstring(const char *text, const char *at)
{
    bool is_in = false;

    while ((text = strstr(text, "\"\"\"")) != NULL && text < at) {
        is_in = !is_in;
        text += 3;
    }
    return is_in;
}

/* ops_build.sh and setup.py are everybody's: no operator's name may stand in their code. */
static void no_special_case(struct check *c, const struct package *op)
{
    static const char *const files[] = {"ops_build.sh", "setup.py"};
    const struct package *root = root_of(c, op);

    for (size_t f = 0; root && f < 2; f++) {
        const struct src *s = src_find(c, root->dir, files[f]);
        const char *at = s ? s->text : NULL;

        while (at && (at = strstr(at, op->base)) != NULL) {
            const char *line = at;

            while (line > s->text && line[-1] != '\n')
                line--;
            if (line[strspn(line, " \t")] != '#' && !is_in_docstring(s->text, at) &&
                report(c, "NTL118", s, (size_t)(at - s->text),
                       "%s is treated apart in a script of all operators", op->base)) {
                hint(c, "what is special goes into %s/CMakeLists.txt", op->base);
                break;
            }
            at++;
        }
    }
}

static void readme_row(struct check *c, const struct package *op)
{
    const struct package *root = root_of(c, op);
    const struct src *s = root ? src_find(c, root->dir, "README.md") : NULL;
    const char *at = s ? s->text : NULL;

    while (at && (at = strstr(at, op->base)) != NULL) {
        const char *line = at;

        while (line > s->text && line[-1] != '\n')
            line--;
        if (*line == '|')
            return;
        at++;
    }
    if (s && report_line(c, "NTL119", s, 1, "the table of operators has no row for %s", op->base))
        hint(c, "| `%s` | function | in | out | chips |", op->base);
}

static void op_has_test(struct check *c, const struct package *op)
{
    char *name = cli_fmt("test_%s.py", op->base);
    const struct package *root = root_of(c, op);
    bool is_found = false;

    for (size_t i = 0; i < c->paths.n && !is_found; i++) {
        const char *base = strrchr(c->paths.at[i], '/');

        is_found = strcmp(base ? base + 1 : c->paths.at[i], name) == 0;
    }
    if (!is_found && root) { /* the tests lie beside the package: not below a path that was given */
        char *beside = cli_fmt("%s%s../tests/amct_ops/%s", root->dir, *root->dir ? "/" : "", name);

        is_found = cli_is_file(beside);
        free(beside);
    }
    if (!is_found && report_dir(c, "NTL120", op->dir, "%s is missing", name))
        hint(c, "tests/amct_ops/%s: small tensors against a reference on the CPU", name);
    free(name);
}

static void python_reshapes(struct check *c)
{
    static const char *const names[] = {"*.reshape", "*.contiguous", "*.permute", "*.view",
                                        "*.transpose"};

    for (size_t i = 0; i < c->py.n; i++) {
        const struct py_fact *fact = &c->py.at[i];
        const struct package *op = package_of(c, fact->src->name);

        for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++)
            if (op && op->layout == LAYOUT_AMCT_OP && strcmp(fact->kind, "call") == 0 &&
                fnmatch(names[n], fact->name, 0) == 0 && strstr(fact->src->name, "python/") &&
                report_line(c, "NTL122", fact->src, fact->line, "%s in the Python layer",
                            fact->name))
                hint(c, "let the schema take any strides; host or kernel handles them");
    }
}

/* A host file that launches: the current stream, and a tile from the size of UB. */
static void host_of_launch(struct check *c, const struct package *op)
{
    char *name = cli_fmt("op_extension/%s_torch.cpp", op->base);
    const struct src *s = layer(c, op, name);

    free(name);
    if (!s)
        return;
    if (!strstr(s->text, "getCurrentNPUStream") &&
        report_line(c, "NTL123", s, 1, "no launch on torch's current stream"))
        hint(c, "auto stream = c10_npu::getCurrentNPUStream();");
    if (!strstr(s->text, "GetCoreMemSize") &&
        report_line(c, "NTL124", s, 1, "the length of a tile does not follow the size of UB"))
        hint(c, "platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreMemSize("
                "CoreMemType::UB, bytes)");
}

static void loads_library(struct check *c, const struct package *op)
{
    char *name = cli_fmt("python/%s/__init__.py", op->base);
    const struct src *s = layer(c, op, name);

    free(name);
    if (s && !strstr(s->text, "load_library") &&
        report_line(c, "NTL125", s, 1, "importing amct_ops.%s registers nothing", op->base))
        hint(c, "torch.ops.load_library(str(path of lib%s_ops.so))", op->base);
}

/* Every CMakeLists agrees with ops_build.sh on which NPU_ARCH there are. */
static void arch_table(struct check *c, const struct package *op)
{
    static const char *const archs[] = {"dav-2201", "dav-3510"};
    const struct package *root = root_of(c, op);
    const struct src *script = root ? src_find(c, root->dir, "ops_build.sh") : NULL;
    const struct src *cmake = layer(c, op, "CMakeLists.txt");

    for (size_t i = 0; script && cmake && i < 2; i++)
        if (strstr(script->text, archs[i]) && !strstr(cmake->text, archs[i]) &&
            report_line(c, "NTL074", cmake, 1,
                        "ops_build.sh builds for %s, this file does not name it", archs[i]))
            hint(c, "keep the table of --soc and NPU_ARCH equal in both");
}

static void rule_110(struct check *c)
{
    each_op(c, fixed_files);
}
static void rule_112(struct check *c)
{
    each_op(c, host_namespace);
}
static void rule_113(struct check *c)
{
    each_op(c, check_prints_value);
}
static void rule_114(struct check *c)
{
    each_op(c, check_in_register);
}
static void rule_118(struct check *c)
{
    each_op(c, no_special_case);
}
static void rule_119(struct check *c)
{
    each_op(c, readme_row);
}
static void rule_120(struct check *c)
{
    each_op(c, op_has_test);
}
static void rule_123(struct check *c)
{
    each_op(c, host_of_launch);
}
static void rule_125(struct check *c)
{
    each_op(c, loads_library);
}
static void rule_074(struct check *c)
{
    each_op(c, arch_table);
}

/* ---- types that docstring, register.cpp and tiling.h name ---- */

static const struct dtype_row {
    const char *name, *words; /* as each of the three spells it, in capitals */
} dtype_rows[] = {{"float16", " HALF KHALF FLOAT16 FP16 F16 "},
                  {"bfloat16", " BFLOAT16 KBFLOAT16 BF16 "},
                  {"float32", " KFLOAT FLOAT32 FP32 F32 "}};
enum { N_DTYPES = sizeof(dtype_rows) / sizeof(dtype_rows[0]) };

/* Bits of the types whose words are in a text; a word ends at a _ too, as in FP16_TO_HIF8. */
static unsigned dtypes_in(const char *text, size_t n)
{
    unsigned found = 0;

    for (size_t at = 0; at < n;) {
        size_t end = at;
        char *word = NULL;

        while (end < n && (isalnum((unsigned char)text[end])))
            end++;
        word = cli_fmt(" %.*s ", (int)(end - at), text + at);
        for (char *c = word; *c; c++)
            *c = (char)toupper((unsigned char)*c);
        for (size_t i = 0; end > at && i < N_DTYPES; i++)
            found |= (unsigned)(strstr(dtype_rows[i].words, word) != NULL) << i;
        free(word);
        at = end + (end == at);
    }
    return found;
}

/* Of code: names alone, so that comments and messages do not count. */
static unsigned dtypes_of_code(const struct src *s)
{
    unsigned found = 0;

    for (int32_t t = 0; s && t < s->lex.n; t++)
        if (s->lex.tok[t].kind == TOK_ID) {
            char *word = span_text(s, (struct span){t, t + 1});

            found |= dtypes_in(word, strlen(word));
            free(word);
        }
    return found;
}

static unsigned dtypes_of_docs(const struct check *c, const struct src *ops)
{
    unsigned found = 0;

    for (size_t i = 0; ops && i < c->py.n; i++)
        if (c->py.at[i].src == ops && strcmp(c->py.at[i].kind, "doc") == 0)
            found |= dtypes_in(c->py.at[i].text, strlen(c->py.at[i].text));
    return found;
}

/* A file that names no type at all does not take part: it may leave that to another layer. */
static void dtypes_agree(struct check *c, const struct package *op)
{
    char *name = cli_fmt("op_kernel/%s_tiling.h", op->base),
         *python = cli_fmt("python/%s/ops.py", op->base);
    const struct src *entry = layer(c, op, "op_extension/register.cpp"),
                     *tiling = layer(c, op, name), *ops = layer(c, op, python);
    const struct {
        const struct src *src;
        const char *what;
        unsigned has;
    } other[] = {{ops, "the docstrings", dtypes_of_docs(c, ops)},
                 {tiling, "the enum of the tiling header", dtypes_of_code(tiling)}};
    unsigned taken = dtypes_of_code(entry);

    for (size_t i = 0; i < 2; i++)
        for (size_t d = 0; taken && other[i].has && d < N_DTYPES; d++)
            if (((taken ^ other[i].has) >> d & 1) &&
                report_line(c, "NTL126", other[i].src, 1, "%s: %s, %s %s it", dtype_rows[d].name,
                            taken >> d & 1 ? "register.cpp takes it" : "register.cpp does not",
                            other[i].what, taken >> d & 1 ? "do not name" : "name"))
                hint(c, "TORCH_CHECK in register.cpp, the docstring in ops.py and the enum in the "
                        "tiling header name the same types");
    free(name);
    free(python);
}
static void rule_126(struct check *c)
{
    each_op(c, dtypes_agree);
}

const struct check_rule amct_rules[] = {
    {"NTL126", rule_126},
    {"NTL110", rule_110},
    {"NTL111", one_namespace},
    {"NTL112", rule_112},
    {"NTL113", rule_113},
    {"NTL114", rule_114},
    {"NTL115", thin_python},
    {"NTL116", docstrings},
    {"NTL117", layer_below},
    {"NTL118", rule_118},
    {"NTL119", rule_119},
    {"NTL120", rule_120},
    {"NTL122", python_reshapes},
    {"NTL123", rule_123},
    {"NTL125", rule_125},
    {"NTL074", rule_074},
    {0},
};
