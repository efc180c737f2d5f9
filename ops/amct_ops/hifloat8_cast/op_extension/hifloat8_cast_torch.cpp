/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hifloat8_cast_torch.cpp - from a torch tensor to a launch on torch_npu's current stream.
 *
 * Holds no arithmetic: the tables come ready from op_kernel/hifloat8_cast_table.h and are kept on
 * the device; the tiling follows from the size of the tensor and of the chip.
 */
#include "ops.h"

#include "hifloat8_cast_table.h"
#include "hifloat8_cast_tiling.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/DeviceGuard.h>
#include <torch_npu/csrc/core/npu/NPUStream.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "tiling/platform/platform_ascendc.h"

/* The host stub that the compiler generates from op_kernel/. */
extern "C" void hifloat8_cast_kernel_lut(uint32_t blockDim, void *l2Ctrl, void *stream,
                                         uint8_t *input, uint8_t *table, uint8_t *output,
                                         HiFloat8CastTiling tiling);

namespace AscendKernel {
namespace {

/* Less than this is not worth a core of its own: it would mostly load its table. */
constexpr uint64_t MIN_ELEMENTS_PER_CORE = 4096;

struct Chip {
    uint32_t vectorCores;
    uint64_t ubBytes;
};

const Chip &GetChip()
{
    static const Chip chip = [] {
        auto *platform = platform_ascendc::PlatformAscendCManager::GetInstance();

        TORCH_CHECK(platform != nullptr,
                    "hifloat8_cast: the platform library does not know this chip "
                    "(PlatformAscendCManager::GetInstance() is nullptr); is set_env.sh sourced?");
        Chip c{platform->GetCoreNumAiv(), 0};
        platform->GetCoreMemSize(platform_ascendc::CoreMemType::UB, c.ubBytes);
        TORCH_CHECK(c.vectorCores > 0, "hifloat8_cast: the platform reports 0 vector cores");
        return c;
    }();
    return chip;
}

uint64_t DivideUp(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit; }

uint64_t RoundUp(uint64_t n, uint64_t unit) { return DivideUp(n, unit) * unit; }

/* The largest tile whose buffers fit UB: the budget in hifloat8_cast_kernel.cpp, solved for T. */
uint64_t LargestTile(const Chip &chip, HiFloat8CastMode mode)
{
    bool decode = mode == HIFLOAT8_DECODE;
    uint64_t fixed = (decode ? HIFLOAT8_DECODE_TABLE_BYTES : HIFLOAT8_ENCODE_TABLE_BYTES) +
                     HIFLOAT8_UB_RESERVED_BYTES;
    uint64_t tile = chip.ubBytes > fixed ? (chip.ubBytes - fixed) / HIFLOAT8_ELEMENT_BYTES : 0;

    tile -= tile % HIFLOAT8_TILE_ALIGN;
    TORCH_CHECK(tile > 0, "hifloat8_cast: the UB of this chip, ", chip.ubBytes,
                " bytes, has no room for the table and one tile");
    return tile;
}

HiFloat8CastTiling MakeTiling(uint64_t elements, HiFloat8CastMode mode)
{
    const Chip &chip = GetChip();
    uint64_t cores =
        std::min<uint64_t>(chip.vectorCores, DivideUp(elements, MIN_ELEMENTS_PER_CORE));
    HiFloat8CastTiling t{};

    t.castMode = mode;
    t.totalLength = elements;
    t.coreLength = RoundUp(DivideUp(elements, cores), HIFLOAT8_TILE_ALIGN);
    t.tileLength = static_cast<uint32_t>(std::min(LargestTile(chip, mode), t.coreLength));
    return t;
}

enum TableKind { ENCODE_TABLE, DECODE_TABLE_F16, DECODE_TABLE_BF16, TABLE_KINDS };

struct HostTable {
    const uint16_t *entry;
    uint32_t entries;
};

HostTable GetHostTable(TableKind kind)
{
    static constexpr auto encode = HiFloat8::EncodeTable();
    static constexpr auto decodeF16 = HiFloat8::DecodeTable(false);
    static constexpr auto decodeBf16 = HiFloat8::DecodeTable(true);
    static constexpr HostTable tables[TABLE_KINDS] = {
        {encode.entry, HIFLOAT8_ENCODE_ENTRIES},
        {decodeF16.entry, HIFLOAT8_DECODE_ENTRIES},
        {decodeBf16.entry, HIFLOAT8_DECODE_ENTRIES},
    };

    return tables[kind];
}

/* The table on that device, copied once a process. The copy is a blocking one, so any stream may
 * read the table afterwards. Never freed: the device may be gone when statics are destroyed. */
at::Tensor DeviceTable(TableKind kind, at::Device device)
{
    static std::mutex lock;
    static auto *cache = new std::map<std::pair<int, int>, at::Tensor>;
    std::lock_guard<std::mutex> guard(lock);
    at::Tensor &table = (*cache)[{kind, device.index()}];

    if (!table.defined()) {
        HostTable host = GetHostTable(kind);
        at::Tensor onHost = at::from_blob(const_cast<uint16_t *>(host.entry),
                                          {static_cast<int64_t>(host.entries)}, at::kShort);
        table = onHost.to(device);
    }
    return table;
}

uint8_t *Pointer(const at::Tensor &t) { return static_cast<uint8_t *>(t.mutable_data_ptr()); }

at::Tensor Launch(const at::Tensor &input, at::ScalarType outType, HiFloat8CastMode mode,
                  TableKind kind)
{
    c10::DeviceGuard guard(input.device());
    at::Tensor dense = input.contiguous(); /* the kernel walks memory, not strides */
    at::Tensor table = DeviceTable(kind, input.device());
    at::Tensor output = at::empty(dense.sizes(), dense.options().dtype(outType));
    HiFloat8CastTiling tiling = MakeTiling(static_cast<uint64_t>(dense.numel()), mode);
    uint32_t blockDim = static_cast<uint32_t>(DivideUp(tiling.totalLength, tiling.coreLength));
    /* true: operators that torch_npu still holds in its own queue go to the stream first. */
    auto stream = c10_npu::getCurrentNPUStream().stream(true);

    hifloat8_cast_kernel_lut(blockDim, nullptr, stream, Pointer(dense), Pointer(table),
                             Pointer(output), tiling);
    return output;
}

} // namespace

at::Tensor EncodeToHiFloat8(const at::Tensor &input)
{
    bool half = input.scalar_type() == at::kHalf;

    return Launch(input, at::kByte, half ? HIFLOAT8_ENCODE_F16 : HIFLOAT8_ENCODE_BF16,
                  ENCODE_TABLE);
}

at::Tensor DecodeFromHiFloat8(const at::Tensor &input, at::ScalarType dtype)
{
    return Launch(input, dtype, HIFLOAT8_DECODE,
                  dtype == at::kHalf ? DECODE_TABLE_F16 : DECODE_TABLE_BF16);
}

} // namespace AscendKernel
