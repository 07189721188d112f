"""Kernels for ops along one dim: where extremes are, extremes with their places, running sums, products and extremes.

What has no kernel (an empty tensor, a dtype, WENGERT_KERNELS=python) goes to the row's reference through dimwise.pyx.
"""
from cpython.mem cimport PyMem_Calloc
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t, uint32_t, uint64_t

from wengert_core.dispatch.keep_alive cimport hold_if_large
from wengert_core.dispatch.op cimport Op, op_error
from wengert_core.drivers.index.index_iterator cimport WALK_READ, walk_along
from wengert_core.drivers.kernel_launch cimport add_tensor, tell_kernel
from wengert_core.drivers.out_argument cimport finish_result
from wengert_core.drivers.reduce.dimwise cimport along_run, requested_code, check_dtype, several
from wengert_core.drivers.reduce.reduce cimport REDUCE_INDEX, REDUCE_SAME, Reduction, new_reduction, wrapped_dim
from wengert_core.drivers.reduce.reduce_dims cimport reduce_fresh
from wengert_core.dtypes.dtypes cimport CAT_FLOAT, INT64, N_DTYPES, DTypeFacts, dtype_facts
from wengert_core.exchange.arrays cimport contiguous_copy, convert_copy, row_major
from wengert_core.exchange.device_memory cimport runs_on_device
from wengert_core.kernels.reduce.scan cimport find_extremes, find_scan, run_extremes, scan_fn
from wengert_core.runtime.config cimport ONLY_REFERENCES
from wengert_core.runtime.launches cimport OPERAND_READ, OPERAND_WRITTEN, Launch, count_recorders, tell_complete
from wengert_core.runtime.state cimport WG_TELL, thread_state
from wengert_core.runtime.thread_pool cimport LARGE
from wengert_core.tensors.tensor cimport Tensor, new_empty, new_view

cdef enum:
    MANY = 0x800                       # elements, and of a line, from which on values are read at their indices
    LONG = 16

cdef struct Lines:                     # Op.data of these ops
    Reduction* indices
    Reduction* values
    scan_fn scans[N_DTYPES]            # by the input's dtype
    const void* extremes[N_DTYPES]     # running ones
    int dim_slot
    int keepdim_slot

cdef struct Scan:                      # lines of n elements, ``side`` of them side by side in each block
    scan_fn fn
    const void* extremes               # running ones; NULL where fn runs
    Py_ssize_t blocks, n, side
    Py_ssize_t block_step, step, side_step         # bytes, in the source; the result is row-major
    Py_ssize_t out_item                # bytes of an element of the result

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()


def configure(Op op, str kind, str name):
    """Give an along op its kernels. kind: "index", "extreme" (named "max" or "min"), "scan" or "running"."""
    cdef Lines* lines
    cdef int code
    cdef bytes kernel = name.encode()
    if ONLY_REFERENCES:
        return
    lines = <Lines*> PyMem_Calloc(1, sizeof(Lines))
    if lines == NULL:
        raise MemoryError()
    lines.dim_slot = op.params.index("dim")
    lines.keepdim_slot = op.params.index("keepdim") if "keepdim" in op.params else -1
    if kind == "scan":
        for code in range(N_DTYPES):
            lines.scans[code] = find_scan(kernel, code, code if FACTS.category[code] >= CAT_FLOAT else INT64)
    elif kind == "running":
        for code in range(N_DTYPES):
            lines.extremes[code] = find_extremes(kernel, code)
    else:
        lines.indices = new_reduction(name if kind == "index" else f"arg{name}", REDUCE_INDEX)
        lines.values = new_reduction(f"a{name}", REDUCE_SAME) if kind == "extreme" else NULL
    op.data = lines
    if kind == "index":
        op.run = index_run
    elif kind == "extreme":
        op.run = extreme_run
    elif kind == "running":
        op.run = running_run
    else:
        op.run = scan_run


