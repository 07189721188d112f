"""The driver of reductions: which dims, which dtype, what to do with nothing; then kernels of kernels/reduce.

Note [How dims are reduced] is in reduce_dims.pyx.
"""

from cpython.mem cimport PyMem_Calloc
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t, uint64_t

from wengert_core.dispatch.arguments cimport scalar_name
from wengert_core.dispatch.dispatcher cimport LIVE_BEYOND, dispatch
from wengert_core.dispatch.exact_values cimport is_plain_ints
from wengert_core.dispatch.keep_alive cimport hold_if_large
from wengert_core.dispatch.op cimport K_INTS, K_OPTIONAL, Op, call_bound, op_error
from wengert_core.drivers.kernel_launch cimport add_tensor, tell_kernel
from wengert_core.drivers.out_argument cimport finish_result
from wengert_core.drivers.reduce.reduce_dims cimport accumulator_code, reduce_fresh
from wengert_core.drivers.steps cimport prepare_given_out, record
from wengert_core.dtypes.dtypes cimport (BOOL, CAT_COMPLEX, CAT_FLOAT, CAT_INT, COMPLEX64, COMPLEX128, FLOAT32, FLOAT64,
                                         INT64, N_DTYPES, UINT8, DTypeFacts, code_of, dtype_facts)
from wengert_core.exchange.arrays cimport convert_copy
from wengert_core.exchange.device_memory cimport array_at, put_array
from wengert_core.kernels.reduce.reduce cimport find_reduction
from wengert_core.runtime.config cimport ONLY_REFERENCES
from wengert_core.runtime.launches cimport LAUNCH_DIVIDE, OPERAND_UPDATED, Launch, count_recorders, tell_complete
from wengert_core.runtime.state cimport WG_TELL, thread_state
from wengert_core.runtime.thread_pool cimport LARGE
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor, new_empty

cdef extern from "Python.h":
    bint PyLong_CheckExact(PyObject* o) noexcept
    bint PyIndex_Check(PyObject* o) noexcept
    bint PyBool_Check(PyObject* o) noexcept
    bint PyTuple_Check(PyObject* o) noexcept
    bint PyList_Check(PyObject* o) noexcept

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()
cdef tuple KINDS = ("sum", "mean", "same", "truth", "count")
# The reductions of partial results, where they are no values of the function that is reduced.
cdef dict LATER = {"count": "sum", "nansum": "sum", "square_sum": "sum", "size_sum": "sum", "size_amax": "amax",
                   "size_amin": "amin"}


def configure(Op op, str kernel or None, str kind, dtypes):
    """Make ``op`` a reduction. kernel: a name of kernels/reduce; kind: a word of KINDS."""
    cdef Reduction* r = new_reduction(kernel, KINDS.index(kind))
    cdef int i
    for d in dtypes:
        r.accepts |= 1 << code_of(d)
    r.dim_slot = op.params.index("dim")
    r.keepdim_slot = op.params.index("keepdim")
    r.dtype_slot = op.params.index("dtype") if "dtype" in op.params else -1
    op.data = r
    op.run = reduction_run
    for i in range(2, op.n_params):
        if op.defaults[i] == NULL:     # the shortcuts fill in defaults
            return
    op.call2 = dim_call
    if op.defaults[1] != NULL:
        op.call1 = whole_call


cdef Reduction* new_reduction(str kernel, int kind) except NULL:
    """A record with the kernels of that name."""
    cdef Reduction* r = <Reduction*> PyMem_Calloc(1, sizeof(Reduction))
    cdef int code
    cdef str again = LATER.get(kernel, kernel)
    cdef bytes name = kernel.encode(), later = again.encode()
    if r == NULL:
        raise MemoryError()
    r.kind = kind
    r.dtype_slot = -1
    r.once = again in ("all", "amax", "amin", "any")
    r.repeated = REPEATED_SUM if again == "sum" else REPEATED_PRODUCT if again == "prod" else REPEATED_NOT
    for code in range(N_DTYPES):
        if not ONLY_REFERENCES:
            r.fns[code] = find_reduction(name, code, accumulator_code(r, code))
            r.later[code] = find_reduction(later, code, accumulator_code(r, code))
    return r


# ---- calls

