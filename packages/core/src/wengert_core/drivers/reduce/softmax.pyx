"""The driver of softmax and log_softmax, and of their gradients from the result.

A kernel normalizes rows of contiguous elements. Along another dim a kernel of columns takes a stripe of some that lie
side by side. Where they are few, or memory has gaps, a copy with the dim last is normalized in place and copied to the
result.
"""

from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.arguments cimport dim_slot, scalar_name
from wengert_core.dispatch.dispatcher cimport dispatch
from wengert_core.dispatch.keep_alive cimport hold_if_large
from wengert_core.dispatch.op cimport Op, call_bound, op_error
from wengert_core.drivers.index.index_iterator cimport as_vector
from wengert_core.drivers.kernel_launch cimport add_tensor, tell_kernel
from wengert_core.drivers.out_argument cimport into_out
from wengert_core.drivers.references cimport call_reference, result_into
from wengert_core.drivers.steps cimport record
from wengert_core.drivers.view.reshape cimport geometry_permute
from wengert_core.dtypes.dtypes cimport BFLOAT16, CAT_FLOAT, FLOAT16, FLOAT32, DTypeFacts, code_of, dtype_facts
from wengert_core.exchange.arrays cimport array_of, convert_copy, copy_into
from wengert_core.exchange.device_memory cimport without_kernels
from wengert_core.kernels.reduce.softmax cimport find_softmax, rows_fn
from wengert_core.runtime.launches cimport OPERAND_READ, OPERAND_WRITTEN, Launch, count_recorders, tell_complete
from wengert_core.runtime.state cimport WG_TELL, thread_state
from wengert_core.runtime.thread_pool cimport GRAIN_ROWS, LARGE, UNIT, parallel_for
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor, new_like, same_shape, shape_tuple

cdef struct Job:                       # rows for several threads
    rows_fn kernel
    char* a
    char* b                            # NULL: none
    char* out
    Py_ssize_t stride                  # from row to row, in bytes
    Py_ssize_t rows                    # or stripes
    Py_ssize_t n                       # elements in a row, or a column
    Py_ssize_t count                   # elements altogether
    Py_ssize_t unit                    # rows in a unit
    Py_ssize_t columns                 # side by side, of n elements; 0: rows

cdef enum:
    STRIPE = 64                        # columns that a kernel takes at a time
    FEWEST = 8                         # columns that it takes well

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()


def configure(Op op, str kernel or None, bint backward):
    """Make ``op`` a softmax op. kernel: its name in kernels/reduce/softmax.pxd."""
    op.impl = kernel.encode()
    op.run = backward_run if backward else forward_run
    if not backward:
        op.call2 = call_two


cdef object call_two(Op op, PyObject* a, PyObject* dim):
    cdef PyObject* slots[4]
    slots[0], slots[1], slots[2], slots[3] = a, dim, <PyObject*> None, <PyObject*> None
    if type(<object> a) is not Tensor or type(<object> dim) is not int:
        return call_bound(op, slots, 2, NULL)
    return dispatch(op, slots)


cdef inline int computing_code(int code) noexcept:
    return FLOAT32 if code == FLOAT16 or code == BFLOAT16 else code


# ---- forward

cdef object forward_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor t = <Tensor> slots[0], out, given
    cdef int dim
    if slots[2] != <PyObject*> None and code_of(<object> slots[2]) != t.code:
        return in_dtype(op, slots)
    dim = dim_slot(op, slots, 1, t.rank)
    if FACTS.category[t.code] != CAT_FLOAT:
        raise NotImplementedError(f"\"{op.name}{'_lastdim' if dim >= t.rank - 1 else ''}_kernel_impl\" not implemented "
                                  f"for '{scalar_name(t.code)}': {op.name} takes floating tensors; give dtype=, "
                                  "or convert with .float()")
    out = normalize(op, hold_if_large(t), None, dim)
    given = into_out(op, slots, out, live)
    if live & WG_TELL:
        tell_complete(<void*> op)
    if given is not None:
        return given
    if live:
        record(op, slots, out, live)
    return out


