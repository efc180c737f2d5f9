/* SPDX-License-Identifier: Apache-2.0 */
/* binary.c BINARY - loads kernels.asc's binary and launches each kernel in every way there is. */
#include "check.h"
#include <malloc.h>

enum { N = 100 };

struct tiling {
    int32_t n;
    float scale;
    uint8_t tail[5];
};
struct block { /* the parameters of mixed, as a compiler lays them out */
    float *y;
    int8_t a;
    struct tiling t;
    uint16_t b;
    const float *x;
    double d;
};

static const char *path;
static aclrtBinHandle binary;
static aclrtStream stream;

static aclrtFuncHandle function(const char *name)
{
    aclrtFuncHandle f = NULL;

    OK(aclrtBinaryGetFunction(binary, name, &f));
    return f;
}

static void *device(size_t bytes)
{
    void *p = NULL;

    OK(aclrtMalloc(&p, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(p, bytes, 0, bytes));
    return p;
}

/* ---- mixed: every way to bring its arguments ---- */

static float *y, *x;

static void expect_mixed(const char *how)
{
    float host[N];

    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(host, sizeof host, y, sizeof host, ACL_MEMCPY_DEVICE_TO_HOST));
    for (int i = 0; i < N; i++)
        if (host[i] != (float)i * 0.5f - 3 + 60000 + 2 + 7) {
            printf("%s: y[%d] is %g\n", how, i, (double)host[i]);
            n_failed++;
            break;
        }
    OK(aclrtMemset(y, sizeof host, 0, sizeof host));
}

