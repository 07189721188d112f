"""Reductions of rows that lie one after another in memory: the variance, in one pass, and logsumexp, in two.

>>> from wengert_core import tensor
>>> variance_of_rows(tensor([[1.0, 2.0, 3.0], [1.0, 1.0, 4.0]]), 1, False, 1.0)
tensor([1., 3.])

For the variance see Note [How a variance adds up] in kernels/reduce/variance.h; the loops of logsumexp are in
kernels/reduce/softmax_rows.h.
"""
from libc.stdint cimport uint64_t

from wengert_core.dispatch.keep_alive cimport hold_if_large
from wengert_core.drivers.kernel_launch cimport add_section, add_tensor, tell_kernel
from wengert_core.drivers.reduce.reduce cimport dims_mask
from wengert_core.dtypes.dtypes cimport FLOAT32, FLOAT64, DTypeFacts, dtype_facts
from wengert_core.kernels.reduce.softmax cimport find_softmax, rows_fn
from wengert_core.runtime.config cimport ONLY_REFERENCES
from wengert_core.runtime.launches cimport OPERAND_READ, OPERAND_WRITTEN, Launch, count_recorders
from wengert_core.runtime.scratch cimport Scratch, scratch
from wengert_core.runtime.state cimport WG_TELL, thread_state
from wengert_core.runtime.thread_pool cimport GRAIN, GRAIN_ROWS, LARGE, UNIT, body_fn, parallel_for
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor, new_empty

cdef extern from "wengert_core/kernels/reduce/variance.h" nogil:
    enum:
        WG_CHUNK
    ctypedef struct wg_variance:
        double mean
        double squares
    ctypedef struct wg_variances:
        const char* source
        char* target
        wg_variance* parts
        Py_ssize_t rows, n, chunks
        double left
    void wg_spread_units_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_spread_units_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_spread_rows_f32(const wg_variances* p)
    void wg_spread_rows_f64(const wg_variances* p)

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()

cdef enum:
    FEW = 8      # rows, below which the general way, which cuts rows, does better for large tensors
    SHORT = 8    # elements of a row below which the general way, which takes rows side by side, does better,
    SMALL = 256  # in tensors of more elements: it calls several ops


