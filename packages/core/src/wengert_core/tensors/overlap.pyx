"""Overlap of two tensors in memory: apart, the same, or overlapping in part."""
from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.tensors.memory_format cimport is_dense, order_of
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, strides_of

cdef DTypeFacts* FACTS = dtype_facts()


cdef Overlap overlap_of(Tensor a, Tensor b) noexcept:
    """torch's get_overlap_status, but that gaps do not keep it from seeing what lies apart or is the same."""
    cdef char* bounds[4]
    if a is b:
        return SAME
    if not may_meet(a, b) or a.count == 0 or b.count == 0 or a.device != b.device:
        return APART
    extent(a, &bounds[0], &bounds[1])
    extent(b, &bounds[2], &bounds[3])
    if bounds[1] <= bounds[2] or bounds[3] <= bounds[0]:
        return APART
    if is_same(a, b):
        return SAME
    if (<Storage> a.storage).data != (<Storage> b.storage).data:
        return UNSURE                  # storages of two objects in one memory, of which torch knows nothing
    return PARTIAL if has_no_gaps(a) and has_no_gaps(b) else UNSURE


cdef bint is_same(Tensor a, Tensor b) noexcept:
    """Return whether the elements are the same, in the same order: of one size and dim by dim, sizes 1 left out."""
    cdef int i = 0, k = 0
    if a.data != b.data or FACTS.itemsize[a.code] != FACTS.itemsize[b.code]:
        return False
    while True:
        while i < a.rank and a.dims[i] == 1:
            i += 1
        while k < b.rank and b.dims[k] == 1:
            k += 1
        if i == a.rank or k == b.rank:
            return i == a.rank and k == b.rank
        if a.dims[i] != b.dims[k] or a.dims[a.rank + i] != b.dims[b.rank + k]:
            return False
        i += 1
        k += 1


cdef bint has_no_gaps(Tensor t) noexcept:
    """Return whether t's elements fill a stretch of memory, each one place of it, in any order of dims."""
    cdef const Py_ssize_t* strides
    cdef int order[64]
    if t.flags & TF_CONTIGUOUS:
        return True
    strides = strides_of(t)
    order_of(t.rank, 1, &strides, t.dims, order)
    return is_dense(t, order)


cdef void extent(Tensor t, char** low, char** high) noexcept:
    """The addresses that t's elements lie between; t is not empty."""
    cdef int i
    cdef Py_ssize_t span
    low[0] = t.data
    high[0] = t.data + FACTS.itemsize[t.code]
    for i in range(t.rank):
        span = (t.dims[i] - 1) * t.dims[t.rank + i]
        if span > 0:
            high[0] += span
        else:
            low[0] += span
