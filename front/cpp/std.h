/* SPDX-License-Identifier: Apache-2.0 */
/*
 * std.h - AscendC::Std: the part of the C++ standard library that kernels say by that name.
 *
 * The names are those of this machine's library. Only what has no twin there is written out.
 */
#ifndef NPU_FRONT_STD_H
#define NPU_FRONT_STD_H
#define NPUTWIN_LEAN_CMATH /* front/std/cmath */
#include <cmath>
#undef NPUTWIN_LEAN_CMATH
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace AscendC {
namespace Std {

/* types */
using std::add_const;
using std::add_const_t;
using std::add_cv;
using std::add_cv_t;
using std::add_lvalue_reference;
using std::add_lvalue_reference_t;
using std::add_pointer;
using std::add_pointer_t;
using std::add_rvalue_reference;
using std::add_rvalue_reference_t;
using std::add_volatile;
using std::add_volatile_t;
using std::bool_constant;
using std::conditional;
using std::conditional_t;
using std::decay;
using std::decay_t;
using std::enable_if;
using std::enable_if_t;
using std::false_type;
using std::integral_constant;
using std::is_array;
using std::is_base_of;
using std::is_base_of_v;
using std::is_const;
using std::is_const_v;
using std::is_convertible;
using std::is_convertible_v;
using std::is_floating_point;
using std::is_floating_point_v;
using std::is_integral;
using std::is_integral_v;
using std::is_pointer;
using std::is_pointer_v;
using std::is_reference;
using std::is_reference_v;
using std::is_same;
using std::is_same_v;
using std::is_void;
using std::is_void_v;
using std::remove_const;
using std::remove_const_t;
using std::remove_cv;
using std::remove_cv_t;
using std::remove_pointer;
using std::remove_pointer_t;
using std::remove_reference;
using std::remove_reference_t;
using std::remove_volatile;
using std::remove_volatile_t;
using std::true_type;
template <class T> using remove_cvref_t = std::remove_cv_t<std::remove_reference_t<T>>;
template <class T> struct remove_cvref {
    using type = remove_cvref_t<T>;
};
template <size_t n> using Int = std::integral_constant<size_t, n>;

/* tuples and sequences */
using std::declval;
using std::forward;
using std::get;
using std::index_sequence;
using std::integer_sequence;
using std::make_index_sequence;
using std::make_integer_sequence;
using std::make_tuple;
using std::move;
using std::tie;
using std::tuple;
using std::tuple_element;
using std::tuple_element_t;
using std::tuple_size;
using std::tuple_size_v;
using ignore_t = std::remove_const_t<decltype(std::ignore)>;
using std::ignore;

/* arithmetic; min and max take two types */
template <class T, class U> constexpr auto min(const T &a, const U &b)
{
    return a < b ? a : static_cast<T>(b);
}
template <class T, class U> constexpr auto max(const T &a, const U &b)
{
    return a > b ? a : static_cast<T>(b);
}
template <class T> inline T sqrt(const T v) { return T(std::sqrt(float(v))); }
template <class T> inline T abs(const T v) { return v < T(0) ? T(-v) : v; }
template <class A, class B> constexpr auto ceil_division(A a, B b)
{
    return b ? (a + b - 1) / b : a;
}
template <class A, class B> constexpr auto ceil_align(A a, B b) { return ceil_division(a, b) * b; }

} // namespace Std
} // namespace AscendC
#endif
