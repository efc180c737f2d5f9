/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limit.c - how fast this machine streams two arrays in and one out, at this moment.
 *
 * All threads, non-temporal stores, one XOR a word: the denominator of add_*_of_limit. Workers wait
 * by spinning, so that what is timed is memory and not a wake-up.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { WORD_BYTES = 32, MAX_THREADS = 256 };

static struct job {
    uint8_t *dst;
    const uint8_t *a, *b;
    size_t bytes;
    unsigned n_threads;
} job;
static atomic_uint generation, n_done;

static void relax(void)
{
#if defined(__x86_64__)
    _mm_pause();
#endif
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void stream(uint8_t *dst, const uint8_t *a, const uint8_t *b,
                                                   size_t bytes)
{
    for (size_t i = 0; i + WORD_BYTES <= bytes; i += WORD_BYTES)
        _mm256_stream_si256((void *)(dst + i),
                            _mm256_xor_si256(_mm256_loadu_si256((const void *)(a + i)),
                                             _mm256_loadu_si256((const void *)(b + i))));
    _mm_sfence();
}
#else
static void stream(uint8_t *dst, const uint8_t *a, const uint8_t *b, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        dst[i] = a[i] ^ b[i];
}
#endif

static void do_share(unsigned thread)
{
    size_t words = job.bytes / WORD_BYTES;
    size_t begin = words * thread / job.n_threads * WORD_BYTES;
    size_t end = words * (thread + 1) / job.n_threads * WORD_BYTES;

    stream(job.dst + begin, job.a + begin, job.b + begin, end - begin);
}

static void *work(void *arg)
{
    unsigned thread = (unsigned)(uintptr_t)arg, seen = 0;

    for (;;) {
        while (atomic_load(&generation) == seen)
            relax();
        seen = atomic_load(&generation);
        if (!job.bytes)
            return NULL;
        do_share(thread);
        atomic_fetch_add(&n_done, 1);
    }
}

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Least seconds of n_runs passes over bytes (a multiple of 32; dst aligned to 32). The workers live
 * for this call only: between calls the processors belong to the candidate. */
__attribute__((visibility("default"))) double bench_limit(void *dst, const void *a, const void *b,
                                                          size_t bytes, unsigned n_runs);

__attribute__((visibility("default"))) double bench_limit(void *dst, const void *a, const void *b,
                                                          size_t bytes, unsigned n_runs)
{
    pthread_t thread[MAX_THREADS] = {0};
    long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
    double best = 1e9;

    if (n_cpus < 1 || n_cpus > MAX_THREADS)
        n_cpus = n_cpus < 1 ? 1 : MAX_THREADS;
    job = (struct job){dst, a, b, bytes, (unsigned)n_cpus};
    atomic_store(&generation, 0);
    for (unsigned i = 1; i < job.n_threads; i++)
        if (pthread_create(&thread[i], NULL, work, (void *)(uintptr_t)i) != 0)
            abort();
    for (unsigned run = 0; run < n_runs; run++) {
        double begin = seconds_now(), seconds = 0;

        atomic_store(&n_done, 1);
        atomic_fetch_add(&generation, 1);
        do_share(0);
        while (atomic_load(&n_done) < job.n_threads)
            relax();
        seconds = seconds_now() - begin;
        best = seconds < best ? seconds : best;
    }
    job.bytes = 0;
    atomic_fetch_add(&generation, 1);
    for (unsigned i = 1; i < job.n_threads; i++)
        pthread_join(thread[i], NULL);
    return best;
}
