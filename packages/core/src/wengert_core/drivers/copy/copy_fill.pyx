"""copy_, fill_ and zero_: writing whole tensors and views."""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t
from libc.string cimport memcpy

import numpy as np

from wengert_core.dispatch.op cimport OP_INPLACE, Op, op_error
from wengert_core.drivers.memory_overlap cimport WRITES_IN_STEP, check_input, check_shared
from wengert_core.drivers.steps cimport after_write, before_write, broadcast, guard_write, record
from wengert_core.dtypes.dtypes cimport BOOL, CAT_COMPLEX, DTypeFacts, dtype_facts
from wengert_core.dtypes.scalars cimport number_code
from wengert_core.exchange.arrays cimport contiguous_copy, copy_into, tensor_of_array
from wengert_core.exchange.copy_launch cimport tell_copy, tell_fill
from wengert_core.exchange.device_memory cimport fill_on_device, number_on_device
from wengert_core.exchange.elements cimport store_assigned, store_checked
from wengert_core.kernels.pointwise.strided cimport fill_strided
from wengert_core.runtime.launches cimport tell_complete
from wengert_core.runtime.state cimport WG_RECORD, WG_TELL
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.memory_format cimport new_preserved
from wengert_core.tensors.overlap cimport APART, PARTIAL, SAME, Overlap, may_meet, overlap_of
from wengert_core.tensors.tensor cimport Tensor, same_shape, shape_tuple

cdef DTypeFacts* FACTS = dtype_facts()


def configure(Op op, str what):
    """Make ``op`` copy_, fill, fill_ or zero_."""
    if what == "copy_":
        op.run = copy_run
    elif what == "fill":
        op.run = fill_run
    elif what == "zero_":
        op.run = zero_run
    else:
        raise ValueError(f"{op.name}: no way to write is called {what!r}")


# ---- copy_

cdef int check_fits(Op op, Tensor target, Tensor source) except -1:
    """RuntimeError in torch's words when source does not broadcast to target."""
    cdef Py_ssize_t shape[64]
    cdef int i, ndim = target.rank
    for i in range(target.rank):
        shape[i] = target.dims[i]
    broadcast(op, &ndim, shape, source)
    for i in range(ndim):
        if ndim != target.rank or shape[i] != target.dims[i]:
            raise RuntimeError(f"output with shape {list(shape_tuple(target))} doesn't match the broadcast shape "
                               f"{[shape[k] for k in range(ndim)]}: {op.name} got a source of shape "
                               f"{list(shape_tuple(source))}")
    return 0


cdef inline bint loses_imaginary(int source, int target) noexcept:
    return FACTS.category[source] == CAT_COMPLEX and FACTS.category[target] != CAT_COMPLEX and target != BOOL


cdef object copy_run(Op op, PyObject** slots, uint32_t live):
    """copy_(self, src): src, converted and broadcast, becomes self's contents."""
    cdef Tensor target = <Tensor> slots[0], source
    cdef Overlap found
    cdef PyObject* keep = NULL
    if isinstance(<object> slots[1], Tensor):
        source = <Tensor> slots[1]
    elif isinstance(<object> slots[1], np.ndarray):
        source = tensor_of_array(np.ascontiguousarray(<object> slots[1]).reshape((<object> slots[1]).shape))
    elif number_code(slots[1]) >= 0:
        return fill_run(op, slots, live)
    else:
        raise op_error(op, 1, "Tensor", slots[1])
    if source.code != target.code and loses_imaginary(source.code, target.code):
        # A warning runs Python, so it comes before shapes are read.
        warn_user("Casting complex values to real discards the imaginary part")
    if not same_shape(source, target):
        check_fits(op, target, source)
    found = overlap_of(source, target) if may_meet(source, target) else APART
    if found == PARTIAL:
        check_shared(op, slots, target)
        check_input(op, WRITES_IN_STEP, 1, source, target)
    if found == SAME and source.code == target.code:
        # nothing to copy, and elements that share memory do no harm; yet it is a write
        guard_write(op, slots, target, live, &keep)
    else:
        before_write(op, slots, target, live, &keep)
        copy_into(target, source if found == APART else contiguous_copy(source))
    if live & WG_TELL:
        tell_complete(<void*> op)
    after_write(op, slots, target, live, keep)
    return target


