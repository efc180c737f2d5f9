/* SPDX-License-Identifier: Apache-2.0 */
/* base.c - status texts and the one way to report a failure. */
#include "base.h"
#include <stdio.h>
#include "banned.h"

struct status_row {
    const char *name, *text, *hint;
};
static const struct status_row rows[NPU_N_STATUS] = {
#define ERR(id, text, hint) [id] = {#id, text, hint},
#include "err.def"
};

static const struct status_row *row_of(enum npu_status st)
{
    static const struct status_row unknown = {"NPU_E_?", "unknown status", ""};

    return (unsigned)st < NPU_N_STATUS ? &rows[st] : &unknown;
}

const char *npu_status_name(enum npu_status st)
{
    return row_of(st)->name;
}

const char *npu_status_text(enum npu_status st)
{
    return row_of(st)->text;
}

const char *npu_status_hint(enum npu_status st)
{
    return row_of(st)->hint;
}

enum npu_status npu_vfail(struct npu_diag *d, enum npu_status st, const char *fmt, va_list ap)
{
    if (d && d->status == NPU_OK) {
        d->status = st;
        (void)vsnprintf(d->text, sizeof d->text, fmt, ap);
    }
    return st;
}

enum npu_status npu_fail(struct npu_diag *d, enum npu_status st, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    npu_vfail(d, st, fmt, ap);
    va_end(ap);
    return st;
}
