"""Saved values: read with the checks that make a wrong gradient impossible."""
from cpython.ref cimport PyObject

from wengert_engine.graph.node cimport Node

cdef object saved_value(Node node, int index, bint create_graph)
cdef int enter_write(Node outer, Node inner) except -1  # inner's saved outputs are read now, on behalf of a CopySlices
cdef int leave_write(Node inner) except -1
cdef bint is_view_gradient(PyObject* node) noexcept
