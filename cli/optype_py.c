/* SPDX-License-Identifier: Apache-2.0 */
/* optype_py.c - the Python side of an operator type's package, and its README. */
#include "cli.h"
#include "mem.h"
#include "optype_row.h"

#include <stdlib.h>
#include <string.h>

/* ---- the test ---- */

static const struct value_row {
    const char *word, *code;
} values[] = {
    {"some(", "    def some(*shape):\n        if dtype == torch.bool:\n            return "
              "torch.rand(shape) > 0.5\n"
              "        return (torch.rand(shape) * 8 - 4).to(dtype)\n\n"},
    {"positive(",
     "    def positive(*shape):\n        return (torch.rand(shape) + 0.25).to(dtype)\n\n"},
    {"unit(",
     "    def unit(*shape):\n        return (torch.rand(shape) * 1.8 - 0.9).to(dtype)\n\n"},
    {"whole(", "    def whole(*shape):\n        return torch.randint(1, 10, shape).to(dtype)\n\n"},
    {"distinct(", "    def distinct(*shape):\n        return "
                  "torch.randperm(math.prod(shape)).reshape(shape).to(dtype)\n\n"},
    {"mask(", "    def mask(*shape):\n        return torch.rand(shape) > 0.5\n\n"},
};

/* Values of an operator of a project: those of its first type; the others have one type each. */
static void print_own_value(FILE *out, const struct arg *a)
{
    static const char *const attrs[] = {
        [INTS] = "[1]", [INT] = "1", [FLOAT] = "1.0", [BOOL_] = "True", [TEXT] = "\"\""};
    size_t i = 0;

    if (a->is_attr || a->kind == OPTIONAL) {
        fprintf(out, "%s=%s", a->name, a->is_attr ? attrs[a->kind] : "None");
        return;
    }
    while (i < N_TYPE_ROWS - 1 && !(a->own->types >> optype_types[i].bit & 1))
        i++;
    fprintf(out, "%s=%s", a->name, a->kind == TENSORS ? "[" : "");
    if (a->own->is_lead)
        fputs("some(4, 5)", out);
    else
        fprintf(out, "torch.ones(4, 5, dtype=torch.%s)", optype_types[i].python);
    fputs(a->kind == TENSORS ? "]" : "", out);
}

/* Each tensor gets some values when optype.def names no case; other shapes where they may differ.
 */
static char *example_of(const struct optype *t, const struct args *args)
{
    const char *given = optype_more(t)->example;
    char *text = NULL;
    size_t size = 0;
    bool is_spread = strcmp(t->check, "shape_spread") == 0;
    FILE *out = *given ? NULL : open_memstream(&text, &size);
    size_t n = 0;

    if (!out)
        return cli_fmt("%s", given);
    for (size_t i = 0; i < args->n; i++) {
        const struct arg *a = &args->at[i];

        if (a->has_value || (!t->own && (a->is_attr || a->kind > TENSORS)))
            continue;
        fputs(n ? ", " : "", out);
        if (t->own)
            print_own_value(out, a);
        else
            fprintf(out, "%s=%s(%s)", a->name, a->type == 'B' ? "mask" : "some",
                    is_spread && n == 1 ? "5" : "4, 5");
        n++;
    }
    fclose(out);
    return text;
}

/* "aten::add.Tensor(^x, p{none|mean})" in Python: torch.ops.aten.add.Tensor(x, ("none",
 * "mean").index(p)); without an overload its name is default. ^ and + say in which type the twin
 * computes. */
static void print_expression(FILE *out, const char *at)
{
    while (*at) {
        size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");

        if (strncmp(at, "aten::", 6) == 0) {
            n = strcspn(at + 6, "(");
            fprintf(out, "torch.ops.aten.%.*s%s", (int)n, at + 6,
                    memchr(at + 6, '.', n) ? "" : ".default");
            at += 6 + n;
        } else if (n && at[n] == '{') {
            fputc('(', out);
            for (const char *word = at + n; *word != '}'; word += 1 + strcspn(word + 1, "|}"))
                fprintf(out, "\"%.*s\", ", (int)strcspn(word + 1, "|}"), word + 1);
            fprintf(out, ").index(%.*s)", (int)n, at);
            at += n + strcspn(at + n, "}") + 1;
        } else if (n) {
            fprintf(out, "%.*s", (int)n,
                    n == 4 && strncmp(at, "true", 4) == 0    ? "True"
                    : n == 5 && strncmp(at, "false", 5) == 0 ? "False"
                                                             : at);
            at += n;
        } else {
            if (!strchr("^+", *at))
                fputc(*at, out);
            at++;
        }
    }
}

