"""Channels and works: see work.pyx."""
from libc.stdint cimport int64_t


cdef class Channel:
    cdef readonly object backend       # a process group of the interface
    cdef readonly double seconds       # the group's timeout
    cdef public int64_t count          # collectives that were begun
    cdef readonly set pending          # works under way: they keep the memory that the transport writes
    cdef Py_ssize_t many

    cdef int add(self, Work work) except -1


cdef class Work:
    cdef Channel channel
    cdef object call                   # None in a subclass that makes it when it is needed
    cdef object request                # None where it had ended when it began
    cdef object after                  # puts the results where they belong
    cdef object results, memory
    cdef object error, future
    cdef bint busy                     # whether a thread waits for it or tests it
    cdef object __weakref__

    cdef object noted_call(self)
    cdef object noted_results(self)
    cdef object made_request(self)
    cdef bint is_pending(self) except -1
    cdef int finish(self) except -1
    cdef int deliver(self) except -1
    cdef bint begin_wait(self, double seconds) except -1
    cdef int fail(self, object reason) except -1
    cdef bint note_failure(self, object reason) except -1
