"""Calls of a test that name their memory, as loops do: ``("loop", [(offset, n), ...], [(offset, n), ...])``.

Such a call reads the first parts of memory, and writes each number of the others as a weighted sum of what it read.
"""
cimport cython
from libc.string cimport memcpy

from wengert_core.extend cimport OPERAND_READ, OPERAND_WRITTEN


@cython.binding(False)
cdef class NamedCall:
    """A call in some memory. Note [Calls that name their memory] in passes/reach.pyx"""

    def __init__(self, size_t base, tuple words not None):
        if len(words[1]) + len(words[2]) > MOST_PARTS:
            raise ValueError("a call of a test with too many parts")
        self.n_read = len(words[1])
        for offset, n in (*words[1], *words[2]):
            self.places[self.n], self.counts[self.n] = <char*> (base + <size_t> offset), n
            self.n += 1

    def __reduce__(self):              # Cython's would read the addresses as texts
        raise TypeError("a call of a test cannot be pickled")

    cdef Reach reach_of(self):
        cdef Reach made = Reach()
        cdef size_t low
        cdef int k
        for k in range(self.n):
            low = <size_t> self.places[k]
            made.add(&self.places[k], low, low + 8 * self.counts[k],
                     OPERAND_READ if k < self.n_read else OPERAND_WRITTEN)
        return made

    cdef int run(self) except -1:
        cdef list seen = []
        cdef Py_ssize_t i
        cdef double number
        cdef int k
        for k in range(self.n_read):
            numbers = []
            for i in range(self.counts[k]):
                memcpy(&number, self.places[k] + 8 * i, 8)
                numbers.append(number)
            seen.append(numbers)
        for k in range(self.n_read, self.n):
            for i in range(self.counts[k]):
                number = 0.01 * (i + 1)
                for j, numbers in enumerate(seen):
                    number += numbers[i % len(numbers)] * 0.3 / (j + 1)
                memcpy(self.places[k] + 8 * i, &number, 8)
        return 0
