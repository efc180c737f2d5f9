/* SPDX-License-Identifier: Apache-2.0 */
/*
 * execute.c - aclopCompileAndExecute: hands the call to the operators in libopapi.so.
 *
 * Looked up at the first call, because libopapi.so needs torch and many programs need neither.
 */
#define _GNU_SOURCE
#include "../core/core.h"
#include "../acl_objects.h"

#include "acl/acl_op_compiler.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/stat.h>

static npu_aclop_execute_fn *execute;

static void find(void)
{
    void *lib = dlopen("libopapi.so", RTLD_NOW | RTLD_LOCAL);

    if (lib)
        execute = (npu_aclop_execute_fn *)dlsym(lib, "npu_aclop_execute");
}

static int call(const struct npu_aclop_call *c)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (!c->op_type)
        return npu_rt_fail(ACL_ERROR_INVALID_PARAM, "aclopCompileAndExecute: opType is NULL");
    if (c->n_inputs < 0 || c->n_outputs < 0 || (c->n_inputs && (!c->input_desc || !c->inputs)) ||
        (c->n_outputs && (!c->output_desc || !c->outputs)))
        return npu_rt_fail(ACL_ERROR_INVALID_PARAM,
                           "aclopCompileAndExecute: %s: %d inputs, %d outputs, "
                           "but an array is NULL",
                           c->op_type, c->n_inputs, c->n_outputs);
    pthread_once(&once, find);
    if (!execute)
        return npu_rt_fail(ACL_ERROR_OP_NOT_FOUND,
                           "aclopCompileAndExecute: %s: libopapi.so, which holds "
                           "the operators, is not found beside this library",
                           c->op_type);
    return execute(c);
}

aclError aclopCompileAndExecute(const char *opType, int n_inputs,
                                const aclTensorDesc *const inputDesc[],
                                const aclDataBuffer *const inputs[], int n_outputs,
                                const aclTensorDesc *const outputDesc[],
                                aclDataBuffer *const outputs[], const aclopAttr *attr,
                                aclopEngineType engineType, aclopCompileType compileFlag,
                                const char *opPath, aclrtStream stream)
{
    struct npu_aclop_call c = {
        opType,  n_inputs, n_outputs, inputDesc, inputs, (aclTensorDesc *const *)outputDesc,
        outputs, attr,     stream,    false};

    (void)engineType;
    (void)compileFlag;
    (void)opPath;
    return call(&c);
}

aclError aclopCompileAndExecuteV2(const char *opType, int n_inputs, aclTensorDesc *inputDesc[],
                                  aclDataBuffer *inputs[], int n_outputs,
                                  aclTensorDesc *outputDesc[], aclDataBuffer *outputs[],
                                  aclopAttr *attr, aclopEngineType engineType,
                                  aclopCompileType compileFlag, const char *opPath,
                                  aclrtStream stream)
{
    struct npu_aclop_call c = {opType,
                               n_inputs,
                               n_outputs,
                               (const aclTensorDesc *const *)inputDesc,
                               (const aclDataBuffer *const *)inputs,
                               outputDesc,
                               outputs,
                               attr,
                               stream,
                               true};

    (void)engineType;
    (void)compileFlag;
    (void)opPath;
    return call(&c);
}

aclError aclopExecuteV2(const char *opType, int n_inputs, aclTensorDesc *inputDesc[],
                        aclDataBuffer *inputs[], int n_outputs, aclTensorDesc *outputDesc[],
                        aclDataBuffer *outputs[], aclopAttr *attr, aclrtStream stream)
{
    return aclopCompileAndExecuteV2(opType, n_inputs, inputDesc, inputs, n_outputs, outputDesc,
                                    outputs, attr, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream);
}

aclError aclopSetModelDir(const char *modelDir)
{
    struct stat s;

    if (!modelDir || stat(modelDir, &s) != 0 || !S_ISDIR(s.st_mode))
        return npu_rt_fail(ACL_ERROR_INVALID_PARAM, "aclopSetModelDir: %s is no directory",
                           modelDir ? modelDir : "NULL");
    return ACL_SUCCESS;
}
