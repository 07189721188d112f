"""Words: sequences of numbers, each kept once, and known by the place where it begins."""
from libc.stdint cimport int64_t, uint32_t

cdef struct InternedShapes:                     # each sequence: its length, then itself
    int64_t* data
    uint32_t n, room
    uint32_t* table                    # entries by hash; 0: free
    uint32_t table_size, used

# the entry; 0: there is no memory left
cdef uint32_t intern(InternedShapes* words, const int64_t* items, int n) noexcept
cdef void free_shapes(InternedShapes* words) noexcept
