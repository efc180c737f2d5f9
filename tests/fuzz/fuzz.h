/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz.h - one fuzz target is one function; driver.c makes the inputs.
 *
 * A target never returns a verdict: what must not happen ends the process (FUZZ_CHECK, a
 * sanitizer), and the driver then saves the input. To add a target: fz_<name>.c with these two,
 * a line in CMakeLists.txt, and seeds under corpus/<name>/ if inputs have a form.
 */
#ifndef NPU_FUZZ_H
#define NPU_FUZZ_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Called once before the first input. */
void fuzz_begin(void);
/* Any bytes; they are not kept. */
void fuzz_one(const uint8_t *data, size_t n);

#define FUZZ_CHECK(condition, ...)                                                                 \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s does not hold: ", __FILE__, __LINE__, #condition);          \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* Reads an input as a sequence of fields; zeros after its end. */
struct fuzz_in {
    const uint8_t *at;
    size_t left;
};

static inline uint64_t fuzz_take(struct fuzz_in *in, size_t n_bytes)
{
    uint64_t value = 0;
    size_t n = n_bytes < in->left ? n_bytes : in->left;

    memcpy(&value, in->at, n);
    in->at += n;
    in->left -= n;
    return value;
}

#endif