cdef object in_dtype(Op op, PyObject** slots):
    """The op on its input converted to dtype=, which is a step of its own in the history."""
    cdef PyObject* own[4]
    changed = (<object> slots[0]).to(<object> slots[2])
    own[0], own[1], own[2], own[3] = <PyObject*> changed, slots[1], <PyObject*> None, slots[3]
    return dispatch(op, own)


# ---- gradients

cdef object backward_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor grad, output, out
    cdef int i, dim
    for i in range(2):
        if not isinstance(<object> slots[i], Tensor):
            raise op_error(op, i, "Tensor", slots[i])
    grad, output = <Tensor> slots[0], <Tensor> slots[1]
    grad, output = hold_if_large(grad), hold_if_large(output)
    if not same_shape(grad, output):
        raise RuntimeError(f"{op.name}: the gradient has shape {list(shape_tuple(grad))}, the output "
                           f"{list(shape_tuple(output))}; they must be equal")
    dim = dim_slot(op, slots, 2, output.rank)
    if FACTS.category[output.code] != CAT_FLOAT:
        raise NotImplementedError(f"\"{op.name}\" not implemented for '{scalar_name(output.code)}'")
    out = normalize(op, grad if grad.code == output.code else convert_copy(grad, output.code), output, dim)
    if live:
        if live & WG_TELL:
            tell_complete(<void*> op)
        record(op, slots, out, live)
    return out


# ---- computing

cdef Tensor normalize(Op op, Tensor a, Tensor b, int dim):
    """The kernel on ``a`` (and ``b``, where there is one) along ``dim``, in a's dtype and layout."""
    cdef int code = computing_code(a.code)
    cdef bint last = dim >= a.rank - 1
    cdef Tensor out
    cdef rows_fn kernel = find_softmax(<bytes> op.impl, code)
    if a.count == 0:
        return new_like(a, a.code)
    if kernel == NULL or without_kernels():
        return by_reference(op, a, b, dim)
    if last and a.code == code and a.flags & TF_CONTIGUOUS and (b is None or b.flags & TF_CONTIGUOUS):
        out = new_like(a, code)
        run(kernel, a, b, out)
        return out
    if not last and a.flags & TF_CONTIGUOUS and (b is None or b.flags & TF_CONTIGUOUS) and columns_of(a, dim) >= FEWEST:
        out = softmax_of_columns(find_softmax(<bytes> op.impl + b"_columns", code), a, b, dim, code)
        return out if out.code == a.code else convert_copy(out, a.code)
    return softmax_along_dim(kernel, a, b, dim, code)


cdef Tensor softmax_of_columns(rows_fn kernel, Tensor a, Tensor b, int dim, int code):
    """Contiguous tensors along a dim that is not the last, in the dtype ``code``."""
    cdef Tensor x = a if a.code == code else convert_copy(a, code), out
    cdef Job job
    if b is not None and b.code != code:
        b = convert_copy(b, code)
    out = new_like(x, code) if x is a else x
    job.kernel, job.a, job.b, job.out = kernel, x.data, b.data if b is not None else NULL, out.data
    job.n, job.columns = a.dims[dim], columns_of(a, dim)
    job.stride = job.columns * FACTS.itemsize[code]
    job.rows, job.unit = a.count // (job.n * job.columns) * stripes(job.columns), 1
    finish(&job, x, b, out)
    return out


cdef inline Py_ssize_t columns_of(Tensor a, int dim) noexcept:
    """The number of those that lie side by side in a contiguous tensor."""
    return a.dims[a.rank + dim] // FACTS.itemsize[a.code]


cdef inline Py_ssize_t stripes(Py_ssize_t columns) noexcept nogil:
    return (columns + STRIPE - 1) // STRIPE


cdef Tensor softmax_along_dim(rows_fn kernel, Tensor a, Tensor b, int dim, int code):
    """Any dim, layout and precision: on copies with ``dim`` last."""
    cdef int order[64]
    cdef int i, n = 0
    cdef Tensor out = new_like(a, a.code), rows, other = None
    for i in range(a.rank):
        if i != dim:
            order[n] = i
            n += 1
    order[n] = dim
    rows = convert_copy(geometry_permute(a, order), code) if a.rank else convert_copy(a, code)
    if b is not None:
        other = convert_copy(geometry_permute(b, order), code) if b.rank else convert_copy(b, code)
    run(kernel, rows, other, rows)
    copy_into(geometry_permute(out, order) if a.rank else out, rows)
    return out


