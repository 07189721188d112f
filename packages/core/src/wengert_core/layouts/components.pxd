from wengert_core.tensors.tensor cimport Tensor

# a tensor has the components of a result that nobody else has: a write to all of it
cdef int take_over(Tensor t, Tensor result) except -1
