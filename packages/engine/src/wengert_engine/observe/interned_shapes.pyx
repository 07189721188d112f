"""Words: sequences of numbers, each kept once. See interned_shapes.pxd."""
cimport cython
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawRealloc
from libc.stdint cimport uint64_t
from libc.string cimport memcmp, memcpy


@cython.overflowcheck(False)
cdef inline uint32_t hashed(const int64_t* items, int64_t n) noexcept:
    cdef uint64_t h = 1469598103934665603
    cdef int64_t i
    for i in range(n):
        h = (h ^ <uint64_t> items[i]) * <uint64_t> 1099511628211
    return <uint32_t> (h ^ h >> 32)


cdef uint32_t intern(Words* words, const int64_t* items, int n) noexcept:
    """The entry of a sequence; 0 when there is no memory left."""
    cdef uint32_t place, entry
    if words.used * 2 >= words.table_size and not widen(words):
        return 0
    place = hashed(items, n) & (words.table_size - 1)
    while words.table[place]:
        entry = words.table[place]
        if words.data[entry] == n and memcmp(&words.data[entry + 1], items, n * sizeof(int64_t)) == 0:
            return entry
        place = (place + 1) & (words.table_size - 1)
    if not make_room(words, n + 1):
        return 0
    entry = words.n
    words.data[entry] = n
    memcpy(&words.data[entry + 1], items, n * sizeof(int64_t))
    words.n += n + 1
    words.table[place] = entry
    words.used += 1
    return entry


cdef bint make_room(Words* words, int n) noexcept:
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


cdef bint widen(Words* words) noexcept:
    """A table of twice the size."""
    cdef uint32_t size = max(1024, 2 * words.table_size), place, entry, i
    cdef uint32_t* table = <uint32_t*> PyMem_RawCalloc(size, sizeof(uint32_t))
    if table == NULL:
        return False
    for i in range(words.table_size):
        entry = words.table[i]
        if entry == 0:
            continue
        place = hashed(&words.data[entry + 1], words.data[entry]) & (size - 1)
        while table[place]:
            place = (place + 1) & (size - 1)
        table[place] = entry
    PyMem_RawFree(words.table)
    words.table, words.table_size = table, size
    return True


cdef void free_words(Words* words) noexcept:
    PyMem_RawFree(words.data)
    PyMem_RawFree(words.table)
