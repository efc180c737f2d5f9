/* SPDX-License-Identifier: Apache-2.0 */
/*
 * acl_base.h - types and numbers that every acl call shares.
 *
 * Every function returns an aclError: ACL_SUCCESS, or a number from below or from
 * error_codes/rt_error_codes.h, with a sentence that says why in aclGetRecentErrMsg().
 */
#ifndef NPUTWIN_ACL_BASE_H
#define NPUTWIN_ACL_BASE_H
#include <stddef.h>
#include <stdint.h>
#include "error_codes/rt_error_codes.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ACL_FUNC_VISIBILITY __attribute__((visibility("default")))

typedef int aclError;
typedef uint16_t aclFloat16;
typedef void *aclrtStream;
typedef void *aclrtEvent;
typedef void *aclrtContext;
typedef struct aclDataBuffer aclDataBuffer;
typedef struct aclTensorDesc aclTensorDesc;

/* ---- errors of the acl layer itself ---- */
#define ACL_ERROR_NONE                            0
#define ACL_SUCCESS                               0
#define ACL_ERROR_INVALID_PARAM                   100000
#define ACL_ERROR_UNINITIALIZE                    100001
#define ACL_ERROR_REPEAT_INITIALIZE               100002
#define ACL_ERROR_INVALID_FILE                    100003
#define ACL_ERROR_WRITE_FILE                      100004
#define ACL_ERROR_INVALID_FILE_SIZE               100005
#define ACL_ERROR_PARSE_FILE                      100006
#define ACL_ERROR_FILE_MISSING_ATTR               100007
#define ACL_ERROR_FILE_ATTR_INVALID               100008
#define ACL_ERROR_INVALID_DUMP_CONFIG             100009
#define ACL_ERROR_INVALID_PROFILING_CONFIG        100010
#define ACL_ERROR_INVALID_MODEL_ID                100011
#define ACL_ERROR_DESERIALIZE_MODEL               100012
#define ACL_ERROR_PARSE_MODEL                     100013
#define ACL_ERROR_READ_MODEL_FAILURE              100014
#define ACL_ERROR_MODEL_SIZE_INVALID              100015
#define ACL_ERROR_MODEL_MISSING_ATTR              100016
#define ACL_ERROR_MODEL_INPUT_NOT_MATCH           100017
#define ACL_ERROR_MODEL_OUTPUT_NOT_MATCH          100018
#define ACL_ERROR_MODEL_NOT_DYNAMIC               100019
#define ACL_ERROR_OP_TYPE_NOT_MATCH               100020
#define ACL_ERROR_OP_INPUT_NOT_MATCH              100021
#define ACL_ERROR_OP_OUTPUT_NOT_MATCH             100022
#define ACL_ERROR_OP_ATTR_NOT_MATCH               100023
#define ACL_ERROR_OP_NOT_FOUND                    100024
#define ACL_ERROR_OP_LOAD_FAILED                  100025
#define ACL_ERROR_UNSUPPORTED_DATA_TYPE           100026
#define ACL_ERROR_FORMAT_NOT_MATCH                100027
#define ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED     100028
#define ACL_ERROR_KERNEL_NOT_FOUND                100029
#define ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED 100030
#define ACL_ERROR_KERNEL_ALREADY_REGISTERED       100031
#define ACL_ERROR_INVALID_QUEUE_ID                100032
#define ACL_ERROR_REPEAT_SUBSCRIBE                100033
#define ACL_ERROR_STREAM_NOT_SUBSCRIBE            100034
#define ACL_ERROR_THREAD_NOT_SUBSCRIBE            100035
#define ACL_ERROR_WAIT_CALLBACK_TIMEOUT           100036
#define ACL_ERROR_REPEAT_FINALIZE                 100037
#define ACL_ERROR_NOT_STATIC_AIPP                 100038
#define ACL_ERROR_COMPILING_STUB_MODE             100039
#define ACL_ERROR_GROUP_NOT_SET                   100040
#define ACL_ERROR_GROUP_NOT_CREATE                100041
#define ACL_ERROR_PROF_ALREADY_RUN                100042
#define ACL_ERROR_PROF_NOT_RUN                    100043
#define ACL_ERROR_DUMP_ALREADY_RUN                100044
#define ACL_ERROR_DUMP_NOT_RUN                    100045
#define ACL_ERROR_PROF_REPEAT_SUBSCRIBE           148046
#define ACL_ERROR_PROF_API_CONFLICT               148047
#define ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG  148048
#define ACL_ERROR_INVALID_OPP_PATH                148049
#define ACL_ERROR_OP_UNSUPPORTED_DYNAMIC          148050
#define ACL_ERROR_RELATIVE_RESOURCE_NOT_CLEARED   148051
#define ACL_ERROR_UNSUPPORTED_JPEG                148052
#define ACL_ERROR_INVALID_BUNDLE_MODEL_ID         148053
#define ACL_ERROR_BAD_ALLOC                       200000
#define ACL_ERROR_API_NOT_SUPPORT                 200001
#define ACL_ERROR_INVALID_DEVICE                  200002
#define ACL_ERROR_MEMORY_ADDRESS_UNALIGNED        200003
#define ACL_ERROR_RESOURCE_NOT_MATCH              200004
#define ACL_ERROR_INVALID_RESOURCE_HANDLE         200005
#define ACL_ERROR_FEATURE_UNSUPPORTED             200006
#define ACL_ERROR_PROF_MODULES_UNSUPPORTED        200007
#define ACL_ERROR_STORAGE_OVER_LIMIT              300000
#define ACL_ERROR_INTERNAL_ERROR                  500000
#define ACL_ERROR_FAILURE                         500001
#define ACL_ERROR_GE_FAILURE                      500002
#define ACL_ERROR_RT_FAILURE                      500003
#define ACL_ERROR_DRV_FAILURE                     500004
#define ACL_ERROR_PROFILING_FAILURE               500005

