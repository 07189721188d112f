"""Views of a part."""
from wengert_core.tensor cimport Tensor

cdef Tensor geometry_slice(Tensor t, int dim, Py_ssize_t start, Py_ssize_t end, Py_ssize_t step)