/* Whether the text calls the function of that name, which is no attribute of something. */
static bool calls(const char *text, const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    size_t n = strlen(name);

    for (const char *at = text; (at = strstr(at, name)) != NULL; at += n)
        if ((at == text || !strchr(letters, at[-1])) && at[n] == '(')
            return true;
    return false;
}

static void print_names_with_defaults(FILE *out, const struct args *args)
{
    for (size_t i = 0; i < args->n; i++)
        fprintf(
            out, "%s%s%s%s%s", i ? ", " : "", args->at[i].name, args->at[i].has_value ? "=" : "",
            args->at[i].has_value && args->at[i].kind == TYPE ? "torch." : "", args->at[i].value);
}

/* A function of that name that computes what the operator does, with operators of torch. doc: its
 * documentation, of a gradient's formula. */
static void print_formula(FILE *out, const struct optype *t, const struct args *args,
                          const char *name, const char *doc)
{
    const char *given = optype_more(t)->reference;

    fprintf(out, "def %s(", name);
    print_names_with_defaults(out, args);
    fprintf(out, "):\n%s", doc);
    if (t->own) {
        fprintf(
            out,
            "    \"\"\"What %s computes, with operators of torch: its project does not say it in "
            "Python, so write it here.\"\"\"\n    return None\n",
            t->type);
        return;
    }
    fputs("    return ", out);
    if (*given) {
        fprintf(out, "%s\n", given);
        return;
    }
    print_expression(out, t->schema);
    if (!strchr(t->schema, '(')) {
        fputc('(', out);
        optype_print_names(out, args);
        fputc(')', out);
    }
    fputc('\n', out);
}

static const struct helper_row {
    const char *name, *python;
} helpers[] = {
#define HELPER(name, python) {name, python},
#include "optype.def"
};

/* The functions of optype.def that the text calls. */
static void print_helpers(FILE *out, const char *text)
{
    for (size_t i = 0; i < sizeof(helpers) / sizeof(helpers[0]); i++)
        if (calls(text, helpers[i].name))
            fprintf(out, "%s\n\n", helpers[i].python);
}

static const char test_head[] =
    "def moved(value, move):\n"
    "    \"\"\"The tensors of an argument, moved.\"\"\"\n"
    "    if isinstance(value, list):\n"
    "        return [moved(v, move) for v in value]\n"
    "    return move(value) if isinstance(value, torch.Tensor) else value\n\n\n"
    "def called(function, given, move):\n"
    "    out = function(**{name: moved(value, move) for name, value in given.items()})\n"
    "    return out if isinstance(out, tuple) else (out,)\n\n\n";

static const char test_of_values[] = "def wide(t):\n"
                                     "    return t.double() if t.is_floating_point() else t\n\n\n";

/* In front of OP: what it changes are its results too. */
static const char test_in_place[] =
    "def in_place(function):\n"
    "    \"\"\"What it changes, then what it returns.\"\"\"\n"
    "    def call(**given):\n"
    "        out = function(**given)\n"
    "        out = () if out is None else out if isinstance(out, tuple) else (out,)\n"
    "        return (*(given[name] for name in CHANGED), *out)\n\n"
    "    return call\n\n\n";

static const char test_of_random[] =
    "    def test_$name(self):\n"
    "        \"\"\"What holds of the numbers; the same again, and others.\"\"\"\n"
    "        for dtype in DTYPES:\n"
    "            given = arguments(dtype)\n"
    "            y, again, other = [called(OP, g, lambda t: t.npu())[0].cpu() for g in (given, "
    "given, "
    "{**given, **another()})]\n"
    "            self.assertTrue(holds(y))\n"
    "            self.assertTrue(torch.equal(y, again))\n"
    "            self.assertEqual((other.shape, other.dtype), (y.shape, y.dtype))\n"
    "            self.assertFalse(torch.equal(y, other))\n\n"
    "    def test_views(self):\n"
    "        \"\"\"Every second element of a longer tensor says what the same values say in a "
    "row.\"\"\"\n"
    "        for dtype in DTYPES:\n"
    "            dense, spread = [called(OP, arguments(dtype), move)[0].cpu()\n"
    "                             for move in (lambda t: t.npu(), lambda t: torch.stack([t, t], "
    "-1).npu()[..., 0])]\n"
    "            self.assertTrue(torch.equal(dense, spread))\n\n";

