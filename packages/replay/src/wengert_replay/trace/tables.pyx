"""Tables: numbers by pairs of words, and rows of words, as C memory. A recording uses them for each operation.

Tables have open addressing and are at most half full; nothing is ever removed.
"""
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

cdef enum:
    FIRST_ROOM = 64


cdef int put(Table* table, size_t first, size_t second, uint32_t number) except -1:
    """Set the number of a key."""
    cdef size_t at
    cdef Entry* entry
    if 2 * table.n >= table.room:
        enlarge(table)
    at = location_of(first, second, table.room)
    while True:
        entry = &table.entries[at]
        if not entry.used:
            table.n += 1
            entry.first, entry.second, entry.used = first, second, 1
            break
        if entry.first == first and entry.second == second:
            break
        at = at + 1 & (table.room - 1)
    entry.number = number
    return 0


cdef int enlarge(Table* table) except -1:
    cdef Table larger
    cdef Py_ssize_t i
    memset(&larger, 0, sizeof(Table))
    larger.room = 4 * table.room if table.room else FIRST_ROOM
    larger.entries = <Entry*> calloc(larger.room, sizeof(Entry))
    if larger.entries == NULL:
        raise MemoryError()
    for i in range(table.room):
        if table.entries[i].used:
            put(&larger, table.entries[i].first, table.entries[i].second, table.entries[i].number)
    free(table.entries)
    table[0] = larger
    return 0


cdef void free_table(Table* table) noexcept:
    free(table.entries)
    memset(table, 0, sizeof(Table))


cdef void* grow(void* items, Py_ssize_t n, Py_ssize_t* room, Py_ssize_t itemsize) except NULL:
    cdef Py_ssize_t wanted
    cdef void* larger
    if n < room[0]:
        return items
    wanted = 2 * room[0] + 64
    larger = realloc(items, wanted * itemsize)
    if larger == NULL:
        raise MemoryError()
    room[0] = wanted
    return larger


cdef int append_word(Words* words, uint32_t word) except -1:
    words.items = <uint32_t*> grow(words.items, words.n, &words.room, sizeof(uint32_t))
    words.items[words.n] = word
    words.n += 1
    return 0


cdef int fit_words(Words* words) except -1:
    """Give back the room that is not used."""
    cdef uint32_t* items = <uint32_t*> realloc(words.items, words.n * sizeof(uint32_t) + 1)
    if items == NULL:
        raise MemoryError()
    words.items, words.room = items, words.n
    return 0


cdef void* room_for_another(void* table, Py_ssize_t n, Py_ssize_t size) except NULL:
    """It grows where n is a power of two."""
    cdef void* grown = table if n & n - 1 else realloc(table, max(2 * n, 1) * size)
    if grown == NULL:
        raise MemoryError()
    return grown


cdef char* shorten(char* memory, Py_ssize_t nbytes) noexcept:
    cdef char* shorter = <char*> realloc(memory, nbytes) if nbytes else NULL
    return shorter if shorter != NULL else memory