cdef object index_run(Op op, PyObject** slots, uint32_t live):
    """argmax, argmin: of a whole tensor the place in row-major order."""
    cdef Lines* lines = <Lines*> op.data
    cdef Tensor t, out
    cdef uint64_t mask
    if not isinstance(<object> slots[0], Tensor):
        raise op_error(op, 0, "Tensor", slots[0])
    t = <Tensor> slots[0]
    t = hold_if_large(t)
    check_dtype(op, t.code)
    if t.count == 0 or lines.indices.fns[t.code] == NULL or runs_on_device():
        return along_run(op, slots, live)
    if slots[lines.dim_slot] == <PyObject*> None:
        mask = <uint64_t> -1
        t = row_major(t)
    else:
        mask = <uint64_t> 1 << wrapped_dim(<object> slots[lines.dim_slot], t.rank)
    out = reduce_fresh(op, lines.indices, t, mask, <object> slots[lines.keepdim_slot])
    if live & WG_TELL:
        tell_complete(<void*> op)
    return finish_result(op, slots, out, INT64, live)


cdef object extreme_run(Op op, PyObject** slots, uint32_t live):
    """max, min along a dim: a pass for the places, and the values from there, or one from another pass."""
    cdef Lines* lines = <Lines*> op.data
    cdef Tensor t, values, indices
    cdef uint64_t mask
    cdef int dim
    if not isinstance(<object> slots[0], Tensor):
        raise op_error(op, 0, "Tensor", slots[0])
    t = <Tensor> slots[0]
    t = hold_if_large(t)
    check_dtype(op, t.code)
    if t.count == 0 or runs_on_device() or lines.values.fns[t.code] == NULL or lines.indices.fns[t.code] == NULL:
        return along_run(op, slots, live)
    dim = wrapped_dim(<object> slots[lines.dim_slot], t.rank)
    mask = <uint64_t> 1 << dim
    indices = reduce_fresh(op, lines.indices, t, mask, <object> slots[lines.keepdim_slot])
    if t.count >= MANY and t.dims[dim] >= LONG:
        values = values_at(t, dim, indices)
    else:
        values = reduce_fresh(op, lines.values, t, mask, <object> slots[lines.keepdim_slot])
    if live & WG_TELL:
        tell_complete(<void*> op)
    return several(op, slots, [values, indices], live)


cdef Tensor values_at(Tensor t, int dim, Tensor indices):
    """The element of each line along ``dim`` that is at its index; the indices may lack that dim."""
    cdef Py_ssize_t shape[64]
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t step = FACTS.itemsize[t.code]
    cdef Tensor values = new_empty(t.code, indices.rank, indices.dims)
    cdef int i
    for i in range(t.rank - 1, -1, -1):
        shape[i], strides[i] = 1 if i == dim else t.dims[i], step
        step *= shape[i]
    for i in range(t.rank):
        strides[i] = strides[i] // FACTS.itemsize[t.code] * <Py_ssize_t> sizeof(int64_t)
    indices = new_view(indices, t.rank, shape, strides, indices.data)
    for i in range(t.rank):
        strides[i] = strides[i] // <Py_ssize_t> sizeof(int64_t) * FACTS.itemsize[t.code]
    walk_along(WALK_READ, t, dim, indices, values, values.data, shape, strides)
    return values


cdef object scan_run(Op op, PyObject** slots, uint32_t live):
    """cumsum, cumprod, logcumsumexp: over a row-major copy where the dims before or behind the scanned one are not
    one stretch.
    """
    cdef Lines* lines = <Lines*> op.data
    cdef Tensor t, out
    cdef Scan s
    cdef int asked, dim
    if not isinstance(<object> slots[0], Tensor):
        raise op_error(op, 0, "Tensor", slots[0])
    t = <Tensor> slots[0]
    t = hold_if_large(t)
    dim = wrapped_dim(<object> slots[lines.dim_slot], t.rank)
    asked = requested_code(op, slots, t)
    if t.code != asked and (FACTS.category[asked] >= CAT_FLOAT or FACTS.category[t.code] >= CAT_FLOAT):
        t = convert_copy(t, asked)
    if lines.scans[t.code] == NULL or runs_on_device():
        return along_run(op, slots, live)
    if t.count and not as_lines(t, dim, &s):
        t = contiguous_copy(t)
        as_lines(t, dim, &s)
    out = new_empty(t.code if FACTS.category[t.code] >= CAT_FLOAT else INT64, t.rank, t.dims)
    if t.count:
        s.fn, s.extremes, s.out_item = lines.scans[t.code], NULL, FACTS.itemsize[out.code]
        scan(&s, t, out, None)
    if live & WG_TELL:
        tell_complete(<void*> op)
    return finish_result(op, slots, out, asked, live)


