/* SPDX-License-Identifier: Apache-2.0 */
/* late.c - a program that says where operator packages are when it is too late. Argument 1: the
 * variable, 2: "early" (in front of aclInit), "late", or "same" (late, but what it was). */
#define _GNU_SOURCE
#include "check.h"

int main(int argc, char **argv)
{
    const char *when = argc == 3 ? argv[2] : "";
    void *p;

    if (!strcmp(when, "same"))
        setenv(argv[1], "/opt/one", 1);
    if (!strcmp(when, "early"))
        setenv(argv[1], "/opt/two", 1);
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    if (!strcmp(when, "late"))
        setenv(argv[1], "/opt/two", 1);
    if (!strcmp(when, "same"))
        setenv(argv[1], "/opt/one", 1);
    for (int i = 0; i < 3; i++) {
        OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtSynchronizeDevice());
        OK(aclrtFree(p));
    }
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return ended("late");
}
