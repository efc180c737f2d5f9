#include <cstdio>
int add_on_device(int v, int n);
int main() { std::printf("mixed %d\n", add_on_device(30, 7)); }
