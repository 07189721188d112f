"""Turns: threads that call one captured function, one after another. See turns.pyx."""

cdef enum:
    PASSED = 0                         # it is not this thread's turn, and will not be soon
    TAKEN = 1
    WAITED = 2                         # another thread's turn has ended meanwhile


cdef class Turn:
    cdef object acquire
    cdef object release
    cdef readonly object lock
    cdef unsigned long owner           # the thread whose turn it is, or was
    cdef int depth                     # how often that thread has taken it
    cdef int python                    # how much of that is code of Python, which may wait for other threads
    cdef unsigned long number          # rises with each turn
    cdef readonly unsigned long passed     # calls that ran beside a turn
    cdef bint impatient

    cdef int take(self) except -1
    cdef int leave(self) except -1
    cdef int wait(self) except -1
    cdef bint is_mine(self) noexcept
