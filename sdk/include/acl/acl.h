/* SPDX-License-Identifier: Apache-2.0 */
/* acl.h - everything a program needs to drive the device. */
#ifndef NPUTWIN_ACL_H
#define NPUTWIN_ACL_H
#include "acl_mdl.h"
#include "acl_rt.h"
#endif
