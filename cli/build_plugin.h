/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_plugin.h - `nputwin build OP` in the tree of op-plugin.
 */
#ifndef NPU_CLI_BUILD_PLUGIN_H
#define NPU_CLI_BUILD_PLUGIN_H
#include "steps.h"

/* Compiles the file that defines the operator, object only, and says what was not done. */
int build_plugin(struct work *work);

#endif