cdef object whole_call(Op op, PyObject* a):
    """op(x): the whole of a contiguous tensor in one go."""
    cdef Reduction* r = <Reduction*> op.data
    cdef PyObject* slots[16]
    cdef Tensor t, out
    cdef uint32_t live
    cdef int i, code
    slots[0] = a
    for i in range(1, op.n_params):
        slots[i] = op.defaults[i]
    if isinstance(<object> a, Tensor):
        t = <Tensor> a
        code = t.code
        live = t.flags & thread_state().modes
        if r.fns[code] != NULL and r.kind <= REDUCE_MEAN and t.flags & TF_CONTIGUOUS and t.count < LARGE \
                and not live & LIVE_BEYOND and FLOAT32 <= code <= COMPLEX128 and r.accepts >> code & 1:
            out = new_empty(code, 0, NULL)
            r.fns[code](t.data, 1, 0, t.count, FACTS.itemsize[code], out.data, 0)
            if r.kind == REDUCE_MEAN:
                divide(out, t.count)
            if live:
                record(op, slots, out, live)
            return out
    return dispatch(op, slots)


cdef object dim_call(Op op, PyObject* a, PyObject* dim):
    """op(x, dim)."""
    cdef PyObject* slots[16]
    cdef int i
    slots[0], slots[1] = a, dim
    for i in range(2, op.n_params):
        slots[i] = op.defaults[i]
    if not (is_plain_ints(dim) and (PyLong_CheckExact(dim) or op.kinds[1] & 63 == K_INTS)) \
            and (dim != <PyObject*> None or not op.kinds[1] & K_OPTIONAL):
        several = op.kinds[1] & 63 == K_INTS
        if isinstance(<object> dim, Tensor) \
                or not (PyIndex_Check(dim) and not PyBool_Check(dim)
                        or several and (PyTuple_Check(dim) or PyList_Check(dim))):
            raise op_error(op, 1, "tuple of ints" if several else "int", dim)
        return call_bound(op, slots, 2, NULL)
    return dispatch(op, slots)


cdef object reduction_run(Op op, PyObject** slots, uint32_t live):
    """Any dims, dtypes, strides; out=."""
    cdef Reduction* r = <Reduction*> op.data
    cdef Tensor t, out
    cdef int code
    cdef uint64_t mask
    if not isinstance(<object> slots[0], Tensor):
        raise op_error(op, 0, "Tensor", slots[0])
    t = <Tensor> slots[0]
    t = hold_if_large(t)
    code = result_code(op, r, t, slots)
    mask = dims_mask(<object> slots[r.dim_slot], t.rank)
    if r.kind == REDUCE_TRUTH and slots[r.dim_slot] != <PyObject*> None and not PyIndex_Check(slots[r.dim_slot]) \
            and not len(<object> slots[r.dim_slot]):
        mask = 0                       # of no dims all and any give the truth of each element, as in torch
    if r.kind == REDUCE_SAME and t.count == 0:
        check_not_empty(op, t, mask, slots)
    t = as_input(r, t, code, slots)
    out = reduce_fresh(op, r, t, mask, <object> slots[r.keepdim_slot])
    if r.kind == REDUCE_MEAN:
        divide(out, reduced_count(t, mask))
    if live & WG_TELL:
        tell_complete(<void*> op)
    return finish_result(op, slots, out, code, live)


# ---- dtypes

# Names of torch's kernels, by which its errors go.
cdef dict LABELS = {"amax": "max_values_cpu", "amin": "min_values_cpu", "_max": "max_all", "_min": "min_all"}


cdef int result_code(Op op, Reduction* r, Tensor t, PyObject** slots) except -1:
    cdef bint asked = r.dtype_slot >= 0 and slots[r.dtype_slot] != <PyObject*> None
    cdef int code = code_of(<object> slots[r.dtype_slot]) if asked else t.code
    if r.kind == REDUCE_MEAN and FACTS.category[code] < CAT_FLOAT:
        raise RuntimeError(f"mean(): could not infer output dtype. {'Optional' if asked else 'Input'} dtype must be "
                           f"either a floating point or complex dtype. Got: {scalar_name(code)}")
    if not r.accepts >> t.code & 1:
        raise NotImplementedError(f"\"{LABELS.get(op.name, op.name + '_cpu')}\" not implemented for "
                                  f"'{scalar_name(t.code)}'")
    if r.kind == REDUCE_TRUTH:
        return UINT8 if t.code == UINT8 else BOOL
    if r.kind == REDUCE_COUNT:
        return INT64
    if not asked and r.kind == REDUCE_SUM and isinstance(<object> prepare_given_out(op, slots), Tensor):
        return result_type_of_out(code, (<Tensor> slots[op.out_slot]).code)
    if asked or r.kind != REDUCE_SUM:
        return code
    return code if FACTS.category[code] >= CAT_FLOAT else INT64