def variance_of_rows(Tensor self, object dim, bint keepdim, double correction):
    """The variance over the last dims, divided by the count - correction or by 0; None: not for these arguments.

    For contiguous tensors of float32 and float64 whose reduced dims are the last ones. Raises what a reduction raises
    for a dim.
    """
    cdef Py_ssize_t shape[64]
    cdef int kept = 0
    cdef Py_ssize_t rows = rows_of(self, dims_mask(dim, self.rank), shape, &kept)
    cdef Tensor out
    self = hold_if_large(self)
    if rows == 0 or (self.count // rows < SHORT and self.count > SMALL):
        return None
    out = new_empty(self.code, self.rank if keepdim else kept, shape)
    variance_of_units(self, rows, correction, out)
    return out


def logsumexp_of_rows(Tensor self, object dim, bint keepdim):
    """log(sum(exp(x))) over the last dims, from the largest element; None: not for these arguments, as in
    variance_of_rows.

    A few long rows are not, either: no row is cut for several threads.
    """
    cdef Py_ssize_t shape[64]
    cdef int kept = 0
    cdef Py_ssize_t rows = rows_of(self, dims_mask(dim, self.rank), shape, &kept)
    cdef Exponentials e
    cdef Tensor out
    cdef Launch* made
    self = hold_if_large(self)
    if rows == 0 or (rows < FEW and self.count >= LARGE):
        return None
    out = new_empty(self.code, self.rank if keepdim else kept, shape)
    e.kernel, e.source, e.target = find_softmax(b"logsumexp", self.code), self.data, out.data
    e.rows, e.n, e.item = rows, self.count // rows, FACTS.itemsize[self.code]
    e.unit = max(UNIT // e.n, 1)       # the kernel takes UNIT elements of short rows at a time
    if self.count < LARGE:
        run_exponentials(&e)
    else:
        with nogil:
            run_exponentials(&e)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        made = tell_kernel(run_exponentials_launch, &e, sizeof(Exponentials))
        add_tensor(made, self, OPERAND_READ)
        add_tensor(made, out, OPERAND_WRITTEN)
    return out


cdef Py_ssize_t rows_of(Tensor t, uint64_t mask, Py_ssize_t* shape, int* kept) noexcept:
    """Return how many rows the masked last dims make; 0: not for the loops here. shape: the result's with keepdim."""
    cdef Py_ssize_t rows = 1
    cdef int i
    if (t.code != FLOAT32 and t.code != FLOAT64) or not t.flags & TF_CONTIGUOUS or ONLY_REFERENCES or not t.count \
            or t.device:
        return 0
    while kept[0] < t.rank and not mask >> kept[0] & 1:
        rows *= t.dims[kept[0]]
        kept[0] += 1
    for i in range(t.rank):
        if i >= kept[0] and not mask >> i & 1:
            return 0
        shape[i] = t.dims[i] if i < kept[0] else 1
    return rows


cdef struct Exponentials:              # rows for several threads
    rows_fn kernel
    char* source
    char* target
    Py_ssize_t rows, n, unit, item


cdef void run_exponentials(Exponentials* e) noexcept nogil:
    cdef Py_ssize_t units = (e.rows + e.unit - 1) // e.unit
    if e.rows * e.n < LARGE:
        exponential_units(0, units, e)
    else:
        parallel_for(units, GRAIN_ROWS // (e.unit * e.n), exponential_units, e)


cdef int run_exponentials_launch(Launch* launch) noexcept nogil:
    cdef Exponentials* e = <Exponentials*> launch.plan
    e.source, e.target = launch.data[0], launch.data[1]
    run_exponentials(e)
    return 0


cdef void exponential_units(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    cdef Exponentials* e = <Exponentials*> ctx
    cdef Py_ssize_t first = begin * e.unit, last = min(end * e.unit, e.rows), stride = e.n * e.item
    e.kernel(e.source + first * stride, stride, NULL, 0, e.target + first * e.item, e.item, last - first, e.n)


cdef struct Variances:
    wg_variances units
    int code                           # FLOAT32 or FLOAT64


cdef int variance_of_units(Tensor t, Py_ssize_t rows, double correction, Tensor out) except -1:
    cdef Variances v
    cdef wg_variances* p = &v.units
    cdef Scratch room = None
    cdef Launch* made
    v.code = t.code
    p.source, p.target, p.parts = t.data, out.data, NULL
    p.rows, p.n = rows, t.count // rows
    p.left = max(p.n - correction, 0.0)
    p.chunks = (p.n + WG_CHUNK - 1) // WG_CHUNK
    if p.chunks > 1:
        room = scratch(rows * p.chunks * sizeof(wg_variance))
        p.parts = <wg_variance*> room.data
    if t.count < LARGE:
        run_variances(&v)
    else:
        with nogil:
            run_variances(&v)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        made = tell_kernel(run_variances_launch, &v, sizeof(Variances))
        add_tensor(made, t, OPERAND_READ)
        add_tensor(made, out, OPERAND_WRITTEN)
        add_section(made, <char*> p.parts, rows * p.chunks * sizeof(wg_variance) if p.chunks > 1 else 0,
                    OPERAND_WRITTEN)
    return 0


cdef void run_variances(Variances* v) noexcept nogil:
    cdef wg_variances* p = &v.units
    cdef body_fn units = wg_spread_units_f32 if v.code == FLOAT32 else wg_spread_units_f64
    if p.rows * p.n < LARGE:
        units(0, p.rows * p.chunks, p)
    else:
        parallel_for(p.rows * p.chunks, GRAIN // min(p.n, <Py_ssize_t> WG_CHUNK), units, p)
    if p.chunks > 1 and v.code == FLOAT32:
        wg_spread_rows_f32(p)
    elif p.chunks > 1:
        wg_spread_rows_f64(p)


cdef int run_variances_launch(Launch* launch) noexcept nogil:
    cdef Variances* v = <Variances*> launch.plan
    v.units.source, v.units.target, v.units.parts = launch.data[0], launch.data[1], <wg_variance*> launch.data[2]
    run_variances(v)
    return 0
