"""Results of pointwise ops. See pointwise_results.pyx."""
from cpython.ref cimport PyObject

from wengert_core.dispatch.op cimport Op
from wengert_core.tensors.tensor cimport Tensor

cdef int check_given(Op op, PyObject** slots, int n_in, int ndim, const Py_ssize_t* shape) except -1
cdef Tensor inplace_target(Op op, PyObject** slots, int code, int ndim, Py_ssize_t* shape)
cdef Tensor new_result(int code, PyObject** slots, int n, int ndim, Py_ssize_t* shape)
cdef int lay_out_as_inputs(Tensor out, PyObject** slots, int n, int ndim, const Py_ssize_t* shape) except -1
