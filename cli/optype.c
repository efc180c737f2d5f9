/* SPDX-License-Identifier: Apache-2.0 */
/*
 * optype.c - writes Pattern C for an operator type: a row of aclop.def becomes a schema, a host
 * file and a test.
 */
#include "optype_row.h"
#include "../rt/opapi/aclop.h"
#include "cli.h"
#include "mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct optype optypes[] = {
#define ACLOP(type, level, inputs, outputs, attrs, types, check, schema, fn)                       \
    {type, inputs, outputs, attrs, types, #check, schema, NULL},
#include "../rt/opapi/aclop.def"
};
enum { N_OPTYPES = sizeof(optypes) / sizeof(optypes[0]) };

/* What optype.def adds. */
static const struct sizes_row {
    const char *of, *code; /* of: a type, or the check of shapes that rows share */
} sizes_rows[] = {
#define SIZES(of, code) {#of, code},
#include "optype.def"
};
static const struct more_row more_rows[] = {
#define OPTYPE(type, inputs, example, reference) {type, inputs, example, reference},
#include "optype.def"
};
static const struct random_row random_rows[] = {
#define RANDOM(type, other, holds) {type, other, holds},
#include "optype.def"
};
static const struct fake_row {
    const char *type, *python;
} fake_rows[] = {
#define FAKE(type, python) {type, python},
#include "optype.def"
};

const struct more_row *optype_more(const struct optype *t)
{
    static const struct more_row none = {"", "", "", ""};

    for (size_t i = 0; i < sizeof(more_rows) / sizeof(more_rows[0]); i++)
        if (strcmp(more_rows[i].type, t->type) == 0)
            return &more_rows[i];
    return &none;
}

const struct random_row *optype_random(const struct optype *t)
{
    for (size_t i = 0; i < sizeof(random_rows) / sizeof(random_rows[0]); i++)
        if (strcmp(random_rows[i].type, t->type) == 0)
            return &random_rows[i];
    return NULL;
}

const char *optype_fake(const struct optype *t)
{
    for (size_t i = 0; i < sizeof(fake_rows) / sizeof(fake_rows[0]); i++)
        if (strcmp(fake_rows[i].type, t->type) == 0)
            return fake_rows[i].python;
    return NULL;
}

