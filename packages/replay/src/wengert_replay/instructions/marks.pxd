"""Marks: where the instructions of each operation begin. See marks.pyx."""
from libc.stdint cimport uint8_t, uint32_t

cdef struct Mark:                      # the instructions of a launch, or of a group
    uint32_t at                        # bytes from the beginning of rows, which 4 divides
    uint32_t step                      # the operation that it belongs to


cdef class Marks:
    cdef uint8_t* packed               # owned
    cdef readonly Py_ssize_t nbytes
    cdef Py_ssize_t room
    cdef readonly Py_ssize_t n
    cdef Mark last
    cdef Mark* items                   # owned: n of them; NULL before ``open``

    cdef int add(self, Py_ssize_t at, uint32_t step) except -1     # of rising places
    cdef int open(self) except -1      # before ``items`` are looked at
    cdef int shrink(self) except -1