static const char test_values[] =
    "    def check(self, dtype, move):\n"
    "        given = arguments(dtype)\n"
    "        got, want = called(OP, given, move), called(reference, given, wide)\n";

static const char test_compares[] =
    "        for g, w in zip(got, want, strict=True):\n"
    "            w = w.to(g.dtype)\n"
    "            self.assertEqual(g.shape, w.shape)\n"
    "            tolerance = TOLERANCE.get(g.dtype, 0)\n"
    "            torch.testing.assert_close(g.cpu(), w, rtol=tolerance, atol=tolerance, "
    "equal_nan=True)\n"
    "            if g.dtype == torch.float32:\n"
    "                self.assertRtolEqual(g.cpu(), w)\n\n"
    "    def test_$name(self):\n"
    "        for dtype in DTYPES:\n"
    "            self.check(dtype, lambda t: t.npu())\n\n";

static const char test_of_views[] =
    "    def test_views(self):\n"
    "        \"\"\"Every tensor is every second element of a longer one.\"\"\"\n"
    "        self.check(DTYPES[0], lambda t: torch.stack([t, t], -1).npu()[..., 0])\n\n";

/* Of an operator of a project: what a test can say that does not know the values. */
static const char test_of_own_views[] =
    "    def test_views(self):\n"
    "        \"\"\"Every second element of a longer tensor gives what the same values give in a "
    "row.\"\"\"\n"
    "        for dtype in DTYPES:\n"
    "            dense, spread = [called(OP, arguments(dtype), move)\n"
    "                             for move in (lambda t: t.npu(), lambda t: torch.stack([t, t], "
    "-1).npu()[..., 0])]\n"
    "            for d, s in zip(dense, spread, strict=True):\n"
    "                self.assertTrue(torch.equal(d.cpu(), s.cpu()))\n\n";

static const char skip[] =
    "        if want[0] is None:\n"
    "            self.skipTest(\"reference() is not written: values are compared with nothing\")\n";

static const char test_of_meta[] =
    "    def test_meta(self):\n"
    "        for dtype in DTYPES:\n"
    "            given = arguments(dtype)\n"
    "            real, meta = [called(OP, given, lambda t: t.to(d)) for d in (\"npu\", \"meta\")]\n"
    "            self.assertEqual([(m.shape, m.dtype) for m in meta], [(r.shape, r.dtype) for r in "
    "real])\n\n";

/* Where the data decides a size. */
static const char test_of_fake[] =
    "    def test_fake(self):\n"
    "        \"\"\"Sizes that the data decides are symbols, the others are known.\"\"\"\n"
    "        for dtype in DTYPES:\n"
    "            given, mode = arguments(dtype), FakeTensorMode(shape_env=ShapeEnv())\n"
    "            real = called(OP, given, lambda t: t.npu())\n"
    "            fake = called(OP, given, lambda t: mode.from_tensor(t.npu(), "
    "static_shapes=True))\n"
    "            self.assertTrue(any(isinstance(n, torch.SymInt) for f in fake for n in f.shape))\n"
    "            for f, r in zip(fake, real, strict=True):\n"
    "                self.assertEqual((f.dtype, f.dim(), f.device), (r.dtype, r.dim(), r.device))\n"
    "                self.assertTrue(all(isinstance(n, torch.SymInt) or n == m for n, m in "
    "zip(f.shape, "
    "r.shape)))\n\n"
    "    @torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True)\n";

static const char test_of_compile[] =
    "    def test_compile(self):\n"
    "        given, compiled = arguments(DTYPES[0]), torch.compile(OP, backend=\"aot_eager\", "
    "fullgraph=True)\n"
    "        for c, e in zip(*[called(f, given, lambda t: t.npu()) for f in (compiled, OP)]):\n"
    "            self.assertTrue(torch.equal(c.cpu(), e.cpu()))\n\n";

static const char test_of_binding[] =
    "    def test_the_operator_beside_it(self):\n"
    "        for dtype in DTYPES:\n"
    "            given = arguments(dtype)\n"
    "            for b, o in zip(*[called(f, given, lambda t: t.npu()) for f in (OP, OPERATOR)], "
    "strict=True):\n"
    "                self.assertTrue(torch.equal(b.cpu(), o.cpu()))\n\n";

