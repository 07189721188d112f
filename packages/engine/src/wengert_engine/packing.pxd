"""Packing saved tensors: the stack of hooks, and what a packed value remembers. See packing.pyx."""
from cpython.ref cimport PyObject

from wengert_core.tensor cimport Tensor
from wengert_engine.node cimport Node

cdef int pack_all(Node node, PyObject* pair, PyObject** outs) except -1     # outs: the node's outputs, with their history
# shown: what the hook gets; source itself, or an alias of it without history
cdef int pack_one(Node node, int index, Tensor source, Tensor shown, object pack, object unpack) except -1
cdef Tensor unpacked(Node node, int index)
