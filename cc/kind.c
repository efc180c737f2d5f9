/* SPDX-License-Identifier: Apache-2.0 */
/* kind.c - see kind.h. */
#include "kind.h"
#include "args.h"

#include <stdlib.h>
#include <string.h>

/* Words behind nputwin_mark_ (the qualifier), and behind nputwin_task_ (KERNEL_TASK_TYPE_DEFAULT)
 * and nputwin_key_ (KERNEL_TASK_TYPE). */
struct word {
    const char *word;
    enum cc_kind kind;
};
static const struct word MARKS[] = {
    {"v", CC_KIND_AIV},       {"c", CC_KIND_AIC},       {"m01", CC_KIND_AIV}, {"m10", CC_KIND_AIC},
    {"m11", CC_KIND_MIX_1_1}, {"m12", CC_KIND_MIX_1_2}, {NULL, CC_KIND_AIV},
};
static const struct word TYPES[] = {
    {"KERNEL_TYPE_AIV_ONLY", CC_KIND_AIV},
    {"KERNEL_TYPE_AIC_ONLY", CC_KIND_AIC},
    {"KERNEL_TYPE_MIX_AIV_1_0", CC_KIND_AIV},
    {"KERNEL_TYPE_MIX_AIC_1_0", CC_KIND_AIC},
    {"KERNEL_TYPE_MIX_AIC_1_1", CC_KIND_MIX_1_1},
    {"KERNEL_TYPE_MIX_AIC_1_2", CC_KIND_MIX_1_2},
    {NULL, CC_KIND_AIV},
};

enum side { NEITHER, VECTOR, CUBE, OWN };

static const struct {
    const char *symbol;
    enum side side;
} DOORS[] = {
#define DOOR(symbol, side) {#symbol, side},
#include "doors.def"
};

struct reach {
    bool side[4]; /* by enum side */
};

static void note(void *arg, const char *name)
{
    struct reach *r = arg;

    if (strncmp(name, "npu_", 4) != 0)
        return;
    for (size_t i = 0; i < sizeof DOORS / sizeof *DOORS; i++)
        if (!strcmp(name, DOORS[i].symbol)) {
            r->side[DOORS[i].side] = true;
            return;
        }
    r->side[OWN] = true;
}

static enum cc_kind by_reach(const struct cc_elf *aiv, const struct cc_elf *aic, const char *kernel)
{
    struct reach v = {0}, c = {0};
    uint32_t in_aiv = cc_elf_find(aiv, kernel), in_aic = aic ? cc_elf_find(aic, kernel) : 0;
    bool vector, cube;

    if (in_aiv)
        cc_elf_reach(aiv, in_aiv, note, &v);
    if (in_aic)
        cc_elf_reach(aic, in_aic, note, &c);
    /* The body does not tell the sorts apart: both views make the same calls that only one can. */
    const bool one_body = v.side[CUBE] == c.side[CUBE] && v.side[VECTOR] == c.side[VECTOR] &&
                          (v.side[CUBE] || v.side[VECTOR]);
    if (aic && !one_body) {
        cube = c.side[OWN] || c.side[CUBE] || c.side[VECTOR];
        vector = v.side[OWN] || v.side[CUBE] || v.side[VECTOR];
    } else { /* only what no other sort can do decides */
        cube = v.side[CUBE];
        vector = v.side[VECTOR] || !cube;
    }
    return cube && vector ? CC_KIND_MIX_1_2 : cube ? CC_KIND_AIC : CC_KIND_AIV;
}

/* "_ZZ<encoding>E<n>nputwin_<word>" of this kernel; the word ends the name, or _<n> follows it. */
static const char *word_in(const char *name, const char *kernel)
{
    const char *mark = strstr(name, "nputwin_"),
               *encoding = strncmp(kernel, "_Z", 2) ? kernel : kernel + 2;
    size_t n = strlen(encoding);

    if (!mark || strncmp(name, "_ZZ", 3) != 0)
        return NULL;
    name += 3;
    if (encoding == kernel)
        name += strspn(name, "0123456789"); /* a C kernel: _ZZ<length><name>E */
    return !strncmp(name, encoding, n) && name[n] == 'E' ? mark + 8 : NULL;
}

