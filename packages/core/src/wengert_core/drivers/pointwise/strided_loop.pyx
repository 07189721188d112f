"""Running one inner loop over n dims. Note [Blocks] in pointwise.pyx.

Note [Short rows]
    A loop along a last dim of 4 or 27 elements costs more for its calls than for its arithmetic. Where the output's
    rows lie one behind the other, many of them are one stretch: an input whose rows do not is laid out so first, in a
    block that stays in the first-level cache. A row that all share is laid out once. Blocks have a multiple of ROWS
    rows, and so have the pieces that threads get: which elements a loop takes together does not depend on the number of
    threads.
"""
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from wengert_core.drivers.pointwise.loop_lookup cimport Loop
from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.kernels.pointwise.casts cimport cast
from wengert_core.kernels.types cimport npy_intp
from wengert_core.runtime.thread_pool cimport GRAIN, GRAIN_SLOW, UNIT, dim_to_split, parallel_for
from wengert_core.tensors.tensor cimport Tensor

cdef enum:
    BLOCK = 512                        # elements converted at a time
    ROWS = 16                          # short rows come together in multiples of that: of any vector's length
    SHORT = 64                         # elements of a row that is short
    SHORT_APART = 32                   # the same, where each row has to be laid out

cdef struct Job:                       # a loop over merged dims, to be cut along one of them
    Loop* loop
    Operand* operands
    Py_ssize_t* shape
    Py_ssize_t unit                    # size of a unit along ``dim``
    int n_in
    int ndim
    int dim

cdef DTypeFacts* FACTS = dtype_facts()


cdef void lay(Operand* o, Tensor t, int ndim) noexcept:
    """Strides of t along the output's dims: 0 where t is broadcast."""
    cdef int i, offset = ndim - t.rank
    o.data = t.data
    o.dtype = t.code
    for i in range(offset):
        o.strides[i] = 0
    for i in range(t.rank):
        o.strides[offset + i] = 0 if t.dims[i] == 1 else t.dims[t.rank + i]


cdef void sort_dims(int ndim, const Py_ssize_t* strides, int* order) noexcept nogil:
    """Dims by falling stride, stable (insertion sort)."""
    cdef int i, k, d
    for i in range(ndim):
        d = i
        k = i
        while k > 0 and strides[order[k - 1]] < strides[d]:
            order[k] = order[k - 1]
            k -= 1
        order[k] = d


cdef void run_loop(Loop* loop, int n_in, Operand* operands, int ndim, Py_ssize_t* shape) noexcept nogil:
    """Run a loop over n dims; operands[n_in] is the output. shape and strides are reordered and merged in place."""
    run_over(loop, n_in, operands, ndim, shape, False)


