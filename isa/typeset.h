/* SPDX-License-Identifier: Apache-2.0 */
/*
 * typeset.h - the sets of types that the `types` column of vec.def names.
 *
 * TYPES_<set> has a bit an enum npu_type. FOR_<set>(M, ...) expands M(type, ...) once a type; the
 * sets B16_B32 move bits and know only a width, so they expand to b16 and b32.
 */
#ifndef NPU_TYPESET_H
#define NPU_TYPESET_H

#define NPU_BIT(type) (1u << TYPE_##type)
enum {
    TYPES_B16 = NPU_BIT(f16) | NPU_BIT(bf16) | NPU_BIT(s16) | NPU_BIT(u16),
    TYPES_B32 = NPU_BIT(f32) | NPU_BIT(s32) | NPU_BIT(u32),
    TYPES_B8 = NPU_BIT(s8) | NPU_BIT(u8),
    TYPES_B16_B32 = TYPES_B16 | TYPES_B32,
    TYPES_F16_F32 = NPU_BIT(f16) | NPU_BIT(f32),
    TYPES_F16 = NPU_BIT(f16),
    TYPES_F16_BF16_F32 = NPU_BIT(f16) | NPU_BIT(bf16) | NPU_BIT(f32),
    TYPES_F32 = NPU_BIT(f32),
    TYPES_S16 = NPU_BIT(s16),
    TYPES_F32_U8 = NPU_BIT(f32) | NPU_BIT(u8),
    TYPES_ANY = (1u << N_TYPES) - 1,
    TYPES_F16_F32_S16 = NPU_BIT(f16) | NPU_BIT(f32) | NPU_BIT(s16),
    TYPES_F16_F32_S32 = TYPES_F16_F32 | NPU_BIT(s32),
    TYPES_F16_F32_S16_S32 = TYPES_F16_F32_S32 | NPU_BIT(s16),
    TYPES_S32 = NPU_BIT(s32),
    TYPES_S8 = NPU_BIT(s8),
    TYPES_F32_S32 = NPU_BIT(f32) | NPU_BIT(s32),
    TYPES_MMAD = NPU_BIT(f16) | NPU_BIT(bf16) | NPU_BIT(f32) | NPU_BIT(s8),
    TYPES_S16_S32 = NPU_BIT(s16) | NPU_BIT(s32),
    TYPES_U16_U32 = NPU_BIT(u16) | NPU_BIT(u32),
    TYPES_S16_U16 = NPU_BIT(s16) | NPU_BIT(u16),
    TYPES_F16_S16_U16 = TYPES_S16_U16 | NPU_BIT(f16),
    TYPES_S16_U16_S32_U32 = TYPES_S16_U16 | NPU_BIT(s32) | NPU_BIT(u32),
    TYPES_F16_F32_INTS = TYPES_F16_F32 | TYPES_S16_U16_S32_U32 | NPU_BIT(s8) | NPU_BIT(u8),
};

#define FOR_F16_F32(M, ...)         M(f16, __VA_ARGS__) M(f32, __VA_ARGS__)
#define FOR_F16_BF16_F32(M, ...)    FOR_F16_F32(M, __VA_ARGS__) M(bf16, __VA_ARGS__)
#define FOR_F16_F32_S16(M, ...)     FOR_F16_F32(M, __VA_ARGS__) M(s16, __VA_ARGS__)
#define FOR_F16_F32_S32(M, ...)     FOR_F16_F32(M, __VA_ARGS__) M(s32, __VA_ARGS__)
#define FOR_F16_F32_S16_S32(M, ...) FOR_F16_F32_S32(M, __VA_ARGS__) M(s16, __VA_ARGS__)
#define FOR_S16_S32(M, ...)         M(s16, __VA_ARGS__) M(s32, __VA_ARGS__)
#define FOR_S16_U16(M, ...)         M(s16, __VA_ARGS__) M(u16, __VA_ARGS__)
#define FOR_U16_U32(M, ...)         M(u16, __VA_ARGS__) M(u32, __VA_ARGS__)
#define FOR_S16_U16_S32_U32(M, ...)                                                                \
    FOR_S16_U16(M, __VA_ARGS__) M(s32, __VA_ARGS__) M(u32, __VA_ARGS__)
#define FOR_B16_B32(M, ...) M(b16, __VA_ARGS__) M(b32, __VA_ARGS__)
#endif