static const char test_of_gradient[] =
    "    def test_autograd(self):\n"
    "        \"\"\"The gradients of a weighted sum of all results, eager and compiled, against "
    "those of "
    "the reference.\"\"\"\n"
    "        def gradients(function, move):\n"
    "            leaves = []\n\n"
    "            def leaf(t):\n"
    "                t = move(t).detach()\n"
    "                if t.is_floating_point():\n"
    "                    leaves.append(t.requires_grad_())\n"
    "                return t\n\n"
    "            results = [r for r in called(function, arguments(torch.float32), leaf) if "
    "r.is_floating_point()]\n"
    "            total = sum((r * torch.arange(1, r.numel() + 1, "
    "device=r.device).reshape(r.shape)).sum() "
    "for r in results)\n"
    "            if not total.requires_grad:  # a constant\n"
    "                return [torch.zeros_like(t) for t in leaves]\n"
    "            found = torch.autograd.grad(total, leaves, allow_unused=True)\n"
    "            return [torch.zeros_like(t) if d is None else d for t, d in zip(leaves, "
    "found)]\n\n"
    "        op = torch.ops.npu.$name\n"
    "        want = gradients(reference, wide)\n"
    "        for function in (op, torch.compile(op, backend=\"aot_eager\", fullgraph=True)):\n"
    "            for g, w in zip(gradients(function, lambda t: t.npu()), want, strict=True):\n"
    "                torch.testing.assert_close(g.cpu(), w.float(), rtol=1e-4, atol=1e-4)\n\n";

static void print_class_name(FILE *out, const char *name)
{
    bool is_start = true;

    for (; *name; name++) {
        if (*name != '_')
            fputc(is_start && *name >= 'a' && *name <= 'z' ? *name - 'a' + 'A' : *name, out);
        is_start = *name == '_';
    }
}

/* How many rows of optype_types the test looks at. */
static size_t n_tested(const struct optype *t)
{
    return t->own ? N_TYPE_ROWS : N_TESTED;
}

/* A type of the table that the operator does not take, NULL when it takes all that are tested. */
static const struct type_row *refused(const struct optype *t)
{
    for (size_t i = 0; i < N_TESTED; i++)
        if (!optype_has_type(t, &optype_types[i]))
            return &optype_types[i];
    return NULL;
}

/* Whether a tested type behind the i-th one follows. */
static bool is_more(const struct optype *t, size_t i)
{
    while (++i < n_tested(t))
        if (optype_has_type(t, &optype_types[i]))
            return true;
    return false;
}

/* The names of what is changed in place. */
static bool print_changed(FILE *out, const struct args *args)
{
    bool is_changed = false;

    for (size_t i = 0; i < args->n; i++)
        if (args->at[i].is_changed) {
            fprintf(out, "%s\"%s\",", is_changed ? " " : "CHANGED = (", args->at[i].name);
            is_changed = true;
        }
    fputs(is_changed ? ")\n" : "", out);
    return is_changed;
}

/* "torch.ops.npu.NAME", where it changes an argument "in_place(torch.ops.npu.NAME)". */
static void print_callee(FILE *out, const char *variable, const char *where, bool is_changed)
{
    fprintf(out, "%s = %s%s.$name%s\n", variable, is_changed ? "in_place(" : "", where,
            is_changed ? ")" : "");
}

/* What stands before the class: the operator, its types, a call of it, and what it is to give. */
static void print_test_head(FILE *out, const struct optype *t, const struct args *args,
                            struct optype_how how)
{
    const char *reference = optype_more(t)->reference,
               *where = how.is_pybind ? "$name_pybind" : "torch.ops.npu";
    const struct random_row *random = optype_random(t);
    char *example = example_of(t, args), *text = cli_fmt("%s %s", reference, example);
    bool is_changed = false;

