"""Gather, scatter, scatter_add and scatter_reduce along a dim; with repeating index strides also index_select,
index_add, embedding.

A row of the walk whose index is constant (index_stride[1] == 0) moves n elements from or to one place: those rows are
copied by memcpy or added in one vector loop.
"""
cimport cython
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memmove

from wengert_core.kernels.types cimport (BFLOAT16, BOOL, COMPLEX64, COMPLEX128, FLOAT16, FLOAT32, FLOAT64, INT8, INT16,
                                         INT32, INT64, UINT8, UINT16, UINT32, UINT64, npy_intp)

cdef extern from "wengert_core/kernels/dtypes.h" nogil:
    float wg_half_to_float(uint16_t h)
    uint16_t wg_float_to_half(float x)
    ctypedef struct bytes16 "wg_c128":
        double re
        double im

cdef extern from "wengert_core/kernels/index/index.h" nogil:
    bint wg_all_within(const int64_t *entries, Py_ssize_t n, int64_t low, int64_t size)
    ctypedef struct wg_half_row:
        char *self
        const char *index
        const char *other
        Py_ssize_t self_step, index_step, other_step, n, stride
        int64_t size
    void wg_add_half_row(const wg_half_row *row, bint brain)
    void wg_add_half_run(char *into, const char *other, Py_ssize_t n, bint brain)

ctypedef fused item_t:                  # anything of 1, 2, 4, 8, 16 bytes
    uint8_t
    uint16_t
    int32_t
    int64_t
    bytes16

ctypedef fused number_t:
    uint8_t
    int8_t
    int16_t
    int32_t
    int64_t
    float
    double

ctypedef fused wide_t:
    uint16_t
    uint32_t
    uint64_t


cdef bint all_within(const int64_t *entries, npy_intp n, npy_intp low, npy_intp size) noexcept nogil:
    return wg_all_within(entries, n, low, size)


cdef npy_intp count_true(const uint8_t *mask, npy_intp n) noexcept nogil:
    cdef npy_intp i, found = 0
    for i in range(n):
        found += mask[i] != 0
    return found


cdef void select_items(
    item_t *out, const item_t *values, const uint8_t *mask, npy_intp n, npy_intp wanted
) noexcept nogil:
    cdef npy_intp i = 0, found = 0
    while found < wanted and i < n:              # others may have written to the mask since it was counted
        out[found] = values[i]
        found += mask[i] != 0
        i += 1


cdef void select_true(
    char *out, const char *values, const uint8_t *mask, npy_intp n, npy_intp wanted, int itemsize
) noexcept nogil:
    if itemsize == 4:
        select_items(<int32_t *>out, <const int32_t *>values, mask, n, wanted)
    elif itemsize == 8:
        select_items(<int64_t *>out, <const int64_t *>values, mask, n, wanted)
    elif itemsize == 2:
        select_items(<uint16_t *>out, <const uint16_t *>values, mask, n, wanted)
    elif itemsize == 1:
        select_items(<uint8_t *>out, <const uint8_t *>values, mask, n, wanted)
    else:
        select_items(<bytes16 *>out, <const bytes16 *>values, mask, n, wanted)


cdef npy_intp first_out_of_range(char *index, npy_intp stride, npy_intp n, npy_intp low, npy_intp high) noexcept nogil:
    cdef npy_intp at, entry
    for at in range(n):
        entry = (<const int64_t *>index)[0]
        if entry < low or entry >= high:
            return at
        index += stride
    return -1


cdef inline char *element_at(const IndexLoop *loop, npy_intp i, npy_intp j) noexcept nogil:
    """The element of self which entry (i, j) of the index points to."""
    cdef npy_intp entry = (<const int64_t *>(loop.index + i * loop.index_stride[0] + j * loop.index_stride[1]))[0]
    if entry < 0:
        entry += loop.dim_size
    return loop.self + entry * loop.dim_stride + i * loop.self_stride[0] + j * loop.self_stride[1]


cdef inline char *partner(const IndexLoop *loop, npy_intp i, npy_intp j) noexcept nogil:
    return loop.other + i * loop.other_stride[0] + j * loop.other_stride[1]


