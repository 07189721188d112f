"""Batched tensors: what vmap's functions see. See interpreter.pyx."""
from wengert_core.tensors.tensor cimport Tensor


cdef class Batch:    # what a batched tensor has in extra.tangent: its physical tensor may have a tangent, it not
    cdef readonly Tensor physical      # the batch in dim 0; may be batched itself, by an outer level
    cdef readonly int level
    cdef long serial                   # of the vmap it belongs to, which may be over
    # where vmap was given the batch that is in dim 0 now: for Functions with a vmap of their own
    cdef readonly int in_dim

cdef Batch batch_of(Tensor t)          # None for a tensor that is not batched
cdef Tensor wrap(Tensor physical, int level, long serial)
