"""The factor alpha of add and sub."""
from cpython.ref cimport PyObject

from wengert_core.dispatch.op cimport Op

cdef object scale_other(Op op, PyObject** slots, int alpha_slot)       # other * alpha
