"""Observer: what observes a thread. Note [Observers of a thread] in observers.pyx."""
from cpython.ref cimport PyObject

from wengert_engine.observe.event_buffer cimport Recording
from wengert_engine.observe.tracers cimport Tracer


cdef class Observer:
    cdef Recording recording           # or None
    cdef object listener               # or None
    cdef object watcher                # called with every tensor that is about to be written to; or None
    cdef Tracer tracer                 # told of every operation; or None
    cdef int open                      # index of the innermost running event of the recording; -1: none
    cdef int thread                    # this thread's number in the recording
    cdef int depth
    cdef bint active                   # there is one of the four: the thread's WG_OBSERVE is on
    cdef bint only_records             # ... and that is a recording without times of devices, and nothing else
    cdef Py_ssize_t in_use             # bytes when the last event ended

    cdef int settle(self) noexcept


cdef PyObject* current() noexcept      # the thread's Observer, borrowed; NULL: it never had one
cdef Observer observer()               # made when absent
