/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_plugin.c - Plan B: is the file of op_plugin/ops in order?
 *
 * op-plugin is built inside torch_npu, from its own clone, in tens of minutes. What can be known
 * without that: the file compiles against the headers of the installed torch_npu and against the
 * declaration that its yaml entry stands for. The rest is said to be not run, with its commands.
 */
#include "build_plugin.h"
#include "check/check.h"
#include "file.h"
#include "optype.h"
#include "proc.h"

#include <stdlib.h>
#include <string.h>

static const char yaml[] = "op_plugin/config/op_plugin_functions.yaml";

struct entry {
    struct schema schema;
    const char *space, *folder; /* acl_op and aclops, op_api and opapi */
    unsigned line;
};

/* The entry "- func: OP(...)" and the kind that the lines below it name; false: not there. */
static bool find_entry(const char *text, const char *op, struct entry *entry)
{
    char *head = cli_fmt("- func: %s(", op), *line = NULL;
    const char *at = strstr(text, head), *next = at ? strstr(at + 1, "- func:") : NULL;
    const char *acl_op = at ? strstr(at, "acl_op:") : NULL;

    free(head);
    if (!at)
        return false;
    *entry = (struct entry){.space = "op_api", .folder = "opapi", .line = 1};
    if (acl_op && (!next || acl_op < next)) {
        entry->space = "acl_op";
        entry->folder = "aclops";
    }
    for (const char *c = text; c < at; c++)
        entry->line += *c == '\n';
    line = cli_fmt("%.*s", (int)strcspn(at + 8, "\n"), at + 8);
    schema_parse(line, &entry->schema);
    free(line);
    return true;
}

/* The declaration that op-plugin generates from the entry; NULL for a type that has no C++ here. */
static char *declaration(const struct entry *entry)
{
    static const char *const results[] = {"void", "at::Tensor",
                                          "::std::tuple<at::Tensor, at::Tensor>",
                                          "::std::tuple<at::Tensor, at::Tensor, at::Tensor>"};
    const struct schema *schema = &entry->schema;
    char *text = NULL;
    size_t size = 0;
    FILE *out = NULL;

    if (!schema->is_parsed || schema->n_rets >= sizeof(results) / sizeof(results[0]))
        return NULL;
    for (size_t i = 0; i < schema->n_args; i++)
        if (!optype_cpp_type(schema->arg[i].type))
            return NULL;
    out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "#pragma once\n#include <ATen/ATen.h>\n#include <tuple>\n\nnamespace %s {\n%s %s(",
            entry->space, results[schema->n_rets], schema->name);
    for (size_t i = 0; i < schema->n_args; i++)
        fprintf(out, "%s%s%s", i ? ", " : "",
                schema->arg[i].is_written ? "at::Tensor &" : optype_cpp_type(schema->arg[i].type),
                schema->arg[i].name);
    fputs(");\n}\n", out);
    fclose(out);
    return text;
}

/* The file of that folder which holds "OP(" behind "namespace"; relative to dir, NULL. */
static char *find_source(const char *dir, const struct entry *entry)
{
    char *folder = cli_fmt("%s/op_plugin/ops/%s", dir, entry->folder), *found = NULL,
         *head = cli_fmt(" %s(", entry->schema.name);
    struct cli_words files = {0};

    cli_walk(folder, &files);
    for (size_t i = 0; i < files.n && !found; i++) {
        char *path = cli_fmt("%s/%s", folder, files.at[i]), *text = cli_read(path, NULL);

        if (text && strstr(text, head) && strstr(text, entry->space))
            found = cli_fmt("op_plugin/ops/%s/%s", entry->folder, files.at[i]);
        free(path);
        free(text);
    }
    cli_words_finish(&files);
    free(folder);
    free(head);
    return found;
}

/* Both interface headers, because a file of opapi may include that of aclops too. */
static bool write_headers(const struct work *work, const struct entry *entry)
{
    char *text = declaration(entry), *folder = cli_fmt("%s/build/nputwin/op_plugin", work->dir);
    static const struct {
        const char *space, *name;
    } headers[] = {{"acl_op", "AclOpsInterface.h"}, {"op_api", "OpApiInterface.h"}};
    bool is_written = text && cli_make_folders(folder);

    for (size_t i = 0; i < 2 && is_written; i++) {
        const char *of = strcmp(headers[i].space, entry->space) == 0
                             ? text
                             : "#pragma once\n#include <ATen/ATen.h>\n";
        char *path = cli_fmt("%s/%s", folder, headers[i].name);

        is_written = cli_write(path, of, strlen(of));
        free(path);
    }
    free(text);
    free(folder);
    return is_written;
}

static const struct matrix_row {
    const char *torch, *torch_npu, *branch, *op_plugin;
} rows[] = {
#define MATRIX(torch, torch_npu, branch, op_plugin, ...) {torch, torch_npu, branch, op_plugin},
#include "matrix.def"
};

/* What links the file into torch_npu, from the row of the matrix that fits. */
static int say_what_is_left(struct work *work, const char *torch, const char *torch_npu,
                            const char *python)
{
    const struct matrix_row *row = NULL;
    size_t n = strcspn(torch, "+");

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strlen(rows[i].torch) == n && strncmp(rows[i].torch, torch, n) == 0 &&
            (!row || strcmp(rows[i].torch_npu, torch_npu) == 0))
            row = &rows[i];
    if (!row)
        return step_note(work, "link", true,
                         "not run, and torch %s is in no row of the version matrix", torch);
    return step_note(
        work, "link", true,
        "linking into torch_npu was not run. It is: git clone --branch %s "
        "https://gitcode.com/ascend/op-plugin.git && cd op-plugin (with these files in "
        "it) && bash ci/build.sh --python=%s --pytorch=%s && pip install "
        "--force-reinstall dist/torch_npu-*.whl",
        row->op_plugin, python, row->branch);
}

