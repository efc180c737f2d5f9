/* SPDX-License-Identifier: Apache-2.0 */
/*
 * platform.c - libplatform.so: figures of the chip for tilings.
 *
 * Callers are C++ (tiling/platform/platform_ascendc.h), but each function is a look-up in the SoC
 * row: it is written in C under the name that the C++ compiler gives it (Itanium ABI: `this` comes
 * first, a reference is a pointer, a small enum a number). So the library needs no C++ runtime.
 * tests/unit/t_platform.cpp calls all of them through the header.
 */
#include "../../engine/kernel.h"
#include "../rt.h"

#define METHOD(mangled)  _ZNK16platform_ascendc15PlatformAscendC##mangled
#define MANAGER(mangled) _ZN16platform_ascendc22PlatformAscendCManager##mangled

/* CoreMemType and SocVersion of the header. */
enum core_mem { L0_A, L0_B, L0_C, L1, L2, UB, HBM, FB, BT };
enum soc_version { ASCEND910B = 1, ASCEND910_93 = 4, ASCEND950 = 5, RESERVED_VERSION = 99999 };

/* A PlatformAscendC: one pointer, unused. */
struct platform {
    void *infos;
};

/* The C++ header declares all of these; C wants a declaration of its own. */
uint32_t METHOD(10GetCoreNumEv)(const struct platform *self);
uint32_t METHOD(13GetCoreNumAicEv)(const struct platform *self);
uint32_t METHOD(13GetCoreNumAivEv)(const struct platform *self);
uint32_t METHOD(16GetCoreNumVectorEv)(const struct platform *self);
int METHOD(13GetSocVersionEv)(const struct platform *self);
uint32_t METHOD(13GetCurNpuArchEv)(const struct platform *self);
void METHOD(14GetCoreMemSizeERKNS_11CoreMemTypeERm)(const struct platform *self, const int *type,
                                                    uint64_t *size);
uint32_t METHOD(22GetLibApiWorkSpaceSizeEv)(const struct platform *self);
uint32_t METHOD(28GetResCubeGroupWorkSpaceSizeEv)(const struct platform *self);
uint32_t METHOD(31GetResGroupBarrierWorkSpaceSizeEv)(const struct platform *self);
uint32_t METHOD(16CalcTschBlockDimEjjj)(const struct platform *self, uint32_t n_slices,
                                        uint32_t n_aic, uint32_t n_aiv);
uint32_t METHOD(17CalcTschNumBlocksEjjj)(const struct platform *self, uint32_t n_slices,
                                         uint32_t n_aic, uint32_t n_aiv);
struct platform *MANAGER(11GetInstanceEv)(void);
struct platform *MANAGER(11GetInstanceEPKc)(const char *soc_name);

/* What GetInstance(name) hands out: one a row of npu_socs. */
enum { MAX_SOCS = 64 };
static struct platform named[MAX_SOCS];

/* The row that self stands for. Without a SoC every figure is 0: a tiling then divides by zero
 * instead of computing nonsense. */
static const struct npu_soc *soc_of(const struct platform *self)
{
    static const struct npu_soc none;
    const struct npu_soc *soc;

    if (self >= named && self < named + MAX_SOCS)
        return &npu_socs[self - named];
    soc = npu_rt_soc();
    return soc ? soc : &none;
}

uint32_t METHOD(10GetCoreNumEv)(const struct platform *self)
{
    return soc_of(self)->n_aic;
}

uint32_t METHOD(13GetCoreNumAicEv)(const struct platform *self)
{
    return soc_of(self)->n_aic;
}

uint32_t METHOD(13GetCoreNumAivEv)(const struct platform *self)
{
    return soc_of(self)->n_aiv;
}

uint32_t METHOD(16GetCoreNumVectorEv)(const struct platform *self)
{
    (void)self;
    return 0;
}

int METHOD(13GetSocVersionEv)(const struct platform *self)
{
    const struct npu_soc *soc = soc_of(self);

    if (soc->arch == 3510)
        return ASCEND950;
    if (soc->arch != 2201)
        return RESERVED_VERSION;
    return __builtin_strstr(soc->name, "910_") ? ASCEND910_93 : ASCEND910B;
}

uint32_t METHOD(13GetCurNpuArchEv)(const struct platform *self)
{
    return soc_of(self)->arch;
}

void METHOD(14GetCoreMemSizeERKNS_11CoreMemTypeERm)(const struct platform *self, const int *type,
                                                    uint64_t *size)
{
    static const uint8_t mems[] = {[L0_A] = MEM_L0A, [L0_B] = MEM_L0B, [L0_C] = MEM_L0C,
                                   [L1] = MEM_L1,    [L2] = 0,         [UB] = MEM_UB,
                                   [HBM] = 0,        [FB] = MEM_FB,    [BT] = MEM_BT};
    const struct npu_soc *soc = soc_of(self);

    if (*type == L2)
        *size = (uint64_t)soc->l2_mb << 20;
    else if (*type == HBM)
        *size = (uint64_t)soc->hbm_gb << 30;
    else
        *size = *type >= 0 && *type <= BT ? soc->mem_bytes[mems[*type]] : 0;
}

uint32_t METHOD(22GetLibApiWorkSpaceSizeEv)(const struct platform *self)
{
    (void)self;
    return NPU_SYS_WORKSPACE_BYTES;
}

/* front/cpp/cube_group.h: queues of four messages; front/cpp/sync.h: 512 bytes for each that waits.
 */
uint32_t METHOD(28GetResCubeGroupWorkSpaceSizeEv)(const struct platform *self)
{
    enum { DEPTH = 4, MESSAGE_BYTES = 1024 };
    return soc_of(self)->n_aiv * DEPTH * MESSAGE_BYTES;
}

uint32_t METHOD(31GetResGroupBarrierWorkSpaceSizeEv)(const struct platform *self)
{
    enum { WAITER_BYTES = 512 };
    return soc_of(self)->n_aiv * WAITER_BYTES;
}

/* A block of a mix kernel holds as many slices as it has vector cores for each cube core. */
uint32_t METHOD(17CalcTschNumBlocksEjjj)(const struct platform *self, uint32_t n_slices,
                                         uint32_t n_aic, uint32_t n_aiv)
{
    uint32_t ratio;

    (void)self;
    if (!n_aic || !n_aiv || n_aic > n_aiv)
        return n_slices;
    ratio = n_aiv / n_aic;
    return (n_slices + ratio - 1) / ratio;
}

uint32_t METHOD(16CalcTschBlockDimEjjj)(const struct platform *self, uint32_t n_slices,
                                        uint32_t n_aic, uint32_t n_aiv)
{
    return METHOD(17CalcTschNumBlocksEjjj)(self, n_slices, n_aic, n_aiv);
}

struct platform *MANAGER(11GetInstanceEv)(void)
{
    static struct platform instance;

    return npu_rt_soc() ? &instance : NULL;
}

struct platform *MANAGER(11GetInstanceEPKc)(const char *soc_name)
{
    const struct npu_soc *soc = soc_name ? npu_soc_find(soc_name) : NULL;

    if (!soc_name)
        return MANAGER(11GetInstanceEv)();
    if (soc && soc - npu_socs < MAX_SOCS)
        return &named[soc - npu_socs];
    npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                "PlatformAscendCManager::GetInstance(%s): no such SoC: see "
                "`nputwin list soc`",
                soc_name);
    return NULL;
}
