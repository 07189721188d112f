"""Packed steps: rows of bytes. See packed.pyx."""
cimport cython
from libc.stdint cimport uint8_t, uint32_t

from wengert_replay.trace.tables cimport Words

cdef enum Tag:                         # the three highest bits of a word
    TAG_RESULT = 0
    TAG_INPUT = 1
    TAG_OUTSIDE = 2
    TAG_CONSTANT = 3
    TAG_TUPLE = 4                      # so many words follow
    TAG_LIST = 5
    TAG_SLICE = 6                      # three words follow
    TAG_UNKNOWN = 7                    # memory that no step knows
    TAG_SHIFT = 29
    NUMBER_MASK = 0x1FFFFFFF

cdef struct Row:                       # a step, as it is read
    Py_ssize_t number
    uint32_t op                        # its number in ``Steps.ops``
    uint32_t given                     # a bit for each parameter that words stand for; the others have their defaults
    uint32_t line                      # Lines' number
    uint32_t way                       # Way
    uint32_t first                     # the number of its first result
    uint32_t n_results
    Py_ssize_t words                   # where they begin
    Py_ssize_t types                   # where the types of its results begin
    Py_ssize_t behind                  # where the next step begins

cdef struct Checkpoint:
    uint32_t at
    uint32_t first


@cython.final
cdef class PackedSteps:
    cdef uint8_t* bytes                # owned
    cdef readonly Py_ssize_t nbytes
    cdef Py_ssize_t room
    cdef Checkpoint* checkpoints       # owned: of each EVERY-th step
    cdef Py_ssize_t checkpoint_room
    cdef readonly Py_ssize_t n
    cdef readonly Py_ssize_t n_results

    cdef int add_step(self, uint32_t op, uint32_t given, uint32_t line, uint32_t way, Words* words) except -1
    cdef int add_result(self, uint32_t type_number) except -1      # of the last step
    cdef int shrink(self) except -1
    cdef void read(self, Py_ssize_t number, Row* row) noexcept
    cdef void read_next(self, Row* row) noexcept                   # the step behind
    cdef void find_result(self, uint32_t number, Row* row) noexcept        # the step that has made it
    cdef uint32_t take_word(self, Row* row, Py_ssize_t* at) noexcept
    cdef uint32_t type_at(self, Row* row, uint32_t place) noexcept         # of the result at that place of the step
    cdef Py_ssize_t size(self) noexcept                            # in bytes
    cdef uint32_t take_number(self, Py_ssize_t* at) noexcept
    cdef void skip_argument(self, Row* row, Py_ssize_t* at) noexcept
    cdef void read_at(self, Py_ssize_t at, Row* row) noexcept
    cdef int make_room(self, Py_ssize_t nbytes) except -1
