/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aten.cpp - torch's CPU kernels behind the C interface of aten.h.
 *
 * Apart, and the only C++ of the runtime, because it is compiled against the torch that is
 * installed. Operators are called by name through the boxed dispatcher, straight into the CPU
 * kernel: no autograd, no Python modes, no mangled names.
 * Rules: no exception leaves a function of the table; the thread's dispatch state is restored on
 * every way out (in TASK_QUEUE_ENABLE=0 it is the user's own thread); a tensor is a view of device
 * memory with its strides and offset and never owns it.
 */
#include "aten.h"
#include <ATen/ScalarOps.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <ATen/core/ivalue.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/version.h>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

/* Of the OpenMP that torch brings; weak, since a build of torch may do without. */
extern "C" {
__attribute__((weak)) void omp_set_num_threads(int n);
__attribute__((weak)) int omp_get_max_threads(void);
}

namespace {

using c10::IValue;
using c10::TypeKind;
using torch::jit::Stack;

const c10::DispatchKeySet cpu_keys(c10::DispatchKey::CPU);

/* Kernels that call others inside see no autograd, autocast, functorch or Python mode. */
struct quiet_dispatch {
    at::AutoGradMode grad{false};
    c10::impl::ForceDispatchKeyGuard guard{local_keys()};

    static const c10::impl::LocalDispatchKeySet &local_keys()
    {
        static const c10::impl::LocalDispatchKeySet keys = [] {
            c10::impl::PODLocalDispatchKeySet pod{};
            pod.set_included(c10::DispatchKeySet(c10::DispatchKey::BackendSelect));
            pod.set_excluded(c10::default_excluded_set | c10::autocast_dispatch_keyset |
                             c10::autograd_dispatch_keyset_with_ADInplaceOrView);
            return c10::impl::LocalDispatchKeySet(pod);
        }();
        return keys;
    }
};

[[noreturn]] void refuse(const std::string &text) { throw std::runtime_error(text); }

/* ---- data types and tensors ---- */

at::ScalarType scalar_type(int dtype)
{
    switch (dtype) {
    case DT_FLOAT:
        return at::kFloat;
    case DT_FLOAT16:
        return at::kHalf;
    case DT_INT8:
        return at::kChar;
    case DT_INT32:
        return at::kInt;
    case DT_UINT8:
        return at::kByte;
    case DT_INT16:
        return at::kShort;
    case DT_UINT16:
        return at::kUInt16;
    case DT_UINT32:
        return at::kUInt32;
    case DT_INT64:
        return at::kLong;
    case DT_UINT64:
        return at::kUInt64;
    case DT_DOUBLE:
        return at::kDouble;
    case DT_BOOL:
        return at::kBool;
    case DT_COMPLEX32:
        return at::kComplexHalf;
    case DT_COMPLEX64:
        return at::kComplexFloat;
    case DT_COMPLEX128:
        return at::kComplexDouble;
    case DT_BF16:
        return at::kBFloat16;
    case DT_FLOAT8_E5M2:
        return at::kFloat8_e5m2;
    case DT_FLOAT8_E4M3FN:
        return at::kFloat8_e4m3fn;
    case DT_FLOAT8_E8M0:
        return at::kFloat8_e8m0fnu;
    default:
        refuse("data type " + std::to_string(dtype) + " has no form in torch");
    }
}

int64_t extent_elements(const aclTensor *t)
{
    int64_t last = t->offset;

    for (uint32_t i = 0; i < t->n_dims; i++) {
        if (t->dim[i] == 0)
            return 0;
        last += (t->dim[i] - 1) * t->stride[i];
    }
    return last + 1;
}

at::Tensor wrap_memory(void *data, size_t bytes, at::ScalarType type)
{
    auto storage = c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), bytes,
                                                         c10::DataPtr(data, c10::Device(c10::kCPU)),
                                                         nullptr, /*resizable=*/false);

    return at::detail::make_tensor<c10::TensorImpl>(c10::Storage(std::move(storage)), cpu_keys,
                                                    c10::scalarTypeToTypeMeta(type));
}

