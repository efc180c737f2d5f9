/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.h - what op_host says of itself: OP_LOGE(context or name, format, ...) and its kin.
 *
 * Lines go into the process log (aclAppLog) of a program that has one. The generator of a project,
 * which runs op_host when it is configured, has none: there errors go to stderr.
 */
#ifndef NPUTWIN_OP_LOG_H
#define NPUTWIN_OP_LOG_H
#include "securec.h"
#include "toolchain/slog.h"
#include "util/shape_util.h"
#include <string>
#include <type_traits>
#include <utility>

namespace nputwin::opp {

inline const char *log_name(const char *name) { return name ? name : "?"; }
inline const char *log_name(const std::string &name) { return name.c_str(); }
template <class Context>
inline auto log_name(const Context *context) -> decltype(context->GetNodeName())
{
    return context ? context->GetNodeName() : "?";
}

} // namespace nputwin::opp

#define NPUTWIN_OP_LOG(level, who, fmt, ...)                                                       \
    DlogRecord(OP, level, "[%s:%d] %s: %s: " fmt, __FILE__, __LINE__, __FUNCTION__,                \
               ::nputwin::opp::log_name(who), ##__VA_ARGS__)
#define OP_LOGD(who, ...)                NPUTWIN_OP_LOG(DLOG_DEBUG, who, __VA_ARGS__)
#define OP_LOGI(who, ...)                NPUTWIN_OP_LOG(DLOG_INFO, who, __VA_ARGS__)
#define OP_LOGW(who, ...)                NPUTWIN_OP_LOG(DLOG_WARN, who, __VA_ARGS__)
#define OP_LOGE(who, ...)                NPUTWIN_OP_LOG(DLOG_ERROR, who, __VA_ARGS__)
#define OP_LOGE_WITHOUT_REPORT(who, ...) OP_LOGE(who, __VA_ARGS__)
#define OP_EVENT(who, ...)               NPUTWIN_OP_LOG(DLOG_EVENT, who, __VA_ARGS__)

/* "x has the shape [2,3], expected ...": one line each for what a call can be wrong about. */
#define NPUTWIN_OP_INVALID(who, param, what, is, expects, wanted)                                  \
    OP_LOGE(who, "%s has the " what " %s" expects "%s", ::nputwin::opp::log_name(param),           \
            ::nputwin::opp::log_name(is), ::nputwin::opp::log_name(wanted))
#define OP_LOGE_FOR_INVALID_VALUE(who, param, is, wanted)                                          \
    NPUTWIN_OP_INVALID(who, param, "value", is, ", expected ", wanted)
#define OP_LOGE_FOR_INVALID_DTYPE(who, param, is, wanted)                                          \
    NPUTWIN_OP_INVALID(who, param, "data type", is, ", expected ", wanted)
#define OP_LOGE_FOR_INVALID_FORMAT(who, param, is, wanted)                                         \
    NPUTWIN_OP_INVALID(who, param, "format", is, ", expected ", wanted)
#define OP_LOGE_FOR_INVALID_SHAPE(who, param, is, wanted)                                          \
    NPUTWIN_OP_INVALID(who, param, "shape", is, ", expected ", wanted)
#define OP_LOGE_FOR_INVALID_SHAPEDIM(who, param, is, wanted)                                       \
    NPUTWIN_OP_INVALID(who, param, "number of dimensions", is, ", expected ", wanted)
#define OP_LOGE_FOR_INVALID_SHAPESIZE(who, param, is, wanted)                                      \
    NPUTWIN_OP_INVALID(who, param, "number of elements", is, ", expected ", wanted)
#define OP_LOGE_FOR_INVALID_VALUE_WITH_REASON(who, param, is, why)                                 \
    NPUTWIN_OP_INVALID(who, param, "value", is, ": ", why)
#define OP_LOGE_FOR_INVALID_DTYPE_WITH_REASON(who, param, is, why)                                 \
    NPUTWIN_OP_INVALID(who, param, "data type", is, ": ", why)
#define OP_LOGE_FOR_INVALID_FORMAT_WITH_REASON(who, param, is, why)                                \
    NPUTWIN_OP_INVALID(who, param, "format", is, ": ", why)
#define OP_LOGE_FOR_INVALID_SHAPE_WITH_REASON(who, param, is, why)                                 \
    NPUTWIN_OP_INVALID(who, param, "shape", is, ": ", why)
#define OP_LOGE_FOR_INVALID_SHAPEDIM_WITH_REASON(who, param, is, why)                              \
    NPUTWIN_OP_INVALID(who, param, "number of dimensions", is, ": ", why)
#define OP_LOGE_FOR_INVALID_SHAPESIZE_WITH_REASON(who, param, is, why)                             \
    NPUTWIN_OP_INVALID(who, param, "number of elements", is, ": ", why)
#define OP_LOGE_FOR_INVALID_VALUES_WITH_REASON(who, params, are, why)                              \
    NPUTWIN_OP_INVALID(who, params, "values", are, ": ", why)
#define OP_LOGE_FOR_INVALID_DTYPES_WITH_REASON(who, params, are, why)                              \
    NPUTWIN_OP_INVALID(who, params, "data types", are, ": ", why)
#define OP_LOGE_FOR_INVALID_FORMATS_WITH_REASON(who, params, are, why)                             \
    NPUTWIN_OP_INVALID(who, params, "formats", are, ": ", why)
#define OP_LOGE_FOR_INVALID_SHAPES_WITH_REASON(who, params, are, why)                              \
    NPUTWIN_OP_INVALID(who, params, "shapes", are, ": ", why)
#define OP_LOGE_FOR_INVALID_SHAPEDIMS_WITH_REASON(who, params, are, why)                           \
    NPUTWIN_OP_INVALID(who, params, "numbers of dimensions", are, ": ", why)
#define OP_LOGE_FOR_INVALID_SHAPESIZES_WITH_REASON(who, params, are, why)                          \
    NPUTWIN_OP_INVALID(who, params, "numbers of elements", are, ": ", why)
#define OP_LOGE_WITH_INVALID_INPUT(who, param)                                                     \
    OP_LOGE(who, "%s: this input is not given, or not as it must be",                              \
            ::nputwin::opp::log_name(param))

#define OP_CHECK_IF(is_wrong, log, then)                                                           \
    do {                                                                                           \
        if (is_wrong) {                                                                            \
            log;                                                                                   \
            then;                                                                                  \
        }                                                                                          \
    } while (0)
#define OP_CHECK_NULL_WITH_CONTEXT(context, p)                                                     \
    OP_CHECK_IF((p) == nullptr, OP_LOGE(context, "%s is null", #p), return ge::GRAPH_FAILED)
#define OP_CHECK_NULL_WITH_CONTEXT_RET(context, p, result)                                         \
    OP_CHECK_IF((p) == nullptr, OP_LOGE(context, "%s is null", #p), return result)

/* Errors that the framework numbers: the number stands in the line. */
#define OpLogSub(module, level, who, fmt, ...) NPUTWIN_OP_LOG(level, who, fmt, ##__VA_ARGS__)
#define REPORT_INNER_ERR_MSG(number, fmt, ...)                                                     \
    DlogRecord(OP, DLOG_ERROR, "%s: " fmt, number, ##__VA_ARGS__)
#endif
