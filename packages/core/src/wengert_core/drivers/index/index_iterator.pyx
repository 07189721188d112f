"""Walking an index along one dim. The kernel takes two dims; the dims outside are walked here."""
from libc.stdint cimport int64_t

from wengert_core.dtypes.dtypes cimport INT32, INT64, DTypeFacts, dtype_facts
from wengert_core.exchange.arrays cimport convert_copy
from wengert_core.exchange.device_memory cimport on_host
from wengert_core.kernels.index.index cimport IndexLoop, all_within, gather, scatter, scatter_add
from wengert_core.runtime.thread_pool cimport GRAIN, LARGE, UNIT, dim_to_split, parallel_for
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor, new_view, strides_of

cdef DTypeFacts* FACTS = dtype_facts()

cdef struct Walk:
    int rank
    int itemsize
    int code
    Py_ssize_t shape[66]
    Py_ssize_t own[66]                 # strides of the indexed tensor; 0 along the dim
    Py_ssize_t index[66]
    Py_ssize_t other[66]

cdef struct Job:                       # a walk for several threads
    Walk* walk
    IndexLoop* loop
    char* own
    char* index
    char* other
    Py_ssize_t unit
    int what
    int dim                            # which is cut


cdef int check_bounds(str message, object error, Tensor index, int dim, Py_ssize_t size, bint negative) except -1:
    """Return ``error`` for an entry outside; negative: entries may count from the end. message: {at}, {dim}, {size}."""
    cdef Py_ssize_t counter[64]
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t _i, at, different = 1, low = -size if negative else 0
    cdef char* p = index.data
    cdef int d
    if index.device:
        return check_bounds(message, error, on_host(index), dim, size, negative)
    if index.flags & TF_CONTIGUOUS and all_within(<int64_t*> p, index.count, low, size):
        return 0
    for d in range(index.rank):
        counter[d] = 0
        # An expanded dim is looked at once.
        sizes[d] = index.dims[d] if strides_of(index)[d] or not index.dims[d] else 1
        different *= sizes[d]          # at most index.count
    for _i in range(different):
        at = (<int64_t*> p)[0]
        if at < low or at >= size:
            raise error(message.format(at=at, dim=dim, size=size))
        d = index.rank - 1
        while d >= 0:
            counter[d] += 1
            p += strides_of(index)[d]
            if counter[d] < sizes[d]:
                break
            p -= strides_of(index)[d] * sizes[d]
            counter[d] = 0
            d -= 1
    return 0


cdef Tensor as_vector(Tensor t):
    """t, a 0-d one with a dim of size 1."""
    cdef Py_ssize_t size = 1
    cdef Py_ssize_t stride = FACTS.itemsize[t.code]
    return t if t.rank else new_view(t, 1, &size, &stride, t.data)


cdef Tensor as_index(Tensor index, str message):
    """An int64 index with one dim at least; RuntimeError(message) for another dtype than int32 and int64."""
    if index.code != INT64 and index.code != INT32:
        raise RuntimeError(message)
    return as_vector(index if index.code == INT64 else convert_copy(index, INT64))


cdef Tensor as_index_or_empty(Tensor index, str message):
    """As ``as_index``, but of an index without elements the dtype does not matter."""
    return as_index(index, message) if index.count else as_vector(convert_copy(index, INT64))


