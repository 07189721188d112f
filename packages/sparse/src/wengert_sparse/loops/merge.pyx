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
from wengert_sparse.loops.loops cimport are_components, fit_shape, is_double, is_on_cpu, real_width
from wengert_sparse.loops.sections cimport (wg_lists, wg_merge_indices, wg_merge_two, wg_merge_values_f32,
                                            wg_merge_values_f64, wg_section)

cdef extern from "wengert_sparse/loops/indices.h" nogil:
    uint64_t wg_key(const int64_t* indices, Py_ssize_t count, int rank, const Py_ssize_t* sizes, Py_ssize_t i)
    Py_ssize_t wg_lower_bound(const int64_t* b, Py_ssize_t nb, int rank, const Py_ssize_t* sizes, uint64_t key)

cdef enum:
    PIECES = 64
    FEW = 256                              # elements of both for which there is room on the stack


cdef struct Merge:
    wg_lists lists
    wg_section pieces[PIECES]
    Py_ssize_t to[PIECES + 1]              # where each begins in the union; before that is known, how long it is
    char* x
    char* y
    Py_ssize_t width                       # real numbers of a value
    bint doubles
    double scale
    int64_t* indices
    char* sums


cdef void find_origins(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    """Of pairs of pieces."""
    cdef Merge* m = <Merge*> ctx
    cdef Py_ssize_t k
    for k in range(begin, end):
        wg_merge_two(&m.lists, &m.pieces[2 * k], &m.pieces[2 * k + 1], &m.to[2 * k])


cdef void write_pieces(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    cdef Merge* m = <Merge*> ctx
    cdef Py_ssize_t k, count, i, j
    cdef uint8_t* origins
    for k in range(begin, end):
        i, j, origins, count = m.pieces[k].i, m.pieces[k].j, m.pieces[k].origins, m.to[k + 1] - m.to[k]
        wg_merge_indices(m.lists.a, m.lists.na, m.lists.b, m.lists.nb, m.lists.rank, i, j, origins, count, m.indices,
                         m.to[PIECES], m.to[k])
        i, j = i * m.width, j * m.width
        if m.doubles:
            wg_merge_values_f64(<double*> m.x + i, <double*> m.y + j, m.width, m.scale, origins, count,
                                <double*> m.sums + m.to[k] * m.width)
        else:
            wg_merge_values_f32(<float*> m.x + i, <float*> m.y + j, m.width, <float> m.scale, origins, count,
                                <float*> m.sums + m.to[k] * m.width)


cdef void cut(Merge* m, uint8_t* origins) noexcept nogil:
    """Cut both lists into pieces; few elements are one piece."""
    cdef Py_ssize_t k, i, j, before_i = 0, before_j = 0
    cdef wg_lists* lists = &m.lists
    cdef uint64_t key
    cdef bint large = lists.na + lists.nb > LARGE and lists.na > PIECES
    for k in range(PIECES):
        i, j = lists.na, lists.nb
        if large and k < PIECES - 1:
            i = lists.na // PIECES * (k + 1)
            key = wg_key(lists.a, lists.na, lists.rank, lists.sizes, i)
            j = wg_lower_bound(lists.b, lists.nb, lists.rank, lists.sizes, key)
            j = max(j, before_j)           # of indices that are not sorted although somebody said so
        m.pieces[k].i, m.pieces[k].i_end, m.pieces[k].j, m.pieces[k].j_end = before_i, i, before_j, j
        m.pieces[k].origins = origins + before_i + before_j
        before_i, before_j = i, j


cdef void count_union(Merge* m, uint8_t* origins) noexcept nogil:
    """Find the origins, and where the pieces begin in the union."""
    cdef Py_ssize_t k, n, total = 0
    cut(m, origins)
    if m.lists.na + m.lists.nb > LARGE:
        parallel_for(PIECES // 2, 1, find_origins, m)
    else:
        find_origins(0, 1, m)
        for k in range(2, PIECES):
            m.to[k] = 0
    for k in range(PIECES):
        n = m.to[k]
        m.to[k] = total
        total += n
    m.to[PIECES] = total


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
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t total
    cdef Merge m
    cdef Tensor indices, sums
    cdef uint8_t* origins = few
    if add_overflows(a.dims[1], b.dims[1], &total):
        raise MemoryError(f"add: {a.dims[1]} + {b.dims[1]} elements are too many")
    if total > FEW:
        origins = <uint8_t*> malloc(<size_t> total)
        if origins == NULL:
            raise MemoryError(f"add: no {total} bytes for merging {a.dims[1]} and {b.dims[1]} elements")
    try:
        m.lists.a, m.lists.b, m.lists.na, m.lists.nb = <int64_t*> a.data, <int64_t*> b.data, a.dims[1], b.dims[1]
        m.lists.rank, m.lists.sizes = <int> a.dims[0], sizes
        memcpy(sizes, self.dims, a.dims[0] * sizeof(Py_ssize_t))
        if total > LARGE:
            with nogil:
                count_union(&m, origins)
        else:
            count_union(&m, origins)
        shape[0], shape[1] = a.dims[0], m.to[PIECES]
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
        if origins != few:
            free(origins)


cdef Tensor add_coalesced(Tensor self, Tensor other, double scale):
    """self + scale * other, of two coalesced tensors of layout ``sparse_coo`` and one shape; None for those that these
    loops do not take: their components are of other dtypes than float and complex ones, have gaps, or are elsewhere.
    """
    cdef Tensor a, b, x, y
    a, x, _ = tensor_components(self)
    b, y, _ = tensor_components(other)
    if (x.code != y.code or not are_components(a, x) or not are_components(b, y) or a.dims[0] != b.dims[0]
            or a.dims[0] < 1 or not fit_shape(self, a, x) or not has_keys(<int> a.dims[0], self.dims)):
        return None
    return merge(self, a, x, b, y, scale)


cdef bint equal_indices(Tensor a, Tensor b) noexcept:
    if a is b:
        return True
    if not (same_shape(a, b) and is_on_cpu(a) and is_on_cpu(b) and a.code == INT64 and b.code == INT64):
        return False
    return a.data == b.data or memcmp(a.data, b.data, <size_t> a.count * sizeof(int64_t)) == 0
