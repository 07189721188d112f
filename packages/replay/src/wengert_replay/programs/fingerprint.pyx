"""Fingerprint: what a whole recording does, to find out whether another one does the same.

Note [Numbers of Python that a function changes]
    A counter, or a flag that the first call sets, is frozen in a program. Nobody can see whether operations depend on
    it (``decay = min(decay, (1 + self.n) / (10 + self.n))``), but another recording can: where a function changes
    numbers among the attributes of objects, its recording becomes a program if one before has done the same. Operations
    that depend on such numbers are never the same, and the function runs as usual.
"""
cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint64_t

from wengert_core.extend cimport LAUNCH_CALL, Launch
from wengert_replay.programs.structure cimport digest_of, digest_of_call
from wengert_replay.recording.tracing cimport Recording
from wengert_replay.trace.likeness cimport begins_like
from wengert_replay.trace.steps cimport Steps


@cython.final
@cython.binding(False)
cdef class Fingerprint:
    """The operations of a recording that has stopped, and digests of its launches, addresses left out."""
    cdef Steps steps
    cdef bytes launches

    def __cinit__(self, Recording recording not None):
        cdef Py_ssize_t n = recording.recorder.n, i
        cdef Launch* launch
        cdef uint64_t* words
        self.steps, self.launches = recording.steps, PyBytes_FromStringAndSize(NULL, n * sizeof(uint64_t))
        words = <uint64_t*> <char*> self.launches
        for i in range(n):
            launch = &recording.recorder.launches[i]
            words[i] = digest_of_call(recording, i) if launch.kind == LAUNCH_CALL else digest_of(launch)

    def is_like(self, Fingerprint other not None):
        """Whether two recordings did the same, on memory that may differ."""
        return self.launches == other.launches and self.steps.n == other.steps.n \
            and begins_like(self.steps, other.steps, self.steps.n)
