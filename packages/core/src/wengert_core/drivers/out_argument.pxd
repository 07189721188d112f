"""Results into tensors that out= gives."""
from cpython.ref cimport PyObject

from libc.stdint cimport uint32_t

from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.steps cimport prepare_given_out, record
from wengert_core.exchange.arrays cimport convert_copy
from wengert_core.tensors.tensor cimport Tensor

cdef Tensor into_out(Op op, PyObject** slots, Tensor result, uint32_t live)
cdef object write_tuple(Op op, PyObject** slots, list results, uint32_t live)               # out=(values, indices)
# of a tensor that was resized; some ops keep the result's order of dims
cdef int lay_out_as(Op op, Tensor given, Tensor result) except -1


cdef inline object finish_result(Op op, PyObject** slots, Tensor out, int code, uint32_t live):
    """The result in its dtype, in out= if given, recorded if not."""
    if out.code != code:
        out = convert_copy(out, code)
    if prepare_given_out(op, slots) != <PyObject*> None:
        return into_out(op, slots, out, live)
    if live:
        record(op, slots, out, live)
    return out
