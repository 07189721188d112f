"""Calls by which other modules tell a tracer of this thread something. See observing.pyx."""
from wengert_core.tensors.tensor cimport Tensor

cdef int note_version(Tensor t) except -1
