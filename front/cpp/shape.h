/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shape.h - shapes beside the data: ShapeInfo, Layout with its coordinates, TensorTrait.
 *
 * Plain arithmetic; nothing here touches a memory of the core.
 */
#ifndef NPU_FRONT_SHAPE_H
#define NPU_FRONT_SHAPE_H
#include "std.h"
#include "types.h"
#include "kernel_tiling/adv_types.h"

namespace AscendC {

/* ---- ShapeInfo ----------------------------------------------------------------------- */

const int32_t K_MAX_DIM = 8;
struct ShapeInfo {
    ShapeInfo() {}
    ShapeInfo(const uint8_t dim, const uint32_t dims[], const uint8_t original_dim,
              const uint32_t original_dims[], const DataFormat format)
        : shapeDim(dim), originalShapeDim(original_dim), dataFormat(format)
    {
        for (int i = 0; i < dim && i < K_MAX_DIM; i++)
            shape[i] = dims[i];
        for (int i = 0; i < original_dim && i < K_MAX_DIM; i++)
            originalShape[i] = original_dims[i];
    }
    ShapeInfo(const uint8_t dim, const uint32_t dims[], const DataFormat format)
        : ShapeInfo(dim, dims, dim, dims, format)
    {
    }
    ShapeInfo(const uint8_t dim, const uint32_t dims[]) : ShapeInfo(dim, dims, DataFormat::ND) {}
    uint8_t shapeDim = 0, originalShapeDim = 0;
    uint32_t shape[K_MAX_DIM] = {}, originalShape[K_MAX_DIM] = {};
    DataFormat dataFormat = DataFormat::ND;
};
inline int GetShapeSize(const ShapeInfo &shapeInfo)
{
    int n = 1;
    for (int i = 0; i < shapeInfo.shapeDim && i < K_MAX_DIM; i++)
        n *= int(shapeInfo.shape[i]);
    return n;
}

/* ---- Layout: a shape, and the step of each dimension in elements ----------------------- */

template <typename... Ts> using Shape = Std::tuple<Ts...>;
template <typename... Ts> using Stride = Std::tuple<Ts...>;
template <typename... Ts> using Coord = Std::tuple<Ts...>;
template <typename... Ts> constexpr Shape<Ts...> MakeShape(const Ts &...t) { return {t...}; }
template <typename... Ts> constexpr Stride<Ts...> MakeStride(const Ts &...t) { return {t...}; }
template <typename... Ts> constexpr Coord<Ts...> MakeCoord(Ts const &...t) { return {t...}; }

} // namespace AscendC

namespace nputwin {

template <class T> struct is_tuple : std::false_type {};
template <class... T> struct is_tuple<std::tuple<T...>> : std::true_type {};

template <class C, class S, class D>
constexpr size_t coord_to_index(const C &coord, const S &shape, const D &stride);

template <class C, class S, class D, size_t... i>
constexpr size_t sum_of(const C &coord, const S &shape, const D &stride, std::index_sequence<i...>)
{
    return (size_t(0) + ... +
            coord_to_index(std::get<i>(coord), std::get<i>(shape), std::get<i>(stride)));
}
/* One number for several dimensions: the first runs fastest, the last takes what is left. */
template <size_t i, class S, class D>
constexpr size_t spread(size_t rest, const S &shape, const D &stride)
{
    if constexpr (i + 1 >= std::tuple_size_v<S>) {
        return coord_to_index(rest, std::get<i>(shape), std::get<i>(stride));
    } else {
        static_assert(!is_tuple<std::tuple_element_t<i, S>>::value,
                      "Crd2Idx: one number for dimensions that have dimensions themselves");
        const size_t d = size_t(std::get<i>(shape));
        return coord_to_index(rest % d, std::get<i>(shape), std::get<i>(stride)) +
               spread<i + 1>(rest / d, shape, stride);
    }
}
template <class C, class S, class D>
constexpr size_t coord_to_index(const C &coord, const S &shape, const D &stride)
{
    if constexpr (is_tuple<C>::value) {
        static_assert(is_tuple<S>::value && is_tuple<D>::value,
                      "Crd2Idx: coordinate, shape and stride nest alike");
        static_assert(std::tuple_size_v<C> == std::tuple_size_v<S> &&
                          std::tuple_size_v<C> == std::tuple_size_v<D>,
                      "Crd2Idx: coordinate, shape and stride have as many dimensions");
        return sum_of(coord, shape, stride, std::make_index_sequence<std::tuple_size_v<C>>{});
    } else if constexpr (is_tuple<S>::value) {
        return spread<0>(size_t(coord), shape, stride);
    } else {
        return size_t(coord) * size_t(stride);
    }
}

} // namespace nputwin

