/* SPDX-License-Identifier: Apache-2.0 */
/* aclnn_base.h - start and end of the aclnn functions. */
#ifndef NPUTWIN_ACLNN_BASE_H
#define NPUTWIN_ACLNN_BASE_H
#include "acl_meta.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { ACLNN_SUCCESS = 0 };
aclnnStatus aclnnInit(const char *configPath);
aclnnStatus aclnnFinalize(void);

#ifdef __cplusplus
}
#endif
#endif
