from cpython.ref cimport PyObject

from wengert_core.dispatch.op cimport Op

cdef object made(Op op, PyObject** slots)