/* ---- tensors ---- */
typedef enum aclDataType {
    ACL_DT_UNDEFINED = -1,
#define DATA_TYPE(number, name, bytes, class, text) ACL_##name = number,
#include "data_types.def"
} aclDataType;

typedef enum aclFormat {
    ACL_FORMAT_UNDEFINED = -1,
    ACL_FORMAT_NCHW = 0,
    ACL_FORMAT_NHWC = 1,
    ACL_FORMAT_ND = 2,
    ACL_FORMAT_NC1HWC0 = 3,
    ACL_FORMAT_FRACTAL_Z = 4,
    ACL_FORMAT_NC1HWC0_C04 = 12,
    ACL_FORMAT_HWCN = 16,
    ACL_FORMAT_NDHWC = 27,
    ACL_FORMAT_FRACTAL_NZ = 29,
    ACL_FORMAT_NCDHW = 30,
    ACL_FORMAT_NDC1HWC0 = 32,
    ACL_FRACTAL_Z_3D = 33,
    ACL_FORMAT_NC = 35,
    ACL_FORMAT_NCL = 47,
    ACL_FORMAT_FRACTAL_NZ_C0_16 = 50,
    ACL_FORMAT_FRACTAL_NZ_C0_32 = 51,
    ACL_FORMAT_FRACTAL_NZ_C0_2 = 52,
    ACL_FORMAT_FRACTAL_NZ_C0_4 = 53,
    ACL_FORMAT_FRACTAL_NZ_C0_8 = 54
} aclFormat;

typedef enum aclMemType {
    ACL_MEMTYPE_DEVICE = 0,
    ACL_MEMTYPE_HOST = 1,
    ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT = 2
} aclMemType;

/* ---- settings and questions ---- */
typedef enum aclLogLevel { ACL_DEBUG, ACL_INFO, ACL_WARNING, ACL_ERROR } aclLogLevel;
typedef enum aclSysParamOpt {
    ACL_OPT_DETERMINISTIC,
    ACL_OPT_ENABLE_DEBUG_KERNEL,
    ACL_OPT_STRONG_CONSISTENCY
} aclSysParamOpt;
typedef enum aclCannAttr {
    ACL_CANN_ATTR_UNDEFINED = -1,
    ACL_CANN_ATTR_INF_NAN,
    ACL_CANN_ATTR_BF16,
    ACL_CANN_ATTR_JIT_COMPILE
} aclCannAttr;
typedef enum aclDeviceInfo {
    ACL_DEVICE_INFO_UNDEFINED = -1,
    ACL_DEVICE_INFO_AI_CORE_NUM,
    ACL_DEVICE_INFO_VECTOR_CORE_NUM,
    ACL_DEVICE_INFO_L2_SIZE
} aclDeviceInfo;

