"""Walking an index along one dim. The kernel takes two dims; the dims outside are walked here."""
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from wengert_core.drivers.kernel_launch cimport add_tensor, tell_kernel
from wengert_core.dtypes.dtypes cimport INT32, INT64, DTypeFacts, dtype_facts
from wengert_core.exchange.arrays cimport convert_copy
from wengert_core.exchange.device_memory cimport captures, on_host
from wengert_core.kernels.index.index cimport (IndexLoop, Reduction, all_within, gather, scatter, scatter_add,
                                               scatter_reduce)
from wengert_core.runtime.launches cimport (LAUNCH_DONE, LAUNCH_FAILED, OPERAND_CONSTANT, OPERAND_READ,
                                            OPERAND_UPDATED, OPERAND_WRITTEN, Launch, add_operand, count_recorders)
from wengert_core.runtime.state cimport WG_TELL, thread_state
from wengert_core.runtime.thread_pool cimport GRAIN, LARGE, UNIT, dim_to_split, parallel_for
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor, new_view, strides_of

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()

cdef enum:
    MOST_DIMS = 66
    FEW = 16                           # entries of an index that are not worth a loop of their own

cdef struct WalkDim:
    Py_ssize_t shape
    Py_ssize_t own                     # strides: of the indexed tensor; 0 along the dim
    Py_ssize_t index
    Py_ssize_t other

cdef struct Walk:
    IndexLoop loop                     # of the last two dims
    int what                           # WalkKind
    int itemsize
    int code
    int rank
    Py_ssize_t n                       # elements
    char number[16]                    # ``other`` of a launch, where it is no tensor
    WalkDim dims[MOST_DIMS]            # rank of them

cdef struct Job:                       # a walk for several threads
    Walk* walk
    char* own
    char* index
    char* other
    Py_ssize_t unit
    int dim                            # which is cut

cdef struct Bounds:                    # of an index
    PyObject* message                  # borrowed: constants of a driver
    PyObject* error
    Py_ssize_t size                    # of the dim
    bint negative                      # entries may count from its end
    bint whole                         # contiguous
    Py_ssize_t count
    int64_t found                      # an entry outside
    int dim
    int rank
    Py_ssize_t dims[64][2]             # sizes and strides


# ---- bounds

cdef int check_bounds(str message, object error, Tensor index, int dim, Py_ssize_t size, bint negative) except -1:
    """Raise ``error`` for an entry outside; negative: entries may count from the end. message: {at}, {dim}, {size}."""
    cdef Bounds b
    cdef int d
    if index.device:
        if captures(index.device):
            return 0                   # nothing can be read
        return check_bounds(message, error, on_host(index), dim, size, negative)
    b.whole = index.flags & TF_CONTIGUOUS != 0
    if b.whole and not RECORDERS[0] and all_within(<int64_t*> index.data, index.count, -size if negative else 0, size):
        return 0
    b.message, b.error = <PyObject*> message, <PyObject*> error
    b.count, b.size, b.negative, b.dim, b.rank = index.count, size, negative, dim, index.rank
    for d in range(index.rank):
        # An expanded dim is looked at once.
        b.dims[d][0] = index.dims[d] if strides_of(index)[d] or not index.dims[d] else 1
        b.dims[d][1] = strides_of(index)[d]
    if find_outside(&b, index.data):
        raise_outside(&b)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_bounds(&b, index)
    return 0


cdef bint find_outside(Bounds* b, char* p) noexcept nogil:
    """Look for an entry outside, and note it."""
    cdef Py_ssize_t counter[64]
    cdef Py_ssize_t _i, at, different = 1, low = -b.size if b.negative else 0
    cdef int d
    if b.whole and all_within(<int64_t*> p, b.count, low, b.size):
        return False
    for d in range(b.rank):
        counter[d] = 0
        different *= b.dims[d][0]      # at most the index's count
    for _i in range(different):
        at = (<int64_t*> p)[0]
        if at < low or at >= b.size:
            b.found = at
            return True
        d = b.rank - 1
        while d >= 0:
            counter[d] += 1
            p += b.dims[d][1]
            if counter[d] < b.dims[d][0]:
                break
            p -= b.dims[d][1] * b.dims[d][0]
            counter[d] = 0
            d -= 1
    return False


cdef int raise_outside(Bounds* b) except -1:
    message, error = <object> b.message, <object> b.error
    raise error(message.format(at=b.found, dim=b.dim, size=b.size))


cdef int run_bounds_launch(Launch* launch) noexcept nogil:
    return LAUNCH_FAILED if find_outside(<Bounds*> launch.plan, launch.data[0]) else LAUNCH_DONE


cdef int fail_bounds_launch(Launch* launch) except -1:
    return raise_outside(<Bounds*> launch.plan)


cdef int tell_bounds(Bounds* b, Tensor index) except -1:
    cdef Launch* made = tell_kernel(run_bounds_launch, b, <Py_ssize_t> sizeof(Bounds) - (64 - b.rank) * 16)
    made.fail = fail_bounds_launch
    add_tensor(made, index, OPERAND_READ)
    return 0


# ---- operands

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


# ---- the walk

