/* SPDX-License-Identifier: Apache-2.0 */
/* schema.c - the text of m.def: "add_custom(Tensor x, float s=1.0) -> Tensor". */
#include "check.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What torch asks of the C++ function; it refuses others when the library is loaded. */
static const struct type_row {
    const char *schema, *cpp; /* cpp: words of which one must be in the parameter's type */
} type_rows[] = {
    {"Tensor", "Tensor"},
    {"Tensor?", "optional|OptionalTensorRef"},
    {"Tensor[]", "TensorList|ITensorListRef|vector|ArrayRef"},
    {"int", "int64_t"},
    {"SymInt", "SymInt|int64_t"},
    {"float", "double"},
    {"bool", "bool"},
    {"str", "string_view|string"},
    {"Scalar", "Scalar"},
    {"ScalarType", "ScalarType"},
    {"int[]", "IntArrayRef|ArrayRef|vector"},
    {"float[]", "ArrayRef|vector"},
    {"bool[]", "ArrayRef|vector|array"},
    {"SymInt[]", "SymIntArrayRef|IntArrayRef"},
};

const char *schema_cpp_type(const char *type)
{
    for (size_t i = 0; i < sizeof(type_rows) / sizeof(type_rows[0]); i++)
        if (strcmp(type_rows[i].schema, type) == 0)
            return type_rows[i].cpp;
    return type[strlen(type) - 1] == '?' ? "optional|Optional" : NULL;
}

static const char *skip(const char *at)
{
    return at + strspn(at, " \t\n");
}

/* A type: a word, then (a!) or ! and any of [] [3] ?. */
static const char *read_type(const char *at, char **type, bool *is_written)
{
    const char *begin = at = skip(at);
    char *text = NULL, *out = NULL;

    *is_written = false;
    while (isalnum((unsigned char)*at) || *at == '_' || *at == '.')
        at++;
    text = cli_fmt("%.*s", (int)(at - begin), begin);
    for (;;) {
        const char *next = skip(at);

        if (*next && strchr("([?!", *next)) /* int ? n */
            at = next;
        if (*at == '(') {
            const char *end = strchr(at, ')');

            if (!end)
                break;
            *is_written |= memchr(at, '!', (size_t)(end - at)) != NULL;
            at = end + 1;
        } else if (*at == '!') {
            *is_written = true;
            at++;
        } else if (*at == '[') {
            const char *end = strchr(at, ']');

            if (!end)
                break;
            out = cli_fmt("%s[]", text);
            free(text);
            text = out;
            at = end + 1;
        } else if (*at == '?') {
            out = cli_fmt("%s?", text);
            free(text);
            text = out;
            at++;
        } else {
            break;
        }
    }
    *type = text;
    return at;
}

/* Up to a comma or the end of the list at this level of brackets and quotes. */
static const char *read_value(const char *at, char **value)
{
    const char *begin = at;
    int depth = 0;
    char quote = 0;

    for (; *at && (depth || quote || !strchr(",)", *at)); at++) {
        if (quote && *at == '\\' && at[1])
            at++;
        else if (quote)
            quote = *at == quote ? 0 : quote;
        else if (*at == '\'' || *at == '"')
            quote = *at;
        else
            depth += (*at == '[' || *at == '(') - (*at == ']' || *at == ')');
    }
    *value = cli_fmt("%.*s", (int)(at - begin), begin);
    return at;
}

static const char *read_arg(const char *at, struct schema *schema)
{
    struct schema_arg *arg = &schema->arg[schema->n_args];
    const char *begin = NULL;

    at = skip(read_type(at, &arg->type, &arg->is_written));
    begin = at;
    while (isalnum((unsigned char)*at) || *at == '_')
        at++;
    arg->name = cli_fmt("%.*s", (int)(at - begin), begin);
    at = skip(at);
    if (*at == '=')
        at = skip(read_value(skip(at + 1), &arg->value));
    schema->n_args++;
    return at;
}

static const char *read_args(const char *at, struct schema *schema)
{
    at = skip(at);
    while (*at && *at != ')' && schema->n_args < MAX_ARGS) {
        if (*at == '*') {
            at = skip(at + 1);
            at = skip(at + (*at == ','));
            continue;
        }
        if (strncmp(at, "...", 3) == 0) {
            at = skip(at + 3);
            break;
        }
        at = read_arg(at, schema);
        if ((*at != ',' && *at != ')') || !*schema->arg[schema->n_args - 1].name)
            return NULL;
        at = skip(at + (*at == ','));
    }
    return *at == ')' ? at + 1 : NULL;
}

static const char *read_rets(const char *at, struct schema *schema)
{
    bool is_list = false, is_written = false;

    at = skip(at);
    if (!*at) /* a schema that torch infers the result of */
        return at;
    if (strncmp(at, "->", 2) != 0)
        return NULL;
    at = skip(at + 2);
    is_list = *at == '(';
    at = skip(at + is_list);
    while (*at && *at != ')' && schema->n_rets < sizeof(schema->ret) / sizeof(schema->ret[0])) {
        at = skip(read_type(at, &schema->ret[schema->n_rets++], &is_written));
        at += strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        at = skip(at); /* the name of a result */
        if (*at && !strchr(is_list ? ",)" : "", *at))
            return NULL;
        at = skip(at + (*at == ','));
    }
    if (is_list && *at != ')')
        return NULL;
    return skip(at + is_list);
}

void schema_parse(const char *text, struct schema *schema)
{
    const char *at = skip(text), *begin = at;
    const char *colons = strstr(at, "::");

    if (colons && colons < at + strcspn(at, "("))
        begin = at = colons + 2;
    *schema = (struct schema){0};
    at += strcspn(at, ".(");
    schema->name = cli_fmt("%.*s", (int)(at - begin), begin);
    begin = at + (*at == '.');
    at += strcspn(at, "(");
    schema->overload = cli_fmt("%.*s", (int)(at > begin ? at - begin : 0), begin);
    schema->full = cli_fmt("%s%s%s", schema->name, *schema->overload ? "." : "", schema->overload);
    if (!*at) /* m.def("name", fn): torch infers the schema from the function */
        return;
    at = read_args(at + 1, schema);
    at = at ? read_rets(at, schema) : NULL;
    schema->is_parsed = at != NULL && !*at && *schema->name;
}

void schema_finish(struct schema *schema)
{
    free(schema->name);
    free(schema->overload);
    free(schema->full);
    for (size_t i = 0; i < schema->n_args; i++) {
        free(schema->arg[i].type);
        free(schema->arg[i].name);
        free(schema->arg[i].value);
    }
    for (size_t i = 0; i < schema->n_rets; i++)
        free(schema->ret[i]);
    *schema = (struct schema){0};
}
