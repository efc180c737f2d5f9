/* SPDX-License-Identifier: Apache-2.0 */
/* infer_shape_context.h - gert::InferShapeContext. */
#ifndef NPUTWIN_GERT_INFER_SHAPE_CONTEXT_H
#define NPUTWIN_GERT_INFER_SHAPE_CONTEXT_H
#include "context.h"

namespace gert {

class InferShapeContext : public Context {
public:
    const Shape *GetInputShape(size_t i) const
    {
        const npu_opp_tensor *t = Input(i);

        return t ? Shape::Of(&t->shape.origin) : nullptr;
    }
    const Shape *GetOptionalInputShape(size_t i) const { return GetInputShape(i); }
    Shape *GetOutputShape(size_t i)
    {
        npu_opp_tensor *t = Output(i);

        return t ? Shape::Of(&t->shape.origin) : nullptr;
    }
};

} // namespace gert
#endif
