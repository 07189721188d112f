"""Slots: where the small values of a program lie. See slots.pyx."""
cimport cython
from libc.stdint cimport int32_t, uint8_t

from wengert_core.extend cimport Launch
from wengert_replay.passes.schedule cimport Schedule

cdef enum:
    NO_VALUE = -1
    NUMBER_BYTES = 16                  # of an operand that is a number

cdef enum ValueFlag:
    VALUE_IN_MEMORY = 1                # memory holds it anyway: it was loaded
    VALUE_STORED = 2                   # memory gets it when it is made
    VALUE_FIXED = 4                    # it is the same in each run: its slot is filled when the program is made
    VALUE_SHARED = 8                   # several values have its slot
    VALUE_UPDATED = 16                 # its slot has held another value since

cdef struct Value:
    size_t address                     # in memory
    int32_t nbytes
    int32_t root                       # the value whose slot it has
    int32_t offset                     # there
    int32_t last                       # the place in the order behind which the root's slot is free
    int32_t slot                       # bytes from the beginning of the slots; -1: none yet
    uint8_t flags                      # ValueFlag


@cython.final
cdef class Slots:
    cdef Schedule schedule
    cdef Value* values                 # owned
    cdef readonly int32_t n
    cdef int32_t room
    cdef int32_t* value                # owned, by operand: the number of its value; NO_VALUE: it lies in memory
    cdef uint8_t* loads                # owned, by operand: the value is loaded first
    cdef int32_t* current              # owned, by cell: the value that it has
    cdef char** numbers                # owned: the bytes of the fixed values that are numbers, which come first
    cdef readonly int32_t n_numbers
    cdef object common                 # CommonParts
    cdef int32_t barrier               # values before it were looked at when the run stopped last
    cdef int32_t forgotten             # values before it are gone: a driver may have written everywhere
    cdef readonly Py_ssize_t nbytes    # of all slots

    cdef int lay_out(self, Schedule schedule) except -1
    cdef int32_t add_value(self, size_t address, Py_ssize_t nbytes, int32_t at, int flags) except -1
    cdef int32_t value_at(self, int32_t operand) noexcept
    cdef int see_launch(self, int32_t i, int32_t at) except -1
    cdef void see_call(self, int32_t i) noexcept
    cdef int read(self, int32_t i, int k, int32_t at, bint loads) except -1
    cdef int write(self, int32_t i, int k, int32_t at, int flags) except -1
    cdef int update(self, int32_t i, int k, int32_t at) except -1
    cdef int share(self, int32_t i, int32_t at) except -1
    cdef int reuse(self, int32_t i, int32_t value, int32_t at) except -1
    cdef bint is_move(self, int32_t i) noexcept
    cdef bint is_fixed(self, int32_t i) noexcept
    cdef void store(self, int32_t value) noexcept
    cdef void store_in(self, int32_t operand) noexcept
    cdef void set_cells(self, int32_t operand, int32_t value) noexcept
    cdef void store_all(self) noexcept
    cdef void store_kept(self) noexcept
    cdef int number_numbers(self) except -1
    cdef int32_t add_number(self, char* data) except -1
    cdef int assign(self) except -1
    cdef void assign_slot(self, int32_t value, int32_t* unused, int32_t* following) noexcept
