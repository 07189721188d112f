"""Batched tensors: what vmap's functions see. See Note [Batched tensors] in batched_tensor.pyx."""
from wengert_core.dispatch.op cimport Op
from wengert_core.runtime.state cimport WG_BATCHED
from wengert_core.tensors.tensor cimport Tensor
from wengert_engine.vmap.level_stack cimport Levels


cdef class Batch:    # what a batched tensor has in extra.tangent: its physical tensor may have a tangent, it not
    cdef readonly Tensor physical      # the batch in dim 0; may be batched itself, by an outer level
    cdef readonly int level
    cdef long serial                   # of the vmap it belongs to, which may be over
    # where vmap was given the batch that is in dim 0 now: for Functions with a vmap of their own
    cdef readonly int in_dim

cdef Batch batch_of(Tensor t)          # None for a tensor that is not batched
cdef Tensor wrap(Tensor physical, int level, long serial)
cdef int level_at(Tensor t, Levels here, Op op) except -1


cdef inline int level_in(Tensor t) noexcept:
    return (<Batch> t.extra.tangent).level if t.flags & WG_BATCHED else 0


cdef inline Tensor physical_at(Tensor t, int level):
    """The physical tensor of a tensor batched at that level, else the tensor."""
    return (<Batch> t.extra.tangent).physical if level_in(t) == level else t
