/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/acl.h"
#include <cstdio>
int add_on_device(int v, int n);
int main()
{
    aclInit(nullptr);
    aclrtSetDevice(0);
    std::printf("mixed %d\n", add_on_device(30, 7));
}
