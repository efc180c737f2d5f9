/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor.h - what `nputwin doctor` asks of a machine, and how it answers.
 *
 *     python.c  versions of Python, torch and torch_npu, without importing them; the matrix
 *     libs.c    which libraries torch_npu needs and where each is found
 *     so.c      --so: is this library built for the torch that is installed?
 *     op.c      --op: where does this aclnn name come from?
 *     container.c  the same of a container: everything is asked inside
 *     machine.c compiler, chip, driver, environment
 *
 * A probe adds one line for each thing it looked at: fine, doubtful or broken with the way to mend
 * it.
 */
#ifndef NPU_CLI_DOCTOR_H
#define NPU_CLI_DOCTOR_H
#include "../mem.h"
#include "../opt.h"
#include "../steps.h"

enum state { STATE_FINE, STATE_DOUBT, STATE_BROKEN };

struct line {
    enum state state;
    const char *code; /* of rule.def; NULL when it is fine */
    char *what, *fix;
    struct cli_words run; /* what --fix runs: it adds, and replaces nothing */
};

struct doctor {
    const struct cli_line *given;
    const char *python; /* --python, else python3 */
    struct work work;   /* where programs are asked: here, or in the container */
    struct line *line;
    size_t n, room;
    /* what python.c found; NULL: not installed or not known */
    bool has_expecttest;
    char *python_version, *torch, *torch_npu, *torch_dir, *npu_dir;
    bool is_twin; /* the import hook of the twin is in that Python, and wanted */
    char *twin_home;
};

void fine(struct doctor *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* code: of rule.def, which gives state; fix may be NULL. */
void problem(struct doctor *d, const char *code, const char *fix, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* What --fix does about the problem added last: `python -m pip install PACKAGE`. */
void fix_by_pip(struct doctor *d, const char *package);

void look_at_python(struct doctor *d);
/* --container: opens it, with a line for each thing that is not as it must be. False: nothing can
 * be asked there. */
bool look_at_container(struct doctor *d);
void look_at_versions(struct doctor *d); /* the pair, the matrix, a build record */
void look_at_libraries(struct doctor *d);
void look_at_machine(struct doctor *d);
void look_at_device(struct doctor *d); /* imports torch_npu in a process of its own */
void look_at_so(struct doctor *d);
void look_at_op(struct doctor *d, const char *name);
/* The value of --assume NAME=..., NULL. */
const char *assumed(const struct doctor *d, const char *name);

#endif
