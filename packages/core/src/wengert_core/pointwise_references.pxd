"""Pointwise operations by their references."""
from wengert_core.loops cimport Loop
from wengert_core.op cimport Op
from wengert_core.tensor cimport Tensor

cdef int by_reference(Op op, object reference, list inputs, Loop* loop, Tensor out) except -1
