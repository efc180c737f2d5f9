/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tilingdata_base.h - tiling data defined with macros, the older way.
 *
 *   BEGIN_TILING_DATA_DEF(AddTilingData)
 *   TILING_DATA_FIELD_DEF(uint32_t, totalLength);
 *   END_TILING_DATA_DEF;
 *   REGISTER_TILING_DATA_CLASS(AddCustom, AddTilingData)
 *
 * Such a class keeps its values as the bytes of the plain struct that the kernel sees; the code
 * generator writes that struct from the fields listed here.
 */
#ifndef NPUTWIN_TILINGDATA_BASE_H
#define NPUTWIN_TILINGDATA_BASE_H
#include "securec.h" /* op_host leans on it */
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace optiling {

class TilingDef {
public:
    struct Field {
        const char *type, *name;
        size_t count; /* 0: no array */
        size_t at, bytes;
        TilingDef *inner; /* of a nested struct */
    };

    virtual ~TilingDef() = default;
    virtual const char *GetTilingClassName() const = 0;
    size_t GetDataSize() const { return Up(bytes_, align_); }
    /* Does nothing when the buffer is too small; TilingFunc then has set no data size either. */
    void SaveToBuffer(void *to, size_t capacity) const
    {
        if (!to || capacity < GetDataSize())
            return;
        std::memset(to, 0, GetDataSize());
        std::memcpy(to, data_.data(), data_.size());
        for (const Field &f : fields_)
            if (f.inner)
                f.inner->SaveToBuffer(static_cast<uint8_t *>(to) + f.at, f.bytes);
    }
    const std::vector<Field> &Fields() const { return fields_; }
    size_t Align() const { return align_; }

protected:
    TilingDef() = default;
    /* Nested objects are known by their address: in the copy they are those at the same place. */
    TilingDef(const TilingDef &other)
        : data_(other.data_), fields_(other.fields_), bytes_(other.bytes_), align_(other.align_)
    {
        for (Field &f : fields_)
            if (f.inner)
                f.inner = reinterpret_cast<TilingDef *>(reinterpret_cast<uintptr_t>(this) +
                                                        reinterpret_cast<uintptr_t>(f.inner) -
                                                        reinterpret_cast<uintptr_t>(&other));
    }
    TilingDef &operator=(const TilingDef &) = delete;

    static size_t Up(size_t n, size_t align) { return (n + align - 1) / align * align; }
    size_t Add(const char *type, const char *name, size_t count, size_t bytes, size_t align,
               TilingDef *inner)
    {
        const size_t at = Up(bytes_, align);

        fields_.push_back({type, name, count, at, bytes, inner});
        bytes_ = at + bytes;
        align_ = align > align_ ? align : align_;
        data_.resize(bytes_);
        return at;
    }

    std::vector<uint8_t> data_;

private:
    std::vector<Field> fields_;
    size_t bytes_ = 0, align_ = 1;
};

} // namespace optiling

namespace nputwin::opp {

using make_tiling_fn = optiling::TilingDef *(*)();
struct tiling_class {
    const char *op_type; /* or <Struct>Op for a nested one, <Type>_<key> for one of a tiling key */
    make_tiling_fn make;
};

__attribute__((visibility("hidden"))) inline std::vector<tiling_class> &tiling_classes()
{
    static std::vector<tiling_class> list;

    return list;
}

struct tiling_adder {
    tiling_adder(const char *op_type, make_tiling_fn make)
    {
        tiling_classes().push_back({op_type, make});
    }
};

} // namespace nputwin::opp

#define BEGIN_TILING_DATA_DEF(cls)                                                                 \
    class cls : public ::optiling::TilingDef {                                                     \
    public:                                                                                        \
        const char *GetTilingClassName() const override { return #cls; }

#define TILING_DATA_FIELD_DEF(type, name)                                                          \
private:                                                                                           \
    static_assert(std::is_arithmetic_v<type>, #name ": a plain number is needed here");            \
    const size_t at_##name = Add(#type, #name, 0, sizeof(type), alignof(type), nullptr);           \
                                                                                                   \
public:                                                                                            \
    void set_##name(type value) { std::memcpy(data_.data() + at_##name, &value, sizeof value); }   \
    type get_##name() const                                                                        \
    {                                                                                              \
        type value;                                                                                \
        std::memcpy(&value, data_.data() + at_##name, sizeof value);                               \
        return value;                                                                              \
    }

#define TILING_DATA_FIELD_DEF_ARR(type, n, name)                                                   \
private:                                                                                           \
    static_assert(std::is_arithmetic_v<type>, #name ": plain numbers are needed here");            \
    const size_t at_##name = Add(#type, #name, n, sizeof(type) * (n), alignof(type), nullptr);     \
                                                                                                   \
public:                                                                                            \
    void set_##name(const type *values)                                                            \
    {                                                                                              \
        std::memcpy(data_.data() + at_##name, values, sizeof(type) * (n));                         \
    }                                                                                              \
    type *get_##name() { return reinterpret_cast<type *>(data_.data() + at_##name); }

#define TILING_DATA_FIELD_DEF_STRUCT(type, name)                                                   \
public:                                                                                            \
    type name;                                                                                     \
                                                                                                   \
private:                                                                                           \
    const size_t at_##name = Add(#type, #name, 0, name.GetDataSize(), name.Align(), &name);        \
                                                                                                   \
public:

#define END_TILING_DATA_DEF                                                                        \
    }                                                                                              \
    ;

#define REGISTER_TILING_DATA_CLASS(op_type, cls)                                                   \
    static const ::nputwin::opp::tiling_adder nputwin_opp_tiling_##op_type##_##cls(                \
        #op_type, []() -> ::optiling::TilingDef * { return new cls(); });
#endif
