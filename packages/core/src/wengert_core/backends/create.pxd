from cpython.ref cimport PyObject

from wengert_core.dispatch.op cimport Op

cdef object make_on_device(Op op, PyObject** slots)
