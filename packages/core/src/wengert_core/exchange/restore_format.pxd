"""Results that lie in memory as an input does."""
from wengert_core.tensors.tensor cimport Tensor

cdef bint is_channels_last(Tensor t) noexcept
cdef int lay_channels_last(Tensor out) except -1
cdef Tensor with_channels_last(Tensor out)
cdef Tensor restore_layout(Tensor t, Tensor out)
cdef Tensor as_ordered(Tensor t, Tensor out)
