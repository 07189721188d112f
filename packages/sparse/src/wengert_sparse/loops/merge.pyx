"""The sum of two coalesced tensors on the CPU: a merge of sorted lists.

Note [A merge in pieces]
    Elements of a large tensor are cut into pieces at the same keys in both lists. One pass notes for each element of
    the union which list it is from, so that a second one knows where in the result its piece begins, and has no keys to
    compare. Pieces depend on the sizes alone.
"""
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy

from wengert_core.extend cimport (INT64, LARGE, Tensor, add_overflows, mul_overflows, new_empty, parallel_for,
                                  same_shape, tensor_components)

from wengert_sparse.components cimport new_coo_like
from wengert_sparse.loops.loops cimport are_components, is_double, is_on_cpu, real_width

cdef extern from "wengert_sparse/loops/indices.h" nogil:
    uint64_t wg_key(const int64_t* indices, Py_ssize_t count, int rank, const Py_ssize_t* sizes, Py_ssize_t i)
    Py_ssize_t wg_lower_bound(const int64_t* b, Py_ssize_t nb, int rank, const Py_ssize_t* sizes, uint64_t key)
    Py_ssize_t wg_merge(const int64_t* a, Py_ssize_t na, const int64_t* b, Py_ssize_t nb, int rank,
                        const Py_ssize_t* sizes, Py_ssize_t i, Py_ssize_t i_end, Py_ssize_t j, Py_ssize_t j_end,
                        uint8_t* origins)
    void wg_merge_indices(const int64_t* a, Py_ssize_t na, const int64_t* b, Py_ssize_t nb, int rank, Py_ssize_t i,
                          Py_ssize_t j, const uint8_t* origins, Py_ssize_t count, int64_t* indices, Py_ssize_t n,
                          Py_ssize_t to)
    void wg_merge_values_f32(const float* x, const float* y, Py_ssize_t width, float scale, const uint8_t* origins,
                             Py_ssize_t count, float* sums)
    void wg_merge_values_f64(const double* x, const double* y, Py_ssize_t width, double scale, const uint8_t* origins,
                             Py_ssize_t count, double* sums)

cdef enum:
    PIECES = 64
    FEW = 256                              # elements of both for which there is room on the stack


cdef struct Merge:
    const int64_t* a
    const int64_t* b
    Py_ssize_t na
    Py_ssize_t nb
    int rank
    const Py_ssize_t* sizes                # of the sparse dims
    uint8_t* origins                       # of the elements of the union; a piece's begin at i[k] + j[k]
    Py_ssize_t i[PIECES + 1]               # where each piece begins in a
    Py_ssize_t j[PIECES + 1]               # in b
    Py_ssize_t to[PIECES + 1]              # in the union; before that is known, how many elements it has
    char* x
    char* y
    Py_ssize_t width                       # real numbers of a value
    bint doubles
    double scale
    int64_t* indices
    char* sums


