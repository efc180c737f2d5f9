/* SPDX-License-Identifier: Apache-2.0 */
/*
 * optype.c - writes Pattern C for an operator type: a row of aclop.def becomes a schema, a host
 * file and a test.
 */
#include "optype.h"
#include "../rt/opapi/aclop.h"
#include "cli.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

struct optype {
    const char *type, *inputs, *outputs, *attrs;
    uint64_t types;
    const char *check, *schema;
};

static const struct optype optypes[] = {
#define ACLOP(type, level, inputs, outputs, attrs, types, check, schema, fn)                       \
    {type, inputs, outputs, attrs, types, #check, schema},
#include "../rt/opapi/aclop.def"
};
enum { N_OPTYPES = sizeof(optypes) / sizeof(optypes[0]) };

/* What optype.def adds. */
static const struct sizes_row {
    const char *check, *code;
} sizes_rows[] = {
#define SIZES(check, code) {#check, code},
#define OPTYPE(type, inputs, case_, reference)
#include "optype.def"
};
static const struct more_row {
    const char *type, *inputs, *example, *reference;
} more_rows[] = {
#define SIZES(check, code)
#define OPTYPE(type, inputs, example, reference) {type, inputs, example, reference},
#include "optype.def"
};

static const struct more_row *more_of(const struct optype *t)
{
    static const struct more_row none = {"", "", "", ""};

    for (size_t i = 0; i < sizeof(more_rows) / sizeof(more_rows[0]); i++)
        if (strcmp(more_rows[i].type, t->type) == 0)
            return &more_rows[i];
    return &none;
}

static const char *code_of(const struct optype *t)
{
    for (size_t i = 0; i < sizeof(sizes_rows) / sizeof(sizes_rows[0]); i++)
        if (strcmp(sizes_rows[i].check, t->check) == 0)
            return sizes_rows[i].code;
    return NULL;
}

/* Every letter behind a : of the words is one of these. */
static bool has_letters(const char *words, const char *letters)
{
    for (const char *at = words; (at = strchr(at, ':')) != NULL; at++)
        if (!strchr(letters, at[1]))
            return false;
    return true;
}

/* An attribute without a default: only optype.def knows a value for the test. */
static bool asks_for_a_value(const struct optype *t)
{
    for (const char *at = t->attrs; *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (!memchr(at, '=', strcspn(at, " ")) && !memchr(at, '~', strcspn(at, " ")))
            return true;
    return false;
}

/* Whether Pattern C can be written for the row: the sizes of its outputs and a reference are known,
 * and each of its letters. */
static bool is_written(const struct optype *t)
{
    return code_of(t) && (t->schema || *more_of(t)->reference) &&
           has_letters(t->inputs, "IBPRSHNLV") && has_letters(t->outputs, "IBPFEND") &&
           !strchr(t->outputs, '*') && (*more_of(t)->example || !asks_for_a_value(t));
}

const struct optype *optype_find(const char *type)
{
    for (size_t i = 0; type && i < N_OPTYPES; i++)
        if (strcmp(optypes[i].type, type) == 0 && is_written(&optypes[i]))
            return &optypes[i];
    return NULL;
}

const char *optype_near(const char *type)
{
    return cli_nearest(type, &optypes[0].type, sizeof(optypes[0]), N_OPTYPES);
}

/* ---- arguments, in the order of the schema ---- */

enum kind { TENSOR, OPTIONAL, TENSORS, INTS, INT, FLOAT, BOOL_, TEXT, TYPE };

static const struct kind_row {
    const char *schema, *cpp;
} kinds[] = {
    [TENSOR] = {"Tensor", "const at::Tensor &"},
    [OPTIONAL] = {"Tensor?", "const c10::optional<at::Tensor> &"},
    [TENSORS] = {"Tensor[]", "at::TensorList "},
    [INTS] = {"int[]", "at::IntArrayRef "},
    [INT] = {"int", "int64_t "},
    [FLOAT] = {"float", "double "},
    [BOOL_] = {"bool", "bool "},
    [TEXT] = {"str", "c10::string_view "},
    [TYPE] = {"ScalarType", "at::ScalarType "},
};

enum { MAX_WORDS = 16, NAME_BYTES = 40 };

struct arg {
    char name[NAME_BYTES];
    const char *word; /* as the row spells it */
    int n_word;
    enum kind kind;
    char type; /* of a tensor: 0 is the T of the call, as in aclop.def */
    bool is_attr, has_value;
    char value[NAME_BYTES];
};

struct args {
    struct arg at[MAX_WORDS];
    size_t n;
    const struct arg *first, *lead; /* the first tensor; the one that has the type T */
    bool has_list;
};

/* A name that C++ and Python keep for themselves gets a _. */
static void set_name(struct arg *a)
{
    snprintf(a->name, sizeof(a->name), "%.*s%s", a->n_word, a->word,
             a->n_word == 4 && strncmp(a->word, "else", 4) == 0 ? "_" : "");
}

static bool has_word(const char *words, const char *word, size_t n)
{
    for (; *words; words += strcspn(words, " "), words += strspn(words, " "))
        if (strncmp(words, word, n) == 0 && strchr(":=?*~ ", words[n]))
            return true;
    return false;
}

/* An integer input is a list, unless optype.def says otherwise. */
static enum kind kind_of_ints(const struct optype *t, const char *word, size_t n)
{
    const char *at = more_of(t)->inputs;

    for (; *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (strncmp(at, word, n) == 0 && at[n] == ':')
            return strncmp(at + n + 1, "int", 3) == 0 ? INT : TENSOR;
    return INTS;
}

static void add_input(struct args *args, const struct optype *t, const char *word, size_t n)
{
    size_t n_name = strcspn(word, ":?* ");
    const char *end = word + n;
    struct arg *a = &args->at[args->n++];

    *a = (struct arg){.word = word, .n_word = (int)n_name, .kind = TENSOR};
    if (word[n_name] == ':')
        a->type = word[n_name + 1];
    if (end[-1] == '?')
        a->kind = OPTIONAL;
    else if (end[-1] == '*')
        a->kind = TENSORS;
    else if (a->type == 'I')
        a->kind = kind_of_ints(t, word, n_name);
    set_name(a);
}

/* "-1" of an L is [-1], "1" of a b is True. */
static void set_value(struct arg *a, const char *text, int n)
{
    a->has_value = true;
    if (a->kind == INTS)
        snprintf(a->value, sizeof(a->value), "[%.*s]", n, text);
    else if (a->kind == BOOL_)
        snprintf(a->value, sizeof(a->value), "%s", *text == '1' ? "True" : "False");
    else if (a->kind == TEXT)
        snprintf(a->value, sizeof(a->value), "\"%.*s\"", n, text);
    else if (a->kind == FLOAT && !memchr(text, '.', (size_t)n) && !memchr(text, 'e', (size_t)n))
        snprintf(a->value, sizeof(a->value), "%.*s.0", n, text);
    else
        snprintf(a->value, sizeof(a->value), "%.*s", n, text);
}

/* An attribute that has one value here, or that changes nothing, is left to its default. */
static void add_attr(struct args *args, const struct optype *t, const char *word, size_t n)
{
    static const char letters[] = "ifbstL";
    static const enum kind of[] = {INT, FLOAT, BOOL_, TEXT, TYPE, INTS};
    size_t n_name = strcspn(word, ":");
    const char *letter = strchr(letters, word[n_name + 1]), *mark = word + n_name + 2;
    struct arg *a = &args->at[args->n];

    if ((mark < word + n && *mark == '~') || strncmp(mark, "==", 2) == 0 ||
        (n_name == 1 && *word == 'N' && args->has_list))
        return;
    args->n++;
    *a = (struct arg){.word = word,
                      .n_word = (int)n_name,
                      .kind = letter ? of[letter - letters] : INT,
                      .is_attr = true};
    if (strcmp(t->check, "shape_cast") == 0)
        a->kind = TYPE;
    if (mark < word + n && *mark == '=')
        set_value(a, mark + 1, (int)(word + n - mark - 1));
    set_name(a);
}

static void read_args(struct args *args, const struct optype *t)
{
    typedef void add_fn(struct args *, const struct optype *, const char *, size_t);
    const struct {
        const char *words;
        add_fn *add;
    } parts[] = {{t->inputs, add_input}, {t->attrs, add_attr}};

    *args = (struct args){.has_list = strchr(t->inputs, '*') != NULL};
    for (size_t p = 0; p < 2; p++)
        for (const char *at = parts[p].words; *at && args->n < MAX_WORDS; at += strspn(at, " ")) {
            size_t n = strcspn(at, " ");

            parts[p].add(args, t, at, n);
            at += n;
        }
    for (size_t i = 0; i < args->n; i++) {
        const struct arg *a = &args->at[i];

        if (a->is_attr || a->kind > TENSORS)
            continue;
        args->first = args->first ? args->first : a;
        if (!args->lead && a->type == 0)
            args->lead = a;
    }
    args->lead = args->lead ? args->lead : args->first;
}

/* The tensor itself, of a list its first one. */
static void print_tensor(FILE *out, const struct arg *a)
{
    fprintf(out, a->kind == TENSORS ? "%s[0]" : a->kind == OPTIONAL ? "*%s" : "%s", a->name);
}

static int n_outputs(const struct optype *t)
{
    int n = 0;

    for (const char *at = t->outputs; *at; at += strcspn(at, " "), at += strspn(at, " "))
        n++;
    return n;
}

static char *output_name(const struct optype *t, int i)
{
    const char *at = t->outputs;

    while (i-- > 0)
        at += strcspn(at, " ") + 1;
    return cli_fmt("%.*s", (int)strcspn(at, ": "), at);
}

const char *optype_cpp_type(const char *schema)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(kinds[i].schema, schema) == 0)
            return kinds[i].cpp;
    return NULL;
}

char *optype_schema(const struct optype *t, const char *name)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    int n = n_outputs(t);
    struct args args;

    read_args(&args, t);
    if (!out)
        return cli_fmt("%s", "");
    fprintf(out, "%s(", name);
    for (size_t i = 0; i < args.n; i++)
        fprintf(out, "%s%s %s%s%s", i ? ", " : "", kinds[args.at[i].kind].schema, args.at[i].name,
                args.at[i].has_value          ? "="
                : args.at[i].kind == OPTIONAL ? "=None"
                                              : "",
                args.at[i].value);
    fputs(n > 1 ? ") -> (" : ") -> ", out);
    for (int i = 0; i < n; i++)
        fprintf(out, "%sTensor", i ? ", " : "");
    fputs(n > 1 ? ")" : "", out);
    fclose(out);
    return text;
}