/* Of the type itself, else of its check. */
static const char *code_of(const struct optype *t)
{
    const char *const names[] = {t->type, t->check};

    for (size_t n = 0; n < 2; n++)
        for (size_t i = 0; i < sizeof(sizes_rows) / sizeof(sizes_rows[0]); i++)
            if (strcmp(sizes_rows[i].of, names[n]) == 0)
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

/* Whether Pattern C can be written for the row, which a test asks of every one: the sizes of its
 * outputs and what the test compares with are known, and each of its letters. */
static bool is_written(const struct optype *t)
{
    return code_of(t) && (t->schema || *optype_more(t)->reference || optype_random(t)) &&
           has_letters(t->outputs, "IBPFENDSGQU") && (!strchr(t->outputs, '*') || optype_fake(t)) &&
           (*optype_more(t)->example || !asks_for_a_value(t));
}

bool optype_is_own(const struct optype *t)
{
    return t->own != NULL;
}

void optype_say_guesses(const struct optype *t)
{
    for (size_t i = 0; t->own && i < t->own->n_out; i++)
        if (t->own->out[i].is_guessed)
            fprintf(
                stderr,
                "nputwin new: the shape of %s is taken to be that of %s: InferShape of %s is no "
                "assignment; MakeOutputs is where to say another\n",
                t->own->out[i].name, t->own->out[i].shape_of, t->type);
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

/* A name that C++ and Python keep for themselves gets a _. */
static void set_name(struct arg *a)
{
    snprintf(a->name, sizeof(a->name), "%.*s%s", a->n_word, a->word,
             a->n_word == 4 && strncmp(a->word, "else", 4) == 0 ? "_" : "");
}

bool optype_has_word(const char *words, const char *word, size_t n)
{
    for (; *words; words += strcspn(words, " "), words += strspn(words, " "))
        if (strncmp(words, word, n) == 0 && strchr(":=?*~ ", words[n]))
            return true;
    return false;
}

/* What optype.def says of an input behind its name, up to a blank: int Tensor host seed; NULL. */
static const char *said_of(const struct optype *t, const char *word, size_t n)
{
    const char *at = optype_more(t)->inputs;

    for (; *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (strncmp(at, word, n) == 0 && at[n] == ':')
            return at + n + 1;
    return NULL;
}

/* An integer input is a list, unless optype.def says otherwise. */
static void set_kind(struct arg *a, const char *said)
{
    if (!said) {
        a->kind = a->type == 'I' ? INTS : a->kind;
        return;
    }
    a->is_host = strncmp(said, "host", 4) == 0;
    a->is_seed = strncmp(said, "seed", 4) == 0;
    if (a->is_seed || strncmp(said, "int", 3) == 0)
        a->kind = INT;
}

static void add_input(struct args *args, const struct optype *t, const char *word, size_t n)
{
    size_t n_name = strcspn(word, ":?* ");
    const char *end = word + n;
    struct arg *a = &args->at[args->n++];

    *a = (struct arg){.word = word, .n_word = (int)n_name, .kind = TENSOR};
    if (word[n_name] == ':')
        a->type = word[n_name + 1];
    for (size_t i = 0; t->own && i < t->own->n_in; i++)
        if (strlen(t->own->in[i].name) == n_name &&
            strncmp(t->own->in[i].name, word, n_name) == 0) {
            a->own = &t->own->in[i];
            a->type = a->own->is_lead ? 0 : 'O';
        }
    if (end[-1] == '?') {
        a->kind = OPTIONAL;
        a->has_value = true;
        snprintf(a->value, sizeof(a->value), "None");
    } else if (end[-1] == '*') {
        a->kind = TENSORS;
    } else {
        set_kind(a, said_of(t, word, n_name));
        a->is_changed = optype_has_word(t->outputs, word, n_name);
    }
    set_name(a);
}

/* "-1" of an L is [-1], "1" of a b is True, the type 0 is float: so says torch. */
static void set_value(struct arg *a, const char *text, int n)
{
    a->has_value = true;
    if (a->kind == INTS)
        snprintf(a->value, sizeof(a->value), "[%.*s]", n, text);
    else if (a->kind == BOOL_)
        snprintf(a->value, sizeof(a->value), "%s", *text == '1' ? "True" : "False");
    else if (a->kind == TEXT)
        snprintf(a->value, sizeof(a->value), "\"%.*s\"", n, text);
    else if (a->kind == TYPE)
        snprintf(a->value, sizeof(a->value), "float");
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

void optype_args(struct args *args, const struct optype *t)
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
    for (size_t i = args->n, n_given = 0; i-- > 0;) { /* a default before what has none is none */
        n_given += !args->at[i].has_value;
        args->at[i].has_value &= n_given == 0;
        if (n_given)
            args->at[i].value[0] = '\0';
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
    if (!args->first) { /* no row of aclop.def; and opdef.c refuses a type without input */
        fprintf(stderr, "nputwin: %s has no tensor among its inputs\n", t->type);
        exit(EXIT_OURS);
    }
}

/* The tensor itself, of a list its first one. */
static void print_tensor(FILE *out, const struct arg *a)
{
    fprintf(out, a->kind == TENSORS ? "%s[0]" : a->kind == OPTIONAL ? "*%s" : "%s", a->name);
}

int optype_outputs(const struct optype *t)
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
    return cli_fmt("%.*s", (int)strcspn(at, ":* "), at);
}

const char *optype_cpp_type(const char *schema)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(kinds[i].schema, schema) == 0)
            return kinds[i].cpp;
    return NULL;
}

/* "Tensor(a!)" of what is changed, the first such; the next is (b!). */
static void print_schema_type(FILE *out, const struct arg *a, char *letter)
{
    if (a->is_changed)
        fprintf(out, "%s(%c!)", kinds[a->kind].schema, (*letter)++);
    else
        fputs(kinds[a->kind].schema, out);
}

bool optype_is_changed(const struct optype *t, int output)
{
    char *name = output_name(t, output);
    bool is_changed = !t->own && optype_has_word(t->inputs, name, strlen(name));

    free(name);
    return is_changed;
}

/* How many outputs are no changed inputs. */
static int n_results(const struct optype *t)
{
    int n = 0;

    for (int i = 0; i < optype_outputs(t); i++)
        n += !optype_is_changed(t, i);
    return n;
}

char *optype_schema(const struct optype *t, const char *name)
{
    char letter = 'a';
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    int n = n_results(t);
    struct args args;

    optype_args(&args, t);
    if (!out)
        return cli_fmt("%s", "");
    fprintf(out, "%s(", name);
    for (size_t i = 0; i < args.n; i++) {
        fputs(i ? ", " : "", out);
        print_schema_type(out, &args.at[i], &letter);
        fprintf(out, " %s%s%s", args.at[i].name, args.at[i].has_value ? "=" : "", args.at[i].value);
    }
    fputs(n != 1 ? ") -> (" : ") -> ", out);
    for (int i = 0; i < n; i++)
        fprintf(out, "%sTensor", i ? ", " : "");
    fputs(n != 1 ? ")" : "", out);
    fclose(out);
    return text;
}

/* ---- the host file ---- */

const struct type_row optype_types[] = {
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
static_assert(sizeof(optype_types) / sizeof(optype_types[0]) == N_TYPE_ROWS, "as in optype_row.h");

bool optype_has_type(const struct optype *t, const struct type_row *type)
{
    return t->types >> type->bit & 1;
}

/* changed: how the type of a tensor begins that is changed in place. */
static void print_parameters(FILE *out, const struct args *args, const char *changed)
{
    for (size_t i = 0; i < args->n; i++)
        fprintf(out, "%s%s%s", i ? ", " : "",
                args->at[i].is_changed ? changed : kinds[args->at[i].kind].cpp, args->at[i].name);
}

void optype_print_names(FILE *out, const struct args *args)
{
    for (size_t i = 0; i < args->n; i++)
        fprintf(out, "%s%s", i ? ", " : "", args->at[i].name);
}

/* The types that a letter of the row allows. */
static uint64_t types_of(const struct optype *t, const struct arg *a)
{
    static const struct {
        char letter;
        uint64_t types;
    } letters[] = {
#define KIND(letter, or_t, types) {letter, types},
#include "../rt/opapi/aclop_kind.def"
#undef KIND
    };

    if (a->own)
        return a->own->types;
    for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
        if (letters[i].letter == a->type)
            return letters[i].types;
    return t->types;
}

/* "{at::kFloat, at::kHalf}" of the types that a tensor of that letter may have. */
static void print_types(FILE *out, const struct optype *t, const struct arg *a)
{
    const char *comma = "";
    const uint64_t types = types_of(t, a);

    fputc('{', out);
    for (size_t i = 0; i < N_TYPE_ROWS; i++)
        if (types >> optype_types[i].bit & 1) {
            fprintf(out, "%s%s", comma, optype_types[i].cpp);
            comma = ", ";
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
        print_types(out, t, a);
    }
    fputs(", ", out);
    print_tensor(out, args->first);
    fputs(");\n", out);
}

/* The dimensions of an image of a convolution, and their order in torch. */
static const char *image_of(const struct optype *t, bool is_order)
{
    const bool is_3d = strstr(t->type, "3D") != NULL;

    return is_order ? (is_3d ? "NCDHW" : "NCHW") : (is_3d ? "5" : "4");
}

/* The code of optype.def with its marks replaced. */
static void print_code(FILE *out, const struct optype *t, const struct args *args)
{
    const char *line = t->own ? "" : code_of(t);

    for (; line && *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *at = line;

        if (*at == '?') {
            size_t n = strcspn(at + 1, " ");

            if (!optype_has_word(t->attrs, at + 1, n))
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
            } else if (strncmp(at, "$dims", 5) == 0) {
                fputs(image_of(t, false), out);
                at += 4;
            } else if (strncmp(at, "$order", 6) == 0) {
                fputs(image_of(t, true), out);
                at += 5;
            } else {
                fputc(*at, out);
            }
        }
        fputc('\n', out);
    }
}

/* The row of a type's bit. */
static const char *cpp_of(uint64_t types)
{
    for (size_t i = 0; i < N_TYPE_ROWS; i++)
        if (types >> optype_types[i].bit & 1)
            return optype_types[i].cpp;
    return "at::kFloat";
}

static const struct arg *arg_named(const struct args *args, const char *name)
{
    for (size_t i = 0; i < args->n; i++)
        if (strlen(name) == (size_t)args->at[i].n_word &&
            strncmp(args->at[i].word, name, strlen(name)) == 0)
            return &args->at[i];
    return args->first;
}

static void print_own_output(FILE *out, const struct own_tensor *o, const struct args *args)
{
    fputs("at::empty_symint(", out);
    print_tensor(out, arg_named(args, o->shape_of));
    fputs(".sym_sizes(), ", out);
    print_tensor(out, args->first);
    fputs(".options()", out);
    if (o->type_of && arg_named(args, o->type_of) != args->first) {
        fputs(".dtype(", out);
        print_tensor(out, arg_named(args, o->type_of));
        fputs(".scalar_type())", out);
    } else if (!o->type_of) {
        fprintf(out, ".dtype(%s)", cpp_of(o->types));
    }
    fputc(')', out);
}

/* The variable of the code that has the sizes of the i-th output: NAME_sizes where there is one. */
static char *sizes_of(const struct optype *t, int i, char letter)
{
    const char *code = code_of(t);
    char *name = output_name(t, i), *own = cli_fmt("%s_sizes", name);

    if (!strstr(code, own)) {
        free(own);
        own = cli_fmt("%s", letter == 'S' && strstr(code, "channels") ? "channels"
                            : i > 0 && strstr(code, "reduced")        ? "reduced"
                                                                      : "sizes");
    }
    free(name);
    return own;
}

/* .dtype(...) of an output of that letter, where it has not the type of the lead. */
static void print_output_type(FILE *out, const struct optype *t, const struct args *args,
                              char letter, bool is_dynamic)
{
    static const struct {
        char letter;
        const char *code;
    } rows[] = {
        {'B', "at::kBool"},
        {'S', "at::kFloat"},
        {'I', "at::kInt"},
        {'N', "at::kInt"},
        {'U', "at::kByte"},
        {'G', "at::kUInt16"},
        {'Q', "result_type"},
        {'D', "$lead.scalar_type() == at::kChar ? at::kInt : $lead.scalar_type()"},
        {'E', "$lead.scalar_type() == at::kBool ? at::kFloat : $lead.scalar_type()"},
        {'F', "c10::isIntegralType($lead.scalar_type(), true) ? at::kFloat : $lead.scalar_type()"},
    };
    const char *code = NULL;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        code = rows[i].letter == letter ? rows[i].code : code;
    if (letter == 'I' && is_dynamic)
        code = "at::kLong";
    if (optype_has_word(t->attrs, "half_to_float", 13))
        code = "half_to_float && $lead.scalar_type() == at::kHalf ? at::kFloat : "
               "$lead.scalar_type()";
    for (size_t i = 0; i < args->n; i++)
        code = args->at[i].kind == TYPE ? args->at[i].name : code;
    if (!code)
        return;
    fputs(".dtype(", out);
    for (const char *at = code; *at; at++)
        if (strncmp(at, "$lead", 5) == 0) {
            print_tensor(out, args->lead);
            at += 4;
        } else {
            fputc(*at, out);
        }
    fputc(')', out);
}

/* at::empty_symint(...) of the i-th output. */
static void print_output(FILE *out, const struct optype *t, const struct args *args, int i)
{
    const char *at = t->outputs;
    char letter = 0, *sizes = NULL;

    if (t->own) {
        print_own_output(out, &t->own->out[i], args);
        return;
    }
    for (int k = 0; k < i; k++)
        at += strcspn(at, " ") + 1;
    at += strcspn(at, ": ");
    letter = *at == ':' ? at[1] : '\0';
    sizes = sizes_of(t, i, letter);
    fprintf(out, "at::empty_symint(%s, ", sizes);
    print_tensor(out, args->lead);
    fputs(".options()", out);
    print_output_type(out, t, args, letter, *at == ':' && at[2] == '*');
    fputc(')', out);
    free(sizes);
}

static const char *result_type(const struct optype *t)
{
    static const char *const tuples[] = {
        "void",
        "at::Tensor",
        "std::tuple<at::Tensor, at::Tensor>",
        "std::tuple<at::Tensor, at::Tensor, at::Tensor>",
        "std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>",
        "std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor>",
        "std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor>"};

    return tuples[n_results(t)];
}

/* CANN's number of a type: an attribute of the operator. */
static void print_acl_type(FILE *out)
{
    fputs("/* aclDataType. */\nint64_t AclType(at::ScalarType type)\n{\n    switch (type) {\n",
          out);
    for (size_t i = 0; i < N_TYPE_ROWS; i++)
        fprintf(out, "    case %s:\n        return %d;\n", optype_types[i].cpp,
                optype_types[i].bit);
    fputs("    default:\n        TORCH_CHECK(false, \"$name: no tensor of type \", type, \" on an "
          "NPU\");\n    }\n}\n\n",
          out);
}

static void print_make(FILE *out, const struct optype *t, const struct args *args)
{
    int n = n_results(t);
    const char *between = "";

    if (strcmp(t->check, "shape_cast") == 0)
        print_acl_type(out);
    fprintf(out, "/* Refuses what %s does not take%s. */\n%s MakeOutputs(", t->type,
            n ? "; returns its outputs, which are not computed yet" : "", result_type(t));
    print_parameters(out, args, "const at::Tensor &");
    fputs(")\n{\n", out);
    for (size_t i = 0; i < args->n; i++)
        if (!args->at[i].is_attr && args->at[i].kind <= TENSORS)
            print_check(out, t, args, &args->at[i]);
    print_code(out, t, args);
    fputs(n > 1 ? "    return {" : n ? "    return " : "", out);
    for (int i = 0; i < optype_outputs(t); i++)
        if (!optype_is_changed(t, i)) {
            fputs(between, out);
            between = ",\n            ";
            print_output(out, t, args, i);
        }
    fputs(n > 1 ? "};\n}\n\n" : n ? ";\n}\n\n" : "}\n\n", out);
}

/* What is between Name() and Output(), and the attributes behind. */
static void print_input(FILE *out, const struct arg *a)
{
    char *own = a->own ? cli_fmt(", \"%.*s\"", a->n_word, a->word) : NULL;
    const char *name = own ? own : ""; /* an operator of a project is called with its names */

    if (a->kind == TENSORS)
        fprintf(out,
                "        for (size_t i = 0; i < %s.size(); i++)\n"
                "            command.Input(%s[i].contiguous(), \"%.*s\" + std::to_string(i));\n",
                a->name, a->name, a->own ? a->n_word : 1, a->own ? a->word : "x");
    else if (a->kind == OPTIONAL)
        fprintf(out,
                "        if (%s.has_value())\n            command.Input(%s->contiguous()%s);\n"
                "        else\n            command.Input(); /* absent, its place stays */\n",
                a->name, a->name, name);
    else if (a->kind == INTS)
        fprintf(out, "        command.Input(%s, at::kLong);\n", a->name);
    else if (a->kind == INT)
        fprintf(out,
                "        command.Input(at::Scalar(%s), %s,\n                      "
                "at_npu::native::CompileType::MEMORY_HOST_COMPILE_%sDEPENDENT);\n",
                a->name, a->type == 'N' ? "at::kInt" : "at::kLong", a->is_seed ? "IN" : "");
    else if (a->is_host)
        fprintf(out,
                "        command.Input(%s.item(), %s.scalar_type(),\n                      "
                "at_npu::native::CompileType::MEMORY_HOST_COMPILE_DEPENDENT);\n",
                a->name, a->name);
    else if (a->is_changed)
        fprintf(out, "        command.Input(%s_out);\n", a->name);
    else
        fprintf(out, "        command.Input(%s.contiguous()%s);\n", a->name, name);
    free(own);
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
    } else if (a->kind == TYPE && a->word[a->n_word + 1] != 't') {
        before = "AclType("; /* an operator that has it as an integer */
        after = ")";
    }
    fprintf(out, "        command.Attr(\"%.*s\", %s%s%s);\n", a->n_word, a->word, before, a->name,
            after);
}

