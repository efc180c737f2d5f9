/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/acl.h"
int run(void);
int main()
{
    aclInit(nullptr);
    aclrtSetDevice(0);
    return run();
}