/* ---- the host file ---- */

static const struct type_row {
    int bit;
    const char *cpp, *python;
} types[] = {
    {DT_FLOAT, "at::kFloat", "float32"},
    {DT_FLOAT16, "at::kHalf", "float16"},
    {DT_BF16, "at::kBFloat16", "bfloat16"},
    {DT_INT32, "at::kInt", "int32"},
    {DT_BOOL, "at::kBool", "bool"},
    {DT_DOUBLE, "at::kDouble", "float64"},
    {DT_INT64, "at::kLong", "int64"},
    {DT_INT16, "at::kShort", "int16"},
    {DT_INT8, "at::kChar", "int8"},
    {DT_UINT8, "at::kByte", "uint8"},
    {DT_UINT16, "at::kUInt16", "uint16"},
    {DT_UINT32, "at::kUInt32", "uint32"},
    {DT_UINT64, "at::kUInt64", "uint64"},
    {DT_COMPLEX64, "at::kComplexFloat", "complex64"},
    {DT_COMPLEX128, "at::kComplexDouble", "complex128"},
};
enum { N_TYPE_ROWS = sizeof(types) / sizeof(types[0]), N_TESTED = 5 };

static bool has_type(const struct optype *t, const struct type_row *type)
{
    return t->types >> type->bit & 1;
}

