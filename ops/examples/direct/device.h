/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.h - what the mains of this folder share: memory of the device, copies, and one exit code.
 *
 * Rule: a call that fails ends the program with its name and number, so that no main has to look.
 */
#ifndef EXAMPLES_DIRECT_DEVICE_H
#define EXAMPLES_DIRECT_DEVICE_H
#include "acl/acl.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CALL(function)                                                                             \
    do {                                                                                           \
        int status = static_cast<int>(function);                                                   \
        if (status != 0) {                                                                         \
            fprintf(stderr, "%s: %d\n", #function, status);                                        \
            exit(2);                                                                               \
        }                                                                                          \
    } while (false)

class Device {
public:
    Device()
    {
        CALL(aclInit(nullptr));
        CALL(aclrtSetDevice(0));
        CALL(aclrtCreateStream(&stream));
    }

    ~Device()
    {
        for (void *p : held_)
            aclrtFree(p);
        aclrtDestroyStream(stream);
        aclrtResetDevice(0);
        aclFinalize();
    }

    uint8_t *Empty(size_t bytes)
    {
        void *p = nullptr;

        CALL(aclrtMalloc(&p, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
        held_.push_back(p);
        return static_cast<uint8_t *>(p);
    }

    template <typename T> uint8_t *Upload(const std::vector<T> &from)
    {
        size_t bytes = from.size() * sizeof(T);
        uint8_t *p = Empty(bytes);

        CALL(aclrtMemcpy(p, bytes, from.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
        return p;
    }

    /* Waits for the stream first. */
    template <typename T> std::vector<T> Download(const uint8_t *from, size_t n)
    {
        std::vector<T> to(n);

        CALL(aclrtSynchronizeStream(stream));
        CALL(aclrtMemcpy(to.data(), n * sizeof(T), from, n * sizeof(T), ACL_MEMCPY_DEVICE_TO_HOST));
        return to;
    }

    aclrtStream stream = nullptr;

private:
    std::vector<void *> held_;
};

template <typename T> std::vector<float> Floats(const std::vector<T> &from)
{
    std::vector<float> to;

    for (T value : from)
        to.push_back(static_cast<float>(value));
    return to;
}

/* The exit code: 0 when got and want are equal, else 1 and the first difference. */
inline int Compare(const std::vector<float> &got, const std::vector<float> &want)
{
    size_t wrong = 0;

    for (size_t i = 0; i < want.size(); i++)
        if (got[i] != want[i] && wrong++ == 0)
            fprintf(stderr, "element %zu is %g, not %g\n", i, static_cast<double>(got[i]),
                    static_cast<double>(want[i]));
    printf("%zu of %zu elements wrong\n", wrong, want.size());
    return wrong != 0;
}

#endif
