/* SPDX-License-Identifier: Apache-2.0 */
/* ge_error_codes.h - the status of host functions. The numbers and the guard are the interface's.
 */
#ifndef INC_EXTERNAL_GRAPH_GE_ERROR_CODES_H_
#define INC_EXTERNAL_GRAPH_GE_ERROR_CODES_H_
#include <cstdint>

#define ATTRIBUTED_DEPRECATED(replacement) __attribute__((deprecated("use " #replacement)))
#define ATTRIBUTED_NOT_SUPPORT()           __attribute__((deprecated("not supported")))

namespace ge {

using graphStatus = uint32_t;
constexpr graphStatus GRAPH_SUCCESS = 0;
constexpr graphStatus GRAPH_FAILED = 0xFFFFFFFF;
constexpr graphStatus GRAPH_PARAM_INVALID = 50331649;

} // namespace ge
#endif
