from libc.stdint cimport int64_t

from wengert_core.kernels.types cimport npy_intp

# outer_n lines of n elements; dst_outer and dst_stride are the output's outer_stride and stride. dst may be src where
# the dtypes are equal.
ctypedef void (*scan_fn)(char *src, npy_intp outer_n, npy_intp outer_stride, npy_intp n, npy_intp stride,
                         char *dst, npy_intp dst_outer, npy_intp dst_stride) noexcept nogil

# cumsum, cumprod, logcumsumexp, by dtype codes: bool and integers -> INT64, others -> their own; NULL when absent.
cdef scan_fn find_scan(const char *name, int src_dtype, int dst_dtype) noexcept nogil

# cummax, cummin: NULL when absent. The results' values have the source's dtype; dst_outer and dst_stride are the steps
# of both results, in elements.
cdef const void* find_extremes(const char *name, int code) noexcept nogil
cdef void run_extremes(const void* extremes, char *src, npy_intp outer_n, npy_intp outer_stride, npy_intp n,
                       npy_intp stride, char *dst, int64_t *places, npy_intp dst_outer,
                       npy_intp dst_stride) noexcept nogil

# Runs of equal neighbors among n elements, at least one: returns how many there are, and writes what is not NULL where
# there is room for so many: the first of each, the number of each element's run (at places), their lengths.
cdef Py_ssize_t write_runs(int code, const char* x, Py_ssize_t n, const int64_t* places, Py_ssize_t room, char* values,
                           int64_t* inverse, int64_t* counts) noexcept nogil
