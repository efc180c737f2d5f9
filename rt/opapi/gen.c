/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen.c - reads aclnn.tbl and aclnn_types.tbl, writes the rows and the typed entry points as C.
 *
 * Usage: opapi_gen aclnn.tbl aclnn_types.tbl out.c.  Runs at build time only. A mistake in a table
 * stops the build with file:line.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMS = 64, MAX_MAPS = 96, MAX_ROWS = 2048, LINE_BYTES = 8192 };

/* The C type of each kind in a prototype, and how an argument gets into union npu_arg. */
static const struct kind {
    const char *name, *type, *field;
} kinds[] = {
    {"t", "const struct aclTensor *", "p"},
    {"T", "const struct aclTensor *", "p"},
    {"s", "const struct aclScalar *", "p"},
    {"ia", "const struct aclIntArray *", "p"},
    {"ba", "const struct aclBoolArray *", "p"},
    {"fa", "const struct aclFloatArray *", "p"},
    {"tl", "const struct aclTensorList *", "p"},
    {"TL", "const struct aclTensorList *", "p"},
    {"sl", "const struct aclScalarList *", "p"},
    {"i64", "int64_t ", "i"},
    {"i32", "int32_t ", "i"},
    {"i8", "int8_t ", "i"},
    {"u64", "uint64_t ", "u"},
    {"bool", "bool ", "i"},
    {"double", "double ", "d"},
    {"float", "float ", "f"},
    {"str", "const char *", "p"},
    {"dt", "int32_t ", "i"},
};

/* A data type as aclnn_types.tbl writes it, and its aclDataType. */
static const struct type {
    const char *name;
    int number;
} types[] = {{"f32", 0}, {"f16", 1},  {"bf16", 27}, {"f64", 11}, {"i8", 2},
             {"i16", 6}, {"i32", 3},  {"i64", 9},   {"u8", 4},   {"u16", 7},
             {"u32", 8}, {"u64", 10}, {"b", 12},    {"c64", 16}, {"c128", 17}};

struct param {
    char name[64];
    unsigned long long types; /* bits of aclDataType; 0: not listed */
    const struct kind *kind;
    bool optional, mapped;
};
struct map {
    char arg[64], text[128];
    const char *how;
    int param, result;
};
struct row {
    char name[96], schema[128], check[64];
    struct param params[MAX_PARAMS];
    struct map maps[MAX_MAPS];
    int n_params, n_maps;
    const char *rule;
    bool native, wide, full, alike;
};

static const char *table_name;
static int line_number;
static char names[MAX_ROWS][96];
static int n_names;

_Noreturn static void stop(const char *fmt, ...)
{
    va_list ap;

    fprintf(stderr, "%s:%d: ", table_name, line_number);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    exit(1);
}

static char *trim(char *s)
{
    char *end;

    while (isspace((unsigned char)*s))
        s++;
    end = s + strlen(s);
    while (end > s && isspace((unsigned char)end[-1]))
        *--end = 0;
    return s;
}

static void copy(char *to, size_t n, const char *from)
{
    if (strlen(from) >= n)
        stop("'%s' is too long", from);
    memcpy(to, from, strlen(from) + 1);
}

static int find_param(const struct row *row, const char *name)
{
    for (int i = 0; i < row->n_params; i++)
        if (!strcmp(row->params[i].name, name))
            return i;
    stop("%s has no parameter '%s'", row->name, name);
}

/* "self:t", "bias:t?" */
static void read_param(struct row *row, char *word)
{
    struct param *p = &row->params[row->n_params];
    char *colon = strchr(word, ':');
    size_t n;

    if (!colon || row->n_params == MAX_PARAMS)
        stop("'%s' is not name:kind", word);
    *colon++ = 0;
    n = strlen(colon);
    p->optional = n && colon[n - 1] == '?';
    if (p->optional)
        colon[n - 1] = 0;
    copy(p->name, sizeof p->name, word);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, colon))
            p->kind = &kinds[i];
    if (!p->kind)
        stop("'%s' is no kind of parameter", colon);
    row->n_params++;
}

static struct map *new_map(struct row *row, const char *how)
{
    struct map *m = &row->maps[row->n_maps];

