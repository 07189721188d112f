"""Observer: what observes a thread. Note [Observers of a thread] in observers.pyx."""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.op cimport Op
from wengert_engine.observe.event_buffer cimport Recording
from wengert_engine.observe.tracers cimport Tracer


cdef class Interceptor:
    cdef object function               # called with an OpCall in place of each operation
    cdef Interceptor below             # the one around it; or None


cdef class Observer:
    cdef Recording recording           # or None
    cdef object listener               # or None
    cdef object watcher                # called with every tensor that is about to be written to; or None
    cdef Tracer tracer                 # told of every operation; or None
    cdef Interceptor interceptor       # runs every operation; or None
    cdef int open                      # index of the innermost running event of the recording; -1: none
    cdef int thread                    # this thread's number in the recording
    cdef int depth
    cdef bint active                   # there is one of the five: the thread's WG_OBSERVE is on
    cdef bint only_records             # ... and that is a recording without times of devices, and nothing else
    cdef Py_ssize_t in_use             # bytes when the last event ended

    cdef int settle(self) noexcept


cdef PyObject* current() noexcept      # the thread's Observer, borrowed; NULL: it never had one
cdef Observer observer()               # made when absent
cdef Interceptor new_interceptor(object function, Interceptor below)     # below: or None
# an operation of a thread with an interceptor, and of no batch
cdef object run_intercepted(Op op, PyObject** slots, uint32_t live, Observer here)
