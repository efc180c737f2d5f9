/* SPDX-License-Identifier: Apache-2.0 */
/*
 * npu_smi.c - `npu-smi`: the driver's table, for scripts that read the chip's name from it.
 *
 * A command of its own name, because build scripts call it by that name. What stands in the table
 * is the row of the chip, and what the processes with a device tell (rt/usage.h): their memory, and
 * how often a kernel or an operator is at work when one looks. Power and temperature do not exist
 * here and read NA. Rule: tests/cli/test_npu_smi.py reads the table with nptop, and as op-plugin's
 * setup scripts do.
 */
#include "../isa/isa.h"
#include "../rt/usage.h"
#include "cli.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_DEVICES = NPU_USAGE_DEVICES, NAME_BYTES = 64, MAX_PROCESSES = 128, N_LOOKS = 40 };

static const char usage[] =
    "usage: npu-smi info                                 the table of all devices\n"
    "       npu-smi info -l                              number and ids of the devices\n"
    "       npu-smi info -m                              ids and chip names\n"
    "       npu-smi info -t TYPE -i ID [-c CHIP]         one device\n"
    "       npu-smi -v                                   version\n"
    "       npu-smi -h                                   this text\n";

/* The driver names a chip in two parts: 910B2 is whole in the table, 910_9391 is "Ascend910" and
 * "9391", 950PR_9599 is "Ascend950PR" and "9599". */
struct chip_name {
    char chip[NAME_BYTES], npu[NAME_BYTES];
};

static struct chip_name split_name(const char *soc)
{
    struct chip_name name = {{0}, {0}};
    const char *bar = strchr(soc, '_');

    if (bar) {
        snprintf(name.chip, sizeof(name.chip), "%.*s", (int)(bar - soc), soc);
        snprintf(name.npu, sizeof(name.npu), "%s", bar + 1);
    } else {
        snprintf(name.chip, sizeof(name.chip), "%s", soc + strlen("Ascend"));
    }
    return name;
}

/* Devices that this process would see; NPUTWIN_DEVICES as the runtime reads it. */
static long n_devices(void)
{
    const char *text = getenv("NPUTWIN_DEVICES");
    long n = text ? strtol(text, NULL, 10) : 1;

    return n >= 1 && n <= MAX_DEVICES ? n : 1;
}

static void print_rule(char fill)
{
    static const int width[] = {27, 15, 52};

    putchar('+');
    for (size_t i = 0; i < sizeof(width) / sizeof(width[0]); i++) {
        for (int j = 0; j < width[i]; j++)
            putchar(fill);
        putchar('+');
    }
    putchar('\n');
}

static void print_cells(const char *first, const char *second, const char *third)
{
    printf("| %-25s | %-13s | %-51s|\n", first, second, third);
}

/* ---- processes that have a device ---- */

struct process {
    long pid;
    int file;
    char name[NAME_BYTES];
    struct npu_usage usage;
};

static struct process processes[MAX_PROCESSES];
static size_t n_processes;
static double busy_percent[MAX_DEVICES];

/* Its number in its own namespace: the last one of NSpid. */
static long inner_pid(long pid)
{
    char path[64], line[256];
    long inner = pid;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%ld/status", pid);
    file = fopen(path, "re");
    while (file && fgets(line, sizeof(line), file))
        if (strncmp(line, "NSpid:", 6) == 0 && strrchr(line, '\t'))
            inner = strtol(strrchr(line, '\t'), NULL, 10);
    if (file)
        fclose(file);
    return inner;
}

static void read_name(struct process *p)
{
    char path[64];
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%ld/comm", p->pid);
    file = fopen(path, "re");
    if (file && fgets(p->name, sizeof(p->name), file))
        p->name[strcspn(p->name, "\n")] = '\0';
    if (file)
        fclose(file);
}

static bool read_usage(struct process *p)
{
    return pread(p->file, &p->usage, sizeof(p->usage), 0) == (ssize_t)sizeof(p->usage) &&
           p->usage.magic == NPU_USAGE_MAGIC;
}

