"""A product of matrices as a plan: what the loop of a dtype gets, and who calls it. See product.pyx."""
from wengert_core.kernels.types cimport loop_t, npy_intp
from wengert_core.tensors.tensor cimport Tensor

cdef enum:
    MOST_BATCH_DIMS = 62
    SHARE = 0x80000                    # multiplications worth a thread of their own: 10 to 30 for a nanosecond

cdef enum ProductWay:
    PRODUCT_BY_LOOP = 0                # the loop for each index of the dims in front, and along the last of them
    PRODUCT_SHARED = 1                 # the only dim in front is shared out among threads
    PRODUCT_IN_UNITS = 2               # of two vectors, in units of a fixed length

cdef struct BatchDim:
    Py_ssize_t size
    Py_ssize_t moves[3]                # bytes: of a, b, out

cdef struct Product:
    loop_t fn
    void* data
    int code                           # DTypeCode of all three
    int way                            # ProductWay
    bint alone                         # on the calling thread alone: runtime/blas_lookup.pxd
    int n_batch
    npy_intp sizes[4]                  # Note [What the loop gets] in gemm.pyx; with dims in front the first ones are
    npy_intp steps[9]                  # set when it runs
    BatchDim batch[MOST_BATCH_DIMS]    # n_batch of them

cdef void set_batch(Product* p, Tensor a, Tensor b, Tensor out) noexcept       # p.n_batch of them
cdef void run_with_batch(Product* p, char* a, char* b, char* out) noexcept nogil


cdef inline void run_product(Product* p, char* a, char* b, char* out) noexcept nogil:
    cdef char* args[3]
    if p.n_batch or p.way != PRODUCT_BY_LOOP or p.alone:
        run_with_batch(p, a, b, out)
        return
    args[0], args[1], args[2] = a, b, out
    p.fn(args, p.sizes, p.steps, p.data)
