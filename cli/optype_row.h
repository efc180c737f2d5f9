/* SPDX-License-Identifier: Apache-2.0 */
/*
 * optype_row.h - what the two halves of optype share.
 *
 *     optype.c      the rows, the schema, and C++: host file, binding, op-plugin's file
 *     optype_py.c   Python: what loads the library, the test; and the README
 */
#ifndef NPU_CLI_OPTYPE_ROW_H
#define NPU_CLI_OPTYPE_ROW_H
#include "optype.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { MAX_WORDS = 24, NAME_BYTES = 40, OWN_OUTPUTS = 6 };

/* An operator of a project's own: what its class says and the words of a row do not. */
struct own {
    struct own_tensor {
        char name[NAME_BYTES];
        const char *shape_of, *type_of; /* of an output: names of inputs; NULL */
        uint64_t types;                 /* a bit each */
        bool is_lead;                   /* its types are those of the first input, row by row */
        bool is_guessed; /* InferShape could not be read: the shape is said to be that of the first
                            input */
    } in[MAX_WORDS], out[OWN_OUTPUTS];
    size_t n_in, n_out;
};

struct optype {
    const char *type, *inputs, *outputs, *attrs;
    uint64_t types;
    const char *check, *schema;
    const struct own *own; /* NULL: a row of aclop.def */
};

/* A row of optype.def. */
struct more_row {
    const char *type, *inputs, *example, *reference;
};
const struct more_row *optype_more(const struct optype *t);

/* Of random numbers: arguments that draw others, and what holds of y in Python. */
struct random_row {
    const char *type, *other, *holds;
};
/* NULL: it is not random. */
const struct random_row *optype_random(const struct optype *t);
/* Python that makes the results for tracing, where the data decides a size n; NULL: shapes follow
 * from shapes and arguments. */
const char *optype_fake(const struct optype *t);
/* Whether the i-th output is the input of that name, which is changed in place. */
bool optype_is_changed(const struct optype *t, int output);

/* ---- arguments, in the order of the schema ---- */

enum kind { TENSOR, OPTIONAL, TENSORS, INTS, INT, FLOAT, BOOL_, TEXT, TYPE };

struct arg {
    char name[NAME_BYTES];
    const char *word; /* as the row spells it */
    int n_word;
    enum kind kind;
    char type; /* of a tensor: 0 is the T of the call, as in aclop.def */
    const struct own_tensor *own;
    bool is_attr, has_value;
    bool is_changed;       /* a tensor that is an output too */
    bool is_host, is_seed; /* a tensor whose element is given as a constant; an int that is none */
    char value[NAME_BYTES];
};

struct args {
    struct arg at[MAX_WORDS];
    size_t n;
    const struct arg *first, *lead; /* the first tensor; the one that has the type T */
    bool has_list;
};

void optype_args(struct args *args, const struct optype *t);
/* "x, axes" */
void optype_print_names(FILE *out, const struct args *args);

int optype_outputs(const struct optype *t);
/* Whether the words of a row have that name. */
bool optype_has_word(const char *words, const char *word, size_t n);

/* ---- types of elements; the first N_TESTED are those of the tests ---- */

enum { N_TYPE_ROWS = 15, N_TESTED = 5 };

extern const struct type_row {
    int bit;
    const char *cpp, *python;
} optype_types[N_TYPE_ROWS];
bool optype_has_type(const struct optype *t, const struct type_row *type);

/* The text with name for each $name in it; text is freed. */
char *optype_named(char *text, const char *name);

#endif
