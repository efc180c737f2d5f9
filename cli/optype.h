/* SPDX-License-Identifier: Apache-2.0 */
/*
 * optype.h - Pattern C for any operator type that the twin has: its schema and its sources.
 *
 * Everything follows from the type's row in rt/opapi/aclop.def, with what optype.def adds.
 */
#ifndef NPU_CLI_OPTYPE_H
#define NPU_CLI_OPTYPE_H
#include <stdbool.h>
#include <stddef.h>

struct optype; /* a row */

/* NULL for a type that the table does not have. */
const struct optype *optype_find(const char *type);
/* The name nearest to a type that is not there, NULL. */
const char *optype_near(const char *type);

/* "const at::Tensor &" of "Tensor": how a parameter of that schema type begins in C++; NULL. */
const char *optype_cpp_type(const char *schema);

/* Texts, which the caller frees. name: of the operator in torch. */
/* "NAME(Tensor x, int[] axes, bool keep_dims=False) -> Tensor" */
char *optype_schema(const struct optype *t, const char *name);
/* What a package is to have beside torch.ops.npu.NAME. */
struct optype_how {
    bool is_pybind;    /* a module _C that calls the host function */
    bool has_gradient; /* a gradient for torch's autograd */
};
/* Files of an extension: csrc/host/NAME.cpp and pybind.cpp, <package>/__init__.py, test/test.py,
 * README.md. */
char *optype_host(const struct optype *t, const char *name, struct optype_how how);
char *optype_pybind(const struct optype *t, const char *name, struct optype_how how);
char *optype_init(const struct optype *t, const char *name, struct optype_how how);
char *optype_test(const struct optype *t, const char *name, struct optype_how how);
char *optype_readme(const struct optype *t, const char *name, struct optype_how how);
/* Why no gradient can be written; NULL: it can, from torch's own formula. */
const char *optype_no_gradient(const struct optype *t);
/* Whether it is a project's own, whose values nothing here knows. */
bool optype_is_own(const struct optype *t);
/* On stderr: what of an operator of a project's own was not read but taken to be so. */
void optype_say_guesses(const struct optype *t);
/* The file of op-plugin: namespace acl_op, declared by the yaml entry of that schema. */
char *optype_plugin(const struct optype *t, const char *name);

#endif
