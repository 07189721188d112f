"""Effects of a recording on tensors from outside, and copies of those. See outside.pyx."""
from wengert_core.extend cimport Tensor
from wengert_replay.recording.tracing cimport Recording


cdef class OutsideState:
    cdef list parts                    # (a tensor, the bytes of its memory, its version)


cdef list read_behind(Recording recording, Py_ssize_t pause)      # tensors from outside that launches read
