"""Streams in a backward: see streams.pyx, Note [Streams of nodes]."""
from wengert_core.tensors.tensor cimport Tensor
from wengert_engine.graph.node cimport Node

cdef object stream_of(Node node)                   # or None
cdef object enter(object stream)
cdef int leave(object before) except -1
cdef object hand_over(Tensor grad, Node node, object used)
