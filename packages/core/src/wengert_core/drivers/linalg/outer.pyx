"""Products of a column and a row: NumPy's loop does not hand them to BLAS, and takes 4 to 10 times as long as this."""
from wengert_core.drivers.kernel_launch cimport add_tensor, tell_kernel
from wengert_core.dtypes.dtypes cimport FLOAT32, FLOAT64
from wengert_core.runtime.launches cimport OPERAND_READ, OPERAND_WRITTEN, Launch, count_recorders
from wengert_core.runtime.state cimport WG_TELL, thread_state
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor

cdef extern from "wengert_core/kernels/linalg/rows.h" nogil:
    void wg_outer_f32(
        const char* column, Py_ssize_t down, const char* row, Py_ssize_t along, char* to, Py_ssize_t m, Py_ssize_t p
    )
    void wg_outer_f64(
        const char* column, Py_ssize_t down, const char* row, Py_ssize_t along, char* to, Py_ssize_t m, Py_ssize_t p
    )

cdef enum:
    WITHOUT_GIL = 0x8000               # multiplications from which on the GIL is released
    MOST_BATCH_DIMS = 62

cdef struct BatchDim:                  # dims in front
    Py_ssize_t size
    Py_ssize_t column                  # bytes; 0 where it is broadcast
    Py_ssize_t row

cdef struct Outer:
    Py_ssize_t m, p                    # elements of the column, of the row
    Py_ssize_t down, along             # bytes between them
    Py_ssize_t n_products
    int code                           # FLOAT32 or FLOAT64
    int n_batch
    BatchDim batch[MOST_BATCH_DIMS]    # n_batch of them

cdef const int* RECORDERS = count_recorders()


cdef bint outer_product(Tensor a, Tensor b, bint transposed, Tensor out) except -1:
    cdef Outer o
    cdef int i, last = b.rank - 2 if transposed else b.rank - 1
    if a.rank < 2 or b.rank < 2 or a.code != out.code or b.code != out.code or not out.flags & TF_CONTIGUOUS \
            or (out.code != FLOAT32 and out.code != FLOAT64) or out.rank != max(a.rank, b.rank):
        return False
    o.m, o.down = a.dims[a.rank - 2], a.dims[2 * a.rank - 2]
    o.p, o.along = b.dims[last], b.dims[b.rank + last]
    o.n_products, o.code, o.n_batch = out.count // (o.m * o.p), out.code, out.rank - 2
    for i in range(o.n_batch):
        o.batch[i].size = out.dims[i]
        o.batch[i].column, o.batch[i].row = batch_step(a, out, i), batch_step(b, out, i)
    if out.count < WITHOUT_GIL:
        each(&o, a.data, b.data, out.data)
    else:
        with nogil:
            each(&o, a.data, b.data, out.data)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_outer(&o, a, b, out)
    return True


cdef Py_ssize_t batch_step(Tensor t, Tensor out, int dim) noexcept:
    cdef int own = dim - (out.rank - t.rank)
    return t.dims[t.rank + own] if own >= 0 and t.dims[own] > 1 else 0


cdef void each(Outer* o, char* column, char* row, char* out) noexcept nogil:
    """The products of a batch, one after the other."""
    cdef Py_ssize_t number, rest, at_column, at_row
    cdef int i
    for number in range(o.n_products):
        at_column, at_row, rest = 0, 0, number
        for i in range(o.n_batch - 1, -1, -1):
            at_column += rest % o.batch[i].size * o.batch[i].column
            at_row += rest % o.batch[i].size * o.batch[i].row
            rest //= o.batch[i].size
        if o.code == FLOAT32:
            wg_outer_f32(column + at_column, o.down, row + at_row, o.along, out + 4 * number * o.m * o.p, o.m, o.p)
        else:
            wg_outer_f64(column + at_column, o.down, row + at_row, o.along, out + 8 * number * o.m * o.p, o.m, o.p)


# ---- launches

cdef int run_launch(Launch* launch) noexcept nogil:
    each(<Outer*> launch.plan, launch.data[0], launch.data[1], launch.data[2])
    return 0


cdef int tell_outer(Outer* o, Tensor a, Tensor b, Tensor out) except -1:
    cdef Py_ssize_t unused = (MOST_BATCH_DIMS - o.n_batch) * <Py_ssize_t> sizeof(BatchDim)
    cdef Launch* made = tell_kernel(run_launch, o, <Py_ssize_t> sizeof(Outer) - unused)
    add_tensor(made, a, OPERAND_READ)
    add_tensor(made, b, OPERAND_READ)
    add_tensor(made, out, OPERAND_WRITTEN)
    return 0
