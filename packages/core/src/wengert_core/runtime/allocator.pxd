"""The caching allocator: buffers by size class, kept for reuse."""

cdef enum:
    FOREIGN_BIN = 255                  # the bin of memory that is not ours

cdef struct MemoryStats:
    Py_ssize_t in_use                  # bytes in live buffers, rounded to their size class
    Py_ssize_t peak                    # the most in_use has been since the last reset
    Py_ssize_t cached                  # bytes kept for reuse
    Py_ssize_t limit                   # bytes that may be kept
    Py_ssize_t allocations             # calls of allocate
    Py_ssize_t reuses                  # ... that were served from the cache
    Py_ssize_t frees                   # calls of release

cdef MemoryStats* memory_stats() noexcept nogil
cdef char* allocate(Py_ssize_t nbytes, unsigned char* bin_) except NULL
cdef void release(char* block, unsigned char bin_) noexcept
