"""Words: sequences of numbers, each kept once. See interned_shapes.pxd."""
cimport cython
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawRealloc
from libc.stdint cimport uint64_t
from libc.string cimport memcmp, memcpy


@cython.overflowcheck(False)
cdef inline uint32_t hash_shape(const int64_t* items, int64_t n) noexcept:
    cdef uint64_t h = 1469598103934665603
    cdef int64_t i
    for i in range(n):
        h = (h ^ <uint64_t> items[i]) * <uint64_t> 1099511628211
    return <uint32_t> (h ^ h >> 32)


cdef uint32_t intern(InternedShapes* words, const int64_t* items, int n) noexcept:
    """The entry of a sequence; 0 when there is no memory left."""
    cdef uint32_t slot, entry
    if words.used * 2 >= words.table_size and not widen(words):
        return 0
    slot = hash_shape(items, n) & (words.table_size - 1)
    while words.table[slot]:
        entry = words.table[slot]
        if words.data[entry] == n and memcmp(&words.data[entry + 1], items, n * sizeof(int64_t)) == 0:
            return entry
        slot = (slot + 1) & (words.table_size - 1)
    if not make_room(words, n + 1):
        return 0
    entry = words.n
    words.data[entry] = n
    memcpy(&words.data[entry + 1], items, n * sizeof(int64_t))
    words.n += n + 1
    words.table[slot] = entry
    words.used += 1
    return entry


cdef bint make_room(InternedShapes* words, int n) noexcept:
    """Room for n more numbers. Entry 0 is no entry."""
    cdef uint32_t room
    cdef void* data
    if words.n == 0:
        words.n = 1
    if words.n + n > words.room:
        room = max(2 * words.room, words.n + n + 1024)
        data = PyMem_RawRealloc(words.data, room * sizeof(int64_t))
        if data == NULL:
            return False
        words.data, words.room = <int64_t*> data, room
    return True


cdef bint widen(InternedShapes* words) noexcept:
    """A table of twice the size."""
    cdef uint32_t size = max(1024, 2 * words.table_size), slot, entry, i
    cdef uint32_t* table = <uint32_t*> PyMem_RawCalloc(size, sizeof(uint32_t))
    if table == NULL:
        return False
    for i in range(words.table_size):
        entry = words.table[i]
        if entry == 0:
            continue
        slot = hash_shape(&words.data[entry + 1], words.data[entry]) & (size - 1)
        while table[slot]:
            slot = (slot + 1) & (size - 1)
        table[slot] = entry
    PyMem_RawFree(words.table)
    words.table, words.table_size = table, size
    return True


cdef void free_shapes(InternedShapes* words) noexcept:
    PyMem_RawFree(words.data)
    PyMem_RawFree(words.table)
