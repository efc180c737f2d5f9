/* SPDX-License-Identifier: Apache-2.0 */
/*
 * binary.c - binaries that `bisheng --cce-aicore-only` or aclrtc made.
 *
 * Such a binary is a shared library of this machine with a tail of ours. Its tail is checked before
 * the system's loader sees a byte: a binary of the chip, a damaged file or one of another version
 * is refused by name. It is loaded from memory, so the same file loaded twice is two binaries, as
 * on the chip. Rule: code goes away when its binary was unloaded and no launch of it is left.
 */
#define _GNU_SOURCE /* memfd_create */
#include "binary.h"
#include "queue.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BINARY_MAGIC = 0x4e42494e, FUNCTION_MAGIC = 0x4e46554e };
enum {
    EM_OF_THIS_MACHINE =
#ifdef __x86_64__
        EM_X86_64
#else
        EM_AARCH64
#endif
};

struct npu_binary {
    uint32_t magic;
    uint32_t n_refs; /* launches under way, and 1 until it is unloaded */
    void *library;
    struct npu_collected tables;
};

struct npu_function {
    uint32_t magic;
    struct npu_binary *binary; /* NULL: a kernel of the program */
    const void *key;
    struct npu_function *next; /* all living ones */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;    /* pools and references */
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER; /* one load at a time */
static struct rt_pool binaries = {.object_bytes = sizeof(struct npu_binary)};
static struct rt_pool functions = {.object_bytes = sizeof(struct npu_function)};
static struct npu_function *first;

/* ---- is it one of ours? ---- */

static uint64_t hash_of(const unsigned char *p, size_t n)
{
    uint64_t h = 0xcbf29ce484222325u;

    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

/* What a binary without our tail is, for the message. */
static const char *what_it_is(const unsigned char *data, size_t bytes)
{
    const Elf64_Ehdr *eh = (const Elf64_Ehdr *)(const void *)data;

    if (bytes < sizeof(*eh) || memcmp(data, ELFMAG, SELFMAG) != 0)
        return "it is no ELF file";
    if (eh->e_machine != EM_OF_THIS_MACHINE)
        return "it holds instructions of another machine, as a binary of the chip does";
    return "it is an ordinary object, not a binary of kernels";
}

static int refuse(const char *who, const char *why)
{
    return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                       "%s failed to parse the binary of the operator: %s: make it from the "
                       "kernel's source with `bisheng --cce-aicore-only -o k.o k.asc`, "
                       "ascendc_fatbin_library() or aclrtcCompileProg",
                       who, why);
}

static int check_binary(const unsigned char *data, size_t bytes, const char *who)
{
    struct nputwin_binary_tail tail;
    char why[160];

    if (bytes < sizeof(tail))
        return refuse(who, what_it_is(data, bytes));
    memcpy(&tail, data + bytes - sizeof(tail), sizeof(tail));
    if (memcmp(tail.magic, NPUTWIN_BINARY_MAGIC, sizeof(tail.magic)) != 0)
        return refuse(who, what_it_is(data, bytes));
    if (tail.version != NPUTWIN_BINARY_VERSION) {
        snprintf(why, sizeof(why), "its format is %" PRIu32 ", this version reads %d", tail.version,
                 NPUTWIN_BINARY_VERSION);
        return refuse(who, why);
    }
    if (tail.bytes != bytes - sizeof(tail) || tail.hash != hash_of(data, bytes - sizeof(tail)))
        return refuse(who, "it is damaged (its length or hash differs from what was written)");
    return ACL_OK;
}

/* ---- load ---- */

/* Gives the bytes a name that the loader can open; -1 with errno. */
static int memory_file(const void *data, size_t bytes)
{
    int fd = memfd_create("nputwin-binary", MFD_CLOEXEC);
    size_t done = 0;

    while (fd >= 0 && done < bytes) {
        ssize_t n = write(fd, (const char *)data + done, bytes - done);

        if (n <= 0) {
            close(fd);
            return -1;
        }
        done += (size_t)n;
    }
    return fd;
}

/* A path of fd that no earlier load had: the loader takes equal names for the same library, even
 * when a new file stands behind the number. 64 steps that lead nowhere spell the load's number. */
static void unique_path(char *path, int fd)
{
    static uint64_t n_loads;
    char *s = path + sprintf(path, "/proc/self/fd/");

    for (int bit = 0; bit < 64; bit++)
        s += sprintf(s, n_loads >> bit & 1 ? "./" : "/");
    sprintf(s, "%d", fd);
    n_loads++;
}

static int open_library(struct npu_binary *b, const void *data, size_t bytes, const char *who)
{
    int fd = memory_file(data, bytes);
    char name[192];

    if (fd < 0)
        return npu_rt_fail(RT_RESOURCE_ALLOC_FAIL, "%s: no memory file of %zu bytes: %s", who,
                           bytes, strerror(errno));
    pthread_mutex_lock(&loading);
    unique_path(name, fd);
    rt_collect(&b->tables);
    b->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    rt_collect(NULL);
    pthread_mutex_unlock(&loading);
    close(fd);
    if (!b->library)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "%s: the binary does not load: %s: link what its kernels call, or load "
                           "that library first",
                           who, dlerror());
    if (!b->tables.n_tables || b->tables.is_cut) {
        dlclose(b->library);
        return refuse(who, b->tables.is_cut ? "it was linked from more than 64 sources"
                                            : "it holds no kernel");
    }
    return ACL_OK;
}

