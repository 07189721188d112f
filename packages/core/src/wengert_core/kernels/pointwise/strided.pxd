from wengert_core.kernels.types cimport cast_fn, npy_intp

cdef enum:
    MAX_DIMS = 64

ctypedef void (*copy2d_fn)(char *src, npy_intp s0, npy_intp s1, char *dst, npy_intp d0, npy_intp d1,
                           npy_intp n0, npy_intp n1) noexcept nogil

cdef struct CopyPlan:
    int ndim                        # after coalescing; the last dim is the inner one of dst
    char *dst                       # of the first element in the order of the plan
    char *src
    npy_intp shape[MAX_DIMS]        # no 0, no 1
    npy_intp dst_strides[MAX_DIMS]  # bytes, positive
    npy_intp src_strides[MAX_DIMS]  # bytes, any sign, 0 where broadcast

# False when there is nothing to copy.
cdef bint plan_copy(CopyPlan *plan, char *dst, const npy_intp *dst_strides, char *src, const npy_intp *src_strides,
                    const npy_intp *shape, int ndim, int itemsize) noexcept nogil

# All strides in bytes; itemsize 1, 2, 4, 8 or 16; ndim <= MAX_DIMS; dst and src do not overlap.
cdef void copy_strided(char *dst, const npy_intp *dst_strides, char *src, const npy_intp *src_strides,
                       const npy_intp *shape, int ndim, int itemsize) noexcept nogil
cdef void cast_strided(char *dst, const npy_intp *dst_strides, int dst_dtype,
                       char *src, const npy_intp *src_strides, int src_dtype,
                       const npy_intp *shape, int ndim) noexcept nogil
# The same on several threads: for many elements.
cdef void copy_large(char *dst, const npy_intp *dst_strides, int dst_dtype,
                     char *src, const npy_intp *src_strides, int src_dtype,
                     const npy_intp *shape, int ndim) noexcept nogil
cdef void fill_strided(char *dst, const npy_intp *dst_strides, const npy_intp *shape, int ndim, int itemsize,
                       char *value) noexcept nogil
cdef void fill_large(
    char *dst, const npy_intp *dst_strides, const npy_intp *shape, int ndim, int dtype, char *value
) noexcept nogil
