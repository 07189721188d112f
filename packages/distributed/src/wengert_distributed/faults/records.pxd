"""Records of collectives in memory that ranks share: see records.pyx."""
from libc.stdint cimport int64_t


cdef class Records:
    cdef Py_buffer buffer              # the pages of all ranks; held as long as this
    cdef int64_t* words                # the same, as integers
    cdef int64_t* own                  # this rank's ring
    cdef int64_t* neighbors[2]         # the rings of the ranks that it compares itself with
    cdef int neighbor_count
    cdef readonly int64_t sequence     # how many collectives this rank has begun
    cdef readonly int64_t ended        # the highest sequence number of one that has ended
    cdef readonly Py_ssize_t index
    cdef readonly Py_ssize_t count     # ranks

    cdef int64_t write(self, int64_t signature, int64_t elements, int64_t number) noexcept
    cdef void end(self, int64_t sequence) noexcept
