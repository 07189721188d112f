"""x[index]: the view that an index means."""
from wengert_core.drivers.index.index_items cimport Index
from wengert_core.tensors.tensor cimport Tensor

cdef struct Geometry:                  # of the view so far
    int rank
    char* data
    Py_ssize_t shape[72]
    Py_ssize_t strides[72]             # bytes

cdef void start_from(Geometry* g, Tensor t) noexcept
cdef int walk(Index* index, Tensor t, Geometry* g) except -1
cdef Tensor view_by(Index* index, Tensor t)
cdef object flip_back(Index* index, object view)                # the view in the order of the index