    fprintf(out,
            "# SPDX-License-Identifier: Apache-2.0\n\"\"\"%s.$name (%s) %s. "
            "Run from this folder, with the wheel installed.\"\"\"\n%simport torch\n"
            "import torch_npu  # noqa: F401\n%sfrom torch_npu.testing.testcase import TestCase, "
            "run_tests\n\nimport $name_%s\n\n",
            where, t->type, random ? "draws random numbers" : "against torch on the CPU",
            strstr(reference, "math.") || strstr(example, "distinct(") ? "import math\n\n" : "",
            optype_fake(t) ? "from torch._subclasses.fake_tensor import FakeTensorMode\nfrom "
                             "torch.fx.experimental.symbolic_shapes import ShapeEnv\n"
                           : "",
            how.is_pybind ? "pybind" : "ext  # noqa: F401");
    is_changed = print_changed(out, args);
    fputs(is_changed ? "\n\n" : "", out);
    fputs(is_changed ? test_in_place : "", out);
    print_callee(out, "OP", where, is_changed);
    if (how.is_pybind)
        print_callee(out, "OPERATOR", "torch.ops.npu", is_changed);
    if (!random)
        fputs("# Strict: every element. assertRtolEqual lets some be arbitrarily wrong.\nTOLERANCE "
              "= {torch.float32: 2e-5, torch.float16: 2e-3, torch.bfloat16: 1e-2}\n",
              out);
    fputs("DTYPES = (", out);
    for (size_t i = 0; i < n_tested(t); i++)
        if (optype_has_type(t, &optype_types[i]))
            fprintf(out, "torch.%s,%s", optype_types[i].python, is_more(t, i) ? " " : "");
    fputs(")\n\n\n", out);
    print_helpers(out, text);
    fputs("def arguments(dtype):\n    torch.manual_seed(0)\n\n", out);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        if (strstr(example, values[i].word))
            fputs(values[i].code, out);
    fprintf(out, "    return dict(%s)\n\n\n", example);
    if (random)
        fprintf(out, "def another():\n    return dict(%s)\n\n\ndef holds(y):\n    return %s\n",
                random->other, random->holds);
    else
        print_formula(out, t, args, "reference", "");
    fprintf(out, "\n\n%s%s", test_head, random ? "" : test_of_values);
    free(example);
    free(text);
}

static void print_test_of_bad_input(FILE *out, const struct optype *t, const struct args *args,
                                    struct optype_how how)
{
    const struct type_row *bad = refused(t);

    fputs(how.is_pybind
              ? "    def test_bad_input(self):\n"
                "        with self.assertRaisesRegex(RuntimeError, \"must be on an npu, is on "
                "cpu\"):\n"
                "            called(OP, arguments(DTYPES[0]), lambda t: t)\n"
              : "    def test_bad_input(self):\n"
                "        with self.assertRaisesRegex(NotImplementedError, \"npu::$name.*'CPU'\"):\n"
                "            called(OP, arguments(DTYPES[0]), lambda t: t)\n",
          out);
    if (bad)
        fprintf(out,
                "        given = arguments(DTYPES[0])\n"
                "        given[\"%s\"] = moved(given[\"%s\"], lambda t: t.to(torch.%s))\n"
                "        with self.assertRaisesRegex(RuntimeError, \"%s must be one of .*got\"):\n"
                "            called(OP, given, lambda t: t.npu())\n",
                args->lead->name, args->lead->name, bad->python, args->lead->name);
}

char *optype_test(const struct optype *t, const char *name, struct optype_how how)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct args args;

    optype_args(&args, t);
    if (!out)
        return cli_fmt("%s", "");
    print_test_head(out, t, &args, how);
    fputs("class Test", out);
    print_class_name(out, name);
    fputs("(TestCase):\n", out);
    if (optype_random(t))
        fputs(test_of_random, out);
    else
        fprintf(out, "%s%s%s%s", test_values, t->own ? skip : "", test_compares,
                t->own ? test_of_own_views : test_of_views);
    if (how.is_pybind)
        fputs(test_of_binding, out);
    else
        fprintf(out, "%s%s", optype_fake(t) ? test_of_fake : test_of_meta, test_of_compile);
    fputs(how.has_gradient ? test_of_gradient : "", out);
    print_test_of_bad_input(out, t, &args, how);
    fputs("\n\nif __name__ == \"__main__\":\n    run_tests()\n", out);
    fclose(out);
    return optype_named(text, name);
}

/* ---- what loads the library ---- */

