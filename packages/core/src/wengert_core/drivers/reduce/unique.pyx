"""The driver of the distinct values of a whole tensor and of its runs of equal neighbors: kernels/reduce/distinct.h.

What the kernel does not take (slices along a dim, a dimensionless or empty tensor, a call that is recorded for a
replay, WENGERT_KERNELS=python) goes to the row's reference through dimwise.pyx.
"""
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t, uint32_t

from wengert_core.dispatch.keep_alive cimport hold_if_large
from wengert_core.dispatch.op cimport Op, op_error
from wengert_core.drivers.reduce.dimwise cimport along_run, check_dtype, several
from wengert_core.drivers.reduce.sort cimport sort_whole
from wengert_core.dtypes.dtypes cimport INT64
from wengert_core.exchange.arrays cimport row_major
from wengert_core.exchange.device_memory cimport runs_on_device
from wengert_core.kernels.reduce.scan cimport write_runs
from wengert_core.runtime.config cimport ONLY_REFERENCES
from wengert_core.runtime.state cimport WG_TELL
from wengert_core.tensors.tensor cimport Tensor, new_empty

cdef enum:
    LONGEST = 0x7fffffff               # elements that sort.pyx orders


def configure(Op op, str name):
    """Give an along op with the parameters dim, return_inverse, return_counts this driver.

    name: "sorted", or "consecutive" for runs in the tensor's own order.
    """
    if ONLY_REFERENCES:
        return
    op.run = sorted_run if name == "sorted" else consecutive_run


cdef object sorted_run(Op op, PyObject** slots, uint32_t live):
    return distinct(op, slots, True, live)


cdef object consecutive_run(Op op, PyObject** slots, uint32_t live):
    return distinct(op, slots, False, live)


cdef object distinct(Op op, PyObject** slots, bint is_sorted, uint32_t live):
    cdef Tensor t, values, inverse, counts, line, places = None
    cdef int64_t* at = NULL
    cdef int64_t* numbers = NULL
    cdef int64_t* lengths = NULL
    cdef Py_ssize_t n, none = 0
    if not isinstance(<object> slots[0], Tensor):
        raise op_error(op, 0, "Tensor", slots[0])
    t = <Tensor> slots[0]
    t = hold_if_large(t)
    check_dtype(op, t.code)
    if slots[op.impl[2]] != <PyObject*> None or t.rank == 0 or t.count == 0 or t.count > LONGEST or live & WG_TELL \
            or runs_on_device():
        return along_run(op, slots, live)
    line = row_major(t)
    n = t.count
    if is_sorted:
        values, places = new_empty(t.code, 1, &n), new_empty(INT64, 1, &n)
        sort_whole(line, values, places)
        line, at = values, <int64_t*> places.data
    with nogil:
        n = write_runs(line.code, line.data, n, NULL, 0, NULL, NULL, NULL)
    values, counts, inverse = new_empty(t.code, 1, &n), new_empty(INT64, 1, &none), new_empty(INT64, 1, &none)
    if <object> slots[op.impl[2] + 1]:
        inverse = new_empty(INT64, t.rank, t.dims)
        numbers = <int64_t*> inverse.data
    if <object> slots[op.impl[2] + 2]:
        counts = new_empty(INT64, 1, &n)
        lengths = <int64_t*> counts.data
    with nogil:
        write_runs(line.code, line.data, line.count, at, n, values.data, numbers, lengths)
    return several(op, slots, [values, inverse, counts], live)
