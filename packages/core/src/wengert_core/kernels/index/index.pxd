from libc.stdint cimport int64_t, uint8_t

from wengert_core.kernels.types cimport npy_intp

# Walks a 2-d index together with an array of its shape ("other") and the indexed array ("self"). Element (i, j) pairs
# other[i, j] with self at index[i, j] * dim_stride + i * self_stride[0] + j * self_stride[1]; the self_stride of the
# indexed dim is 0, so is an index_stride along which the index repeats. All strides in bytes. Negative entries of the
# int64 index count from dim_size. Bounds have been checked, see all_within.
cdef struct IndexLoop:
    char *self
    npy_intp dim_size
    npy_intp dim_stride
    npy_intp[2] self_stride
    char *index
    npy_intp[2] index_stride
    char *other
    npy_intp[2] other_stride
    npy_intp[2] shape

# Position of the first entry of a 1-d int64 index outside low <= entry < high, or -1.
cdef npy_intp first_out_of_range(char *index, npy_intp stride, npy_intp n, npy_intp low, npy_intp high) noexcept nogil

# how many bytes of a mask are not 0
cdef npy_intp count_true(const uint8_t *mask, npy_intp n) noexcept nogil
# the first ``wanted`` of n elements where a mask is not 0, side by side
cdef void select_true(char *out, const char *values, const uint8_t *mask, npy_intp n, npy_intp wanted,
                      int itemsize) noexcept nogil

# low <= each < size
cdef bint all_within(const int64_t *entries, npy_intp n, npy_intp low, npy_intp size) noexcept nogil

cdef void gather(const IndexLoop *loop, int itemsize) noexcept nogil            # other = self[index]
cdef void scatter(const IndexLoop *loop, int itemsize) noexcept nogil           # self[index] = other, in order
# self[index] += other, in order; bool: or; float16 and bfloat16 round at each step, as torch does. False for no dtype.
cdef bint scatter_add(const IndexLoop *loop, int dtype) noexcept nogil

cdef enum Reduction:
    REDUCE_PRODUCT = 0
    REDUCE_LARGEST = 1                   # NaN is larger and smaller than any number
    REDUCE_SMALLEST = 2

# self[index] = the reduction of it and other, in order; bool: and, or, and; float16 rounds at each step. False for no
# dtype: bfloat16 and complex ones.
cdef bint scatter_reduce(const IndexLoop *loop, int dtype, Reduction way) noexcept nogil
