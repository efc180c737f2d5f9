/* SPDX-License-Identifier: Apache-2.0 */
/* err_msg.h - errors that a framework numbers: on the twin, lines of the log. */
#ifndef NPUTWIN_ERR_MSG_H
#define NPUTWIN_ERR_MSG_H
#include "log/log.h"
#endif
