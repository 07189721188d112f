"""Views of a part."""
from wengert_core.tensors.tensor cimport Tensor

# the error for a geometry that ends behind its storage, ``end`` bytes from the start
cdef object out_of_bounds(
    int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides, Py_ssize_t offset, Py_ssize_t itemsize,
    Py_ssize_t end, Py_ssize_t nbytes
)
cdef Tensor geometry_slice(Tensor t, int dim, Py_ssize_t start, Py_ssize_t end, Py_ssize_t step)
