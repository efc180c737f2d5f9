/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.h - the algorithm that a call of the high-level API may choose, for kernels and tilings.
 *
 * On this machine one way of computing serves all of them: it keeps the more accurate promise.
 */
#ifndef NPUTWIN_ADV_CONFIG_H
#define NPUTWIN_ADV_CONFIG_H
#include <cstdint>

namespace AscendC {

enum class SinAlgo { POLYNOMIAL_APPROXIMATION = 0, RADIAN_REDUCTION };
struct SinConfig {
    SinAlgo algo = SinAlgo::POLYNOMIAL_APPROXIMATION;
};
constexpr SinConfig defaultSinConfig;

enum class CosAlgo { POLYNOMIAL_APPROXIMATION = 0, RADIAN_REDUCTION };
struct CosConfig {
    CosAlgo algo = CosAlgo::POLYNOMIAL_APPROXIMATION;
};
constexpr CosConfig defaultCosConfig;

} // namespace AscendC
#endif
