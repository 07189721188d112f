"""Lines: the places in a program that call operations. See lines.pyx."""
cimport cython
from libc.stdint cimport uint32_t

from wengert_replay.trace.tables cimport Table


@cython.final
cdef class Lines:
    cdef list codes                    # by number: the code object; None for number 0
    cdef int* instructions             # by number: where in it; owned
    cdef Py_ssize_t n
    cdef Py_ssize_t room
    cdef Table numbers                 # by a code object's address and an instruction
    cdef Table ours                    # by a code object's address: whether its file is one of wengert's
    cdef void* last_code               # of the last line that was asked for, whose code object is in ``codes``
    cdef int last_instruction
    cdef uint32_t last
    cdef void* floor                   # a code object of wengert's, behind which frames do not change; NULL: none
    cdef uint32_t floor_line           # the line that is found behind it
    cdef list seen                     # the code objects of ``ours``, so that their addresses stay theirs

    cdef uint32_t current(self) except? 0xFFFFFFFF
    cdef int set_floor(self, code) except -1
    cdef uint32_t add(self, void* code, int instruction) except? 0xFFFFFFFF
    cdef bint is_ours(self, void* code) except -1
    cdef object code_of(self, uint32_t number)
    cdef str text(self, uint32_t number)
    cdef int forget_tables(self) except -1
