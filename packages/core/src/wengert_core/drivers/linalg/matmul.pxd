"""What the drivers of products share: see matmul.pyx."""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.op cimport Op
from wengert_core.tensors.tensor cimport Tensor

cdef object multiply_matrices(
    Op op, PyObject** slots, Tensor a, Tensor b, bint transposed, int ndim, Py_ssize_t* shape, uint32_t live
)
cdef int check_out(Op op, PyObject** slots, int code) except -1
cdef int by_reference(Op op, PyObject** slots, Tensor out) except -1
cdef object no_bool(str label)
cdef object cannot_multiply(Op op, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, Py_ssize_t p, Tensor a, Tensor b)
cdef int check_same(Op op, Tensor a, Tensor b) except -1
