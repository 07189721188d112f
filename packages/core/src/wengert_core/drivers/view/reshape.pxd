"""Views with other sizes or another order of dims."""
from wengert_core.dispatch.op cimport Op
from wengert_core.tensors.tensor cimport Tensor

cdef Tensor geometry_permute(Tensor t, const int* order)
cdef Tensor geometry_transpose(Tensor t, int a, int b)
cdef bint view_strides(Tensor t, int ndim, const Py_ssize_t* shape, Py_ssize_t* strides) noexcept  # False: needs a copy
cdef int check_alignment(str name, int code, const char* data) except -1       # of memory of the host
cdef int infer_size(Op op, Tensor t, int ndim, Py_ssize_t* shape) except -1
