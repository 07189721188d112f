"""masked_fill: one value where a mask is True."""
from wengert_core.tensors.tensor cimport Tensor

cdef void store(Tensor target, Tensor mask, char* number) noexcept       # target[mask] = number; the mask broadcasts