cdef int walk_along(int what, Tensor t, int dim, Tensor index, Tensor source, char* other, const Py_ssize_t* shape,
                    const Py_ssize_t* other_strides) except -1:
    cdef Walk w
    cdef WalkDim* at
    cdef int i, pad = 2 - t.rank if t.rank < 2 else 0
    cdef bint repeated = index.rank != t.rank or t.rank == 1
    w.rank, w.itemsize, w.code, w.what, w.n = t.rank + pad, FACTS.itemsize[t.code], t.code, what, 1
    for i in range(pad):
        at = &w.dims[i]
        at.shape, at.own, at.index, at.other = 1, 0, 0, 0
    for i in range(t.rank):
        at = &w.dims[pad + i]
        at.shape = shape[i]
        at.own = 0 if i == dim else strides_of(t)[i]
        at.other = other_strides[i]
        if repeated:
            at.index = strides_of(index)[0] if i == dim else 0
        else:
            at.index = strides_of(index)[i]
        w.n *= shape[i]
    if w.n == 0:
        return 0
    w.loop.dim_size, w.loop.dim_stride = t.dims[dim], strides_of(t)[dim]
    if repeated and dim + pad == w.rank - 1 and w.dims[w.rank - 2].shape > 1 \
            and (w.dims[w.rank - 1].shape < FEW
                 or abs(w.dims[w.rank - 2].own) <= abs(w.loop.dim_stride)):
        # lines in which the index does not change go fastest: they are closer in memory, or much longer
        w.dims[w.rank - 1], w.dims[w.rank - 2] = w.dims[w.rank - 2], w.dims[w.rank - 1]
    if w.n < LARGE:
        walk(&w, t.data, index.data, other)
    else:
        with nogil:
            walk_large(&w, t.data, index.data, other)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_walk(&w, t, index, source, other)
    return 0


cdef void walk_large(Walk* w, char* own, char* index, char* other) noexcept nogil:
    """walk on several threads: each element is written by one, in the order of the index."""
    cdef Job job
    cdef Py_ssize_t units[MOST_DIMS]
    cdef int i, last = w.rank - 1
    for i in range(w.rank):            # along the indexed dim, whose stride is 0, writes may meet
        units[i] = w.dims[i].shape if w.what == WALK_READ or w.dims[i].own != 0 else 1
    units[last] = (units[last] + UNIT - 1) // UNIT
    job.dim = dim_to_split(w.rank, units)
    if units[job.dim] == 1:
        walk(w, own, index, other)
        return
    job.unit = UNIT if job.dim == last else 1
    job.walk, job.own, job.index, job.other = w, own, index, other
    parallel_for(units[job.dim], GRAIN * units[job.dim] // w.n, walk_units, &job)


cdef void walk_units(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    cdef Job* job = <Job*> ctx
    cdef Walk w = job.walk[0]
    cdef Py_ssize_t first = begin * job.unit
    cdef WalkDim* cut = &w.dims[job.dim]
    cut.shape = min(end * job.unit, cut.shape) - first
    walk(&w, job.own + first * cut.own, job.index + first * cut.index, job.other + first * cut.other)


cdef void walk(Walk* w, char* own, char* index, char* other) noexcept nogil:
    cdef Py_ssize_t counter[MOST_DIMS]
    cdef IndexLoop* loop = &w.loop
    cdef int i, n = w.rank - 2
    for i in range(2):
        loop.shape[i], loop.self_stride[i] = w.dims[n + i].shape, w.dims[n + i].own
        loop.index_stride[i], loop.other_stride[i] = w.dims[n + i].index, w.dims[n + i].other
    for i in range(n):
        counter[i] = 0
    while True:
        loop.self, loop.index, loop.other = own, index, other
        if w.what == WALK_READ:
            gather(loop, w.itemsize)
        elif w.what == WALK_WRITE:
            scatter(loop, w.itemsize)
        elif w.what == WALK_ADD:
            scatter_add(loop, w.code)
        else:
            scatter_reduce(loop, w.code, <Reduction> (w.what - WALK_PRODUCT))
        i = n - 1
        while i >= 0:
            counter[i] += 1
            own += w.dims[i].own
            index += w.dims[i].index
            other += w.dims[i].other
            if counter[i] < w.dims[i].shape:
                break
            own -= w.dims[i].own * w.dims[i].shape
            index -= w.dims[i].index * w.dims[i].shape
            other -= w.dims[i].other * w.dims[i].shape
            counter[i] = 0
            i -= 1
        if i < 0:
            return


cdef int run_walk_launch(Launch* launch) noexcept nogil:
    cdef Walk* w = <Walk*> launch.plan
    if w.n < LARGE:
        walk(w, launch.data[0], launch.data[1], launch.data[2])
    else:
        walk_large(w, launch.data[0], launch.data[1], launch.data[2])
    return 0


cdef int tell_walk(Walk* w, Tensor t, Tensor index, Tensor source, char* other) except -1:
    cdef Py_ssize_t unused = (MOST_DIMS - w.rank) * <Py_ssize_t> sizeof(WalkDim)
    cdef Launch* made = tell_kernel(run_walk_launch, w, <Py_ssize_t> sizeof(Walk) - unused)
    cdef Walk* own = <Walk*> made.plan
    add_tensor(made, t, OPERAND_READ if w.what == WALK_READ else OPERAND_UPDATED)
    add_tensor(made, index, OPERAND_READ)
    if source is None:
        memset(own.number, 0, sizeof(own.number))      # all of it is compared with other launches
        memcpy(own.number, other, w.itemsize)
        add_operand(made, own.number, 0, 16, OPERAND_CONSTANT)
    else:
        add_tensor(made, source, OPERAND_WRITTEN if w.what == WALK_READ else OPERAND_READ)
    return 0