at::Tensor wrap(const aclTensor *t)
{
    const at::ScalarType type = scalar_type(t->dtype);
    const size_t bytes = static_cast<size_t>(extent_elements(t)) * c10::elementSize(type);
    at::Tensor out = wrap_memory(t->data, bytes, type);

    out.unsafeGetTensorImpl()->set_sizes_and_strides({t->dim, t->n_dims}, {t->stride, t->n_dims},
                                                     t->offset);
    return out;
}

/* op-plugin passes an undefined index as an empty tensor of self's type. An empty tensor that can
 * be an index, where it and another index disagree, is such a one too. */
bool is_no_index(const aclTensor *t, const aclTensorList *list)
{
    if (!t)
        return true;
    if (t->n_dims != 1 || t->dim[0] != 0)
        return false;
    if (t->dtype != DT_INT64 && t->dtype != DT_INT32 && t->dtype != DT_BOOL && t->dtype != DT_UINT8)
        return true;
    for (uint64_t i = 0; i < list->n; i++)
        if (list->v[i] && list->v[i] != t && npu_tensor_numel(list->v[i]) > 1)
            return true;
    return false;
}

at::Scalar scalar(const aclScalar *s)
{
    switch (s->dtype) {
    case DT_FLOAT:
    case DT_DOUBLE:
    case DT_FLOAT16:
    case DT_BF16:
        return at::Scalar(s->f);
    case DT_BOOL:
        return at::Scalar(s->i != 0);
    case DT_UINT64:
        return at::Scalar(static_cast<uint64_t>(s->i));
    case DT_COMPLEX64:
    case DT_COMPLEX128:
        return at::Scalar(c10::complex<double>(s->f, s->imag));
    default:
        return at::Scalar(s->i);
    }
}

/* A number as the 0-dim tensor that torch makes of a Python number: it does not raise the type. */
at::Tensor number_tensor(const at::Scalar &s)
{
    at::Tensor t = c10::scalar_to_tensor(s);

    t.unsafeGetTensorImpl()->set_wrapped_number(true);
    return t;
}

/* ---- one argument, from its C form to the type the schema wants ---- */

struct slot {
    TypeKind want = TypeKind::AnyType; /* without Optional; ListType: see element */
    TypeKind element = TypeKind::AnyType;
    bool optional = false, optional_element = false, is_dtype = false, written = false;
    uint8_t how = HOW_CONST, kind = KIND_t, param = 0;
    IValue constant;
    std::vector<std::string> words;
};

struct result {
    uint8_t index, param;
    bool is_list, dynamic;
};

struct bound_op {
    explicit bound_op(c10::OperatorHandle handle) : op(std::move(handle)) {}
    c10::OperatorHandle op;
    std::vector<slot> slots;
    std::vector<result> results;
    bool wide = false, light = false;
};

void describe_type(slot &s, const c10::Argument &arg)
{
    c10::TypePtr type = arg.type(), real = arg.real_type();

    if (type->kind() == TypeKind::OptionalType) {
        s.optional = true;
        type = type->castRaw<c10::OptionalType>()->getElementType();
        real = real->castRaw<c10::OptionalType>()->getElementType();
    }
    s.want = type->kind();
    s.is_dtype = real->kind() == TypeKind::ScalarTypeType;
    if (s.want == TypeKind::ListType) {
        type = type->castRaw<c10::ListType>()->getElementType();
        if (type->kind() == TypeKind::OptionalType) {
            s.optional_element = true;
            type = type->castRaw<c10::OptionalType>()->getElementType();
        }
        s.element = type->kind();
    }
    s.written = arg.alias_info() && arg.alias_info()->isWrite();
}

bool kind_is_int(uint8_t k)
{
    return k == KIND_i64 || k == KIND_i32 || k == KIND_i8 || k == KIND_u64 || k == KIND_bool ||
           k == KIND_dt;
}

bool kind_is_real(uint8_t k) { return k == KIND_double || k == KIND_float; }