static void print_parameters(FILE *out, const struct args *args)
{
    for (size_t i = 0; i < args->n; i++)
        fprintf(out, "%s%s%s", i ? ", " : "", kinds[args->at[i].kind].cpp, args->at[i].name);
}

static void print_names(FILE *out, const struct args *args)
{
    for (size_t i = 0; i < args->n; i++)
        fprintf(out, "%s%s", i ? ", " : "", args->at[i].name);
}

/* "{at::kFloat, at::kHalf}" of the types that a tensor of that letter may have. */
static void print_types(FILE *out, const struct optype *t, char letter)
{
    const char *comma = "";

    fputc('{', out);
    for (size_t i = 0; i < N_TYPE_ROWS; i++) {
        bool is_in = letter == 'I'   ? types[i].bit == DT_INT32 || types[i].bit == DT_INT64
                     : letter == 'B' ? types[i].bit == DT_BOOL
                     : letter == 'S' ? types[i].bit == DT_FLOAT
                     : letter == 'N' ? types[i].bit == DT_INT32
                     : letter == 'L' ? types[i].bit == DT_INT64
                     : letter == 'H' ? types[i].bit == DT_FLOAT || types[i].bit == DT_FLOAT16 ||
                                           types[i].bit == DT_BF16
                     : letter == 'V' ? types[i].bit == DT_FLOAT || types[i].bit == DT_FLOAT16 ||
                                           types[i].bit == DT_BF16 || types[i].bit == DT_DOUBLE ||
                                           types[i].bit == DT_INT32 || types[i].bit == DT_INT64
                     : letter == 'R' ? types[i].bit != DT_BOOL && types[i].bit != DT_COMPLEX64 &&
                                           types[i].bit != DT_COMPLEX128
                                     : has_type(t, &types[i]);

        if (is_in)
            fprintf(out, "%s%s", comma, types[i].cpp);
        comma = is_in ? ", " : comma;
    }
    fputc('}', out);
}

/* One check a tensor: its type, and that it lies where the first one does. */
static void print_check(FILE *out, const struct optype *t, const struct args *args,
                        const struct arg *a)
{
    const char *indent = a->kind == TENSOR ? "    " : "        ";

    if (a->kind == TENSORS)
        fprintf(out,
                "    TORCH_CHECK(!%s.empty(), \"$name: %s must have one tensor at least, got "
                "none\");\n    for (const at::Tensor &one : %s)\n",
                a->name, a->name, a->name);
    else if (a->kind == OPTIONAL)
        fprintf(out, "    if (%s.has_value())\n", a->name);
    fprintf(out, "%sCheck(", indent);
    if (a->kind == TENSORS)
        fputs("one", out);
    else
        print_tensor(out, a);
    fprintf(out, ", \"%s\", ", a->name);
    if (a->type == 0 && a != args->lead) {
        fputc('{', out);
        print_tensor(out, args->lead);
        fputs(".scalar_type()}", out);
    } else {
        print_types(out, t, a->type);
    }
    fputs(", ", out);
    print_tensor(out, args->first);
    fputs(");\n", out);
}

