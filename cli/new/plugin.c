/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugin.c - Plan B: an operator in the tree of op-plugin.
 *
 * op-plugin has a folder a kind of implementation: aclops calls an operator of CANN by its name,
 * opapi an aclnn function. Declarations and registration are generated from the yaml entry when
 * op-plugin is built; the extension below examples/ builds and passes without that.
 */
#include "new.h"
#include "../check/check.h"
#include "../file.h"

#include <stdlib.h>
#include <string.h>

static const char yaml[] = "op_plugin/config/op_plugin_functions.yaml";

char *plugin_examples(const char *root)
{
    char *one = cli_fmt("%s%sexample", root, *root ? "/" : ""),
         *many = cli_fmt("%s%sexamples", root, *root ? "/" : "");
    bool is_one = cli_is_folder(one) && !cli_is_folder(many);

    free(is_one ? many : one);
    return is_one ? one : many;
}

/* The text of m.def("...") in the template's host file, under the new names; NULL. */
static char *schema_of(const struct copy *copy)
{
    char *found = NULL;

    for (size_t i = 0; i < copy->to.n && !found; i++) {
        char *text = strstr(copy->to.at[i], "/csrc/") ? new_text(copy, i) : NULL;
        const char *at = text ? strstr(text, "TORCH_LIBRARY_FRAGMENT(") : NULL;
        size_t size = 0;
        FILE *out = NULL;

        at = at ? strstr(at, "m.def(\"") : NULL;
        out = at ? open_memstream(&found, &size) : NULL;
        for (at = at ? at + 7 : NULL; out && *at && strncmp(at, "\")", 2) != 0; at++) {
            if (*at == '"') /* the literal goes on in the next line */
                at += 1 + strcspn(at + 1, "\"");
            else
                fputc(*at, out);
        }
        if (out)
            fclose(out);
        free(text);
    }
    return found;
}

/* op_api::npu_NAME: outputs, and the aclnn function of the installed package. */
static char *opapi_text(const struct copy *copy, const char *schema_text)
{
    struct schema schema;
    char *text = NULL, *type = camel(copy->name);
    size_t size = 0;
    FILE *out = NULL;
    const char *first = NULL;
    bool is_known = true;

    schema_parse(schema_text, &schema);
    for (size_t i = 0; i < schema.n_args && !first; i++)
        first = strcmp(schema.arg[i].type, "Tensor") == 0 ? schema.arg[i].name : NULL;
    for (size_t i = 0; i < schema.n_args; i++)
        is_known = is_known && optype_cpp_type(schema.arg[i].type);
    out = schema.is_parsed && is_known && first && schema.n_rets == 1 ? open_memstream(&text, &size)
                                                                      : NULL;
    if (out) {
        fprintf(
            out,
            "/* SPDX-License-Identifier: Apache-2.0 */\n/*\n * op_api::npu_%s: "
            "aclnn%s of the operator package that the kernel is delivered in. Declared by\n"
            " * the entry of npu_%s in op_plugin/config/op_plugin_functions.yaml, registered by "
            "what is generated\n * from it. The result has the shape and type of %s.\n */\n"
            "#include \"op_plugin/OpApiInterface.h\"\n"
            "#include \"op_plugin/utils/op_api_common.h\"\n\nnamespace op_api {\n\n"
            "at::Tensor npu_%s(",
            copy->name, type, copy->name, first, copy->name);
        for (size_t i = 0; i < schema.n_args; i++)
            fprintf(out, "%s%s%s", i ? ", " : "", optype_cpp_type(schema.arg[i].type),
                    schema.arg[i].name);
        fprintf(out,
                ")\n{\n    at::Tensor result = "
                "at_npu::native::OpPreparation::apply_tensor_without_format(%s);\n\n"
                "    EXEC_NPU_CMD(aclnn%s",
                first, type);
        for (size_t i = 0; i < schema.n_args; i++)
            fprintf(out, ", %s", schema.arg[i].name);
        fputs(", result);\n    return result;\n}\n\n} // namespace op_api\n", out);
        fclose(out);
    }
    schema_finish(&schema);
    free(type);
    return text;
}

/* "  - func: ..." behind "custom:", in a file of its own where there is none. */
static bool change_yaml(struct change *change, const char *root, const char *schema,
                        const char *kind, const char *name)
{
    char *entry = cli_fmt("  - func: %s\n    %s: all_version\n\n", schema, kind),
         *head = cli_fmt("- func: %s(", name);
    bool is_done = true;

    if (open_change(change, root, yaml)) {
        is_done = !strstr(change->text, head) && insert_line(change, "custom:", entry, false);
        if (!is_done)
            fprintf(stderr, "nputwin new: %s %s\n", change->path,
                    strstr(change->text, head) ? "has an entry of that name"
                                               : "has no line `custom:` to put the entry below");
    } else {
        change->text = cli_fmt("all_version: [v2.1, v2.3, v2.4, v2.5, v2.6, v2.7, v2.8, v2.9, "
                               "v2.10, v2.11, v2.12, v2.13]\nofficial:\n\ncustom:\n%s",
                               entry);
    }
    free(entry);
    free(head);
    return is_done;
}

int add_to_plugin(const struct copy *copy, const char *root, bool is_dry)
{
    struct change change[2] = {{0}};
    const struct optype *type = *copy->t->type ? optype_find(copy->t->type) : NULL;
    char *name = cli_fmt("npu_%s", copy->name), *camel_name = camel(copy->name), *schema = NULL;
    int code = EXIT_FINE;

    type = copy->type ? copy->type : type;
    if (type) {
        schema = optype_schema(type, name);
        change[0].text = optype_plugin(type, name);
    } else {
        char *own = schema_of(copy);

        schema = own ? cli_fmt("npu_%s", own) : NULL;
        change[0].text = own ? opapi_text(copy, own) : NULL;
        free(own);
    }
    change[0].path = cli_fmt("%s%sop_plugin/ops/%s/%sKernelNpu%s.cpp", root, *root ? "/" : "",
                             type ? "aclops" : "opapi", camel_name, type ? "" : "OpApi");
    if (!change[0].text) {
        fprintf(
            stderr,
            "nputwin new: the template of this pattern has no schema that one aclnn call fits\n");
        code = EXIT_FINDINGS;
    } else if (cli_is_file(change[0].path)) {
        fprintf(stderr, "nputwin new: %s exists, and nothing that exists is written to\n",
                change[0].path);
        code = EXIT_FINDINGS;
    } else if (!change_yaml(&change[1], root, schema, type ? "acl_op" : "op_api", name)) {
        code = EXIT_FINDINGS;
    }
    if (code == EXIT_FINE)
        code = write_all(copy, is_dry);
    if (code == EXIT_FINE)
        code = apply_changes(change, 2, is_dry);
    free_changes(change, 2);
    free(name);
    free(camel_name);
    free(schema);
    return code;
}
