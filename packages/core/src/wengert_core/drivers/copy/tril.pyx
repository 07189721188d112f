"""tril and triu: a copy whose elements on the other side of a diagonal are 0."""


from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t
from libc.string cimport memset

from wengert_core.dispatch.arguments cimport int_slot
from wengert_core.dispatch.keep_alive cimport hold_if_large
from wengert_core.dispatch.op cimport OP_INPLACE, Op
from wengert_core.drivers.kernel_launch cimport add_tensor, tell_kernel
from wengert_core.drivers.out_argument cimport into_out
from wengert_core.drivers.references cimport call_reference, result_into
from wengert_core.drivers.steps cimport after_write, before_write, record
from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.exchange.arrays cimport array_of, contiguous_copy
from wengert_core.exchange.device_memory cimport without_kernels
from wengert_core.runtime.launches cimport OPERAND_UPDATED, Launch, count_recorders, tell_complete
from wengert_core.runtime.state cimport WG_RECORD, WG_TELL, thread_state
from wengert_core.tensors.tensor cimport Tensor, shape_tuple

cdef struct Triangles:
    Py_ssize_t diagonal
    Py_ssize_t itemsize
    bint lower                         # that is what stays
    int rank
    Py_ssize_t dims[64][2]             # sizes and strides, rank of them

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()


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
        clear_matrices(target, diagonal, op.data != NULL)
    if live & WG_TELL:
        tell_complete(<void*> op)
    if op.flags & OP_INPLACE:
        after_write(op, slots, <Tensor> slots[0], live, keep)
        return <object> slots[0]
    asked = into_out(op, slots, target, live)
    if asked is not None:
        return asked
    if live & WG_RECORD:
        record(op, slots, target, live)
    return target


cdef int clear_matrices(Tensor t, Py_ssize_t diagonal, bint lower) except -1:
    cdef Triangles p
    cdef int i
    p.diagonal, p.lower, p.itemsize, p.rank = diagonal, lower, FACTS.itemsize[t.code], t.rank
    for i in range(t.rank):
        p.dims[i][0], p.dims[i][1] = t.dims[i], t.dims[t.rank + i]
    each_matrix(&p, t.data)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_triangles(&p, t)
    return 0


cdef void each_matrix(Triangles* p, char* data) noexcept nogil:
    """Walk the dims before the last two."""
    cdef Py_ssize_t counter[64]
    cdef int i
    for i in range(p.rank):
        counter[i] = 0
    while True:
        clear(p, data)
        i = p.rank - 3
        while i >= 0:
            counter[i] += 1
            data += p.dims[i][1]
            if counter[i] < p.dims[i][0]:
                break
            data -= p.dims[i][1] * p.dims[i][0]
            counter[i] = 0
            i -= 1
        if i < 0:
            return


cdef void clear(Triangles* p, char* data) noexcept nogil:
    """Zero one side of a diagonal of one matrix."""
    cdef Py_ssize_t rows = p.dims[p.rank - 2][0], columns = p.dims[p.rank - 1][0]
    cdef Py_ssize_t row_step = p.dims[p.rank - 2][1], step = p.dims[p.rank - 1][1]
    cdef Py_ssize_t i, j, start, end
    for i in range(rows):
        if p.lower:
            start, end = min(max(i + p.diagonal + 1, 0), columns), columns
        else:
            start, end = 0, min(max(i + p.diagonal, 0), columns)
        if step == p.itemsize:
            memset(data + i * row_step + start * step, 0, (end - start) * p.itemsize)
        else:
            for j in range(start, end):
                memset(data + i * row_step + j * step, 0, p.itemsize)


# ---- launches

cdef int run_launch(Launch* launch) noexcept nogil:
    each_matrix(<Triangles*> launch.plan, launch.data[0])
    return 0


cdef int tell_triangles(Triangles* p, Tensor t) except -1:
    add_tensor(tell_kernel(run_launch, p, <Py_ssize_t> sizeof(Triangles) - (64 - p.rank) * 16), t, OPERAND_UPDATED)
    return 0
