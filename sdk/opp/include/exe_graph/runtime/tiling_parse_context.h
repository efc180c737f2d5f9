/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tiling_parse_context.h - gert::TilingParseContext: what a TilingParse function reads and fills.
 *
 * It runs once a process, before the first TilingFunc of its operator, which then finds what it
 * filled in GetCompileInfo().
 */
#ifndef NPUTWIN_GERT_TILING_PARSE_CONTEXT_H
#define NPUTWIN_GERT_TILING_PARSE_CONTEXT_H
#include "../../graph/types.h"
#include "../../nputwin/opp.h"

namespace fe {
class PlatFormInfos;
}

namespace gert {

class TilingParseContext {
public:
    TilingParseContext(const npu_opp_op *op, void *info) : op_(op), info_(info) {}
    const char *GetNodeType() const { return op_->type; }
    const char *GetNodeName() const { return op_->type; }
    /* For platform_ascendc::PlatformAscendC, which answers from the SoC of the process. */
    fe::PlatFormInfos *GetPlatformInfo() const
    {
        return reinterpret_cast<fe::PlatFormInfos *>(const_cast<npu_opp_op *>(op_));
    }
    /* The structure that TilingParse<T> or OP_ADD(Type, T) names; new, nothing filled in. */
    template <class T> T *GetCompiledInfo() { return static_cast<T *>(info_); }

private:
    const npu_opp_op *op_;
    void *info_;
};

} // namespace gert
#endif
