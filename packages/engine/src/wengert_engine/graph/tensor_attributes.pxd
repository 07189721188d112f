"""Parts of these attributes that other ones use: batched tensors, and the node of a tensor."""
from wengert_core.tensors.tensor cimport Tensor

ctypedef int (*alias_fn)(Tensor source, Tensor made) except -1

# It is told what detach() and data give in a thread that is traced.
cdef void set_alias_hook(alias_fn function) noexcept
cdef Tensor announce(Tensor source, Tensor made)        # tell of another such alias; returns it
cdef object batched_attributes()       # the module batched_attributes, once there are batched tensors
cdef int refuse_batched(Tensor t, name) except -1      # RuntimeError for a batched tensor
cdef Tensor unwrap_batched(Tensor t)
cdef object grad_fn_of(Tensor t)       # None for a leaf