static void test_mixed(void)
{
    aclrtFuncHandle f = function("mixed");
    struct block b = {NULL, -3, {N, 0.5f, {0, 0, 0, 0, 7}}, 60000, NULL, 2.25};
    aclrtArgsHandle list = NULL;
    aclrtParamHandle param[6];
    size_t at, bytes, n = 0, want[6][2] = {{0, 8}, {8, 1}, {12, 16}, {28, 2}, {32, 8}, {40, 8}};
    void *dev, *handle_memory, *value_memory;
    float host[N];

    y = (float *)device(sizeof host);
    x = (float *)device(sizeof host);
    for (int i = 0; i < N; i++)
        host[i] = (float)i;
    OK(aclrtMemcpy(x, sizeof host, host, sizeof host, ACL_MEMCPY_HOST_TO_DEVICE));
    b.y = y;
    b.x = x;
    b.d = 2;

    OK(aclrtFunctionGetParamCount(f, &n));
    CHECK(n == 6);
    for (size_t i = 0; i < 6; i++) {
        OK(aclrtFunctionGetParamInfo(f, i, &at, &bytes));
        CHECK(at == want[i][0] && bytes == want[i][1]);
    }
    FAILS(107000, "paramIndex 6", aclrtFunctionGetParamInfo(f, 6, &at, &bytes));
    bytes = 1;
    OK(aclrtFunctionGetAvailDynUbufPerBlock(f, 0, &bytes));
    CHECK(bytes == 0);
    FAILS(107000, "flags is 1", aclrtFunctionGetAvailDynUbufPerBlock(f, 1, &bytes));

    {
        void *array[] = {&b.y, &b.a, &b.t, &b.b, &b.x, &b.d};

        OK(aclrtLaunchKernelWithArgsArray(f, 7, stream, NULL, array));
        expect_mixed("array");
        array[2] = NULL;
        FAILS(107000, "args[2] is NULL", aclrtLaunchKernelWithArgsArray(f, 7, stream, NULL, array));
    }
    OK(aclrtLaunchKernelWithHostArgs(f, 3, stream, NULL, &b, sizeof b, NULL, 0));
    expect_mixed("host block");
    FAILS(107000, "argsSize is 40",
          aclrtLaunchKernelWithHostArgs(f, 3, stream, NULL, &b, 40, NULL, 0));

    dev = device(sizeof b);
    OK(aclrtMemcpyAsync(dev, sizeof b, &b, sizeof b, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    OK(aclrtLaunchKernel(f, 2, dev, sizeof b, stream));
    expect_mixed("device block");
    OK(aclrtLaunchKernelV2(f, 2, dev, sizeof b, NULL, stream));
    expect_mixed("device block 2");
    FAILS(107000, "device memory", aclrtLaunchKernel(f, 2, &b, sizeof b, stream));
    FAILS(107000, "device memory", aclrtLaunchKernel(f, 2, dev, 1 << 20, stream));
    OK(aclrtFree(dev));

    for (int user = 0; user < 2; user++) { /* in their memory, in ours */
        size_t handle_bytes, value_bytes;
        int8_t wrong = 99;

        OK(aclrtKernelArgsGetHandleMemSize(f, &handle_bytes));
        OK(aclrtKernelArgsGetMemSize(f, 56, &value_bytes));
        handle_memory = malloc(handle_bytes);
        value_memory = malloc(value_bytes);
        if (user) {
            list = handle_memory;
            OK(aclrtKernelArgsInitByUserMem(f, list, value_memory, value_bytes));
        } else {
            OK(aclrtKernelArgsInit(f, &list));
        }
        OK(aclrtKernelArgsAppend(list, &b.y, 8, &param[0]));
        OK(aclrtKernelArgsAppend(list, &wrong, 1, &param[1]));
        OK(aclrtKernelArgsAppend(list, &b.t, 13 + 3, &param[2]));
        OK(aclrtKernelArgsAppend(list, &b.b, 2, &param[3]));
        FAILS(107000, "aclrtKernelArgsFinalize",
              aclrtLaunchKernelWithConfig(f, 5, stream, NULL, list, NULL));
        OK(aclrtKernelArgsFinalize(list));
        FAILS(107000, "the list has 4 arguments",
              aclrtLaunchKernelWithConfig(f, 5, stream, NULL, list, NULL));
        OK(aclrtKernelArgsAppend(list, &b.x, 8, &param[4]));
        OK(aclrtKernelArgsAppend(list, &b.d, 8, &param[5]));
        OK(aclrtKernelArgsParaUpdate(list, param[1], &b.a, 1));
        FAILS(107000, "paramSize 2", aclrtKernelArgsParaUpdate(list, param[1], &b.a, 2));
        OK(aclrtKernelArgsFinalize(list));
        OK(aclrtLaunchKernelWithConfig(f, 5, stream, NULL, list, NULL));
        expect_mixed(user ? "list in their memory" : "list");
        if (user)
            FAILS(107000, "do not fit", aclrtKernelArgsAppend(list, &b.t, 16, &param[5]));
        FAILS(107000, "another function",
              aclrtLaunchKernelWithConfig(function("by_pointer"), 5, stream, NULL, list, NULL));
        memset(handle_memory, 0xee, handle_bytes); /* nobody reads what is there */
        free(handle_memory);
        free(value_memory);
    }
    FAILS(107000, "no list of arguments", aclrtKernelArgsFinalize(&b));
}

/* One list for each launch: the program does not grow. One that is used again and again stays. */
static void test_many_lists(void)
{
    aclrtFuncHandle f = function("_ZN2ns4fillIfEEvPhT_");
    aclrtArgsHandle kept, list[3000];
    aclrtParamHandle param[2];
    float *p = (float *)device(4), v = 0, back;
    size_t bytes = 0;

    OK(aclrtKernelArgsInit(f, &kept));
    OK(aclrtKernelArgsAppend(kept, &p, 8, &param[0]));
    OK(aclrtKernelArgsAppend(kept, &v, 4, &param[1]));
    for (int i = 0; i < 3000; i++) {
        if (i == 1000) {
            OK(aclrtSynchronizeStream(stream));
            bytes = mallinfo2().uordblks;
        }
        OK(aclrtKernelArgsInit(f, &list[i]));
        OK(aclrtKernelArgsAppend(list[i], &p, 8, &param[0]));
        OK(aclrtKernelArgsAppend(list[i], &v, 4, &param[1]));
        OK(aclrtKernelArgsFinalize(list[i]));
        OK(aclrtLaunchKernelWithConfig(f, 1, stream, NULL, list[i], NULL));
        if (i % 100 == 99) {
            v = (float)i;
            OK(aclrtKernelArgsParaUpdate(kept, param[1], &v, 4));
            OK(aclrtKernelArgsFinalize(kept));
            OK(aclrtLaunchKernelWithConfig(f, 1, stream, NULL, kept, NULL));
        }
    }
    OK(aclrtSynchronizeStream(stream));
    CHECK(mallinfo2().uordblks < bytes + (2 << 20)); /* 2000 lists have three times as much */
    OK(aclrtMemcpy(&back, 4, p, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(back == 2999);
    for (int i = 0; i < 2999; i++)
        CHECK(list[i] != list[2999]); /* a handle that was kept too long is nobody else's */
    OK(aclrtKernelArgsFinalize(list[2750]));
    FAILS(107000, "256 other lists", aclrtKernelArgsFinalize(list[500]));
    OK(aclrtFree(p));
}

/* ---- placeholders ---- */

static void test_placeholders(void)
{
    aclrtFuncHandle f = function("by_pointer");
    int32_t *p = (int32_t *)device(16), back[4], *n_items, *addend;
    struct {
        void *x, *n, *addend;
        int32_t data[2];
    } block = {p, NULL, NULL, {3, 40}};
    aclrtPlaceHolderInfo place[2] = {{8, 24}, {16, 28}};
    aclrtArgsHandle list;
    aclrtParamHandle param[3];

    OK(aclrtLaunchKernelWithHostArgs(f, 1, stream, NULL, &block, sizeof block, place, 2));
    OK(aclrtKernelArgsInit(f, &list));
    OK(aclrtKernelArgsAppend(list, &block.x, 8, &param[0]));
    OK(aclrtKernelArgsAppendPlaceHolder(list, &param[1]));
    OK(aclrtKernelArgsAppendPlaceHolder(list, &param[2]));
    FAILS(107000, "placeholder without a buffer", aclrtKernelArgsFinalize(list));
    OK(aclrtKernelArgsGetPlaceHolderBuffer(list, param[1], 4, (void **)&n_items));
    OK(aclrtKernelArgsGetPlaceHolderBuffer(list, param[2], 4, (void **)&addend));
    FAILS(107000, "no placeholder",
          aclrtKernelArgsGetPlaceHolderBuffer(list, param[0], 4, (void **)&addend));
    *n_items = 4;
    *addend = 2;
    OK(aclrtKernelArgsFinalize(list));
    OK(aclrtLaunchKernelWithConfig(f, 1, stream, NULL, list, NULL));
    *addend = 1000; /* the launch has its copy */
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(back, 16, p, 16, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(back[0] == 42 && back[2] == 42 && back[3] == 2);
    place[1].addrOffset = 28;
    FAILS(107000, "placeHolderArray[1]",
          aclrtLaunchKernelWithHostArgs(f, 1, stream, NULL, &block, sizeof block, place, 2));
    OK(aclrtFree(p));
}

/* ---- names, kinds, options ---- */

static void test_functions(void)
{
    aclrtFuncHandle f = function("_ZN2ns4fillIfEEvPhT_"), g;
    char name[64];
    void *aic, *aiv;
    int64_t value;
    float *p = (float *)device(8), v = 1.5f, back[2];
    void *args[] = {&p, &v};
    int32_t *q = (int32_t *)p, number = 0;
    void *one[] = {&q};

    OK(aclrtLaunchKernelWithArgsArray(f, 2, NULL, NULL, args));
    OK(aclrtSynchronizeStream(NULL));
    OK(aclrtMemcpy(back, 8, p, 8, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(back[0] == 1.5f && back[1] == 1.5f);
    OK(aclrtGetFunctionName(f, sizeof name, name));
    CHECK(!strcmp(name, "_ZN2ns4fillIfEEvPhT_"));
    FAILS(107000, "maxLen is 5", aclrtGetFunctionName(f, 5, name));
    OK(aclrtGetFunctionAddr(f, &aic, &aiv));
    CHECK(!aic && aiv);
    OK(aclrtGetFunctionAttribute(f, ACL_FUNC_ATTR_KERNEL_TYPE, &value));
    CHECK(value == ACL_KERNEL_TYPE_VECTOR);
    OK(aclrtGetFunctionAttribute(f, ACL_FUNC_ATTR_KERNEL_RATIO, &value));
    CHECK(value == 1);
    OK(aclrtGetFunctionAttribute(function("on_cube"), ACL_FUNC_ATTR_KERNEL_RATIO, &value));
    CHECK(value == 1 << 16);
    FAILS(207000, "SCHED_MODE",
          aclrtGetFunctionAttribute(f, ACL_FUNC_ATTR_KERNEL_SCHED_MODE, &value));
    OK(aclrtBinaryGetFunction(binary, "mixed", &g));
    CHECK(g == function("mixed") && g != f);
    OK(aclrtFunctionGetBinary(f, &g));
    CHECK(g == binary);
    FAILS(107000, "no kernel absent; it has: ", aclrtBinaryGetFunction(binary, "absent", &g));

    OK(aclrtBinaryGetFunctionByEntry(binary, 20, &g));
    OK(aclrtLaunchKernelWithArgsArray(g, 1, NULL, NULL, one));
    OK(aclrtSynchronizeStream(NULL));
    OK(aclrtMemcpy(&number, 4, q, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(number == 20);
    FAILS(107000, "ends in _7", aclrtBinaryGetFunctionByEntry(binary, 7, &g));
    OK(aclrtLaunchKernelWithArgsArray(function("nothing"), 8, NULL, NULL, NULL));
    OK(aclrtLaunchKernelWithHostArgs(function("nothing"), 8, NULL, NULL, NULL, 0, NULL, 0));
    FAILS(107000, "one of its parameters has no name",
          aclrtLaunchKernelWithArgsArray(function("unnamed"), 1, NULL, NULL, args));
    FAILS(107000, "blockDim 0", aclrtLaunchKernelWithArgsArray(f, 0, NULL, NULL, args));
    FAILS(107000, "neither a function handle nor a kernel",
          aclrtLaunchKernelWithArgsArray(args, 1, NULL, NULL, args));
    OK(aclrtFree(p));
}

static int with(aclrtLaunchKernelAttrId id, uint32_t value)
{
    aclrtLaunchKernelAttr a = {.id = id, .value = {.rsv = {value, 0, 0, 0}}};
    aclrtLaunchKernelCfg cfg = {&a, 1};

    return aclrtLaunchKernelWithArgsArray(function("nothing"), 1, NULL, &cfg, NULL);
}

static void test_config(void)
{
    aclrtLaunchKernelAttr both[2] = {{.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT},
                                     {.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US}};
    aclrtLaunchKernelCfg cfg = {both, 2};

    OK(with(ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, 1));
    FAILS(107000, "schemMode is 2", with(ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, 2));
    OK(with(ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE, ACL_RT_ENGINE_TYPE_AIV));
    FAILS(107000, "engineType is 2", with(ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE, 2));
    OK(with(ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH, 1));
    OK(with(ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, 60));
    FAILS(207000, "dynUBufSize is 1024", with(ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE, 1024));
    FAILS(207000, "isDataDump", with(ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP, 1));
    FAILS(207000, "blockDimOffset", with(ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET, 4));
    FAILS(107000, "attribute id 77", with((aclrtLaunchKernelAttrId)77, 0));
    FAILS(107000, "both a timeout",
          aclrtLaunchKernelWithArgsArray(function("nothing"), 1, NULL, &cfg, NULL));
    FAILS(107000, "reserve must be NULL",
          aclrtLaunchKernelWithConfig(function("nothing"), 1, NULL, NULL, NULL, &cfg));
}

/* ---- loading ---- */

static int load_with(int type, uint32_t value)
{
    aclrtBinaryLoadOption o = {.type = (aclrtBinaryLoadOptionType)type, .value = {.magic = value}};
    aclrtBinaryLoadOptions options = {&o, 1};
    aclrtBinHandle b;
    int rc = aclrtBinaryLoadFromFile(path, &options, &b);

    if (!rc)
        OK(aclrtBinaryUnLoad(b));
    return rc;
}

static void test_load(void)
{
    size_t bytes;
    unsigned char *data = (unsigned char *)read_file(path, &bytes);
    aclrtBinHandle b = NULL, other = NULL;
    aclrtFuncHandle f, g;
    aclrtBinary image;
    int32_t *p = (int32_t *)device(4), back = 0;
    void *args[] = {&p};

    OK(load_with(ACL_RT_BINARY_LOAD_OPT_MAGIC, ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE));
    FAILS(107000, "magic is 0x5", load_with(ACL_RT_BINARY_LOAD_OPT_MAGIC, 5));
    OK(load_with(ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD, 1));
    FAILS(107000, "isLazyLoad is 2", load_with(ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD, 2));
    FAILS(207000, "AI CPU", load_with(ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE, 1));
    FAILS(107000, "type is 9", load_with(9, 1));

    OK(aclrtBinaryLoadFromData(data, bytes, NULL, &b));
    image = aclrtCreateBinary(data, bytes);
    OK(aclrtBinaryLoad(image, &other));
    OK(aclrtDestroyBinary(image));
    FAILS(107000, "no aclrtBinary", aclrtDestroyBinary(image));
    OK(aclrtBinaryGetFunction(b, "entry_20", &f));
    OK(aclrtBinaryGetFunction(other, "entry_120", &g));
    CHECK(f != g);
    OK(aclrtBinaryUnLoad(b));
    FAILS(107000, "its binary was unloaded",
          aclrtLaunchKernelWithArgsArray(f, 1, NULL, NULL, args));
    FAILS(107000, "no loaded binary", aclrtBinaryUnLoad(b));
    FAILS(107000, "no loaded binary", aclrtBinaryGetFunction(b, "mixed", &f));
    OK(aclrtLaunchKernelWithArgsArray(g, 1, NULL, NULL, args));
    OK(aclrtBinaryUnLoad(other)); /* at once: the launch keeps its code */
    OK(aclrtSynchronizeDevice());
    OK(aclrtMemcpy(&back, 4, p, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(back == 120);

    data[bytes / 2] ^= 1;
    FAILS(107000, "it is damaged", aclrtBinaryLoadFromData(data, bytes, NULL, &b));
    FAILS(107000, "an ordinary object", aclrtBinaryLoadFromData(data, bytes - 40, NULL, &b));
    data[18] = 0x29; /* e_machine of another machine */
    data[19] = 0x10;
    FAILS(107000, "instructions of another machine",
          aclrtBinaryLoadFromData(data, bytes - 40, NULL, &b));
    FAILS(107000, "no ELF file", aclrtBinaryLoadFromData("hello", 6, NULL, &b));
    FAILS(107000, "cannot be read", aclrtBinaryLoadFromFile("/nonexistent.o", NULL, &b));
    FAILS(107000, "cannot be read", aclrtBinaryLoadFromFile("/", NULL, &b));
    OK(aclrtFree(p));
    free(data);
}

int main(int argc, char **argv)
{
    path = argv[1];
    OK(aclInit(NULL));
    FAILS(107002, "aclrtSetDevice", argc == 2 ? aclrtBinaryLoadFromFile(path, NULL, &binary) : 0);
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    OK(aclrtBinaryLoadFromFile(path, NULL, &binary));
    test_mixed();
    test_many_lists();
    test_placeholders();
    test_functions();
    test_config();
    OK(aclrtBinaryUnLoad(binary));
    test_load();
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return ended("binary");
}
