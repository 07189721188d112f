"""Memory layouts: which strides a copy has, and what ``memory_format=`` means."""
from cpython.ref cimport PyObject

from wengert_core.tensors.tensor cimport Tensor

# empty, with t's layout where t is dense, else with its order of dims
cdef Tensor new_preserved(Tensor t, int code)
# outermost first
cdef void order_of(int ndim, int n, const Py_ssize_t** strides, const Py_ssize_t* sizes, int* order) noexcept
cdef void dense_strides(Tensor out, const int* order) noexcept         # lay out's dims in memory in that order
cdef bint is_dense(Tensor t, const int* order) noexcept                # no gaps or overlaps, dims in that order

cdef enum Format:                                      # what memory_format= says
    FORMAT_PRESERVE
    FORMAT_CONTIGUOUS
    FORMAT_CHANNELS_LAST
    FORMAT_CHANNELS_LAST_3D

# None: otherwise
cdef Format format_of(PyObject* memory_format, Format otherwise) except? FORMAT_PRESERVE
cdef bint has_format(Tensor t, Format form) noexcept    # of a format that is a layout: not FORMAT_PRESERVE
cdef int lay_out(Tensor out, Format form) except -1     # strides of a fresh tensor; RuntimeError for its rank