static bool is_word(const char *found, const char *word)
{
    size_t n = strlen(word);

    return !strncmp(found, word, n) &&
           (!found[n] ||
            (found[n] == '_' && strspn(found + n + 1, "0123456789") == strlen(found + n + 1)));
}

/* NULL: none of them. */
static const struct word *word_of(const struct word *words, const char *found)
{
    for (; words->word; words++)
        if (is_word(found, words->word))
            return words;
    return NULL;
}

/* The same key once more is no second one: both views say it. */
static bool add_key(struct cc_kinds *to, uint64_t key, enum cc_kind kind, const char *kernel)
{
    struct cc_keyed *more;

    for (size_t i = 0; i < to->n; i++) {
        if (to->at[i].key != key)
            continue;
        return to->at[i].kind == kind ||
               cc_error("%s: KERNEL_TASK_TYPE gives tiling key %llu two types", kernel,
                        (unsigned long long)key);
    }
    more = realloc(to->at, (to->n + 1) * sizeof *more);
    if (!more)
        return cc_error("out of memory");
    to->at = more;
    to->at[to->n++] = (struct cc_keyed){key, kind};
    return true;
}

/* One symbol of the kernel. *said: how strong the strongest word was so far. */
static bool take(struct cc_kinds *to, const struct cc_elf *e, uint32_t sym, const char *found,
                 const char *kernel, int *said)
{
    enum { MARK = 1, TASK = 2 };
    const bool is_mark = !strncmp(found, "mark_", 5), is_task = !strncmp(found, "task_", 5),
               is_key = !strncmp(found, "key_", 4);
    const struct word *w = is_mark   ? word_of(MARKS, found + 5)
                           : is_task ? word_of(TYPES, found + 5)
                           : is_key  ? word_of(TYPES, found + 4)
                                     : NULL;

    if (!w && !is_task && !is_key)
        return true;
    if (!w)
        return cc_error(
            "%s: %s is no type of kernels of this chip; KERNEL_TYPE_AIV_ONLY, AIC_ONLY, "
            "MIX_AIV_1_0, MIX_AIC_1_0, MIX_AIC_1_1 and MIX_AIC_1_2 are",
            kernel, found + (is_task ? 5 : 4));
    if (is_key)
        return add_key(to, cc_elf_number(e, sym), w->kind, kernel);
    if ((is_mark ? MARK : TASK) >= *said) {
        *said = is_mark ? MARK : TASK;
        to->kind = w->kind;
        to->is_said = true;
    }
    return true;
}

bool cc_kinds_of(struct cc_kinds *to, const struct cc_elf *aiv, const struct cc_elf *aic,
                 const char *kernel)
{
    const struct cc_elf *views[2] = {aiv, aic};
    int said = 0;

    *to = (struct cc_kinds){0};
    for (int v = 0; v < 2 && views[v]; v++)
        for (uint32_t i = 1; i < views[v]->n_sym; i++) {
            const char *found = word_in(cc_elf_name(views[v], i), kernel);

            if (found && !take(to, views[v], i, found, kernel, &said))
                return false;
        }
    if (!to->is_said)
        to->kind = by_reach(aiv, aic, kernel);
    return true;
}

bool cc_kinds_use(const struct cc_kinds *k, bool is_aic)
{
    const enum cc_kind without = is_aic ? CC_KIND_AIV : CC_KIND_AIC;
    bool uses = (k->is_said || !k->n) && k->kind != without;

    for (size_t i = 0; i < k->n; i++)
        uses |= k->at[i].kind != without;
    return uses;
}
