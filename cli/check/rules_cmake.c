/* SPDX-License-Identifier: Apache-2.0 */
/* rules_cmake.c - the chip a build is for, and what is linked. */
#include "check.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* SOC_VERSION names and the code that runs on them. One family: one binary. */
static const struct soc_row {
    const char *prefix, *family; /* the longest prefix wins, in any case */
} soc_rows[] = {
    {"ascend910b1", "c220"},   {"ascend910b2", "c220"},       {"ascend910b3", "c220"},
    {"ascend910b4", "c220"},   {"ascend910_93", "c220"},      {"ascend950", "c310"},
    {"ascend350", "c310"},     {"ascend310p", "m200"},        {"ascend310b", "m300"},
    {"ascend910a", "c100"},    {"ascend910proa", "c100"},     {"ascend910b", "c100"},
    {"ascend910prob", "c100"}, {"ascend910premiuma", "c100"},
};

static const char *family_of(const char *soc)
{
    const char *family = NULL;
    size_t longest = 0;

    for (size_t i = 0; i < sizeof(soc_rows) / sizeof(soc_rows[0]); i++) {
        size_t n = strlen(soc_rows[i].prefix);

        if (n > longest && strncasecmp(soc, soc_rows[i].prefix, n) == 0) {
            longest = n;
            family = soc_rows[i].family;
        }
    }
    return family;
}

static void one_soc(struct check *c, const struct command *command, const char *soc)
{
    const struct src *s = command->src;
    const char *family = family_of(soc), *device = c->device_soc ? family_of(c->device_soc) : NULL;

    if (strcasecmp(soc, "Ascendxxxyy") == 0) {
        if (report(c, "NTL060", s, command->at, "SOC_VERSION is still the placeholder %s", soc))
            hint(c, "the name in `npu-smi info` with Ascend before it, as Ascend910B2");
    } else if (strcasecmp(soc, "Ascend910B") == 0) {
        if (report(c, "NTL061", s, command->at,
                   "SOC_VERSION %s names the first generation of 910, not an A2", soc))
            hint(c, "Ascend910B1 to Ascend910B4 for A2");
    } else if (*soc && !strchr(soc, '$') && !family) {
        if (report(c, "NTL062", s, command->at, "SOC_VERSION %s is no chip", soc))
            hint(c, "`nputwin list soc` names those of the twin");
    }
    if (!family || !device || strcasecmp(soc, c->device_soc) == 0)
        return;
    if (strcmp(family, device) == 0)
        report(c, "NTL064", s, command->at,
               "built for %s, the device is %s: one family (%s), one binary", soc, c->device_soc,
               family);
    else if (report(c, "NTL063", s, command->at,
                    "built for %s (%s), the device is %s (%s): other code", soc, family,
                    c->device_soc, device))
        hint(c, "rebuild with SOC_VERSION=%s", c->device_soc);
}

static void chip_of_build(struct check *c)
{
    for (size_t i = 0; i < c->command.n; i++) {
        const struct command *command = &c->command.at[i];

        if (strcmp(command->name, "set") == 0 && command->args.n >= 2 &&
            strcmp(command->args.at[0], "SOC_VERSION") == 0)
            one_soc(c, command, command->args.at[1]);
    }
}

/* A vendor's directory that only exists on the machine where it was written down (C09). */
static void fixed_vendor_path(struct check *c)
{
    for (size_t i = 0; i < c->command.n; i++) {
        const struct command *command = &c->command.at[i];

        for (size_t a = 0; a < command->args.n; a++)
            if (command->args.at[a][0] == '/' && strstr(command->args.at[a], "/vendors/") &&
                report(c, "NTL072", command->src, command->at, "%s is a path of one machine",
                       command->args.at[a]))
                hint(c, "install below $ASCEND_OPP_PATH/vendors, or set ASCEND_CUSTOM_OPP_PATH");
    }
}

static void language_before_package(struct check *c)
{
    for (size_t i = 0; i < c->command.n; i++) {
        const struct command *project = &c->command.at[i];
        bool has_asc = false, is_found = false;

        if (strcmp(project->name, "project") != 0)
            continue;
        for (size_t a = 0; a < project->args.n; a++)
            has_asc |= strcmp(project->args.at[a], "ASC") == 0;
        for (size_t j = 0; j < c->command.n; j++)
            is_found |= c->command.at[j].src == project->src && c->command.at[j].at < project->at &&
                        strcmp(c->command.at[j].name, "find_package") == 0 &&
                        c->command.at[j].args.n && strcmp(c->command.at[j].args.at[0], "ASC") == 0;
        if (has_asc && !is_found &&
            report(c, "NTL075", project->src, project->at,
                   "project() asks for the language ASC before find_package(ASC) has taught it"))
            hint(c, "find_package(ASC REQUIRED) above project()");
    }
}

/* Every library of kernels must be linked into something, or its launch header links to nothing. */
static void kernels_not_linked(struct check *c)
{
    for (size_t i = 0; i < c->command.n; i++) {
        const struct command *library = &c->command.at[i];
        bool is_linked = false;

        if (strcmp(library->name, "ascendc_library") != 0 || !library->args.n)
            continue;
        for (size_t j = 0; j < c->command.n; j++)
            for (size_t a = 1; a < c->command.at[j].args.n; a++)
                is_linked |= strcmp(c->command.at[j].name, "target_link_libraries") == 0 &&
                             strcmp(c->command.at[j].args.at[a], library->args.at[0]) == 0;
        if (!is_linked && package_of(c, library->src->name) &&
            report(c, "NTL068", library->src, library->at, "%s is built and linked into nothing",
                   library->args.at[0]))
            hint(c, "target_link_libraries(<extension> PRIVATE %s)", library->args.at[0]);
    }
}

static void unclosed_command(struct check *c)
{
    for (size_t i = 0; i < c->command.n; i++)
        if (c->command.at[i].is_open &&
            report(c, "NTL059", c->command.at[i].src, c->command.at[i].at,
                   "the ) of %s( is missing", c->command.at[i].name))
            hint(c, "close it, or the one inside that took its )");
}

const struct check_rule cmake_rules[] = {
    {"NTL059", unclosed_command},        {"NTL060", chip_of_build},
    {"NTL068", kernels_not_linked},      {"NTL072", fixed_vendor_path},
    {"NTL075", language_before_package}, {0},
};
