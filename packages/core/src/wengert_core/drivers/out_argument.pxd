"""Results into tensors that out= gives."""
from cpython.ref cimport PyObject

from libc.stdint cimport uint32_t

from wengert_core.dispatch.op cimport Op
from wengert_core.tensors.tensor cimport Tensor

cdef Tensor into_out(Op op, PyObject** slots, Tensor result, uint32_t live)
cdef int lay_out_as(Op op, Tensor given, Tensor result) except -1       # of a tensor that was resized; some ops keep the result's order of dims