/* What holds the i-th output while the operator runs: a changed input, or a row of its own. */
static char *variable_of(const struct optype *t, int i)
{
    char *name = output_name(t, i), *out = NULL;

    if (!optype_is_changed(t, i))
        return name;
    out = cli_fmt("%s_out", name);
    free(name);
    return out;
}

/* "y, rstd" of the outputs that are no changed inputs. */
static void print_results(FILE *out, const struct optype *t)
{
    const char *comma = "";

    for (int i = 0; i < optype_outputs(t); i++) {
        char *name = output_name(t, i);

        if (!optype_is_changed(t, i)) {
            fprintf(out, "%s%s", comma, name);
            comma = ", ";
        }
        free(name);
    }
}

/* The name of what CANN is to run, with its inputs, outputs and attributes. */
static void print_command(FILE *out, const struct optype *t, const struct args *args)
{
    fprintf(out, "        at_npu::native::OpCommand command;\n\n        command.Name(\"%s\");\n",
            t->type);
    for (size_t i = 0; i < args->n; i++)
        if (!args->at[i].is_attr)
            print_input(out, &args->at[i]);
    for (int i = 0; i < optype_outputs(t); i++) {
        char *name = variable_of(t, i);

        fprintf(out, "        command.Output(%s);\n", name);
        free(name);
    }
    for (size_t i = 0; i < args->n; i++)
        if (args->at[i].is_attr)
            print_attr(out, &args->at[i]);
    if (args->has_list && optype_has_word(t->attrs, "N", 1))
        fprintf(out, "        command.Attr(\"N\", static_cast<int64_t>(%s.size()));\n",
                args->first->name);
}

