/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nnopbase.c - start and end of aclnn functions, for programs that link -lcust_opapi -lnnopbase.
 *
 * The handles come from opapi/objects.c, which is in this library too: an object made by one copy
 * is read by the other. Executors belong to the libraries that make them.
 */
#include "../rt.h"

NPU_API int aclnnInit(const char *config);
NPU_API int aclnnFinalize(void);

/* There is nothing to set up. */
int aclnnInit(const char *config)
{
    (void)config;
    return ACL_OK;
}

int aclnnFinalize(void)
{
    return ACL_OK;
}
