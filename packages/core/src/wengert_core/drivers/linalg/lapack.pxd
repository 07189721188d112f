"""The steps of ops that LAPACK computes, for lu_solve.pyx and eigh_svd.pyx."""
from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, uint32_t

from wengert_core.dispatch.op cimport Op, run_fn
from wengert_core.dtypes.dtypes cimport COMPLEX64, FLOAT32
from wengert_core.runtime.thread_pool cimport body_fn
from wengert_core.tensors.tensor cimport Tensor

cdef extern from "wengert_core/kernels/linalg/lapack.h" nogil:
    const int WG_NO_MEMORY
    const int WG_NO_SUCH_ROW
    const int WG_NO_RESULT
    ctypedef struct wg_lapack:
        void* potrf
        void* getrf
        void* getri
        void* geqrf
        void* orgqr
        void* trsm
        void* gemm
        void* syevd
        void* gesdd
        int wide
        char one[16]
        char minus_one[16]
    ctypedef struct wg_matrices:
        const char* data
        Py_ssize_t row, column
        Py_ssize_t steps[64]
    ctypedef struct wg_factoring:
        const wg_lapack* lapack
        int code, itemsize, n_batch, upper, left, unit, adjoint, full, guarded, failed
        Py_ssize_t sizes[64]
        Py_ssize_t m, n, k
        wg_matrices a, b, p
        char* out
        char* second
        char* values
        int32_t* pivots
        int32_t* info

# The kernels of the other modules: loops, which are compiled as lapack.pyx is.
ctypedef struct Kernels:
    body_fn solve, inverse, determinant, eigh, svd
cdef Kernels KERNELS


# Ops of that way (a word of WAYS) are run so.
cdef int set_run(str way, run_fn run) except -1

# Whether LAPACK takes it; then the job knows the first matrices. second: the slot of others, 0 without.
cdef bint begin(Op op, PyObject** slots, int second, wg_factoring* job, uint32_t live) except -1

# Where the matrices of a tensor are; vectors: each is a column.
cdef void matrices(Tensor t, int n_batch, bint vectors, wg_matrices* out) noexcept
cdef bint is_system(wg_factoring* job, Tensor b, bint vectors) noexcept
cdef int join_batches(Op op, Tensor a, Tensor b, bint vectors, wg_factoring* job) except -1

# An empty tensor with ``n`` dims for each matrix.
cdef Tensor output(wg_factoring* job, int code, int n, Py_ssize_t rows, Py_ssize_t columns)

# The body on each matrix. reads, writes: the tensors that the job's pointers lead to. product: multiplications of the
# largest product in one. work: of all that is done for it, where that is more.
cdef int run(
    Op op, wg_factoring* job, body_fn body, tuple reads, tuple writes, Py_ssize_t product, Py_ssize_t work=*
) except -1

# (LU column by column, pivots, info)
cdef tuple factorize(Op op, wg_factoring* job, Tensor a)
cdef object finish_outputs(Op op, PyObject** slots, tuple results, uint32_t live)


cdef inline int real_code(int code) noexcept:
    """The dtype of what is real of a matrix: eigenvalues, singular values, the logarithm of a determinant."""
    return code - COMPLEX64 + FLOAT32 if code >= COMPLEX64 else code
