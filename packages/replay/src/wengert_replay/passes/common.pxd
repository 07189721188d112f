"""Common subexpressions. See common.pyx."""
cimport cython
from libc.stdint cimport int32_t, uint32_t

from wengert_replay.passes.slots cimport Slots

cdef struct CommonPart:
    uint32_t hash                      # 0: nothing
    int32_t launch


@cython.final
cdef class CommonParts:
    cdef CommonPart* items             # owned: a table with open addressing, at most half full
    cdef Py_ssize_t room               # a power of two
    cdef uint32_t hash                 # of the launch that was looked for last; 0: it is not compared
    cdef Py_ssize_t at                 # where it is, or would be

    cdef int lay_out(self, Py_ssize_t n) except -1           # for n launches at most
    # The value that an earlier launch has made of the same operands in the same way; NO_VALUE.
    cdef int32_t find(self, Slots slots, int32_t i) noexcept
    cdef void add(self, int32_t i) noexcept