const char *optype_no_gradient(const struct optype *t)
{
    bool has_number = false;

    for (int i = 0; i < optype_outputs(t); i++)
        if (optype_is_changed(t, i))
            return "this operator changes an argument in place; torch.library has gradients of "
                   "functions alone";
    for (const char *at = t->outputs; *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " "), name = strcspn(at, ": ");

        has_number |= name >= n || !strchr("BINGQU", at[name + 1]);
        at += n;
    }
    return !has_number        ? "no result of this operator has a gradient"
           : optype_random(t) ? "random numbers have no gradient"
           : optype_fake(t)   ? "the data decides the size of the result, so that of its formula "
                                "would be another one to torch.compile"
           : !optype_has_type(t, &optype_types[0])
               ? "its formula is computed in float32, which this operator does not take"
               : NULL;
}

static const char gradient[] =
    "def _leaf(t):\n"
    "    return t if t is None else t.detach().requires_grad_(t.is_floating_point())\n\n\n"
    "def _gradients(given, leaves, grads):\n"
    "    \"\"\"Of the leaves: through the formula once more.\"\"\"\n"
    "    with torch.enable_grad():\n"
    "        results = _formula(*given)\n"
    "    results = results if isinstance(results, tuple) else (results,)\n"
    "    pairs = [(r, g.to(r.dtype)) for r, g in zip(results, grads) if g is not None and "
    "r.requires_grad]\n"
    "    smooth = [t is not None and t.requires_grad for t in leaves]\n"
    "    if not pairs:\n"
    "        return [None] * len(leaves)\n"
    "    found = iter(torch.autograd.grad([r for r, _ in pairs], [t for t, s in zip(leaves, "
    "smooth) if s],\n"
    "                                     [g for _, g in pairs], allow_unused=True))\n"
    "    return [next(found) if s else None for s in smooth]\n\n\n"
    "def _setup(ctx, inputs, output):\n"
    "    outputs = output if isinstance(output, tuple) else (output,)\n"
    "    ctx.mark_non_differentiable(*(o for o in outputs if not o.is_floating_point()))\n";

static const char gradient_of_tensors[] =
    "    ctx.save_for_backward(*(inputs[i] for i in _TENSORS))\n"
    "    ctx.given = [None if i in _TENSORS else v for i, v in enumerate(inputs)]\n\n\n"
    "def _backward(ctx, *grads):\n"
    "    leaves, given = [_leaf(t) for t in ctx.saved_tensors], list(ctx.given)\n"
    "    for i, leaf in zip(_TENSORS, leaves):\n"
    "        given[i] = leaf\n"
    "    result = [None] * len(given)\n"
    "    for i, d in zip(_TENSORS, _gradients(given, leaves, grads)):\n"
    "        result[i] = d\n"
    "    return tuple(result)\n\n\n";

static const char gradient_of_list[] =
    "    ctx.save_for_backward(*inputs[_TENSORS[0]])\n"
    "    ctx.given = list(inputs)\n"
    "    ctx.given[_TENSORS[0]] = None\n\n\n"
    "def _backward(ctx, *grads):\n"
    "    leaves, given = [_leaf(t) for t in ctx.saved_tensors], list(ctx.given)\n"
    "    given[_TENSORS[0]] = leaves\n"
    "    result = [None] * len(given)\n"
    "    result[_TENSORS[0]] = _gradients(given, leaves, grads)\n"
    "    return tuple(result)\n\n\n";

static void print_gradient(FILE *out, const struct optype *t)
{
    const char *reference = optype_more(t)->reference;
    struct args args;

    optype_args(&args, t);
    fputs("\n\n", out);
    print_helpers(out, reference);
    print_formula(out, t, &args, "_formula",
                  "    \"\"\"What the operator computes, by operators of torch, which have "
                  "gradients.\"\"\"\n");
    fputs("\n\n_TENSORS = (", out);
    for (size_t i = 0; i < args.n; i++)
        if (args.at[i].kind <= TENSORS)
            fprintf(out, "%zu, ", i);
    fprintf(out,
            ")  # their places among the arguments\n\n\n%s%s"
            "torch.library.register_autograd(\"npu::$name\", _backward, setup_context=_setup)\n",
            gradient, args.has_list ? gradient_of_list : gradient_of_tensors);
}

/* What torch is told of the results where it traces. */
static void print_fake(FILE *out, const struct optype *t)
{
    struct args args;

    optype_args(&args, t);
    fputs("\n\ndef _fake(", out);
    print_names_with_defaults(out, &args);
    fprintf(out,
            "):\n    \"\"\"Results of a size n that the data decides.\"\"\"\n"
            "    n = torch.library.get_ctx().new_dynamic_size()\n    return %s\n\n\n"
            "torch.library.register_fake(\"npu::$name\", _fake)\n",
            optype_fake(t));
}

