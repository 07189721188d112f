"""What an observer (a profiler) installs. It is called only where WG_OBSERVE is on, which is a test that is made anyway.

Note [Who is observed]
    An op is handed to ``run_op`` by the test with which its driver looks for other devices and batches (drivers/steps.pyx); a function
    of ops, a node that is run backward and a user's Function are put between ``begin`` and ``end``. Nobody else asks; functions
    of ops get another entry while some thread is observed, as many are so small that a test would show.
    What ``begin`` gives stands for the event; negative: nothing was recorded.
"""
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t, uint32_t

from wengert_core.dispatch.op cimport Op

cdef enum EventKind:
    EVENT_OP = 0                       # a row of an op table
    EVENT_FUNCTION = 1                 # a function of other ops
    EVENT_NODE = 2                     # a node, run backward
    EVENT_LABEL = 3                    # record_function
    EVENT_CUSTOM = 4                   # a user's Function, forward
    EVENT_ROOT = 5                     # the start of a backward
    EVENT_MEMORY = 6                   # what was freed or allocated between ops

ctypedef struct ObserverHooks:         # NULL: no observer was ever used
    # instead of running; the observer runs it
    object (*run_op)(Op op, PyObject** slots, uint32_t live)
    # what: the object that names the event, args: n of its arguments, borrowed, each may be NULL
    int64_t (*begin)(int kind, PyObject* what, PyObject* const* args, Py_ssize_t n) noexcept
    void (*end)(int64_t event) noexcept
    # given by composite.pyx: let functions of ops look whether their thread is observed. Off, their calls test nothing.
    void (*observe_functions)(bint on) noexcept


cdef ObserverHooks* observer_hooks() noexcept nogil
