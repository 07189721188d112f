"""The table of functions that others install: see hooks.pxd."""
from libc.string cimport memset

cdef Hooks HOOKS
memset(&HOOKS, 0, sizeof(HOOKS))


cdef Hooks* hooks() noexcept nogil:
    return &HOOKS
