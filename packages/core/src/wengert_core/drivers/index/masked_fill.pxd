"""masked_fill: one value where a mask is True."""
from wengert_core.tensors.tensor cimport Tensor

# target[mask] = number; the mask broadcasts. source: the tensor that the number is read from, or None
cdef int store(Tensor target, Tensor mask, Tensor source, const char* number) except -1