namespace AscendC {

template <typename ShapeType, typename StrideType>
struct Layout : private Std::tuple<ShapeType, StrideType> {
    static_assert(nputwin::is_tuple<ShapeType>::value && nputwin::is_tuple<StrideType>::value,
                  "Layout: shape and stride are Std::tuple, as MakeShape and MakeStride make them");
    constexpr Layout(const ShapeType &shape = {}, const StrideType &stride = {})
        : Std::tuple<ShapeType, StrideType>(shape, stride)
    {
    }
    constexpr decltype(auto) layout() { return (*this); }
    constexpr decltype(auto) layout() const { return (*this); }
    constexpr decltype(auto) GetShape() { return std::get<0>(pair()); }
    constexpr decltype(auto) GetShape() const { return std::get<0>(pair()); }
    constexpr decltype(auto) GetStride() { return std::get<1>(pair()); }
    constexpr decltype(auto) GetStride() const { return std::get<1>(pair()); }
    template <typename CoordType> constexpr auto operator()(const CoordType &coord) const
    {
        return nputwin::coord_to_index(coord, GetShape(), GetStride());
    }

private:
    constexpr Std::tuple<ShapeType, StrideType> &pair() { return *this; }
    constexpr const Std::tuple<ShapeType, StrideType> &pair() const { return *this; }
};
template <typename ShapeType, typename StrideType>
constexpr auto MakeLayout(const ShapeType &shape, const StrideType &stride)
{
    return Layout<ShapeType, StrideType>(shape, stride);
}
template <typename T> struct is_layout : std::false_type {};
template <typename S, typename D> struct is_layout<Layout<S, D>> : std::true_type {};
template <typename T> constexpr bool is_layout_v = is_layout<T>::value;

template <typename CoordType, typename ShapeType, typename StrideType>
constexpr auto Crd2Idx(const CoordType &coord, const Layout<ShapeType, StrideType> &layout)
{
    return layout(coord);
}
template <typename CoordType, typename ShapeType, typename StrideType>
constexpr auto Crd2Idx(const CoordType &coord, const ShapeType &shape, const StrideType &stride)
{
    return nputwin::coord_to_index(coord, shape, stride);
}

/* ---- TensorTrait: an element type that carries a layout -------------------------------- */

template <typename T, TPosition pos = TPosition::GM,
          typename LayoutType = Layout<Shape<>, Stride<>>>
struct TensorTrait {
    using LiteType = T;
    using LiteLayoutType = LayoutType;
    static constexpr const TPosition tPos = pos;
    TensorTrait(const LayoutType &t = {}) : layout_(t) {}
    LayoutType &GetLayout() { return layout_; }
    const LayoutType &GetLayout() const { return layout_; }
    void SetLayout(const LayoutType &t) { layout_ = t; }

private:
    LayoutType layout_;
};
template <typename T, TPosition pos, typename LayoutType>
constexpr auto MakeTensorTrait(const LayoutType &t)
{
    return TensorTrait<T, pos, LayoutType>(t);
}
template <typename T> struct is_tensorTrait : std::false_type {};
template <typename T, TPosition pos, typename L>
struct is_tensorTrait<TensorTrait<T, pos, L>> : std::true_type {};
template <typename T> constexpr bool is_tensorTrait_v = is_tensorTrait<T>::value;

} // namespace AscendC

namespace nputwin {
template <class T> struct lite {
    using type = T;
};
template <class T, AscendC::TPosition pos, class L> struct lite<AscendC::TensorTrait<T, pos, L>> {
    using type = T;
};
/* A trait's row is that of its element. */
template <class T, AscendC::TPosition pos, class L>
struct type_row<AscendC::TensorTrait<T, pos, L>> : type_row<T> {};

inline bool same_shape(const AscendC::ShapeInfo &a, const AscendC::ShapeInfo &b)
{
    return a.shapeDim == b.shapeDim && a.originalShapeDim == b.originalShapeDim &&
           a.dataFormat == b.dataFormat && !std::memcmp(a.shape, b.shape, sizeof(a.shape)) &&
           !std::memcmp(a.originalShape, b.originalShape, sizeof(a.originalShape));
}
/* One copy of each shape that a tensor was given, for ever: a tensor carries a pointer. */
inline const AscendC::ShapeInfo *keep_shape(const AscendC::ShapeInfo &s)
{
    struct node {
        AscendC::ShapeInfo shape;
        node *next;
    };
    static node *first = nullptr;
    node *head = __atomic_load_n(&first, __ATOMIC_ACQUIRE);
    for (node *n = head; n; n = n->next)
        if (same_shape(n->shape, s))
            return &n->shape;
    node *n = new node{s, head};
    while (!__atomic_compare_exchange_n(&first, &n->next, n, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
    return &n->shape;
}
} // namespace nputwin

namespace AscendC {
/* The element type of a tensor: T itself, or what a TensorTrait is of. */
template <typename T> using PrimT = typename nputwin::lite<T>::type;
} // namespace AscendC
#endif
