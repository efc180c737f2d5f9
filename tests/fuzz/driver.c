/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver.c - makes inputs for one fuzz target, for a number of seconds.
 *
 *   fz_NAME [--seconds N] [--seed S] [--out DIR] [FILE...]
 *
 * FILEs are seeds; each runs once as it is, so a run of 0 seconds replays them. Every later input
 * is a seed or random bytes, changed in a few places. The input at work is saved when the process
 * dies, and the seed is printed, so each failure can be had again.
 */
#include "fuzz.h"

#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

enum { MAX_INPUT_BYTES = 4096, MAX_SEEDS = 1024, HANG_SECONDS = 20 };

static struct input {
    uint8_t byte[MAX_INPUT_BYTES];
    size_t n;
} at_work, *seeds;
static size_t n_seeds;
static char save_path[4096];
static uint64_t state;

static uint64_t next(void) /* xorshift64* */
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * UINT64_C(2685821657736338717);
}

/* The generator stands still at 0, which then stands for a number that nobody types. */
static uint64_t seeded(uint64_t seed)
{
    return seed ? seed : UINT64_C(0x9e3779b97f4a7c15);
}

static size_t below(size_t n)
{
    return n ? (size_t)(next() % n) : 0;
}

/* Signal-safe: open, write, close. */
static void save(void)
{
    int fd = open(save_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

    if (fd < 0)
        return;
    if (write(fd, at_work.byte, at_work.n) < 0)
        _exit(70);
    close(fd);
}

static void on_signal(int number)
{
    static const char text[] = "fuzz: died; the input is saved (corpus candidate)\n";

    save();
    if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
        _exit(70);
    signal(number, SIG_DFL);
    raise(number);
}

static void watch_signals(void)
{
    static const int numbers[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM};

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        signal(numbers[i], on_signal);
}

static void read_seed(const char *path)
{
    FILE *file = fopen(path, "rb");

    if (!file || n_seeds == MAX_SEEDS) {
        fprintf(stderr, "fuzz: cannot read %s\n", path);
        exit(2);
    }
    seeds[n_seeds].n = fread(seeds[n_seeds].byte, 1, MAX_INPUT_BYTES, file);
    n_seeds++;
    fclose(file);
}

static void start_from_something(void)
{
    if (n_seeds && below(8)) {
        at_work = seeds[below(n_seeds)];
        return;
    }
    at_work.n = below(256);
    for (size_t i = 0; i < at_work.n; i++)
        at_work.byte[i] = (uint8_t)next();
}

static void insert_piece(void)
{
    const struct input *from = n_seeds ? &seeds[below(n_seeds)] : &at_work;
    size_t n = below(from->n < 64 ? from->n : 64), start = below(from->n - n + 1);
    size_t at = below(at_work.n + 1);
    uint8_t piece[64];

    if (at_work.n + n > MAX_INPUT_BYTES)
        return;
    memcpy(piece, from->byte + start, n);
    memmove(at_work.byte + at + n, at_work.byte + at, at_work.n - at);
    memcpy(at_work.byte + at, piece, n);
    at_work.n += n;
}

static void erase_piece(void)
{
    size_t n = below(at_work.n < 64 ? at_work.n : 64), at = below(at_work.n - n + 1);

    memmove(at_work.byte + at, at_work.byte + at + n, at_work.n - at - n);
    at_work.n -= n;
}

static void change(void)
{
    static const uint8_t telling[] = {0, 1, 0x7f, 0x80, 0xff, '<', '>', '(', ')', '{', '}', '"'};
    size_t at = below(at_work.n);

    switch (at_work.n ? below(6) : 4) {
    case 0:
        at_work.byte[at] ^= (uint8_t)(1u << below(8));
        break;
    case 1:
        at_work.byte[at] = (uint8_t)next();
        break;
    case 2:
        at_work.byte[at] = telling[below(sizeof(telling))];
        break;
    case 3:
        erase_piece();
        break;
    default:
        insert_piece();
        break;
    }
}

static void run_one(void)
{
    alarm(HANG_SECONDS);
    fuzz_one(at_work.byte, at_work.n);
    alarm(0);
}

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static uint64_t run_for(double seconds)
{
    double end = seconds_now() + seconds;
    uint64_t n_runs = 0;

    while (seconds_now() < end) {
        start_from_something();
        for (size_t i = below(8) + 1; i > 0; i--)
            change();
        run_one();
        n_runs++;
    }
    return n_runs;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"seconds", required_argument, NULL, 't'},
                                            {"seed", required_argument, NULL, 's'},
                                            {"out", required_argument, NULL, 'o'},
                                            {0}};
    const char *name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
    const char *out = ".";
    double seconds = 0;
    int option = 0;

    state = seeded((uint64_t)time(NULL) * 2654435761u);
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 't')
            seconds = strtod(optarg, NULL);
        else if (option == 's')
            state = seeded(strtoull(optarg, NULL, 0));
        else if (option == 'o')
            out = optarg;
        else
            return 2;
    }
    snprintf(save_path, sizeof(save_path), "%s/%s.crash", out, name);
    fprintf(stderr, "%s: seed %llu\n", name, (unsigned long long)state);
    seeds = calloc(MAX_SEEDS, sizeof(*seeds));
    if (!seeds)
        return 70;
    watch_signals();
    fuzz_begin();
    for (int i = optind; i < argc; i++) {
        read_seed(argv[i]);
        at_work = seeds[n_seeds - 1];
        run_one();
    }
    printf("%s: %zu saved inputs, %llu made in %.0f s\n", name, n_seeds,
           (unsigned long long)run_for(seconds), seconds);
    free(seeds);
    return 0;
}