char *optype_init(const struct optype *t, const char *name, struct optype_how how)
{
    char *text = NULL, *schema = optype_schema(t, name);
    bool has_more = how.has_gradient || optype_fake(t);
    bool has_math = how.has_gradient && strstr(optype_more(t)->reference, "math.");
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return schema;
    fprintf(out, "# SPDX-License-Identifier: Apache-2.0\n\"\"\"torch.ops.npu.%s: %s%s.%s", schema,
            t->own ? "" : "CANN's ", t->type,
            how.has_gradient ? " Differentiable." : " It has no gradient.");
    fputs(how.is_pybind
              ? "\n\n$name_pybind.$name is the same function past the dispatcher: the call "
                "alone.\n\"\"\"\n"
              : "\"\"\"\n",
          out);
    fprintf(out, "from . import _load  # noqa: F401%s\n%s",
            how.is_pybind || has_more ? "  first: it compares versions before torch is imported"
                                      : "",
            has_math ? "\nimport math  # noqa: E402\n" : "");
    if (how.is_pybind || has_more)
        fprintf(out, "\nimport torch  # noqa: E402%s\n", has_more ? "" : ", F401");
    if (how.is_pybind)
        fputs(
            "import torch_npu  # noqa: E402, F401  the library links to it\n\n"
            "from ._C import $name  # noqa: E402  opening it registers torch.ops.npu.$name too\n\n"
            "__all__ = [\"$name\"]\n",
            out);
    if (optype_fake(t))
        print_fake(out, t);
    if (how.has_gradient)
        print_gradient(out, t);
    fclose(out);
    free(schema);
    return optype_named(text, name);
}

/* What the class of the operator does not say, and where it is to be said. */
static void print_own_readme(FILE *out, const struct optype *t)
{
    fprintf(
        out,
        "```\nThe kernel is that of the operator project: build it and install build/*.run first, "
        "and source the set_env.bash of the\npackage. A2 and A3 alone: torch_npu has no operators "
        "by name on A5.\n\nNames, types and defaults are those of class %s. What it does not say:\n"
        "- **values**: `reference()` in `test/test.py` is to be written; until then "
        "`test_$name` is skipped and says so;\n",
        t->type);
    for (size_t i = 0; i < t->own->n_out; i++)
        fprintf(out,
                t->own->out[i].is_guessed
                    ? "- **the shape of %s** is taken to be that of %s, since InferShape is no "
                      "assignment: look at `MakeOutputs`.\n"
                    : "- **the shape of %s** is that of %s, as InferShape says.\n",
                t->own->out[i].name, t->own->out[i].shape_of);
    fputs("\n", out);
}

char *optype_readme(const struct optype *t, const char *name, struct optype_how how)
{
    char *schema = optype_schema(t, name), *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return schema;
    fprintf(out,
            "# $name: %s%s by its name (Pattern C)\n\n```\n torch.ops.npu.%s\n   "
            "csrc/host/$name.cpp   checks, outputs, OpCommand().Name(\"%s\"); PrivateUse1%s\n",
            t->own ? "" : "CANN's ", t->type, schema, t->type, optype_fake(t) ? "" : " and Meta");
    if (optype_fake(t))
        fprintf(out, "   $name_%s/__init__.py   register_fake: a size that the data decides\n",
                how.is_pybind ? "pybind" : "ext");
    if (how.has_gradient)
        fprintf(out, "   $name_%s/__init__.py   register_autograd: torch's formula once more\n",
                how.is_pybind ? "pybind" : "ext");
    if (how.is_pybind)
        fputs(" $name_pybind.$name(...)\n   csrc/host/pybind.cpp   PYBIND11_MODULE(_C): the same "
              "host "
              "function, past the dispatcher: no gradient, no Meta\n",
              out);
    if (t->own)
        print_own_readme(out, t);
    else
        fputs("```\nThere is no kernel, no workspace and no tiling; CANN does that. Nothing but "
              "torch_npu "
              "is linked. A2 and A3 alone:\ntorch_npu has no such operators on A5.\n\n",
              out);
    fputs("```\nsource $ASCEND_HOME_PATH/set_env.sh\npython setup.py bdist_wheel\n"
          "pip install --force-reinstall dist/*.whl\ncd test && python test.py\n```\n",
          out);
    fclose(out);
    free(schema);
    return optype_named(text, name);
}
