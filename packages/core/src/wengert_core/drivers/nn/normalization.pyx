"""The driver of batch, group and layer normalization, and of their gradient. Note [The layout of normalization] in
kernels/nn/normalization.h: one kernel serves them all.
"""

from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t
from libc.string cimport memset

from wengert_core.dispatch.arguments cimport scalar_name
from wengert_core.dispatch.keep_alive cimport any_large, hold_slots
from wengert_core.dispatch.op cimport Op, op_error
from wengert_core.drivers.kernel_launch cimport add_section, add_tensor, tell_kernel
from wengert_core.drivers.references cimport as_many_into, call_reference, result_list
from wengert_core.drivers.steps cimport record_outputs
from wengert_core.dtypes.dtypes cimport BFLOAT16, CAT_FLOAT, FLOAT16, FLOAT32, DTypeFacts, dtype_facts
from wengert_core.exchange.arrays cimport array_of, contiguous_copy, convert_copy, row_major_as
from wengert_core.exchange.device_memory cimport without_kernels
from wengert_core.exchange.restore_format cimport restore_layout
from wengert_core.runtime.launches cimport OPERAND_READ, OPERAND_WRITTEN, Launch, launch_fn, tell_complete
from wengert_core.runtime.scratch cimport Scratch, scratch
from wengert_core.runtime.state cimport WG_TELL
from wengert_core.runtime.thread_pool cimport LARGE, body_fn, parallel_for
from wengert_core.tensors.tensor cimport Tensor, new_empty, new_like, shape_tuple

cdef extern from "wengert_core/kernels/nn/normalization.h" nogil:
    ctypedef struct wg_norm:
        Py_ssize_t outer, images, groups, channels, size
        const char* x
        const char* grad
        const char* weight
        const char* bias
        char* mean
        char* var
        bint given
        double eps
        char* out
        char* weight_sums
        char* bias_sums
        Py_ssize_t rows_of_part
    void wg_normalize_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_normalize_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_normalize_back_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_normalize_back_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_normalize_back_rows_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_normalize_back_rows_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx)

cdef enum:
    WORTH_A_THREAD = 0x8000            # elements that take about 20 us
    MOST_PARTS = 32                    # sums for weight and bias of their own, where rows are normalized

cdef DTypeFacts* FACTS = dtype_facts()


def configure(Op op, bint backward):
    """Make ``op`` a normalization: (input, weight, bias, mean, var, layout, eps); or the gradient of one:
    (grad_output, input, weight, mean, var, given, layout, eps)."""
    op.run = backward_run if backward else forward_run


cdef inline int computing_code(int code) noexcept:
    return FLOAT32 if code == FLOAT16 or code == BFLOAT16 else code


cdef Tensor operand(Op op, PyObject** slots, int slot, int code):
    """Contiguous in the dtype that is computed in; None where there is none."""
    cdef Tensor t
    if slots[slot] == <PyObject*> None:
        return None
    if not isinstance(<object> slots[slot], Tensor):
        raise op_error(op, slot, "Tensor", slots[slot])
    t = <Tensor> slots[slot]
    return row_major_as(t, code)


cdef int read_layout(Op op, wg_norm* p, object layout, Tensor x, Tensor weight, Tensor bias) except -1:
    memset(p, 0, sizeof(wg_norm))
    p.outer, p.images, p.groups, p.channels, p.size = layout
    if p.outer * p.images * p.groups * p.channels * p.size != x.count \
            or (p.size == 1 and p.channels > 1 and (p.outer != 1 or p.groups != 1)):
        raise RuntimeError(f"{op.name}: the layout {layout} does not fit an input of shape {list(shape_tuple(x))}")
    for t in (weight, bias):
        if t is not None and (<Tensor> t).count != p.groups * p.channels:
            raise RuntimeError(f"{op.name}: the layout {layout} does not fit a weight or bias of shape "
                               f"{list(shape_tuple(t))}")
    return 0


cdef char* data_of(Tensor t) noexcept:
    return NULL if t is None else t.data


