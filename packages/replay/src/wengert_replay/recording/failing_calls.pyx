"""FailingCall: an operation that raised an error in the recording, which the function caught.

What the function did then belongs to the error, so that a replay calls the operation again: where it raises nothing,
the replay has something else than the recording, as with a guard.
"""
cimport cython

from wengert_replay.recording.calls cimport Call


@cython.binding(False)
cdef class FailingCall(Call):
    """A call that has no results where it raises an error."""

    cdef list run(self):
        try:
            return Call.run(self)
        except Exception:
            return []
