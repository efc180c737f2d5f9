/* SPDX-License-Identifier: Apache-2.0 */
/* math_util.h - Ops::Base: whole numbers divided, aligned. A divisor of 0 leaves the number alone.
 */
#ifndef NPUTWIN_OP_MATH_UTIL_H
#define NPUTWIN_OP_MATH_UTIL_H

namespace Ops::Base {

template <class T, class U> constexpr T FloorDiv(T a, U b) { return b ? T(a / T(b)) : a; }
template <class T, class U> constexpr T CeilDiv(T a, U b)
{
    return b ? T(a / T(b) + (a % T(b) ? 1 : 0)) : a;
}
template <class T, class U> constexpr T FloorAlign(T a, U b) { return b ? T(a / T(b) * T(b)) : a; }
template <class T, class U> constexpr T CeilAlign(T a, U b)
{
    return b ? T(CeilDiv(a, b) * T(b)) : a;
}
template <class T, class U> constexpr T GetAlign(T a, U b) { return CeilAlign(a, b); }

} // namespace Ops::Base
#endif
