"""What an operation that writes into given memory may read from it."""
from wengert_core.op cimport Op
from wengert_core.tensor cimport Tensor

cdef Tensor without_overlap(Op op, Tensor t, Tensor out)       # t, or a copy of it
