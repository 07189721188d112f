"""The run of a fused group. See fused_run.pyx."""
from wengert_core.extend cimport Launch

cdef enum:
    ROOM = 0x10000                     # bytes of the blocks of a thread
    ROOM_WORDS = 0x2000                # of 8 bytes

cdef int run_fused(Launch* launch) noexcept nogil
# Bytes of Member.sums. n: elements; columns: of the matrix of such a sum.
cdef Py_ssize_t bytes_of_sums(int kind, int item, Py_ssize_t n, Py_ssize_t columns) noexcept nogil
cdef Py_ssize_t rows_of_piece(Py_ssize_t columns) noexcept nogil
