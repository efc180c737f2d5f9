/* SPDX-License-Identifier: Apache-2.0 */
/*
 * new.c - `nputwin new op NAME`: a package that builds and passes its test at once.
 *
 * The templates are the packages of ops/, which our own tests build and run; here their names are
 * replaced. Nothing that exists is ever written to.
 */
#include "new/new.h"
#include "file.h"
#include "opdef.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const struct template templates[] = {
#define TEMPLATE(pattern, route, gen, layout, type, parts, word, more, without)                    \
    {pattern, route, gen, layout, type, parts, word, more, without},
#define REFUSE(pattern, route, gen, layout, why)
#include "template.def"
};
enum { N_TEMPLATES = sizeof(templates) / sizeof(templates[0]) };

static const struct refusal {
    const char *pattern, *route, *gen, *layout, *why;
} refusals[] = {
#define TEMPLATE(pattern, route, gen, layout, type, parts, word, more, without)
#define REFUSE(pattern, route, gen, layout, why) {pattern, route, gen, layout, why},
#include "template.def"
};

char *camel(const char *name)
{
    char *text = cli_fmt("%s", name), *to = text;
    bool is_start = true;

    for (const char *at = name; *at; at++) {
        if (*at == '_') {
            is_start = true;
        } else {
            *to++ = is_start ? (char)toupper((unsigned char)*at) : *at;
            is_start = false;
        }
    }
    *to = '\0';
    return text;
}

/* "from=to from=to": in to, $ is the name and @ the name in CamelCase; % is a blank. Longer words
 * stand first, so that none hides in another. */
static void read_names(struct names *names, const struct template *t, const char *name)
{
    char *from = camel(t->word), *to = camel(name), *upper = cli_fmt("%s", name), *text = NULL;
    size_t size = 0;

    for (char *at = upper; *at; at++)
        *at = (char)toupper((unsigned char)*at);

    for (const char *at = t->more; *at; at += strspn(at, " ")) {
        for (int side = 0; side < 2; side++) {
            FILE *out = open_memstream(&text, &size);

            for (; out && *at && !strchr(side ? " " : "=", *at); at++)
                *at == '$'   ? fputs(name, out)
                : *at == '@' ? fputs(to, out)
                : *at == '^' ? fputs(upper, out)
                : *at == '%' ? fputc(' ', out)
                             : fputc(*at, out);
            if (out)
                fclose(out);
            cli_word_add(side ? &names->to : &names->from, "%s", text);
            free(text);
            at += !side && *at == '=';
        }
    }
    cli_word_add(&names->from, "%s", t->word);
    cli_word_add(&names->to, "%s", name);
    cli_word_add(&names->from, "%s", from);
    cli_word_add(&names->to, "%s", to);
    free(from);
    free(to);
    free(upper);
}

static char *renamed(const struct names *names, const char *text)
{
    char *out = NULL;
    size_t n = 0;
    FILE *all = open_memstream(&out, &n);

    while (all && *text) {
        size_t i = 0;

        while (i < names->from.n &&
               strncmp(text, names->from.at[i], strlen(names->from.at[i])) != 0)
            i++;
        if (i < names->from.n) {
            fputs(names->to.at[i], all);
            text += strlen(names->from.at[i]);
        } else {
            fputc(*text++, all);
        }
    }
    if (all)
        fclose(all);
    return out ? out : cli_fmt("%s", "");
}

static bool is_word(const char *words, const char *word)
{
    for (size_t n = 0; *words; words += n + (words[n] == ' ')) {
        n = strcspn(words, " ");
        if (strlen(word) == n && strncmp(words, word, n) == 0)
            return true;
    }
    return false;
}

/* Whether text holds one of the words, in any case. */
static bool has_any(const char *text, const char *words)
{
    for (size_t n = 0; *words; words += n + (words[n] == ' ')) {
        char *word = cli_fmt("%.*s", (int)(n = strcspn(words, " ")), words);
        bool is_in = strcasestr(text, word) != NULL;

        free(word);
        if (is_in)
            return true;
    }
    return false;
}

/* A name becomes a C++ function, a Python module and a file. */
static int check_name(const char *name)
{
    static const char keywords[] =
        "and as assert async await break class continue def del elif else except finally for "
        "from global if import in is lambda nonlocal not or pass raise return try while with "
        "yield auto bool case char const default delete do double enum explicit extern float "
        "friend goto inline int long mutable namespace new operator private protected public "
        "short signed sizeof static struct switch template this throw typedef union unsigned "
        "using virtual void volatile torch test setup";
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");

    if (name[n] || !islower((unsigned char)name[0]) || n > 48)
        return cli_usage_error("new",
                               "'%s': a name has small letters, digits and _, starts with a letter "
                               "and is at most 48 long",
                               name);
    if (is_word(keywords, name))
        return cli_usage_error("new", "'%s' is a word of Python or C++", name);
    if (strncmp(name, "my_", 3) == 0)
        return cli_usage_error("new", "'%s' is a name of an example: name what the operator does",
                               name);
    return EXIT_FINE;
}

