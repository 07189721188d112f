"""What a listener is told, and what happens to one that raises."""
from cpython.ref cimport PyObject

from wengert_engine.observe.observers cimport Observer

# whether it could be told
cdef bint tell(Observer here, int kind, PyObject* what, PyObject* const* args, Py_ssize_t n_args, int out_slot) noexcept
cdef int tell_end(Observer here) noexcept
