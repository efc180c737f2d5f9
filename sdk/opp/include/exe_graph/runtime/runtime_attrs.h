/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_attrs.h - gert::RuntimeAttrs: attributes by their number in the OpDef. */
#ifndef NPUTWIN_GERT_RUNTIME_ATTRS_H
#define NPUTWIN_GERT_RUNTIME_ATTRS_H
#include "../../nputwin/opp.h"

namespace gert {

template <class T> class TypedContinuousVector : private npu_opp_list {
public:
    size_t GetSize() const { return n; }
    const T *GetData() const { return static_cast<const T *>(data); }

    static const TypedContinuousVector *Of(const npu_opp_list *l)
    {
        return static_cast<const TypedContinuousVector *>(l);
    }
};

class ContinuousVector : private npu_opp_list {
public:
    size_t GetSize() const { return n; }
    const void *GetData() const { return data; }
};

/* The lists of a list. */
class ContinuousVectorVector : private npu_opp_list {
public:
    size_t GetSize() const { return n; }
    const ContinuousVector *Get(size_t i) const
    {
        return i < n ? reinterpret_cast<const ContinuousVector *>(
                           static_cast<const npu_opp_list *>(data) + i)
                     : nullptr;
    }
};

class RuntimeAttrs : private npu_opp_call {
public:
    size_t GetAttrNum() const { return op->n_attrs; }
    /* A pointer to the value: bool, int64_t, float, char (a string) or ContinuousVector (a list).
     */
    template <class T> const T *GetAttrPointer(size_t i) const
    {
        if (i >= op->n_attrs)
            return nullptr;
        if (op->attrs[i].kind == NPU_OPP_STRING)
            return reinterpret_cast<const T *>(attrs[i].s);
        return reinterpret_cast<const T *>(&attrs[i]);
    }
    const bool *GetBool(size_t i) const { return At<bool>(i, NPU_OPP_BOOL); }
    const int64_t *GetInt(size_t i) const { return At<int64_t>(i, NPU_OPP_INT); }
    const float *GetFloat(size_t i) const { return At<float>(i, NPU_OPP_FLOAT); }
    const char *GetStr(size_t i) const { return At<char>(i, NPU_OPP_STRING); }
    const TypedContinuousVector<int64_t> *GetListInt(size_t i) const
    {
        return At<TypedContinuousVector<int64_t>>(i, NPU_OPP_LIST_INT);
    }
    const TypedContinuousVector<float> *GetListFloat(size_t i) const
    {
        return At<TypedContinuousVector<float>>(i, NPU_OPP_LIST_FLOAT);
    }
    const TypedContinuousVector<bool> *GetListBool(size_t i) const
    {
        return At<TypedContinuousVector<bool>>(i, NPU_OPP_LIST_BOOL);
    }
    const ContinuousVectorVector *GetListListInt(size_t i) const
    {
        return At<ContinuousVectorVector>(i, NPU_OPP_LIST_LIST_INT);
    }

    static const RuntimeAttrs *Of(const npu_opp_call *c)
    {
        return static_cast<const RuntimeAttrs *>(c);
    }

private:
    template <class T> const T *At(size_t i, npu_opp_attr_kind kind) const
    {
        return i < op->n_attrs && op->attrs[i].kind == kind ? GetAttrPointer<T>(i) : nullptr;
    }
};

} // namespace gert
#endif