cdef int run(rows_fn kernel, Tensor a, Tensor b, Tensor out) except -1:
    """Along the last dim of contiguous tensors of one dtype."""
    cdef Py_ssize_t n = a.dims[a.rank - 1] if a.rank else 1
    cdef Job job
    job.kernel, job.a, job.b, job.out = kernel, a.data, b.data if b is not None else NULL, out.data
    job.n, job.stride, job.columns = n, n * FACTS.itemsize[a.code], 0
    job.rows, job.unit = a.count // n, max(UNIT // n, 1)    # the kernel takes UNIT elements of short rows at a time
    return finish(&job, a, b, out)


cdef int finish(Job* job, Tensor a, Tensor b, Tensor out) except -1:
    """Run a job whose memory belongs to these tensors, and tell who records."""
    job.count = a.count
    if job.count < LARGE:
        run_part(0, job.rows, job)
    else:
        with nogil:
            run_shared(job)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_rows(job, a, b, out)
    return 0


cdef void run_shared(Job* job) noexcept nogil:
    cdef Py_ssize_t width = min(job.columns, STRIPE) if job.columns else job.unit
    parallel_for((job.rows + job.unit - 1) // job.unit, GRAIN_ROWS // (width * job.n), run_units, job)


cdef int tell_rows(Job* job, Tensor a, Tensor b, Tensor out) except -1:
    cdef Launch* made = tell_kernel(run_launch, job, sizeof(Job))
    add_tensor(made, a, OPERAND_READ)
    add_tensor(made, b, OPERAND_READ)
    add_tensor(made, out, OPERAND_WRITTEN)
    return 0


cdef int run_launch(Launch* launch) noexcept nogil:
    cdef Job job = (<Job*> launch.plan)[0]
    job.a, job.b, job.out = launch.data[0], launch.data[1], launch.data[2]
    if job.count < LARGE:
        run_part(0, job.rows, &job)
    else:
        run_shared(&job)
    return 0


cdef void run_units(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    cdef Job* job = <Job*> ctx
    run_part(begin * job.unit, min(end * job.unit, job.rows), job)


cdef inline void run_part(Py_ssize_t begin, Py_ssize_t end, Job* job) noexcept nogil:
    if job.columns:
        run_columns(begin, end, job)
    else:
        run_rows(begin, end, job)


cdef void run_columns(Py_ssize_t begin, Py_ssize_t end, Job* job) noexcept nogil:
    """Stripes, which are counted through all matrices of n lines."""
    cdef Py_ssize_t several = stripes(job.columns), i, first, at
    for i in range(begin, end):
        first = i % several * STRIPE
        at = i // several * job.n * job.stride + first * (job.stride // job.columns)
        job.kernel(job.a + at, job.stride, job.b + at if job.b != NULL else NULL, job.stride, job.out + at, job.stride,
                   job.n, min(<Py_ssize_t> STRIPE, job.columns - first))


cdef inline void run_rows(Py_ssize_t begin, Py_ssize_t end, Job* job) noexcept nogil:
    cdef Py_ssize_t at = begin * job.stride
    cdef bint two = job.b != NULL
    job.kernel(job.a + at, job.stride, job.b + at if two else NULL, job.stride if two else 0, job.out + at, job.stride,
               end - begin, job.n)


cdef Tensor by_reference(Op op, Tensor a, Tensor b, int dim):
    cdef int code = computing_code(a.code)
    cdef Tensor out = new_like(a, a.code)
    arrays = [array_of(t if (<Tensor> t).code == code else convert_copy(t, code)) for t in (a, b) if t is not None]
    if a.rank == 0:
        arrays = [array.reshape(1) for array in arrays]
    result_into(op, call_reference(op, [*arrays, dim]), as_vector(out))
    return out
