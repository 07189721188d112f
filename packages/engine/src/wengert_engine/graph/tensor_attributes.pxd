"""What other attributes of tensors need of these: batched tensors, and the node of a tensor."""
from wengert_core.tensors.tensor cimport Tensor

cdef object batched_attributes()       # the module batched_attributes, once there are batched tensors
cdef int refuse_batched(Tensor t, name) except -1      # RuntimeError for a batched tensor
cdef Tensor unwrap_batched(Tensor t)
cdef object grad_fn_of(Tensor t)       # None for a leaf
