"""Overlap of two tensors in memory. The rules are in drivers/memory_overlap.pxd, Note [What may overlap]."""
from wengert_core.runtime.allocator cimport FOREIGN_BIN
from wengert_core.tensors.tensor cimport Storage, Tensor

cdef enum Overlap:
    APART = 0
    SAME = 1                           # the same elements in the same order
    PARTIAL = 2
    UNSURE = 3                         # the addresses meet, but one of the two has gaps: perhaps no element does

cdef Overlap overlap_of(Tensor a, Tensor b) noexcept

cdef inline bint may_meet(Tensor a, Tensor b) noexcept:
    """Return False for two storages of our own; memory of other objects (arrays) is known by its addresses alone."""
    return (<Storage> a.storage).data == (<Storage> b.storage).data \
        or (<Storage> a.storage).bin == FOREIGN_BIN or (<Storage> b.storage).bin == FOREIGN_BIN
