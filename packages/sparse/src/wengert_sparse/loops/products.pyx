"""Products of sparse matrices and dense ones of float32 and float64 on the CPU.

Each row of the result is computed by one thread, in the order of the elements.
"""
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from wengert_core.extend cimport (FLOAT32, FLOAT64, GRAIN, INT32, INT64, Tensor, add_overflows,
                                  mul_overflows, new_empty, parallel_for)

from wengert_sparse.loops.loops cimport is_on_cpu

cdef extern from "wengert_sparse/loops/products.h" nogil:
    int wg_rows_times_dense_f32_i32(Py_ssize_t begin, Py_ssize_t end, const int32_t* pointers, const int32_t* columns,
                                    const float* values, const float* dense, Py_ssize_t n_columns, Py_ssize_t width,
                                    float* product)
    int wg_rows_times_dense_f32_i64(Py_ssize_t begin, Py_ssize_t end, const int64_t* pointers, const int64_t* columns,
                                    const float* values, const float* dense, Py_ssize_t n_columns, Py_ssize_t width,
                                    float* product)
    int wg_rows_times_dense_f64_i32(Py_ssize_t begin, Py_ssize_t end, const int32_t* pointers, const int32_t* columns,
                                    const double* values, const double* dense, Py_ssize_t n_columns, Py_ssize_t width,
                                    double* product)
    int wg_rows_times_dense_f64_i64(Py_ssize_t begin, Py_ssize_t end, const int64_t* pointers, const int64_t* columns,
                                    const double* values, const double* dense, Py_ssize_t n_columns, Py_ssize_t width,
                                    double* product)
    int wg_elements_times_dense_f32(Py_ssize_t count, const int64_t* rows, const int64_t* columns, const float* values,
                                    const float* dense, Py_ssize_t n_rows, Py_ssize_t n_columns, Py_ssize_t width,
                                    float* product)
    int wg_elements_times_dense_f64(Py_ssize_t count, const int64_t* rows, const int64_t* columns,
                                    const double* values, const double* dense, Py_ssize_t n_rows,
                                    Py_ssize_t n_columns, Py_ssize_t width, double* product)
    int wg_sampled_product_f32(Py_ssize_t begin, Py_ssize_t end, const int64_t* rows, const int64_t* columns,
                               const float* a, const float* b, Py_ssize_t n_rows, Py_ssize_t n_columns,
                               Py_ssize_t width, float* products)
    int wg_sampled_product_f64(Py_ssize_t begin, Py_ssize_t end, const int64_t* rows, const int64_t* columns,
                               const double* a, const double* b, Py_ssize_t n_rows, Py_ssize_t n_columns,
                               Py_ssize_t width, double* products)
    int wg_row_pointers(const int64_t* rows, Py_ssize_t count, Py_ssize_t n_rows, int64_t* pointers)
    void wg_sort_by_rows_f32(const int64_t* rows, const int64_t* columns, const float* values, Py_ssize_t count,
                             Py_ssize_t n_rows, int64_t* pointers, int64_t* sorted_columns, float* sorted_values)
    void wg_sort_by_rows_f64(const int64_t* rows, const int64_t* columns, const double* values, Py_ssize_t count,
                             Py_ssize_t n_rows, int64_t* pointers, int64_t* sorted_columns, double* sorted_values)
    int wg_are_pointers_i32(const int32_t* pointers, Py_ssize_t n_rows, Py_ssize_t count)
    int wg_are_pointers_i64(const int64_t* pointers, Py_ssize_t n_rows, Py_ssize_t count)

cdef enum:
    FEW = 4096                             # products of numbers: no order of the rows is worth its time


cdef struct Product:
    const void* pointers                   # (n_rows + 1,)
    const void* columns
    const void* values
    const void* dense                      # (n_columns, width)
    void* product                          # (n_rows, width)
    Py_ssize_t n_rows
    Py_ssize_t n_columns
    Py_ssize_t width
    bint doubles
    bint wide                              # pointers and columns are int64
    int outside                            # set where a column is