/* Can the kind be made into the type at all? Asked once, when a row is bound. */
bool fits(const slot &s)
{
    const uint8_t k = s.kind;

    switch (s.how) {
    case HOW_ITEM:
        return k == KIND_t;
    case HOW_TENSOR:
        return k == KIND_ia && s.want == TypeKind::TensorType;
    case HOW_ENUM:
        return kind_is_int(k) && s.want == TypeKind::StringType;
    case HOW_DTYPE:
        return s.is_dtype && (k == KIND_t || k == KIND_T);
    case HOW_LONG:
        return k == KIND_t && s.want == TypeKind::TensorType;
    case HOW_GIVEN:
        return s.optional && (kind_is_int(k) || kind_is_real(k));
    case HOW_CONST:
        return true;
    default:
        break;
    }
    switch (s.want) {
    case TypeKind::TensorType:
        return k == KIND_t || k == KIND_T || k == KIND_s;
    case TypeKind::NumberType:
        return k == KIND_s || kind_is_int(k) || kind_is_real(k);
    case TypeKind::IntType:
    case TypeKind::BoolType:
        return kind_is_int(k) || k == KIND_s;
    case TypeKind::FloatType:
        return kind_is_real(k) || k == KIND_s;
    case TypeKind::StringType:
        return k == KIND_str;
    case TypeKind::ListType:
        switch (s.element) {
        case TypeKind::TensorType:
            return k == KIND_tl || k == KIND_TL;
        case TypeKind::NumberType:
            return k == KIND_sl;
        case TypeKind::IntType:
            return k == KIND_ia || k == KIND_i64;
        case TypeKind::BoolType:
            return k == KIND_ba;
        case TypeKind::FloatType:
            return k == KIND_fa;
        default:
            return false;
        }
    default:
        return false;
    }
}

IValue list_value(const slot &s, const union npu_arg &a)
{
    switch (s.element) {
    case TypeKind::TensorType:
        if (s.optional_element) {
            c10::List<std::optional<at::Tensor>> out;
            out.reserve(a.tl->n);
            for (uint64_t i = 0; i < a.tl->n; i++)
                out.push_back(is_no_index(a.tl->v[i], a.tl) ? std::optional<at::Tensor>()
                                                            : wrap(a.tl->v[i]));
            return out;
        } else {
            c10::List<at::Tensor> out;
            out.reserve(a.tl->n);
            for (uint64_t i = 0; i < a.tl->n; i++)
                out.push_back(wrap(a.tl->v[i]));
            return out;
        }
    case TypeKind::NumberType: {
        c10::List<at::Scalar> out;
        for (uint64_t i = 0; i < a.sl->n; i++)
            out.push_back(scalar(a.sl->v[i]));
        return out;
    }
    case TypeKind::IntType: {
        c10::List<int64_t> out;
        if (s.kind == KIND_i64) {
            out.push_back(a.i);
            return out;
        }
        out.reserve(a.ia->n);
        for (uint64_t i = 0; i < a.ia->n; i++)
            out.push_back(a.ia->v[i]);
        return out;
    }
    case TypeKind::BoolType: {
        c10::List<bool> out;
        for (uint64_t i = 0; i < a.ba->n; i++)
            out.push_back(a.ba->v[i]);
        return out;
    }
    default: {
        c10::List<double> out;
        for (uint64_t i = 0; i < a.fa->n; i++)
            out.push_back(static_cast<double>(a.fa->v[i]));
        return out;
    }
    }
}

IValue special_value(const slot &s, const union npu_arg &a)
{
    switch (s.how) {
    case HOW_CONST:
        return s.constant;
    case HOW_ITEM:
        return IValue(wrap(a.t).reshape(-1).item());
    case HOW_DTYPE:
        return IValue(static_cast<int64_t>(scalar_type(a.t->dtype)));
    case HOW_LONG:
        return wrap(a.t).to(at::kLong);
    case HOW_GIVEN:
        if (kind_is_int(s.kind))
            return a.i != 0 ? IValue(a.i) : IValue();
        return a.d != 0 ? IValue(a.d) : IValue();
    case HOW_TENSOR: {
        at::Tensor t =
            wrap_memory(const_cast<int64_t *>(a.ia->v), a.ia->n * sizeof(int64_t), at::kLong);
        const int64_t n = static_cast<int64_t>(a.ia->n);
        t.unsafeGetTensorImpl()->set_sizes_contiguous({&n, 1});
        return t;
    }
    default:
        if (a.i < 0 || static_cast<size_t>(a.i) >= s.words.size())
            refuse("value " + std::to_string(a.i) + " of an enumeration of " +
                   std::to_string(s.words.size()) + " words");
        if (s.optional && s.words[static_cast<size_t>(a.i)] == "none")
            return IValue();
        return IValue(s.words[static_cast<size_t>(a.i)]);
    }
}

