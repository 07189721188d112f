"""Ranges of memory, and the cells that they cut memory into. See ranges.pyx."""
cimport cython
from libc.stdint cimport int32_t

from wengert_core.extend cimport Launch

cdef enum:
    NO_CELL = -1


@cython.final
cdef class Ranges:
    cdef size_t* bounds                # owned: low and high, high excluded, of each
    cdef Py_ssize_t n
    cdef Py_ssize_t room

    cdef int add(self, char* low, char* high) except -1


@cython.final
cdef class Cells:
    cdef readonly Py_ssize_t n
    cdef readonly Py_ssize_t n_operands
    cdef size_t* edges                 # owned: rising; cell i is edges[i] .. edges[i + 1]
    cdef int32_t* operands             # owned: where the operands of each launch begin below, those of a Reach too
    cdef int32_t* first                # owned: of each operand of each launch; NO_CELL: it covers none
    cdef int32_t* end                  # owned: the cell behind its last

    # reaches: of calls that name their memory, by the number of the launch; or None
    cdef int lay_out(self, Launch* launches, Py_ssize_t n, Ranges kept, dict reaches) except -1
    cdef int32_t cell_of(self, size_t address) noexcept      # of an address that is an edge
    cdef int collect_edges(self, void* edges, Launch* launches, Py_ssize_t n, dict reaches) except -1
    cdef int add_operand(self, void* edges, size_t low, size_t high) except -1
    cdef int make_room(self, Py_ssize_t n_operands) except -1
    cdef int number_edges(self, void* edges) except -1
