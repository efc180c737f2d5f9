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

#define NPU_ALGORITHM(name, preset, ...)                                                           \
    enum class name##Algo{__VA_ARGS__};                                                            \
    struct name##Config {                                                                          \
        name##Algo algo = static_cast<name##Algo>(0);                                              \
    };                                                                                             \
    constexpr name##Config preset;
NPU_ALGORITHM(Sin, defaultSinConfig, POLYNOMIAL_APPROXIMATION = 0, RADIAN_REDUCTION)
NPU_ALGORITHM(Cos, defaultCosConfig, POLYNOMIAL_APPROXIMATION = 0, RADIAN_REDUCTION)
NPU_ALGORITHM(Atan, defaultAtanConfig, TAYLOR_EXPANSION = 0, POLYNOMIAL_APPROXIMATION)
NPU_ALGORITHM(Tanh, DEFAULT_TANH_CONFIG, INTRINSIC = 0, SUBSECTION_COMPENSATION)
NPU_ALGORITHM(Erf, defaultErfConfig, PADE_APPROXIMATION = 0, SUBSECTION_POLYNOMIAL_APPROXIMATION)
NPU_ALGORITHM(Power, defaultPowerConfig, INTRINSIC = 0, DOUBLE_FLOAT_TECH)
#undef NPU_ALGORITHM

constexpr uint32_t FMOD_ITERATION_NUM_MAX = 11;
enum class FmodAlgo { NORMAL = 0, ITERATION_COMPENSATION = 1 };
struct FmodConfig {
    FmodAlgo algo = FmodAlgo::NORMAL;
    uint32_t iterationNum = FMOD_ITERATION_NUM_MAX;
};
constexpr FmodConfig DEFAULT_FMOD_CONFIG;

enum class CumSumAlgorithm { CUMSUM_ALGORITHM_LINEBYLINE = 0, CUMSUM_ALGORITHM_SKLANSKY = 1 };
struct CumSumConfig {
    bool isLastAxis{true};
    bool isReuseSource{false};
    bool outputLastRow{false};
    CumSumAlgorithm algorithm{CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE};
};
constexpr CumSumConfig defaultCumSumConfig;
struct CumSumInfo {
    uint32_t outter{0};
    uint32_t inner{0};
};

} // namespace AscendC
#endif
