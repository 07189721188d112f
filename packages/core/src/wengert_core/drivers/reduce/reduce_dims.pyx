"""The work of a reduction: passes of kernels over the dims to reduce, or the row's reference.

Note [How dims are reduced]
    Kept dims are merged where they are one stretch in the input; reduced dims are sorted by stride first, so that a
    full reduction of a transposed tensor is one pass over its memory. A kernel takes one kept and one reduced dim;
    further kept dims are an outer loop, further reduced dims a further pass over the (much smaller) partial results.
    Nothing is copied. Many kept elements are shared out among threads. A long reduced dim with few kept elements is
    reduced in sections, which are shared out, and the sections' results once more; sections depend on the shape alone.
    float16 and bfloat16 accumulate in float32 and are rounded once, at the end.
"""

from libc.stdint cimport uint64_t

from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.reduce.reduce cimport (REDUCE_COUNT, REDUCE_INDEX, REDUCE_SAME, REDUCE_TRUTH, REPEATED_SUM,
                                                 Reduction)
from wengert_core.drivers.reduce.reduce_pass cimport (Axis, in_sections, is_long, magnitude, run_large_pass, run_pass,
                                                      tell_pass)
from wengert_core.drivers.references cimport call_reference, check_kind, check_shape, result_array
from wengert_core.dtypes.dtypes cimport (BFLOAT16, BOOL, CAT_FLOAT, FLOAT16, FLOAT32, INT64, DTypeFacts, dtype_facts)
from wengert_core.exchange.arrays cimport array_of, convert_copy, tensor_of_result
from wengert_core.exchange.device_memory cimport runs_on_device
from wengert_core.kernels.types cimport reduce_fn
from wengert_core.runtime.launches cimport count_recorders
from wengert_core.runtime.state cimport WG_TELL, thread_state
from wengert_core.runtime.thread_pool cimport LARGE
from wengert_core.tensors.tensor cimport Tensor, new_empty, new_view, strides_of

cdef enum:
    MANY = 0x1000000               # elements from which on copies are counted
    COPIES = 1024                  # of each

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()


cdef int accumulator_code(Reduction* r, int code) noexcept:
    """The dtype that inputs of dtype ``code`` are accumulated in."""
    if r.kind == REDUCE_TRUTH:
        return BOOL
    if r.kind == REDUCE_SAME:
        return code
    if r.kind == REDUCE_INDEX or r.kind == REDUCE_COUNT:
        return INT64
    if code == FLOAT16 or code == BFLOAT16:
        return FLOAT32
    return code if FACTS.category[code] >= CAT_FLOAT else INT64


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
    cdef reduce_fn* fns = r.fns
    cdef reduce_fn fn
    collect(t, mask, r.once, out, kept, &n_kept, gone, &n_gone)
    while n_gone > 1:
        partial = one_pass(r, fns[code], data, code, kept, n_kept, gone, n_gone, work)
        n_gone -= 1
        work = partial.count
        data, code, fns = partial.data, partial.code, r.later
    fn = fns[code]
    if n_gone:
        n, stride = gone[0].size, gone[0].source
    if work < LARGE:
        run_pass(fn, data, kept, n_kept, -1, n, stride, out.data)
    elif r.kind != REDUCE_INDEX and n_gone and is_long(kept, n_kept, stride, n, work):
        return in_sections(fn, r.later[out.code], data, code, out.code, kept, n_kept, n, stride, out)
    else:
        with nogil:
            run_large_pass(fn, data, kept, n_kept, n, stride, out.data)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_pass(fn, data, code, kept, n_kept, n, stride, out, work)
    return 0


cdef Tensor one_pass(
    Reduction* r, reduce_fn fn, char* data, int code, Axis* kept, int n_kept, Axis* gone, int n_gone, Py_ssize_t work
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
        run_pass(fn, data, all_kept, n_all, -1, last.size, last.source, partial.data)
    else:
        with nogil:
            run_large_pass(fn, data, all_kept, n_all, last.size, last.source, partial.data)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_pass(fn, data, code, all_kept, n_all, last.size, last.source, partial, work)
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
