/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_fiber.cpp - C++ exceptions in kernels that wait: each block keeps its own, although all blocks
 * of a worker share one thread. A switch happens inside catch blocks and in destructors during
 * unwinding.
 */
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
extern "C" {
#include <cmocka.h>
}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" // C has npu_launch as a struct and as a function
#include "../../engine/engine.h"
#pragma GCC diagnostic pop
#include <atomic>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

namespace {

constexpr npu_where nowhere = {"t_fiber.cpp", 1};

struct sync_on_unwind {
    npu_core *core;
    ~sync_on_unwind() { npu_sync_all(core, nowhere); }
};

void fail_deep(npu_core *c, int depth)
{
    std::string local(100, 'x');

    if (depth)
        fail_deep(c, depth - 1);
    else {
        npu_sync_all(c, nowhere);
        throw std::runtime_error("block " + std::to_string(c->block_idx));
    }
}

void block(void *arg, npu_core *c)
{
    auto *right = static_cast<std::atomic<int> *>(arg);
    const std::string mine = "block " + std::to_string(c->block_idx);

    for (int round = 0; round < 3; round++) {
        try {
            sync_on_unwind guard{c};
            fail_deep(c, 8);
        } catch (std::exception &e) {
            const std::string what = e.what();
            npu_sync_all(c, nowhere);
            try {
                throw 5;
            } catch (int) {
                npu_sync_all(c, nowhere);
            }
            try {
                throw;
            } catch (std::runtime_error &again) {
                npu_sync_all(c, nowhere);
                if (what == mine && again.what() == mine && std::uncaught_exceptions() == 0)
                    ++*right;
            }
        }
    }
}

void test_exceptions(void **)
{
    npu_diag d = {};
    std::atomic<int> right{0};
    struct npu_launch l = {};

    l.soc = npu_soc_find("Ascend910B2");
    l.name = "exceptions";
    l.block_dim = 48;
    l.run = block;
    l.arg = &right;
    for (int k = 0; k < 5; k++)
        assert_int_equal(npu_launch(&l, &d), NPU_OK);
    assert_int_equal(right.load(), 5 * 3 * 48);
    assert_false(static_cast<bool>(std::current_exception()));
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {cmocka_unit_test(test_exceptions)};

    (void)setenv("NPUTWIN_THREADS", "3", 1);
    return cmocka_run_group_tests_name("fiber", tests, nullptr, nullptr);
}
