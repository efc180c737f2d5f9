/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hifloat4_cast_torch.cpp - from torch tensors to launches on torch_npu's current stream.
 *
 * Holds no arithmetic. The kernels want blocks one after the other, so the quantised dimension is
 * moved to the end and back here; the tiling follows from the number of blocks and from the chip.
 */
#include "ops.h"

#include "hifloat4_cast_tiling.h"

#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>
#include <c10/util/DimVector.h>
#include <torch_npu/csrc/core/npu/NPUStream.h>

#include <algorithm>

#include "tiling/platform/platform_ascendc.h"

/* The host stubs that the compiler generates from op_kernel/. */
extern "C" {
void hifloat4_fake_quant_kernel(uint32_t blockDim, void *l2Ctrl, void *stream, uint8_t *input,
                                uint8_t *output, HiFloat4CastTiling tiling);
void hifloat4_pack_kernel(uint32_t blockDim, void *l2Ctrl, void *stream, uint8_t *input,
                          uint8_t *codes, uint8_t *words, HiFloat4CastTiling tiling);
void hifloat4_unpack_kernel(uint32_t blockDim, void *l2Ctrl, void *stream, uint8_t *codes,
                            uint8_t *words, uint8_t *output, HiFloat4CastTiling tiling);
}

namespace AscendKernel {
namespace {

/* Less than this is not worth a core of its own. */
constexpr uint64_t MIN_BLOCKS_PER_CORE = 32;

struct Chip {
    uint32_t vectorCores;
    uint64_t ubBytes;
};

const Chip &GetChip()
{
    static const Chip chip = [] {
        auto *platform = platform_ascendc::PlatformAscendCManager::GetInstance();

        TORCH_CHECK(platform != nullptr,
                    "hifloat4_cast: the platform library does not know this chip "
                    "(PlatformAscendCManager::GetInstance() is nullptr); is set_env.sh sourced?");
        Chip c{platform->GetCoreNumAiv(), 0};
        platform->GetCoreMemSize(platform_ascendc::CoreMemType::UB, c.ubBytes);
        TORCH_CHECK(c.vectorCores > 0, "hifloat4_cast: the platform reports 0 vector cores");
        return c;
    }();
    return chip;
}

uint64_t DivideUp(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit; }

uint64_t RoundUp(uint64_t n, uint64_t unit) { return DivideUp(n, unit) * unit; }

/* The most blocks whose buffers fit UB: the budget in hifloat4_cast_kernel.cpp, solved for N. */
uint64_t LargestTile(const Chip &chip, uint64_t bytesIn, uint64_t bytesOut)
{
    uint64_t fixed = HIFLOAT4_UB_RESERVED_BYTES;
    uint64_t each = 2 * bytesIn + 2 * bytesOut + HIFLOAT4_WORK_BYTES;
    uint64_t tile = chip.ubBytes > fixed ? (chip.ubBytes - fixed) / each : 0;

    tile -= tile % HIFLOAT4_TILE_ALIGN;
    TORCH_CHECK(tile > 0, "hifloat4_cast: the UB of this chip, ", chip.ubBytes,
                " bytes, has no room for one tile");
    return tile;
}

HiFloat4CastMode ModeOf(at::ScalarType type)
{
    return type == at::kHalf ? HIFLOAT4_F16 : type == at::kBFloat16 ? HIFLOAT4_BF16 : HIFLOAT4_F32;
}

/* bytesIn, bytesOut: of one block. */
HiFloat4CastTiling MakeTiling(int64_t elements, at::ScalarType type, uint64_t bytesIn,
                              uint64_t bytesOut)
{
    const Chip &chip = GetChip();
    HiFloat4CastTiling t{};

    t.castMode = ModeOf(type);
    t.totalBlocks = static_cast<uint64_t>(elements) / HIFLOAT4_BLOCK;
    uint64_t cores =
        std::min<uint64_t>(chip.vectorCores, DivideUp(t.totalBlocks, MIN_BLOCKS_PER_CORE));
    t.coreBlocks = RoundUp(DivideUp(t.totalBlocks, cores), HIFLOAT4_TILE_ALIGN);
    t.tileBlocks =
        static_cast<uint32_t>(std::min(LargestTile(chip, bytesIn, bytesOut), t.coreBlocks));
    return t;
}

uint32_t BlockDim(const HiFloat4CastTiling &t)
{
    return static_cast<uint32_t>(DivideUp(t.totalBlocks, t.coreBlocks));
}

uint64_t BlockBytes(at::ScalarType type) { return HIFLOAT4_BLOCK * at::elementSize(type); }

uint8_t *Pointer(const at::Tensor &t) { return static_cast<uint8_t *>(t.mutable_data_ptr()); }

/* true: operators that torch_npu still holds in its own queue go to the stream first. */
void *Stream() { return c10_npu::getCurrentNPUStream().stream(true); }

at::Tensor BlocksLast(const at::Tensor &t, int64_t qdim)
{
    return t.movedim(qdim, -1).contiguous();
}

at::Tensor BlocksBack(const at::Tensor &t, int64_t qdim)
{
    return t.movedim(-1, qdim).contiguous();
}

/* A tensor of type, shaped as dense but for its last dimension. */
at::Tensor EmptyLike(const at::Tensor &dense, int64_t last, at::ScalarType type)
{
    c10::DimVector sizes(dense.sizes().begin(), dense.sizes().end());

    sizes.back() = last;
    return at::empty(sizes, dense.options().dtype(type));
}

} // namespace

at::Tensor HiFloat4FakeQuant(const at::Tensor &input, int64_t qdim)
{
    c10::DeviceGuard guard(input.device());
    at::ScalarType type = input.scalar_type();
    at::Tensor dense = BlocksLast(input, qdim);
    at::Tensor output = EmptyLike(dense, dense.size(-1), type);

    if (output.numel() > 0) {
        HiFloat4CastTiling t = MakeTiling(output.numel(), type, BlockBytes(type), BlockBytes(type));

        hifloat4_fake_quant_kernel(BlockDim(t), nullptr, Stream(), Pointer(dense), Pointer(output),
                                   t);
    }
    return BlocksBack(output, qdim);
}

std::tuple<at::Tensor, at::Tensor> HiFloat4Pack(const at::Tensor &input, int64_t qdim)
{
    c10::DeviceGuard guard(input.device());
    at::ScalarType type = input.scalar_type();
    at::Tensor dense = BlocksLast(input, qdim);
    int64_t blocks = dense.size(-1) / HIFLOAT4_BLOCK;
    at::Tensor values = EmptyLike(dense, blocks * HIFLOAT4_CODE_BYTES, at::kByte);
    at::Tensor scales = EmptyLike(dense, blocks * HIFLOAT4_SCALE_BYTES, at::kByte);

    if (dense.numel() > 0) {
        HiFloat4CastTiling t =
            MakeTiling(dense.numel(), type, BlockBytes(type), HIFLOAT4_PACKED_BYTES);

        hifloat4_pack_kernel(BlockDim(t), nullptr, Stream(), Pointer(dense), Pointer(values),
                             Pointer(scales), t);
    }
    return {BlocksBack(values, qdim), BlocksBack(scales, qdim)};
}

at::Tensor HiFloat4Unpack(const at::Tensor &values, const at::Tensor &scales, int64_t qdim,
                          at::ScalarType dtype)
{
    c10::DeviceGuard guard(values.device());
    at::Tensor codes = BlocksLast(values, qdim);
    at::Tensor words = BlocksLast(scales, qdim);
    at::Tensor output =
        EmptyLike(codes, codes.size(-1) / HIFLOAT4_CODE_BYTES * HIFLOAT4_BLOCK, dtype);

    if (output.numel() > 0) {
        HiFloat4CastTiling t =
            MakeTiling(output.numel(), dtype, HIFLOAT4_PACKED_BYTES, BlockBytes(dtype));

        hifloat4_unpack_kernel(BlockDim(t), nullptr, Stream(), Pointer(codes), Pointer(words),
                               Pointer(output), t);
    }
    return BlocksBack(output, qdim);
}

} // namespace AscendKernel
