"""FailingCall: an operation that must raise an error. See failing_calls.pyx."""
from wengert_replay.recording.calls cimport Call


cdef class FailingCall(Call):
    pass
