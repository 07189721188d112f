"""The number of differential operators that are at work in a thread.

Compiled, so that Ctrl-C leaves no block open: Note [Blocks that Ctrl-C cannot leave open] in core's torch_function.pyx.
"""
cimport cython
from _thread import _local

from wengert_core.extend import EnableTorchFunction


class State(_local):
    """The number of operators that are at work in this thread."""

    depth = 0


STATE = State()


@cython.binding(False)
cdef class AtDepth:
    """A block in which that many operators are at work."""
    cdef Py_ssize_t depth
    cdef list before

    def __cinit__(self, Py_ssize_t depth):
        self.depth, self.before = depth, []

    def __enter__(self):
        self.before.append(STATE.depth)
        STATE.depth = self.depth

    def __exit__(self, *exception):
        STATE.depth = self.before.pop()


@cython.binding(False)
cdef class Overrides:
    """A block in which arrays have NumPy's face, also where wengert's own code runs around it."""
    cdef list open

    def __cinit__(self):
        self.open = []

    def __enter__(self):
        asked = EnableTorchFunction()
        asked.__enter__()
        self.open.append(asked)
        STATE.depth += 1

    def __exit__(self, *exception):
        STATE.depth -= 1
        self.open.pop().__exit__()
