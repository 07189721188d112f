"""tril and triu: a copy whose elements on the other side of a diagonal are 0."""


from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t
from libc.string cimport memset

from wengert_core.dispatch.arguments cimport int_slot
from wengert_core.dispatch.keep_alive cimport hold_if_large
from wengert_core.dispatch.op cimport OP_INPLACE, Op
from wengert_core.drivers.out_argument cimport into_out
from wengert_core.drivers.references cimport call_reference, result_into
from wengert_core.drivers.steps cimport after_write, before_write, record
from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.exchange.arrays cimport array_of, contiguous_copy
from wengert_core.exchange.device_memory cimport without_kernels
from wengert_core.runtime.state cimport WG_RECORD
from wengert_core.tensors.tensor cimport Tensor, shape_tuple

cdef DTypeFacts* FACTS = dtype_facts()


def configure(Op op, bint lower):
    """Make ``op`` tril (lower) or triu, or its in-place variant."""
    op.run = triangle_run
    op.data = <void*> <Py_ssize_t> lower


cdef object triangle_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor t = <Tensor> slots[0], target = t, asked
    cdef Op plain = op.out_of_place if op.flags & OP_INPLACE else op
    cdef Py_ssize_t diagonal
    cdef PyObject* keep = NULL
    t = target = hold_if_large(t)
    diagonal = int_slot(op, slots, 1)
    if t.rank < 2:
        raise RuntimeError(f"{plain.name}: input tensor must have at least 2 dimensions, its shape is "
                           f"{list(shape_tuple(t))}")
    diagonal = min(max(diagonal, -t.dims[t.rank - 2]), t.dims[t.rank - 1])
    if op.flags & OP_INPLACE:
        before_write(op, slots, <Tensor> slots[0], live, &keep)
    else:
        target = contiguous_copy(t)
    if without_kernels():
        result_into(plain, call_reference(plain, [array_of(target), diagonal]), target)
    elif target.count:
        each_matrix(target, diagonal, op.data != NULL)
    if op.flags & OP_INPLACE:
        after_write(op, slots, <Tensor> slots[0], live, keep)
        return <object> slots[0]
    asked = into_out(op, slots, target, live)
    if asked is not None:
        return asked
    if live & WG_RECORD:
        record(op, slots, target, live)
    return target


cdef void each_matrix(Tensor t, Py_ssize_t diagonal, bint lower) noexcept:
    """Walk the dims before the last two."""
    cdef Py_ssize_t counter[64]
    cdef char* data = t.data
    cdef int i
    for i in range(t.rank):
        counter[i] = 0
    while True:
        clear(t, data, diagonal, lower)
        i = t.rank - 3
        while i >= 0:
            counter[i] += 1
            data += t.dims[t.rank + i]
            if counter[i] < t.dims[i]:
                break
            data -= t.dims[t.rank + i] * t.dims[i]
            counter[i] = 0
            i -= 1
        if i < 0:
            return


cdef void clear(Tensor t, char* data, Py_ssize_t diagonal, bint lower) noexcept:
    """Zero one side of a diagonal of one matrix."""
    cdef Py_ssize_t rows = t.dims[t.rank - 2], columns = t.dims[t.rank - 1]
    cdef Py_ssize_t row_step = t.dims[2 * t.rank - 2], step = t.dims[2 * t.rank - 1]
    cdef Py_ssize_t itemsize = FACTS.itemsize[t.code], i, j, start, end
    for i in range(rows):
        if lower:
            start, end = min(max(i + diagonal + 1, 0), columns), columns
        else:
            start, end = 0, min(max(i + diagonal, 0), columns)
        if step == itemsize:
            memset(data + i * row_step + start * step, 0, (end - start) * itemsize)
        else:
            for j in range(start, end):
                memset(data + i * row_step + j * step, 0, itemsize)
