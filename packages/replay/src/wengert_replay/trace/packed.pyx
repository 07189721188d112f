"""Packed steps: rows of bytes.

Note [Steps are rows of bytes]
    A program has tens of thousands of steps, so a step is a row of some ten bytes: the number of its operation, a bit
    for each parameter that was given, the line with the way in its lowest bits, the words of its arguments, and the
    types of its results, each one higher, with a 0 behind them. All are numbers of seven bits a byte, the lowest
    first, whose highest bit says that another byte follows. A word says in three bits what it is (a result, an argument
    of the function, a tensor from outside, a constant, or how many words a tuple or list has); its number begins with
    the four bits beside them. A result is named by its distance from the step's own first one. Where each EVERY-th step
    begins is noted, so that a step is found soon.
"""
cimport cython
from libc.stdlib cimport free, realloc

from wengert_core.extend cimport bytes_between
from wengert_replay.trace.tables cimport grow
from wengert_replay.trace.varints cimport write_number

cdef enum:
    EVERY = 32
    WAY_BITS = 3                       # behind the number of a line
    MOST_BYTES = 5                     # of a number


cdef inline uint8_t* write_word(uint8_t* at, uint32_t word, uint32_t first) noexcept:
    cdef uint32_t tag = word >> TAG_SHIFT, number = word & NUMBER_MASK
    if tag == TAG_RESULT:
        number = first - number & NUMBER_MASK
    at[0] = <uint8_t> (tag << 4 | number & 15 | (0x80 if number > 15 else 0))
    return write_number(at + 1, number >> 4) if number > 15 else at + 1