/* The code of optype.def with its marks replaced. */
static void print_code(FILE *out, const struct optype *t, const struct args *args)
{
    const char *line = code_of(t);

    for (; line && *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *at = line;

        if (*at == '?') {
            size_t n = strcspn(at + 1, " ");

            if (!has_word(t->attrs, at + 1, n))
                continue;
            at += n + 2;
        }
        fputs("    ", out);
        for (; *at && *at != '\n'; at++) {
            if (strncmp(at, "$0", 2) == 0) {
                print_tensor(out, args->first);
                at++;
            } else if (strncmp(at, "$rest", 5) == 0) {
                const char *comma = "";

                for (size_t i = 0; i < args->n; i++)
                    if (!args->at[i].is_attr && args->at[i].kind == TENSOR &&
                        &args->at[i] != args->first) {
                        fprintf(out, "%s%s", comma, args->at[i].name);
                        comma = ", ";
                    }
                at += 4;
            } else {
                fputc(*at, out);
            }
        }
        fputc('\n', out);
    }
}

/* at::empty_symint(...) of the i-th output. */
static void print_output(FILE *out, const struct optype *t, const struct args *args, int i)
{
    const char *at = t->outputs;
    char letter = 0;
    bool is_reduced = i > 0 && strstr(code_of(t), "reduced");

    for (int k = 0; k < i; k++)
        at += strcspn(at, " ") + 1;
    at += strcspn(at, ": ");
    letter = *at == ':' ? at[1] : '\0';
    fprintf(out, "at::empty_symint(%s, ", is_reduced ? "reduced" : "sizes");
    print_tensor(out, args->lead);
    fputs(".options()", out);
    if (strcmp(t->check, "shape_cast") == 0)
        fputs(".dtype(dst_type)", out);
    else if (has_word(t->attrs, "half_to_float", 13))
        fprintf(out,
                ".dtype(half_to_float && %s.scalar_type() == at::kHalf ? at::kFloat : "
                "%s.scalar_type())",
                args->lead->name, args->lead->name);
    else if (letter == 'B')
        fputs(".dtype(at::kBool)", out);
    else if (letter == 'I' || letter == 'N')
        fputs(".dtype(at::kInt)", out);
    else if (letter == 'D')
        fprintf(out, ".dtype(%s.scalar_type() == at::kChar ? at::kInt : %s.scalar_type())",
                args->lead->name, args->lead->name);
    else if (letter == 'E')
        fprintf(out, ".dtype(%s.scalar_type() == at::kBool ? at::kFloat : %s.scalar_type())",
                args->lead->name, args->lead->name);
    else if (letter == 'F')
        fprintf(out,
                ".dtype(c10::isIntegralType(%s.scalar_type(), true) ? at::kFloat : "
                "%s.scalar_type())",
                args->lead->name, args->lead->name);
    fputc(')', out);
}

static const char *result_type(const struct optype *t)
{
    static const char *const tuples[] = {"", "at::Tensor", "std::tuple<at::Tensor, at::Tensor>",
                                         "std::tuple<at::Tensor, at::Tensor, at::Tensor>"};

    return tuples[n_outputs(t)];
}

/* CANN's number of a type: an attribute of the operator. */
static void print_acl_type(FILE *out)
{
    fputs("/* aclDataType. */\nint64_t AclType(at::ScalarType type)\n{\n    switch (type) {\n",
          out);
    for (size_t i = 0; i < N_TYPE_ROWS; i++)
        fprintf(out, "    case %s:\n        return %d;\n", types[i].cpp, types[i].bit);
    fputs("    default:\n        TORCH_CHECK(false, \"$name: no tensor of type \", type, \" on an "
          "NPU\");\n    }\n}\n\n",
          out);
}

static void print_make(FILE *out, const struct optype *t, const struct args *args)
{
    int n = n_outputs(t);

    if (strcmp(t->check, "shape_cast") == 0)
        print_acl_type(out);
    fprintf(out,
            "/* Refuses what %s does not take; returns its outputs, which are not computed yet. "
            "*/\n%s MakeOutputs(",
            t->type, result_type(t));
    print_parameters(out, args);
    fputs(")\n{\n", out);
    for (size_t i = 0; i < args->n; i++)
        if (!args->at[i].is_attr && args->at[i].kind <= TENSORS)
            print_check(out, t, args, &args->at[i]);
    print_code(out, t, args);
    fprintf(out, "    return %s", n > 1 ? "{" : "");
    for (int i = 0; i < n; i++) {
        fputs(i ? ",\n            " : "", out);
        print_output(out, t, args, i);
    }
    fprintf(out, "%s;\n}\n\n", n > 1 ? "}" : "");
}

