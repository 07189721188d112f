"""The driver of ops that work along one dim."""
from cpython.ref cimport PyObject

from libc.stdint cimport uint32_t

from wengert_core.dispatch.op cimport Op
from wengert_core.tensors.tensor cimport Tensor

cdef object along_run(Op op, PyObject** slots, uint32_t live)
cdef int check_dtype(Op op, int code) except -1
cdef int requested_code(Op op, PyObject** slots, Tensor t) except -1
cdef object several(Op op, PyObject** slots, list results, uint32_t live)