cdef int walk_along(int what, Tensor t, int dim, Tensor index, char* other, const Py_ssize_t* shape,
                    const Py_ssize_t* other_strides) except -1:
    cdef Walk w
    cdef IndexLoop loop
    cdef int i, pad = 2 - t.rank if t.rank < 2 else 0
    cdef bint repeated = index.rank != t.rank or t.rank == 1
    cdef Py_ssize_t n = 1
    w.rank, w.itemsize, w.code = t.rank + pad, FACTS.itemsize[t.code], t.code
    for i in range(pad):
        w.shape[i], w.own[i], w.index[i], w.other[i] = 1, 0, 0, 0
    for i in range(t.rank):
        w.shape[pad + i] = shape[i]
        w.own[pad + i] = 0 if i == dim else strides_of(t)[i]
        w.other[pad + i] = other_strides[i]
        if repeated:
            w.index[pad + i] = strides_of(index)[0] if i == dim else 0
        else:
            w.index[pad + i] = strides_of(index)[i]
        n *= shape[i]
    if n == 0:
        return 0
    loop.dim_size, loop.dim_stride = t.dims[dim], strides_of(t)[dim]
    if repeated and dim + pad == w.rank - 1 and w.shape[w.rank - 2] > 1:
        swap_last_two(&w)              # rows in which the index does not change go fastest
    if n < LARGE:
        walk(&w, &loop, what, t.data, index.data, other)
    else:
        with nogil:
            walk_large(&w, &loop, what, t.data, index.data, other, n)
    return 0


cdef void walk_large(
    Walk* w, IndexLoop* loop, int what, char* own, char* index, char* other, Py_ssize_t n
) noexcept nogil:
    """walk on several threads: each element is written by one, in the order of the index."""
    cdef Job job
    cdef Py_ssize_t units[66]
    cdef int i, last = w.rank - 1
    for i in range(w.rank):            # along the indexed dim, whose stride is 0, writes may meet
        units[i] = w.shape[i] if what == WALK_READ or w.own[i] != 0 else 1
    units[last] = (units[last] + UNIT - 1) // UNIT
    job.dim = dim_to_split(w.rank, units)
    if units[job.dim] == 1:
        walk(w, loop, what, own, index, other)
        return
    job.unit = UNIT if job.dim == last else 1
    job.walk, job.loop, job.what, job.own, job.index, job.other = w, loop, what, own, index, other
    parallel_for(units[job.dim], GRAIN * units[job.dim] // n, walk_units, &job)


cdef void walk_units(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    cdef Job* job = <Job*> ctx
    cdef Walk w = job.walk[0]
    cdef IndexLoop loop = job.loop[0]
    cdef Py_ssize_t first = begin * job.unit
    w.shape[job.dim] = min(end * job.unit, w.shape[job.dim]) - first
    walk(&w, &loop, job.what, job.own + first * w.own[job.dim], job.index + first * w.index[job.dim],
         job.other + first * w.other[job.dim])


cdef void swap_last_two(Walk* w) noexcept nogil:
    cdef int a = w.rank - 2, b = w.rank - 1
    w.shape[a], w.shape[b] = w.shape[b], w.shape[a]
    w.own[a], w.own[b] = w.own[b], w.own[a]
    w.index[a], w.index[b] = w.index[b], w.index[a]
    w.other[a], w.other[b] = w.other[b], w.other[a]


cdef void walk(Walk* w, IndexLoop* loop, int what, char* own, char* index, char* other) noexcept nogil:
    cdef Py_ssize_t counter[66]
    cdef int i, n = w.rank - 2
    for i in range(2):
        loop.shape[i], loop.self_stride[i] = w.shape[n + i], w.own[n + i]
        loop.index_stride[i], loop.other_stride[i] = w.index[n + i], w.other[n + i]
    for i in range(n):
        counter[i] = 0
    while True:
        loop.self, loop.index, loop.other = own, index, other
        if what == WALK_READ:
            gather(loop, w.itemsize)
        elif what == WALK_WRITE:
            scatter(loop, w.itemsize)
        else:
            scatter_add(loop, w.code)
        i = n - 1
        while i >= 0:
            counter[i] += 1
            own += w.own[i]
            index += w.index[i]
            other += w.other[i]
            if counter[i] < w.shape[i]:
                break
            own -= w.own[i] * w.shape[i]
            index -= w.index[i] * w.shape[i]
            other -= w.other[i] * w.shape[i]
            counter[i] = 0
            i -= 1
        if i < 0:
            return
