"""Reading and writing at positions given by byte offsets: the offsets of an index, and moves of elements. See
index_moves.pxd.
"""
from libc.stdint cimport int64_t

from wengert_core.drivers.kernel_launch cimport add_tensor, tell_kernel
from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.kernels.index.index cimport IndexLoop, gather, scatter, scatter_add
from wengert_core.runtime.launches cimport (LAUNCH_DONE, LAUNCH_FAILED, OPERAND_READ, OPERAND_UPDATED,
                                            OPERAND_WRITTEN, Launch, count_recorders)
from wengert_core.runtime.state cimport WG_TELL, thread_state
from wengert_core.runtime.thread_pool cimport GRAIN, LARGE, UNIT, dim_to_split, parallel_for

cdef enum:
    WITHOUT_GIL = 0x8000               # from this many elements on the GIL is released

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()


# ---- offsets

cdef int add_offsets(Plan* plan, Tensor owner, Tensor index, Py_ssize_t size, Py_ssize_t stride, int dim) except -1:
    """offsets += index * stride for all positions; IndexError for one outside."""
    cdef Offsets o
    cdef int i, offset = plan.n_index - index.rank
    o.n, o.size, o.stride, o.dim, o.rank = plan.n, size, stride, dim, plan.n_index
    for i in range(plan.n_index):
        o.dims[i][0] = plan.index_shape[i]
        o.dims[i][1] = 0 if i < offset or index.dims[i - offset] == 1 else index.dims[index.rank + i - offset]
    if not run_offsets(&o, index.data, plan.offsets):
        raise_outside(&o)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_offsets(&o, index, owner)
    return 0


cdef struct Offsets:                   # of positions along one dim
    Py_ssize_t n                       # positions
    Py_ssize_t size, stride            # of the dim
    Py_ssize_t found                   # an entry outside
    int dim
    int rank
    Py_ssize_t dims[64][2]             # of the positions: sizes, and strides in the index


cdef bint run_offsets(Offsets* o, char* p, Py_ssize_t* offsets) noexcept nogil:
    """False: o.found is outside."""
    cdef Py_ssize_t j, at, size = o.size
    cdef Py_ssize_t counter[64]
    cdef int i
    for i in range(o.rank):
        counter[i] = 0
    for j in range(o.n):
        at = (<int64_t*> p)[0]
        if at < -size or at >= size:
            o.found = at
            return False
        offsets[j] += (at + size if at < 0 else at) * o.stride
        i = o.rank - 1
        while i >= 0:
            counter[i] += 1
            p += o.dims[i][1]
            if counter[i] < o.dims[i][0]:
                break
            p -= o.dims[i][1] * o.dims[i][0]
            counter[i] = 0
            i -= 1
    return True


cdef int raise_outside(Offsets* o) except -1:
    raise IndexError(f"index {o.found} is out of bounds for dimension {o.dim} with size {o.size}")


cdef int run_offsets_launch(Launch* launch) noexcept nogil:
    return LAUNCH_DONE if run_offsets(<Offsets*> launch.plan, launch.data[0], <Py_ssize_t*> launch.data[1]) \
        else LAUNCH_FAILED


cdef int fail_offsets_launch(Launch* launch) except -1:
    return raise_outside(<Offsets*> launch.plan)


cdef int tell_offsets(Offsets* o, Tensor index, Tensor owner) except -1:
    cdef Launch* made = tell_kernel(run_offsets_launch, o, <Py_ssize_t> sizeof(Offsets) - (64 - o.rank) * 16)
    made.fail = fail_offsets_launch
    add_tensor(made, index, OPERAND_READ)
    add_tensor(made, owner, OPERAND_UPDATED)
    return 0


# ---- moves

cdef struct MoverDim:
    Py_ssize_t size
    Py_ssize_t step                    # in the indexed tensor
    Py_ssize_t own                     # in the buffer

cdef struct Mover:
    IndexLoop loop                     # the last one or two dims
    char* indexed
    char* buffer
    Py_ssize_t count                   # elements
    int n                              # dims around the loop
    int code
    int itemsize
    Move what
    MoverDim dims[64]                  # n of them

cdef struct Job:                       # a Mover for several threads
    Mover* mover
    int dim                            # which is cut: n is the loop's first dim, n + 1 its second
    Py_ssize_t unit


cdef Py_ssize_t set_buffer_strides(Plan* plan, Mover* m) noexcept nogil:
    """Strides of a row-major buffer along the dims before and behind the positions; return the positions' own."""
    cdef Py_ssize_t itemsize = m.itemsize, position
    cdef int i, n = plan.n_before
    for i in range(plan.n_after - 1, -1, -1):
        m.dims[n + i].own = itemsize
        itemsize *= plan.after[i]
    position = itemsize
    itemsize *= plan.n
    for i in range(n - 1, -1, -1):
        m.dims[i].own = itemsize
        itemsize *= plan.before[i]
    return position


