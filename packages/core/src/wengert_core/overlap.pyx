"""What an operation that writes into given memory may read from it."""
from wengert_core.arrays cimport contiguous_copy
from wengert_core.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.op cimport Op
from wengert_core.tensor cimport TF_CONTIGUOUS, Tensor, storage_of

cdef DTypeFacts* FACTS = dtype_facts()


cdef Tensor without_overlap(Op op, Tensor t, Tensor out):
    """``t``, or a copy where it shares memory with ``out`` in another order; partial overlap is an error, as in torch."""
    cdef int i
    cdef bint same = t.data == out.data and t.rank == out.rank
    if t is out or storage_of(t).data != storage_of(out).data:
        return t
    for i in range(t.rank if same else 0):
        same = same and t.dims[i] == out.dims[i] and (t.dims[i] == 1 or t.dims[t.rank + i] == out.dims[t.rank + i])
    if same or disjoint(t, out):
        return t
    if t.flags & out.flags & TF_CONTIGUOUS and t.count > 1:
        raise RuntimeError("unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
                           f"memory location. Please clone() the tensor before performing the operation: {op.name}")
    return contiguous_copy(t)


cdef bint disjoint(Tensor a, Tensor b) noexcept:
    """Whether the address ranges of two tensors do not meet."""
    cdef char* a_low
    cdef char* a_high
    cdef char* b_low
    cdef char* b_high
    extent(a, &a_low, &a_high)
    extent(b, &b_low, &b_high)
    return a_high <= b_low or b_high <= a_low


cdef void extent(Tensor t, char** low, char** high) noexcept:
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