int npu_rt_binary_load(struct npu_binary **out, const void *data, size_t bytes, const char *who)
{
    struct npu_binary *b;
    int rc =
        npu_rt_need_device(who) < 0 ? npu_rt_last_error(false) : check_binary(data, bytes, who);

    if (rc)
        return rc;
    pthread_mutex_lock(&lock);
    b = rt_pool_get(&binaries);
    pthread_mutex_unlock(&lock);
    if (!b)
        return npu_rt_fail(RT_RESOURCE_ALLOC_FAIL, "%s: out of memory", who);
    rc = open_library(b, data, bytes, who);
    pthread_mutex_lock(&lock);
    if (rc) {
        rt_pool_put(&binaries, b);
    } else {
        b->n_refs = 1;
        b->magic = BINARY_MAGIC;
        *out = b;
    }
    pthread_mutex_unlock(&lock);
    return rc;
}

char *npu_rt_binary_symbol(const void *data, size_t bytes, const char *variable, const char *who)
{
    struct npu_binary b = {0};
    const struct nputwin_kernel *k = NULL;
    const void *const *address;
    char *symbol = NULL;

    if (check_binary(data, bytes, who) || open_library(&b, data, bytes, who))
        return NULL;
    address = dlsym(b.library, variable);
    if (address)
        k = rt_kernel(*address);
    if (k)
        symbol = strdup(k->symbol);
    dlclose(b.library);
    if (!symbol)
        npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %s names no kernel", who, variable);
    return symbol;
}

/* The whole file, malloc'd; NULL with the message. */
static void *read_file(const char *path, size_t *bytes, const char *who)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    size_t done = 0;
    char *data = NULL;

    if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0)
        data = malloc((size_t)st.st_size);
    while (data && done < (size_t)st.st_size) {
        ssize_t n = read(fd, data + done, (size_t)st.st_size - done);

        if (n <= 0)
            break;
        done += (size_t)n;
    }
    if (!data)
        npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: %s cannot be read (%s): give the path of a binary of kernels", who, path,
                    fd < 0 ? strerror(errno) : "no regular file, or empty");
    if (fd >= 0)
        close(fd);
    *bytes = done;
    return data;
}

int npu_rt_binary_load_file(struct npu_binary **out, const char *path, const char *who)
{
    size_t bytes;
    void *data = read_file(path, &bytes, who);
    int rc = data ? npu_rt_binary_load(out, data, bytes, who) : npu_rt_last_error(false);

    free(data);
    return rc;
}

/* ---- bytes that wait to be loaded ---- */

enum { IMAGE_MAGIC = 0x4e494d47 };

struct npu_image {
    uint32_t magic;
    const void *data;
    size_t bytes;
};

static struct rt_pool images = {.object_bytes = sizeof(struct npu_image)};

struct npu_image *npu_rt_image_new(const void *data, size_t bytes, const char *who)
{
    struct npu_image *i = NULL;

    if (!data || !bytes) {
        npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: data %p of %zu bytes is no binary", who, data,
                    bytes);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    i = rt_pool_get(&images);
    if (i)
        *i = (struct npu_image){IMAGE_MAGIC, data, bytes};
    pthread_mutex_unlock(&lock);
    if (!i)
        npu_rt_fail(RT_RESOURCE_ALLOC_FAIL, "%s: out of memory", who);
    return i;
}

