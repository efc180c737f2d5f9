/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - see table.h. */
#include "table.h"

#include "cli.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 32, CELL_BYTES = 512 };

/* What a cell shows; longer text is cut at CELL_BYTES. */
static const char *cell_text(const cJSON *value, char buf[CELL_BYTES])
{
    size_t at = 0;
    const cJSON *element = NULL;

    if (cJSON_IsString(value))
        return value->valuestring;
    buf[0] = '\0';
    if (cJSON_IsNumber(value))
        snprintf(buf, CELL_BYTES, "%.15g", value->valuedouble);
    cJSON_ArrayForEach(element, value)
    {
        at += (size_t)snprintf(buf + at, CELL_BYTES - at, "%s%s", at ? "," : "",
                               cJSON_IsString(element) ? element->valuestring : "?");
        if (at >= CELL_BYTES)
            break;
    }
    return buf;
}

static void widen(size_t width[MAX_COLUMNS], const cJSON *item)
{
    char buf[CELL_BYTES];
    size_t column = 0;
    const cJSON *value = NULL;

    cJSON_ArrayForEach(value, item)
    {
        size_t n = strlen(cell_text(value, buf));

        if (column < MAX_COLUMNS && n > width[column])
            width[column] = n;
        column++;
    }
}

static void print_row(FILE *out, const size_t width[MAX_COLUMNS], const cJSON *item, int is_head)
{
    char buf[CELL_BYTES];
    size_t column = 0, n_blanks = 0; /* owed before the next text, so that no line ends in blanks */
    const cJSON *value = NULL;

    cJSON_ArrayForEach(value, item)
    {
        const char *text = is_head ? value->string : cell_text(value, buf);
        size_t n = strlen(text), room = column < MAX_COLUMNS ? width[column] : n;

        if (n)
            fprintf(out, "%*s%s", (int)n_blanks, "", text);
        n_blanks = (n ? 0 : n_blanks) + (room > n ? room - n : 0) + 2;
        column++;
    }
    fputc('\n', out);
}

void cli_print_table(FILE *out, const cJSON *items)
{
    size_t width[MAX_COLUMNS] = {0}, column = 0;
    const cJSON *item = NULL, *value = NULL;

    if (!items->child)
        return;
    cJSON_ArrayForEach(value, items->child)
    {
        if (column < MAX_COLUMNS)
            width[column++] = strlen(value->string);
    }
    cJSON_ArrayForEach(item, items) widen(width, item);
    print_row(out, width, items->child, 1);
    cJSON_ArrayForEach(item, items) print_row(out, width, item, 0);
}

void cli_print_json(FILE *out, const char *kind, cJSON *items)
{
    cJSON *root = cJSON_CreateObject();
    char *text = NULL;

    cJSON_AddNumberToObject(root, "schema_version", CLI_SCHEMA_VERSION);
    cJSON_AddStringToObject(root, "kind", kind);
    cJSON_AddItemReferenceToObject(root, "items", items);
    text = cJSON_Print(root);
    if (text)
        fprintf(out, "%s\n", text);
    cJSON_free(text);
    cJSON_Delete(root);
}