/* What is between Name() and Output(), and the attributes behind. */
static void print_input(FILE *out, const struct arg *a)
{
    if (a->kind == TENSORS)
        fprintf(out,
                "        for (size_t i = 0; i < %s.size(); i++)\n"
                "            command.Input(%s[i].contiguous(), \"x\" + std::to_string(i));\n",
                a->name, a->name);
    else if (a->kind == OPTIONAL)
        fprintf(out,
                "        if (%s.has_value())\n            command.Input(%s->contiguous());\n"
                "        else\n            command.Input(); /* absent, its place stays */\n",
                a->name, a->name);
    else if (a->kind == INTS)
        fprintf(out, "        command.Input(%s, at::kLong);\n", a->name);
    else if (a->kind == INT)
        fprintf(out,
                "        command.Input(at::Scalar(%s), at::kLong,\n                      "
                "at_npu::native::CompileType::MEMORY_HOST_COMPILE_DEPENDENT);\n",
                a->name);
    else
        fprintf(out, "        command.Input(%s.contiguous());\n", a->name);
}

static void print_attr(FILE *out, const struct arg *a)
{
    const char *before = "", *after = "";

    if (a->kind == FLOAT) {
        before = "static_cast<float>(";
        after = ")";
    } else if (a->kind == TEXT) {
        before = "std::string(";
        after = ")";
    } else if (a->kind == TYPE) {
        before = "AclType(";
        after = ")";
    }
    fprintf(out, "        command.Attr(\"%.*s\", %s%s%s);\n", a->n_word, a->word, before, a->name,
            after);
}

static void print_run(FILE *out, const struct optype *t, const struct args *args)
{
    int n = n_outputs(t);
    char *first = output_name(t, 0);

    fputs(n > 1 ? "    auto [" : "    at::Tensor ", out);
    for (int i = 0; i < n; i++) {
        char *name = output_name(t, i);

        fprintf(out, "%s%s", i ? ", " : "", name);
        free(name);
    }
    fprintf(out, "%s = MakeOutputs(", n > 1 ? "]" : "");
    print_names(out, args);
    fprintf(out,
            ");\n    c10::DeviceGuard guard(%s.device());\n\n    if (%s.numel() > 0) {\n"
            "        at_npu::native::OpCommand command;\n\n        command.Name(\"%s\");\n",
            first, first, t->type);
    for (size_t i = 0; i < args->n; i++)
        if (!args->at[i].is_attr)
            print_input(out, &args->at[i]);
    for (int i = 0; i < n; i++) {
        char *name = output_name(t, i);

        fprintf(out, "        command.Output(%s);\n", name);
        free(name);
    }
    for (size_t i = 0; i < args->n; i++)
        if (args->at[i].is_attr)
            print_attr(out, &args->at[i]);
    if (args->has_list && has_word(t->attrs, "N", 1))
        fprintf(out, "        command.Attr(\"N\", static_cast<int64_t>(%s.size()));\n",
                args->first->name);
    fprintf(out, "        command.Run();\n    }\n    return %s", n > 1 ? "{" : "");
    for (int i = 0; i < n; i++) {
        char *name = output_name(t, i);

        fprintf(out, "%s%s", i ? ", " : "", name);
        free(name);
    }
    fprintf(out, "%s;\n}\n", n > 1 ? "}" : "");
    free(first);
}

static const char includes[] = "#include <ATen/ExpandUtils.h>\n#include "
                               "<ATen/ops/empty.h>\n#include <c10/core/DeviceGuard.h>\n"
                               "#include <c10/core/WrapDimMinimal.h>\n";

static const char helpers[] =
    "[[maybe_unused]] void CheckLength(size_t length, size_t want, const char *what)\n{\n"
    "    TORCH_CHECK(length == want, \"$name: \", what, \" must have \", want, \" values, got \", "
    "length);\n}\n\n"
    "void Check(const at::Tensor &t, const char *what, std::initializer_list<at::ScalarType> "
    "types,\n           const at::Tensor &first)\n{\n"
    "    TORCH_CHECK(std::find(types.begin(), types.end(), t.scalar_type()) != types.end(),\n"
    "                \"$name: \", what, \" must be one of \", at::ArrayRef<at::ScalarType>(types), "
    "\", got \", t.scalar_type());\n"
    "    TORCH_CHECK(t.device() == first.device(), \"$name: \", what, \" is on \", t.device(),\n"
    "                \", the first tensor on \", first.device());\n}\n\n";

/* Replaces $name in what was written. */
static char *named(char *text, const char *name)
{
    char *out = NULL, *at = text;
    size_t size = 0;
    FILE *all = open_memstream(&out, &size);

    for (; all && *at; at++) {
        if (strncmp(at, "$name", 5) == 0) {
            fputs(name, all);
            at += 4;
        } else {
            fputc(*at, all);
        }
    }
    if (all)
        fclose(all);
    free(text);
    return out ? out : cli_fmt("%s", "");
}

/* As the inside of a C string. */
static void print_escaped(FILE *out, const char *text)
{
    for (; *text; text++)
        fprintf(out, "%s%c", strchr("\"\\", *text) ? "\\" : "", *text);
}