/* The SoC that this process sees, "Ascend910B2". Never freed. */
ACL_FUNC_VISIBILITY const char *aclrtGetSocName(void);
ACL_FUNC_VISIBILITY aclError aclGetCannAttributeList(const aclCannAttr **attrs, size_t *n);
ACL_FUNC_VISIBILITY aclError aclGetCannAttribute(aclCannAttr attr, int32_t *value);
ACL_FUNC_VISIBILITY aclError aclGetDeviceCapability(uint32_t device, aclDeviceInfo info,
                                                    int64_t *value);
ACL_FUNC_VISIBILITY float aclFloat16ToFloat(aclFloat16 value);
ACL_FUNC_VISIBILITY aclFloat16 aclFloatToFloat16(float value);
/* Bytes of one element; 0 for types without a whole number of bytes. */
ACL_FUNC_VISIBILITY size_t aclDataTypeSize(aclDataType type);

/* A line for the process log (ASCEND_PROCESS_LOG_PATH, ASCEND_GLOBAL_LOG_LEVEL). */
ACL_FUNC_VISIBILITY void aclAppLog(aclLogLevel level, const char *func, const char *file,
                                   uint32_t line, const char *fmt, ...);
#define ACL_APP_LOG(level, fmt, ...)                                                               \
    aclAppLog(level, __FUNCTION__, __FILE__, __LINE__, fmt, ##__VA_ARGS__)

/* ---- data buffers: a pointer and a length, both the caller's ---- */
ACL_FUNC_VISIBILITY aclDataBuffer *aclCreateDataBuffer(void *data, size_t size);
ACL_FUNC_VISIBILITY aclError aclDestroyDataBuffer(const aclDataBuffer *buffer);
ACL_FUNC_VISIBILITY aclError aclUpdateDataBuffer(aclDataBuffer *buffer, void *data, size_t size);
ACL_FUNC_VISIBILITY void *aclGetDataBufferAddr(const aclDataBuffer *buffer);
ACL_FUNC_VISIBILITY uint32_t aclGetDataBufferSize(const aclDataBuffer *buffer);
ACL_FUNC_VISIBILITY size_t aclGetDataBufferSizeV2(const aclDataBuffer *buffer);

/* ---- tensor descriptions ---- */
ACL_FUNC_VISIBILITY aclTensorDesc *aclCreateTensorDesc(aclDataType type, int n_dims,
                                                       const int64_t *dims, aclFormat format);
ACL_FUNC_VISIBILITY void aclDestroyTensorDesc(const aclTensorDesc *desc);
ACL_FUNC_VISIBILITY aclDataType aclGetTensorDescType(const aclTensorDesc *desc);
ACL_FUNC_VISIBILITY aclFormat aclGetTensorDescFormat(const aclTensorDesc *desc);
ACL_FUNC_VISIBILITY size_t aclGetTensorDescSize(const aclTensorDesc *desc);
ACL_FUNC_VISIBILITY size_t aclGetTensorDescElementCount(const aclTensorDesc *desc);
ACL_FUNC_VISIBILITY size_t aclGetTensorDescNumDims(const aclTensorDesc *desc);
ACL_FUNC_VISIBILITY int64_t aclGetTensorDescDim(const aclTensorDesc *desc, size_t index);
ACL_FUNC_VISIBILITY aclError aclGetTensorDescDimV2(const aclTensorDesc *desc, size_t index,
                                                   int64_t *dim);
ACL_FUNC_VISIBILITY void aclSetTensorDescName(aclTensorDesc *desc, const char *name);
ACL_FUNC_VISIBILITY const char *aclGetTensorDescName(aclTensorDesc *desc);
ACL_FUNC_VISIBILITY aclError aclSetTensorFormat(aclTensorDesc *desc, aclFormat format);
ACL_FUNC_VISIBILITY aclError aclSetTensorShape(aclTensorDesc *desc, int n_dims,
                                               const int64_t *dims);
ACL_FUNC_VISIBILITY aclError aclSetTensorConst(aclTensorDesc *desc, void *data, size_t length);
ACL_FUNC_VISIBILITY aclError aclSetTensorPlaceMent(aclTensorDesc *desc, aclMemType type);
ACL_FUNC_VISIBILITY aclError aclSetTensorDynamicInput(aclTensorDesc *desc, const char *name);

#ifdef __cplusplus
}
#endif
#endif