@cython.binding(False)
cdef class PackedSteps:
    """The steps of a program. Note [Steps are rows of bytes]"""

    def __dealloc__(self):
        free(self.bytes)
        free(self.checkpoints)

    # ---- while they are written

    cdef int make_room(self, Py_ssize_t nbytes) except -1:
        cdef uint8_t* larger
        if self.nbytes + nbytes > <Py_ssize_t> 0xffffffff:
            raise OverflowError("the operations of a program take more than 4 GB")
        larger = <uint8_t*> realloc(self.bytes, 2 * self.room + nbytes + 256)
        if larger == NULL:
            raise MemoryError()
        self.bytes, self.room = larger, 2 * self.room + nbytes + 256
        return 0

    cdef int add_step(self, uint32_t op, uint32_t given, uint32_t line, uint32_t way, Words* words) except -1:
        cdef uint8_t* at
        cdef Py_ssize_t i
        if self.nbytes + 1 + MOST_BYTES * (3 + words.n) > self.room:
            self.make_room(1 + MOST_BYTES * (3 + words.n))
        at = self.bytes + self.nbytes
        if self.n:                     # behind the results of the step before
            at[0] = 0
            at += 1
        if self.n % EVERY == 0:
            self.checkpoints = <Checkpoint*> grow(self.checkpoints, self.n // EVERY, &self.checkpoint_room,
                                                  sizeof(Checkpoint))
            self.checkpoints[self.n // EVERY].at = <uint32_t> bytes_between(self.bytes, at)
            self.checkpoints[self.n // EVERY].first = <uint32_t> self.n_results
        at = write_number(at, op)
        at = write_number(at, given)
        at = write_number(at, line << WAY_BITS | way)
        for i in range(words.n):
            at = write_word(at, words.items[i], <uint32_t> self.n_results)
        self.nbytes = bytes_between(self.bytes, at)
        self.n += 1
        return 0

    cdef int add_result(self, uint32_t type_number) except -1:
        if self.nbytes + MOST_BYTES + 1 > self.room:
            self.make_room(MOST_BYTES + 1)
        self.nbytes = bytes_between(self.bytes, write_number(self.bytes + self.nbytes, type_number + 1))
        self.bytes[self.nbytes] = 0    # until something else is written
        self.n_results += 1
        return 0

    cdef int shrink(self) except -1:
        """Give back the room that is not used."""
        cdef uint8_t* bytes_
        cdef Checkpoint* checkpoints
        if self.nbytes == self.room:
            self.make_room(1)
        self.bytes[self.nbytes] = 0
        bytes_ = <uint8_t*> realloc(self.bytes, self.nbytes + 1)
        checkpoints = <Checkpoint*> realloc(self.checkpoints, (self.n // EVERY + 1) * sizeof(Checkpoint))
        if bytes_ != NULL:
            self.bytes, self.room = bytes_, self.nbytes + 1
        if checkpoints != NULL:
            self.checkpoints, self.checkpoint_room = checkpoints, self.n // EVERY + 1
        return 0

    cdef Py_ssize_t size(self) noexcept:
        return self.nbytes + (self.n // EVERY + 1) * <Py_ssize_t> sizeof(Checkpoint)

    # ---- for whoever looks

    cdef uint32_t take_number(self, Py_ssize_t* at) noexcept:
        cdef uint32_t byte = self.bytes[at[0]], number = byte & 0x7f
        cdef int shift = 7
        at[0] += 1
        while byte & 0x80:
            byte = self.bytes[at[0]]
            number |= (byte & 0x7f) << shift
            at[0] += 1
            shift += 7
        return number

    cdef uint32_t take_word(self, Row* row, Py_ssize_t* at) noexcept:
        """The word that begins at a place, which becomes that behind it."""
        cdef uint32_t byte = self.bytes[at[0]], tag = byte >> 4 & 7, number = byte & 15
        at[0] += 1
        if byte & 0x80:
            number |= self.take_number(at) << 4
        if tag == TAG_RESULT:
            number = row.first - number & NUMBER_MASK
        return tag << TAG_SHIFT | number

    cdef void skip_argument(self, Row* row, Py_ssize_t* at) noexcept:
        cdef uint32_t word = self.take_word(row, at), tag = word >> TAG_SHIFT
        cdef uint32_t _i
        for _i in range(word & NUMBER_MASK if tag == TAG_TUPLE or tag == TAG_LIST else 3 if tag == TAG_SLICE else 0):
            self.skip_argument(row, at)

    cdef void read_at(self, Py_ssize_t at, Row* row) noexcept:
        """Read the step that begins there; its number and that of its first result are filled in."""
        cdef uint32_t given
        row.op, row.given = self.take_number(&at), self.take_number(&at)
        row.line = self.take_number(&at)
        row.way, row.line = row.line & (1 << WAY_BITS) - 1, row.line >> WAY_BITS
        row.words, row.n_results, given = at, 0, row.given
        while given:
            if given & 1:
                self.skip_argument(row, &at)
            given >>= 1
        row.types = at
        while at < self.nbytes and self.bytes[at]:
            self.take_number(&at)
            row.n_results += 1
        row.behind = at + 1

    cdef void read(self, Py_ssize_t number, Row* row) noexcept:
        row.number, row.first = number // EVERY * EVERY, self.checkpoints[number // EVERY].first
        self.read_at(self.checkpoints[number // EVERY].at, row)
        while row.number < number:
            self.read_next(row)

    cdef void read_next(self, Row* row) noexcept:
        row.number, row.first = row.number + 1, row.first + row.n_results
        self.read_at(row.behind, row)

    cdef void find_result(self, uint32_t number, Row* row) noexcept:
        cdef Py_ssize_t low = 0, high = (self.n + EVERY - 1) // EVERY, middle
        while low < high:
            middle = (low + high) // 2
            if self.checkpoints[middle].first <= number:
                low = middle + 1
            else:
                high = middle
        self.read((low - 1) * EVERY, row)
        while row.first + row.n_results <= number and row.number + 1 < self.n:
            self.read_next(row)

    cdef uint32_t type_at(self, Row* row, uint32_t place) noexcept:
        cdef Py_ssize_t at = row.types
        cdef uint32_t _i
        for _i in range(place):
            self.take_number(&at)
        return self.take_number(&at) - 1
