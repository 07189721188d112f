"""The shapes of an operation's arguments: as numbers for a recording, as lists for a listener."""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_engine.observe.event_buffer cimport Recording

# The entry of the recording's ``words`` that holds the shapes.
cdef uint32_t shapes_of(Recording recording, PyObject* const* args, Py_ssize_t n_args, int out_slot) noexcept
cdef list list_shapes(PyObject* const* args, Py_ssize_t n_args, int out_slot)
