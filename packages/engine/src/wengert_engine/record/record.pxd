"""Recording: see record.pyx."""
from cpython.ref cimport PyObject

from wengert_core.dispatch.op cimport Op

ctypedef int (*record_fn)(Op op, PyObject** slots, PyObject** outs, int n_outs) except -1
ctypedef int (*before_fn)(Op op, PyObject** slots, PyObject** keep) except -1
ctypedef int (*inplace_fn)(Op op, PyObject** slots, PyObject* keep) except -1

cdef struct RecordHooks:               # see Hooks in core's dispatch/op.pxd
    record_fn record
    before_fn before_inplace
    inplace_fn record_inplace

cdef RecordHooks* base_hooks() noexcept
cdef void set_base(record_fn new_record, inplace_fn new_inplace) noexcept       # NULL: the plain ones
cdef void stand_in_front(RecordHooks* own) noexcept                             # for good: they call base_hooks()
