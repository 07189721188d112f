"""The sum of two matrices in compressed rows, or columns, on the CPU: a merge of each row.

One pass notes for each element of a row of the sum which matrix it is from, and so how long the row is; a second one
writes it.
"""
from libc.stdint cimport int64_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from wengert_core.extend cimport GRAIN, INT64, LARGE, Tensor, add_overflows, new_empty, parallel_for, same_shape

from wengert_sparse.loops.loops cimport are_values, is_double, is_on_cpu, real_width
from wengert_sparse.loops.sections cimport (wg_lists, wg_merge_indices, wg_merge_two, wg_merge_values_f32,
                                            wg_merge_values_f64, wg_section)

cdef extern from "wengert_sparse/loops/products.h" nogil:
    int wg_are_pointers_i64(const int64_t* pointers, Py_ssize_t n_rows, Py_ssize_t count)


cdef struct Rows:
    wg_lists columns
    const int64_t* a                       # row pointers, (n_rows + 1,)
    const int64_t* b
    int64_t* pointers                      # of the sum; before that is known pointers[r + 1] is the length of row r
    Py_ssize_t n_rows
    uint8_t* origins                       # of a row: from a[r] + b[r] on
    char* x
    char* y
    Py_ssize_t width                       # real numbers of a value
    bint doubles
    double scale
    int64_t* merged
    char* sums


cdef void find_origins(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    """Of rows, two at a time."""
    cdef Rows* m = <Rows*> ctx
    cdef wg_section two[2]
    cdef Py_ssize_t counts[2]
    cdef Py_ssize_t r, k, n
    for r in range(begin, end, 2):
        n = min(2, end - r)
        for k in range(2):
            if k < n:
                two[k].i, two[k].i_end = m.a[r + k], m.a[r + k + 1]
                two[k].j, two[k].j_end = m.b[r + k], m.b[r + k + 1]
            else:
                two[k].i = two[k].i_end = m.a[r + 1]
                two[k].j = two[k].j_end = m.b[r + 1]
            two[k].origins = m.origins + two[k].i + two[k].j
        wg_merge_two(&m.columns, &two[0], &two[1], counts)
        for k in range(n):
            m.pointers[r + k + 1] = counts[k]


cdef void write_rows(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    cdef Rows* m = <Rows*> ctx
    cdef Py_ssize_t r, i, j, to, count, n = m.pointers[m.n_rows]
    cdef uint8_t* origins
    for r in range(begin, end):
        i, j, to, count = m.a[r], m.b[r], m.pointers[r], m.pointers[r + 1] - m.pointers[r]
        origins = m.origins + i + j
        wg_merge_indices(m.columns.a, m.columns.na, m.columns.b, m.columns.nb, 1, i, j, origins, count, m.merged, n, to)
        if m.doubles:
            wg_merge_values_f64(<double*> m.x + i * m.width, <double*> m.y + j * m.width, m.width, m.scale, origins,
                                count, <double*> m.sums + to * m.width)
        else:
            wg_merge_values_f32(<float*> m.x + i * m.width, <float*> m.y + j * m.width, m.width, <float> m.scale,
                                origins, count, <float*> m.sums + to * m.width)


cdef void run(Rows* m, Py_ssize_t total, void (*body)(Py_ssize_t, Py_ssize_t, void*) noexcept nogil) noexcept nogil:
    """Run a pass over all rows, a large one in several threads."""
    cdef Py_ssize_t each = total // max(m.n_rows, 1) * m.width + 1
    if total > LARGE:
        parallel_for(m.n_rows, max(GRAIN // each, 1), body, m)
    else:
        body(0, m.n_rows, m)


cdef void count_rows(Rows* m, Py_ssize_t total) noexcept nogil:
    """Find the origins and the row pointers of the sum."""
    cdef Py_ssize_t r
    run(m, total, find_origins)
    m.pointers[0] = 0
    for r in range(m.n_rows):
        m.pointers[r + 1] += m.pointers[r]


def add_rows(Tensor pointers_a not None, Tensor columns_a not None, Tensor x not None, Tensor pointers_b not None,
             Tensor columns_b not None, Tensor y not None, double scale):
    """x + scale * y: row pointers, columns and values of the sum; None for components that these loops do not take.

    pointers: (rows + 1,) of int64.   columns: (N,) of int64, ascending in each row.   x, y: (N, ...).
    """
    cdef uint8_t few[256]
    cdef Py_ssize_t shape[65]
    cdef Py_ssize_t total
    cdef Rows m
    cdef uint8_t* origins = few
    cdef Tensor pointers, columns, sums
    if not (are_pointers(pointers_a, columns_a, x) and are_pointers(pointers_b, columns_b, y)
            and same_shape(pointers_a, pointers_b) and x.code == y.code and x.rank == y.rank):
        return None
    for d in range(1, x.rank):
        if x.dims[d] != y.dims[d]:
            return None
    if add_overflows(columns_a.count, columns_b.count, &total):
        raise MemoryError(f"add: {columns_a.count} + {columns_b.count} elements are too many")
    if total > 256:
        origins = <uint8_t*> malloc(<size_t> total)
        if origins == NULL:
            raise MemoryError(f"add: no {total} bytes for merging {columns_a.count} and {columns_b.count} elements")
    try:
        shape[0] = pointers_a.count
        pointers = new_empty(INT64, 1, shape)
        m.columns.a, m.columns.b = <int64_t*> columns_a.data, <int64_t*> columns_b.data
        m.columns.na, m.columns.nb, m.columns.rank, m.columns.sizes = columns_a.count, columns_b.count, 1, NULL
        m.a, m.b, m.pointers = <int64_t*> pointers_a.data, <int64_t*> pointers_b.data, <int64_t*> pointers.data
        m.n_rows, m.origins, m.width = pointers.count - 1, origins, real_width(x) or real_width(y)
        with nogil:
            count_rows(&m, total)
        shape[0] = m.pointers[m.n_rows]
        columns = new_empty(INT64, 1, shape)
        memcpy(shape, x.dims, x.rank * sizeof(Py_ssize_t))
        shape[0] = columns.count
        sums = new_empty(x.code, x.rank, shape)
        m.merged, m.sums, m.x, m.y = <int64_t*> columns.data, sums.data, x.data, y.data
        m.doubles, m.scale = is_double(x), scale
        with nogil:
            run(&m, total, write_rows)
        return pointers, columns, sums
    finally:
        if origins != few:
            free(origins)


cdef bint are_pointers(Tensor pointers, Tensor columns, Tensor values):
    """Whether components of one matrix are as these loops take them."""
    return (are_values(columns, values) and pointers.rank == 1 and pointers.code == INT64 and is_on_cpu(pointers)
            and pointers.count > 0
            and wg_are_pointers_i64(<int64_t*> pointers.data, pointers.count - 1, columns.count))
