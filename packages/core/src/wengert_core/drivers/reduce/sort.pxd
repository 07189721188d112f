"""Ordering the elements of a line."""
from libc.stdint cimport int64_t

from wengert_core.tensors.tensor cimport Tensor

cdef int sort_whole(Tensor t, Tensor values, Tensor places) except -1