cdef inline bint moves_rows(const IndexLoop *loop, npy_intp itemsize) noexcept nogil:
    """Whether each row of the walk goes between two contiguous runs."""
    return loop.index_stride[1] == 0 and loop.self_stride[1] == itemsize and loop.other_stride[1] == itemsize


cdef inline bint is_plain(const IndexLoop *loop, npy_intp itemsize) noexcept nogil:
    """Whether each row of the walk is an index without gaps into one run, beside another run."""
    return loop.self_stride[1] == 0 and loop.dim_stride == itemsize and loop.index_stride[1] == 8 \
        and loop.other_stride[1] == itemsize


cdef inline npy_intp from_start(const char *index, npy_intp j, npy_intp size) noexcept nogil:
    cdef npy_intp entry = (<const int64_t *>index)[j]
    return entry + size if entry < 0 else entry


cdef void gather_items(const IndexLoop *loop, item_t *unused) noexcept nogil:
    cdef IndexLoop walk = loop[0]            # a local copy, which no store can change
    cdef npy_intp i, j, _j, entry
    cdef char *own
    cdef char *index
    cdef char *other
    for i in range(walk.shape[0]):
        own = walk.self + i * walk.self_stride[0]
        index, other = walk.index + i * walk.index_stride[0], walk.other + i * walk.other_stride[0]
        if is_plain(&walk, sizeof(item_t)):
            for j in range(walk.shape[1]):
                (<item_t *>other)[j] = (<item_t *>own)[from_start(index, j, walk.dim_size)]
            continue
        for _j in range(walk.shape[1]):
            entry = (<const int64_t *>index)[0]
            entry += walk.dim_size if entry < 0 else 0
            (<item_t *>other)[0] = (<item_t *>(own + entry * walk.dim_stride))[0]
            own += walk.self_stride[1]
            index += walk.index_stride[1]
            other += walk.other_stride[1]


cdef void gather(const IndexLoop *loop, int itemsize) noexcept nogil:
    cdef npy_intp i
    if loop.shape[0] == 0 or loop.shape[1] == 0:
        return
    if moves_rows(loop, itemsize):
        for i in range(loop.shape[0]):
            memmove(partner(loop, i, 0), element_at(loop, i, 0), loop.shape[1] * itemsize)
    elif itemsize == 1:
        gather_items(loop, <uint8_t *>NULL)
    elif itemsize == 2:
        gather_items(loop, <uint16_t *>NULL)
    elif itemsize == 4:
        gather_items(loop, <int32_t *>NULL)
    elif itemsize == 8:
        gather_items(loop, <int64_t *>NULL)
    else:
        gather_items(loop, <bytes16 *>NULL)


cdef void scatter_items(const IndexLoop *loop, item_t *unused) noexcept nogil:
    cdef IndexLoop walk = loop[0]            # a local copy, which no store can change
    cdef npy_intp i, j, _j, entry
    cdef char *own
    cdef char *index
    cdef char *other
    for i in range(walk.shape[0]):
        own = walk.self + i * walk.self_stride[0]
        index, other = walk.index + i * walk.index_stride[0], walk.other + i * walk.other_stride[0]
        if is_plain(&walk, sizeof(item_t)):
            for j in range(walk.shape[1]):
                (<item_t *>own)[from_start(index, j, walk.dim_size)] = (<item_t *>other)[j]
            continue
        for _j in range(walk.shape[1]):
            entry = (<const int64_t *>index)[0]
            entry += walk.dim_size if entry < 0 else 0
            (<item_t *>(own + entry * walk.dim_stride))[0] = (<item_t *>other)[0]
            own += walk.self_stride[1]
            index += walk.index_stride[1]
            other += walk.other_stride[1]


cdef void scatter(const IndexLoop *loop, int itemsize) noexcept nogil:
    cdef npy_intp i
    if loop.shape[0] == 0 or loop.shape[1] == 0:
        return
    if moves_rows(loop, itemsize):
        for i in range(loop.shape[0]):
            memmove(element_at(loop, i, 0), partner(loop, i, 0), loop.shape[1] * itemsize)
    elif itemsize == 1:
        scatter_items(loop, <uint8_t *>NULL)
    elif itemsize == 2:
        scatter_items(loop, <uint16_t *>NULL)
    elif itemsize == 4:
        scatter_items(loop, <int32_t *>NULL)
    elif itemsize == 8:
        scatter_items(loop, <int64_t *>NULL)
    else:
        scatter_items(loop, <bytes16 *>NULL)