char *optype_host(const struct optype *t, const char *name)
{
    char *text = NULL, *schema = optype_schema(t, name);
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct args args;

    read_args(&args, t);
    if (!out)
        return schema;
    fprintf(out,
            "/* SPDX-License-Identifier: Apache-2.0 */\n/*\n * %s.cpp - Pattern C: CANN's %s as "
            "torch.ops.npu.%s.\n *\n * Holds no kernel: checks, outputs, and the name of the "
            "operator with its inputs and attributes.\n */\n"
            "#include <torch_npu/csrc/framework/OpCommand.h>\n",
            name, t->type, name);
    fprintf(out,
            "\n%s#include <torch/library.h>\n\n#include <algorithm>\n#include "
            "<initializer_list>\n#include <string>\n#include <tuple>\n#include "
            "<vector>\n\nnamespace {\n\n%s",
            includes, helpers);
    print_make(out, t, &args);
    fprintf(out, "%s run_%s(", result_type(t), name);
    print_parameters(out, &args);
    fputs(")\n{\n", out);
    print_run(out, t, &args);
    fprintf(out, "\n%s meta_%s(", result_type(t), name);
    print_parameters(out, &args);
    fputs(")\n{\n    return MakeOutputs(", out);
    print_names(out, &args);
    fputs(");\n}\n\n} // namespace\n\nTORCH_LIBRARY_FRAGMENT(npu, m)\n{\n    m.def(\"", out);
    print_escaped(out, schema);
    fprintf(out,
            "\");\n}\n\n"
            "TORCH_LIBRARY_IMPL(npu, PrivateUse1, m) { m.impl(\"%s\", TORCH_FN(run_%s)); }\n\n"
            "TORCH_LIBRARY_IMPL(npu, Meta, m) { m.impl(\"%s\", TORCH_FN(meta_%s)); }\n",
            name, name, name, name);
    fclose(out);
    free(schema);
    return named(text, name);
}

char *optype_plugin(const struct optype *t, const char *name)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct args args;

    read_args(&args, t);
    if (!out)
        return cli_fmt("%s", "");
    fprintf(out,
            "/* SPDX-License-Identifier: Apache-2.0 */\n/*\n * acl_op::%s: CANN's %s by its name. "
            "Declared by the entry of %s in\n * op_plugin/config/op_plugin_functions.yaml, "
            "registered by what is generated from it.\n */\n"
            "#include \"op_plugin/AclOpsInterface.h\"\n#include "
            "\"op_plugin/utils/OpAdapter.h\"\n\n%s\n#include <algorithm>\n"
            "#include <initializer_list>\n#include <string>\n#include <tuple>\n#include "
            "<vector>\n\nnamespace acl_op {\n\nnamespace {\n\n%s",
            name, t->type, name, includes, helpers);
    print_make(out, t, &args);
    fprintf(out, "} // namespace\n\n%s %s(", result_type(t), name);
    print_parameters(out, &args);
    fputs(")\n{\n", out);
    print_run(out, t, &args);
    fputs("\n} // namespace acl_op\n", out);
    fclose(out);
    return named(text, name);
}

char *optype_init(const struct optype *t, const char *name)
{
    char *schema = optype_schema(t, name);
    char *text =
        cli_fmt("# SPDX-License-Identifier: Apache-2.0\n\"\"\"torch.ops.npu.%s: CANN's %s. "
                "It has no gradient.\"\"\"\nfrom . import _load  # noqa: F401\n",
                schema, t->type);

    free(schema);
    return text;
}

/* ---- the test ---- */

static const struct value_row {
    const char *word, *code;
} values[] = {
    {"some(", "    def some(*shape):\n        if dtype == torch.bool:\n            return "
              "torch.rand(shape) > 0.5\n"
              "        return (torch.rand(shape) * 8 - 4).to(dtype)\n\n"},
    {"positive(",
     "    def positive(*shape):\n        return (torch.rand(shape) + 0.25).to(dtype)\n\n"},
    {"unit(",
     "    def unit(*shape):\n        return (torch.rand(shape) * 1.8 - 0.9).to(dtype)\n\n"},
    {"whole(", "    def whole(*shape):\n        return torch.randint(1, 10, shape).to(dtype)\n\n"},
    {"distinct(", "    def distinct(*shape):\n        return "
                  "torch.randperm(math.prod(shape)).reshape(shape).to(dtype)\n\n"},
    {"mask(", "    def mask(*shape):\n        return torch.rand(shape) > 0.5\n\n"},
};

/* Each tensor gets some values when optype.def names no case; other shapes where they may differ.
 */
