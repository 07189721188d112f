"""Tensors of other layouts than strided: see components.pyx."""
from wengert_core.tensors.tensor cimport Tensor

# what a tensor of another layout than strided consists of; None for a strided tensor on memory of its own
cdef object tensor_components(Tensor t)
# a tensor of a layout, by its device number, without history
cdef Tensor new_of_layout(unsigned int device_number, int ndim, const Py_ssize_t* shape, int dtype, object components)
# a tensor has the components of a result that nobody else has: a write to all of it
cdef int take_over(Tensor t, Tensor result) except -1
