"""Places of spans in an arena. See layout.pyx."""
from libc.stdint cimport int32_t

from wengert_replay.memory.arena cimport Span

cdef enum:
    WIDE = 64                          # alignment of spans that are not smaller
    NARROW = 16                        # ... of others

# Give the spans of these numbers, n of them, offsets so that those in use at the same time lie apart. Returns the bytes
# of all. The numbers are brought into another order.
cdef Py_ssize_t pack_spans(Span* spans, int32_t* numbers, Py_ssize_t n) except -1