    if (row->n_maps++ == MAX_MAPS)
        stop("too many arguments");
    m->how = how;
    return m;
}

static void use_param(struct row *row, struct map *m, const char *name)
{
    m->param = find_param(row, name);
    row->params[m->param].mapped = true;
}

/* What stands right of '=': param, item(param), enum(param:a,b) ... */
static void read_source(struct row *row, struct map *m, char *text)
{
    static const char *const calls[][2] = {{"item", "HOW_ITEM"}, {"tensor", "HOW_TENSOR"},
                                           {"enum", "HOW_ENUM"}, {"dtype", "HOW_DTYPE"},
                                           {"long", "HOW_LONG"}, {"given", "HOW_GIVEN"}};
    char *open = strchr(text, '('), *colon;

    if (!open) {
        use_param(row, m, text);
        return;
    }
    *open++ = 0;
    if (!*open || open[strlen(open) - 1] != ')')
        stop("'%s(%s' has no end", text, open);
    open[strlen(open) - 1] = 0;
    colon = strchr(open, ':');
    if (colon) {
        *colon++ = 0;
        copy(m->text, sizeof m->text, colon);
    }
    m->how = NULL;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(calls[i][0], text))
            m->how = calls[i][1];
    if (!m->how)
        stop("'%s(...)' is unknown", text);
    if (!strcmp(m->how, "HOW_DTYPE"))
        m->param = find_param(row, open);
    else
        use_param(row, m, open);
}

static bool read_result(struct row *row, const char *arg, char *source)
{
    const bool dynamic = !strncmp(arg, "dyn", 3) && isdigit((unsigned char)arg[3]);
    struct map *m;

    if (!dynamic && !(!strncmp(arg, "ret", 3) && isdigit((unsigned char)arg[3])))
        return false;
    m = new_map(row, dynamic ? "HOW_DYNAMIC" : "HOW_RESULT");
    m->result = (int)strtol(arg + 3, NULL, 10);
    use_param(row, m, source);
    return true;
}

static void read_map(struct row *row, char *word)
{
    static const char *const rules[][2] = {{"broadcast", "RULE_BROADCAST"},
                                           {"same", "RULE_SAME"},
                                           {"float", "RULE_FLOAT"},
                                           {"mm", "RULE_MM"},
                                           {"bmm", "RULE_BMM"},
                                           {"addmm", "RULE_ADDMM"},
                                           {"matmul", "RULE_MATMUL"},
                                           {"cat", "RULE_CAT"},
                                           {"gather", "RULE_GATHER"},
                                           {"conv", "RULE_CONV"}};
    char *equals = strchr(word, '=');
    struct map *m;

    if (*word == '!' || *word == '~') {
        m = new_map(row, *word == '!' ? "HOW_ZERO" : "HOW_FREE");
        use_param(row, m, word + 1);
        return;
    }
    if (!equals) {
        for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
            if (!strcmp(rules[i][0], word))
                row->rule = rules[i][1];
        row->wide |= !strcmp(word, "wide");
        row->full |= !strcmp(word, "full");
        row->alike |= !strcmp(word, "alike");
        if (!strcmp(word, "wide") || !strcmp(word, "full") || !strcmp(word, "alike") || row->rule)
            return;
        stop("'%s' is neither arg=param nor a rule", word);
    }
    if (equals > word && equals[-1] == ':') {
        equals[-1] = 0;
        m = new_map(row, "HOW_CONST");
        copy(m->arg, sizeof m->arg, word);
        copy(m->text, sizeof m->text, equals + 1);
        return;
    }
    *equals++ = 0;
    if (read_result(row, word, equals))
        return;
    m = new_map(row, "HOW_PARAM");
    copy(m->arg, sizeof m->arg, word);
    read_source(row, m, equals);
}

/* gradOutput -> grad_output */
static void snake(char *to, size_t n, const char *name)
{
    size_t k = 0;

    for (; *name && k + 2 < n; name++) {
        if (isupper((unsigned char)*name) && k)
            to[k++] = '_';
        to[k++] = (char)tolower((unsigned char)*name);
    }
    to[k] = 0;
}

