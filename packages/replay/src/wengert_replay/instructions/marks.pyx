"""Marks: where the instructions of each operation begin.

Only profiles look at them, so they are kept as differences, each a number of seven bits a byte: two bytes for most.
"""
cimport cython
from libc.stdlib cimport free, malloc, realloc

from wengert_replay.trace.varints cimport read_number, write_number

cdef enum:
    MOST_BYTES = 10                    # of a mark


@cython.binding(False)
cdef class Marks:
    """The marks of a stream, in the order in which they run."""

    def __dealloc__(self):
        free(self.packed)
        free(self.items)

    @cython.overflowcheck(False)       # steps need not rise
    cdef int add(self, Py_ssize_t at, uint32_t step) except -1:
        cdef uint8_t* larger
        cdef uint8_t* end
        if self.nbytes + MOST_BYTES > self.room:
            larger = <uint8_t*> realloc(self.packed, 2 * self.room + 64)
            if larger == NULL:
                raise MemoryError()
            self.packed, self.room = larger, 2 * self.room + 64
        end = write_number(self.packed + self.nbytes, (<uint32_t> at - self.last.at) // 4)
        end = write_number(end, step - self.last.step)         # a group may begin with a later one: modulo 2 ** 32
        self.nbytes = end - self.packed
        self.last.at, self.last.step = <uint32_t> at, step
        self.n += 1
        return 0

    cdef int shrink(self) except -1:
        """Give back the room that is not used."""
        cdef uint8_t* smaller = <uint8_t*> realloc(self.packed, self.nbytes + 1)
        if smaller != NULL:
            self.packed, self.room = smaller, self.nbytes + 1
        return 0

    @cython.overflowcheck(False)
    cdef int open(self) except -1:
        cdef const uint8_t* at = self.packed
        cdef Mark mark
        cdef Py_ssize_t k
        if self.items != NULL:
            return 0
        self.items = <Mark*> malloc((self.n + 1) * sizeof(Mark))
        if self.items == NULL:
            raise MemoryError()
        mark.at = mark.step = 0
        for k in range(self.n):
            mark.at += 4 * read_number(&at)
            mark.step += read_number(&at)
            self.items[k] = mark
        return 0
