"""Sparse tensors in C: see components.pyx."""
from wengert_core.extend cimport Tensor

cdef bint is_coo_tensor(Tensor t)
cdef object new_coo_parts(Tensor indices, Tensor values, bint coalesced)
# a tensor of layout sparse_coo of the shape of another one that is on the same device
cdef Tensor new_coo_like(Tensor like, Tensor indices, Tensor values, bint coalesced)
# of any shape
cdef Tensor new_coo(Tensor indices, Tensor values, int ndim, const Py_ssize_t* shape, bint coalesced)
