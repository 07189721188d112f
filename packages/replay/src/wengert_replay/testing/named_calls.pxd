"""Calls of a test that name their memory. See named_calls.pyx."""
from wengert_replay.passes.reach cimport Reach

cdef enum:
    MOST_PARTS = 8


cdef class NamedCall:
    cdef char* places[MOST_PARTS]      # where the memory of each part is now; what is read comes first
    cdef Py_ssize_t counts[MOST_PARTS]         # of float64
    cdef int n_read
    cdef int n

    cdef Reach reach_of(self)
    cdef int run(self) except -1
