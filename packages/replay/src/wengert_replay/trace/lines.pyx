"""Lines: the places in a program that call operations, each noted once."""
cimport cython
from cpython.ref cimport Py_XDECREF, PyObject
from libc.stdlib cimport free

import os

from wengert_engine.extend cimport Frame, frame_code, frame_instruction, innermost_frame, line_at, outer_frame
from wengert_replay.trace.tables cimport ABSENT, find, free_table, grow, put

cdef str HERE = os.sep + "wengert_"
cdef str TESTS = os.sep + "tests" + os.sep


@cython.binding(False)
cdef class Lines:
    """Lines of a program by numbers: number 0 is none."""

    def __cinit__(self):
        self.codes, self.seen, self.n = [None], [], 1

    def __dealloc__(self):
        free(self.instructions)
        free_table(&self.numbers)
        free_table(&self.ours)

    cdef bint is_ours(self, void* code) except -1:
        """Whether the file of a code object is one of wengert's."""
        cdef uint32_t known = find(&self.ours, <size_t> code, 0)
        cdef bint ours
        if known != ABSENT:
            return known
        name = (<object> <PyObject*> code).co_filename
        ours = HERE in name and TESTS not in name
        self.seen.append(<object> <PyObject*> code)
        put(&self.ours, <size_t> code, 0, ours)
        return ours

    cdef uint32_t current(self) except? 0xFFFFFFFF:
        """The number of the innermost line that runs now and is not wengert's own."""
        cdef Frame* frame = innermost_frame()
        cdef PyObject* code
        cdef uint32_t number
        try:
            while frame != NULL:
                code = frame_code(frame)
                if code == self.floor:
                    return self.floor_line
                if code == self.last_code and frame_instruction(frame) == self.last_instruction:
                    return self.last
                if code == self.last_code or not self.is_ours(code):
                    number = find(&self.numbers, <size_t> code, <size_t> frame_instruction(frame))
                    if number == ABSENT:
                        number = self.add(code, frame_instruction(frame))
                    self.last_code, self.last_instruction, self.last = code, frame_instruction(frame), number
                    return number
                frame = outer_frame(frame)
        finally:
            Py_XDECREF(<PyObject*> frame)
        return 0

    cdef int set_floor(self, code) except -1:
        """Take the line that runs now for that of all calls from a function of wengert's, which runs till the end."""
        self.floor_line = self.current()
        self.floor = <void*> <PyObject*> code
        return 0

    cdef uint32_t add(self, void* code, int instruction) except? 0xFFFFFFFF:
        self.instructions = <int*> grow(self.instructions, self.n, &self.room, sizeof(int))
        put(&self.numbers, <size_t> code, <size_t> instruction, <uint32_t> self.n)
        self.codes.append(<object> <PyObject*> code)
        self.instructions[self.n] = instruction
        self.n += 1
        return <uint32_t> (self.n - 1)

    cdef object code_of(self, uint32_t number):
        return self.codes[number]

    cdef str text(self, uint32_t number):
        """The line as "file:line"; "" for none."""
        code = self.codes[number]
        if code is None:
            return ""
        return f"{code.co_filename}:{line_at(<PyObject*> code, self.instructions[number])}"

    cdef int forget_tables(self) except -1:
        """Note no more lines."""
        free_table(&self.numbers)
        free_table(&self.ours)
        self.seen = []
        return 0