cdef int result_type_of_out(int code, int out) noexcept:
    """A sum into out= has its dtype, if that is not one of real numbers for a complex input."""
    return code if FACTS.category[code] > FACTS.category[out] and FACTS.category[code] > CAT_FLOAT else out


cdef Tensor as_input(Reduction* r, Tensor t, int code, PyObject** slots):
    """The input in the dtype asked for, unless accumulating does that anyway."""
    if r.dtype_slot < 0 or t.code == code or accumulator_code(r, t.code) == code:
        return t
    if FACTS.category[t.code] == CAT_INT and FACTS.category[code] == CAT_INT:
        return t                       # the sum wraps in the same way after as before
    return convert_copy(t, code)


# ---- dims

cdef int wrapped_dim(object dim, int rank) except -1:
    """A dim counted from the front; a tensor without dimensions takes 0 and -1."""
    cdef Py_ssize_t d = dim
    cdef int n = rank if rank else 1
    if d < -n or d >= n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {d})")
    return <int> (d + n if d < 0 else d)


cdef uint64_t dims_mask(object dims, int rank) except? 0:
    """A bit for each dim to reduce: one, several, or all for None and an empty sequence."""
    cdef uint64_t mask = 0
    cdef int d
    if dims is None:
        return (<uint64_t> -1) if rank == 64 else (<uint64_t> 1 << rank) - 1
    if PyIndex_Check(<PyObject*> dims):
        return <uint64_t> 1 << wrapped_dim(dims, rank)
    if not len(dims):
        return dims_mask(None, rank)
    for dim in dims:
        d = wrapped_dim(dim, rank)
        if mask >> d & 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
        mask |= <uint64_t> 1 << d
    return mask


cdef Py_ssize_t reduced_count(Tensor t, uint64_t mask) noexcept:
    """How many elements each result comes from."""
    cdef Py_ssize_t n = 1
    cdef int i
    for i in range(t.rank):
        if mask >> i & 1:
            n *= t.dims[i]
    return n


cdef int check_not_empty(Op op, Tensor t, uint64_t mask, PyObject** slots) except -1:
    """The largest of nothing is an error."""
    cdef int i
    if slots[1] == <PyObject*> None or not PyIndex_Check(slots[1]) and not len(<object> slots[1]):
        raise RuntimeError(f"{op.name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
                           "reduction dim with the 'dim' argument.")
    for i in range(t.rank):
        if mask >> i & 1 and t.dims[i] == 0:
            raise IndexError(f"{op.name}(): Expected reduction dim {i} to have non-zero size.")
    return 0


# ---- means

cdef int run_divide(Launch* launch) noexcept nogil:
    cdef DividePlan* plan = <DividePlan*> launch.plan
    divide_numbers(launch.data[0], plan.code, plan.count, plan.n)
    return 0


cdef int tell_divide(Tensor t, Py_ssize_t n) except -1:
    cdef DividePlan plan
    cdef Launch* made
    plan.count, plan.n, plan.code = t.count, n, t.code
    made = tell_kernel(run_divide, &plan, sizeof(DividePlan))
    made.kind = LAUNCH_DIVIDE
    add_tensor(made, t, OPERAND_UPDATED)
    return 0


cdef int divide(Tensor t, Py_ssize_t n) except -1:
    """t /= n, for a fresh contiguous tensor."""
    if t.device:
        array = array_at(t)
        if t.code != FLOAT32 and t.code != FLOAT64:
            return put_array(array / n, t)
        array /= n
        return 0
    divide_numbers(t.data, t.code, t.count, n)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_divide(t, n)
    return 0


cdef inline void divide_numbers(char* data, int code, Py_ssize_t count, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef float* single = <float*> data
    cdef double* wide = <double*> data
    if FACTS.category[code] == CAT_COMPLEX:
        count *= 2
    if code == FLOAT32 or code == COMPLEX64:
        for i in range(count):
            single[i] = single[i] / <float> n
    else:
        for i in range(count):
            wide[i] = wide[i] / <double> n
