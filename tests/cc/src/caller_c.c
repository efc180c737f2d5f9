/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the stubs with C linkage. */
#include <stdint.h>
#include <stdio.h>
struct tiling {
    int factor;
    float offset;
};
void c_kernel(uint32_t blocks, void *l2ctrl, void *stream, uint8_t *p, int n);
void cpp_kernel(uint32_t blocks, void *l2ctrl, void *stream, int *p, struct tiling t);
int main(void)
{
    int v = 1;

    c_kernel(2, 0, 0, (uint8_t *)&v, 3);
    printf("%d ", v);
    cpp_kernel(1, 0, 0, &v, (struct tiling){10, 4.f});
    printf("%d\n", v);
    return 0;
}
