"""Reach: the memory that a call uses.

Note [Calls that name their memory]
    What a driver gives may have another shape than in the recording, so that a run goes on elsewhere, where all memory
    may be read. A loop uses no other memory than that of its tensors, and a run comes back from it. So it does from all
    calls in the body of a loop. Such a call is for passes a launch with as many operands as it has tensors; nothing is
    moved across it.
"""
cimport cython
from libc.stdlib cimport free

from wengert_replay.trace.tables cimport room_for_another


@cython.binding(False)
cdef class Reach:
    """The memory that a call uses. Note [Calls that name their memory]"""

    def __dealloc__(self):
        free(self.rows)

    cdef int add(self, char** where, size_t low, size_t high, int role) except -1:
        self.rows = <ReachRow*> room_for_another(self.rows, self.n, sizeof(ReachRow))
        self.rows[self.n].where, self.rows[self.n].low, self.rows[self.n].high = where, low, high
        self.rows[self.n].role = <uint8_t> role
        self.n += 1
        return 0


cdef Reach reach_of(dict reaches, Py_ssize_t number):
    return None if reaches is None else <Reach> reaches.get(number)
