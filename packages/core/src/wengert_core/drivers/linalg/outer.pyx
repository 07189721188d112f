"""Products of a column and a row: NumPy's loop does not hand them to BLAS, and takes 4 to 10 times as long as this."""
from wengert_core.dtypes.dtypes cimport FLOAT32, FLOAT64
from wengert_core.kernels.types cimport real_t
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS

cdef enum:
    WITHOUT_GIL = 0x8000               # multiplications from which on the GIL is released

cdef struct Sides:                     # of one product; steps in bytes
    char* column
    char* row
    char* out
    Py_ssize_t m, p, down, along


cdef bint outer_product(Tensor a, Tensor b, bint transposed, Tensor out) noexcept:
    cdef Sides sides
    cdef int last = b.rank - 2 if transposed else b.rank - 1
    if a.rank < 2 or b.rank < 2 or a.code != out.code or b.code != out.code or not out.flags & TF_CONTIGUOUS \
            or (out.code != FLOAT32 and out.code != FLOAT64) or out.rank != max(a.rank, b.rank):
        return False
    sides.m, sides.down = a.dims[a.rank - 2], a.dims[2 * a.rank - 2]
    sides.p, sides.along = b.dims[last], b.dims[b.rank + last]
    if out.count < WITHOUT_GIL:
        each(a, b, out, &sides)
    else:
        with nogil:
            each(a, b, out, &sides)
    return True


cdef void each(Tensor a, Tensor b, Tensor out, Sides* sides) noexcept nogil:
    """The products of a batch, one after the other."""
    cdef Py_ssize_t number, n_products = out.count // (sides.m * sides.p)
    for number in range(n_products):
        sides.column = a.data + offset_of(a, out, number)
        sides.row = b.data + offset_of(b, out, number)
        if out.code == FLOAT32:
            sides.out = out.data + number * sides.m * sides.p * <Py_ssize_t> sizeof(float)
            fill[float](sides, 0)
        else:
            sides.out = out.data + number * sides.m * sides.p * <Py_ssize_t> sizeof(double)
            fill[double](sides, 0)


cdef Py_ssize_t offset_of(Tensor t, Tensor out, Py_ssize_t number) noexcept nogil:
    """Where the matrix for one product of the batch begins; dims in front are broadcast."""
    cdef Py_ssize_t offset = 0
    cdef int dim, own
    for dim in range(out.rank - 3, -1, -1):
        own = dim - (out.rank - t.rank)
        if own >= 0 and t.dims[own] > 1:
            offset += (number % out.dims[dim]) * t.dims[t.rank + own]
        number //= out.dims[dim]
    return offset


cdef void fill(Sides* sides, real_t kind) noexcept nogil:
    cdef Py_ssize_t i, j, m = sides.m, p = sides.p
    cdef real_t* out = <real_t*> sides.out
    cdef real_t* row = <real_t*> sides.row
    cdef real_t factor
    for i in range(m):
        factor = (<real_t*> (sides.column + i * sides.down))[0]
        if sides.along == <Py_ssize_t> sizeof(real_t):
            for j in range(p):
                out[j] = factor * row[j]
        else:
            for j in range(p):
                out[j] = factor * (<real_t*> (sides.row + j * sides.along))[0]
        out += p