static char *example_of(const struct optype *t, const struct args *args)
{
    const char *given = more_of(t)->example;
    char *text = NULL;
    size_t size = 0;
    bool is_spread = strcmp(t->check, "shape_spread") == 0;
    FILE *out = *given ? NULL : open_memstream(&text, &size);
    size_t n = 0;

    if (!out)
        return cli_fmt("%s", given);
    for (size_t i = 0; i < args->n; i++) {
        const struct arg *a = &args->at[i];

        if (a->is_attr || a->kind > TENSORS)
            continue;
        if (a->kind == OPTIONAL)
            continue;
        fprintf(out, "%s%s=%s(%s)", n ? ", " : "", a->name, a->type == 'B' ? "mask" : "some",
                is_spread && n == 1 ? "5" : "4, 5");
        n++;
    }
    fclose(out);
    return text;
}

/* "aten::add.Tensor(^x, p{none|mean})" in Python: torch.ops.aten.add.Tensor(x, ("none",
 * "mean").index(p)); without an overload its name is default. ^ and + say in which type the twin
 * computes. */
static void print_expression(FILE *out, const char *at)
{
    while (*at) {
        size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");

        if (strncmp(at, "aten::", 6) == 0) {
            n = strcspn(at + 6, "(");
            fprintf(out, "torch.ops.aten.%.*s%s", (int)n, at + 6,
                    memchr(at + 6, '.', n) ? "" : ".default");
            at += 6 + n;
        } else if (n && at[n] == '{') {
            fputc('(', out);
            for (const char *word = at + n; *word != '}'; word += 1 + strcspn(word + 1, "|}"))
                fprintf(out, "\"%.*s\", ", (int)strcspn(word + 1, "|}"), word + 1);
            fprintf(out, ").index(%.*s)", (int)n, at);
            at += n + strcspn(at + n, "}") + 1;
        } else if (n) {
            fprintf(out, "%.*s", (int)n,
                    n == 4 && strncmp(at, "true", 4) == 0    ? "True"
                    : n == 5 && strncmp(at, "false", 5) == 0 ? "False"
                                                             : at);
            at += n;
        } else {
            if (!strchr("^+", *at))
                fputc(*at, out);
            at++;
        }
    }
}

static void print_reference(FILE *out, const struct optype *t, const struct args *args)
{
    const char *given = more_of(t)->reference;

    fputs("def reference(", out);
    for (size_t i = 0; i < args->n; i++)
        fprintf(out, "%s%s%s%s", i ? ", " : "", args->at[i].name,
                args->at[i].has_value          ? "="
                : args->at[i].kind == OPTIONAL ? "=None"
                                               : "",
                args->at[i].value);
    fputs("):\n    return ", out);
    if (*given) {
        fprintf(out, "%s\n", given);
        return;
    }
    print_expression(out, t->schema);
    if (!strchr(t->schema, '(')) {
        fputc('(', out);
        print_names(out, args);
        fputc(')', out);
    }
    fputc('\n', out);
}

static const char layer_norm[] =
    "def layer_norm(x, gamma, beta, axis, eps, variance=False):\n"
    "    axes = tuple(range(axis % x.dim(), x.dim()))\n"
    "    mean, var = x.mean(axes, True), x.var(axes, correction=0, keepdim=True)\n"
    "    rstd = torch.rsqrt(var + eps)\n"
    "    return (x - mean) * rstd * gamma + beta, mean, var if variance else rstd\n\n\n";

static const char test_head[] =
    "def moved(value, move):\n"
    "    \"\"\"The tensors of an argument, moved.\"\"\"\n"
    "    if isinstance(value, list):\n"
    "        return [moved(v, move) for v in value]\n"
    "    return move(value) if isinstance(value, torch.Tensor) else value\n\n\n"
    "def called(function, given, move):\n"
    "    out = function(**{name: moved(value, move) for name, value in given.items()})\n"
    "    return out if isinstance(out, tuple) else (out,)\n\n\n"
    "def wide(t):\n"
    "    return t.double() if t.is_floating_point() else t\n\n\n";

static const char test_body[] =
    "    def check(self, dtype, move):\n"
    "        given = arguments(dtype)\n"
    "        got = called(torch.ops.npu.$name, given, move)\n"
    "        for g, w in zip(got, called(reference, given, wide), strict=True):\n"
    "            w = w.to(g.dtype)\n"
    "            self.assertEqual(g.shape, w.shape)\n"
    "            tolerance = TOLERANCE.get(g.dtype, 0)\n"
    "            torch.testing.assert_close(g.cpu(), w, rtol=tolerance, atol=tolerance, "
    "equal_nan=True)\n"
    "            if g.dtype == torch.float32:\n"
    "                self.assertRtolEqual(g.cpu(), w)\n\n"
    "    def test_$name(self):\n"
    "        for dtype in DTYPES:\n"
    "            self.check(dtype, lambda t: t.npu())\n\n"
    "    def test_views(self):\n"
    "        \"\"\"Every tensor is every second element of a longer one.\"\"\"\n"
    "        self.check(DTYPES[0], lambda t: torch.stack([t, t], -1).npu()[..., 0])\n\n"
    "    def test_meta(self):\n"
    "        for dtype in DTYPES:\n"
    "            given = arguments(dtype)\n"
    "            real, meta = [called(torch.ops.npu.$name, given, lambda t: t.to(d)) for d in "
    "(\"npu\", \"meta\")]\n"
    "            self.assertEqual([(m.shape, m.dtype) for m in meta], [(r.shape, r.dtype) for r in "
    "real])\n\n"
    "    def test_compile(self):\n"
    "        op = torch.compile(torch.ops.npu.$name, backend=\"aot_eager\", fullgraph=True)\n"
    "        given = arguments(DTYPES[0])\n"
    "        for c, e in zip(*[called(f, given, lambda t: t.npu()) for f in (op, "
    "torch.ops.npu.$name)]):\n"
    "            self.assertTrue(torch.equal(c.cpu(), e.cpu()))\n\n"
    "    def test_bad_input(self):\n"
    "        with self.assertRaisesRegex(NotImplementedError, \"npu::$name.*'CPU'\"):\n"
    "            called(torch.ops.npu.$name, arguments(DTYPES[0]), lambda t: t)\n";

