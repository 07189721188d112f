"""Questions that the loops of this folder ask of tensors."""
from wengert_core.extend cimport COMPLEX64, COMPLEX128, FLOAT32, FLOAT64, INT64, TF_CONTIGUOUS, Tensor


cdef inline bint is_on_cpu(Tensor t) noexcept:
    """Whether a tensor is strided, without gaps, in the host's memory."""
    return t.device == 0 and (t.flags & TF_CONTIGUOUS) != 0


cdef inline bint are_components(Tensor indices, Tensor values) noexcept:
    """Whether indices (S, N) and values (N, ...) are as these loops take them: without gaps on the CPU, of int64 and a
    floating point or complex dtype.
    """
    return (is_on_cpu(indices) and is_on_cpu(values) and indices.code == INT64 and indices.rank == 2
            and values.rank >= 1 and indices.dims[1] == values.dims[0]
            and values.code in (FLOAT32, FLOAT64, COMPLEX64, COMPLEX128))


cdef inline bint fit_shape(Tensor t, Tensor indices, Tensor values) noexcept:
    """Whether a sparse tensor has the dims of its components: an alias of one that was resized has not."""
    return indices.dims[0] + values.rank - 1 == t.rank


cdef inline bint are_values(Tensor plain, Tensor values) noexcept:
    """Whether the numbers (N,) of rows or columns, of int64, and values (N, ...) are as these loops take them."""
    return (is_on_cpu(plain) and is_on_cpu(values) and plain.code == INT64 and plain.rank == 1
            and values.rank >= 1 and plain.dims[0] == values.dims[0]
            and values.code in (FLOAT32, FLOAT64, COMPLEX64, COMPLEX128))


cdef inline bint is_double(Tensor t) noexcept:
    """Whether the real numbers that the elements consist of are doubles."""
    return t.code == FLOAT64 or t.code == COMPLEX128


cdef inline Py_ssize_t real_width(Tensor values) noexcept:
    """The number of real numbers that each of the N values consists of."""
    cdef Py_ssize_t n = values.dims[0]
    return 0 if n == 0 else values.count // n * (2 if values.code in (COMPLEX64, COMPLEX128) else 1)
