"""Tables: numbers by pairs of words, and rows of words. See tables.pyx."""
from libc.stdint cimport uint32_t

cdef extern from *:
    """
    #ifndef WENGERT_REPLAY_TABLES
    #define WENGERT_REPLAY_TABLES
    #include <stddef.h>
    #include <stdint.h>
    /* Addresses are multiples of 16 and close to each other: high bits of a product are used. */
    static inline size_t wengert_place_of(size_t first, size_t second, size_t room) {
        uint64_t mixed = ((uint64_t)first ^ (uint64_t)second * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
        return (size_t)(mixed >> 24) & (room - 1);
    }
    static inline size_t wengert_mix(size_t hash, size_t word) {
        uint64_t mixed = ((uint64_t)hash ^ (uint64_t)word) * 0x9E3779B97F4A7C15u;
        return (size_t)(mixed ^ mixed >> 29);
    }
    #endif
    """
    size_t location_of "wengert_place_of" (size_t first, size_t second, size_t room) noexcept nogil
    size_t mix "wengert_mix" (size_t hash, size_t word) noexcept nogil

cdef enum:
    ABSENT = 0xFFFFFFFF                # no number

cdef struct Entry:
    size_t first                       # the key
    size_t second
    uint32_t number
    uint32_t used

cdef struct Table:
    Entry* entries                     # owned; NULL while there are none
    Py_ssize_t n
    Py_ssize_t room                    # a power of two


cdef inline uint32_t find(Table* table, size_t first, size_t second) noexcept:
    """The number of a key; ABSENT where there is none."""
    cdef size_t at
    cdef Entry* entry
    if not table.n:
        return ABSENT
    at = location_of(first, second, table.room)
    while True:
        entry = &table.entries[at]
        if not entry.used:
            return ABSENT
        if entry.first == first and entry.second == second:
            return entry.number
        at = at + 1 & (table.room - 1)


cdef int put(Table* table, size_t first, size_t second, uint32_t number) except -1
cdef void free_table(Table* table) noexcept
# Make room for n + 1 items; return the array, which may have moved.
cdef void* grow(void* items, Py_ssize_t n, Py_ssize_t* room, Py_ssize_t itemsize) except NULL
cdef void* room_for_another(void* table, Py_ssize_t n, Py_ssize_t size) except NULL    # for n + 1 entries
cdef char* shorten(char* memory, Py_ssize_t nbytes) noexcept      # to what is used of it

cdef struct Words:                     # a row of words that grows
    uint32_t* items                    # owned
    Py_ssize_t n
    Py_ssize_t room

cdef int append_word(Words* words, uint32_t word) except -1
cdef int fit_words(Words* words) except -1                      # no more room than is used