cdef void share_out(body_fn body, Py_ssize_t units, Py_ssize_t work, wg_norm* p) noexcept nogil:
    if work >= LARGE:                  # then all is held: is_large
        parallel_for(units, WORTH_A_THREAD * units // work + 1, body, p)
    else:
        body(0, units, p)


cdef bint is_large(Op op, PyObject** slots) noexcept:
    """Return whether computing, or making an argument fit, gives the GIL up."""
    return any_large(op, slots) or 4 * (<Tensor> slots[0]).count >= LARGE


cdef object forward_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor x = <Tensor> slots[0], weight, bias, mean, var, out
    cdef int code = computing_code(x.code)
    cdef PyObject* kept[16]
    cdef PyObject** own = slots
    cdef wg_norm p
    cdef Py_ssize_t units
    if is_large(op, slots):
        _holds, own = hold_slots(op, slots, kept), kept
    x = <Tensor> own[0]
    if FACTS.category[x.code] != CAT_FLOAT:
        raise NotImplementedError(f"\"{op.options['label']}\" not implemented for '{scalar_name(x.code)}': "
                                  "it takes floating tensors")
    weight, bias = operand(op, own, 1, code), operand(op, own, 2, code)
    mean, var = operand(op, own, 3, code), operand(op, own, 4, code)
    read_layout(op, &p, <object> slots[5], x, weight, bias)
    units = p.images * p.groups
    p.given, p.eps = mean is not None, <double> <object> slots[6]
    if p.given and (var is None or mean.count != units or var.count != units):
        raise RuntimeError(f"{op.name}: mean and var must have {units} elements")
    out = new_empty(code, x.rank, x.dims)
    if mean is None:
        mean, var = new_empty(code, 1, &units), new_empty(code, 1, &units)
    if without_kernels():
        by_reference(op, own, [out, mean, var])
    elif units:
        source = operand(op, own, 0, code)
        p.x, p.weight, p.bias, p.out = (<Tensor> source).data, data_of(weight), data_of(bias), out.data
        p.mean, p.var = mean.data, var.data
        if 3 * x.count >= LARGE:
            with nogil:
                normalize(&p, code)
        else:
            normalize(&p, code)
        if live & WG_TELL:
            tell_forward(&p, code, <Tensor> source, weight, bias, mean, var, out)
    out = out if x.code == code else convert_copy(out, x.code)
    if op.options["keeps_layout"]:
        out = restore_layout(x, out)
    return finish_results(op, slots, [out, fresh(mean, own[3]), fresh(var, own[4])], live)


cdef void normalize(wg_norm* p, int code) noexcept nogil:
    cdef Py_ssize_t units = p.images * p.groups
    share_out(wg_normalize_f32 if code == FLOAT32 else wg_normalize_f64, units,
              3 * p.outer * units * p.channels * p.size, p)


cdef Tensor fresh(Tensor t, PyObject* argument):
    """An output is never an argument itself: who writes into that one later must not change what was saved."""
    return contiguous_copy(t) if <PyObject*> t == argument else t


cdef object backward_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor grad = <Tensor> slots[0], x, weight, mean, var, out, by_weight, by_bias
    cdef int code, weight_code
    cdef PyObject* kept[16]
    cdef PyObject** own = slots
    cdef wg_norm p
    cdef Py_ssize_t n_weights, units
    if is_large(op, slots):
        _holds, own = hold_slots(op, slots, kept), kept
    if not isinstance(<object> slots[1], Tensor):
        raise op_error(op, 1, "Tensor", slots[1])
    code = computing_code((<Tensor> own[1]).code)
    if FACTS.category[code] != CAT_FLOAT or (<Tensor> own[1]).count != grad.count:
        raise RuntimeError(f"{op.name}: a gradient of shape {list(shape_tuple(grad))} does not fit an input of "
                           f"{scalar_name(code)}{list(shape_tuple(<Tensor> own[1]))}")
    grad, x, weight = operand(op, own, 0, code), operand(op, own, 1, code), operand(op, own, 2, code)
    mean, var = operand(op, own, 3, code), operand(op, own, 4, code)
    weight_code = (<Tensor> own[1]).code if weight is None else (<Tensor> own[2]).code
    read_layout(op, &p, <object> slots[6], x, weight, None)
    n_weights, units = p.groups * p.channels, p.images * p.groups
    if mean is None or var is None or mean.count != units or var.count != units:
        raise RuntimeError(f"{op.name}: mean and var must have {units} elements")
    out, by_weight, by_bias = new_like(x, code), new_empty(code, 1, &n_weights), new_empty(code, 1, &n_weights)
    p.given, p.eps = <object> slots[5], <double> <object> slots[7]
    if without_kernels():
        by_reference(op, own, [out, by_weight, by_bias])
    else:
        p.x, p.grad, p.weight, p.mean, p.var, p.out = x.data, grad.data, data_of(weight), mean.data, var.data, out.data
        run_back(&p, code, by_weight, by_bias,
                 [x, grad, weight, mean, var, out, by_weight, by_bias] if live & WG_TELL else None)
    return finish_results(op, slots, [convert_copy(t, c) if (<Tensor> t).code != c else t
                                      for t, c in ((out, (<Tensor> own[1]).code), (by_weight, weight_code),
                                                   (by_bias, weight_code))], live)


cdef int run_back(wg_norm* p, int code, Tensor by_weight, Tensor by_bias, list operands) except -1:
    """The kernel, then the sums of its units for weight and bias. operands: of the launch to tell; None: none."""
    cdef Py_ssize_t nbytes
    cdef Scratch memory
    p.rows_of_part = (p.images + MOST_PARTS - 1) // MOST_PARTS or 1
    nbytes = 2 * parts_of(p) * p.groups * p.channels * FACTS.itemsize[code]
    memory = scratch(nbytes)
    if back_work(p) >= LARGE:
        with nogil:
            normalize_back(p, code, memory.data, by_weight.data, by_bias.data)
    else:
        normalize_back(p, code, memory.data, by_weight.data, by_bias.data)
    if operands is not None:
        tell_back(p, code, operands, memory.data, nbytes)
    return 0


cdef inline bint has_rows(wg_norm* p) noexcept nogil:
    return p.size == 1 and p.channels > 1


cdef inline Py_ssize_t parts_of(wg_norm* p) noexcept nogil:
    """The number of sums for weight and bias."""
    return (p.images + p.rows_of_part - 1) // p.rows_of_part if has_rows(p) else p.images


cdef inline Py_ssize_t back_work(wg_norm* p) noexcept nogil:
    return 4 * p.images * p.groups * p.channels * (1 if has_rows(p) else p.outer * p.size)


cdef void normalize_back(wg_norm* p, int code, char* sums, char* by_weight, char* by_bias) noexcept nogil:
    """The sums are added in the order of the units."""
    cdef Py_ssize_t parts = parts_of(p), n = p.groups * p.channels
    p.weight_sums, p.bias_sums = sums, sums + parts * n * FACTS.itemsize[code]
    if has_rows(p):
        share_out(wg_normalize_back_rows_f32 if code == FLOAT32 else wg_normalize_back_rows_f64, parts, back_work(p), p)
    else:
        share_out(wg_normalize_back_f32 if code == FLOAT32 else wg_normalize_back_f64, p.images * p.groups,
                  back_work(p), p)
    if code == FLOAT32:
        add_up[float](<float*> p.weight_sums, parts, n, <float*> by_weight)
        add_up[float](<float*> p.bias_sums, parts, n, <float*> by_bias)
    else:
        add_up[double](<double*> p.weight_sums, parts, n, <double*> by_weight)
        add_up[double](<double*> p.bias_sums, parts, n, <double*> by_bias)


ctypedef fused real_t:
    float
    double


cdef void add_up(real_t* parts, Py_ssize_t n_parts, Py_ssize_t n, real_t* out) noexcept nogil:
    cdef Py_ssize_t i, k
    memset(out, 0, n * sizeof(real_t))
    for i in range(n_parts):
        for k in range(n):
            out[k] += parts[i * n + k]


cdef int by_reference(Op op, PyObject** slots, list outs) except -1:
    cdef int i, code = (<Tensor> outs[0]).code
    arguments = []
    for i in range(op.n_params):
        value = <object> slots[i]
        if isinstance(value, Tensor):
            value = array_of(value if (<Tensor> value).code == code else convert_copy(value, code))
        arguments.append(value)
    return as_many_into(op, result_list(op, call_reference(op, arguments), <int> len(outs)), outs)


cdef object finish_results(Op op, PyObject** slots, list results, uint32_t live):
    """The three results, recorded."""
    cdef PyObject* outs[3]
    cdef int i
    if live & WG_TELL:
        tell_complete(<void*> op)
    for i in range(3):
        outs[i] = <PyObject*> results[i]
    record_outputs(op, slots, outs, 3, live)
    return tuple(results)


# ---- launches

cdef struct NormPlan:
    wg_norm norm
    int code


cdef Launch* new_launch(launch_fn run, wg_norm* p, int code) except NULL:
    cdef NormPlan plan
    plan.norm, plan.code = p[0], code
    return tell_kernel(run, &plan, sizeof(NormPlan))


cdef int tell_forward(
    wg_norm* p, int code, Tensor x, Tensor weight, Tensor bias, Tensor mean, Tensor var, Tensor out
) except -1:
    cdef Launch* made = new_launch(run_forward_launch, p, code)
    cdef int role = OPERAND_READ if p.given else OPERAND_WRITTEN
    add_tensor(made, x, OPERAND_READ)
    add_tensor(made, weight, OPERAND_READ)
    add_tensor(made, bias, OPERAND_READ)
    add_tensor(made, mean, role)
    add_tensor(made, var, role)
    add_tensor(made, out, OPERAND_WRITTEN)
    return 0


cdef int run_forward_launch(Launch* launch) noexcept nogil:
    cdef NormPlan* plan = <NormPlan*> launch.plan
    cdef wg_norm* p = &plan.norm
    p.x, p.weight, p.bias = launch.data[0], launch.data[1], launch.data[2]
    p.mean, p.var, p.out = launch.data[3], launch.data[4], launch.data[5]
    normalize(p, plan.code)
    return 0


cdef int tell_back(wg_norm* p, int code, list operands, char* sums, Py_ssize_t nbytes) except -1:
    """operands: x, grad, weight, mean, var and, written, out, by_weight, by_bias."""
    cdef Launch* made = new_launch(run_back_launch, p, code)
    cdef int i
    for i in range(8):
        add_tensor(made, <Tensor> operands[i], OPERAND_READ if i < 5 else OPERAND_WRITTEN)
    add_section(made, sums, nbytes, OPERAND_WRITTEN)
    return 0


cdef int run_back_launch(Launch* launch) noexcept nogil:
    cdef NormPlan* plan = <NormPlan*> launch.plan
    cdef wg_norm* p = &plan.norm
    p.x, p.grad, p.weight = launch.data[0], launch.data[1], launch.data[2]
    p.mean, p.var, p.out = launch.data[3], launch.data[4], launch.data[5]
    normalize_back(p, plan.code, launch.data[8], launch.data[6], launch.data[7])
    return 0
