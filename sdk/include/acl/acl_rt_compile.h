/* SPDX-License-Identifier: Apache-2.0 */
/*
 * acl_rt_compile.h - compiling a kernel while the program runs (libacl_rtc.so).
 *
 * aclrtcCreateProg, aclrtcAddNameExpr for kernels that are templates, aclrtcCompileProg, then
 * aclrtcGetBinData for aclrtBinaryLoadFromData and aclrtcGetLoweredName for aclrtBinaryGetFunction.
 * The compiler is the bisheng beside this library; what it says is in aclrtcGetCompileLog.
 */
#ifndef NPUTWIN_ACL_RT_COMPILE_H
#define NPUTWIN_ACL_RT_COMPILE_H
#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ACL_ERROR_RTC_INVALID_PROG                        176000
#define ACL_ERROR_RTC_INVALID_INPUT                       176001
#define ACL_ERROR_RTC_INVALID_OPTION                      176002
#define ACL_ERROR_RTC_COMPILATION                         176003
#define ACL_ERROR_RTC_LINKING                             176004
#define ACL_ERROR_RTC_NO_NAME_EXPR_AFTER_COMPILATION      176005
#define ACL_ERROR_RTC_NO_LOWERED_NAMES_BEFORE_COMPILATION 176006
#define ACL_ERROR_RTC_NAME_EXPR_NOT_VALID                 176007
#define ACL_ERROR_RTC_PROG_CREATION_FAILURE               276000
#define ACL_ERROR_RTC_OUT_OF_MEMORY                       276001
#define ACL_ERROR_RTC_FAILURE                             576000

typedef void *aclrtcProg;

/* All texts are copied. headers: numHeaders texts, found by #include under includeNames. */
ACL_FUNC_VISIBILITY aclError aclrtcCreateProg(aclrtcProg *prog, const char *src, const char *name,
                                              int numHeaders, const char **headers,
                                              const char **includeNames);
ACL_FUNC_VISIBILITY aclError aclrtcDestroyProg(aclrtcProg *prog);
/* Before compiling: a kernel to make, such as "ns::add<float>". */
ACL_FUNC_VISIBILITY aclError aclrtcAddNameExpr(aclrtcProg prog, const char *const nameExpression);
ACL_FUNC_VISIBILITY aclError aclrtcCompileProg(aclrtcProg prog, int numOptions,
                                               const char **options);
/* The linker's name of that kernel; lives as long as the program. */
ACL_FUNC_VISIBILITY aclError aclrtcGetLoweredName(aclrtcProg prog, const char *nameExpression,
                                                  const char **loweredName);
ACL_FUNC_VISIBILITY aclError aclrtcGetBinDataSize(aclrtcProg prog, size_t *binDataSizeRet);
ACL_FUNC_VISIBILITY aclError aclrtcGetBinData(aclrtcProg prog, char *binData);
/* The size counts the NUL. */
ACL_FUNC_VISIBILITY aclError aclrtcGetCompileLogSize(aclrtcProg prog, size_t *logSizeRet);
ACL_FUNC_VISIBILITY aclError aclrtcGetCompileLog(aclrtcProg prog, char *log);

#ifdef __cplusplus
}
#endif
#endif
