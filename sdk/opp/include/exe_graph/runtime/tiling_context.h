/* SPDX-License-Identifier: Apache-2.0 */
/* tiling_context.h - gert::TilingContext: what a TilingFunc reads, and what it answers. */
#ifndef NPUTWIN_GERT_TILING_CONTEXT_H
#define NPUTWIN_GERT_TILING_CONTEXT_H
#include "context.h"
#include <cstring>
#include <type_traits>

namespace fe {
class PlatFormInfos;
}

namespace gert {

/* The buffer of tiling data of a call. */
class TilingData : private npu_opp_call {
public:
    void *GetData() { return tiling; }
    const void *GetData() const { return tiling; }
    size_t GetCapacity() const { return tiling_capacity; }
    size_t GetDataSize() const { return tiling_bytes; }
    void SetDataSize(size_t n) { tiling_bytes = n; }
    template <class T> ge::graphStatus Append(const T &value)
    {
        static_assert(std::is_trivially_copyable_v<T>, "tiling data is copied byte by byte");
        if (tiling_capacity - tiling_bytes < sizeof(T))
            return ge::GRAPH_FAILED;
        std::memcpy(tiling + tiling_bytes, &value, sizeof(T));
        tiling_bytes += sizeof(T);
        return ge::GRAPH_SUCCESS;
    }

    static TilingData *Of(npu_opp_call *c) { return static_cast<TilingData *>(c); }
};

class TilingContext : public Context {
public:
    const StorageShape *GetInputShape(size_t i) const { return ShapeOf(Input(i)); }
    const StorageShape *GetRequiredInputShape(size_t i) const { return ShapeOf(InputOf(i, 0)); }
    const StorageShape *GetOptionalInputShape(size_t i) const { return ShapeOf(InputOf(i, 0)); }
    const StorageShape *GetDynamicInputShape(size_t i, size_t k) const
    {
        return ShapeOf(InputOf(i, k));
    }
    const StorageShape *GetOutputShape(size_t i) const { return ShapeOf(Output(i)); }
    const CompileTimeTensorDesc *GetOutputDesc(size_t i) const
    {
        return CompileTimeTensorDesc::Of(Output(i));
    }
    /* For platform_ascendc::PlatformAscendC, which answers from the SoC of the process. */
    fe::PlatFormInfos *GetPlatformInfo() const
    {
        return reinterpret_cast<fe::PlatFormInfos *>(const_cast<npu_opp_op *>(op));
    }

    /* The structure that the operator's TilingParse filled in. */
    const void *GetCompileInfo() const { return op->compile_info; }
    template <class T> const T *GetCompileInfo() const
    {
        return static_cast<const T *>(op->compile_info);
    }

    template <class T> T *GetTilingData()
    {
        static_assert(
            std::is_trivially_copyable_v<T>,
            "tiling data is copied byte by byte: no pointers to own, no virtual functions");
        if (sizeof(T) > tiling_capacity)
            return nullptr;
        tiling_bytes = sizeof(T);
        return reinterpret_cast<T *>(tiling);
    }
    TilingData *GetRawTilingData() { return TilingData::Of(this); }
    ge::graphStatus SetBlockDim(uint32_t n)
    {
        block_dim = n;
        return ge::GRAPH_SUCCESS;
    }
    ge::graphStatus SetSimdNumBlocks(uint32_t n) { return SetBlockDim(n); }
    uint32_t GetBlockDim() const { return block_dim; }
    uint32_t GetSimdNumBlocks() const { return block_dim; }
    ge::graphStatus SetTilingKey(uint64_t key)
    {
        tiling_key = key;
        return ge::GRAPH_SUCCESS;
    }
    uint64_t GetTilingKey() const { return tiling_key; }
    /* On the twin the blocks of one launch always run as if together. */
    ge::graphStatus SetScheduleMode(uint32_t mode)
    {
        schedule_mode = mode;
        return ge::GRAPH_SUCCESS;
    }
    uint32_t GetScheduleMode() const { return schedule_mode; }
    /* UB that a SIMT kernel of dav-3510 leaves to its cache or not: a cache changes no result. */
    ge::graphStatus SetLocalMemorySize(uint32_t) { return ge::GRAPH_SUCCESS; }
    /* Sizes in bytes of n workspaces, to be filled in; they lie one behind the other. */
    size_t *GetWorkspaceSizes(size_t n)
    {
        if (n > NPU_OPP_WORKSPACES)
            return nullptr;
        n_workspaces = n;
        return workspace_bytes;
    }
    size_t GetWorkspaceNum() const { return n_workspaces; }
    /* The outputs get the InitValue of their OpDef before the kernel runs. */
    ge::graphStatus SetNeedAtomic(bool need)
    {
        needs_atomic = need;
        return ge::GRAPH_SUCCESS;
    }
    bool NeedAtomic() const { return needs_atomic; }

private:
    static const StorageShape *ShapeOf(const npu_opp_tensor *t)
    {
        return t ? StorageShape::Of(&t->shape) : nullptr;
    }
};

} // namespace gert
#endif
