/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor.c - `nputwin doctor`: is this machine ready, and what mends it if it is not?
 *
 * With --so, --op or --build-record it answers that question alone.
 */
#include "doctor/doctor.h"
#include "rule.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

static void add(struct doctor *d, enum state state, const char *code, const char *fix,
                const char *fmt, va_list ap)
{
    d->line = cli_room(d->line, d->n, &d->room, sizeof(*d->line));
    d->line[d->n++] =
        (struct line){state, code, cli_vfmt(fmt, ap), fix ? cli_fmt("%s", fix) : NULL, {0}};
}

void fine(struct doctor *d, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add(d, STATE_FINE, NULL, NULL, fmt, ap);
    va_end(ap);
}

void problem(struct doctor *d, const char *code, const char *fix, const char *fmt, ...)
{
    const struct cli_rule *rule = cli_rule_find(code);
    va_list ap;

    va_start(ap, fmt);
    add(d, rule && rule->severity != CLI_ERROR ? STATE_DOUBT : STATE_BROKEN, code, fix, fmt, ap);
    va_end(ap);
}

void fix_by_pip(struct doctor *d, const char *package)
{
    struct cli_words *run = &d->line[d->n - 1].run;

    cli_word_add(run, "%s", d->python);
    cli_word_add(run, "-m");
    cli_word_add(run, "pip");
    cli_word_add(run, "install");
    cli_word_add(run, "%s", package);
}

static const char *const states[] = {"ok", "warning", "error"};

static void print_text(const struct doctor *d)
{
    for (size_t i = 0; i < d->n; i++) {
        const struct line *line = &d->line[i];

        printf("%-7s %s%s%s\n", states[line->state], line->code ? line->code : "",
               line->code ? " " : "", line->what);
        if (line->fix)
            printf("        fix: %s\n", line->fix);
    }
}

static void print_json(const struct doctor *d)
{
    cJSON *root = cJSON_CreateObject(), *list = NULL;
    char *text = NULL;

    cJSON_AddNumberToObject(root, "schema_version", CLI_SCHEMA_VERSION);
    cJSON_AddStringToObject(root, "kind", "doctor");
    list = cJSON_AddArrayToObject(root, "items");
    for (size_t i = 0; i < d->n; i++) {
        cJSON *item = cJSON_CreateObject();

        cJSON_AddStringToObject(item, "state", states[d->line[i].state]);
        if (d->line[i].code)
            cJSON_AddStringToObject(item, "code", d->line[i].code);
        cJSON_AddStringToObject(item, "what", d->line[i].what);
        if (d->line[i].fix)
            cJSON_AddStringToObject(item, "fix", d->line[i].fix);
        cJSON_AddItemToArray(list, item);
    }
    text = cJSON_Print(root);
    printf("%s\n", text ? text : "");
    cJSON_free(text);
    cJSON_Delete(root);
}

static size_t count(const struct doctor *d, enum state state)
{
    size_t n = 0;

    for (size_t i = 0; i < d->n; i++)
        n += d->line[i].state == state;
    return n;
}

static void forget(struct doctor *d)
{
    for (size_t i = 0; i < d->n; i++) {
        free(d->line[i].what);
        free(d->line[i].fix);
        cli_words_finish(&d->line[i].run);
    }
    free(d->line);
    free(d->python_version);
    free(d->torch);
    free(d->torch_npu);
    free(d->torch_dir);
    free(d->npu_dir);
    free(d->twin_home);
    work_close(&d->work);
    *d = (struct doctor){.given = d->given, .python = d->python};
}

/* Runs what the lines carry; returns how many commands succeeded. */
static size_t run_fixes(struct doctor *d)
{
    size_t n = 0;

    for (size_t i = 0; i < d->n; i++) {
        const struct cli_words *run = &d->line[i].run;

        if (run->n)
            n += step_run(&d->work, d->line[i].code, (const char *const *)run->at, "/", NULL) ==
                 EXIT_FINE;
        else if (d->line[i].state != STATE_FINE)
            fprintf(stderr, "nputwin doctor: %s: not mended by --fix%s%s\n", d->line[i].code,
                    d->line[i].fix ? "; by hand: " : "", d->line[i].fix ? d->line[i].fix : "");
    }
    return n;
}

/* One question alone, or all of them. */
static void look(struct doctor *d, const struct cli_line *line)
{
    bool is_question = cli_value(line, "so") || cli_value(line, "op") ||
                       cli_value(line, "build-record") || cli_value(line, "assume");

    d->work.given = line;
    d->work.steps = cJSON_CreateArray();
    if (cli_value(line, "container") && !look_at_container(d))
        return;
    look_at_python(d);
    if (cli_value(line, "so"))
        look_at_so(d);
    if (cli_value(line, "op"))
        look_at_op(d, cli_value(line, "op"));
    if (cli_value(line, "build-record") || cli_value(line, "assume") || !is_question)
        look_at_versions(d);
    if (is_question)
        return;
    if (cli_value(line, "container")) {
        look_at_device(d);
        return;
    }
    look_at_libraries(d);
    look_at_machine(d);
    if (!cli_value(line, "cann-search"))
        look_at_device(d);
}

int cmd_doctor(int argc, char **argv)
{
    static const char *const here_only[] = {"so", "op", "build-record", "cann-search"};
    struct cli_line line;
    struct doctor doctor = {.given = &line};
    int code = cli_parse(&line, CLI_MIXED, argc, argv);

    if (code != EXIT_FINE)
        return code;
    if (line.n_words)
        return cli_usage_error("doctor", "takes no '%s'", line.words[0]);
    doctor.python = cli_value(&line, "python") ? cli_value(&line, "python") : "python3";
    if (cli_value(&line, "container"))
        for (size_t i = 0; i < sizeof(here_only) / sizeof(here_only[0]); i++)
            if (cli_value(&line, here_only[i]))
                return cli_usage_error("doctor",
                                       "--%s asks about files here, --container about a "
                                       "container: one of them",
                                       here_only[i]);
    look(&doctor, &line);
    if (cli_value(&line, "fix") && run_fixes(&doctor)) {
        forget(&doctor);
        look(&doctor, &line);
    }
    if (cli_value(&line, "json"))
        print_json(&doctor);
    else
        print_text(&doctor);
    fprintf(stderr, "nputwin doctor: %zu errors, %zu warnings\n", count(&doctor, STATE_BROKEN),
            count(&doctor, STATE_DOUBT));
    code = count(&doctor, STATE_BROKEN) ? EXIT_FINDINGS : EXIT_FINE;
    forget(&doctor);
    return code;
}
