"""Between sparse values and dense tensors: see dense.pxd."""
from libc.stdint cimport int64_t
from libc.string cimport memset

from wengert_core.extend cimport Tensor, itemsize_of

from wengert_sparse.loops.loops cimport is_double, real_width

cdef extern from "wengert_sparse/loops/dense.h" nogil:
    int wg_add_to_dense_f32(const int64_t* indices, Py_ssize_t count, int rank, const Py_ssize_t* sizes,
                            const float* values, Py_ssize_t width, float* dense)
    int wg_add_to_dense_f64(const int64_t* indices, Py_ssize_t count, int rank, const Py_ssize_t* sizes,
                            const double* values, Py_ssize_t width, double* dense)
    int wg_gather_from_dense(const int64_t* indices, Py_ssize_t count, int rank, const Py_ssize_t* sizes,
                             const char* dense, Py_ssize_t nbytes, char* values)


cdef bint add_to_dense(Tensor dense, Tensor indices, Tensor values) noexcept:
    cdef Py_ssize_t n = indices.dims[1], width = real_width(values)
    cdef Py_ssize_t* sizes = dense.dims
    cdef int rank = <int> indices.dims[0]
    cdef char* to = dense.data
    cdef char* of = values.data
    cdef int64_t* at = <int64_t*> indices.data
    cdef bint doubles = is_double(dense)
    cdef int outside
    cdef size_t nbytes = <size_t> (dense.count * itemsize_of(dense))
    with nogil:
        memset(to, 0, nbytes)
        if doubles:
            outside = wg_add_to_dense_f64(at, n, rank, sizes, <double*> of, width, <double*> to)
        else:
            outside = wg_add_to_dense_f32(at, n, rank, sizes, <float*> of, width, <float*> to)
    return not outside


cdef bint gather_from_dense(Tensor dense, Tensor indices, Tensor values) noexcept:
    cdef Py_ssize_t n = indices.dims[1]
    cdef Py_ssize_t* sizes = dense.dims
    cdef int rank = <int> indices.dims[0]
    cdef char* of = dense.data
    cdef char* to = values.data
    cdef int64_t* at = <int64_t*> indices.data
    cdef Py_ssize_t nbytes = values.count // n * itemsize_of(values) if n else 0
    cdef int outside
    with nogil:
        outside = wg_gather_from_dense(at, n, rank, sizes, of, nbytes, to)
    return not outside
