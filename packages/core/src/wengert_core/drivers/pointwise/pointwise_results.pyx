"""Results of pointwise ops: out=, the tensor itself, or a new one with the order of dims that the inputs have."""
from cpython.ref cimport PyObject

from wengert_core.dispatch.arguments cimport scalar_name
from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.memory_overlap cimport WRITES_APART, check_input
from wengert_core.drivers.pointwise.pointwise_record cimport MOST_OPERANDS, PROMOTE_TO_REAL, Pointwise
from wengert_core.drivers.steps cimport can_cast
from wengert_core.dtypes.dtypes cimport CAT_COMPLEX, DTypeFacts, dtype_facts, dtype_of
from wengert_core.tensors.memory_format cimport dense_strides, order_of
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor, new_empty, shape_tuple

cdef DTypeFacts* FACTS = dtype_facts()


cdef int check_given(Op op, PyObject** slots, int n_in, int ndim, const Py_ssize_t* shape) except -1:
    """Return whether out= has the result's shape. RuntimeError where it has not, but an input's memory: that is read
    after a resize.
    """
    cdef Tensor out
    cdef int i
    cdef bint same
    if not isinstance(<object> slots[op.out_slot], Tensor):
        return 0
    out = <Tensor> slots[op.out_slot]
    same = out.rank == ndim
    for i in range(ndim):
        same = same and out.dims[i] == shape[i]
    for i in range(0 if same else n_in):
        if slots[i] == <PyObject*> out:
            raise RuntimeError(f"output with shape {list(shape_tuple(out))} doesn't match the broadcast shape "
                               f"{[shape[m] for m in range(ndim)]}: out= of {op.name} is its argument '{op.params[i]}' "
                               "as well, and cannot be resized")
        if isinstance(<object> slots[i], Tensor):
            check_input(op, WRITES_APART, i, <Tensor> slots[i], out)
    return same


cdef Tensor inplace_target(Op op, PyObject** slots, int code, int ndim, Py_ssize_t* shape):
    """Slot 0, when it can take the result."""
    cdef Tensor t = <Tensor> slots[0]
    cdef int i
    cdef bint same = t.rank == ndim
    for i in range(ndim):
        same = same and t.dims[i] == shape[i]
    if not same:
        raise RuntimeError(f"output with shape {list(shape_tuple(t))} doesn't match the broadcast shape "
                           f"{[shape[i] for i in range(ndim)]}: {op.name} cannot enlarge the tensor it writes to")
    if (<Pointwise*> op.data).promotion == PROMOTE_TO_REAL and FACTS.category[t.code] == CAT_COMPLEX:
        raise RuntimeError(f"In-place {op.out_of_place.name} is not supported for complex tensors.")
    if not can_cast(code, t.code):
        raise RuntimeError(f"result type {scalar_name(code)} can't be cast to the desired output type "
                           f"{scalar_name(t.code)}: {op.name} on a tensor of {dtype_of(t.code)!r} would lose the "
                           f"{dtype_of(code)!r} result; use the op without the underscore, or convert first "
                           "(see docs/errors/dtype-mismatch)")
    return t


cdef Tensor new_result(int code, PyObject** slots, int n, int ndim, Py_ssize_t* shape):
    """Return a fresh result; its dims lie in the order of the first input that tells two of them apart, as in torch."""
    cdef Tensor out = new_empty(code, ndim, shape)
    if ndim > 1:
        lay_out_as_inputs(out, slots, n, ndim, shape)
    return out


cdef int lay_out_as_inputs(Tensor out, PyObject** slots, int n, int ndim, const Py_ssize_t* shape) except -1:
    """Give a row-major tensor without gaps, which holds nothing yet, the order of dims that the inputs have."""
    cdef Py_ssize_t strides[MOST_OPERANDS][64]
    cdef const Py_ssize_t* read[MOST_OPERANDS]
    cdef int order[64]
    cdef Tensor t
    cdef int i, k, n_read = 0, offset
    cdef bint rows = True, whole
    for i in range(n):
        if not isinstance(<object> slots[i], Tensor):
            continue
        t = <Tensor> slots[i]
        rows = rows and t.flags & TF_CONTIGUOUS != 0
        offset = ndim - t.rank
        whole = offset == 0
        for k in range(t.rank):
            whole = whole and t.dims[k] == shape[k]
        if rows and whole:
            return 0
        for k in range(ndim):
            strides[n_read][k] = 0 if k < offset or t.dims[k - offset] != shape[k] else t.dims[t.rank + k - offset]
        read[n_read] = strides[n_read]
        n_read += 1
    if out.count and n_read:
        order_of(ndim, n_read, read, shape, order)
        dense_strides(out, order)
    return 0