cdef void set_mover(Mover* m, Plan* plan, bint one_value, int code, Move what) noexcept nogil:
    """All elements; none of the sizes is 0. one_value: the buffer holds a single element for all."""
    cdef Py_ssize_t position
    cdef int i, n = plan.n_before + plan.n_after
    m.code, m.itemsize, m.what, m.count = code, FACTS.itemsize[code], what, plan.n
    position = set_buffer_strides(plan, m)
    for i in range(n):
        m.dims[i].size = plan.before[i] if i < plan.n_before else plan.after[i - plan.n_before]
        m.dims[i].step = plan.before_strides[i] if i < plan.n_before else plan.after_strides[i - plan.n_before]
        m.count *= m.dims[i].size
        if one_value:
            m.dims[i].own = 0
    while n > plan.n_before + 1 and m.dims[n - 2].step == m.dims[n - 1].step * m.dims[n - 1].size:
        # two dims behind the positions that lie in memory as one
        m.dims[n - 2].size *= m.dims[n - 1].size
        m.dims[n - 2].step, m.dims[n - 2].own = m.dims[n - 1].step, m.dims[n - 1].own
        n -= 1
    set_loop(plan, &m.loop, 0 if one_value else position)
    if n > plan.n_before and m.dims[n - 1].size > 1:
        n -= 1
        m.loop.shape[0], m.loop.shape[1] = plan.n, m.dims[n].size
        m.loop.index_stride[0], m.loop.index_stride[1] = sizeof(Py_ssize_t), 0
        m.loop.other_stride[0], m.loop.other_stride[1] = m.loop.other_stride[1], m.dims[n].own
        m.loop.self_stride[1] = m.dims[n].step
    m.n = n


cdef void run_mover(Mover* m, char* indexed, char* buffer, char* offsets) noexcept nogil:
    m.indexed, m.buffer, m.loop.index = indexed, buffer, offsets
    if m.count < LARGE:
        move_around(m)
    else:
        move_large(m)


cdef int move(Plan* plan, Tensor owner, Tensor indexed, Tensor buffer, Move what) except -1:
    """Move elements between an indexed tensor and a row-major buffer, or from a buffer of one element."""
    cdef Mover m
    set_mover(&m, plan, what != MOVE_READ and buffer.count == 1, indexed.code, what)
    if m.count >= WITHOUT_GIL or what != MOVE_READ and indexed.count >= WITHOUT_GIL:
        with nogil:
            run_mover(&m, indexed.data, buffer.data, <char*> plan.offsets)
    else:
        run_mover(&m, indexed.data, buffer.data, <char*> plan.offsets)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_move(&m, indexed, buffer, owner)
    return 0


cdef int run_move_launch(Launch* launch) noexcept nogil:
    run_mover(<Mover*> launch.plan, launch.data[0], launch.data[1], launch.data[2])
    return 0


cdef int tell_move(Mover* m, Tensor indexed, Tensor buffer, Tensor owner) except -1:
    cdef Py_ssize_t unused = (64 - m.n) * <Py_ssize_t> sizeof(MoverDim)
    cdef Launch* made = tell_kernel(run_move_launch, m, <Py_ssize_t> sizeof(Mover) - unused)
    add_tensor(made, indexed, OPERAND_READ if m.what == MOVE_READ else OPERAND_UPDATED)
    add_tensor(made, buffer, OPERAND_WRITTEN if m.what == MOVE_READ else OPERAND_READ)
    add_tensor(made, owner, OPERAND_READ)
    return 0


cdef void move_around(Mover* m) noexcept nogil:
    cdef Py_ssize_t counter[128]
    cdef int i
    for i in range(m.n):
        counter[i] = 0
    while True:
        m.loop.self, m.loop.other = m.indexed, m.buffer
        if m.what == MOVE_READ:
            gather(&m.loop, m.itemsize)
        elif m.what == MOVE_WRITE:
            scatter(&m.loop, m.itemsize)
        else:
            scatter_add(&m.loop, m.code)
        i = m.n - 1
        while i >= 0:
            counter[i] += 1
            m.indexed += m.dims[i].step
            m.buffer += m.dims[i].own
            if counter[i] < m.dims[i].size:
                break
            m.indexed -= m.dims[i].step * m.dims[i].size
            m.buffer -= m.dims[i].own * m.dims[i].size
            counter[i] = 0
            i -= 1
        if i < 0:
            return


cdef void move_large(Mover* m) noexcept nogil:
    """On several threads. Positions may repeat: writes are cut along the other dims only, each keeps its order."""
    cdef Job job
    cdef Py_ssize_t units[130]
    cdef int i
    for i in range(m.n):
        units[i] = m.dims[i].size
    units[m.n] = m.loop.shape[0] if m.what == MOVE_READ else 1
    units[m.n + 1] = (m.loop.shape[1] + UNIT - 1) // UNIT if m.what == MOVE_READ else 1
    job.mover = m
    job.dim = dim_to_split(m.n + 2, units)
    job.unit = UNIT if job.dim == m.n + 1 else 1
    if units[job.dim] == 1:
        move_around(m)
    else:
        parallel_for(units[job.dim], GRAIN * units[job.dim] // m.count, move_units, &job)


cdef void move_units(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    cdef Job* job = <Job*> ctx
    cdef Mover m = job.mover[0]
    cdef Py_ssize_t first = begin * job.unit, last = end * job.unit
    cdef int i = job.dim - m.n
    if i < 0:
        m.dims[job.dim].size = last - first
        m.indexed += first * m.dims[job.dim].step
        m.buffer += first * m.dims[job.dim].own
    else:
        m.loop.shape[i] = min(last, m.loop.shape[i]) - first
        m.loop.index += first * m.loop.index_stride[i]
        m.indexed += first * m.loop.self_stride[i]
        m.buffer += first * m.loop.other_stride[i]
    move_around(&m)


cdef void set_loop(Plan* plan, IndexLoop* loop, Py_ssize_t position) noexcept nogil:
    """One element at each position; the offsets are an index with a stride of one byte."""
    loop.index = <char*> plan.offsets
    loop.dim_size, loop.dim_stride = 0, 1
    loop.shape[0], loop.shape[1] = 1, plan.n
    loop.index_stride[0], loop.index_stride[1] = 0, sizeof(Py_ssize_t)
    loop.self_stride[0], loop.self_stride[1] = 0, 0
    loop.other_stride[0], loop.other_stride[1] = 0, position
