/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmp.h - the temporary tensor that calls of the high-level API take.
 *
 * The vector unit here needs none, but the chip's library does: one that is smaller than what the
 * host's Get<Name>MaxMinTmpSize reports is a fault. Without one, the chip takes what is left of UB.
 */
#ifndef NPU_FRONT_ADV_TMP_H
#define NPU_FRONT_ADV_TMP_H
#include "../tensor.h"

namespace nputwin::adv {

/* Least bytes for elements of that size. */
#define TMP(name, host, half, single)                                                              \
    constexpr uint32_t least_##name(size_t bytes) { return 256u * (bytes < 4 ? half : single); }
#include "../../../sdk/include/tiling/nputwin/tmp_size.def"

inline void check_tmp(const char *name, const AscendC::LocalTensor<uint8_t> &tmp, uint32_t least,
                      npu_where where)
{
    if (tmp.GetLength() < least)
        npu_fault(core(), NPU_E_ARG, where,
                  "%s: sharedTmpBuffer has %u bytes, at least %u are needed; plan for what "
                  "Get%sMaxMinTmpSize reports on the host",
                  name, tmp.GetLength(), least, name);
}
#define NPU_ADV_TMP(name, T, tmp)                                                                  \
    nputwin::adv::check_tmp(#name, tmp, nputwin::adv::least_##name(sizeof(T)), where)

} // namespace nputwin::adv
#endif
