/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/acl.h"
#include "aclrtlaunch_with_nothing.h"
#include "aclrtlaunch_with_tiling.h"
#include "aclrtlaunch_with_workspace.h"
#include <cstdio>

static uint64_t *allocate(size_t bytes)
{
    void *p = nullptr;

    aclrtMalloc(&p, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    return static_cast<uint64_t *>(p);
}

int main()
{
    aclInit(nullptr);
    aclrtSetDevice(0);
    const size_t system = 16 << 20;
    uint64_t *whole = allocate(system + 64), *out = allocate(64), *tiling = allocate(8), at = (uint64_t)whole;
    auto show = [&](const char *name, uint32_t code) {
        code = code ? code : (uint32_t)aclrtSynchronizeStream(nullptr);
        std::printf("%s: %u, %llu %llu %llu %llu, %llu\n", name, code, (unsigned long long)out[0], (unsigned long long)out[1],
                    (unsigned long long)out[2], (unsigned long long)out[3], (unsigned long long)whole[system / 8]);
        out[3] = whole[system / 8] = 0;
    };

    out[3] = 0;
    tiling[0] = 5;
    show("nothing", ACLRT_LAUNCH_KERNEL(with_nothing)(1, nullptr, at, out, whole));
    show("workspace", ACLRT_LAUNCH_KERNEL(with_workspace)(1, nullptr, at, out, whole));
    show("tiling", ACLRT_LAUNCH_KERNEL(with_tiling)(1, nullptr, at, out, whole, tiling));
    ACLRT_LAUNCH_KERNEL(with_workspace)(1, nullptr, at, out, nullptr);
    if (aclrtSynchronizeStream(nullptr))
        std::printf("null: %s\n", aclGetRecentErrMsg());
    return 0;
}
