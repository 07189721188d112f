"""Which of a node's edges users see. See visible_edges.pyx."""
from libc.stdint cimport uint32_t

from wengert_engine.graph.node cimport Node

cdef uint32_t hidden_edges(Node node) noexcept            # bit per recorded edge, of the first 32: no others are hidden
cdef list shown_gradients(Node node, list grads)          # of those that users see, from those of all
cdef list recorded_gradients(Node node, list shown)       # the other way round
cdef int shown_number(Node node, int edge) noexcept


cdef inline bint is_shown(uint32_t hidden, int edge) noexcept:
    return edge >= 32 or not hidden >> edge & 1


cdef inline int n_bits(uint32_t mask) noexcept:
    cdef int n = 0
    while mask:
        mask &= mask - 1
        n += 1
    return n
