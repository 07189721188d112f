"""Reach: the memory that a call uses. See reach.pyx."""
from libc.stdint cimport uint8_t

cdef struct ReachRow:                  # the memory of a tensor of the call
    char** where                       # the address of its first element stands there, and changes where it moves
    size_t low                         # what it lies in, in the first run
    size_t high
    uint8_t role                       # OperandRole: what is written is written whole, as far as anybody reads it


cdef class Reach:
    cdef ReachRow* rows                # owned
    cdef readonly int n

    cdef int add(self, char** where, size_t low, size_t high, int role) except -1


# What stands in ``reaches`` for a launch, by its number; None for others, and where nothing is known.
cdef Reach reach_of(dict reaches, Py_ssize_t number)