/* The page of a process, when it has one of its own: who forked holds that of its parent. */
static void find_page(long pid)
{
    struct process *p = &processes[n_processes];
    char path[64], target[64];
    DIR *dir;
    int at;

    snprintf(path, sizeof(path), "/proc/%ld/fd", pid);
    dir = opendir(path);
    at = dir ? dirfd(dir) : -1;
    for (struct dirent *e; at >= 0 && n_processes < MAX_PROCESSES && (e = readdir(dir)) != NULL;) {
        ssize_t n = readlinkat(at, e->d_name, target, sizeof(target) - 1);

        target[n > 0 ? n : 0] = '\0';
        if (strncmp(target, "/memfd:" NPU_USAGE_NAME, strlen("/memfd:" NPU_USAGE_NAME)) != 0)
            continue;
        *p = (struct process){.pid = pid, .file = openat(at, e->d_name, O_RDONLY | O_CLOEXEC)};
        if (p->file < 0)
            continue;
        if (read_usage(p) && p->usage.pid == inner_pid(pid)) {
            read_name(p);
            n_processes++;
            break;
        }
        close(p->file);
    }
    if (dir)
        closedir(dir);
}

/* Looks N_LOOKS times, 2 ms apart: of how many did a device compute? */
static void measure(void)
{
    for (int look = 0; n_processes && look < N_LOOKS; look++) {
        bool is_busy[MAX_DEVICES] = {false};

        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        for (size_t i = 0; i < n_processes; i++)
            for (int id = 0; read_usage(&processes[i]) && id < MAX_DEVICES; id++)
                is_busy[id] = is_busy[id] || processes[i].usage.device[id].running;
        for (int id = 0; id < MAX_DEVICES; id++)
            busy_percent[id] += is_busy[id] ? 100.0 / N_LOOKS : 0;
    }
}

static void find_processes(void)
{
    DIR *dir = opendir("/proc");

    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;)
        if (isdigit((unsigned char)e->d_name[0]))
            find_page(strtol(e->d_name, NULL, 10));
    if (dir)
        closedir(dir);
    measure();
}

static long megabytes(uint64_t bytes)
{
    return (long)((bytes + (1 << 20) - 1) >> 20);
}

static long used_mb(long id)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < n_processes; i++)
        bytes += processes[i].usage.device[id].bytes;
    return megabytes(bytes);
}

/* ---- the table ---- */

static void print_device(const struct npu_soc *soc, long id)
{
    struct chip_name name = split_name(soc->name);
    char first[96], bus[32], memory[96];

    snprintf(first, sizeof(first), "%-5ld %s", id, name.chip);
    snprintf(bus, sizeof(bus), "0000:%02lX:00.0", id + 1);
    snprintf(memory, sizeof(memory), "%-11.0f 0    / 0          %-5ld/ %u", busy_percent[id],
             used_mb(id), soc->hbm_gb * 1024);
    print_cells(first, "OK", "NA          NA                0    / 0");
    print_cells("0", bus, memory);
    print_rule('=');
}

static void print_processes_of(long id)
{
    bool is_idle = true;

    for (size_t i = 0; i < n_processes; i++) {
        const struct process *p = &processes[i];
        char first[32], second[32], third[80];

        if (!p->usage.device[id].bytes)
            continue;
        snprintf(first, sizeof(first), "%-7ld %d", id, 0);
        snprintf(second, sizeof(second), "%ld", p->pid);
        snprintf(third, sizeof(third), "%-24s | %ld", p->name,
                 megabytes(p->usage.device[id].bytes));
        print_cells(first, second, third);
        is_idle = false;
    }
    if (is_idle)
        printf("| No running processes found in NPU %-61ld|\n", id);
}

static int print_table(const struct npu_soc *soc)
{
    puts("+----------------------------------------------------------------------------------------"
         "--------+");
    printf("| npu-smi %-24s Version: %-52s |\n", NPUTWIN_VERSION, "nputwin " NPUTWIN_VERSION);
    print_rule('-');
    print_cells("NPU   Name", "Health", "Power(W)    Temp(C)           Hugepages-Usage(page)");
    print_cells("Chip", "Bus-Id", "AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)");
    print_rule('=');
    for (long id = 0; id < n_devices(); id++)
        print_device(soc, id);
    print_rule('-');
    print_cells("NPU     Chip", "Process id", "Process name             | Process memory(MB)");
    print_rule('=');
    for (long id = 0; id < n_devices(); id++)
        print_processes_of(id);
    print_rule('=');
    return EXIT_FINE;
}

static int print_list(void)
{
    printf("\tTotal Count                    : %ld\n", n_devices());
    for (long id = 0; id < n_devices(); id++)
        printf("\n\tNPU ID                         : %ld\n\tChip Count                     : 1\n",
               id);
    return EXIT_FINE;
}

static int print_map(const struct npu_soc *soc)
{
    printf("\t%-31s%-31s%-31s%s\n", "NPU ID", "Chip ID", "Chip Logic ID", "Chip Name");
    for (long id = 0; id < n_devices(); id++)
        printf("\t%-31ld%-31d%-31ld%s\n", id, 0, id, soc->name);
    return EXIT_FINE;
}

