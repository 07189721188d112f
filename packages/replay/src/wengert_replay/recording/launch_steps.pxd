"""LaunchSteps: steps of what the engine does between operations. See launch_steps.pyx."""
from libc.stdint cimport uint32_t

from wengert_core.extend cimport Launch, Tensor
from wengert_replay.recording.value_map cimport ValueMap


cdef class LaunchSteps(ValueMap):
    cdef readonly Py_ssize_t last_guard    # the number of the last launch that is a guard; -1

    cdef int note_engine(self) except -1
    cdef int note_launch(self, Py_ssize_t number) except -1
    cdef uint32_t word_of_read(self, char* address) except? 0xFFFFFFFF
    cdef Tensor tensor_at(self, char* address)
    cdef uint32_t word_of_source(self, Launch* launch) except? 0xFFFFFFFF
    cdef uint32_t word_at(self, char* address) except? 0xFFFFFFFF
