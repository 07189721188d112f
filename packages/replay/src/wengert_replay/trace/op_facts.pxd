"""Facts of operations and their arguments that decide how an operation is recorded. See op_facts.pyx."""
from cpython.ref cimport PyObject

from wengert_core.extend cimport Op

cdef bint writes_to_argument(Op op, PyObject** slots) noexcept
cdef bint depends_on_values(Op op)
cdef bint gives_values(Op op)
cdef bint are_views_of(list outputs, list arguments)
cdef Py_ssize_t bytes_of(list tensors)
