/* SPDX-License-Identifier: Apache-2.0 */
// Declares the stubs with C++ linkage.
#include <cstdint>
#include <cstdio>
struct Tiling { int factor; float offset; };
void c_kernel(uint32_t blocks, void *l2ctrl, void *stream, uint8_t *p, int n);
void cpp_kernel(uint32_t blocks, void *l2ctrl, void *stream, int *p, Tiling t);
namespace deep { void in_namespace(uint32_t blocks, void *l2ctrl, void *stream, int *p); }
int main()
{
    int v = 1;
    c_kernel(2, nullptr, nullptr, (uint8_t *)&v, 3);
    std::printf("%d ", v);
    cpp_kernel(1, nullptr, nullptr, &v, Tiling{10, 4.f});
    std::printf("%d ", v);
    deep::in_namespace(1, nullptr, nullptr, &v);
    std::printf("%d\n", v);
}
