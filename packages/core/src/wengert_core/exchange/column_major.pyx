"""Matrices that lie column by column in memory, as LAPACK leaves them."""
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy

from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.exchange.arrays cimport contiguous_copy
from wengert_core.tensors.tensor cimport Tensor, new_view, set_contiguity

cdef enum:
    WORDS = 2048                       # of 8 bytes: a matrix that is turned where it is stays in the first cache

ctypedef fused unit:                   # of what an element is made
    uint32_t
    uint64_t

cdef DTypeFacts* FACTS = dtype_facts()


cdef Tensor by_columns(Tensor rows):
    """The transposes of fresh matrices: what is written row by row, seen column by column."""
    cdef Py_ssize_t* sizes = rows.dims + rows.rank - 2
    cdef Py_ssize_t* strides = sizes + rows.rank
    sizes[0], sizes[1] = sizes[1], sizes[0]
    strides[0], strides[1] = strides[1], strides[0]
    set_contiguity(rows)
    return rows


cdef Tensor copy_by_columns(Tensor x):
    """Fresh matrices column by column: small ones, which most are, in their own memory, others as a copy."""
    cdef uint64_t room[WORDS]
    cdef Py_ssize_t* sizes = x.dims + x.rank - 2
    cdef Py_ssize_t* strides = sizes + x.rank
    cdef Py_ssize_t _i, m = sizes[0], n = sizes[1], size = FACTS.itemsize[x.code], nbytes = m * n * size
    cdef char* target = x.data
    if not x.count or nbytes > 8 * WORDS or size < 4:
        return by_columns(contiguous_copy(transpose_view(x)))
    for _i in range(x.count // (m * n)):
        memcpy(room, target, nbytes)
        if size == 4:
            transpose_units(<uint32_t*> target, <const uint32_t*> room, m, n, 1)
        else:
            transpose_units(<uint64_t*> target, room, m, n, size // 8)
        target += nbytes
    strides[0], strides[1] = size, m * size
    set_contiguity(x)
    return x


cdef void transpose_units(
    unit* target, const unit* source, Py_ssize_t m, Py_ssize_t n, Py_ssize_t units
) noexcept nogil:
    """Transpose an m by n matrix whose elements are so many units."""
    cdef Py_ssize_t r, c, k
    for c in range(n):
        for r in range(m):
            for k in range(units):
                target[k] = source[(r * n + c) * units + k]
            target += units


cdef Tensor transpose_view(Tensor x):
    """The transposed view, which nobody else sees."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    memcpy(sizes, x.dims, x.rank * sizeof(Py_ssize_t))
    memcpy(strides, x.dims + x.rank, x.rank * sizeof(Py_ssize_t))
    cdef int i = x.rank - 2
    sizes[i], sizes[i + 1] = sizes[i + 1], sizes[i]
    strides[i], strides[i + 1] = strides[i + 1], strides[i]
    return new_view(x, x.rank, sizes, strides, x.data)
