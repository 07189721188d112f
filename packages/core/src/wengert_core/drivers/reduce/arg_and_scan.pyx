"""Kernels for ops along one dim: where extremes are, extremes with their places, running sums and products.

What has no kernel (an empty tensor, a dtype, WENGERT_KERNELS=python) goes to the row's reference through dimwise.pyx.
"""
from cpython.mem cimport PyMem_Calloc
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t, uint64_t

from wengert_core.dispatch.keep_alive cimport hold_if_large
from wengert_core.dispatch.op cimport Op, op_error
from wengert_core.drivers.out_argument cimport finish_result
from wengert_core.drivers.reduce.dimwise cimport along_run, requested_code, check_dtype, several
from wengert_core.drivers.reduce.reduce cimport (
    REDUCE_INDEX, REDUCE_SAME, Reduction, new_reduction, reduce_fresh, wrapped_dim
)
from wengert_core.dtypes.dtypes cimport CAT_FLOAT, INT64, N_DTYPES, DTypeFacts, dtype_facts
from wengert_core.exchange.arrays cimport contiguous_copy, convert_copy
from wengert_core.exchange.device_memory cimport runs_on_device
from wengert_core.kernels.reduce.scan cimport find_scan, scan_fn
from wengert_core.runtime.config cimport ONLY_REFERENCES
from wengert_core.runtime.thread_pool cimport LARGE
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor, new_empty

cdef enum:
    WITHOUT_GIL = 0x8000

cdef struct Lines:                     # Op.data of these ops
    Reduction* indices
    Reduction* values
    scan_fn scans[N_DTYPES]            # by the input's dtype
    int dim_slot
    int keepdim_slot

cdef DTypeFacts* FACTS = dtype_facts()


def configure(Op op, str kind, str name):
    """Give an along op its kernels. kind: "index", "extreme" (named "max" or "min") or "scan"."""
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
    else:
        lines.indices = new_reduction(name if kind == "index" else f"arg{name}", REDUCE_INDEX)
        lines.values = new_reduction(f"a{name}", REDUCE_SAME) if kind == "extreme" else NULL
    op.data = lines
    if kind == "index":
        op.run = index_run
    elif kind == "extreme":
        op.run = extreme_run
    else:
        op.run = scan_run


cdef object index_run(Op op, PyObject** slots, uint32_t live):
    """argmax, argmin: of a whole tensor the place in row-major order."""
    cdef Lines* lines = <Lines*> op.data
    cdef Tensor t
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
        t = t if t.flags & TF_CONTIGUOUS else contiguous_copy(t)
    else:
        mask = <uint64_t> 1 << wrapped_dim(<object> slots[lines.dim_slot], t.rank)
    return finish_result(op, slots, reduce_fresh(op, lines.indices, t, mask, <object> slots[lines.keepdim_slot]),
                         INT64, live)


cdef object extreme_run(Op op, PyObject** slots, uint32_t live):
    """max, min along a dim: one pass for the values, one for the places."""
    cdef Lines* lines = <Lines*> op.data
    cdef Tensor t, values, indices
    cdef uint64_t mask
    if not isinstance(<object> slots[0], Tensor):
        raise op_error(op, 0, "Tensor", slots[0])
    t = <Tensor> slots[0]
    t = hold_if_large(t)
    check_dtype(op, t.code)
    if t.count == 0 or runs_on_device() or lines.values.fns[t.code] == NULL or lines.indices.fns[t.code] == NULL:
        return along_run(op, slots, live)
    mask = <uint64_t> 1 << wrapped_dim(<object> slots[lines.dim_slot], t.rank)
    values = reduce_fresh(op, lines.values, t, mask, <object> slots[lines.keepdim_slot])
    indices = reduce_fresh(op, lines.indices, t, mask, <object> slots[lines.keepdim_slot])
    return several(op, slots, [values, indices], live)


cdef object scan_run(Op op, PyObject** slots, uint32_t live):
    """cumsum, cumprod: over a row-major copy where the tensor is not row-major itself."""
    cdef Lines* lines = <Lines*> op.data
    cdef Tensor t, out
    cdef int asked, dim
    if not isinstance(<object> slots[0], Tensor):
        raise op_error(op, 0, "Tensor", slots[0])
    t = <Tensor> slots[0]
    t = hold_if_large(t)
    dim = wrapped_dim(<object> slots[lines.dim_slot], t.rank)
    asked = requested_code(op, slots, t)
    if t.code != asked and (FACTS.category[asked] >= CAT_FLOAT or FACTS.category[t.code] >= CAT_FLOAT):
        t = convert_copy(t, asked)
    elif not t.flags & TF_CONTIGUOUS:
        t = contiguous_copy(t)
    if lines.scans[t.code] == NULL or runs_on_device():
        return along_run(op, slots, live)
    out = new_empty(t.code if FACTS.category[t.code] >= CAT_FLOAT else INT64, t.rank, t.dims)
    if t.count:
        scan(lines.scans[t.code], t, dim, out)
    return finish_result(op, slots, out, asked, live)


cdef int scan(scan_fn fn, Tensor t, int dim, Tensor out) except -1:
    """Lines of a row-major tensor: side by side in blocks, or one after the other along the last dim."""
    cdef Py_ssize_t blocks = 1, n = t.dims[dim] if t.rank else 1, side = 1, i
    cdef Py_ssize_t item = FACTS.itemsize[t.code], out_item = FACTS.itemsize[out.code]
    cdef char* data = t.data
    cdef char* target = out.data
    for i in range(t.rank):
        if i < dim:
            blocks *= t.dims[i]
        elif i > dim:
            side *= t.dims[i]
    if t.count < LARGE:
        scan_blocks(fn, data, target, blocks, n, side, item, out_item)
    else:
        with nogil:
            scan_blocks(fn, data, target, blocks, n, side, item, out_item)
    return 0


cdef void scan_blocks(
    scan_fn fn, char* data, char* target, Py_ssize_t blocks, Py_ssize_t n, Py_ssize_t side, Py_ssize_t item,
    Py_ssize_t out_item
) noexcept nogil:
    cdef Py_ssize_t i
    if side == 1:
        fn(data, blocks, n * item, n, item, target, n * out_item, out_item)
        return
    for i in range(blocks):
        fn(data + i * n * side * item, side, item, n, side * item,
           target + i * n * side * out_item, out_item, side * out_item)
