"""Sorted indices, each once: of components on the CPU."""
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from wengert_core.extend cimport INT64, LARGE, Tensor, mul_overflows, new_empty

from wengert_sparse.components cimport new_coo_parts
from wengert_sparse.loops.loops cimport are_components, is_double, real_width

cdef extern from "wengert_sparse/loops/indices.h" nogil:
    enum:
        WG_FEW
    int wg_keys(const int64_t* indices, Py_ssize_t count, int rank, const Py_ssize_t* sizes, uint64_t* keys)
    int wg_bits(uint64_t n)
    uint64_t* wg_sort_words(uint64_t* words, uint64_t* other, Py_ssize_t count, int low, int high)
    Py_ssize_t wg_count_keys(const uint64_t* words, Py_ssize_t count, int low)
    void wg_indices(const uint64_t* words, Py_ssize_t count, int low, int rank, const Py_ssize_t* sizes,
                    int64_t* indices, Py_ssize_t n)
    void wg_add_runs_f32(const uint64_t* words, Py_ssize_t count, int low, const float* values, Py_ssize_t width,
                         float* sums)
    void wg_add_runs_f64(const uint64_t* words, Py_ssize_t count, int low, const double* values, Py_ssize_t width,
                         double* sums)


cdef struct SortOrder:
    uint64_t* words                    # sorted: keys, and below them ``low`` bits with the numbers of the elements
    Py_ssize_t count                   # of the words
    Py_ssize_t different               # keys
    int low
    int rank
    const Py_ssize_t* sizes            # of the sparse dims
    Py_ssize_t width                   # real numbers of a value
    bint doubles


cdef int sort_elements(const int64_t* indices, int bits, uint64_t* words, SortOrder* found) noexcept nogil:
    """Sort; words has room for two each. Returns what wg_keys says; with 1 ``found`` is filled in."""
    cdef Py_ssize_t i, count = found.count
    cdef int state = wg_keys(indices, count, found.rank, found.sizes, words)
    if state != 1:
        return state
    for i in range(count):
        words[i] = words[i] << found.low | <uint64_t> i
    found.words = wg_sort_words(words, words + count, count, found.low, found.low + bits)
    found.different = wg_count_keys(found.words, count, found.low)
    return state


cdef void write_sums(SortOrder* found, const char* values, int64_t* indices, char* sums) noexcept nogil:
    """Write the indices that are left and the sums of their values."""
    wg_indices(found.words, found.count, found.low, found.rank, found.sizes, indices, found.different)
    if found.doubles:
        wg_add_runs_f64(found.words, found.count, found.low, <double*> values, found.width, <double*> sums)
    else:
        wg_add_runs_f32(found.words, found.count, found.low, <float*> values, found.width, <float*> sums)


cdef int key_bits(int rank, const Py_ssize_t* sizes) noexcept:
    """The bits of the largest key in sparse dims of these sizes; 64 where there are too many positions."""
    cdef Py_ssize_t total = 1
    cdef int d
    for d in range(rank):
        if mul_overflows(total, sizes[d], &total):
            return 64
    return wg_bits(<uint64_t> max(total - 1, 0))


cdef object coalesce_components(Tensor indices, Tensor values, const Py_ssize_t* sizes):
    """The Coo with each index once, sorted; None for components that these loops do not take.

    sizes: of the sparse dims, as many as the indices have rows.
    """
    cdef uint64_t few[2 * 48]
    cdef uint64_t* words = few
    cdef Py_ssize_t shape[65]
    cdef Py_ssize_t nbytes = 0
    cdef SortOrder found
    cdef Tensor new_indices, sums
    cdef int rank, bits, state
    if not are_components(indices, values) or indices.dims[0] < 1 or indices.dims[0] > 64:
        return None
    rank = <int> indices.dims[0]
    found.count, found.rank, found.sizes = indices.dims[1], rank, sizes
    found.width, found.doubles = real_width(values), is_double(values)
    if found.count < 2:
        return new_coo_parts(indices, values, True)
    found.low = wg_bits(<uint64_t> (found.count - 1))
    bits = key_bits(rank, sizes)
    if bits + found.low > 64:
        return None
    if found.count > WG_FEW:
        if mul_overflows(found.count, 2 * sizeof(uint64_t), &nbytes):
            raise MemoryError(f"coalesce: {found.count} elements are too many")
        words = <uint64_t*> malloc(<size_t> nbytes)
        if words == NULL:
            raise MemoryError(f"coalesce: no {nbytes} bytes for sorting {found.count} elements")
    try:
        if found.count > LARGE:
            with nogil:
                state = sort_elements(<int64_t*> indices.data, bits, words, &found)
        else:
            state = sort_elements(<int64_t*> indices.data, bits, words, &found)
        if state != 1:
            return new_coo_parts(indices, values, True) if state == 2 else None
        shape[0], shape[1] = rank, found.different
        new_indices = new_empty(INT64, 2, shape)
        memcpy(shape, values.dims, values.rank * sizeof(Py_ssize_t))
        shape[0] = found.different
        sums = new_empty(values.code, values.rank, shape)
        if found.count > LARGE:
            with nogil:
                write_sums(&found, values.data, <int64_t*> new_indices.data, sums.data)
        else:
            write_sums(&found, values.data, <int64_t*> new_indices.data, sums.data)
        return new_coo_parts(new_indices, sums, True)
    finally:
        if words != few:
            free(words)


def coalesce(Tensor indices not None, Tensor values not None, shape):
    """The components with sorted indices, each once, as a Coo; None for those that these loops do not take."""
    cdef Py_ssize_t sizes[65]
    cdef int rank = 0
    cdef Py_ssize_t n
    for n in shape:
        if rank < 65:
            sizes[rank] = n
            rank += 1
    if indices.rank != 2 or indices.dims[0] > rank:
        return None
    return coalesce_components(indices, values, sizes)