int npu_rt_image(const struct npu_image *i, const void **data, size_t *bytes, const char *who)
{
    bool is_known;

    pthread_mutex_lock(&lock);
    is_known = rt_pool_owns(&images, i) && i->magic == IMAGE_MAGIC;
    if (is_known) {
        *data = i->data;
        *bytes = i->bytes;
    }
    pthread_mutex_unlock(&lock);
    return is_known ? ACL_OK
                    : npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                                  "%s: %p is no aclrtBinary: it was destroyed, or never made", who,
                                  (const void *)i);
}

int npu_rt_image_free(struct npu_image *i, const char *who)
{
    const void *data;
    size_t bytes;
    int rc = npu_rt_image(i, &data, &bytes, who);

    if (rc)
        return rc;
    pthread_mutex_lock(&lock);
    i->magic = 0;
    rt_pool_put(&images, i);
    pthread_mutex_unlock(&lock);
    return ACL_OK;
}

/* ---- unload ---- */

/* Locked. */
static bool is_binary(const struct npu_binary *b)
{
    return rt_pool_owns(&binaries, b) && b->magic == BINARY_MAGIC;
}

static int stale_binary(const void *b, const char *who)
{
    return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                       "%s: %p is no loaded binary: it was unloaded, or is no aclrtBinHandle", who,
                       b);
}

/* Locked on entry, not after it: the library's destructors take other locks. */
static void drop_reference(struct npu_binary *b)
{
    void *library = --b->n_refs ? NULL : b->library;

    if (library)
        rt_pool_put(&binaries, b);
    pthread_mutex_unlock(&lock);
    if (library)
        dlclose(library);
}

void rt_binary_hold(struct npu_binary *b)
{
    if (!b)
        return;
    pthread_mutex_lock(&lock);
    b->n_refs++;
    pthread_mutex_unlock(&lock);
}

void rt_binary_release(struct npu_binary *b)
{
    if (!b)
        return;
    pthread_mutex_lock(&lock);
    drop_reference(b);
}

int npu_rt_binary_unload(struct npu_binary *b, const char *who)
{
    pthread_mutex_lock(&lock);
    if (!is_binary(b)) {
        pthread_mutex_unlock(&lock);
        return stale_binary(b, who);
    }
    b->magic = 0;
    for (struct npu_function **at = &first; *at;) {
        struct npu_function *f = *at;

        if (f->binary != b) {
            at = &f->next;
            continue;
        }
        *at = f->next;
        rt_args_forget(f);
        f->magic = 0;
        rt_pool_put(&functions, f);
    }
    drop_reference(b);
    return ACL_OK;
}

/* ---- functions ---- */

/* Locked. The same kernel has one handle. */
static struct npu_function *function_of(struct npu_binary *b, const void *key)
{
    struct npu_function *f = first;

    while (f && (f->key != key || f->binary != b))
        f = f->next;
    if (f)
        return f;
    f = rt_pool_get(&functions);
    if (f) {
        *f = (struct npu_function){FUNCTION_MAGIC, b, key, first};
        first = f;
    }
    return f;
}

static const struct nputwin_kernel *row_at(const struct npu_kernel_table *t, uint32_t i)
{
    return (const struct nputwin_kernel *)((const char *)t->rows + (size_t)i * t->row_bytes);
}

/* "add" matches add, and ns::add(unsigned char*); a linker's name matches itself. */
static bool is_called(const struct nputwin_kernel *k, const char *name)
{
    size_t n = strlen(name);

    return !strcmp(k->symbol, name) || !strcmp(k->name, name) ||
           (!strncmp(k->name, name, n) && k->name[n] == '(');
}

static bool ends_in_entry(const struct nputwin_kernel *k, uint64_t entry)
{
    char tail[32];
    size_t n = (size_t)snprintf(tail, sizeof(tail), "_%" PRIu64, entry), all = strlen(k->symbol);

    return all > n && !strcmp(k->symbol + all - n, tail);
}

/* Locked. name NULL: by entry. */
static const struct nputwin_kernel *search(const struct npu_binary *b, const char *name,
                                           uint64_t entry)
{
    for (uint32_t t = 0; t < b->tables.n_tables; t++) {
        const struct npu_kernel_table *table = &b->tables.table[t];

        for (uint32_t i = 0; i < table->n && table->row_bytes >= NPUTWIN_KERNEL_BYTES_2; i++) {
            const struct nputwin_kernel *k = row_at(table, i);

            if (name ? is_called(k, name) : ends_in_entry(k, entry))
                return k;
        }
    }
    return NULL;
}

