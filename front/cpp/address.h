/* SPDX-License-Identifier: Apache-2.0 */
/*
 * address.h - where a tensor lies: the memory of a position, and TBuffAddr, which kernels that lay
 * out their memory themselves fill field by field.
 *
 * A tensor holds the address in this process, which its accesses take as it is; a field that is
 * set moves it. Rule: what was at an offset of one memory is at the same offset of the next.
 */
#ifndef NPU_FRONT_ADDRESS_H
#define NPU_FRONT_ADDRESS_H
#include "types.h"

namespace nputwin {

/* The memory of the core that a position lies in. */
constexpr npu_mem mem_of(AscendC::TPosition p)
{
    using P = AscendC::TPosition;
    switch (p) {
    case P::A1:
    case P::B1:
    case P::C1:
    case P::TSCM:
        return MEM_L1;
    case P::A2:
        return MEM_L0A;
    case P::B2:
        return MEM_L0B;
    case P::C2:
        return MEM_BT;
    case P::CO1:
        return MEM_L0C;
    case P::C2PIPE2GM:
        return MEM_FB;
    case P::GM:
        return MEM_GM;
    default:
        return MEM_UB;
    }
}
/* Where an address of that position lies in this process. A kind of core that has no such memory
 * has no tensor there either: the fault says so, and the address is one that faults when used. In
 * a mix kernel both kinds run the lines that make tensors, so there only a use is a fault. */
inline uint8_t *address_in(AscendC::TPosition p, uint32_t addr_bytes, npu_where where)
{
    npu_core *c = core();
    const npu_bank &bank = c->mem[mem_of(p)];
    if (NPU_UNLIKELY(!bank.base && !c->is_mix))
        npu_fault(c, NPU_E_ARG, where, "a tensor at %s, which lies in %s: %s cores have none",
                  position_name(p), npu_mems[mem_of(p)].name,
                  c->core_kind == CORE_AIV ? "vector" : "cube");
    return bank.base + addr_bytes;
}

/* What a tensor is: bytes at a position. */
struct place {
    uint8_t *p;
    uint32_t bytes;
    AscendC::TPosition pos;
};
/* Where the memory of a position begins; 0 where this core has none. */
inline uint64_t base_of(AscendC::TPosition p)
{
    const npu_core *c = core();
    return c ? uint64_t(uintptr_t(c->mem[mem_of(p)].base)) : 0;
}
/* An address as kernels write it: an offset into the memory, or a pointer they got from one. */
inline bool is_offset(uint64_t address)
{
    constexpr uint64_t beyond_any_memory = 1u << 24;
    return address < beyond_any_memory;
}
inline uint64_t offset_of(const place &at)
{
    const uint64_t address = uint64_t(uintptr_t(at.p)), offset = address - base_of(at.pos);
    return is_offset(offset) ? offset : address;
}
inline void put_at(place &at, uint64_t address)
{
    at.p = reinterpret_cast<uint8_t *>(
        uintptr_t(is_offset(address) ? base_of(at.pos) + address : address));
}

inline void move_to(place &at, AscendC::TPosition pos)
{
    const uint64_t address = offset_of(at);
    at.pos = pos;
    if (at.p)
        put_at(at, address);
}

/* The fields of TBuffAddr: each is the place, read and written through one name. */
#define NPU_PLACE_FIELD(name, type, read, write)                                                   \
    struct name : place {                                                                          \
        name() = default;                                                                          \
        name(const name &) = default;                                                              \
        operator type() const { return read; }                                                     \
        name &operator=(type v)                                                                    \
        {                                                                                          \
            write;                                                                                 \
            return *this;                                                                          \
        }                                                                                          \
        name &operator=(const name &other) { return *this = type(other); }                         \
    };
NPU_PLACE_FIELD(place_length, uint32_t, bytes, bytes = v)
NPU_PLACE_FIELD(place_address, uint64_t, offset_of(*this), put_at(*this, v))
NPU_PLACE_FIELD(place_position, uint8_t, uint8_t(pos), move_to(*this, AscendC::TPosition(v)))
#undef NPU_PLACE_FIELD

} // namespace nputwin

namespace AscendC {

struct TBuffAddr {
    TBuffAddr() : TBuffAddr(nputwin::place{nullptr, 0, TPosition::VECCALC}) {}
    explicit TBuffAddr(const nputwin::place &place) : at(place) {}
    TBuffAddr(const TBuffAddr &other) : at(other.at) {}
    TBuffAddr &operator=(const TBuffAddr &other)
    {
        at = other.at;
        return *this;
    }
    union {
        nputwin::place at;
        nputwin::place_length dataLen;
        nputwin::place_address bufferAddr;
        nputwin::place_position logicPos;
    };
};

} // namespace AscendC
#endif