static const char *value_or(const struct cli_line *line, const char *option, const char *otherwise)
{
    const char *value = cli_value(line, option);

    return value ? value : otherwise;
}

static bool fits(const char *given, const char *of_row)
{
    return !given || strcasecmp(given, of_row) == 0;
}

/* The row whose tree is nearest to a type that none is made for: its texts are written from the
 * type's row. */
static bool fits_type(const struct template *t, const char *type)
{
    return !type || strcmp(t->type, type) == 0;
}

const struct template *new_template(const struct wish *wish, const struct optype **type)
{
    for (int is_any = 0; is_any < 2; is_any++)
        for (size_t i = 0; i < N_TEMPLATES; i++) {
            const struct template *t = &templates[i];

            if (!fits(wish->pattern, t->pattern) || !fits(wish->route, t->route) ||
                !fits(wish->layout, t->layout) ||
                (!fits(wish->gen, t->gen) && strcasecmp(t->pattern, "C") != 0))
                continue; /* Pattern C compiles no kernel: it is of any generation */
            if (fits_type(t, wish->type))
                return t;
            *type = !is_any || !*t->type ? NULL : wish->own ? wish->own : optype_find(wish->type);
            if (*type)
                return t;
        }
    return NULL;
}

/* Why there is no template, NULL when a word of the command line is none that there is. */
static const char *why_not(const struct wish *wish)
{
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        const struct refusal *r = &refusals[i];

        if ((!*r->pattern || fits(wish->pattern, r->pattern)) &&
            (!*r->route || fits(wish->route, r->route)) &&
            (!*r->gen || (wish->gen && fits(wish->gen, r->gen))) &&
            (!*r->layout || fits(wish->layout, r->layout)))
            return r->why;
    }
    return NULL;
}

static int refuse(const struct wish *wish)
{
    const char *near = wish->type && !is_built_in(wish->type) ? optype_near(wish->type) : NULL,
               *why = why_not(wish);

    if (wish->type && !why)
        return cli_usage_error("new",
                               "--optype %s: nothing can be written for operator type %s%s%s%s "
                               "What `nputwin list aclop` "
                               "has can, and what the project in this folder registers with OP_ADD",
                               wish->type, wish->type, near ? "; did you mean " : "",
                               near ? near : "", near ? "?" : ".");
    return cli_usage_error("new", "pattern %s, route %s, generation %s, layout %s: %s",
                           wish->pattern, wish->route, wish->gen ? wish->gen : "7 or 26",
                           wish->layout, why ? why : "see nputwin new --help");
}

static int check_word(const struct cli_line *line, const char *option, const char *words)
{
    const char *value = cli_value(line, option);

    return !value || is_word(words, value)
               ? EXIT_FINE
               : cli_usage_error("new", "--%s %s: one of %s", option, value, words);
}

/* An operator that the project here registers with OP_ADD. */
static int find_own(struct wish *wish)
{
    struct check project = {0};
    char *why = NULL;
    int code = EXIT_FINE;

    if (check_read_all(&project, "new", NULL, 0))
        wish->own = opdef_read(&project, wish->type, &why);
    check_finish(&project);
    if (why)
        code = cli_usage_error("new", "--optype %s: %s", wish->type, why);
    free(why);
    return code;
}

static int choose(const struct cli_line *line, struct copy *copy)
{
    int code = EXIT_FINE;
    struct wish wish = {value_or(line, "pattern", cli_value(line, "optype") ? "C" : "A"),
                        value_or(line, "route", "library"),
                        cli_value(line, "gen"),
                        value_or(line, "layout", "extension"),
                        cli_value(line, "optype"),
                        NULL};

    if (strcmp(wish.route, "opcommand") == 0 && !cli_value(line, "pattern"))
        wish.pattern = "C";
    if (strcmp(wish.route, "opcommand") == 0 && strcasecmp(wish.pattern, "C") == 0)
        wish.route = "library"; /* Pattern C has no other way */
    if (wish.type && strcasecmp(wish.pattern, "C") != 0)
        return cli_usage_error("new",
                               "--optype %s calls an installed operator: --pattern C, not %s",
                               wish.type, wish.pattern);
    if (wish.type && !is_built_in(wish.type))
        code = find_own(&wish);
    if (code != EXIT_FINE)
        return code;
    copy->t = why_not(&wish) ? NULL : new_template(&wish, &copy->type);
    return copy->t ? EXIT_FINE : refuse(&wish);
}

