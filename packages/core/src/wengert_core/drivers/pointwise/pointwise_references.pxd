"""Pointwise operations by their references."""
from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.pointwise.loop_lookup cimport Loop
from wengert_core.tensors.tensor cimport Tensor

cdef int by_reference(Op op, object reference, list inputs, Loop* loop, Tensor out) except -1