cdef void run_large_loop(Loop* loop, int n_in, Operand* operands, int ndim, Py_ssize_t* shape) noexcept nogil:
    """run_loop on several threads. Note [The same result from any number of threads] in runtime/thread_pool.pxd."""
    cdef Job job
    cdef Py_ssize_t units[64]
    cdef Py_ssize_t count = 1
    cdef int d
    ndim = merge_dims(n_in + 1, operands, ndim, shape)
    if ndim == 0:
        run_over(loop, n_in, operands, ndim, shape, True)
        return
    for d in range(ndim):
        units[d] = shape[d]
        count *= shape[d]
    units[ndim - 1] = (shape[ndim - 1] + UNIT - 1) // UNIT
    if rows_together(n_in, operands, ndim, shape):
        units[ndim - 2] = (shape[ndim - 2] + ROWS - 1) // ROWS
    job.loop, job.operands, job.shape = loop, operands, shape
    job.n_in, job.ndim = n_in, ndim
    job.dim = dim_to_split(ndim, units)
    job.unit = UNIT if job.dim == ndim - 1 else ROWS if units[job.dim] != shape[job.dim] else 1
    parallel_for(units[job.dim], (GRAIN_SLOW if loop.slow else GRAIN) * units[job.dim] // count, run_units, &job)


cdef void run_units(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    """A piece of a Job."""
    cdef Job* job = <Job*> ctx
    cdef Operand operands[5]
    cdef Py_ssize_t shape[64]
    cdef Py_ssize_t first = begin * job.unit
    cdef int d, k
    for d in range(job.ndim):
        shape[d] = job.shape[d]
    shape[job.dim] = min(end * job.unit, job.shape[job.dim]) - first
    for k in range(job.n_in + 1):
        operands[k].dtype = job.operands[k].dtype
        operands[k].data = job.operands[k].data + first * job.operands[k].strides[job.dim]
        for d in range(job.ndim):
            operands[k].strides[d] = job.operands[k].strides[d]
    run_over(job.loop, job.n_in, operands, job.ndim, shape, True)


cdef void run_over(Loop* loop, int n_in, Operand* operands, int ndim, Py_ssize_t* shape, bint merged) noexcept nogil:
    """The loop along the last dim, the other dims around it."""
    cdef int n_op = n_in + 1, i, k, together
    cdef Py_ssize_t index[64]
    cdef char* args[5]
    cdef Py_ssize_t inner = 1
    cdef Py_ssize_t steps[5]
    if not merged:
        ndim = merge_dims(n_op, operands, ndim, shape)
    together = rows_together(n_in, operands, ndim, shape)
    if ndim:
        inner = shape[ndim - 1]
    for k in range(n_op):
        args[k] = operands[k].data
        steps[k] = operands[k].strides[ndim - 1] if ndim else 0
    for i in range(ndim):
        index[i] = 0
    while True:
        if together:
            run_rows(loop, n_in, operands, args, ndim, shape, together)
        else:
            run_inner(loop, n_in, operands, args, steps, inner)
        i = ndim - 3 if together else ndim - 2
        while i >= 0:
            index[i] += 1
            for k in range(n_op):
                args[k] += operands[k].strides[i]
            if index[i] < shape[i]:
                break
            for k in range(n_op):
                args[k] -= operands[k].strides[i] * shape[i]
            index[i] = 0
            i -= 1
        if i < 0:
            return


cdef inline bint lies_in_rows(Operand* o, int ndim, Py_ssize_t n) noexcept nogil:
    """Whether the rows of an operand, of n elements each, lie one behind the other."""
    return o.strides[ndim - 2] == o.strides[ndim - 1] * n


cdef int rows_together(int n_in, Operand* operands, int ndim, const Py_ssize_t* shape) noexcept nogil:
    """The number of rows that one stretch takes; 0: each is one. Note [Short rows]"""
    cdef Py_ssize_t n
    cdef int k
    if ndim < 2 or shape[ndim - 1] > SHORT or shape[ndim - 2] < ROWS:
        return 0
    n = shape[ndim - 1]
    if not lies_in_rows(&operands[n_in], ndim, n):
        return 0
    for k in range(n_in):
        if n > SHORT_APART and operands[k].strides[ndim - 2] and not lies_in_rows(&operands[k], ndim, n):
            return 0
    return <int> (max(BLOCK // n // ROWS, 1) * ROWS)


cdef void run_rows(
    Loop* loop, int n_in, Operand* operands, char** args, int ndim, const Py_ssize_t* shape, int together
) noexcept nogil:
    """The last two dims, many rows at a time. Note [Short rows]"""
    cdef double room[4][(ROWS * SHORT + 8) * 2]        # 16 bytes an element
    cdef char* own[5]
    cdef Py_ssize_t steps[5]
    cdef Py_ssize_t outer, done = 0, some, n = shape[ndim - 1], rows = shape[ndim - 2]
    cdef int k
    while done < rows:
        some = min(<Py_ssize_t> together, rows - done)
        for k in range(n_in + 1):
            outer, steps[k] = operands[k].strides[ndim - 2], operands[k].strides[ndim - 1]
            own[k] = args[k] + done * outer
            if not lies_in_rows(&operands[k], ndim, n):
                if outer or done == 0:
                    lay_out(FACTS.itemsize[operands[k].dtype], own[k], outer, steps[k], <char*> room[k], some, n)
                own[k], steps[k] = <char*> room[k], FACTS.itemsize[operands[k].dtype]
        run_inner(loop, n_in, operands, own, steps, some * n)
        done += some


ctypedef fused Item:
    uint8_t
    uint16_t
    uint32_t
    uint64_t
    double complex


cdef inline void lay_out_items(
    Item* to, const char* rows, Py_ssize_t outer, Py_ssize_t step, Py_ssize_t n_rows, Py_ssize_t n
) noexcept nogil:
    cdef Py_ssize_t _r, j, k
    cdef Item item
    for _r in range(n_rows):
        if step:
            for j in range(n):
                to[j] = (<const Item*> (rows + j * step))[0]
        else:
            item = (<const Item*> rows)[0]
            for j in range(0, n, 8):   # up to 7 too many, which the next row overwrites: whole vectors
                for k in range(8):
                    to[j + k] = item
        to += n
        rows += outer


cdef void lay_out(
    int itemsize, const char* rows, Py_ssize_t outer, Py_ssize_t step, char* to, Py_ssize_t n_rows, Py_ssize_t n
) noexcept nogil:
    """Rows of n elements, one behind the other."""
    if itemsize == 4:
        lay_out_items(<uint32_t*> to, rows, outer, step, n_rows, n)
    elif itemsize == 8:
        lay_out_items(<uint64_t*> to, rows, outer, step, n_rows, n)
    elif itemsize == 1:
        lay_out_items(<uint8_t*> to, rows, outer, step, n_rows, n)
    elif itemsize == 2:
        lay_out_items(<uint16_t*> to, rows, outer, step, n_rows, n)
    else:
        lay_out_items(<double complex*> to, rows, outer, step, n_rows, n)


cdef int merge_dims(int n_op, Operand* operands, int ndim, Py_ssize_t* shape) noexcept nogil:
    """Sort dims by the output's strides, drop those of size 1, merge neighbors that are dense in every operand."""
    cdef int order[64]
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[5][64]
    cdef int i, k, d, n = 0
    cdef bint joined
    if ndim == 0:
        return 0
    sort_dims(ndim, operands[n_op - 1].strides, order)
    for i in range(ndim):
        d = order[i]
        if shape[d] == 1:
            continue
        joined = n > 0
        for k in range(n_op):
            joined = joined and strides[k][n - 1] == operands[k].strides[d] * shape[d]
        if joined:
            sizes[n - 1] *= shape[d]
        else:
            sizes[n] = shape[d]
            n += 1
        for k in range(n_op):
            strides[k][n - 1] = operands[k].strides[d]
    for i in range(n):
        shape[i] = sizes[i]
        for k in range(n_op):
            operands[k].strides[i] = strides[k][i]
    return n


cdef void run_inner(
    Loop* loop, int n_in, Operand* operands, char** args, Py_ssize_t* steps, Py_ssize_t n
) noexcept nogil:
    """One stretch: the loop itself, or block by block through conversions. Note [Blocks]."""
    cdef bint plain = operands[n_in].dtype == loop.out
    cdef int k
    cdef char* own[5]
    for k in range(n_in):
        plain = plain and operands[k].dtype == (loop.compute if k else loop.first)
    if plain:
        for k in range(n_in + 1):
            own[k] = args[k]
        loop.fn(own, <npy_intp*> &n, <npy_intp*> steps, loop.data)
    else:
        run_blocks(loop, n_in, operands, args, steps, n)


cdef void run_blocks(
    Loop* loop, int n_in, Operand* operands, char** args, Py_ssize_t* steps, Py_ssize_t n
) noexcept nogil:
    cdef double room[5][BLOCK * 2]     # 16 bytes an element
    cdef char* own[5]
    cdef char* at[5]
    cdef Py_ssize_t strides[5]
    cdef Py_ssize_t done = 0, some
    cdef int k, wanted
    while done < n:
        some = n - done if n - done < BLOCK else BLOCK
        for k in range(n_in + 1):
            wanted = loop.out if k == n_in else loop.compute if k else loop.first
            at[k] = args[k] + done * steps[k]
            own[k] = at[k]
            strides[k] = steps[k]
            if operands[k].dtype != wanted:
                own[k] = <char*> room[k]
                strides[k] = FACTS.itemsize[wanted]
                if k < n_in:
                    cast(operands[k].dtype, wanted)(at[k], steps[k], own[k], strides[k], some)
        loop.fn(own, <npy_intp*> &some, <npy_intp*> strides, loop.data)
        if operands[n_in].dtype != loop.out:
            cast(loop.out, operands[n_in].dtype)(<char*> room[n_in], FACTS.itemsize[loop.out], at[n_in], steps[n_in],
                                                 some)
        done += some
