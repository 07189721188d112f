"""The shortest ways of pointwise calls. See pointwise_direct.pyx."""
from cpython.ref cimport PyObject

from wengert_core.dispatch.op cimport Op

# Op.call1 and Op.call2
cdef object unary_call(Op op, PyObject* a)
cdef object binary_call(Op op, PyObject* a, PyObject* b)
cdef object inplace_unary_call(Op op, PyObject* a)
cdef object inplace_binary_call(Op op, PyObject* a, PyObject* b)
# The result for bound slots which hold one tensor, or three, that fit the loop as they are; else None
cdef object call_directly(Op op, PyObject** slots)
cdef object missing(Op op, int slot)                   # the TypeError of an argument that is not there
