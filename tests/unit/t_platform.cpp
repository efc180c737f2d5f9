/* SPDX-License-Identifier: Apache-2.0 */
/* t_platform.cpp - the figures of a chip, through the C++ header that tilings include. Starts
 * itself again for each SoC. */
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <setjmp.h>
extern "C" {
#include <cmocka.h>
}
#include "tiling/platform/platform_ascendc.h"

#include <unistd.h>

using namespace platform_ascendc;

struct expected {
    const char *soc;
    uint32_t aic, aiv;
    uint64_t ub, l0c, l2;
    SocVersion version;
    NpuArch arch;
};

static const struct expected chips[] = {
    {"Ascend910B2", 24, 48, 196608, 131072, 192u << 20, SocVersion::ASCEND910B, NpuArch::DAV_2201},
    {"Ascend910_9362", 20, 40, 196608, 131072, 168u << 20, SocVersion::ASCEND910_93,
     NpuArch::DAV_2201},
    {"Ascend950PR_9599", 36, 72, 253952, 262144, 128u << 20, SocVersion::ASCEND950,
     NpuArch::DAV_3510},
};

static uint64_t size_of(CoreMemType type)
{
    uint64_t size = 1;

    PlatformAscendCManager::GetInstance()->GetCoreMemSize(type, size);
    return size;
}

static void test_figures(void **state)
{
    const struct expected *e = static_cast<const struct expected *>(*state);
    PlatformAscendC *p = PlatformAscendCManager::GetInstance();

    assert_non_null(p);
    assert_null(PlatformAscendCManager::GetInstance("Ascend910C"));
    assert_int_equal(PlatformAscendCManager::GetInstance(e->soc)->GetCoreNumAiv(), e->aiv);
    assert_int_equal(PlatformAscendCManager::GetInstance("ascend910b4")->GetCoreNumAiv(), 40);
    assert_int_equal(p->GetCoreNum(), e->aic);
    assert_int_equal(p->GetCoreNumAic(), e->aic);
    assert_int_equal(p->GetCoreNumAiv(), e->aiv);
    assert_int_equal(p->GetCoreNumVector(), 0);
    assert_true(p->GetSocVersion() == e->version);
    assert_true(p->GetCurNpuArch() == e->arch);
    assert_int_equal(size_of(CoreMemType::UB), e->ub);
    assert_int_equal(size_of(CoreMemType::L0_C), e->l0c);
    assert_int_equal(size_of(CoreMemType::L1), 524288);
    assert_int_equal(size_of(CoreMemType::L2), e->l2);
    assert_int_equal(size_of(CoreMemType::RESERVED), 0);
    assert_int_equal(p->GetLibApiWorkSpaceSize(), 16 << 20);
    assert_int_equal(p->GetResCubeGroupWorkSpaceSize(), e->aiv * 4096);
    assert_int_equal(p->GetResGroupBarrierWorkSpaceSize(), e->aiv * 512);
}

static void test_blocks_of_mix_kernels(void **state)
{
    PlatformAscendC *p = PlatformAscendCManager::GetInstance();

    (void)state;
    assert_int_equal(p->CalcTschNumBlocks(48, 24, 48), 24);
    assert_int_equal(p->CalcTschBlockDim(47, 24, 48), 24);
    assert_int_equal(p->CalcTschBlockDim(13, 0, 48), 13);
}

int main(int argc, char **argv)
{
    const struct expected *e = chips;
    int rc = 0;

    if (argc < 2) { /* one process a chip: the name is read once */
        for (const struct expected &c : chips) {
            char command[4096];

            std::snprintf(command, sizeof(command), "NPUTWIN_SOC=%s %s %s", c.soc, argv[0], c.soc);
            rc |= std::system(command);
        }
        return rc != 0;
    }
    while (std::strcmp(e->soc, argv[1]))
        e++;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_figures, const_cast<struct expected *>(e)),
        cmocka_unit_test(test_blocks_of_mix_kernels),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
