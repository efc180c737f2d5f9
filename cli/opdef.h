/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opdef.h - an operator that a project registers with OP_ADD, as a row for optype.
 *
 *     class AxpyCustom : public OpDef { ... this->Input("x").ParamType(REQUIRED).DataType({...})
 * ... }; OP_ADD(AxpyCustom);
 */
#ifndef NPU_CLI_OPDEF_H
#define NPU_CLI_OPDEF_H
#include "check/check.h"
#include "optype.h"

/* The row, which lives as long as the command. NULL: the project has no such class, or *why says
 * what of it cannot be written (the caller frees it). */
const struct optype *opdef_read(const struct check *c, const char *type, char **why);

#endif
