"""Whether two recordings have done the same up to a step. See likeness.pyx."""
from wengert_replay.trace.steps cimport Steps

# The first n steps have the same operations, arguments and types of results.
cdef bint begins_like(Steps steps, Steps other, Py_ssize_t n) except -1