cdef void find_origins(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    cdef Merge* m = <Merge*> ctx
    cdef Py_ssize_t k
    for k in range(begin, end):
        m.to[k] = wg_merge(m.a, m.na, m.b, m.nb, m.rank, m.sizes, m.i[k], m.i[k + 1], m.j[k], m.j[k + 1],
                           m.origins + m.i[k] + m.j[k])


cdef void write_pieces(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    cdef Merge* m = <Merge*> ctx
    cdef Py_ssize_t k, count
    cdef uint8_t* origins
    for k in range(begin, end):
        origins = m.origins + m.i[k] + m.j[k]
        count = m.to[k + 1] - m.to[k]
        wg_merge_indices(m.a, m.na, m.b, m.nb, m.rank, m.i[k], m.j[k], origins, count, m.indices, m.to[PIECES], m.to[k])
        if m.doubles:
            wg_merge_values_f64(<double*> m.x + m.i[k] * m.width, <double*> m.y + m.j[k] * m.width, m.width, m.scale,
                                origins, count, <double*> m.sums + m.to[k] * m.width)
        else:
            wg_merge_values_f32(<float*> m.x + m.i[k] * m.width, <float*> m.y + m.j[k] * m.width, m.width,
                                <float> m.scale, origins, count, <float*> m.sums + m.to[k] * m.width)


cdef void cut(Merge* m) noexcept nogil:
    """Cut both lists into pieces; few elements are one piece."""
    cdef Py_ssize_t k
    cdef bint large = m.na + m.nb > LARGE and m.na > PIECES
    m.i[0] = m.j[0] = 0
    for k in range(1, PIECES + 1):
        m.i[k], m.j[k] = m.na, m.nb
        if large and k < PIECES:
            m.i[k] = m.na // PIECES * k
            m.j[k] = wg_lower_bound(m.b, m.nb, m.rank, m.sizes, wg_key(m.a, m.na, m.rank, m.sizes, m.i[k]))
            m.j[k] = max(m.j[k], m.j[k - 1])    # of indices that are not sorted although somebody said so


cdef Py_ssize_t count_union(Merge* m) noexcept nogil:
    """Find the origins; returns the number of elements of the union."""
    cdef Py_ssize_t k, n, total = 0
    cut(m)
    if m.na + m.nb > LARGE:
        parallel_for(PIECES, 1, find_origins, m)
    else:
        find_origins(0, 1, m)
        for k in range(1, PIECES):
            m.to[k] = 0
    for k in range(PIECES):
        n = m.to[k]
        m.to[k] = total
        total += n
    m.to[PIECES] = total
    return total


cdef bint has_keys(int rank, const Py_ssize_t* sizes) noexcept:
    """Whether the positions in the sparse dims can be counted."""
    cdef Py_ssize_t total = 1
    cdef int d
    for d in range(rank):
        if mul_overflows(total, sizes[d], &total):
            return False
    return True


cdef Tensor merge(Tensor self, Tensor a, Tensor x, Tensor b, Tensor y, double scale):
    """x + scale * y at the union of the indices a and b, both sorted; of the shape of ``self``."""
    cdef uint8_t few[FEW]
    cdef Py_ssize_t shape[65]
    cdef Py_ssize_t total
    cdef Merge m
    cdef Tensor indices, sums
    m.rank, m.na, m.nb, m.sizes = <int> a.dims[0], a.dims[1], b.dims[1], self.dims
    m.origins = few
    if add_overflows(m.na, m.nb, &total):
        raise MemoryError(f"add: {m.na} + {m.nb} elements are too many")
    if total > FEW:
        m.origins = <uint8_t*> malloc(<size_t> total)
        if m.origins == NULL:
            raise MemoryError(f"add: no {total} bytes for merging {m.na} and {m.nb} elements")
    try:
        m.a, m.b = <int64_t*> a.data, <int64_t*> b.data
        if total > LARGE:
            with nogil:
                count_union(&m)
        else:
            count_union(&m)
        shape[0], shape[1] = m.rank, m.to[PIECES]
        indices = new_empty(INT64, 2, shape)
        memcpy(shape, x.dims, x.rank * sizeof(Py_ssize_t))
        shape[0] = m.to[PIECES]
        sums = new_empty(x.code, x.rank, shape)
        m.x, m.y, m.doubles, m.scale = x.data, y.data, is_double(x), scale
        m.width = real_width(x) or real_width(y)
        m.indices, m.sums = <int64_t*> indices.data, sums.data
        if total > LARGE:
            with nogil:
                parallel_for(PIECES, 1, write_pieces, &m)
        else:
            write_pieces(0, 1, &m)
        return new_coo_like(self, indices, sums, True)
    finally:
        if m.origins != few:
            free(m.origins)


def add_coalesced(Tensor self not None, Tensor other not None, double scale):
    """self + scale * other, of two coalesced tensors of layout ``sparse_coo`` and one shape; None for those that these
    loops do not take: their components are of other dtypes than float and complex ones, have gaps, or are elsewhere.
    """
    cdef Tensor a, b, x, y
    a, x, first = tensor_components(self)
    b, y, second = tensor_components(other)
    if (not first or not second or x.code != y.code or not are_components(a, x) or not are_components(b, y)
            or a.dims[0] != b.dims[0] or a.dims[0] < 1 or not same_shape(self, other)
            or not has_keys(<int> a.dims[0], self.dims)):
        return None
    return merge(self, a, x, b, y, scale)


def are_equal_indices(Tensor a not None, Tensor b not None):
    """Whether two index tensors are equal; None where that has to be computed in another way."""
    if a is b:
        return True
    if not same_shape(a, b):
        return False
    if not (is_on_cpu(a) and is_on_cpu(b) and a.code == INT64 and b.code == INT64):
        return None
    return a.data == b.data or memcmp(a.data, b.data, <size_t> a.count * sizeof(int64_t)) == 0