cdef void multiply_rows(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    cdef Product* p = <Product*> ctx
    cdef int outside
    if p.doubles and p.wide:
        outside = wg_rows_times_dense_f64_i64(begin, end, <int64_t*> p.pointers, <int64_t*> p.columns,
                                              <double*> p.values, <double*> p.dense, p.n_columns, p.width,
                                              <double*> p.product)
    elif p.doubles:
        outside = wg_rows_times_dense_f64_i32(begin, end, <int32_t*> p.pointers, <int32_t*> p.columns,
                                              <double*> p.values, <double*> p.dense, p.n_columns, p.width,
                                              <double*> p.product)
    elif p.wide:
        outside = wg_rows_times_dense_f32_i64(begin, end, <int64_t*> p.pointers, <int64_t*> p.columns,
                                              <float*> p.values, <float*> p.dense, p.n_columns, p.width,
                                              <float*> p.product)
    else:
        outside = wg_rows_times_dense_f32_i32(begin, end, <int32_t*> p.pointers, <int32_t*> p.columns,
                                              <float*> p.values, <float*> p.dense, p.n_columns, p.width,
                                              <float*> p.product)
    if outside:
        p.outside = 1


cdef bint multiply(Product* p, Py_ssize_t n_rows, Py_ssize_t count) noexcept nogil:
    """Compute the product; returns whether all columns were inside."""
    cdef Py_ssize_t each = count // max(n_rows, 1) * p.width + p.width    # numbers of a row
    p.outside = 0
    parallel_for(n_rows, max(GRAIN // max(each, 1), 1), multiply_rows, p)
    return not p.outside


cdef bint are_factors(Tensor values, Tensor dense) noexcept:
    """Whether values (N,) and a dense matrix are as these loops take them."""
    return (is_on_cpu(values) and is_on_cpu(dense) and values.rank == 1 and dense.rank == 2
            and values.code == dense.code and values.code in (FLOAT32, FLOAT64))


cdef int raise_outside(str name, Py_ssize_t n_rows, Py_ssize_t n_columns) except -1:
    raise RuntimeError(f"{name}: an index of the sparse matrix is outside of its {n_rows} rows or {n_columns} columns, "
                       "or its row pointers are not sorted: construct it with check_invariants=True to see which")


def rows_times_dense(Tensor pointers not None, Tensor columns not None, Tensor values not None, Tensor dense not None):
    """The product (rows, K) of a matrix in compressed rows and a dense one (M, K); None where these loops do not take
    the dtypes, or a tensor is not on the CPU or has gaps.

    RuntimeError for row pointers that are not sorted, and for columns outside.
    """
    cdef Py_ssize_t shape[2]
    cdef Product p
    cdef Tensor product
    cdef Py_ssize_t n_rows, count
    cdef bint fine
    if (not are_factors(values, dense) or not is_on_cpu(pointers) or not is_on_cpu(columns)
            or pointers.code != columns.code or pointers.code not in (INT32, INT64) or pointers.rank != 1
            or pointers.count < 1 or columns.rank != 1 or columns.count != values.count):
        return None
    n_rows, count = pointers.count - 1, values.count
    shape[0], shape[1] = n_rows, dense.dims[1]
    product = new_empty(values.code, 2, shape)
    p.pointers, p.columns, p.values, p.dense = pointers.data, columns.data, values.data, dense.data
    p.product, p.n_columns, p.width = product.data, dense.dims[0], dense.dims[1]
    p.doubles, p.wide = values.code == FLOAT64, pointers.code == INT64
    with nogil:
        fine = (wg_are_pointers_i64(<int64_t*> p.pointers, n_rows, count) if p.wide
                else wg_are_pointers_i32(<int32_t*> p.pointers, n_rows, count))
        fine = fine and multiply(&p, n_rows, count)
    if not fine:
        raise_outside("mm", n_rows, p.n_columns)
    return product


cdef bint multiply_small(Product* p, const int64_t* rows, Py_ssize_t count, Py_ssize_t n_rows) noexcept nogil:
    """Add the products of elements in any order; returns whether all were inside."""
    if p.doubles:
        return not wg_elements_times_dense_f64(count, rows, <int64_t*> p.columns, <double*> p.values,
                                               <double*> p.dense, n_rows, p.n_columns, p.width, <double*> p.product)
    return not wg_elements_times_dense_f32(count, rows, <int64_t*> p.columns, <float*> p.values, <float*> p.dense,
                                           n_rows, p.n_columns, p.width, <float*> p.product)


cdef bint multiply_large(Product* p, const int64_t* rows, Py_ssize_t count, Py_ssize_t n_rows, int64_t* pointers,
                         int64_t* columns, void* values) noexcept nogil:
    """Compress the rows, and multiply. columns, values: memory for as many as there are elements."""
    cdef int state = wg_row_pointers(rows, count, n_rows, pointers)
    if state == 0:
        return False
    if state == 1:
        if p.doubles:
            wg_sort_by_rows_f64(rows, <int64_t*> p.columns, <double*> p.values, count, n_rows, pointers, columns,
                                <double*> values)
        else:
            wg_sort_by_rows_f32(rows, <int64_t*> p.columns, <float*> p.values, count, n_rows, pointers, columns,
                                <float*> values)
        p.columns, p.values = columns, values
    p.pointers, p.wide = pointers, True
    return multiply(p, n_rows, count)


cpdef Tensor elements_times_dense(Tensor indices, Tensor values, Tensor dense, Py_ssize_t n_rows,
                                  bint transposed=False):
    """The product (n_rows, K) of a matrix with values (N,) at indices (2, N) and a dense one (M, K); None where these
    loops do not take the dtypes, or a tensor is not on the CPU or has gaps.

    transposed: of the transpose of that matrix.   RuntimeError for indices outside.
    """
    cdef Py_ssize_t shape[2]
    cdef Py_ssize_t count, nbytes
    cdef Product p
    cdef Tensor product
    cdef int64_t* memory
    cdef const int64_t* rows
    cdef bint fine
    if (not are_factors(values, dense) or not is_on_cpu(indices) or indices.code != INT64 or indices.rank != 2
            or indices.dims[0] != 2 or indices.dims[1] != values.count):
        return None
    count = values.count
    shape[0], shape[1] = n_rows, dense.dims[1]
    product = new_empty(values.code, 2, shape)
    rows = <int64_t*> indices.data + (count if transposed else 0)
    p.columns, p.values, p.dense = <int64_t*> indices.data + (0 if transposed else count), values.data, dense.data
    p.product, p.n_columns, p.width, p.doubles = product.data, dense.dims[0], dense.dims[1], values.code == FLOAT64
    if p.width == 0:
        return product
    if count < FEW and count * p.width < FEW:
        memset(p.product, 0, <size_t> product.count * (8 if p.doubles else 4))
        fine = multiply_small(&p, rows, count, n_rows)
    else:
        # row pointers, and columns and values for elements that are not sorted
        if (mul_overflows(2, count, &nbytes) or add_overflows(nbytes, n_rows, &nbytes)
                or add_overflows(nbytes, 1, &nbytes) or mul_overflows(nbytes, sizeof(int64_t), &nbytes)):
            raise MemoryError(f"mm: {count} elements in {n_rows} rows are too many")
        memory = <int64_t*> malloc(<size_t> nbytes)
        if memory == NULL:
            raise MemoryError(f"mm: no {nbytes} bytes for sorting {count} elements by {n_rows} rows")
        with nogil:
            fine = multiply_large(&p, rows, count, n_rows, memory, memory + n_rows + 1, memory + n_rows + 1 + count)
        free(memory)
    if not fine:
        raise_outside("mm", n_rows, p.n_columns)
    return product


cdef void multiply_samples(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    """Of a Product with the indices of the elements as ``pointers`` and ``columns``."""
    cdef Product* p = <Product*> ctx
    cdef int outside
    if p.doubles:
        outside = wg_sampled_product_f64(begin, end, <int64_t*> p.pointers, <int64_t*> p.columns, <double*> p.values,
                                         <double*> p.dense, p.n_rows, p.n_columns, p.width, <double*> p.product)
    else:
        outside = wg_sampled_product_f32(begin, end, <int64_t*> p.pointers, <int64_t*> p.columns, <float*> p.values,
                                         <float*> p.dense, p.n_rows, p.n_columns, p.width, <float*> p.product)
    if outside:
        p.outside = 1


def sampled_product(Tensor indices not None, Tensor a not None, Tensor b not None):
    """The elements (N,) at indices (2, N) of a @ b.T; None where these loops do not take the dtypes, or a tensor is not
    on the CPU or has gaps.   a: (M, K), b: (L, K).   RuntimeError for indices outside.
    """
    cdef Py_ssize_t shape[1]
    cdef Product p
    cdef Tensor product
    if (not is_on_cpu(indices) or not is_on_cpu(a) or not is_on_cpu(b) or indices.code != INT64 or indices.rank != 2
            or indices.dims[0] != 2 or a.rank != 2 or b.rank != 2 or a.dims[1] != b.dims[1] or a.code != b.code
            or a.code not in (FLOAT32, FLOAT64)):
        return None
    shape[0] = indices.dims[1]
    product = new_empty(a.code, 1, shape)
    p.pointers, p.columns = indices.data, <int64_t*> indices.data + shape[0]
    p.values, p.dense, p.product = a.data, b.data, product.data
    p.n_rows, p.n_columns, p.width, p.doubles, p.outside = a.dims[0], b.dims[0], a.dims[1], a.code == FLOAT64, 0
    with nogil:
        parallel_for(shape[0], max(GRAIN // (p.width + 1), 1), multiply_samples, &p)
    if p.outside:
        raise_outside("sampled_addmm", p.n_rows, p.n_columns)
    return product
