"""Recording: see record.pyx."""
from wengert_core.tensor cimport Tensor
from wengert_engine.node cimport Node

cdef int check_write(Tensor t, str name, bint recorded) except -1
cdef int rebase_node(Node inner, Tensor view, int own) except -1
cdef int move_retained(Node node, Tensor t) except -1        # before the node becomes t's grad_fn