/* ---- what is copied ---- */

/* Where the templates lie: below the prefix that this command belongs to. */
static char *template_root(void)
{
    char home[CLI_PATH_BYTES];

    return cli_find_home(home) ? cli_fmt("%s/tools/nputwin/ops", home) : NULL;
}

/* A file alone: PATH goes to the top of the tree, PATH@DIR into that folder. */
static void list_file(struct copy *copy, const char *path, const char *dir, const char *target)
{
    char *to = renamed(&copy->names, strrchr(path, '/') + 1);

    cli_word_add(&copy->from, "%s", path);
    cli_word_add(&copy->to, "%s%s%s%s%s", target, *target ? "/" : "", dir, *dir ? "/" : "", to);
    free(to);
}

/* Whether another part is a folder too: they then keep their paths. */
static bool has_folders(const char *root, const char *parts)
{
    size_t n_folders = 0;

    for (size_t n = 0; *parts; parts += n + (parts[n] == ' ')) {
        char *path = cli_fmt("%s/%.*s", root, (int)(n = strcspn(parts, " ")), parts);

        n_folders += cli_is_folder(path);
        free(path);
    }
    return n_folders > 1;
}

static void list_part(struct copy *copy, const char *root, const char *part, size_t n_part,
                      const char *target)
{
    char *word = cli_fmt("%.*s", (int)n_part, part), *at = strchr(word, '@');
    char *dir = cli_fmt("%s/%.*s", root, (int)strcspn(word, "@"), word);
    bool is_alone = !has_folders(root, copy->t->parts);
    struct cli_words files = {0};

    if (cli_is_file(dir))
        list_file(copy, dir, at ? at + 1 : "", target);
    cli_walk(dir, &files);
    for (size_t i = 0; i < files.n; i++) {
        char *name = is_alone ? cli_fmt("%s", files.at[i])
                              : cli_fmt("%.*s/%s", (int)n_part, part, files.at[i]);
        char *to = renamed(&copy->names, name);

        if (!has_any(name, copy->t->without)) {
            cli_word_add(&copy->from, "%s/%s", dir, files.at[i]);
            cli_word_add(&copy->to, "%s%s%s", target, *target ? "/" : "", to);
        }
        free(name);
        free(to);
    }
    cli_words_finish(&files);
    free(word);
    free(dir);
}

bool new_list(struct copy *copy, const char *target)
{
    char *root = template_root();
    const char *part = copy->t->parts;

    read_names(&copy->names, copy->t, copy->name);
    while (root && *part) {
        size_t n = strcspn(part, " ");

        list_part(copy, root, part, n, target);
        part += n + (part[n] == ' ');
    }
    if (!copy->from.n)
        fprintf(stderr, "nputwin new: no template at %s/%s: `make prefix` lays it down\n",
                root ? root : "(no twin)", copy->t->parts);
    free(root);
    return copy->from.n > 0;
}

void copy_finish(struct copy *copy)
{
    cli_words_finish(&copy->names.from);
    cli_words_finish(&copy->names.to);
    cli_words_finish(&copy->from);
    cli_words_finish(&copy->to);
}

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Without the lines that name another operator. */
static char *without_lines(const char *text, const char *words)
{
    char *out = NULL;
    size_t size = 0;
    FILE *all = open_memstream(&out, &size);

    while (all && *text) {
        size_t n = strcspn(text, "\n");
        char *line = cli_fmt("%.*s", (int)n, text);

        n += text[n] == '\n';
        if (!has_any(line, words))
            fwrite(text, 1, n, all);
        free(line);
        text += n;
    }
    if (all)
        fclose(all);
    return out ? out : cli_fmt("%s", "");
}

static char *direct_readme(const char *name)
{
    return cli_fmt(
        "# %s, without torch\n\n```\n %s.asc          main: device memory, <<<>>>, the same on the "
        "CPU, exit code\n %s_custom.cpp   the kernel\n device.h         memory, copies, "
        "comparison\n```\nThe kernel includes neither torch nor ACL, so one command builds it with "
        "its main:\n```\nsource $ASCEND_HOME_PATH/set_env.sh\nbisheng -x asc --npu-arch=dav-2201 "
        "-O2 "
        "%s.asc -o %s -lplatform    # dav-3510 for A5\n./%s\n```\nIt prints how many elements are "
        "wrong and "
        "ends "
        "with 0 when none is. `nputwin build && nputwin test` do the same.\n",
        name, name, name, name, name, name);
}

