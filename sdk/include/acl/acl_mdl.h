/* SPDX-License-Identifier: Apache-2.0 */
/* acl_mdl.h - dump settings. This device keeps no dumps: all three refuse by name. */
#ifndef NPUTWIN_ACL_MDL_H
#define NPUTWIN_ACL_MDL_H
#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclError aclmdlInitDump(void);
ACL_FUNC_VISIBILITY aclError aclmdlSetDump(const char *path);
ACL_FUNC_VISIBILITY aclError aclmdlFinalizeDump(void);

#ifdef __cplusplus
}
#endif
#endif