@cython.overflowcheck(False)            # integers wrap
cdef void add_row(number_t *into, const number_t *row, npy_intp n) noexcept nogil:
    cdef npy_intp j
    for j in range(n):
        into[j] = <number_t>(into[j] + row[j])


@cython.overflowcheck(False)            # integers wrap
cdef void add_numbers(const IndexLoop *loop, number_t *unused) noexcept nogil:
    cdef IndexLoop walk = loop[0]            # a local copy, which no store can change
    cdef npy_intp i, j, _j, entry
    cdef char *own
    cdef char *index
    cdef char *other
    cdef number_t *into
    if moves_rows(&walk, sizeof(number_t)):
        for i in range(walk.shape[0]):
            add_row(<number_t *>element_at(&walk, i, 0), <const number_t *>partner(&walk, i, 0), walk.shape[1])
        return
    for i in range(walk.shape[0]):
        own = walk.self + i * walk.self_stride[0]
        index, other = walk.index + i * walk.index_stride[0], walk.other + i * walk.other_stride[0]
        if is_plain(&walk, sizeof(number_t)):
            for j in range(walk.shape[1]):
                into = <number_t *>own + from_start(index, j, walk.dim_size)
                into[0] = <number_t>(into[0] + (<number_t *>other)[j])
            continue
        for _j in range(walk.shape[1]):
            entry = (<const int64_t *>index)[0]
            entry += walk.dim_size if entry < 0 else 0
            into = <number_t *>(own + entry * walk.dim_stride)
            into[0] = <number_t>(into[0] + (<number_t *>other)[0])
            own += walk.self_stride[1]
            index += walk.index_stride[1]
            other += walk.other_stride[1]


@cython.overflowcheck(False)            # integers wrap
cdef void add_complex(const IndexLoop *loop, number_t *unused) noexcept nogil:
    """The imaginary parts lie one real number further on."""
    cdef IndexLoop walk = loop[0]            # a local copy, which no store can change
    cdef npy_intp i, j
    cdef number_t *into
    cdef number_t *source
    for i in range(walk.shape[0]):
        for j in range(walk.shape[1]):
            into = <number_t *>element_at(&walk, i, j)
            source = <number_t *>partner(&walk, i, j)
            into[0] = <number_t>(into[0] + source[0])
            into[1] = <number_t>(into[1] + source[1])


cdef void add_halves(const IndexLoop *loop, bint brain) noexcept nogil:
    cdef IndexLoop walk = loop[0]            # a local copy, which no store can change
    cdef wg_half_row row
    cdef npy_intp i
    if moves_rows(&walk, sizeof(uint16_t)):
        for i in range(walk.shape[0]):
            wg_add_half_run(element_at(&walk, i, 0), partner(&walk, i, 0), walk.shape[1], brain)
        return
    row.n, row.size, row.stride = walk.shape[1], walk.dim_size, walk.dim_stride
    row.self_step, row.index_step, row.other_step = walk.self_stride[1], walk.index_stride[1], walk.other_stride[1]
    for i in range(walk.shape[0]):
        row.self, row.other = walk.self + i * walk.self_stride[0], partner(&walk, i, 0)
        row.index = walk.index + i * walk.index_stride[0]
        wg_add_half_row(&row, brain)


cdef void or_bools(const IndexLoop *loop) noexcept nogil:
    cdef IndexLoop walk = loop[0]            # a local copy, which no store can change
    cdef npy_intp i, j
    for i in range(walk.shape[0]):
        for j in range(walk.shape[1]):
            (<uint8_t *>element_at(&walk, i, j))[0] |= (<uint8_t *>partner(&walk, i, j))[0]


