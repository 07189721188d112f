"""Memory layouts: which strides a copy has, and what ``memory_format=`` means."""
from cpython.ref cimport PyObject

from wengert_core.tensor cimport Tensor

cdef Tensor new_preserved(Tensor t, int code)          # empty, with t's layout where t is dense, else with its order of dims
cdef void order_of(int ndim, int n, const Py_ssize_t** strides, const Py_ssize_t* sizes, int* order) noexcept   # outermost first
cdef void dense_strides(Tensor out, const int* order) noexcept         # lay out's dims in memory in that order
cdef bint wants_contiguous(PyObject* memory_format, bint otherwise) except -1
