"""The driver of reductions: which dims, which dtype, what to do with nothing; then kernels of kernels/reduce.

Note [How dims are reduced]
    Kept dims are merged where they are one stretch in the input; reduced dims are sorted by stride first, so that a
    full reduction of a transposed tensor is one pass over its memory. A kernel takes one kept and one reduced dim;
    further kept dims are an outer loop, further reduced dims a further pass over the (much smaller) partial results.
    Nothing is copied. Many kept elements are shared out among threads. A long reduced dim with few kept elements is
    reduced in sections, which are shared out, and the sections' results once more; sections depend on the shape alone.
    float16 and bfloat16 accumulate in float32 and are rounded once, at the end.
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
from wengert_core.drivers.reduce.reduce_pass cimport (Axis, in_sections, is_long, magnitude, run_large_pass, run_pass,
                                                      tell_pass)
from wengert_core.drivers.references cimport call_reference, check_kind, check_shape, result_array
from wengert_core.drivers.steps cimport prepare_given_out, record
from wengert_core.dtypes.dtypes cimport (BFLOAT16, BOOL, CAT_COMPLEX, CAT_FLOAT, CAT_INT, COMPLEX64, COMPLEX128,
                                         FLOAT16, FLOAT32, FLOAT64, INT64, N_DTYPES, UINT8, DTypeFacts, code_of,
                                         dtype_facts)
from wengert_core.exchange.arrays cimport array_of, convert_copy, tensor_of_result
from wengert_core.exchange.device_memory cimport array_at, runs_on_device, put_array
from wengert_core.kernels.reduce.reduce cimport find_reduction
from wengert_core.kernels.types cimport reduce_fn
from wengert_core.runtime.config cimport ONLY_REFERENCES
from wengert_core.runtime.launches cimport LAUNCH_DIVIDE, OPERAND_UPDATED, Launch, count_recorders, tell_complete
from wengert_core.runtime.state cimport WG_TELL, thread_state
from wengert_core.runtime.thread_pool cimport LARGE
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor, new_empty, new_view, strides_of

cdef extern from "Python.h":
    bint PyLong_CheckExact(PyObject* o) noexcept
    bint PyIndex_Check(PyObject* o) noexcept
    bint PyBool_Check(PyObject* o) noexcept
    bint PyTuple_Check(PyObject* o) noexcept
    bint PyList_Check(PyObject* o) noexcept

cdef enum:
    MANY = 0x1000000               # elements from which on copies are counted
    COPIES = 1024                  # of each

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()
cdef tuple KINDS = ("sum", "mean", "same", "truth")


def configure(Op op, str kernel or None, str kind, dtypes):
    """Make ``op`` a reduction. kernel: a name of kernels/reduce; kind: "sum", "mean", "same" or "truth"."""
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
    cdef bytes name = kernel.encode()
    if r == NULL:
        raise MemoryError()
    r.kind = kind
    r.dtype_slot = -1
    r.once = kernel in ("all", "amax", "amin", "any")
    r.repeated = REPEATED_SUM if kernel == "sum" else REPEATED_PRODUCT if kernel == "prod" else REPEATED_NOT
    for code in range(N_DTYPES):
        r.fns[code] = NULL if ONLY_REFERENCES else find_reduction(name, code, accumulator_code(r, code))
    return r


cdef inline int accumulator_code(Reduction* r, int code) noexcept:
    """The dtype that inputs of dtype ``code`` are accumulated in."""
    if r.kind == REDUCE_TRUTH:
        return BOOL
    if r.kind == REDUCE_SAME:
        return code
    if r.kind == REDUCE_INDEX:
        return INT64
    if code == FLOAT16 or code == BFLOAT16:
        return FLOAT32
    return code if FACTS.category[code] >= CAT_FLOAT else INT64


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


# ---- the work

cdef Tensor reduce_fresh(Op op, Reduction* r, Tensor t, uint64_t mask, bint keepdim):
    """A fresh contiguous tensor with the reduced values, in the dtype they are accumulated in."""
    cdef Py_ssize_t shape[64]
    cdef int i, ndim = 0
    cdef Tensor out
    if r.repeated and t.count >= MANY and copies(t, mask) >= COPIES:
        return of_copies(op, r, t, mask, keepdim)
    if r.fns[t.code] == NULL or runs_on_device():
        return by_reference(op, r, t, mask, keepdim)
    for i in range(t.rank):
        if not mask >> i & 1:
            shape[ndim] = t.dims[i]
            ndim += 1
        elif keepdim:
            shape[ndim] = 1
            ndim += 1
    out = new_empty(accumulator_code(r, t.code), ndim, shape)
    if out.count == 0:
        return out
    if t.count == 0:
        reduce_nothing(r, t, out)
    else:
        reduce_into(r, t, mask, out)
    return out


cdef int reduce_nothing(Reduction* r, Tensor t, Tensor out) except -1:
    """Fill ``out`` with the result of no elements."""
    cdef Axis kept
    kept.size, kept.source, kept.target = out.count, 0, FACTS.itemsize[out.code]
    run_pass(r.fns[t.code], t.data, &kept, 1, 0, 0, 0, out.data)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_pass(r.fns[t.code], t.data, t.code, &kept, 1, 0, 0, out, 0)
    return 0


cdef Py_ssize_t copies(Tensor t, uint64_t mask) noexcept:
    """The number of times that a reduction meets each element, by expanded dims."""
    cdef Py_ssize_t n = 1
    cdef int i
    for i in range(t.rank):
        if mask >> i & 1 and not strides_of(t)[i]:
            n *= t.dims[i]
    return n


cdef Tensor of_copies(Op op, Reduction* r, Tensor t, uint64_t mask, bint keepdim):
    """A sum or product of so many copies that they are counted, not read: hours for an expanded dim of 2**40."""
    cdef Py_ssize_t shape[64]
    cdef int i
    cdef Py_ssize_t n = copies(t, mask)
    for i in range(t.rank):
        shape[i] = 1 if mask >> i & 1 and not strides_of(t)[i] else t.dims[i]
    out = reduce_fresh(op, r, new_view(t, t.rank, shape, strides_of(t), t.data), mask, keepdim)
    return out * n if r.repeated == REPEATED_SUM else out ** n


cdef Tensor by_reference(Op op, Reduction* r, Tensor t, uint64_t mask, bint keepdim):
    """The row's reference on NumPy arrays."""
    array = array_of(convert_copy(t, FLOAT32) if t.code == FLOAT16 else t)
    axes = tuple([i for i in range(t.rank) if mask >> i & 1])
    result = result_array(op, call_reference(op, [array, axes, keepdim]))
    sizes = tuple([1 if mask >> i & 1 else t.dims[i] for i in range(t.rank) if keepdim or not mask >> i & 1])
    check_shape(op, result, sizes, 0, 1)
    check_kind(op, result, accumulator_code(r, t.code), 0, 1)
    return tensor_of_result(result, accumulator_code(r, t.code))


