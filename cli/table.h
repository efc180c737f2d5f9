/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - a JSON array of flat objects, printed as a table or as JSON.
 */
#ifndef NPU_CLI_TABLE_H
#define NPU_CLI_TABLE_H
#include <cjson/cJSON.h>
#include <stdio.h>

/* Columns are the keys of the first object; arrays are joined by commas. Nothing for no items. */
void cli_print_table(FILE *out, const cJSON *items);
/* {"schema_version":1,"kind":kind,"items":items}. Borrows items. */
void cli_print_json(FILE *out, const char *kind, cJSON *items);

#endif
