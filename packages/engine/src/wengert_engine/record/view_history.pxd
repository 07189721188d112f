"""The history of views: see view_history.pyx."""
from cpython.ref cimport PyObject

from wengert_core.tensors.tensor cimport Tensor
from wengert_engine.graph.node cimport Node

cdef int rebase_node(Node inner, Tensor view, int own) except -1
cdef int move_retained(Node node, Tensor t) except -1        # before the node becomes t's grad_fn
cdef PyObject* view_grad_fn(Tensor t) except? NULL           # borrowed
