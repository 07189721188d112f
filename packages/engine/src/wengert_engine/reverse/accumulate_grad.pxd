"""Leaves: where gradients end up."""
from wengert_core.tensors.tensor cimport Tensor
from wengert_engine.graph.node cimport Node

cdef bint is_dense(Tensor t) noexcept                           # no gaps, no element twice
cdef int accumulate(Node node, Tensor grad, bint create_graph) except -1
