"""Common subexpressions. See common.pyx."""
from libc.stdint cimport int32_t, uint64_t

from wengert_replay.passes.slots cimport Slots

cdef struct CommonPart:
    uint64_t hash                      # 0: nothing
    int32_t launch
    int32_t value                      # of its result


cdef class CommonParts:
    cdef CommonPart* items             # owned: a table with open addressing, at most half full
    cdef Py_ssize_t room               # a power of two
    cdef Py_ssize_t n

    # The value that an earlier launch has made of the same operands in the same way; NO_VALUE.
    cdef int32_t find(self, Slots slots, int32_t i) noexcept
    cdef int add(self, Slots slots, int32_t i, int32_t value) except -1
    cdef int grow(self) except -1