bool kind_is_pointer(uint8_t k) { return !kind_is_int(k) && !kind_is_real(k); }

IValue value_of(const slot &s, const union npu_arg &a)
{
    if (s.how != HOW_PARAM)
        return special_value(s, a);
    if (kind_is_pointer(s.kind) && !a.p) {
        if (s.want == TypeKind::TensorType && !s.optional)
            return IValue(at::Tensor());
        return IValue();
    }
    switch (s.want) {
    case TypeKind::TensorType:
        return s.kind == KIND_s ? number_tensor(scalar(a.s)) : wrap(a.t);
    case TypeKind::NumberType:
        return s.kind == KIND_s      ? IValue(scalar(a.s))
               : kind_is_int(s.kind) ? IValue(a.i)
                                     : IValue(a.d);
    case TypeKind::IntType:
        if (s.kind == KIND_s)
            return IValue(scalar(a.s).toLong());
        return IValue(s.is_dtype ? static_cast<int64_t>(scalar_type(static_cast<int>(a.i))) : a.i);
    case TypeKind::BoolType:
        return IValue(s.kind == KIND_s ? scalar(a.s).toBool() : a.i != 0);
    case TypeKind::FloatType:
        return IValue(s.kind == KIND_s ? scalar(a.s).toDouble() : a.d);
    case TypeKind::StringType:
        return IValue(std::string(a.str));
    default:
        return list_value(s, a);
    }
}

/* ---- bind ---- */

IValue constant_value(const slot &s, const char *text)
{
    char *end = nullptr;

    if (!strcmp(text, "none"))
        return IValue();
    if (s.want == TypeKind::StringType)
        return IValue(std::string(text));
    if (!strcmp(text, "true") || !strcmp(text, "false"))
        return IValue(text[0] == 't');
    if (!strcmp(text, "[]"))
        return IValue(c10::List<int64_t>());
    if (s.want == TypeKind::BoolType)
        return IValue(strtol(text, &end, 10) != 0);
    if (s.want == TypeKind::FloatType || strchr(text, '.'))
        return IValue(strtod(text, &end));
    const int64_t i = strtoll(text, &end, 10);
    if (s.want == TypeKind::ListType) {
        c10::List<int64_t> one;
        one.push_back(i);
        return IValue(one);
    }
    return IValue(i);
}

std::vector<std::string> words_of(const char *text)
{
    std::vector<std::string> words(1);

    for (; *text; text++) {
        if (*text == ',')
            words.emplace_back();
        else
            words.back() += *text;
    }
    return words;
}

const struct npu_map *map_of(const std::string &arg, const struct npu_map *map, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (map[i].arg && map[i].how < HOW_RESULT && arg == map[i].arg)
            return &map[i];
    return nullptr;
}

slot make_slot(const c10::Argument &arg, const struct npu_param *params, const struct npu_map *m)
{
    slot s;

    describe_type(s, arg);
    if (!m) {
        if (!arg.default_value())
            refuse("schema argument '" + arg.name() + "' has no value");
        s.constant = *arg.default_value();
        return s;
    }
    s.how = m->how;
    s.param = m->param;
    s.kind = m->how == HOW_CONST ? static_cast<uint8_t>(KIND_t) : params[m->param].kind;
    if (m->how == HOW_CONST)
        s.constant = constant_value(s, m->text);
    if (m->how == HOW_ENUM)
        s.words = words_of(m->text);
    if (!fits(s))
        refuse("parameter '" + std::string(params[s.param].name) +
               "' cannot become schema argument '" + arg.name() + "'");
    return s;
}

