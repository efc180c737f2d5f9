/* SPDX-License-Identifier: Apache-2.0 */
/* rules_kernel.c - device code: what it includes, and what it asks of UB. */
#include "check.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static bool is_kernel_file(const struct src *s)
{
    return s->lang == LANG_CPP &&
           (fnmatch("*op_kernel/*", s->name, 0) == 0 || fnmatch("*csrc/kernel/*", s->name, 0) == 0);
}

static void host_headers(struct check *c)
{
    static const char *const heads[] = {"torch", "ATen/", "c10/", "torch_npu", "acl/", "pybind11/"};

    for (size_t i = 0; i < c->include.n; i++) {
        const struct include *include = &c->include.at[i];

        for (size_t h = 0; is_kernel_file(include->src) && h < sizeof(heads) / sizeof(heads[0]);
             h++)
            if (strncmp(include->path, heads[h], strlen(heads[h])) == 0 &&
                report(c, "NTL100", include->src, include->at, "a kernel includes %s",
                       include->path))
                hint(c, "Ascend C headers and the tiling header alone: the kernel then builds and "
                        "runs without torch");
    }
}

static void budget_in_header(struct check *c)
{
    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];
        const struct package *op = is_kernel_file(s) ? package_of(c, s->name) : NULL;
        const char *end = NULL;

        if (!op || op->layout != LAYOUT_AMCT_OP || fnmatch("*_kernel.cpp", s->name, 0) != 0)
            continue;
        end = strstr(s->text, "#include");
        if ((!end || !memmem(s->text, (size_t)(end - s->text), "UB", 2)) &&
            report_line(c, "NTL101", s, 1, "the head of the kernel does not give its UB budget"))
            hint(c, "one line a buffer with its bytes, and the sum: `nputwin check --budget` "
                    "computes it");
    }
}

static void budget_over(struct check *c)
{
    for (size_t f = 0; f < c->fn.n; f++) {
        struct budget budget;
        bool has_any = budget_read(c, &c->fn.at[f], &budget);
        int64_t total = 0, limit = has_any ? ub_bytes(ub_soc(c, budget.fn->src)) : -1;

        for (size_t i = 0; limit > 0 && i < budget.n; i++) {
            const struct buffer *b = &budget.at[i];

            if (!b->is_counted || b->n < 0 || b->bytes < 0)
                continue;
            total += b->n * b->bytes;
            if (total <= limit)
                continue;
            if (report(c, "NTL102", budget.fn->src, tok_at(budget.fn->src, b->at),
                       "buffer %s ends at %lld, UB has %lld bytes: over by %lld", b->name,
                       (long long)total, (long long)limit, (long long)(total - limit)))
                hint(c, "smaller tiles or fewer buffers; `nputwin check --budget` lists them");
            break;
        }
        budget_finish(&budget);
    }
}

/* A reason is a comment on the line or the line above. */
static bool has_comment(const struct src *s, size_t at)
{
    const char *line = s->text + at;
    size_t n = 0;

    for (int newlines = 0; line > s->text && newlines < 2; line--)
        newlines += line[-1] == '\n';
    n = (size_t)(s->text + at - line) + strcspn(s->text + at, "\n");
    return memmem(line, n, "//", 2) || memmem(line, n, "/*", 2) || memmem(line, n, "*/", 2);
}

/* ... or words about it in the file's head. */
static bool says_one_buffer(const struct src *s)
{
    static const char *const words[] = {"one buffer", "single buffer", "single-buffer", "num=1",
                                        "\xe5\x8d\x95\xe7\xbc\x93\xe5\x86\xb2"}; /* in Chinese */
    const char *end = strstr(s->text, "#include");

    for (size_t i = 0; end && i < sizeof(words) / sizeof(words[0]); i++)
        if (memmem(s->text, (size_t)(end - s->text), words[i], strlen(words[i])))
            return true;
    return false;
}

static void one_buffer(struct check *c)
{
    for (size_t f = 0; f < c->fn.n; f++) {
        const struct package *op = package_of(c, c->fn.at[f].src->name);
        struct budget budget;

        if (!op || op->layout != LAYOUT_AMCT_OP || says_one_buffer(c->fn.at[f].src) ||
            !budget_read(c, &c->fn.at[f], &budget))
            continue;
        for (size_t i = 0; i < budget.n; i++)
            if (budget.at[i].n == 1 && strncmp(budget.at[i].position, "VEC", 3) == 0 &&
                strcmp(budget.at[i].position, "VECCALC") != 0 &&
                !has_comment(budget.fn->src, tok_at(budget.fn->src, budget.at[i].at)) &&
                report(c, "NTL104", budget.fn->src, tok_at(budget.fn->src, budget.at[i].at),
                       "queue %s has one buffer: copies wait for the computation",
                       budget.at[i].name))
                hint(c, "two buffers, or a comment that says why one is enough");
        budget_finish(&budget);
    }
}

/* Lengths belong to the host, which knows the chip. */
static void fixed_tile(struct check *c)
{
    static const char *const names[] = {"tileLength", "TILE_LENGTH", "tile_length",
                                        "TILE_LEN",   "blockDim",    "BLOCK_DIM"};

    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];
        const struct package *op = is_kernel_file(s) ? package_of(c, s->name) : NULL;

        for (int32_t t = 1; op && op->layout == LAYOUT_AMCT_OP && t + 2 < s->lex.n; t++)
            for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++)
                if (tok_is(s, t, names[n]) && tok_is(s, t + 1, "=") &&
                    s->lex.tok[t + 2].kind == TOK_NUM && tok_is(s, t + 3, ";") &&
                    report(c, "NTL103", s, tok_at(s, t), "%s is fixed in the kernel", names[n]))
                    hint(c, "a field of the tiling struct, which the host fills from "
                            "GetCoreMemSize and GetCoreNumAiv");
    }
}

const struct check_rule kernel_rules[] = {
    {"NTL100", host_headers}, {"NTL101", budget_in_header}, {"NTL102", budget_over},
    {"NTL103", fixed_tile},   {"NTL104", one_buffer},       {0},
};
