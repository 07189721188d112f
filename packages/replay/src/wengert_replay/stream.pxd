"""Stream: launches as rows behind each other in memory, in the order in which they run. See stream.pyx."""
from libc.stdint cimport uint32_t

from wengert_core.extend cimport Launch, loop_t, npy_intp

cdef struct Row:                       # n_args addresses and n_args steps follow
    loop_t fn                          # NULL: ``launch`` runs, or a driver is called
    void* data                         # as ``fn`` gets it; or the Launch
    npy_intp n                         # elements; or the number of the launch
    uint32_t n_args
    uint32_t size                      # bytes of the row


cdef class Stream:
    cdef char* rows                    # owned
    cdef char* end
    cdef Launch* others                # owned: launches that are no rows
    cdef Py_ssize_t n_others
    cdef double* numbers               # owned: operands that are numbers, two words each
    cdef readonly Py_ssize_t nbytes    # of all this

    cdef int fill(self, Launch* launches, Py_ssize_t n) except -1
    cdef Py_ssize_t add_row(self, Launch* launch, Py_ssize_t n_numbers) noexcept
    cdef void add_other(self, Launch* launch, Py_ssize_t number) noexcept
    # Run from a row on until the end (gives ``end``), a call of a driver (gives its row), a guard that fails (NULL).
    cdef char* run(self, char* at) noexcept nogil
