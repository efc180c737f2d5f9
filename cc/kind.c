/* SPDX-License-Identifier: Apache-2.0 */
/* kind.c - see kind.h. */
#include "kind.h"

#include <stdlib.h>
#include <string.h>

/* Words behind nputwin_mark_ (the qualifier) and nputwin_task_ (KERNEL_TASK_TYPE_DEFAULT). */
static const struct {
    const char *word;
    enum cc_kind kind;
} WORDS[] = {
    {"mark_v", CC_KIND_AIV},
    {"mark_c", CC_KIND_AIC},
    {"mark_m01", CC_KIND_AIV},
    {"mark_m10", CC_KIND_AIC},
    {"mark_m11", CC_KIND_MIX_1_1},
    {"mark_m12", CC_KIND_MIX_1_2},
    {"task_KERNEL_TYPE_AIV_ONLY", CC_KIND_AIV},
    {"task_KERNEL_TYPE_AIC_ONLY", CC_KIND_AIC},
    {"task_KERNEL_TYPE_MIX_AIV_1_0", CC_KIND_AIV},
    {"task_KERNEL_TYPE_MIX_AIC_1_0", CC_KIND_AIC},
    {"task_KERNEL_TYPE_MIX_AIC_1_1", CC_KIND_MIX_1_1},
    {"task_KERNEL_TYPE_MIX_AIC_1_2", CC_KIND_MIX_1_2},
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

enum cc_kind cc_kind_of(const struct cc_elf *aiv, const struct cc_elf *aic, const char *kernel)
{
    const struct cc_elf *views[2] = {aiv, aic};
    int best = -1; /* rows of WORDS are sorted: a task word wins over a qualifier */

    for (int v = 0; v < 2 && views[v]; v++)
        for (uint32_t i = 1; i < views[v]->n_sym; i++) {
            const char *found = word_in(cc_elf_name(views[v], i), kernel);

            for (int k = 0; found && k < (int)(sizeof WORDS / sizeof *WORDS); k++)
                if (is_word(found, WORDS[k].word) && k > best)
                    best = k;
        }
    return best >= 0 ? WORDS[best].kind : by_reach(aiv, aic, kernel);
}
