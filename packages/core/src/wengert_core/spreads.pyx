"""The variance of rows that lie one after another in memory, in one pass. Note [How a variance adds up] in kernels/spread.h.

>>> from wengert_core import tensor
>>> variance_of_rows(tensor([[1.0, 2.0, 3.0], [1.0, 1.0, 4.0]]), 1, False, 1.0)
tensor([1., 3.])
"""
from libc.stdint cimport uint64_t

from wengert_core.dtypes cimport FLOAT32, FLOAT64
from wengert_core.reduction cimport dims_mask, only_references
from wengert_core.scratch cimport Scratch, scratch
from wengert_core.tensor cimport TF_CONTIGUOUS, Tensor, new_empty
from wengert_core.workers cimport GRAIN, LARGE, body_fn, parallel_for

cdef extern from "wengert_core/kernels/spread.h" nogil:
    enum:
        WG_CHUNK
    ctypedef struct wg_spread:
        double mean
        double squares
    ctypedef struct wg_spreads:
        const char* source
        char* target
        wg_spread* parts
        Py_ssize_t rows, n, chunks
        double left
    void wg_spread_units_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_spread_units_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_spread_rows_f32(const wg_spreads* p)
    void wg_spread_rows_f64(const wg_spreads* p)

cdef enum:
    SHORT = 8                          # elements of a row below which the general way, which takes rows side by side, does better


def variance_of_rows(Tensor self, object dim, bint keepdim, double correction):
    """The variance over the last dims, divided by the count - correction or by 0; None: not for these arguments.

    For contiguous tensors of float32 and float64 whose reduced dims are the last ones. Raises what a reduction raises for a dim.
    """
    cdef Py_ssize_t shape[64]
    cdef Py_ssize_t rows = 1
    cdef uint64_t mask = dims_mask(dim, self.rank)
    cdef int i, ndim = 0, kept = 0
    cdef Tensor out
    if (self.code != FLOAT32 and self.code != FLOAT64) or not self.flags & TF_CONTIGUOUS or only_references() or not self.count:
        return None
    while kept < self.rank and not mask >> kept & 1:
        rows *= self.dims[kept]
        kept += 1
    for i in range(self.rank):
        if i < kept:
            shape[i] = self.dims[i]
        elif not mask >> i & 1:
            return None
        else:
            shape[i] = 1
    if self.count // rows < SHORT:
        return None
    ndim = self.rank if keepdim else kept
    out = new_empty(self.code, ndim, shape)
    spread_rows(self, rows, correction, out)
    return out


cdef int spread_rows(Tensor t, Py_ssize_t rows, double correction, Tensor out) except -1:
    cdef wg_spreads p
    cdef Scratch room = None
    cdef body_fn units = wg_spread_units_f32 if t.code == FLOAT32 else wg_spread_units_f64
    cdef Py_ssize_t length
    p.source, p.target, p.parts = t.data, out.data, NULL
    p.rows, p.n = rows, t.count // rows
    p.left = max(p.n - correction, 0.0)
    p.chunks = (p.n + WG_CHUNK - 1) // WG_CHUNK
    length = min(p.n, <Py_ssize_t> WG_CHUNK)
    if p.chunks > 1:
        room = scratch(rows * p.chunks * sizeof(wg_spread))
        p.parts = <wg_spread*> room.data
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
