/* SPDX-License-Identifier: Apache-2.0 */
/*
 * platform_ascendc.h - figures of the chip, for the host part of an operator.
 *
 * They come from the row of the SoC in use (`nputwin list soc`, NPUTWIN_SOC), so that a tiling that
 * asks instead of assuming is right on every chip. Functions live in libplatform.so.
 */
#ifndef NPUTWIN_PLATFORM_ASCENDC_H
#define NPUTWIN_PLATFORM_ASCENDC_H
#include <cstddef>
#include <cstdint>

namespace fe {
class PlatFormInfos; /* what a graph engine passes; only handed on */
}

/* Number of --npu-arch=dav-NNNN. The twin answers with two of them; sources ask for others. */
enum class NpuArch : uint32_t {
    DAV_1001 = 1001,
    DAV_2002 = 2002,
    DAV_2201 = 2201,
    DAV_3002 = 3002,
    DAV_3003 = 3003,
    DAV_3113 = 3113,
    DAV_3510 = 3510,
    DAV_5102 = 5102,
    DAV_RESV = 0xFFFF
};

namespace platform_ascendc {

enum class CoreMemType {
    L0_A = 0,
    L0_B = 1,
    L0_C = 2,
    L1 = 3,
    L2 = 4,
    UB = 5,
    HBM = 6,
    FB = 7,
    BT = 8,
    RESERVED
};

enum class SocVersion {
    ASCEND910 = 0,
    ASCEND910B,
    ASCEND310P,
    ASCEND310B,
    ASCEND910_93,
    ASCEND950,
    RESERVED_VERSION = 99999
};

class PlatformAscendC {
public:
    PlatformAscendC() = delete;
    ~PlatformAscendC() = default;
    explicit PlatformAscendC(fe::PlatFormInfos *infos) : infos_(infos) {}

    /* Cores that a launch of a kernel without cube and vector parts uses: cube cores. */
    uint32_t GetCoreNum() const;
    uint32_t GetCoreNumAic() const;
    uint32_t GetCoreNumAiv() const;
    /* Vector cores beside the AI Cores; 0 on chips with split cores. */
    uint32_t GetCoreNumVector() const;
    SocVersion GetSocVersion() const;
    NpuArch GetCurNpuArch() const;
    /* Bytes of one memory; 0 for RESERVED. UB is the whole of it, reserved part included. */
    void GetCoreMemSize(const CoreMemType &type, uint64_t &size) const;
    /* Workspace that high-level API objects need at the start of a kernel's workspace. */
    uint32_t GetLibApiWorkSpaceSize() const;
    /* Workspace of CreateCubeResGroup, a queue of messages of up to 1 KiB for each vector core; and
     * of a GroupBarrier that all of them wait at. */
    uint32_t GetResCubeGroupWorkSpaceSize() const;
    uint32_t GetResGroupBarrierWorkSpaceSize() const;
    /* Blocks for n slices of a mix kernel with so many cube and vector cores a block. */
    uint32_t CalcTschBlockDim(uint32_t n_slices, uint32_t n_aic, uint32_t n_aiv) const;
    uint32_t CalcTschNumBlocks(uint32_t n_slices, uint32_t n_aic, uint32_t n_aiv) const;

private:
    fe::PlatFormInfos *infos_;
};

class PlatformAscendCManager {
public:
    /* The chip of this process; NULL when NPUTWIN_SOC names none (the message says which exist). */
    static PlatformAscendC *GetInstance();
    /* The chip of that name, whether this process runs on it or not; NULL when there is none. */
    static PlatformAscendC *GetInstance(const char *socName);
};

} // namespace platform_ascendc
#endif
