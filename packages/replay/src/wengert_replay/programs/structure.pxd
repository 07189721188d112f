"""Structure: what launches do and where, to find out whether two recordings begin alike. See structure.pyx."""
from libc.stdint cimport uint64_t

from wengert_core.extend cimport Launch
from wengert_replay.programs.memory cimport Memory
from wengert_replay.recording.tracing cimport Recording


cdef class Structure:
    cdef uint64_t* words               # for each launch: its digest, then the addresses of its operands
    cdef Py_ssize_t n                  # words
    cdef Py_ssize_t room
    cdef readonly Py_ssize_t first     # the number of the first launch
    cdef readonly Structure before     # of the launches before it; None where first is 0

    cdef int add(self, uint64_t word) except -1
    cdef Py_ssize_t agree(self, Recording recording, Py_ssize_t last, Memory memory) except -2


cdef Structure structure_of(Recording recording, Py_ssize_t first, Memory memory, Structure before)
cdef uint64_t digest_of(Launch* launch) noexcept
cdef uint64_t digest_of_call(Recording recording, Py_ssize_t number, words) except? 0