static int usage_error(const char *what, const char *value)
{
    fprintf(stderr, "npu-smi: %s '%s'\n%s", what, value, usage);
    return EXIT_USAGE;
}

/* ---- info -t TYPE: fields of the chip's row; what a driver would measure reads NA ---- */

static void field(const char *name, const char *value)
{
    printf("\t%-31s: %s\n", name, value);
}

static void field_number(const char *name, long value)
{
    printf("\t%-31s: %ld\n", name, value);
}

static void fields_na(const char *const *name, size_t n)
{
    for (size_t i = 0; i < n; i++)
        field(name[i], "NA");
}
#define FIELDS_NA(...)                                                                             \
    fields_na((const char *const[]){__VA_ARGS__},                                                  \
              sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void print_board(const struct npu_soc *soc, long id)
{
    (void)id;
    struct chip_name name = split_name(soc->name);

    field("Chip Type", "Ascend");
    field("Chip Name", name.npu[0] ? name.chip : soc->name);
    field("NPU Name", name.npu[0] ? name.npu : name.chip);
    field_number("Aicore Count", soc->n_aic);
    field("Software Version", NPUTWIN_VERSION);
    FIELDS_NA("Firmware Version", "Serial Number", "Board ID", "PCB ID", "BOM ID", "PCIe Bus Info");
}

static void print_rates(const struct npu_soc *soc, long id)
{
    field_number("HBM Usage Rate(%)", used_mb(id) * 100 / ((long)soc->hbm_gb * 1024));
    field_number("Aicore Usage Rate(%)", (long)(busy_percent[id] + 0.5));
}

static void print_usages(const struct npu_soc *soc, long id)
{
    field_number("HBM Capacity(MB)", (long)soc->hbm_gb * 1024);
    print_rates(soc, id);
    FIELDS_NA("Aivector Usage Rate(%)", "Aicpu Usage Rate(%)", "Ctrlcpu Usage Rate(%)",
              "HBM Bandwidth Usage Rate(%)");
}

static void print_memory(const struct npu_soc *soc, long id)
{
    field_number("HBM Capacity(MB)", (long)soc->hbm_gb * 1024);
    field_number("HBM Usage(MB)", used_mb(id));
    FIELDS_NA("HBM Clock Speed(MHz)", "HBM Temperature(C)", "HBM Manufacturer ID");
}

static void print_power(const struct npu_soc *soc, long id)
{
    (void)soc;
    (void)id;
    FIELDS_NA("NPU Real-time Power(W)");
}

static void print_temp(const struct npu_soc *soc, long id)
{
    (void)soc;
    (void)id;
    FIELDS_NA("NPU Temperature (C)");
}

static void print_health(const struct npu_soc *soc, long id)
{
    (void)soc;
    (void)id;
    field("Health Status", "OK");
    FIELDS_NA("Error Code", "Error Information");
}

static void print_ecc(const struct npu_soc *soc, long id)
{
    (void)soc;
    (void)id;
    FIELDS_NA("HBM Single Bit Error Count", "HBM Double Bit Error Count",
              "HBM Single Bit Aggregate Total Err Cnt", "HBM Double Bit Aggregate Total Err Cnt");
}

static void print_common(const struct npu_soc *soc, long id)
{
    field("NPU Name", split_name(soc->name).chip);
    field_number("Aicore Count", soc->n_aic);
    field_number("Aicore Freq(MHZ)", soc->cube_mhz); /* rated */
    print_rates(soc, id);
    FIELDS_NA("Aicore curFreq(MHZ)", "Temperature(C)", "NPU Real-time Power(W)");
}

static void print_product(const struct npu_soc *soc, long id)
{
    (void)id;
    field("Product Name", "nputwin, a software NPU");
    field("Product Type", soc->name);
}

static void print_processes(const struct npu_soc *soc, long id)
{
    bool is_idle = true;

    (void)soc;
    for (size_t i = 0; i < n_processes; i++) {
        if (!processes[i].usage.device[id].bytes)
            continue;
        field_number("Process id", processes[i].pid);
        field("Process name", processes[i].name);
        field_number("Process memory(MB)", megabytes(processes[i].usage.device[id].bytes));
        is_idle = false;
    }
    if (is_idle)
        FIELDS_NA("Process id", "Process name", "Process memory(MB)");
}

static const struct type {
    const char *name, *brief;
    void (*print)(const struct npu_soc *soc, long id);
} types[] = {
    {"board", "name and versions", print_board},
    {"usages", "shares in use: memory, kernels and operators", print_usages},
    {"memory", "device memory", print_memory},
    {"power", "not measured", print_power},
    {"temp", "not measured", print_temp},
    {"common", "the most asked for", print_common},
    {"health", "health", print_health},
    {"ecc", "not measured", print_ecc},
    {"product", "product", print_product},
    {"proc-mem", "processes and their device memory", print_processes},
};
enum { N_TYPES_OF_INFO = sizeof(types) / sizeof(types[0]) };

/* Prints what the value is not, the nearest of the names, and all of them. */
static int unknown_type(const char *value)
{
    const char *near = cli_nearest(value, &types[0].name, sizeof(types[0]), N_TYPES_OF_INFO);

    fprintf(stderr, "npu-smi: not a type that the twin has: '%s'%s%s%s\ntypes:\n", value,
            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    for (size_t i = 0; i < N_TYPES_OF_INFO; i++)
        fprintf(stderr, "  %-9s %s\n", types[i].name, types[i].brief);
    return EXIT_USAGE;
}

static const struct option_row {
    const char *name;
} options[] = {{"-l"}, {"-m"}, {"-t"}, {"-i"}, {"-c"}, {"-h"}};

static int unknown_option(const char *word)
{
    const char *near =
        cli_nearest(word, &options[0].name, sizeof(options[0]), sizeof(options) / sizeof(*options));

    fprintf(stderr, "npu-smi: unknown option '%s'%s%s%s\n%s", word, near ? "; did you mean '" : "",
            near ? near : "", near ? "'?" : "", usage);
    return EXIT_USAGE;
}

/* A whole number, or -1. */
static long number_of(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    return *text && !*end ? n : -1;
}

static int print_type(const struct npu_soc *soc, const struct type *type, long id)
{
    field_number("NPU ID", id);
    field_number("Chip ID", 0);
    type->print(soc, id);
    return EXIT_FINE;
}

/* info -t TYPE -i ID [-c CHIP], in any order. */
static int query(int argc, char **argv, const struct npu_soc *soc)
{
    const struct type *type = NULL;
    const char *name = NULL;
    long id = -1, chip = 0;

    for (int i = 0; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;

        if (strcmp(argv[i], "-t") != 0 && strcmp(argv[i], "-i") != 0 && strcmp(argv[i], "-c") != 0)
            return unknown_option(argv[i]);
        if (!value)
            return usage_error("no value after", argv[i]);
        if (argv[i][1] == 't')
            name = value;
        else if (argv[i][1] == 'i')
            id = number_of(value);
        else
            chip = number_of(value);
    }
    for (size_t i = 0; name && i < N_TYPES_OF_INFO; i++)
        if (!strcmp(types[i].name, name))
            type = &types[i];
    if (!type)
        return unknown_type(name ? name : "");
    if (id < 0 || id >= n_devices() || chip != 0) {
        fprintf(stderr, "npu-smi: no device %ld chip %ld; ids 0 to %ld, chip 0\n", id, chip,
                n_devices() - 1);
        return EXIT_USAGE;
    }
    find_processes();
    return print_type(soc, type, id);
}

static int info(int argc, char **argv, const struct npu_soc *soc)
{
    if (argc == 0) {
        find_processes();
        return print_table(soc);
    }
    if (argc == 1 && strcmp(argv[0], "-h") == 0) {
        fputs(usage, stdout);
        return EXIT_FINE;
    }
    if (argc == 1 && strcmp(argv[0], "-l") == 0)
        return print_list();
    if (argc == 1 && strcmp(argv[0], "-m") == 0)
        return print_map(soc);
    return query(argc, argv, soc);
}

int main(int argc, char **argv)
{
    struct npu_diag diag = {0};
    const struct npu_soc *soc = NULL;

    if (argc == 2 && strcmp(argv[1], "-v") == 0) {
        printf("npu-smi version: %s\n", NPUTWIN_VERSION);
        return EXIT_FINE;
    }
    if (argc == 2 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0)) {
        fputs(usage, stdout);
        return EXIT_FINE;
    }
    if (argc < 2 || strcmp(argv[1], "info") != 0)
        return usage_error("unknown command", argc < 2 ? "" : argv[1]);
    soc = npu_soc_current(&diag);
    if (!soc) {
        fprintf(stderr, "npu-smi: %s\n", diag.text);
        return EXIT_USAGE;
    }
    return info(argc - 2, argv + 2, soc);
}
