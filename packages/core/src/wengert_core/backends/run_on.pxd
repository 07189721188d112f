from cpython.ref cimport PyObject

from wengert_core.dispatch.op cimport Op
from wengert_core.tensors.tensor cimport Tensor

cdef object run_at(Op op, PyObject** slots, unsigned int device_number)
cdef Tensor empty_preserved(unsigned int device_number, Tensor t, int code)
cdef Tensor pinned_copy_target(Tensor t)
