"""Sums of coalesced tensors: see merge.pyx."""
from wengert_core.extend cimport Tensor

cdef Tensor add_coalesced(Tensor self, Tensor other, double scale)
# whether two index tensors are equal; False as well where that has to be computed in another way
cdef bint equal_indices(Tensor a, Tensor b) noexcept
