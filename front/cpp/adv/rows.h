/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h - how a call of the high-level API becomes one vrows: operands, numbers, issue.
 *
 * Temporary space: what a kernel passes as sharedTmpBuffer is declared as written, because the chip
 * writes there; the twin needs none.
 */
#ifndef NPU_FRONT_ADV_ROWS_H
#define NPU_FRONT_ADV_ROWS_H
#include "../vector.h"

namespace nputwin {

/* Element types of a function of isa/rows.def. */
constexpr uint32_t rows_types[] = {
#define ROWS(name, function, types, brief) TYPES_##types,
#include "../../../isa/rows.def"
};
template <npu_rows_fn fn, class T> constexpr bool rows_takes()
{
    if constexpr (is_element<T>::value)
        return rows_types[fn] >> type_of<T> & 1;
    else
        return false;
}
#define NPU_ROWS_TAKES(name, T, allowed)                                                           \
    static_assert(nputwin::rows_takes<ROWS_##name, T>(),                                           \
                  #name ": this element type is not supported, allowed are " allowed)

class rows_call {
public:
    rows_call(npu_rows_fn fn, npu_type type, npu_type beside, npu_where where)
    {
        in_.kind = KIND_OP;
        in_.op = OP_vrows;
        in_.type = uint8_t(type);
        in_.dst_type = uint8_t(beside);
        in_.where = where;
        rows_.fn = uint8_t(fn);
    }
    /* The next operand of the list; one without elements is left out. */
    template <class T> rows_call &writes(const AscendC::LocalTensor<T> &t, uint64_t n)
    {
        add(rows_.dst, rows_.dst_bytes, rows_.n_dst, t.raw(), n * sizeof(T));
        return *this;
    }
    template <class T> rows_call &reads(const AscendC::LocalTensor<T> &t, uint64_t n)
    {
        add(rows_.src, rows_.src_bytes, rows_.n_src, t.raw(), n * sizeof(T));
        return *this;
    }
    rows_call &writes_none()
    {
        rows_.n_dst++;
        return *this;
    }
    rows_call &reads_none()
    {
        rows_.n_src++;
        return *this;
    }
    /* After the results: they come first in the list. */
    rows_call &tmp(const AscendC::LocalTensor<uint8_t> &t)
    {
        add(rows_.dst, rows_.dst_bytes, rows_.n_dst, t.raw(), t.GetSize());
        return *this;
    }
    rows_call &tmp() { return *this; }
    rows_call &number(uint64_t v)
    {
        rows_.num[n_num_++] = v < UINT32_MAX ? uint32_t(v) : UINT32_MAX;
        return *this;
    }
    rows_call &bits(uint32_t v)
    {
        rows_.bits[0] = v;
        return *this;
    }
    rows_call &bits(double a, double b)
    {
        std::memcpy(rows_.bits, &a, sizeof a);
        std::memcpy(rows_.bits + 2, &b, sizeof b);
        return *this;
    }
    rows_call &real(float a, float b = 0)
    {
        rows_.real[0] = a;
        rows_.real[1] = b;
        return *this;
    }
    /* As with every call of the high-level API, the mask register is full afterwards. */
    void issue()
    {
        in_.rows = &rows_;
        npu_issue(c_, &in_);
        after_count(c_);
    }

private:
    void add(uint32_t *at, uint32_t *bytes, uint8_t &n, const void *p, uint64_t len)
    {
        const uint64_t from = uint64_t(static_cast<const uint8_t *>(p) - c_->mem[MEM_UB].base);
        at[n] = len == 0 ? 0 : from < UINT32_MAX ? uint32_t(from) : UINT32_MAX - 31;
        bytes[n++] = len < UINT32_MAX ? uint32_t(len) : UINT32_MAX;
    }

    npu_core *c_ = core();
    npu_insn in_ = {};
    npu_rows rows_ = {};
    uint32_t n_num_ = 0;
};

} // namespace nputwin
#endif
