"""What an observer (a profiler) installs: see observer_hooks.pxd."""
from libc.string cimport memset

cdef ObserverHooks HOOKS
memset(&HOOKS, 0, sizeof(HOOKS))


cdef ObserverHooks* observer_hooks() noexcept nogil:
    return &HOOKS
