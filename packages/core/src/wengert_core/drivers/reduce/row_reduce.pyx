"""Reductions of rows that lie one after another in memory: the variance, in one pass, and logsumexp, in two.

>>> from wengert_core import tensor
>>> variance_of_rows(tensor([[1.0, 2.0, 3.0], [1.0, 1.0, 4.0]]), 1, False, 1.0)
tensor([1., 3.])

For the variance see Note [How a variance adds up] in kernels/reduce/variance.h; the loops of logsumexp are in
kernels/reduce/softmax_rows.h.
"""
from libc.stdint cimport uint64_t

from wengert_core.dispatch.keep_alive cimport hold_if_large
from wengert_core.drivers.reduce.reduce cimport dims_mask
from wengert_core.dtypes.dtypes cimport FLOAT32, FLOAT64, DTypeFacts, dtype_facts
from wengert_core.kernels.reduce.softmax cimport find_softmax, rows_fn
from wengert_core.runtime.config cimport ONLY_REFERENCES
from wengert_core.runtime.scratch cimport Scratch, scratch
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

cdef enum:
    FEW = 8      # rows, below which the general way, which cuts rows, does better for large tensors
    SHORT = 8    # elements of a row below which the general way, which takes rows side by side, does better


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
    if rows == 0 or self.count // rows < SHORT:
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
    self = hold_if_large(self)
    if rows == 0 or (rows < FEW and self.count >= LARGE):
        return None
    out = new_empty(self.code, self.rank if keepdim else kept, shape)
    e.kernel, e.source, e.target = find_softmax(b"logsumexp", self.code), self.data, out.data
    e.rows, e.n, e.item = rows, self.count // rows, FACTS.itemsize[self.code]
    e.unit = max(UNIT // e.n, 1)       # the kernel takes UNIT elements of short rows at a time
    if self.count < LARGE:
        exponential_units(0, (rows + e.unit - 1) // e.unit, &e)
    else:
        with nogil:
            parallel_for((rows + e.unit - 1) // e.unit, GRAIN_ROWS // (e.unit * e.n), exponential_units, &e)
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


cdef void exponential_units(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    cdef Exponentials* e = <Exponentials*> ctx
    cdef Py_ssize_t first = begin * e.unit, last = min(end * e.unit, e.rows), stride = e.n * e.item
    e.kernel(e.source + first * stride, stride, NULL, 0, e.target + first * e.item, e.item, last - first, e.n)


cdef int variance_of_units(Tensor t, Py_ssize_t rows, double correction, Tensor out) except -1:
    cdef wg_variances p
    cdef Scratch room = None
    cdef body_fn units = wg_spread_units_f32 if t.code == FLOAT32 else wg_spread_units_f64
    cdef Py_ssize_t length
    p.source, p.target, p.parts = t.data, out.data, NULL
    p.rows, p.n = rows, t.count // rows
    p.left = max(p.n - correction, 0.0)
    p.chunks = (p.n + WG_CHUNK - 1) // WG_CHUNK
    length = min(p.n, <Py_ssize_t> WG_CHUNK)
    if p.chunks > 1:
        room = scratch(rows * p.chunks * sizeof(wg_variance))
        p.parts = <wg_variance*> room.data
    if t.count < LARGE:
        units(0, rows * p.chunks, &p)
    else:
        with nogil:
            parallel_for(rows * p.chunks, GRAIN // length, units, &p)
    if p.chunks > 1:
        if t.code == FLOAT32:
            wg_spread_rows_f32(&p)
        else:
            wg_spread_rows_f64(&p)
    return 0
