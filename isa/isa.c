/* SPDX-License-Identifier: Apache-2.0 */
/* isa.c - the tables of isa.h, filled from the .def files, and the choice of the chip. */
#include "isa.h"
#include "typeset.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "../base/banned.h"

/* Movers carry bytes, so every type (TYPES_ANY) is as good as another. */
const struct npu_isa_row npu_isa[N_OPS] = {
#define VEC(op, sh, ty, co, lane, br)                                                              \
    [OP_##op] = {#op, br, #lane, PIPE_V, SHAPE_##sh, COST_##co, TYPES_##ty},
#include "vec.def"
#define MTE(op, pi, dst, src, co, br)                                                              \
    [OP_##op] = {#op, br, "", PIPE_##pi, SHAPE_COPY, COST_##co, TYPES_ANY},
#include "mte.def"
#define CUBE(op, pi, ty, co, br)                                                                   \
    [OP_##op] = {#op, br, "FN", PIPE_##pi, SHAPE_CUBE, COST_##co, TYPES_##ty},
#include "cube.def"
};
const struct npu_rows_row npu_rows_table[N_ROWS] = {
#define ROWS(name, fn, ty, br) [ROWS_##name] = {#name, br, TYPES_##ty},
#include "rows.def"
};
const struct npu_type_row npu_types[N_TYPES] = {
#define TYPE(name, bytes, ctype, brief) [TYPE_##name] = {#name, brief, bytes},
#include "type.def"
};
const struct npu_shape_row npu_shapes[N_SHAPES] = {
#define SHAPE(name, d, a, b, s) [SHAPE_##name] = {#name, {USE_##d, USE_##a, USE_##b}, s},
#include "shape.def"
};
const struct npu_name_row npu_pipes[N_PIPES] = {
#define PIPE(name, brief) [PIPE_##name] = {#name, brief},
#include "pipe.def"
};
const struct npu_name_row npu_mems[N_MEMS] = {
#define MEM(name, brief) [MEM_##name] = {#name, brief},
#include "mem.def"
};
const struct npu_name_row npu_costs[N_COSTS] = {
#define COST(name, brief) [COST_##name] = {#name, brief},
#include "cost.def"
};
const struct npu_soc npu_socs[] = {
#define SOC(n, ar, aic, aiv, ub, l1, l0a, l0b, l0c, bt, fb, l2, hbm, mhz)                          \
    {.name = #n,                                                                                   \
     .arch = (ar),                                                                                 \
     .n_aic = (aic),                                                                               \
     .n_aiv = (aiv),                                                                               \
     .mem_bytes = {[MEM_UB] = (ub),                                                                \
                   [MEM_L1] = (l1),                                                                \
                   [MEM_L0A] = (l0a),                                                              \
                   [MEM_L0B] = (l0b),                                                              \
                   [MEM_L0C] = (l0c),                                                              \
                   [MEM_BT] = (bt),                                                                \
                   [MEM_BI] = (l0b) / 4,                                                           \
                   [MEM_FB] = (fb)},                                                               \
     .l2_mb = (l2),                                                                                \
     .hbm_gb = (hbm),                                                                              \
     .cube_mhz = (mhz)},
#include "soc.def"
};
const size_t npu_n_socs = sizeof npu_socs / sizeof *npu_socs;

static bool same_name(const char *a, const char *b)
{
    return strcasecmp(a, b) == 0;
}

const struct npu_soc *npu_soc_find(const char *name)
{
    for (size_t i = 0; name && i < npu_n_socs; i++)
        if (same_name(npu_socs[i].name, name))
            return &npu_socs[i];
    return NULL;
}

/* ---- the chip of this process --------------------------------------------------------------- */

/* What NPUTWIN_SOC_SET may override. Offsets into struct npu_soc; all of them uint32_t. */
static const struct soc_field {
    const char *name;
    size_t at;
    uint32_t least, most;
} fields[] = {
    {"n_aic", offsetof(struct npu_soc, n_aic), 1, 1024},
    {"n_aiv", offsetof(struct npu_soc, n_aiv), 1, 1024},
    {"ub_bytes", offsetof(struct npu_soc, mem_bytes[MEM_UB]), 256, 1u << 24},
    {"l1_bytes", offsetof(struct npu_soc, mem_bytes[MEM_L1]), 256, 1u << 24},
    {"l0a_bytes", offsetof(struct npu_soc, mem_bytes[MEM_L0A]), 256, 1u << 24},
    {"l0b_bytes", offsetof(struct npu_soc, mem_bytes[MEM_L0B]), 256, 1u << 24},
    {"l0c_bytes", offsetof(struct npu_soc, mem_bytes[MEM_L0C]), 256, 1u << 24},
    {"bt_bytes", offsetof(struct npu_soc, mem_bytes[MEM_BT]), 256, 1u << 24},
    {"fb_bytes", offsetof(struct npu_soc, mem_bytes[MEM_FB]), 256, 1u << 24},
    {"l2_mb", offsetof(struct npu_soc, l2_mb), 1, 4096},
    {"hbm_gb", offsetof(struct npu_soc, hbm_gb), 1, 4096},
    {"cube_mhz", offsetof(struct npu_soc, cube_mhz), 1, 10000},
};
enum { N_FIELDS = sizeof fields / sizeof *fields };

/* Appends one name of a list for a message. */
static void add_name(char *list, size_t size, const char *name)
{
    const size_t used = strlen(list);

    (void)snprintf(list + used, size - used, "%s%s", used ? ", " : "", name);
}

static enum npu_status set_one(struct npu_soc *soc, const char *key, const char *value,
                               struct npu_diag *d)
{
    char list[256] = "", *end;

    for (size_t i = 0; i < N_FIELDS; i++) {
        const struct soc_field *f = &fields[i];
        if (!same_name(f->name, key)) {
            add_name(list, sizeof list, f->name);
            continue;
        }
        errno = 0;
        const unsigned long long v = strtoull(value, &end, 0);
        if (errno || end == value || *end || *value == '-' || v < f->least || v > f->most)
            return npu_fail(d, NPU_E_ARG,
                            "NPUTWIN_SOC_SET: %s=%s: a number from %u to %u is needed", f->name,
                            value, f->least, f->most);
        *(uint32_t *)((char *)soc + f->at) = (uint32_t)v;
        return NPU_OK;
    }
    return npu_fail(d, NPU_E_ARG, "NPUTWIN_SOC_SET: there is no figure '%s'; the figures are %s",
                    key, list);
}

/* text: "key=value,key=value"; cut to pieces in place. */
static enum npu_status set_all(struct npu_soc *soc, char *text, struct npu_diag *d)
{
    char *rest = text;
    enum npu_status st = NPU_OK;

    while (st == NPU_OK && rest) {
        const char *item = strsep(&rest, ",");
        char *value = strchr(item, '=');
        if (!*item)
            continue;
        if (!value)
            return npu_fail(d, NPU_E_ARG, "NPUTWIN_SOC_SET: '%s' is not figure=number", item);
        *value++ = 0;
        st = set_one(soc, item, value, d);
    }
    return st;
}

static struct {
    pthread_once_t once;
    struct npu_soc soc;
    struct npu_diag diag;
} current = {.once = PTHREAD_ONCE_INIT};

static void choose(void)
{
    const char *name = getenv("NPUTWIN_SOC"), *set = getenv("NPUTWIN_SOC_SET");
    const struct npu_soc *row = npu_soc_find(name && *name ? name : "Ascend910B2");
    char list[512] = "";

    if (!row) {
        for (size_t i = 0; i < npu_n_socs; i++)
            add_name(list, sizeof list, npu_socs[i].name);
        (void)npu_fail(&current.diag, NPU_E_ARG, "NPUTWIN_SOC=%s: no such chip; the chips are %s",
                       name, list);
        return;
    }
    current.soc = *row;
    if (!set || !*set)
        return;
    char *text = strdup(set);
    if (!text)
        (void)npu_fail(&current.diag, NPU_E_NOMEM, "NPUTWIN_SOC_SET: no memory for its text");
    else
        (void)set_all(&current.soc, text, &current.diag);
    free(text);
}

const struct npu_soc *npu_soc_current(struct npu_diag *d)
{
    (void)pthread_once(&current.once, choose);
    if (current.diag.status == NPU_OK)
        return &current.soc;
    (void)npu_fail(d, current.diag.status, "%s", current.diag.text);
    return NULL;
}
