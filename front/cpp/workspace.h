/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workspace.h - the system's part of a workspace, and what lies behind it.
 *
 * The engine needs none of that memory; a kernel asks where it is. Operator projects and libraries
 * with HAVE_WORKSPACE have it set before the kernel runs, and a second SetSysWorkspace changes
 * nothing, so that GetUserWorkspace answers the same whatever pointer it is given.
 */
#ifndef NPU_FRONT_WORKSPACE_H
#define NPU_FRONT_WORKSPACE_H
#include "core.h"
#include "../../engine/kernel.h"

/* Kernels say it with and without AscendC:: in front. */
inline uint8_t *GetSysWorkSpacePtr()
{
    return static_cast<uint8_t *>(nputwin::core()->sys_workspace);
}

namespace AscendC {

using ::GetSysWorkSpacePtr;
inline void SetSysWorkspaceForce(uint8_t *workspace) { nputwin::core()->sys_workspace = workspace; }
inline void SetSysWorkspace(uint8_t *workspace)
{
    if (!GetSysWorkSpacePtr())
        SetSysWorkspaceForce(workspace);
}
inline uint8_t *GetUserWorkspace(uint8_t *workspace)
{
    uint8_t *system = GetSysWorkSpacePtr() ? GetSysWorkSpacePtr() : workspace;

    return system ? system + NPU_SYS_WORKSPACE_BYTES : nullptr;
}

} // namespace AscendC
#endif
