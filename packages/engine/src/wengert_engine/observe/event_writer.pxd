"""Events of a recording: what is written when something begins, and when it ends."""
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

from wengert_core.dispatch.op cimport Op
from wengert_engine.observe.event_buffer cimport Recording
from wengert_engine.observe.observers cimport Observer

# an event that begins now: its index; -1: there is no memory left
cdef int64_t open_event(
    Observer here, int kind, PyObject* what, PyObject* const* args, Py_ssize_t n_args, int out_slot
) noexcept
# it ends now, and so do those inside which an exception has left open. result: borrowed, or NULL
cdef void close_event(Observer here, Recording recording, int64_t index, PyObject* result) noexcept
# an event for bytes that were allocated and freed between events: its index, or -1
cdef int64_t note_memory(Observer here, Py_ssize_t change) noexcept
cdef object run_recorded(Op op, PyObject** slots, Observer here)    # the whole of it where nobody else observes