static const char script[] =
    "import importlib.metadata as m, importlib.util as u, os, sys, sysconfig\n"
    "print(*(os.path.dirname(u.find_spec(n).origin) for n in ('torch', 'torch_npu')), "
    "m.version('torch'),\n"
    "      m.version('torch_npu'), '%d.%d' % sys.version_info[:2], "
    "sysconfig.get_paths()['include'], sep='\\n')\n";

enum { TORCH_DIR, NPU_DIR, TORCH, TORCH_NPU, PYTHON, INCLUDE, N_FACTS };

/* g++ says so of a definition that the entry's declaration is not of. */
static int check_declared(struct work *work, const struct entry *entry, const char *said)
{
    char *name = cli_fmt("%s::%s(", entry->space, entry->schema.name);
    const char *at = said ? strstr(said, "no previous declaration for") : NULL;

    for (; at; at = strstr(at + 1, "no previous declaration for"))
        if (memmem(at, strcspn(at, "\n"), name, strlen(name)))
            break;
    free(name);
    return at ? step_note(work, "declaration", false,
                          "the entry at %s:%u has another schema than the function: one of them is "
                          "wrong",
                          yaml, entry->line)
              : EXIT_FINE;
}

static int compile(struct work *work, const struct entry *entry, const char *source,
                   char *const fact[N_FACTS])
{
    static const struct {
        int of;
        const char *below;
    } dirs[] = {{TORCH_DIR, "include"},
                {TORCH_DIR, "include/torch/csrc/api/include"},
                {NPU_DIR, "include"},
                {NPU_DIR, "include/third_party/acl/inc"},
                {NPU_DIR, "include/third_party/hccl/inc"},
                {NPU_DIR, "include/third_party/op-plugin"},
                {NPU_DIR, "include/third_party/op-plugin/op_plugin/include"}};
    struct cli_words argv = {0};
    char *said = NULL;
    int code = EXIT_FINE, minor = (int)strtol(fact[TORCH] + 2, NULL, 10);

    cli_word_add(&argv, "g++");
    cli_word_add(&argv, "-std=c++17");
    cli_word_add(&argv, "-fPIC");
    cli_word_add(&argv, "-Wall");
    cli_word_add(&argv, "-Wmissing-declarations");
    cli_word_add(&argv, "-DCURRENT_VERSION=V%cR%d", fact[TORCH][0], minor);
    cli_word_add(&argv, "-Ibuild/nputwin");
    cli_word_add(&argv, "-isystem%s", fact[INCLUDE]);
    for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
        cli_word_add(&argv, "-isystem%s/%s", fact[dirs[i].of], dirs[i].below);
    cli_word_add(&argv, "-c");
    cli_word_add(&argv, "%s", source);
    cli_word_add(&argv, "-o");
    cli_word_add(&argv, "build/nputwin/%s.o", strrchr(source, '/') + 1);
    code = step_run(work, "compile", (const char *const *)argv.at, "", &said);
    if (code == EXIT_FINE)
        code = check_declared(work, entry, said);
    cli_words_finish(&argv);
    free(said);
    return code;
}

static int build_entry(struct work *work, const struct entry *entry)
{
    char *source = find_source(work->dir, entry), *output = NULL, *rest = NULL,
         *fact[N_FACTS] = {0};
    const char *const argv[] = {work->python, "-c", script, NULL};
    int code = EXIT_FINDINGS, n = 0;

    if (!source) {
        step_note(work, "compile", false, "%s:%u: no file of op_plugin/ops/%s defines %s::%s", yaml,
                  entry->line, entry->folder, entry->space, entry->schema.name);
    } else if (!write_headers(work, entry)) {
        step_note(work, "compile", false,
                  "%s:%u: the schema of %s is broken, or has a type other than Tensor, Tensor?, "
                  "Tensor[], int, int[], float, bool, str and ScalarType",
                  yaml, entry->line, entry->schema.name);
    } else if (work_ask(work, argv, "/", &output) != 0) {
        step_note(work, "compile", false,
                  "torch and torch_npu are not in %s: pip install torch_npu", work->python);
    } else {
        rest = output;
        while (n < N_FACTS && rest)
            fact[n++] = strsep(&rest, "\n");
        code = n == N_FACTS ? compile(work, entry, source, fact) : EXIT_FINDINGS;
        if (code == EXIT_FINE)
            code = say_what_is_left(work, fact[TORCH], fact[TORCH_NPU], fact[PYTHON]);
    }
    free(source);
    free(output);
    return code;
}

int build_plugin(struct work *work)
{
    char *path = cli_fmt("%s/%s", work->dir, yaml), *text = NULL;
    struct entry entry = {0};
    int code = EXIT_FINDINGS;

    if (!work->given->n_words) {
        free(path);
        return cli_usage_error("build", "which operator of op-plugin? nputwin build npu_NAME; its "
                                        "example below examples/ is a package of its own");
    }
    text = cli_read(path, NULL);
    if (!text || !find_entry(text, work->given->words[0], &entry))
        step_note(work, "compile", false, "%s has no entry `- func: %s(...)`", yaml,
                  work->given->words[0]);
    else
        code = build_entry(work, &entry);
    schema_finish(&entry.schema);
    free(text);
    free(path);
    return code;
}
