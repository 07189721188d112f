"""Tensors from Python data: nested sequences, numbers, arrays."""
from cpython.ref cimport PyObject

from wengert_core.tensors.tensor cimport Tensor

cdef Tensor tensor_of_data(object data, int code)                    # always a copy; code -1: the dtype of the data
cdef Tensor copy_as(Tensor t, int code)                              # strides preserved, no history
cdef int dtype_code(object spec) except -2                           # of a dtype= argument; None: -1
cdef int scalar_code(PyObject* value) except -2                      # dtype that a fill value stands for; -1: no number
