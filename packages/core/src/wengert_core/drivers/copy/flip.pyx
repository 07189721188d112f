"""flip: one strided copy that walks some dims backwards."""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.arguments cimport dims_slot
from wengert_core.dispatch.keep_alive cimport hold_if_large
from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.references cimport call_reference, result_into
from wengert_core.drivers.steps cimport record
from wengert_core.drivers.view.view cimport set_shortcuts
from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.exchange.arrays cimport array_of
from wengert_core.exchange.copy_launch cimport tell_copy
from wengert_core.exchange.device_memory cimport runs_on_device
from wengert_core.kernels.pointwise.strided cimport copy_large, copy_strided
from wengert_core.runtime.launches cimport tell_complete
from wengert_core.runtime.state cimport WG_RECORD, WG_TELL
from wengert_core.runtime.thread_pool cimport LARGE
from wengert_core.tensors.memory_format cimport new_preserved
from wengert_core.tensors.tensor cimport Tensor, strides_of

cdef DTypeFacts* FACTS = dtype_facts()


def configure(Op op):
    """Make ``op`` flip."""
    op.run = flip_run
    set_shortcuts(op)


cdef object flip_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor t = <Tensor> slots[0], out
    cdef Py_ssize_t strides[64]
    cdef int dims[64]
    cdef int i, n
    cdef char* data = t.data
    t = hold_if_large(t)
    n = dims_slot(op, slots, 1, t.rank, dims)
    out = new_preserved(t, t.code)
    if runs_on_device():
        result_into(op, call_reference(op, [array_of(t), tuple([dims[i] for i in range(n if t.rank else 0)])]), out)
        record(op, slots, out, live)
        return out
    for i in range(t.rank):
        strides[i] = strides_of(t)[i]
    for i in range(n if t.rank else 0):
        if t.count:
            data += (t.dims[dims[i]] - 1) * strides[dims[i]]
        strides[dims[i]] = -strides[dims[i]]
    if t.count < LARGE:
        copy_strided(out.data, out.dims + out.rank, data, strides, t.dims, t.rank, FACTS.itemsize[t.code])
    else:
        with nogil:
            copy_large(out.data, out.dims + out.rank, t.code, data, strides, t.code, t.dims, t.rank)
    if live & WG_TELL:
        tell_copy(out.data, out.dims + out.rank, t.code, data, strides, t.code, t.dims, t.rank, t.count >= LARGE)
        tell_complete(<void*> op)
    if live & WG_RECORD:
        record(op, slots, out, live)
    return out
