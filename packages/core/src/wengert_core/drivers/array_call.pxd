"""The driver of the array family."""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.op cimport Op

cdef object array_run(Op op, PyObject** slots, uint32_t live)
