from wengert_core.kernels.types cimport npy_intp

# Rows of n contiguous elements, row strides in bytes. Kernels of one input leave b alone: give NULL, 0.
ctypedef void (*rows_fn)(char *a, npy_intp a_stride, char *b, npy_intp b_stride, char *out, npy_intp out_stride,
                         npy_intp rows, npy_intp n) noexcept nogil

# By name and dtype (FLOAT32, FLOAT64); NULL when absent.
#   softmax(x), log_softmax(x)                                                  out may be x
#   softmax_backward(grad, result), log_softmax_backward(grad, result)          out may be grad
#   logsumexp(x)            out: one element a row
# All but the last also as NAME_columns, which normalize the n columns of lines ("rows") instead.
cdef rows_fn find_softmax(const char *name, int dtype) noexcept nogil
