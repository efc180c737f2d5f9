/* SPDX-License-Identifier: Apache-2.0 */
/* infer_shape_context.h - gert::InferShapeContext. */
#ifndef NPUTWIN_GERT_INFER_SHAPE_CONTEXT_H
#define NPUTWIN_GERT_INFER_SHAPE_CONTEXT_H
#include "context.h"

namespace gert {

class InferShapeContext : public Context {
public:
    const Shape *GetInputShape(size_t i) const { return ShapeOf(Input(i)); }
    const Shape *GetRequiredInputShape(size_t i) const { return ShapeOf(InputOf(i, 0)); }
    const Shape *GetOptionalInputShape(size_t i) const { return ShapeOf(InputOf(i, 0)); }
    const Shape *GetDynamicInputShape(size_t i, size_t k) const { return ShapeOf(InputOf(i, k)); }
    Shape *GetOutputShape(size_t i) { return ShapeOf(Output(i)); }

private:
    static Shape *ShapeOf(npu_opp_tensor *t) { return t ? Shape::Of(&t->shape.origin) : nullptr; }
};

} // namespace gert
#endif
