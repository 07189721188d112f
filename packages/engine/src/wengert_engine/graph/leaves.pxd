"""Leaves: the AccumulateGrad of each, and where the gradient of a tensor goes."""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.tensors.tensor cimport Tensor

cdef PyObject* gradient_edge(Tensor t, uint32_t* input_nr) except? NULL   # new reference; NULL: t needs no gradient
cdef int grad_code(Tensor leaf) except -1                        # DTypeCode of a leaf's gradients, or ANY_DTYPE
cdef int set_grad_code(Tensor leaf, int code) except -1
