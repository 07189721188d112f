"""Fingerprint: what a whole recording does, to find out whether another one does the same.

Note [Changes of Python's state] in python_state/changes.py says for whom.
"""
cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint64_t

from wengert_core.extend cimport LAUNCH_CALL, LAUNCH_GUARD, Launch, StorePlan
from wengert_replay.programs.structure cimport digest_of, digest_of_call
from wengert_replay.recording.tracing cimport Recording
from wengert_replay.trace.likeness cimport begins_like
from wengert_replay.trace.steps cimport Steps


@cython.final
@cython.binding(False)
cdef class Fingerprint:
    """The operations of a recording that has stopped, digests of its launches, addresses left out, and what it read."""
    cdef str values                    # in the result
    cdef Steps steps
    cdef bytes launches
    cdef dict numbers                  # that Python has read, as bytes, by the launch that is a guard

    def __cinit__(self, Recording recording not None, str values not None):
        cdef Py_ssize_t n = recording.recorder.n, i
        cdef Launch* launch
        cdef StorePlan* plan
        cdef uint64_t* words
        self.steps, self.launches = recording.steps, PyBytes_FromStringAndSize(NULL, n * sizeof(uint64_t))
        self.numbers, self.values = {}, values
        words = <uint64_t*> <char*> self.launches
        for i in range(n):
            launch = &recording.recorder.launches[i]
            if launch.kind == LAUNCH_CALL:
                words[i] = digest_of_call(recording, i, recording.calls[i].lasting_words())
                continue
            words[i] = digest_of(launch)
            if launch.kind == LAUNCH_GUARD:
                plan = <StorePlan*> launch.plan
                self.numbers[i] = PyBytes_FromStringAndSize(<char*> plan.bytes, plan.nbytes)

    def is_like(self, Fingerprint other not None):
        """Return whether two recordings did the same, on memory that may differ; None where Python has read another
        number before they differ, which may be why.
        """
        cdef uint64_t* mine = <uint64_t*> <char*> self.launches
        cdef uint64_t* their = <uint64_t*> <char*> other.launches
        cdef Py_ssize_t n = min(len(self.launches), len(other.launches)) // <Py_ssize_t> sizeof(uint64_t), i = 0
        while i < n and mine[i] == their[i]:
            i += 1
        if i == n and len(self.launches) == len(other.launches) and self.values == other.values \
                and self.steps.n == other.steps.n and begins_like(self.steps, other.steps, self.steps.n):
            return True
        for number, value in self.numbers.items():
            if number < i and other.numbers[number] != value:
                return None
        return False
