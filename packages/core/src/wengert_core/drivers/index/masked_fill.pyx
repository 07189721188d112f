"""masked_fill: one value where a mask is True."""


from cpython.ref cimport PyObject
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from wengert_core.dispatch.keep_alive cimport hold
from wengert_core.dispatch.op cimport OP_INPLACE, Op, op_error
from wengert_core.drivers.kernel_launch cimport add_tensor, tell_kernel
from wengert_core.drivers.memory_overlap cimport WRITES_IN_STEP, WRITES_SHARED, check_input, in_step
from wengert_core.drivers.references cimport call_reference, result_into
from wengert_core.drivers.steps cimport after_write, before_write, broadcast, record
from wengert_core.dtypes.dtypes cimport BOOL, DTypeFacts, dtype_facts, dtype_of
from wengert_core.dtypes.scalars cimport load_number, number_code
from wengert_core.exchange.arrays cimport array_of, copy_into
from wengert_core.exchange.device_memory cimport without_kernels
from wengert_core.exchange.elements cimport store_checked
from wengert_core.runtime.config cimport ONLY_REFERENCES
from wengert_core.runtime.launches cimport (OPERAND_CONSTANT, OPERAND_READ, OPERAND_UPDATED, Launch, add_operand,
                                            count_recorders, tell_complete, tell_opaque)
from wengert_core.runtime.state cimport WG_RECORD, WG_TELL, thread_state
from wengert_core.runtime.thread_pool cimport LARGE
from wengert_core.tensors.overlap cimport may_meet
from wengert_core.tensors.tensor cimport Tensor, new_empty, shape_tuple

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()
cdef enum:
    MOST_DIMS = 64

cdef struct MaskedDim:
    Py_ssize_t size                    # of what is walked: 1 where neither moves
    Py_ssize_t stride                  # of the target
    Py_ssize_t step                    # of the mask

cdef struct MaskedFill:
    char number[16]                    # of a launch, where it is no tensor's
    int itemsize
    int rank
    MaskedDim dims[MOST_DIMS]          # rank of them

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
        if source_of(value, code) is not None:
            memcpy(number, (<Tensor> value).data, FACTS.itemsize[code])
            return 0
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
        store(target, mask, source_of(slots[2], t.code), number)
    if live & WG_TELL:
        if isinstance(<object> slots[2], Tensor) and source_of(slots[2], t.code) is None:
            tell_opaque()              # the value has been read
        tell_complete(<void*> op)
    if op.flags & OP_INPLACE:
        after_write(op, slots, <Tensor> slots[0], live, keep)
        return <object> slots[0]
    if live & WG_RECORD:
        record(op, slots, target, live)
    return target


cdef Tensor source_of(PyObject* value, int code):
    """The tensor whose memory holds the value as it is written."""
    if isinstance(<object> value, Tensor) and (<Tensor> value).code == code and not (<Tensor> value).device:
        return <Tensor> value
    return None


cdef int by_reference(Op op, Tensor target, Tensor mask, char* number) except -1:
    cdef Op plain = op.out_of_place if op.flags & OP_INPLACE else op
    return result_into(plain, call_reference(plain, [array_of(target), array_of(mask),
                                                     load_number(number, target.code)]), target)


cdef int store(Tensor target, Tensor mask, Tensor source, const char* number) except -1:
    """target[mask] = number, row by row."""
    cdef MaskedFill m
    cdef MaskedDim* at
    cdef int i, offset = target.rank - mask.rank
    if target.count == 0:
        return 0
    m.itemsize, m.rank = FACTS.itemsize[target.code], target.rank
    for i in range(target.rank):
        at = &m.dims[i]
        at.stride = target.dims[target.rank + i]
        at.step = 0 if i < offset or mask.dims[i - offset] == 1 else mask.dims[mask.rank + i - offset]
        at.size = target.dims[i] if at.stride or at.step else 1
    run(&m, target.data, mask.data, number)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_masked(&m, target, mask, source, number)
    return 0


cdef void run(MaskedFill* m, char* data, char* where, const char* number) noexcept nogil:
    cdef Py_ssize_t counter[MOST_DIMS]
    cdef int i, last = m.rank - 1
    if last < 0:
        store_row(data, 0, where, 0, 1, number, m.itemsize)
        return
    for i in range(last):
        counter[i] = 0
    while True:
        store_row(data, m.dims[last].stride, where, m.dims[last].step, m.dims[last].size, number, m.itemsize)
        i = last - 1
        while i >= 0:
            counter[i] += 1
            data += m.dims[i].stride
            where += m.dims[i].step
            if counter[i] < m.dims[i].size:
                break
            data -= m.dims[i].stride * m.dims[i].size
            where -= m.dims[i].step * m.dims[i].size
            counter[i] = 0
            i -= 1
        if i < 0:
            return


cdef inline void store_items(item_t* unused, char* data, Py_ssize_t stride, char* mask, Py_ssize_t step, Py_ssize_t n,
                             const char* number) noexcept nogil:
    cdef Py_ssize_t i
    cdef item_t value = (<const item_t*> number)[0]
    cdef item_t* row = <item_t*> data
    if stride == sizeof(item_t) and step == 1:
        for i in range(n):             # without a branch, which no processor could foretell
            row[i] = value if mask[i] else row[i]
        return
    for i in range(n):
        if mask[i * step]:
            (<item_t*> (data + i * stride))[0] = value


cdef void store_row(
    char* data, Py_ssize_t stride, char* mask, Py_ssize_t step, Py_ssize_t n, const char* number, int itemsize
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


# ---- launches

cdef int run_launch(Launch* launch) noexcept nogil:
    run(<MaskedFill*> launch.plan, launch.data[0], launch.data[1], launch.data[2])
    return 0


cdef int tell_masked(MaskedFill* m, Tensor target, Tensor mask, Tensor source, const char* number) except -1:
    cdef Py_ssize_t unused = (MOST_DIMS - m.rank) * <Py_ssize_t> sizeof(MaskedDim)
    cdef Launch* made = tell_kernel(run_launch, m, <Py_ssize_t> sizeof(MaskedFill) - unused)
    cdef char* own = (<MaskedFill*> made.plan).number
    add_tensor(made, target, OPERAND_UPDATED)
    add_tensor(made, mask, OPERAND_READ)
    if source is None:
        memset(own, 0, sizeof(m.number))       # all of it is compared with other launches
        memcpy(own, number, m.itemsize)
        add_operand(made, own, 0, 16, OPERAND_CONSTANT)
    else:
        add_tensor(made, source, OPERAND_READ)
    return 0
