"""Recording: see record.pyx."""
from wengert_core.tensor cimport Tensor
from wengert_engine.node cimport Node

cdef int check_write(Tensor t, str name, bint recorded) except -1
cdef int rebase_custom(Node inner, int number, Tensor view) except -1     # a custom Function wrote to a view
cdef int move_retained(Node node, Tensor t) except -1                     # before the node becomes t's grad_fn
