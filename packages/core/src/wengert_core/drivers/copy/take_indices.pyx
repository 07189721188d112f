"""Elements of the last dims taken from indices along each of them, in one walk: padding by the elements.

>>> from wengert_core import tensor
>>> take_indices(tensor([[1, 2, 3]]), [tensor([1, 0, 1, 2, 1])])
tensor([[2, 1, 2, 3, 2]])
"""
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport malloc
from libc.string cimport memcpy

from wengert_core.dispatch.keep_alive cimport hold, in_pieces
from wengert_core.drivers.kernel_launch cimport add_tensor
from wengert_core.dtypes.dtypes cimport INT64, DTypeFacts, dtype_facts
from wengert_core.exchange.arrays cimport row_major
from wengert_core.exchange.device_memory cimport without_kernels
from wengert_core.runtime.launches cimport (LAUNCH_DONE, LAUNCH_KERNEL, OPERAND_READ, OPERAND_WRITTEN, Launch,
                                            add_launch, count_recorders)
from wengert_core.runtime.state cimport WG_TELL, thread_state
from wengert_core.runtime.thread_pool cimport GRAIN, LARGE, parallel_for
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor, is_strided, new_empty

cdef enum:
    MOST = 3                           # dims

cdef struct Taking:
    const char* source
    char* target
    Py_ssize_t rows, grain             # rows of the target
    Py_ssize_t size[MOST]              # of the last dims of the source, and of the target
    Py_ssize_t made[MOST]
    const int64_t* indices[MOST]        # NULL: a dim that stays as it is
    Py_ssize_t first, run              # elements of a row that lie side by side in the source
    Py_ssize_t item
    bint large

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()


def take_indices(Tensor x not None, list indices not None):
    """x with the elements of each of its last dims, up to three, from ``indices``: int64 within the dim, or None, where
    the dim stays. Returns None for a tensor of a device or a layout, and where references compute.
    """
    cdef Taking t
    cdef Py_ssize_t shape[64]
    cdef int i, n = <int> len(indices), d
    cdef Tensor index, out
    if x.device or not is_strided(x) or without_kernels() or not 1 <= n <= MOST or x.rank < n or not x.count:
        return None
    t.item, t.rows = FACTS.itemsize[x.code], 1
    for i in range(MOST):
        t.size[i], t.made[i], t.indices[i] = 1, 1, NULL
    for i in range(x.rank):
        shape[i], d = x.dims[i], i - (x.rank - n)
        if d >= 0 and indices[d] is not None:
            index = indices[d]
            if index.code != INT64 or index.rank != 1 or not index.flags & TF_CONTIGUOUS:
                raise RuntimeError(f"take_indices: expected int64 vectors without gaps, got {index.dtype} "
                                   f"{list(index.shape)}")
            shape[i], t.indices[MOST - n + d] = index.count, <int64_t*> index.data
        if d >= 0:
            t.size[MOST - n + d], t.made[MOST - n + d] = x.dims[i], shape[i]
        if i < x.rank - 1:
            t.rows *= shape[i]
    out = new_empty(x.code, x.rank, shape)
    if not out.count:
        return out
    find_run(&t)
    x = hold(row_major(x))
    t.source, t.target, t.large, t.grain = x.data, out.data, out.count >= LARGE, GRAIN * t.rows // out.count + 1
    in_pieces(t.rows, t.grain, take_rows, &t, t.large)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_taking(&t, x, out)
    return out


cdef void find_run(Taking* t) noexcept:
    """The longest part of a row of the target that lies in the source as it is."""
    cdef const int64_t* at = t.indices[MOST - 1]
    cdef Py_ssize_t i, first = 0
    t.first, t.run = 0, t.made[MOST - 1]
    if at == NULL:
        return
    t.run = 1
    for i in range(1, t.made[MOST - 1]):
        if at[i] != at[i - 1] + 1:
            first = i
        if i - first + 1 > t.run:
            t.first, t.run = first, i - first + 1


cdef inline Py_ssize_t index_at(const Taking* t, int dim, Py_ssize_t i) noexcept nogil:
    return i if t.indices[dim] == NULL else t.indices[dim][i]


cdef inline void take_items(const Taking* t, const char* source, char* target, Py_ssize_t begin,
                            Py_ssize_t end) noexcept nogil:
    cdef const int64_t* at = t.indices[MOST - 1]
    cdef Py_ssize_t i
    for i in range(begin, end):
        if t.item == 4:
            (<int32_t*> target)[i] = (<const int32_t*> source)[at[i]]
        elif t.item == 8:
            (<int64_t*> target)[i] = (<const int64_t*> source)[at[i]]
        else:
            memcpy(target + i * t.item, source + at[i] * t.item, t.item)


cdef void take_rows(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    cdef Taking t = (<Taking*> ctx)[0]
    cdef Py_ssize_t row, i, j, rest, width = t.made[MOST - 1], first
    cdef const char* source
    cdef char* target
    first = 0 if t.indices[MOST - 1] == NULL else t.indices[MOST - 1][t.first]
    for row in range(begin, end):
        rest, j = row // t.made[1], row % t.made[1]
        rest, i = rest // t.made[0], rest % t.made[0]
        i, j = index_at(&t, 0, i), index_at(&t, 1, j)
        source = t.source + ((rest * t.size[0] + i) * t.size[1] + j) * t.size[2] * t.item
        target = t.target + row * width * t.item
        take_items(&t, source, target, 0, t.first)
        memcpy(target + t.first * t.item, source + first * t.item, t.run * t.item)
        take_items(&t, source, target, t.first + t.run, width)


# ---- launches

cdef int run_launch(Launch* launch) noexcept nogil:
    cdef Taking* t = <Taking*> launch.plan
    t.source, t.target = launch.data[0], launch.data[1]
    if t.large:
        parallel_for(t.rows, t.grain, take_rows, t)
    else:
        take_rows(0, t.rows, t)
    return LAUNCH_DONE


cdef int tell_taking(Taking* t, Tensor x, Tensor out) except -1:
    """A launch whose plan has copies of the indices behind it."""
    cdef Py_ssize_t nbytes = sizeof(Taking)
    cdef Taking* plan
    cdef int64_t* indices
    cdef Launch* made
    cdef int i
    for i in range(MOST):
        nbytes += 0 if t.indices[i] == NULL else t.made[i] * <Py_ssize_t> sizeof(int64_t)
    plan = <Taking*> malloc(nbytes)
    if plan == NULL:
        raise MemoryError()
    plan[0] = t[0]
    indices = <int64_t*> (plan + 1)
    for i in range(MOST):
        if t.indices[i] != NULL:
            memcpy(indices, t.indices[i], t.made[i] * sizeof(int64_t))
            plan.indices[i] = indices
            indices += t.made[i]
    made = add_launch(run_launch, LAUNCH_KERNEL, plan)
    add_tensor(made, x, OPERAND_READ)
    add_tensor(made, out, OPERAND_WRITTEN)
    return 0