c10::OperatorHandle find_schema(const char *schema)
{
    const char *name_end = strchr(strchr(schema, ':') ? schema : "", '.');
    const std::string name = name_end ? std::string(schema, name_end) : std::string(schema);
    auto op = c10::Dispatcher::singleton().findSchema({name, name_end ? name_end + 1 : ""});

    if (!op)
        refuse(std::string("torch ") + TORCH_VERSION + " has no operator " + schema);
    return *op;
}

void check_map_names(const c10::FunctionSchema &schema, const struct npu_map *map, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!map[i].arg || map[i].how >= HOW_RESULT)
            continue;
        bool known = false;
        for (const auto &arg : schema.arguments())
            known = known || arg.name() == map[i].arg;
        if (!known)
            refuse("the schema has no argument '" + std::string(map[i].arg) + "'");
    }
}

std::unique_ptr<bound_op> bind_row(const char *name, const struct npu_param *params,
                                   const struct npu_map *map, size_t n, unsigned flags)
{
    auto b = std::make_unique<bound_op>(find_schema(name));
    const c10::FunctionSchema &schema = b->op.schema();

    check_map_names(schema, map, n);
    for (const auto &arg : schema.arguments())
        b->slots.push_back(make_slot(arg, params, map_of(arg.name(), map, n)));
    for (size_t i = 0; i < n; i++) {
        if (map[i].how != HOW_RESULT && map[i].how != HOW_DYNAMIC)
            continue;
        if (map[i].result >= schema.returns().size())
            refuse("the schema has no result " + std::to_string(map[i].result));
        b->results.push_back({map[i].result, map[i].param, params[map[i].param].kind == KIND_TL,
                              map[i].how == HOW_DYNAMIC});
    }
    b->wide = (flags & ROW_WIDE) != 0;
    b->light = (flags & ROW_LIGHT) != 0;
    return b;
}

/* ---- run ---- */

std::string shape_text(c10::IntArrayRef sizes)
{
    std::string text = "[";

    for (size_t i = 0; i < sizes.size(); i++)
        text += (i ? ", " : "") + std::to_string(sizes[i]);
    return text + "]";
}

void take_shape(aclTensor *out, const at::Tensor &value)
{
    int64_t stride = 1;

    if (value.dim() > NPU_MAX_DIMS)
        refuse("a result of " + std::to_string(value.dim()) + " dimensions");
    out->n_dims = static_cast<uint32_t>(value.dim());
    for (int64_t i = value.dim(); i-- > 0;) {
        out->dim[i] = value.size(i);
        out->stride[i] = stride;
        stride *= value.size(i);
    }
}

void store(const at::Tensor &value, const aclTensor *out, bool dynamic)
{
    if (!out || !value.defined())
        return;
    if (dynamic)
        take_shape(const_cast<aclTensor *>(out), value);
    at::Tensor to = wrap(out);
    /* Statistics that torch leaves empty in eval mode stay what the caller made them, and an output
     * without elements is how torch_npu says that it does not want this result. */
    if (!dynamic && (value.numel() == 0) != (to.numel() == 0))
        return;
    if (value.sizes() == to.sizes()) {
        to.copy_(value);
        return;
    }
    if (value.numel() != to.numel())
        refuse("the result has shape " + shape_text(value.sizes()) + ", the output " +
               shape_text(to.sizes()));
    to.copy_(value.reshape(to.sizes()));
}

void store_results(const bound_op &b, const Stack &stack, const union npu_arg *args)
{
    for (const result &r : b.results) {
        if (!r.is_list) {
            store(stack[r.index].toTensor(), args[r.param].t, r.dynamic);
            continue;
        }
        const c10::List<at::Tensor> list = stack[r.index].toTensorList();
        const aclTensorList *out = args[r.param].tl;
        if (list.size() != out->n)
            refuse("the result has " + std::to_string(list.size()) + " tensors, the output " +
                   std::to_string(out->n));
        for (uint64_t i = 0; i < out->n; i++)
            store(list[i], out->v[i], r.dynamic);
    }
}