/* The text of a file that is not copied: what an operator type's row decides. NULL: it is copied.
 */
static char *written(const struct copy *copy, const char *to)
{
    static const struct {
        const char *end;
        char *(*text)(const struct optype *, const char *, struct optype_how);
    } rows[] = {{"/pybind.cpp", optype_pybind},
                {".cpp", optype_host},
                {"/__init__.py", optype_init},
                {"/test/test.py", optype_test},
                {"/README.md", optype_readme}};

    struct optype_how how = {strcmp(copy->t->route, "pybind") == 0, copy->has_gradient};

    if (strcmp(copy->t->route, "direct") == 0 && ends_in(to, "/README.md"))
        return direct_readme(copy->name);
    for (size_t i = 0; copy->type && i < sizeof(rows) / sizeof(rows[0]); i++)
        if (ends_in(to, rows[i].end))
            return rows[i].text(copy->type, copy->name, how);
    return NULL;
}

char *new_text(const struct copy *copy, size_t i)
{
    char *text = NULL, *kept = NULL, *out = written(copy, copy->to.at[i]);

    if (out)
        return out;
    text = cli_read(copy->from.at[i], NULL);
    if (!text)
        return NULL;
    kept = *copy->t->without && ends_in(copy->from.at[i], ".md")
               ? without_lines(text, copy->t->without)
               : cli_fmt("%s", text);
    out = renamed(&copy->names, kept);
    free(text);
    free(kept);
    return out;
}

static int write_one(const struct copy *copy, size_t i)
{
    const char *to = copy->to.at[i];
    char *text = new_text(copy, i);
    int code = EXIT_FINE;

    if (!text || !cli_write_new(to, text, strlen(text)) ||
        (ends_in(to, ".sh") && !cli_make_program(to))) {
        fprintf(stderr, "nputwin new: %s: %s\n", text ? to : copy->from.at[i], strerror(errno));
        code = EXIT_FINDINGS;
    }
    free(text);
    return code;
}

int write_all(const struct copy *copy, bool is_dry)
{
    int code = EXIT_FINE;

    for (size_t i = 0; i < copy->to.n; i++) {
        if (access(copy->to.at[i], F_OK) == 0) {
            fprintf(stderr, "nputwin new: %s exists, and nothing that exists is written to\n",
                    copy->to.at[i]);
            return EXIT_FINDINGS;
        }
    }
    for (size_t i = 0; i < copy->to.n && code == EXIT_FINE; i++) {
        printf("%s\n", copy->to.at[i]);
        code = is_dry ? EXIT_FINE : write_one(copy, i);
    }
    return code;
}

/* framework/NAME_extension of an operator project that has framework/, else ./NAME_extension; the
 * folders of amct_ops lie right here. */
static char *place(const struct template *t, const char *name, const char *plugin)
{
    char *examples = plugin ? plugin_examples(plugin) : NULL;
    char *dir = examples ? cli_fmt("%s/%s_extension", examples, name)
                : strcmp(t->layout, "amct") == 0
                    ? cli_fmt("%s", "")
                    : cli_fmt("%s%s_%s", cli_is_folder("framework") ? "framework/" : "", name,
                              strcmp(t->route, "direct") == 0 ? "direct" : "extension");

    free(examples);
    return dir;
}

/* Whether a package of that layout is there already. */
static bool has_package(const struct template *t, const char *dir)
{
    char *mark = cli_fmt("%s%s%s", dir, *dir ? "/" : "",
                         strcmp(t->layout, "amct") == 0    ? "amct_ops/ops_build.sh"
                         : strcmp(t->route, "direct") == 0 ? "device.h"
                                                           : "setup.py");
    bool is_there = cli_is_file(mark);

    free(mark);
    return is_there;
}

