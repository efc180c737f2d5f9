/* SPDX-License-Identifier: Apache-2.0 */
/* chip.c BINARY - launches fill of kernels.asc and prints what became of it. */
#include "check.h"

int main(int argc, char **argv)
{
    aclrtBinHandle binary = NULL;
    aclrtFuncHandle f = NULL;
    float *p = NULL, v = 1.5f, back = 0;
    void *args[] = {&p, &v};
    int code;

    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtBinaryLoadFromFile(argc == 2 ? argv[1] : "", NULL, &binary));
    OK(aclrtBinaryGetFunction(binary, "_ZN2ns4fillIfEEvPhT_", &f));
    OK(aclrtMalloc((void **)&p, 4, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(p, 4, 0, 4));
    code = aclrtLaunchKernelWithArgsArray(f, 1, NULL, NULL, args);
    printf("%d %s\n", code, code ? aclGetRecentErrMsg() : "launched");
    OK(aclrtSynchronizeDevice());
    OK(aclrtMemcpy(&back, 4, p, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(back == (code ? 0 : v)); /* nothing ran that was refused */
    return ended("chip");
}
