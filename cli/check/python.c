/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python.c - Python sources, read by Python itself: one process prints facts for all files.
 *
 * A line a fact: file, line, kind, name, text, with tabs between; nothing is imported or run.
 */
#include "check.h"
#include "../proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char script[] =
    "import ast, sys\n"
    "def say(path, node, kind, name, text=''):\n"
    "    clean = ' '.join(str(text).split())\n"
    "    print(path, getattr(node, 'lineno', 1), kind, name, clean[:4000], sep='\\t')\n"
    "def dotted(node):\n"
    "    if isinstance(node, ast.Attribute):\n"
    "        head = dotted(node.value)\n"
    "        return head + '.' + node.attr if head else node.attr\n"
    "    return node.id if isinstance(node, ast.Name) else ''\n"
    "def body_kind(node):\n"
    "    rest = node.body[1:] if ast.get_docstring(node) is not None else node.body\n"
    "    if len(rest) == 1 and isinstance(rest[0], ast.Return) and isinstance(rest[0].value, "
    "ast.Call):\n"
    "        return 'return ' + dotted(rest[0].value.func)\n"
    "    return f'{len(rest)} statements'\n"
    "for path in sys.stdin.read().splitlines():\n"
    "    try:\n"
    "        tree = ast.parse(open(path, encoding='utf-8').read())\n"
    "    except SyntaxError as e:\n"
    "        print(path, e.lineno or 1, 'error', 'syntax', e.msg, sep='\\t')\n"
    "        continue\n"
    "    except (OSError, ValueError) as e:\n"
    "        print(path, 1, 'error', 'read', ' '.join(str(e).split()), sep='\\t')\n"
    "        continue\n"
    "    constants = {dotted(a.targets[0]): a.value.value for a in tree.body if isinstance(a, "
    "ast.Assign) and isinstance(a.targets[0], ast.Name) and isinstance(a.value, ast.Constant)}\n"
    "    for node in ast.walk(tree):\n"
    "        if isinstance(node, ast.Import):\n"
    "            for alias in node.names:\n"
    "                say(path, node, 'import', alias.name)\n"
    "        elif isinstance(node, ast.ImportFrom):\n"
    "            say(path, node, 'from', '.' * node.level + (node.module or ''), ','.join(a.name "
    "for a in node.names))\n"
    "        elif isinstance(node, ast.ClassDef):\n"
    "            say(path, node, 'class', node.name, ','.join(dotted(b) for b in node.bases))\n"
    "        elif isinstance(node, ast.FunctionDef):\n"
    "            say(path, node, 'def', node.name, body_kind(node))\n"
    "            say(path, node, 'doc', node.name, ast.get_docstring(node) or '')\n"
    "        elif isinstance(node, ast.Call):\n"
    "            args = [ast.unparse(a) for a in node.args]\n"
    "            args += [f'{k.arg}={ast.unparse(k.value)}' for k in node.keywords]\n"
    "            say(path, node, 'call', dotted(node.func), ', '.join(args))\n"
    "            if dotted(node.func) in ('setup', 'setuptools.setup'):\n"
    "                names = [constants.get(dotted(k.value), getattr(k.value, 'value', '-')) for "
    "k in node.keywords if k.arg == 'name']\n"
    "                say(path, node, 'setup', names[0] if names else '-', ', '.join(args))\n"
    "        elif isinstance(node, ast.Attribute) and dotted(node).startswith('torch.ops.'):\n"
    "            say(path, node, 'op', dotted(node))\n"
    "        elif isinstance(node, ast.Constant) and isinstance(node.value, str):\n"
    "            say(path, node, 'string', '-', node.value)\n";

static const struct src *source(const struct check *c, const char *path)
{
    for (size_t i = 0; i < c->src.n; i++)
        if (strcmp(c->src.at[i].path, path) == 0)
            return &c->src.at[i];
    return NULL;
}

static void add_fact(struct check *c, char *line)
{
    char *field[5] = {line};
    struct py_fact *fact = NULL;
    const struct src *s = NULL;

    for (size_t i = 1; i < 5; i++) {
        field[i] = field[i - 1] ? strchr(field[i - 1], '\t') : NULL;
        if (!field[i])
            return;
        *field[i]++ = '\0';
    }
    s = source(c, field[0]);
    if (!s)
        return;
    c->py.at = cli_room(c->py.at, c->py.n, &c->py.room, sizeof(*c->py.at));
    fact = &c->py.at[c->py.n++];
    *fact = (struct py_fact){.src = s, .line = (unsigned)strtoul(field[1], NULL, 10)};
    fact->kind = cli_fmt("%s", field[2]);
    fact->name = cli_fmt("%s", field[3]);
    fact->text = cli_fmt("%s", field[4]);
}

void python_read(struct check *c)
{
    const char *const argv[] = {"python3", "-W", "ignore", "-X", "utf8", "-c", script, NULL};
    char *names = NULL, *output = NULL, *rest = NULL, *line = NULL;
    size_t n_names = 0, n_files = 0;
    FILE *list = open_memstream(&names, &n_names);

    for (size_t i = 0; list && i < c->src.n; i++) {
        if (c->src.at[i].lang == LANG_PYTHON) {
            fprintf(list, "%s\n", c->src.at[i].path);
            n_files++;
        }
    }
    if (list)
        fclose(list);
    if (n_files && cli_filter(argv, names, n_names, &output) != 0)
        fprintf(stderr, "nputwin check: %zu Python files were not read: python3 %s\n", n_files,
                output && *output ? output : "is not on PATH; install it: apt install python3");
    else
        for (line = output ? strtok_r(output, "\n", &rest) : NULL; line;
             line = strtok_r(NULL, "\n", &rest))
            add_fact(c, line);
    free(names);
    free(output);
}