cdef object running_run(Op op, PyObject** slots, uint32_t live):
    """cummax, cummin: one pass for the values and the places."""
    cdef Lines* lines = <Lines*> op.data
    cdef Tensor t, values, places
    cdef Scan s
    cdef int dim
    if not isinstance(<object> slots[0], Tensor):
        raise op_error(op, 0, "Tensor", slots[0])
    t = <Tensor> slots[0]
    t = hold_if_large(t)
    check_dtype(op, t.code)
    if t.count == 0 or lines.extremes[t.code] == NULL or runs_on_device():
        return along_run(op, slots, live)
    dim = wrapped_dim(<object> slots[lines.dim_slot], t.rank)
    if not as_lines(t, dim, &s):
        t = contiguous_copy(t)
        as_lines(t, dim, &s)
    values, places = new_empty(t.code, t.rank, t.dims), new_empty(INT64, t.rank, t.dims)
    s.fn, s.extremes, s.out_item = NULL, lines.extremes[t.code], FACTS.itemsize[t.code]
    scan(&s, t, values, places)
    if live & WG_TELL:
        tell_complete(<void*> op)
    return several(op, slots, [values, places], live)


cdef bint as_lines(Tensor t, int dim, Scan* s) noexcept:
    """Fill in the lines along ``dim`` of a tensor that has elements, where they lie at equal steps."""
    cdef Py_ssize_t* strides = t.dims + t.rank
    s.n, s.step = 1, 0
    if t.rank:
        s.n, s.step = t.dims[dim], strides[dim]
    return one_section(t, 0, dim, &s.blocks, &s.block_step) and one_section(t, dim + 1, t.rank, &s.side, &s.side_step)


cdef bint one_section(Tensor t, int first, int end, Py_ssize_t* size, Py_ssize_t* step) noexcept:
    """Whether these dims are like one; fill in its size, and its stride in bytes."""
    cdef Py_ssize_t* strides = t.dims + t.rank
    cdef int i
    size[0], step[0] = 1, 0
    for i in range(end - 1, first - 1, -1):
        if t.dims[i] == 1:
            continue
        if size[0] == 1:
            step[0] = strides[i]
        elif strides[i] != step[0] * size[0]:
            return False
        size[0] *= t.dims[i]
    return True


cdef int scan(Scan* s, Tensor t, Tensor out, Tensor places) except -1:
    """places: of running extremes, or None."""
    cdef int64_t* at = NULL if places is None else <int64_t*> places.data
    if t.count < LARGE:
        scan_blocks(s, t.data, out.data, at)
    else:
        with nogil:
            scan_blocks(s, t.data, out.data, at)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_scan(s, t, out, places)
    return 0


cdef void scan_blocks(Scan* s, char* data, char* target, int64_t* places) noexcept nogil:
    """Lines side by side in blocks, or one after the other."""
    cdef Py_ssize_t i, done
    if s.side == 1:
        if s.extremes != NULL:
            run_extremes(s.extremes, data, s.blocks, s.block_step, s.n, s.step, target, places, s.n, 1)
        else:
            s.fn(data, s.blocks, s.block_step, s.n, s.step, target, s.n * s.out_item, s.out_item)
        return
    for i in range(s.blocks):
        done = i * s.n * s.side
        if s.extremes != NULL:
            run_extremes(s.extremes, data + i * s.block_step, s.side, s.side_step, s.n, s.step,
                         target + done * s.out_item, places + done, 1, s.side)
        else:
            s.fn(data + i * s.block_step, s.side, s.side_step, s.n, s.step, target + done * s.out_item, s.out_item,
                 s.side * s.out_item)


# ---- launches

cdef int run_launch(Launch* launch) noexcept nogil:
    cdef Scan* s = <Scan*> launch.plan
    scan_blocks(s, launch.data[0], launch.data[1], NULL if s.extremes == NULL else <int64_t*> launch.data[2])
    return 0


cdef int tell_scan(Scan* s, Tensor t, Tensor out, Tensor places) except -1:
    cdef Launch* made = tell_kernel(run_launch, s, sizeof(Scan))
    add_tensor(made, t, OPERAND_READ)
    add_tensor(made, out, OPERAND_WRITTEN)
    if places is not None:
        add_tensor(made, places, OPERAND_WRITTEN)
    return 0