cdef bint scatter_add(const IndexLoop *loop, int dtype) noexcept nogil:
    if loop.shape[0] == 0 or loop.shape[1] == 0:
        return True
    if dtype == FLOAT32:
        add_numbers(loop, <float *>NULL)
    elif dtype == FLOAT64:
        add_numbers(loop, <double *>NULL)
    elif dtype == INT64 or dtype == UINT64:     # what wraps is the same with a sign and without
        add_numbers(loop, <int64_t *>NULL)
    elif dtype == INT32 or dtype == UINT32:
        add_numbers(loop, <int32_t *>NULL)
    elif dtype == INT16 or dtype == UINT16:
        add_numbers(loop, <int16_t *>NULL)
    elif dtype == INT8:
        add_numbers(loop, <int8_t *>NULL)
    elif dtype == UINT8:
        add_numbers(loop, <uint8_t *>NULL)
    elif dtype == FLOAT16 or dtype == BFLOAT16:
        add_halves(loop, dtype == BFLOAT16)
    elif dtype == COMPLEX64:
        add_complex(loop, <float *>NULL)
    elif dtype == COMPLEX128:
        add_complex(loop, <double *>NULL)
    elif dtype == BOOL:
        or_bools(loop)
    else:
        return False
    return True


@cython.overflowcheck(False)            # integers wrap
cdef inline number_t reduce_two(number_t x, number_t y, Reduction way) noexcept nogil:
    if way == REDUCE_PRODUCT:
        return <number_t>(x * y)
    if way == REDUCE_LARGEST:
        return y if y > x or y != y else x
    return y if y < x or y != y else x


cdef void reduce_numbers(const IndexLoop *loop, Reduction way, number_t *unused) noexcept nogil:
    cdef IndexLoop walk = loop[0]            # a local copy, which no store can change
    cdef npy_intp i, j
    cdef number_t *into
    for i in range(walk.shape[0]):
        for j in range(walk.shape[1]):
            into = <number_t *>element_at(&walk, i, j)
            into[0] = reduce_two(into[0], (<number_t *>partner(&walk, i, j))[0], way)


@cython.overflowcheck(False)            # integers wrap
cdef void reduce_unsigned(const IndexLoop *loop, Reduction way, wide_t *unused) noexcept nogil:
    cdef IndexLoop walk = loop[0]            # a local copy, which no store can change
    cdef npy_intp i, j
    cdef wide_t *into
    cdef wide_t term
    for i in range(walk.shape[0]):
        for j in range(walk.shape[1]):
            into, term = <wide_t *>element_at(&walk, i, j), (<wide_t *>partner(&walk, i, j))[0]
            if way == REDUCE_PRODUCT:
                into[0] = <wide_t>(into[0] * term)
            elif term > into[0] if way == REDUCE_LARGEST else term < into[0]:
                into[0] = term


cdef void reduce_halves(const IndexLoop *loop, Reduction way) noexcept nogil:
    cdef IndexLoop walk = loop[0]            # a local copy, which no store can change
    cdef npy_intp i, j
    cdef uint16_t *into
    for i in range(walk.shape[0]):
        for j in range(walk.shape[1]):
            into = <uint16_t *>element_at(&walk, i, j)
            into[0] = wg_float_to_half(reduce_two(wg_half_to_float(into[0]),
                                                  wg_half_to_float((<uint16_t *>partner(&walk, i, j))[0]), way))


cdef bint scatter_reduce(const IndexLoop *loop, int dtype, Reduction way) noexcept nogil:
    if loop.shape[0] == 0 or loop.shape[1] == 0:
        return True
    if dtype == FLOAT32:
        reduce_numbers(loop, way, <float *>NULL)
    elif dtype == FLOAT64:
        reduce_numbers(loop, way, <double *>NULL)
    elif dtype == INT64:
        reduce_numbers(loop, way, <int64_t *>NULL)
    elif dtype == INT32:
        reduce_numbers(loop, way, <int32_t *>NULL)
    elif dtype == INT16:
        reduce_numbers(loop, way, <int16_t *>NULL)
    elif dtype == INT8:
        reduce_numbers(loop, way, <int8_t *>NULL)
    elif dtype == UINT8 or dtype == BOOL:        # of 0 and 1 the product is and, the largest or
        reduce_numbers(loop, way, <uint8_t *>NULL)
    elif dtype == UINT16:
        reduce_unsigned(loop, way, <uint16_t *>NULL)
    elif dtype == UINT32:
        reduce_unsigned(loop, way, <uint32_t *>NULL)
    elif dtype == UINT64:
        reduce_unsigned(loop, way, <uint64_t *>NULL)
    elif dtype == FLOAT16:
        reduce_halves(loop, way)
    else:
        return False
    return True
