# The types shared by all kernels: dtype codes, signatures of kernels, fused types.
# Everything here is a declaration: no module is imported at run time.
#
# Note [What every kernel may assume]
# Pointers are aligned to their element, byte strides are multiples of the alignment, outputs do not overlap inputs
# unless they are the same elements in the same order (pointwise loops and casts between types of equal size allow
# that). Lengths may be 0, strides may be 0 or negative. Shapes, dtypes and index bounds have been checked by the
# caller. Kernels hold no state, allocate nothing and run without the GIL.

ctypedef Py_ssize_t npy_intp            # NumPy 2 defines its own to be this

cdef enum DTypeCode:
    BOOL = 0
    UINT8 = 1
    INT8 = 2
    INT16 = 3
    INT32 = 4
    INT64 = 5
    FLOAT16 = 6
    BFLOAT16 = 7
    FLOAT32 = 8
    FLOAT64 = 9
    COMPLEX64 = 10
    COMPLEX128 = 11
    UINT16 = 12                         # behind the others: codes are no order, what a dtype is stands in DTypeFacts
    UINT32 = 13
    UINT64 = 14
    N_DTYPES = 15

ctypedef fused real_t:
    float
    double

# NumPy's ufunc inner loop: args and strides hold the inputs, then the output; n[0] elements; strides in bytes.
ctypedef void (*loop_t)(char **args, npy_intp *n, npy_intp *strides, void *data) noexcept nogil

# n elements from src to dst, converted.
ctypedef void (*cast_fn)(char *src, npy_intp src_stride, char *dst, npy_intp dst_stride, npy_intp n) noexcept nogil

# For each of outer_n positions: n elements, stride apart, reduced (or scanned, normalized) to dst.
ctypedef void (*reduce_fn)(char *src, npy_intp outer_n, npy_intp outer_stride, npy_intp n, npy_intp stride,
                           char *dst, npy_intp dst_stride) noexcept nogil
