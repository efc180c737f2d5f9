/* SPDX-License-Identifier: Apache-2.0 */
/* acl_op.h - attributes of single-operator calls. A name that is set twice keeps the last value. */
#ifndef NPUTWIN_ACL_OP_H
#define NPUTWIN_ACL_OP_H
#include "acl_base.h"
#include "acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclopAttr aclopAttr;
typedef enum aclopEngineType {
    ACL_ENGINE_SYS,
    ACL_ENGINE_AICORE,
    ACL_ENGINE_VECTOR
} aclopEngineType;

ACL_FUNC_VISIBILITY aclopAttr *aclopCreateAttr(void);
ACL_FUNC_VISIBILITY void aclopDestroyAttr(const aclopAttr *attr);
ACL_FUNC_VISIBILITY aclError aclopSetAttrBool(aclopAttr *attr, const char *name, uint8_t value);
ACL_FUNC_VISIBILITY aclError aclopSetAttrInt(aclopAttr *attr, const char *name, int64_t value);
ACL_FUNC_VISIBILITY aclError aclopSetAttrFloat(aclopAttr *attr, const char *name, float value);
ACL_FUNC_VISIBILITY aclError aclopSetAttrString(aclopAttr *attr, const char *name,
                                                const char *value);
ACL_FUNC_VISIBILITY aclError aclopSetAttrDataType(aclopAttr *attr, const char *name,
                                                  aclDataType value);
ACL_FUNC_VISIBILITY aclError aclopSetAttrListDataType(aclopAttr *attr, const char *name, int n,
                                                      const aclDataType values[]);
ACL_FUNC_VISIBILITY aclError aclopSetAttrListBool(aclopAttr *attr, const char *name, int n,
                                                  const uint8_t *values);
ACL_FUNC_VISIBILITY aclError aclopSetAttrListInt(aclopAttr *attr, const char *name, int n,
                                                 const int64_t *values);
ACL_FUNC_VISIBILITY aclError aclopSetAttrListFloat(aclopAttr *attr, const char *name, int n,
                                                   const float *values);
ACL_FUNC_VISIBILITY aclError aclopSetAttrListString(aclopAttr *attr, const char *name, int n,
                                                    const char **values);
ACL_FUNC_VISIBILITY aclError aclopSetAttrListListInt(aclopAttr *attr, const char *name, int n_lists,
                                                     const int *n_values,
                                                     const int64_t *const values[]);

/* Where models of single operators lie. The twin compiles none ahead of time and reads none: an
 * operator is found by its type, as in aclopCompileAndExecute. modelDir must be a directory. */
ACL_FUNC_VISIBILITY aclError aclopSetModelDir(const char *modelDir);
/* Runs an operator; shapes that it works out are written into outputDesc. */
ACL_FUNC_VISIBILITY aclError aclopExecuteV2(const char *opType, int numInputs,
                                            aclTensorDesc *inputDesc[], aclDataBuffer *inputs[],
                                            int numOutputs, aclTensorDesc *outputDesc[],
                                            aclDataBuffer *outputs[], aclopAttr *attr,
                                            aclrtStream stream);

#ifdef __cplusplus
}
#endif
#endif
