/* SPDX-License-Identifier: Apache-2.0 */
#include "aclrtlaunch_no_arguments.h"
#include "aclrtlaunch_scale.h"
#include <cstdio>
int run(void)
{
    int x[4] = {1, 2, 3, 4}, y[4] = {};
    uint32_t none = ACLRT_LAUNCH_KERNEL(no_arguments)(1, nullptr);
    uint32_t first = ACLRT_LAUNCH_KERNEL(scale)(1, nullptr, x, y, 4, 0.5f);
    uint32_t refused = ACLRT_LAUNCH_KERNEL(scale)(0, nullptr, x, y, 4, 0.5f);

    std::printf("legacy %d %d %d %d, codes %u %u %u\n", y[0], y[1], y[2], y[3], none, first, refused);
    return 0;
}
