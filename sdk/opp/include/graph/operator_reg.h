/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operator_reg.h - REG_OP(Type).INPUT(...)...OP_END_FACTORY_REG(Type): an operator for graphs.
 *
 * The twin has no graph engine: the words are taken and say nothing. The OpDef says the same to the
 * aclnn functions.
 */
#ifndef INC_EXTERNAL_GRAPH_OPERATOR_REG_H_ /* types.h says why */
#define INC_EXTERNAL_GRAPH_OPERATOR_REG_H_
#include "types.h"

namespace nputwin::opp {
struct graph_word {
    constexpr graph_word word() const { return {}; }
};
} // namespace nputwin::opp

#define REG_OP(Type)                                                                               \
    [[maybe_unused]] static constexpr ::nputwin::opp::graph_word nputwin_graph_##Type =            \
        ::nputwin::opp::graph_word()
#define INPUT(...)               word()
#define OPTIONAL_INPUT(...)      word()
#define DYNAMIC_INPUT(...)       word()
#define OUTPUT(...)              word()
#define DYNAMIC_OUTPUT(...)      word()
#define ATTR(...)                word()
#define REQUIRED_ATTR(...)       word()
#define DATATYPE(...)            word()
#define GRAPH(...)               word()
#define DYNAMIC_GRAPH(...)       word()
#define OP_END_FACTORY_REG(Type) word();
#endif
