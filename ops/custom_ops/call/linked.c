/* SPDX-License-Identifier: Apache-2.0 */
/* linked.c - a program that links the package: -lcust_opapi. */
#include "axpy.h"

int main(void)
{
    const int wrong = axpy_wrong(aclnnAxpyCustomGetWorkspaceSize, aclnnAxpyCustom);

    printf("linked: %d of %d wrong\n", wrong, N);
    return wrong != 0;
}
