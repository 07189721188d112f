from wengert_core.kernels.types cimport cast_fn

cdef cast_fn cast(int src, int dst) noexcept nogil          # by dtype codes; NULL for a code out of range
cdef cast_fn find_copy(int itemsize) noexcept nogil         # 1, 2, 4, 8 or 16 bytes; NULL otherwise
cdef int itemsize_of(int dtype) noexcept nogil              # bytes; 0 for a code out of range
