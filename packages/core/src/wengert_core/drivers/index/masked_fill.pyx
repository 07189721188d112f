"""masked_fill: one value where a mask is True."""


from cpython.ref cimport PyObject
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from wengert_core.dispatch.keep_alive cimport hold
from wengert_core.dispatch.op cimport OP_INPLACE, Op, op_error
from wengert_core.drivers.memory_overlap cimport WRITES_IN_STEP, WRITES_SHARED, check_input, in_step
from wengert_core.drivers.references cimport call_reference, result_into
from wengert_core.drivers.steps cimport after_write, before_write, broadcast, record
from wengert_core.dtypes.dtypes cimport BOOL, DTypeFacts, dtype_facts, dtype_of
from wengert_core.dtypes.scalars cimport load_number, number_code
from wengert_core.exchange.arrays cimport array_of, copy_into
from wengert_core.exchange.device_memory cimport without_kernels
from wengert_core.exchange.from_data cimport store_checked
from wengert_core.runtime.config cimport ONLY_REFERENCES
from wengert_core.runtime.state cimport WG_RECORD
from wengert_core.runtime.thread_pool cimport LARGE
from wengert_core.tensors.overlap cimport may_meet
from wengert_core.tensors.tensor cimport Tensor, new_empty, shape_tuple

cdef DTypeFacts* FACTS = dtype_facts()
ctypedef fused item_t:
    uint8_t
    uint16_t
    uint32_t
    uint64_t


def configure(Op op):
    """Make ``op`` masked_fill or masked_fill_."""
    op.run = masked_fill_run
    if not ONLY_REFERENCES:
        op.flags |= WRITES_SHARED


cdef int check(Op op, PyObject** slots, int code, char* number) except -1:
    """The mask's dtype; the value as bytes."""
    cdef PyObject* value = slots[2]
    if (<Tensor> slots[1]).code != BOOL:
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype "
                           f"{dtype_of((<Tensor> slots[1]).code).name}: convert it with .bool()")
    if isinstance(<object> value, Tensor):
        if (<Tensor> value).rank:
            raise RuntimeError("masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                               f"{(<Tensor> value).rank} dimension(s).")
    elif number_code(value) < 0:
        raise op_error(op, 2, "Number", value)
    return store_checked(value, code, number)


cdef object masked_fill_run(Op op, PyObject** slots, uint32_t live):
    """masked_fill(self, mask, value): the mask broadcasts, and in the variant that is not in place self does too."""
    cdef Tensor t = <Tensor> slots[0], mask = <Tensor> slots[1], target = t
    cdef PyObject* keep = NULL
    cdef char number[16]
    cdef Py_ssize_t shape[64]
    cdef int ndim = 0, i
    if t.count >= LARGE or mask.count >= LARGE:
        t, mask = hold(t), hold(mask)
        target = t
    check(op, slots, t.code, number)
    broadcast(op, &ndim, shape, mask)
    broadcast(op, &ndim, shape, t)
    if op.flags & OP_INPLACE:
        for i in range(ndim):
            if ndim != t.rank or shape[i] != t.dims[i]:
                raise RuntimeError(f"output with shape {list(shape_tuple(t))} doesn't match the broadcast shape "
                                   f"{[shape[k] for k in range(ndim)]}: "
                                   "the mask of masked_fill_ must broadcast to the tensor")
        if may_meet(mask, t):
            check_input(op, WRITES_IN_STEP, 1, mask, t)
            mask = in_step(mask, t)
        before_write(op, slots, <Tensor> slots[0], live, &keep)
    else:
        target = new_empty(t.code, ndim, shape)
        copy_into(target, t)
    if without_kernels():
        by_reference(op, target, mask, number)
    else:
        store(target, mask, number)
    if op.flags & OP_INPLACE:
        after_write(op, slots, <Tensor> slots[0], live, keep)
        return <object> slots[0]
    if live & WG_RECORD:
        record(op, slots, target, live)
    return target


cdef int by_reference(Op op, Tensor target, Tensor mask, char* number) except -1:
    cdef Op plain = op.out_of_place if op.flags & OP_INPLACE else op
    return result_into(plain, call_reference(plain, [array_of(target), array_of(mask),
                                                     load_number(number, target.code)]), target)


cdef void store(Tensor target, Tensor mask, char* number) noexcept:
    """target[mask] = number, row by row."""
    cdef Py_ssize_t counter[64]
    cdef Py_ssize_t steps[65]          # of the mask, along the target's dims
    cdef Py_ssize_t sizes[65]          # of what is walked: 1 where neither moves
    cdef Py_ssize_t n = 1, stride = 0
    cdef int i, offset = target.rank - mask.rank, last = target.rank - 1
    cdef int itemsize = FACTS.itemsize[target.code]
    cdef char* data = target.data
    cdef char* where = mask.data
    if target.count == 0:
        return
    steps[0] = 0
    for i in range(target.rank):
        counter[i] = 0
        steps[i] = 0 if i < offset or mask.dims[i - offset] == 1 else mask.dims[mask.rank + i - offset]
        sizes[i] = target.dims[i] if target.dims[target.rank + i] or steps[i] else 1
    if target.rank:
        n, stride = sizes[last], target.dims[target.rank + last]
    else:
        last = 0
    while True:
        store_row(data, stride, where, steps[last], n, number, itemsize)
        i = last - 1
        while i >= 0:
            counter[i] += 1
            data += target.dims[target.rank + i]
            where += steps[i]
            if counter[i] < sizes[i]:
                break
            data -= target.dims[target.rank + i] * sizes[i]
            where -= steps[i] * sizes[i]
            counter[i] = 0
            i -= 1
        if i < 0:
            return


cdef inline void store_items(item_t* unused, char* data, Py_ssize_t stride, char* mask, Py_ssize_t step, Py_ssize_t n,
                             char* number) noexcept nogil:
    cdef Py_ssize_t i
    cdef item_t value = (<item_t*> number)[0]
    cdef item_t* row = <item_t*> data
    if stride == sizeof(item_t) and step == 1:
        for i in range(n):             # without a branch, which no processor could foretell
            row[i] = value if mask[i] else row[i]
        return
    for i in range(n):
        if mask[i * step]:
            (<item_t*> (data + i * stride))[0] = value


cdef void store_row(
    char* data, Py_ssize_t stride, char* mask, Py_ssize_t step, Py_ssize_t n, char* number, int itemsize
) noexcept nogil:
    cdef Py_ssize_t i
    if itemsize == 4:
        store_items(<uint32_t*> NULL, data, stride, mask, step, n, number)
    elif itemsize == 8:
        store_items(<uint64_t*> NULL, data, stride, mask, step, n, number)
    elif itemsize == 2:
        store_items(<uint16_t*> NULL, data, stride, mask, step, n, number)
    elif itemsize == 1:
        store_items(<uint8_t*> NULL, data, stride, mask, step, n, number)
    else:
        for i in range(n):
            if mask[i * step]:
                memcpy(data + i * stride, number, itemsize)
