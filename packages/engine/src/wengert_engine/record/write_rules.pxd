"""Rules for writes: see write_rules.pyx."""
from cpython.ref cimport PyObject

from wengert_core.dispatch.op cimport Op
from wengert_core.tensors.tensor cimport Tensor

cdef int check_captured(Op op, PyObject** slots) except -1   # with WG_GUARD: before a write to slot 0
cdef int check_write(Tensor t, str name, bint recorded) except -1
cdef int check_origin(Tensor view, str name) except -1