cdef int reduce_into(Reduction* r, Tensor t, uint64_t mask, Tensor out) except -1:
    """Passes over the memory, one for each stretch of reduced dims. Note [How dims are reduced]."""
    cdef Axis kept[65]
    cdef Axis gone[64]
    cdef int n_kept, n_gone, code = t.code
    cdef char* data = t.data
    cdef Tensor partial = None
    cdef Py_ssize_t work = t.count, n = 1, stride = 0
    cdef reduce_fn fn
    collect(t, mask, r.once, out, kept, &n_kept, gone, &n_gone)
    while n_gone > 1:
        partial = one_pass(r, data, code, kept, n_kept, gone, n_gone, work)
        n_gone -= 1
        work = partial.count
        data, code = partial.data, partial.code
    fn = r.fns[code]
    if n_gone:
        n, stride = gone[0].size, gone[0].source
    if work < LARGE:
        run_pass(fn, data, kept, n_kept, -1, n, stride, out.data)
    elif r.kind != REDUCE_INDEX and n_gone and is_long(kept, n_kept, stride, n, work):
        return in_sections(fn, r.fns[out.code], data, code, out.code, kept, n_kept, n, stride, out)
    else:
        with nogil:
            run_large_pass(fn, data, kept, n_kept, n, stride, out.data)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_pass(fn, data, code, kept, n_kept, n, stride, out, work)
    return 0


cdef Tensor one_pass(
    Reduction* r, char* data, int code, Axis* kept, int n_kept, Axis* gone, int n_gone, Py_ssize_t work
):
    """Reduce the closest reduced dim only; kept and gone then describe the partial results."""
    cdef Axis all_kept[65]
    cdef Py_ssize_t step, n = 1
    cdef int i, n_all = n_kept + n_gone - 1
    cdef int target = accumulator_code(r, code)
    cdef Axis last = gone[n_gone - 1]
    cdef Tensor partial
    for i in range(n_all):
        all_kept[i] = kept[i] if i < n_kept else gone[i - n_kept]
        n *= all_kept[i].size
    partial = new_empty(target, 1, &n)
    step = FACTS.itemsize[target]
    for i in range(n_all - 1, -1, -1):
        all_kept[i].target = step
        step *= all_kept[i].size
    if work < LARGE:
        run_pass(r.fns[code], data, all_kept, n_all, -1, last.size, last.source, partial.data)
    else:
        with nogil:
            run_large_pass(r.fns[code], data, all_kept, n_all, last.size, last.source, partial.data)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_pass(r.fns[code], data, code, all_kept, n_all, last.size, last.source, partial, work)
    for i in range(n_all):
        if i < n_kept:
            kept[i].source = all_kept[i].target
        else:
            gone[i - n_kept].source = all_kept[i].target
    return partial


cdef void collect(
    Tensor t, uint64_t mask, bint once, Tensor out, Axis* kept, int* n_kept, Axis* gone, int* n_gone
) noexcept:
    """Dims as merged lists; the reduced ones by falling stride. once: expanded ones are left out, see Reduction."""
    cdef Py_ssize_t* strides = t.dims + t.rank
    cdef Py_ssize_t step = FACTS.itemsize[out.code]
    cdef Axis axis
    cdef int i, k
    n_kept[0] = n_gone[0] = 0
    for i in range(t.rank):
        if t.dims[i] == 1 or (once and mask >> i & 1 and strides[i] == 0 and t.dims[i]):
            continue
        axis.size, axis.source, axis.target = t.dims[i], strides[i], 0
        if mask >> i & 1:
            k = n_gone[0]
            while k > 0 and magnitude(gone[k - 1].source) < magnitude(axis.source):
                gone[k] = gone[k - 1]
                k -= 1
            gone[k] = axis
            n_gone[0] += 1
        else:
            kept[n_kept[0]] = axis
            n_kept[0] += 1
    n_kept[0] = merge(kept, n_kept[0])
    n_gone[0] = merge(gone, n_gone[0])
    for i in range(n_kept[0] - 1, -1, -1):
        kept[i].target = step
        step *= kept[i].size


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


cdef int merge(Axis* axes, int n) noexcept:
    """Join neighbors that are one stretch."""
    cdef int i, m = 0
    for i in range(n):
        if m and axes[m - 1].source == axes[i].source * axes[i].size:
            axes[m - 1].size *= axes[i].size
            axes[m - 1].source = axes[i].source
        else:
            axes[m] = axes[i]
            m += 1
    return m


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
