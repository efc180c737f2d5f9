/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.hpp - runs a C++ callable as the body of a kernel, for tests of the doors.
 *
 * Faults do not end a kernel body, they come back from the launch: every test looks at the status
 * and, when it expects one, at the words of the story.
 */
#ifndef NPU_TEST_KERNEL_HPP
#define NPU_TEST_KERNEL_HPP
#include <iostream> /* before cmocka, whose fail() is a macro */
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
extern "C" {
#include <cmocka.h>
}
#define NPU_FRONT_WARNINGS
#include "../../front/cpp/kernel_operator.h"
/* Words that the driver takes out of a kernel's text; no driver runs here. */
#undef __aicore__
#undef __global__
#undef __gm__
#undef __ubuf__
#define __aicore__
#define __global__
#define __gm__
#define __ubuf__
#include <cstdio>
#include <string>
#include <vector>

struct outcome {
    npu_status status;
    std::string story;
};

/* On cores of one kind, or n_mix_aiv vector cores beside each cube core. */
template <class Body>
inline outcome run_on(npu_core_kind kind, int n_mix_aiv, Body body, uint32_t blocks = 1,
                      const char *soc = "Ascend910B2")
{
    npu_diag d = {};
    struct npu_launch l = {};
    l.n_mix_aiv = uint8_t(n_mix_aiv);
    l.soc = npu_soc_find(soc);
    l.name = "test";
    l.block_dim = blocks;
    l.core_kind = kind;
    l.run = [](void *arg, npu_core *) { (*static_cast<Body *>(arg))(); };
    l.arg = &body;
    const npu_status st = npu_launch(&l, &d);
    return {st, d.text};
}
template <class Body>
inline outcome run_kernel(Body body, uint32_t blocks = 1, const char *soc = "Ascend910B2")
{
    return run_on(CORE_AIV, 0, body, blocks, soc);
}

/* The launch went well. */
template <class Body>
inline void run_well(Body body, uint32_t blocks = 1, const char *soc = "Ascend910B2")
{
    const outcome o = run_kernel(body, blocks, soc);
    if (o.status != NPU_OK)
        fail_msg("kernel failed: %s: %s", npu_status_name(o.status), o.story.c_str());
}

/* Lazy order with seed 0, else random. */
template <class Body> inline void run_out_of_order(uint32_t seed, uint32_t blocks, Body body)
{
    npu_diag d = {};
    struct npu_launch l = {};
    l.soc = npu_soc_find("Ascend910B2");
    l.name = "test";
    l.block_dim = blocks;
    l.core_kind = CORE_AIV;
    l.order = uint8_t(seed == 0 ? ORDER_LAZY : ORDER_RANDOM);
    l.seed = seed;
    l.run = [](void *arg, npu_core *) { (*static_cast<Body *>(arg))(); };
    l.arg = &body;
    if (npu_launch(&l, &d) != NPU_OK)
        fail_msg("%s", d.text);
}
/* The launch failed with that status and a story that says all of these. */
template <class Body>
inline void run_fails(Body body, npu_status status, std::initializer_list<const char *> words)
{
    const outcome o = run_kernel(body);
    if (o.status != status)
        fail_msg("status %s instead of %s: %s", npu_status_name(o.status), npu_status_name(status),
                 o.story.c_str());
    for (const char *word : words)
        if (o.story.find(word) == std::string::npos)
            fail_msg("the story does not say \"%s\": %s", word, o.story.c_str());
}

template <class T> inline void assert_same(const T *got, const T *want, size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++)
        if (nputwin::bits_of(got[i]) != nputwin::bits_of(want[i]))
            fail_msg("%s: element %zu is %.9g, expected %.9g", what, i, double(float(got[i])),
                     double(float(want[i])));
}
template <class T>
inline void assert_same(const std::vector<T> &got, const std::vector<T> &want, const char *what)
{
    assert_int_equal(got.size(), want.size());
    assert_same(got.data(), want.data(), got.size(), what);
}

/* A line number as text, for stories that must name it. */
inline std::string line_text(const char *file, int line)
{
    return std::string(file) + ":" + std::to_string(line);
}

#endif
