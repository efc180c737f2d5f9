/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps.h - what `build`, `install`, `test` and `report` share: a package, the programs that are
 * run on it, here or in a container, and a record of what came of each.
 *
 *     struct work work;
 *     int code = work_open(&work, &line);            which package, which Python, which environment
 *     code = step_run(&work, "build", argv, folder, NULL); runs, prints how long it took, remembers
 *     work_close(&work);                             writes build/nputwin-steps.json
 */
#ifndef NPU_CLI_STEPS_H
#define NPU_CLI_STEPS_H
#include "mem.h"
#include "opt.h"

#include <cjson/cJSON.h>

enum work_layout { WORK_EXTENSION, WORK_AMCT, WORK_PROJECT, WORK_PLUGIN, WORK_DIRECT };

struct work {
    const struct cli_line *given;
    enum work_layout layout;
    char *dir;            /* absolute path of the package */
    char *name;           /* of its last folder */
    char *python;         /* --python, else python3 on PATH */
    char *engine;         /* docker or podman when --container is given, NULL here */
    char *inside;         /* where dir is in the container */
    struct cli_words env; /* NAME=VALUE, which a shell in the container does not inherit */
    cJSON *steps, *facts; /* facts: what tests saw of the platform; NULL */
};

/* Finds the package in the current folder or in --path, and sets the environment of a CANN (the
 * twin's when none is sourced). Says what is wrong and returns EXIT_USAGE or EXIT_FINDINGS. */
int work_open(struct work *work, const struct cli_line *line);
/* The container alone, with the shared folder as dir; given and steps are set. Says why not, and
 * keeps it in *why. */
int work_open_container(struct work *work, char **why);
/* Runs a program in a folder of the package ("" for the package itself). The record keeps the
 * command, the seconds and the exit code. What it prints goes to stderr, and is kept in output when
 * that is not NULL; the caller frees it. Returns EXIT_FINE or EXIT_FINDINGS. */
int step_run(struct work *work, const char *step, const char *const *argv, const char *folder,
             char **output);
/* Sets a variable for the programs of later steps, here or in the container. */
void work_setenv(struct work *work, const char *name, const char *value);
/* What a program prints, which is no step; its exit code, CLI_NOT_STARTED. The caller frees it. */
int work_ask(struct work *work, const char *const *argv, const char *folder, char **output);
/* A path below dir as the programs see it; the caller frees it. */
char *work_path(const struct work *work, const char *name);
/* A step that is no program: what was looked at, and whether it is right. */
int step_note(struct work *work, const char *step, bool is_right, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void work_close(struct work *work);
/* The record of an earlier command, NULL when there is none. The caller deletes it. */
cJSON *work_record(const char *dir);
/* The wheel of a package that was built last, NULL; the caller frees it. build.c */
char *newest_wheel(const char *dir);

#endif
