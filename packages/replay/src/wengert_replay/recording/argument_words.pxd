"""ArgumentWords: the arguments of an operation as the words of its step. See argument_words.pyx."""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_replay.trace.tables cimport Words
from wengert_replay.recording.launch_steps cimport LaunchSteps


cdef class ArgumentWords(LaunchSteps):
    cdef Words words                   # of the step that is recorded
    cdef uint32_t given_mask           # as PackedSteps.add_step gets it

    cdef int add_argument(self, PyObject* value, int depth) except -1
    cdef int add_sequence(self, PyObject* value, bint is_list, int depth) except -1
