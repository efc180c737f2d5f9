/* SPDX-License-Identifier: Apache-2.0 */
/* shape_util.h - Ops::Base: shapes for messages, and those that are not known yet (-1, -2). */
#ifndef NPUTWIN_OP_SHAPE_UTIL_H
#define NPUTWIN_OP_SHAPE_UTIL_H
#include "exe_graph/runtime/shape.h"
#include "graph/types.h"
#include <string>

namespace Ops::Base {

using ge::UNKNOWN_DIM;

inline bool IsUnknownRank(const gert::Shape &s)
{
    return s.GetDimNum() == 1 && s.GetDim(0) == ge::UNKNOWN_DIM_NUM;
}
inline void SetUnknownRank(gert::Shape &s)
{
    s.SetDimNum(0);
    s.AppendDim(ge::UNKNOWN_DIM_NUM);
}
inline bool IsUnknownShape(const gert::Shape &s)
{
    for (size_t i = 0; i < s.GetDimNum(); i++)
        if (s.GetDim(i) < 0)
            return true;
    return false;
}
inline void SetUnknownShape(int64_t n_dims, gert::Shape &s)
{
    s.SetDimNum(0);
    for (int64_t i = 0; i < n_dims; i++)
        s.AppendDim(UNKNOWN_DIM);
}
inline std::string ToString(const gert::Shape &s)
{
    std::string text = "[";
    for (size_t i = 0; i < s.GetDimNum(); i++)
        text += (i ? "," : "") + std::to_string(s.GetDim(i));
    return text + "]";
}

} // namespace Ops::Base
#endif