/* Outputs have room for the most that there can be: torch_npu waits, and gives them the sizes that
 * CANN says. */
static void print_sync(FILE *out, const struct optype *t)
{
    const char *comma = "";
    int i = 0;

    fputs("        c10::SmallVector<int64_t, at_npu::native::N> changing = {", out);
    for (const char *at = t->outputs; *at; at += strspn(at, " "), i++) {
        size_t n = strcspn(at, " ");

        if (at[n - 1] == '*') {
            fprintf(out, "%s%d", comma, i);
            comma = ", ";
        }
        at += n;
    }
    fputs("}; /* outputs */\n\n        command.Sync(changing);\n", out);
}

/* is_open: it is called past the dispatcher too, so nobody has looked at the device. */
static void print_run(FILE *out, const struct optype *t, const struct args *args, bool is_open)
{
    int n = n_results(t);
    char *first = variable_of(t, 0);

    fputs(n > 1 ? "    auto [" : n ? "    at::Tensor " : "    ", out);
    print_results(out, t);
    fputs(n > 1 ? "] = MakeOutputs(" : n ? " = MakeOutputs(" : "MakeOutputs(", out);
    optype_print_names(out, args);
    fputs(");\n", out);
    if (is_open) {
        fputs("    TORCH_CHECK(", out);
        print_tensor(out, args->first);
        fprintf(out, ".is_privateuseone(), \"$name: %s must be on an npu, is on \", ",
                args->first->name);
        print_tensor(out, args->first);
        fputs(".device());\n", out);
    }
    fputs("    c10::DeviceGuard guard(", out);
    print_tensor(out, args->first);
    fputs(".device());\n", out);
    for (size_t i = 0; i < args->n; i++)
        if (args->at[i].is_changed)
            fprintf(out, "    at::Tensor %s_out = %s.contiguous();\n", args->at[i].name,
                    args->at[i].name);
    fprintf(out, "\n    if (%s.numel() > 0) {\n", first);
    print_command(out, t, args);
    if (strchr(t->outputs, '*') && !t->own)
        print_sync(out, t);
    fputs("        command.Run();\n    }\n", out);
    for (size_t i = 0; i < args->n; i++)
        if (args->at[i].is_changed)
            fprintf(out, "    if (!%s_out.is_same(%s))\n        %s.copy_(%s_out);\n",
                    args->at[i].name, args->at[i].name, args->at[i].name, args->at[i].name);
    fputs(n > 1 ? "    return {" : n ? "    return " : "", out);
    print_results(out, t);
    fputs(n > 1 ? "};\n}\n" : n ? ";\n}\n" : "}\n", out);
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
char *optype_named(char *text, const char *name)
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

/* What torch.compile is to know of the operator: that two equal calls are not one. */
static const char *tag_of(const struct optype *t)
{
    return optype_fake(t) ? ", {at::Tag::dynamic_output_shape}"
           : optype_random(t) && optype_has_word(t->attrs, "seed", 4)
               ? ", {at::Tag::nondeterministic_seeded}"
               : "";
}

char *optype_host(const struct optype *t, const char *name, struct optype_how how)
{
    char *text = NULL, *schema = optype_schema(t, name);
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct args args;

    (void)how;
    optype_args(&args, t);
    if (!out)
        return schema;
    fprintf(out,
            "/* SPDX-License-Identifier: Apache-2.0 */\n/*\n * %s.cpp - Pattern C: %s%s as "
            "torch.ops.npu.%s.\n *\n * Holds no kernel: checks, outputs, and the name of the "
            "operator with its inputs and attributes.\n */\n"
            "#include <torch_npu/csrc/framework/OpCommand.h>\n",
            name, t->own ? "" : "CANN's ", t->type, name);
    fprintf(out,
            "\n%s#include <torch/library.h>\n\n#include <algorithm>\n#include <cmath>\n#include "
            "<initializer_list>\n#include <string>\n#include <tuple>\n#include <utility>\n#include "
            "<vector>\n\nnamespace {\n\n%s",
            includes, helpers);
    print_make(out, t, &args);
    if (!optype_fake(t)) {
        fprintf(out, "%s meta_%s(", result_type(t), name);
        print_parameters(out, &args, "const at::Tensor &");
        fputs(")\n{\n    return MakeOutputs(", out);
        optype_print_names(out, &args);
        fputs(");\n}\n\n", out);
    }
    fprintf(out, "} // namespace\n\n%s run_%s(", result_type(t), name);
    print_parameters(out, &args, "const at::Tensor &");
    fputs(")\n{\n", out);
    print_run(out, t, &args, true);
    fputs("\nTORCH_LIBRARY_FRAGMENT(npu, m)\n{\n    m.def(\"", out);
    print_escaped(out, schema);
    fprintf(out,
            "\"%s);\n}\n\n"
            "TORCH_LIBRARY_IMPL(npu, PrivateUse1, m) { m.impl(\"%s\", TORCH_FN(run_%s)); }\n",
            tag_of(t), name, name);
    if (optype_fake(t))
        fputs("\n/* Meta: register_fake in the package's __init__.py, for sizes that the data "
              "decides. */\n",
              out);
    else
        fprintf(out, "\nTORCH_LIBRARY_IMPL(npu, Meta, m) { m.impl(\"%s\", TORCH_FN(meta_%s)); }\n",
                name, name);
    fclose(out);
    free(schema);
    return optype_named(text, name);
}

/* A default of the schema, in C++. */
static void print_default(FILE *out, const struct arg *a)
{
    if (a->has_value && a->kind == OPTIONAL)
        fputs(" = pybind11::none()", out);
    else if (a->has_value && a->kind == INTS)
        fprintf(out, " = std::vector<int64_t>{%.*s}", (int)strlen(a->value) - 2, a->value + 1);
    else if (a->has_value && a->kind == TYPE)
        fputs(" = at::kFloat", out);
    else if (a->has_value && a->kind == BOOL_)
        fprintf(out, " = %s", *a->value == 'T' ? "true" : "false");
    else if (a->has_value)
        fprintf(out, " = %s", a->value);
}

/* The host function itself; a list of tensors comes from Python as a vector. */
static void print_bound(FILE *out, const struct args *args)
{
    if (!args->has_list) {
        fputs("&run_$name", out);
        return;
    }
    fputs("[](", out);
    for (size_t i = 0; i < args->n; i++)
        fprintf(out, "%s%s%s", i ? ", " : "",
                args->at[i].kind == TENSORS ? "const std::vector<at::Tensor> &"
                                            : kinds[args->at[i].kind].cpp,
                args->at[i].name);
    fputs(") { return run_$name(", out);
    optype_print_names(out, args);
    fputs("); }", out);
}

char *optype_pybind(const struct optype *t, const char *name, struct optype_how how)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct args args;

    (void)how;
    optype_args(&args, t);
    if (!out)
        return cli_fmt("%s", "");
    fprintf(
        out,
        "/* SPDX-License-Identifier: Apache-2.0 */\n/*\n * pybind.cpp - the quick route: Python "
        "calls the host function, past torch's dispatcher.\n *\n * So no autograd and no Meta; "
        "torch.ops.npu.$name is in the same library.\n */\n#include <ATen/core/Tensor.h>\n"
        "#include <torch/csrc/utils/pybind.h>\n\n#include <tuple>\n#include <vector>\n\n"
        "%s run_$name(",
        result_type(t));
    print_parameters(out, &args, "const at::Tensor &");
    fputs(");\n\nPYBIND11_MODULE(_C, m)\n{\n    /* The call may wait for torch_npu's queue, whose "
          "thread may need the interpreter. */\n    m.def(\"$name\", ",
          out);
    print_bound(out, &args);
    for (size_t i = 0; i < args.n; i++) {
        fprintf(out, ",\n          pybind11::arg(\"%s\")", args.at[i].name);
        print_default(out, &args.at[i]);
    }
    fputs(",\n          pybind11::call_guard<pybind11::gil_scoped_release>());\n}\n", out);
    fclose(out);
    return optype_named(text, name);
}

char *optype_plugin(const struct optype *t, const char *name)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct args args;

    optype_args(&args, t);
    if (!out)
        return cli_fmt("%s", "");
    fprintf(out,
            "/* SPDX-License-Identifier: Apache-2.0 */\n/*\n * acl_op::%s: CANN's %s by its name. "
            "Declared by the entry of %s in\n * op_plugin/config/op_plugin_functions.yaml, "
            "registered by what is generated from it.\n */\n"
            "#include \"op_plugin/AclOpsInterface.h\"\n#include "
            "\"op_plugin/utils/OpAdapter.h\"\n\n%s\n#include <algorithm>\n#include <cmath>\n"
            "#include <initializer_list>\n#include <string>\n#include <tuple>\n#include <utility>\n"
            "#include <vector>\n\nnamespace acl_op {\n\nnamespace {\n\n%s",
            name, t->type, name, includes, helpers);
    print_make(out, t, &args);
    fprintf(out, "} // namespace\n\n%s %s(", result_type(t), name);
    print_parameters(out, &args, "at::Tensor &");
    fputs(")\n{\n", out);
    print_run(out, t, &args, false);
    fputs("\n} // namespace acl_op\n", out);
    fclose(out);
    return optype_named(text, name);
}
