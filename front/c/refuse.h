/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refuse.h - the rows of vector.def for a chip that has none of them: a call says so by its name.
 */
#ifndef NPU_FRONT_C_REFUSE_H
#define NPU_FRONT_C_REFUSE_H

namespace nputwin {
template <class...> constexpr bool c_not_here = false;
}
#define NPU_C_NOT_HERE(name)                                                                       \
    template <class... A> inline void name(A &&...)                                                \
    {                                                                                              \
        static_assert(nputwin::c_not_here<A...>,                                                   \
                      #name ": calls from UB to UB are dav-2201's; on dav-3510 the C API works "   \
                            "on registers, which this version does not have");                     \
    }
#define NPU_C_NOT_HERE2(name) NPU_C_NOT_HERE(name) NPU_C_NOT_HERE(name##_sync)

#define ASC_VVV(name, op, set) NPU_C_NOT_HERE2(name)
#define ASC_VVV_TO(name, op, dst, src)
#define ASC_VV(name, op, set)           NPU_C_NOT_HERE2(name)
#define ASC_VVS(name, op, set)          NPU_C_NOT_HERE2(name)
#define ASC_SHIFT(name, op, Value, set) NPU_C_NOT_HERE2(name)
#define ASC_SHIFT_ALSO(name, op, Value, set)
#define ASC_CONV(name, dst, src, rounding) NPU_C_NOT_HERE2(name)
#define ASC_CONV5(name, dst, src)                                                                  \
    NPU_C_NOT_HERE2(name##_rn)                                                                     \
    NPU_C_NOT_HERE2(name##_rna)                                                                    \
    NPU_C_NOT_HERE2(name##_rd)                                                                     \
    NPU_C_NOT_HERE2(name##_ru)                                                                     \
    NPU_C_NOT_HERE2(name##_rz)
#define ASC_CMP(name, relation, set) NPU_C_NOT_HERE2(name)
#define ASC_CMP_TO(name, relation, type)
#define ASC_CMPS_ALSO(name, relation, type)
#define ASC_CMPS(name, relation, set) NPU_C_NOT_HERE2(name)
#define ASC_RED(name, op, order, set) NPU_C_NOT_HERE2(name)
#include "vector.def"
NPU_C_NOT_HERE2(asc_duplicate)
NPU_C_NOT_HERE2(asc_gather)
NPU_C_NOT_HERE2(asc_copy_gm2ub)
NPU_C_NOT_HERE2(asc_copy_ub2gm)
NPU_C_NOT_HERE2(asc_copy_ub2ub)
NPU_C_NOT_HERE2(asc_copy_gm2ub_align)
NPU_C_NOT_HERE2(asc_copy_ub2gm_align)
#undef NPU_C_NOT_HERE
#undef NPU_C_NOT_HERE2
#endif