/* Where the files go, and whether they are added to what is there. */
static int write_to(struct copy *copy, const struct cli_line *line)
{
    const char *into = cli_value(line, "into"), *plugin = NULL;
    bool is_dry = cli_value(line, "dry-run") != NULL,
         is_plugin = is_word("b B", value_or(line, "plan", "a"));
    char *root = cli_fmt("%s", into ? into : ""), *target = NULL;
    int code = EXIT_FINE;

    for (size_t n = strlen(root); n > 1 && root[n - 1] == '/';) /* DIR/ is DIR */
        root[--n] = '\0';
    if (strcmp(root, ".") == 0)
        *root = '\0';
    plugin = is_plugin ? root : NULL;
    target = into && !plugin ? cli_fmt("%s", root) : place(copy->t, copy->name, plugin);
    code = new_list(copy, target) ? EXIT_FINE : EXIT_FINDINGS;
    if (code == EXIT_FINE)
        code = plugin                                 ? add_to_plugin(copy, plugin, is_dry)
               : into && has_package(copy->t, target) ? add_to_package(copy, target, is_dry)
                                                      : write_all(copy, is_dry);
    if (code == EXIT_FINE && !is_dry)
        fprintf(stderr,
                "nputwin new: %s is ready; %s%sREADME.md has the commands to build and test it\n",
                copy->name, target, *target ? "/" : "");
    if (code == EXIT_FINE && !is_dry && copy->type)
        optype_say_guesses(copy->type);
    if (code == EXIT_FINE && !is_dry && plugin)
        fprintf(stderr,
                "nputwin new: `nputwin build npu_%s --path %s` compiles the file of op_plugin/ops; "
                "it is "
                "not linked into torch_npu here\n",
                copy->name, *root ? root : ".");
    free(target);
    free(root);
    return code;
}

/* torch_npu has no operators by name on A5. */
static bool is_950(void)
{
    const char *soc = getenv("SOC_VERSION");

    soc = soc && *soc ? soc : getenv("NPUTWIN_SOC");
    return soc && strncasecmp(soc, "ascend950", 9) == 0;
}

static int check_plan(const struct cli_line *line, const struct template *t)
{
    const char *plan = value_or(line, "plan", "a");

    if (strcmp(t->pattern, "C") == 0 && is_950())
        return cli_usage_error("new", "Pattern C calls an operator by its name, which torch_npu "
                                      "disables on Ascend950, the chip of SOC_VERSION or "
                                      "NPUTWIN_SOC: EXEC_NPU_CMD_EXT of the aclnn entry is the way "
                                      "there");
    if (is_word("b B", plan) &&
        (strcmp(t->layout, "extension") != 0 || strcmp(t->route, "library") != 0))
        return cli_usage_error("new",
                               "--plan b is op-plugin's tree: route library, layout extension; "
                               "not route %s, layout %s",
                               t->route, t->layout);
    return EXIT_FINE;
}

/* Trees with a kernel or a template of their own have a gradient anyhow. */
static int check_gradient(const struct cli_line *line, struct copy *copy)
{
    const char *why =
        strcmp(copy->t->route, "direct") == 0  ? "a program without torch has no gradient"
        : strcmp(copy->t->layout, "amct") == 0 ? "codes of 8 and 4 bits have no gradient"
        : is_word("b B", value_or(line, "plan", "a"))
            ? "gradients of op-plugin are entries of op_plugin/config/derivatives.yaml, "
              "which are written by hand"
        : copy->type && optype_is_own(copy->type)
            ? "the formula of an operator of a project is not known: "
              "torch.library.register_autograd in its __init__.py is where it goes"
        : copy->type ? optype_no_gradient(copy->type)
                     : NULL;

    copy->has_gradient = true;
    return why ? cli_usage_error("new", "--autograd: %s", why) : EXIT_FINE;
}

static int check_words(const struct cli_line *line)
{
    static const struct {
        const char *option, *words;
    } rows[] = {{"pattern", "A B C a b c"},
                {"route", "library pybind opcommand direct"},
                {"gen", "7 26"},
                {"layout", "extension amct"},
                {"plan", "a b A B"}};
    int code = EXIT_FINE;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && code == EXIT_FINE; i++)
        code = check_word(line, rows[i].option, rows[i].words);
    return code;
}

static int new_op(const struct cli_line *line, const char *name)
{
    struct copy copy = {.name = name};
    int code = check_words(line);

    if (code != EXIT_FINE)
        return code;
    code = choose(line, &copy);
    if (!copy.t) /* why has been said */
        return code;
    code = check_plan(line, copy.t);
    if (code == EXIT_FINE && cli_value(line, "autograd"))
        code = check_gradient(line, &copy);
    if (code == EXIT_FINE)
        code = write_to(&copy, line);
    copy_finish(&copy);
    return code;
}

int cmd_new(int argc, char **argv)
{
    struct cli_line line;
    int code = cli_parse(&line, CLI_MIXED, argc, argv);

    if (code != EXIT_FINE)
        return code;
    if (line.n_words != 2 || strcmp(line.words[0], "op") != 0)
        return cli_usage_error("new", "takes the word op and a name: nputwin new op scale_rows");
    code = check_name(line.words[1]);
    return code == EXIT_FINE ? new_op(&line, line.words[1]) : code;
}