/* A parameter that the map does not name goes to the argument of its own name. */
static void map_the_rest(struct row *row)
{
    for (int i = 0; i < row->n_params; i++) {
        struct map *m;

        if (row->params[i].mapped)
            continue;
        m = new_map(row, "HOW_PARAM");
        snake(m->arg, sizeof m->arg, row->params[i].name);
        m->param = i;
    }
}

static void read_row(struct row *row, char *line)
{
    char *field[4] = {NULL}, *save = NULL, *word;
    int n = 0;

    for (char *s = line; s && n < 4; n++) {
        field[n] = s;
        s = strchr(s, '|');
        if (s)
            *s++ = 0;
    }
    if (n < 3)
        stop("a row is: name | parameters | schema | map");
    copy(row->name, sizeof row->name, trim(field[0]));
    for (word = strtok_r(field[1], " \t", &save); word; word = strtok_r(NULL, " \t", &save))
        read_param(row, word);
    copy(row->schema, sizeof row->schema, trim(field[2]));
    row->native = strncmp(row->schema, "aten::", 6) != 0;
    word = strchr(row->schema, ' ');
    if (word) {
        *word++ = 0;
        copy(row->check, sizeof row->check, trim(word));
    }
    if (field[3])
        for (word = strtok_r(trim(field[3]), " \t", &save); word;
             word = strtok_r(NULL, " \t", &save))
            read_map(row, word);
    if (!row->native)
        map_the_rest(row);
    for (int i = 0; i < n_names; i++)
        if (!strcmp(names[i], row->name))
            stop("%s is already there", row->name);
    if (n_names == MAX_ROWS)
        stop("too many rows");
    copy(names[n_names++], sizeof names[0], row->name);
}

