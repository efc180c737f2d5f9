/* SPDX-License-Identifier: Apache-2.0 */
/* link.h - objects become a program or a library, with g++ or ar. */
#ifndef CC_LINK_H
#define CC_LINK_H
#include "compile.h"

/* objects: paths in the user's order. */
bool cc_link(const struct cc_job *j, const struct cc_words *objects);
/* What aclrtBinaryLoadFromFile takes: a shared library with a tail of ours (engine/kernel.h). */
bool cc_binary(const struct cc_job *j, const struct cc_words *objects);
bool cc_archive(const struct cc_job *j, const struct cc_words *objects);
#endif
