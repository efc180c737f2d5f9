/* SPDX-License-Identifier: Apache-2.0 */
/*
 * new.h - what the parts of `nputwin new` share.
 *
 *     ../new.c  names, the choice of a template, a fresh tree
 *     into.c    an operator more for a package that exists
 *     plugin.c  Plan B: the file of op-plugin, its yaml entry, the example
 */
#ifndef NPU_CLI_NEW_H
#define NPU_CLI_NEW_H
#include "../mem.h"
#include "../opt.h"
#include "../optype.h"

struct template
{
    const char *pattern, *route, *gen, *layout, *type, *parts, *word, *more, *without;
};

/* What is asked for; NULL: anything. */
struct wish {
    const char *pattern, *route, *gen, *layout, *type;
    const struct optype *own; /* the row of that type, of the project's own */
};

/* What a text of the template becomes: pairs of from and to. */
struct names {
    struct cli_words from, to;
};

/* Files of a template: where each lies, and where it goes. */
struct copy {
    const struct template *t;
    const struct optype *type; /* the texts are written from this row, not copied; NULL */
    const char *name;
    bool has_gradient; /* asked for; templates have theirs anyhow */
    struct names names;
    struct cli_words from, to;
};

/* The first template that fits; *type: the row that its texts are written from, NULL when it is
 * copied as it is. NULL: there is none. */
const struct template *new_template(const struct wish *wish, const struct optype **type);
/* The files of copy->t below target; false, with the reason on stderr, when templates are not
 * installed. copy->t, type and name are the caller's; finish it in any case. */
bool new_list(struct copy *copy, const char *target);
void copy_finish(struct copy *copy);
/* add_rows as AddRows; the caller frees it. */
char *camel(const char *name);
/* The text of the i-th file under its new names; the caller frees it. NULL with errno set. */
char *new_text(const struct copy *copy, size_t i);
/* Writes them all, or says what exists already and writes none. Prints their names. */
int write_all(const struct copy *copy, bool is_dry);

/* A file that exists and gets lines more, or (old NULL) a new one. */
struct change {
    char *path, *old, *text; /* text: what it becomes */
};
bool open_change(struct change *change, const char *dir, const char *name);
/* Inserts text behind the last line that begins so, or before the first one; false: there is none.
 */
bool insert_line(struct change *change, const char *begins, const char *text, bool is_before);
/* Prints what n changes add, and writes them unless is_dry. */
int apply_changes(const struct change *change, size_t n, bool is_dry);
void free_changes(struct change *change, size_t n);

int add_to_package(struct copy *copy, const char *dir, bool is_dry);
/* root: of op-plugin; the files of copy go below its examples/. */
int add_to_plugin(const struct copy *copy, const char *root, bool is_dry);
/* examples/ of an op-plugin tree, or example/ where that is the one it has; the caller frees it. */
char *plugin_examples(const char *root);

#endif