static void print_class_name(FILE *out, const char *name)
{
    bool is_start = true;

    for (; *name; name++) {
        if (*name != '_')
            fputc(is_start && *name >= 'a' && *name <= 'z' ? *name - 'a' + 'A' : *name, out);
        is_start = *name == '_';
    }
}

/* A type of the table that the operator does not take, NULL when it takes all that are tested. */
static const struct type_row *refused(const struct optype *t)
{
    for (size_t i = 0; i < N_TESTED; i++)
        if (!has_type(t, &types[i]))
            return &types[i];
    return NULL;
}

/* Whether a tested type behind the i-th one follows. */
static bool is_more(const struct optype *t, size_t i)
{
    while (++i < N_TESTED)
        if (has_type(t, &types[i]))
            return true;
    return false;
}

char *optype_test(const struct optype *t, const char *name)
{
    char *text = NULL, *example = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const struct type_row *bad = refused(t);
    const char *reference = more_of(t)->reference;
    struct args args;

    read_args(&args, t);
    example = example_of(t, &args);
    if (!out)
        return example;
    fprintf(out,
            "# SPDX-License-Identifier: Apache-2.0\n\"\"\"torch.ops.npu.%s (%s) against torch on "
            "the CPU. Run from this folder, with the wheel installed.\"\"\"\n%simport torch\n"
            "import torch_npu  # noqa: F401\nfrom torch_npu.testing.testcase import TestCase, "
            "run_tests\n\nimport %s_ext  # noqa: F401\n\n# Strict: every element. assertRtolEqual "
            "lets some be arbitrarily wrong.\nTOLERANCE = {torch.float32: 2e-5, torch.float16: "
            "2e-3, torch.bfloat16: 1e-2}\nDTYPES = (",
            name, t->type,
            strstr(reference, "math.") || strstr(example, "distinct(") ? "import math\n\n" : "",
            name);
    for (size_t i = 0; i < N_TESTED; i++)
        if (has_type(t, &types[i]))
            fprintf(out, "torch.%s,%s", types[i].python, is_more(t, i) ? " " : "");
    fputs(")\n\n\ndef arguments(dtype):\n    torch.manual_seed(0)\n\n", out);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        if (strstr(example, values[i].word))
            fputs(values[i].code, out);
    fprintf(out, "    return dict(%s)\n\n\n", example);
    if (strstr(reference, "layer_norm("))
        fputs(layer_norm, out);
    print_reference(out, t, &args);
    fprintf(out, "\n\n%sclass Test", test_head);
    print_class_name(out, name);
    fprintf(out, "(TestCase):\n%s", test_body);
    if (bad) {
        fprintf(out,
                "        given = arguments(DTYPES[0])\n"
                "        given[\"%s\"] = moved(given[\"%s\"], lambda t: t.to(torch.%s))\n"
                "        with self.assertRaisesRegex(RuntimeError, \"%s must be one of .*got\"):\n"
                "            called(torch.ops.npu.%s, given, lambda t: t.npu())\n",
                args.lead->name, args.lead->name, bad->python, args.lead->name, name);
    }
    fputs("\n\nif __name__ == \"__main__\":\n    run_tests()\n", out);
    fclose(out);
    free(example);
    return named(text, name);
}

char *optype_readme(const struct optype *t, const char *name)
{
    char *schema = optype_schema(t, name);
    char *text = cli_fmt(
        "# %s: CANN's %s by its name (Pattern C)\n\n```\n torch.ops.npu.%s\n   "
        "csrc/host/%s.cpp   checks, outputs, OpCommand().Name(\"%s\"); PrivateUse1 and "
        "Meta\n```\nThere is no kernel, no workspace and no tiling; CANN does that. Nothing but "
        "torch_npu is linked. A2 and A3 alone:\ntorch_npu has no such operators on A5.\n\n"
        "```\nsource $ASCEND_HOME_PATH/set_env.sh\npython setup.py bdist_wheel\n"
        "pip install --force-reinstall dist/*.whl\ncd test && python test.py\n```\n",
        name, t->type, schema, name, t->type);

    free(schema);
    return text;
}