/* Half arguments as float ones; written ones are remembered to be rounded back. */
struct widened {
    std::vector<std::pair<at::Tensor, at::Tensor>> back; /* half, float */

    void widen(const bound_op &b, Stack &stack)
    {
        const int64_t half = static_cast<int64_t>(at::kHalf),
                      wide = static_cast<int64_t>(at::kFloat);

        for (size_t i = 0; i < stack.size(); i++) {
            if (b.slots[i].is_dtype && stack[i].isInt() && stack[i].toInt() == half)
                stack[i] = wide;
            if (!stack[i].isTensor() || !stack[i].toTensor().defined() ||
                stack[i].toTensor().scalar_type() != at::kHalf)
                continue;
            at::Tensor t = stack[i].toTensor(), w = t.to(at::kFloat);
            if (b.slots[i].written)
                back.emplace_back(std::move(t), w);
            stack[i] = std::move(w);
        }
    }
    void narrow()
    {
        for (auto &pair : back)
            pair.first.copy_(pair.second);
    }
};

/* Torch splits an elementwise operator from 32768 elements on. Beside the user's thread and that of
 * torch_npu's queue, a second worker then waits for a core longer than the work takes (64K
 * elements: 15 us alone, 30 to 260 us with a second thread on two cores). The limit belongs to this
 * thread. */
class one_thread {
    static constexpr int64_t small_elements = 1 << 17;
    int before = 0;

public:
    one_thread(const bound_op &b, const Stack &stack, bool beside)
    {
        if (!beside || !b.light || !omp_set_num_threads || !omp_get_max_threads)
            return;
        for (const IValue &v : stack)
            if (v.isTensor() && v.toTensor().defined() && v.toTensor().numel() > small_elements)
                return;
        before = omp_get_max_threads();
        if (before > 1)
            omp_set_num_threads(1);
    }
    ~one_thread()
    {
        if (before > 1)
            omp_set_num_threads(before);
    }
    one_thread(const one_thread &) = delete;
    one_thread &operator=(const one_thread &) = delete;
};

/* An out= operator that found another shape has left memory that the caller never sees. */
void check_written(const slot &s, const at::Tensor &t, const union npu_arg &a)
{
    if (s.how == HOW_PARAM && a.t && t.sizes() != c10::IntArrayRef(a.t->dim, a.t->n_dims))
        refuse("the result has shape " + shape_text(t.sizes()) + ", the output " +
               shape_text({a.t->dim, a.t->n_dims}));
}

void run_row(const bound_op &b, const union npu_arg *args, bool beside)
{
    const quiet_dispatch quiet;
    Stack stack;
    widened wide;

    stack.reserve(b.slots.size());
    for (const slot &s : b.slots)
        stack.push_back(value_of(s, args[s.param]));
    if (b.wide)
        wide.widen(b, stack);
    at::Tensor written;
    const slot *written_slot = nullptr;
    if (!b.wide && b.results.empty()) {
        for (size_t i = stack.size(); i-- > 0 && !written_slot;) {
            if (b.slots[i].written && b.slots[i].want == TypeKind::TensorType) {
                written = stack[i].toTensor();
                written_slot = &b.slots[i];
            }
        }
    }
    {
        const one_thread serial(b, stack, beside);
        b.op.redispatchBoxed(cpu_keys, &stack);
    }
    if (written_slot)
        check_written(*written_slot, written, args[written_slot->param]);
    wide.narrow();
    store_results(b, stack, args);
}

/* The text of the exception in flight, without torch's stack trace. */
void exception_text(char *text, size_t n)
{
    try {
        throw;
    } catch (const c10::Error &e) {
        snprintf(text, n, "%s", e.what_without_backtrace());
    } catch (const std::exception &e) {
        snprintf(text, n, "%s", e.what());
    } catch (...) {
        snprintf(text, n, "an exception that is not a std::exception");
    }
}

int bind(const char *schema, const struct npu_param *params, const struct npu_map *map,
         size_t n_maps, unsigned flags, void **bound, char *text, size_t text_bytes)
{
    try {
        *bound = bind_row(schema, params, map, n_maps, flags).release();
        return 0;
    } catch (...) {
        exception_text(text, text_bytes);
        return 1;
    }
}