# ---- fill

cdef int number_of(Op op, PyObject* value, int code, char* number) except -1:
    """A fill value's bytes."""
    if isinstance(<object> value, Tensor):
        if (<Tensor> value).rank:
            raise RuntimeError(f"{op.name} only supports 0-dimension value tensor but got tensor with "
                               f"{(<Tensor> value).rank} dimensions.")
    elif number_code(value) < 0:
        raise op_error(op, 1, "Number", value)
    if isinstance(<object> value, Tensor) and (<Tensor> value).code == code and not (<Tensor> value).device:
        memcpy(number, (<Tensor> value).data, FACTS.itemsize[code])
        return 0
    if isinstance(<object> value, Tensor) and (<Tensor> value).device:
        of_device = number_on_device(<Tensor> value)
        return store_checked(<PyObject*> of_device, code, number)
    return store_assigned(value, code, number) if isinstance(<object> value, Tensor) \
        else store_checked(value, code, number)


cdef void fill_once(Tensor t, const char* number) noexcept:
    """Write the number to every element, along a dim of stride 0 to the first: the others are the same memory."""
    cdef Py_ssize_t shape[64]
    cdef int i
    for i in range(t.rank):
        shape[i] = min(t.dims[i], 1) if t.dims[t.rank + i] == 0 else t.dims[i]
    fill_strided(t.data, t.dims + t.rank, shape, t.rank, FACTS.itemsize[t.code], number)


cdef int tell_filled(Op op, PyObject** slots, Tensor t, const char* number) except -1:
    """Tell fill_once: of a tensor's number, which is read anew, as a copy; one that is converted is not told."""
    cdef Py_ssize_t shape[64]
    cdef Py_ssize_t nowhere[64]
    cdef Tensor source = None
    cdef int i
    if op.n_params > 1 and isinstance(<object> slots[1], Tensor):
        source = <Tensor> slots[1]
        if source.code != t.code or source.device:
            return 0
    for i in range(t.rank):
        shape[i] = min(t.dims[i], 1) if t.dims[t.rank + i] == 0 else t.dims[i]
        nowhere[i] = 0
    if source is not None:
        tell_copy(t.data, t.dims + t.rank, t.code, source.data, nowhere, t.code, shape, t.rank, False)
    else:
        tell_fill(t.data, t.dims + t.rank, shape, t.rank, t.code, number)
    tell_complete(<void*> op)
    return 0


cdef object fill_run(Op op, PyObject** slots, uint32_t live):
    """fill(self, value) and fill_: value is a number or a tensor without dimensions."""
    cdef Tensor t = <Tensor> slots[0], target = t
    cdef PyObject* keep = NULL
    cdef char number[16]
    number_of(op, slots[1], t.code, number)
    if not op.flags & OP_INPLACE:
        target = new_preserved(t, t.code)
    elif isinstance(<object> slots[1], Tensor):        # copied, as PyTorch has it: a number alone may be written to
        before_write(op, slots, target, live, &keep)   # elements that share memory
    else:
        guard_write(op, slots, target, live, &keep)
    if target.device:
        fill_on_device(target, number)
    else:
        fill_once(target, number)
        if live & WG_TELL:
            tell_filled(op, slots, target, number)
    if op.flags & OP_INPLACE:
        after_write(op, slots, target, live, keep)
    elif live & WG_RECORD:
        record(op, slots, target, live)
    return target


cdef object zero_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor t = <Tensor> slots[0]
    cdef PyObject* keep = NULL
    cdef char number[16]
    cdef int i
    for i in range(16):
        number[i] = 0
    guard_write(op, slots, t, live, &keep)
    if t.device:
        fill_on_device(t, number)
    else:
        fill_once(t, number)
        if live & WG_TELL:
            tell_filled(op, slots, t, number)
    after_write(op, slots, t, live, keep)
    return t
