"""The driver of bins: places of values in sorted boundaries (kernels/index/searching.h), and bincount without weights.

What these loops do not take (two dtypes, a sorter, weights, values of which there are no counts, a call that is
recorded for a replay, WENGERT_KERNELS=python) goes to the row's reference through array_call.pyx, which has the error
messages.
"""
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memset

from wengert_core.dispatch.arguments cimport int_slot
from wengert_core.dispatch.keep_alive cimport hold_if_large
from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.array_call cimport array_run
from wengert_core.drivers.steps cimport record_outputs
from wengert_core.dtypes.dtypes cimport (BFLOAT16, BOOL, CAT_COMPLEX, CAT_FLOAT, FLOAT16, FLOAT32, FLOAT64, INT64,
                                         UINT64, DTypeFacts, dtype_facts)
from wengert_core.exchange.arrays cimport row_major_as
from wengert_core.exchange.device_memory cimport runs_on_device
from wengert_core.runtime.config cimport ONLY_REFERENCES
from wengert_core.runtime.state cimport WG_TELL
from wengert_core.runtime.thread_pool cimport LARGE, parallel_for
from wengert_core.tensors.tensor cimport Tensor, new_empty

cdef extern from "wengert_core/kernels/index/searching.h" nogil:
    ctypedef struct wg_searching:
        int code, right
        Py_ssize_t n, share
        const char* boundaries
        const char* values
        int64_t* found
    void wg_search(Py_ssize_t begin, Py_ssize_t end, void* ctx)

cdef enum:
    SHARE = 0x1000                     # values worth a thread of their own: 10 to 100 ns each
    MOST = 0x10000000                  # counts, whose bytes a machine has

cdef DTypeFacts* FACTS = dtype_facts()


def configure(Op op, str name):
    """Give an array op this driver: "search" for ``_searchsorted(sorted_sequence, self, right, sorter)``, "count" for
    ``bincount(self, weights, minlength)``.
    """
    if not ONLY_REFERENCES:
        op.run = search_run if name == "search" else count_run


# ---- places in boundaries

cdef object search_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor boundaries, values, out
    cdef PyObject* outs[1]
    cdef wg_searching job
    if type(<object> slots[0]) is not Tensor or type(<object> slots[1]) is not Tensor \
            or not isinstance(<object> slots[2], bool) or slots[3] != <PyObject*> None \
            or live & WG_TELL or runs_on_device():
        return array_run(op, slots, live)
    boundaries, values = <Tensor> slots[0], <Tensor> slots[1]
    if not fitting(boundaries, values):
        return array_run(op, slots, live)
    boundaries, values = hold_if_large(boundaries), hold_if_large(values)
    job.code, job.right = searched_code(values.code), <object> slots[2] is True
    boundaries, values = row_major_as(boundaries, job.code), row_major_as(values, job.code)
    job.n = boundaries.dims[boundaries.rank - 1]
    job.share = values.dims[values.rank - 1] if boundaries.rank > 1 else 0
    out = new_empty(INT64, values.rank, values.dims)
    job.boundaries, job.values, job.found = boundaries.data, values.data, <int64_t*> out.data
    if values.count < LARGE:
        wg_search(0, values.count, &job)
    else:
        with nogil:
            parallel_for(values.count, SHARE, wg_search, &job)
    outs[0] = <PyObject*> out
    record_outputs(op, slots, outs, 1, live)
    return out


cdef bint fitting(Tensor boundaries, Tensor values) noexcept:
    """Whether both have one real dtype, and each row of values its row of boundaries, or all the one."""
    cdef int i
    if boundaries.code != values.code or boundaries.rank == 0 or values.code == BOOL or values.code == UINT64 \
            or FACTS.category[values.code] == CAT_COMPLEX:
        return False
    if boundaries.rank > 1:
        if boundaries.rank != values.rank:
            return False
        for i in range(boundaries.rank - 1):
            if boundaries.dims[i] != values.dims[i]:
                return False
    return True


cdef inline int searched_code(int code) noexcept:
    """The dtype in which a kernel compares elements of another one."""
    if code == FLOAT32 or code == FLOAT64:
        return code
    return FLOAT32 if code == FLOAT16 or code == BFLOAT16 else INT64


# ---- how often each number comes

cdef object count_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor t, out
    cdef PyObject* outs[1]
    cdef Py_ssize_t n
    if type(<object> slots[0]) is not Tensor or slots[1] != <PyObject*> None or type(<object> slots[2]) is not int \
            or live & WG_TELL or runs_on_device():
        return array_run(op, slots, live)
    t = <Tensor> slots[0]
    n = int_slot(op, slots, 2)
    if t.rank != 1 or t.count == 0 or not 0 <= n <= MOST or t.code == BOOL or t.code == UINT64 \
            or FACTS.category[t.code] >= CAT_FLOAT or (t.count > 1 and t.dims[1] == 0):
        return array_run(op, slots, live)
    t = hold_if_large(t)
    t = row_major_as(t, INT64)
    with nogil:
        n = max(n, counts_of(<const int64_t*> t.data, t.count))
    if n > MOST:
        return array_run(op, slots, live)
    out = new_empty(INT64, 1, &n)
    with nogil:
        count(<const int64_t*> t.data, t.count, <int64_t*> out.data, n)
    outs[0] = <PyObject*> out
    record_outputs(op, slots, outs, 1, live)
    return out


cdef Py_ssize_t counts_of(const int64_t* x, Py_ssize_t n) noexcept nogil:
    """The number of counts: the largest value and one. More than MOST where a value is negative, or too large."""
    cdef Py_ssize_t i
    cdef uint64_t all_bits = 0
    cdef int64_t most = 0
    for i in range(n):
        all_bits |= <uint64_t> x[i]    # none is negative or beyond MOST where this is not
        most = max(most, x[i])
    return most + 1 if all_bits < MOST else MOST + 1


cdef void count(const int64_t* x, Py_ssize_t n, int64_t* counts, Py_ssize_t many) noexcept nogil:
    """Another thread may write to the values meanwhile: those beyond the counts are left out."""
    cdef Py_ssize_t i
    memset(counts, 0, many * sizeof(int64_t))
    for i in range(n):
        if <uint64_t> x[i] < <uint64_t> many:
            counts[x[i]] += 1