int run(void *bound, const union npu_arg *args, bool beside, char *text, size_t text_bytes)
{
    try {
        run_row(*static_cast<const bound_op *>(bound), args, beside);
        return 0;
    } catch (...) {
        exception_text(text, text_bytes);
        return 1;
    }
}

} // namespace

/* ---- natives: numbered values ---- */

struct npu_aten_ctx {
    quiet_dispatch quiet;
    std::vector<IValue> values;
    bool has_failed = false;
    std::string text;
    std::vector<at::Tensor> kept; /* what data() handed out */
};

namespace {

template <class F> int guarded(npu_aten_ctx *c, F body)
{
    if (c->has_failed)
        return -1;
    try {
        return body();
    } catch (...) {
        char text[1024];
        exception_text(text, sizeof text);
        c->has_failed = true;
        c->text = text;
        return -1;
    }
}

int push(npu_aten_ctx *c, IValue v)
{
    c->values.push_back(std::move(v));
    return static_cast<int>(c->values.size()) - 1;
}

npu_aten_ctx *begin() { return new npu_aten_ctx; }

int ctx_tensor(npu_aten_ctx *c, const aclTensor *t)
{
    return guarded(c, [&] { return push(c, t ? IValue(wrap(t)) : IValue()); });
}

int ctx_blob(npu_aten_ctx *c, void *data, int dtype, const int64_t *dim, uint32_t n_dims)
{
    return guarded(c, [&] {
        const at::ScalarType type = scalar_type(dtype);
        int64_t n = 1;
        for (uint32_t i = 0; i < n_dims; i++)
            n *= dim[i];
        at::Tensor t = wrap_memory(data, static_cast<size_t>(n) * c10::elementSize(type), type);
        t.unsafeGetTensorImpl()->set_sizes_contiguous({dim, n_dims});
        return push(c, std::move(t));
    });
}

const IValue &value_at(npu_aten_ctx *c, int64_t i)
{
    if (i < 0 || static_cast<size_t>(i) >= c->values.size())
        refuse("no value " + std::to_string(i));
    return c->values[static_cast<size_t>(i)];
}

IValue native_list(npu_aten_ctx *c, const struct npu_value &v, const slot &s)
{
    const auto *ref = static_cast<const int *>(v.p);

    if (s.optional_element) {
        c10::List<std::optional<at::Tensor>> out;
        for (int64_t i = 0; i < v.i; i++) {
            const IValue &one = value_at(c, ref[i]);
            out.push_back(one.isNone() ? std::optional<at::Tensor>() : one.toTensor());
        }
        return out;
    }
    c10::List<at::Tensor> out;
    for (int64_t i = 0; i < v.i; i++)
        out.push_back(value_at(c, ref[i]).toTensor());
    return out;
}

IValue native_value(npu_aten_ctx *c, const struct npu_value &v, const slot &s)
{
    switch (v.kind) {
    case npu_value::V_NONE:
        return s.optional ? IValue() : IValue(at::Tensor());
    case npu_value::V_REF: {
        const IValue &one = value_at(c, v.i);
        return one.isNone() && !s.optional ? IValue(at::Tensor()) : one;
    }
    case npu_value::V_INT:
        if (s.want == TypeKind::FloatType)
            return IValue(static_cast<double>(v.i));
        if (s.want == TypeKind::TensorType)
            return number_tensor(at::Scalar(v.i));
        if (s.want == TypeKind::ListType)
            return IValue(c10::List<int64_t>({v.i}));
        return IValue(v.i);
    case npu_value::V_DOUBLE:
        return s.want == TypeKind::TensorType ? IValue(number_tensor(at::Scalar(v.d)))
                                              : IValue(v.d);
    case npu_value::V_BOOL:
        return IValue(v.i != 0);
    case npu_value::V_DTYPE:
        return IValue(static_cast<int64_t>(scalar_type(static_cast<int>(v.i))));
    case npu_value::V_SCALAR: {
        const at::Scalar number = scalar(static_cast<const aclScalar *>(v.p));
        return s.want == TypeKind::TensorType ? IValue(number_tensor(number)) : IValue(number);
    }
    case npu_value::V_TEXT:
        return IValue(std::string(static_cast<const char *>(v.p)));
    case npu_value::V_LIST:
        return native_list(c, v, s);
    default: {
        const auto *ints = static_cast<const int64_t *>(v.p);
        if (s.element == TypeKind::BoolType) {
            c10::List<bool> flags;
            for (int64_t i = 0; i < v.i; i++)
                flags.push_back(ints[i] != 0);
            return flags;
        }
        c10::List<int64_t> out;
        for (int64_t i = 0; i < v.i; i++)
            out.push_back(ints[i]);
        return out;
    }
    }
}

/* A schema with the types of its arguments, found once a thread. Names are string literals. */
const bound_op &known_schema(const char *schema)
{
    static thread_local std::unordered_map<std::string, std::unique_ptr<bound_op>> known;
    std::unique_ptr<bound_op> &b = known[schema];

    if (b)
        return *b;
    auto made = std::make_unique<bound_op>(find_schema(schema));
    for (const auto &arg : made->op.schema().arguments()) {
        slot s;
        describe_type(s, arg);
        if (arg.default_value())
            s.constant = *arg.default_value();
        made->slots.push_back(std::move(s));
    }
    b = std::move(made);
    return *b;
}

int ctx_call(npu_aten_ctx *c, const char *schema, const struct npu_value *v, size_t n)
{
    return guarded(c, [&] {
        const bound_op &b = known_schema(schema);
        Stack stack;

        if (n > b.slots.size())
            refuse(std::string(schema) + " takes fewer arguments");
        stack.reserve(b.slots.size());
        for (size_t i = 0; i < b.slots.size(); i++)
            stack.push_back(i < n ? native_value(c, v[i], b.slots[i]) : b.slots[i].constant);
        b.op.redispatchBoxed(cpu_keys, &stack);
        const int first = static_cast<int>(c->values.size());
        for (IValue &r : stack) {
            if (r.isTensorList()) {
                const c10::List<at::Tensor> list = r.toTensorList();
                for (size_t i = 0; i < list.size(); i++)
                    push(c, list.get(i));
                continue;
            }
            push(c, std::move(r));
        }
        return first;
    });
}

void ctx_store(npu_aten_ctx *c, int v, aclTensor *out, bool dynamic)
{
    guarded(c, [&] {
        if (out && !value_at(c, v).isNone())
            store(value_at(c, v).toTensor(), out, dynamic);
        return 0;
    });
}

const void *ctx_data(npu_aten_ctx *c, int v, int dtype)
{
    const void *data = nullptr;

    guarded(c, [&] {
        c->kept.push_back(value_at(c, v).toTensor().to(scalar_type(dtype)).contiguous());
        data = c->kept.back().const_data_ptr();
        return 0;
    });
    return data;
}

int ctx_n_dims(npu_aten_ctx *c, int v)
{
    return guarded(c, [&] { return static_cast<int>(value_at(c, v).toTensor().dim()); });
}

int64_t ctx_size(npu_aten_ctx *c, int v, int dim)
{
    int64_t size = 0;

    guarded(c, [&] {
        size = value_at(c, v).toTensor().size(dim);
        return 0;
    });
    return size;
}

void ctx_fail(npu_aten_ctx *c, const char *text)
{
    if (c->has_failed)
        return;
    c->has_failed = true;
    c->text = text;
}

bool ctx_failed(npu_aten_ctx *c) { return c->has_failed; }

int ctx_end(npu_aten_ctx *c, char *text, size_t text_bytes)
{
    const bool failed = c->has_failed;

    if (failed)
        snprintf(text, text_bytes, "%s", c->text.c_str());
    delete c;
    return failed;
}

const char *torch_version() { return TORCH_VERSION; }

} // namespace

const struct npu_aten npu_aten_table = {
    bind,     run,        begin,    ctx_tensor, ctx_blob,   ctx_call, ctx_store,
    ctx_data, ctx_n_dims, ctx_size, ctx_fail,   ctx_failed, ctx_end,  torch_version,
};