/* "f32,f16" as bits. */
static unsigned long long read_types(char *text)
{
    unsigned long long bits = 0;
    char *save = NULL;

    for (char *w = strtok_r(text, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
        size_t i = 0;

        while (i < sizeof types / sizeof *types && strcmp(types[i].name, w) != 0)
            i++;
        if (i == sizeof types / sizeof *types)
            stop("'%s' is no data type", w);
        bits |= 1ull << types[i].number;
    }
    return bits;
}

static bool find_types(FILE *f, const char *name, char line[LINE_BYTES])
{
    const size_t n = strlen(name);

    if (fseek(f, 0, SEEK_SET))
        return false;
    while (fgets(line, LINE_BYTES, f))
        if (!strncmp(line, name, n) && line[n] == ' ')
            return true;
    return false;
}

static void take_types(struct row *row, FILE *f)
{
    char line[LINE_BYTES], *save = NULL, *word;

    if (!find_types(f, row->name, line)) {
        if (row->full)
            stop("%s is full, but aclnn_types.tbl does not list its types", row->name);
        return;
    }
    strtok_r(line, "|", &save);
    while ((word = strtok_r(NULL, " \t\n", &save))) {
        char *colon = strchr(word, ':');

        if (!colon)
            stop("aclnn_types.tbl: '%s' is not parameter:types", word);
        *colon++ = 0;
        row->params[find_param(row, word)].types = read_types(colon);
    }
}

static void write_prototype(FILE *f, const struct row *row)
{
    fprintf(f, "NPU_API int %sGetWorkspaceSize(", row->name);
    for (int i = 0; i < row->n_params; i++)
        fprintf(f, "%sa%d, ", row->params[i].kind->type, i);
    fprintf(f, "uint64_t *n, struct aclOpExecutor **e)\n{\n    const union npu_arg a[] = {");
    for (int i = 0; i < row->n_params; i++) {
        const char *field = row->params[i].kind->field;
        if (*field == 'u')
            fprintf(f, "{.i = (int64_t)a%d}, ", i);
        else if (*field == 'f')
            fprintf(f, "{.d = (double)a%d}, ", i);
        else
            fprintf(f, "{.%s = a%d}, ", field, i);
    }
    fprintf(f, "};\n    return npu_op_prepare(%d, a, n, e);\n}\n", n_names - 1);
    fprintf(f, "NPU_API int %s(void *w, uint64_t n, struct aclOpExecutor *e, void *s)\n{\n",
            row->name);
    fprintf(f, "    return npu_op_launch(%d, w, n, e, s);\n}\n", n_names - 1);
}

static bool is_elementwise(const struct row *row)
{
    return row->rule && (!strcmp(row->rule, "RULE_BROADCAST") || !strcmp(row->rule, "RULE_SAME") ||
                         !strcmp(row->rule, "RULE_FLOAT"));
}

static void write_row(FILE *f, FILE *rows, const struct row *row)
{
    fprintf(f, "static const struct npu_param p%d[] = {", n_names - 1);
    for (int i = 0; i < row->n_params; i++)
        fprintf(f, "{\"%s\", KIND_%s, %d, 0x%llx}, ", row->params[i].name,
                row->params[i].kind->name, row->params[i].optional, row->params[i].types);
    fprintf(f, "};\n");
    if (row->n_maps) {
        fprintf(f, "static const struct npu_map m%d[] = {", n_names - 1);
        for (int i = 0; i < row->n_maps; i++) {
            const struct map *m = &row->maps[i];
            fprintf(f, m->arg[0] ? "{\"%s\", " : "{NULL%s, ", m->arg);
            fprintf(f, "%s, %d, %d, \"%s\"}, ", m->how, m->param, m->result, m->text);
        }
        fprintf(f, "};\n");
    }
    write_prototype(f, row);
    fprintf(rows, "    {\"%s\", ", row->name);
    if (row->native)
        fprintf(rows, "NULL, %s, %s, ", row->schema, row->check[0] ? row->check : "NULL");
    else /* the second word is a native for the types that torch does not have */
        fprintf(rows, "\"%s\", %s, NULL, ", row->schema, row->check[0] ? row->check : "NULL");
    fprintf(rows, "p%d, ", n_names - 1);
    if (row->n_maps)
        fprintf(rows, "m%d, ", n_names - 1);
    else
        fprintf(rows, "NULL, ");
    fprintf(rows, "%d, %d, %s | %s | %s, %s},\n", row->n_params, row->n_maps,
            row->wide ? "ROW_WIDE" : "0", row->alike ? "ROW_ALIKE" : "0",
            is_elementwise(row) ? "ROW_LIGHT" : "0", row->rule ? row->rule : "RULE_NONE");
}

static void generate(FILE *in, FILE *listed, FILE *out, FILE *rows)
{
    static struct row row;
    char line[LINE_BYTES];

    fprintf(out, "/* made from aclnn.tbl by opapi_gen; do not edit */\n"
                 "#pragma GCC diagnostic ignored \"-Wmissing-prototypes\"\n"
                 "#include \"natives/natives.h\"\n\n");
    while (fgets(line, sizeof line, in)) {
        char *text = trim(line);

        line_number++;
        if (!*text || *text == '#')
            continue;
        row = (struct row){0};
        read_row(&row, text);
        take_types(&row, listed);
        write_row(out, rows, &row);
    }
}

/* Rows come after the prototypes that they use, so they were kept aside. */
static void append(FILE *out, FILE *rows)
{
    char text[4096];
    size_t n;

    if (fseek(rows, 0, SEEK_SET) != 0)
        return;
    fprintf(out, "\nconst struct npu_op_row npu_op_rows[] = {\n");
    while ((n = fread(text, 1, sizeof text, rows)) > 0)
        fwrite(text, 1, n, out);
    fprintf(out, "};\nconst uint32_t npu_n_op_rows = %d;\nstruct npu_op_state npu_op_states[%d];\n",
            n_names, n_names);
}

int main(int argc, char **argv)
{
    FILE *in, *listed, *out, *rows = tmpfile();

    if (argc != 4) {
        fprintf(stderr, "usage: opapi_gen aclnn.tbl aclnn_types.tbl out.c\n");
        return 2;
    }
    table_name = argv[1];
    in = fopen(argv[1], "r");
    listed = fopen(argv[2], "r");
    out = fopen(argv[3], "w");
    if (!in || !listed || !out || !rows) {
        perror("opapi_gen");
        return 1;
    }
    generate(in, listed, out, rows);
    append(out, rows);
    fclose(in);
    fclose(listed);
    fclose(rows);
    return fclose(out) != 0;
}
