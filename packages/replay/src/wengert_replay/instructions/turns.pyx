"""Turns: threads that call one captured function, one after another.

Note [Turns]
    A program has one memory, so its replays take turns. So do recordings, and replays that write to tensors from
    outside, of all programs of a function: where a guard differs, a replay undoes what it has written, and would undo
    what another thread has written since; and a recording takes all rises of versions for the function's own.
    Python code in a call (a recording, a function under ``compiler.disable``) may wait for another thread, which calls
    the function. So nobody waits for such a call longer than PATIENCE seconds: then the call runs as usual, beside the
    other one. From then on calls wait for Python code of this function for STEP seconds only.
"""
cimport cython

from wengert_registry import fork_lock

cdef extern from "Python.h":
    unsigned long PyThread_get_thread_ident() noexcept

cdef double PATIENCE = 5.0
cdef double STEP = 0.01


@cython.binding(False)
cdef class Turn:
    """Whose turn it is among the threads that call a function. As a context it gives 0 where it is another one's."""

    def __cinit__(self):
        self.lock = fork_lock()
        self.acquire, self.release = self.lock.acquire, self.lock.release

    cdef int take(self) except -1:
        """Take the turn: TAKEN, WAITED or PASSED. A thread may take it again."""
        cdef int found = TAKEN
        cdef unsigned long me = PyThread_get_thread_ident()
        if not self.acquire(False):
            found = self.wait()
            if found == PASSED:
                self.passed += 1
                return PASSED
        if self.owner != me or not self.depth:     # in a fork's child it may have been that of a thread that is gone
            self.owner, self.depth, self.python = me, 0, 0
            self.number += 1
        self.depth += 1
        return found

    cdef int leave(self) except -1:
        self.depth -= 1
        self.release()
        return 0

    cdef int wait(self) except -1:
        """Wait for the turn. Note [Turns]"""
        cdef double waited = 0
        cdef unsigned long number = self.number
        while not self.acquire(True, STEP):
            if not self.python or self.number != number:
                waited, number = 0, self.number
                continue
            waited += STEP
            if self.impatient or waited >= PATIENCE:
                self.impatient = True
                return PASSED
        return WAITED

    cdef bint is_mine(self) noexcept:
        return self.depth > 0 and self.owner == PyThread_get_thread_ident()

    def __enter__(self):
        return self.take()

    def __exit__(self, *error):
        if self.is_mine():
            self.leave()


@cython.binding(False)
cdef class PythonTurn:
    """A turn that runs code of Python, as a context: 0 where it is another thread's, which goes on meanwhile."""
    cdef Turn turn
    cdef bint taken

    def __cinit__(self, Turn turn not None):
        self.turn = turn

    def __enter__(self):
        cdef int found = self.turn.take()
        if found != PASSED:
            self.taken = True
            self.turn.python += 1
        return found

    def __exit__(self, *error):
        if self.taken:
            self.taken = False
            self.turn.python -= 1
            self.turn.leave()
