/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled three times: without a definition, with HAVE_WORKSPACE, with HAVE_TILING as well. */
#include "kernel_operator.h"

/* What a kernel sees of its workspace: distances in bytes from `whole`, what the host passed. */
static __aicore__ void look(GM_ADDR out, uint64_t whole, GM_ADDR workspace)
{
    __gm__ uint64_t *to = (__gm__ uint64_t *)out;

    to[0] = (uint64_t)workspace - whole;
    to[1] = AscendC::GetSysWorkSpacePtr() ? (uint64_t)AscendC::GetSysWorkSpacePtr() - whole : 1;
    AscendC::SetSysWorkspace(workspace); /* changes nothing where it is set already */
    to[2] = (uint64_t)AscendC::GetUserWorkspace(workspace) - whole;
    ((__gm__ uint64_t *)AscendC::GetUserWorkspace(workspace))[0] = 77;
}

#ifdef HAVE_TILING
extern "C" __global__ __aicore__ void with_tiling(uint64_t whole, GM_ADDR out, GM_ADDR workspace, GM_ADDR tiling)
{
    look(out, whole, workspace);
    ((__gm__ uint64_t *)out)[3] = ((__gm__ uint64_t *)tiling)[0];
}
#elif defined(HAVE_WORKSPACE)
extern "C" __global__ __aicore__ void with_workspace(uint64_t whole, GM_ADDR out, GM_ADDR workspace)
{
    look(out, whole, workspace);
}
#else
extern "C" __global__ __aicore__ void with_nothing(uint64_t whole, GM_ADDR out, GM_ADDR workspace)
{
    look(out, whole, workspace);
}
#endif