/* Locked. "add_custom, sub_custom, ...": what there is instead. */
static void list_names(const struct npu_binary *b, char *text, size_t room)
{
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t t = 0; t < b->tables.n_tables; t++) {
        const struct npu_kernel_table *table = &b->tables.table[t];

        for (uint32_t i = 0; i < table->n && used + 1 < room; i++)
            used += (size_t)snprintf(text + used, room - used, "%s%s", used ? ", " : "",
                                     table->row_bytes >= NPUTWIN_KERNEL_BYTES_2
                                         ? row_at(table, i)->symbol
                                         : row_at(table, i)->name);
    }
}

static int get_function(struct npu_binary *b, const char *name, uint64_t entry,
                        struct npu_function **out, const char *who)
{
    const struct nputwin_kernel *k;
    struct npu_function *f = NULL;
    char names[512] = "";
    bool is_known;

    pthread_mutex_lock(&lock);
    is_known = is_binary(b);
    k = is_known ? search(b, name, entry) : NULL;
    if (k)
        f = function_of(b, k->key);
    else if (is_known)
        list_names(b, names, sizeof(names));
    pthread_mutex_unlock(&lock);
    if (!is_known)
        return stale_binary(b, who);
    if (!k && name)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "%s: the binary has no kernel %s; it has: %s", who, name, names);
    if (!k)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "%s: the binary has no kernel whose name ends in _%" PRIu64
                           "; it has: %s",
                           who, entry, names);
    if (!f)
        return npu_rt_fail(RT_RESOURCE_ALLOC_FAIL, "%s: out of memory", who);
    *out = f;
    return ACL_OK;
}

int npu_rt_binary_function(struct npu_binary *b, const char *name, struct npu_function **out,
                           const char *who)
{
    return get_function(b, name, 0, out, who);
}

int npu_rt_binary_function_by_entry(struct npu_binary *b, uint64_t entry, struct npu_function **out,
                                    const char *who)
{
    return get_function(b, NULL, entry, out, who);
}

int npu_rt_function_of_symbol(const void *symbol, struct npu_function **out, const char *who)
{
    struct npu_function *f;

    if (!rt_kernel(symbol))
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "%s: no kernel is registered for %p: give the name of a __global__ "
                           "function of a file that bisheng compiled",
                           who, symbol);
    pthread_mutex_lock(&lock);
    f = function_of(NULL, symbol);
    pthread_mutex_unlock(&lock);
    if (!f)
        return npu_rt_fail(RT_RESOURCE_ALLOC_FAIL, "%s: out of memory", who);
    *out = f;
    return ACL_OK;
}

const struct nputwin_kernel *rt_function_row(const void *function, struct npu_binary **binary,
                                             const char *who)
{
    const struct nputwin_kernel *k;
    const void *key = function;

    *binary = NULL;
    pthread_mutex_lock(&lock);
    if (rt_pool_owns(&functions, function)) {
        const struct npu_function *f = function;

        key = f->magic == FUNCTION_MAGIC ? f->key : NULL;
        if (key && f->binary) {
            *binary = f->binary;
            f->binary->n_refs++;
        }
    }
    k = key ? rt_kernel(key) : NULL;
    pthread_mutex_unlock(&lock);
    if (k)
        return k;
    rt_binary_release(*binary);
    *binary = NULL;
    npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                "%s: %p is neither a function handle nor a kernel: its binary was unloaded, or it "
                "is no aclrtFuncHandle",
                who, function);
    return NULL;
}

int npu_rt_function_binary(const struct npu_function *f, struct npu_binary **out, const char *who)
{
    bool is_known;

    pthread_mutex_lock(&lock);
    is_known = rt_pool_owns(&functions, f) && f->magic == FUNCTION_MAGIC && f->binary;
    if (is_known)
        *out = f->binary;
    pthread_mutex_unlock(&lock);
    return is_known ? ACL_OK
                    : npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                                  "%s: %p is no function of a loaded binary", who, (const void *)f);
}

int npu_rt_function_info(const void *function, struct npu_function_info *out, const char *who)
{
    struct npu_binary *binary;
    const struct nputwin_kernel *k = rt_function_row(function, &binary, who);

    if (!k)
        return npu_rt_last_error(false);
    *out = (struct npu_function_info){k->symbol, k->kind, k->params ? k->params->n : 0,
                                      (void *)(uintptr_t)k->aic, (void *)(uintptr_t)k->aiv};
    if (k->kind == NPUTWIN_AIV)
        out->aic = NULL;
    else if (k->kind == NPUTWIN_AIC)
        out->aiv = NULL;
    rt_binary_release(binary);
    return ACL_OK;
}
