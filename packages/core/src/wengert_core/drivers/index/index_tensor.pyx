"""index, index_put and index_put_: reading and writing at positions given by tensors.

Note [How positions become offsets] is in index_plan.pyx.
"""

from cpython.ref cimport PyObject
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memset

from wengert_core.dispatch.arguments cimport scalar_name, sizes_list
from wengert_core.dispatch.keep_alive cimport hold
from wengert_core.dispatch.op cimport OP_INPLACE, Op, op_error
from wengert_core.drivers.index.index_moves cimport MOVE_ADD, MOVE_READ, MOVE_WRITE, Plan, move
from wengert_core.drivers.index.index_plan cimport check_mask, make_plan, result_shape
from wengert_core.drivers.index.masked_fill cimport store
from wengert_core.drivers.memory_overlap cimport (
    WRITES_APART, WRITES_IN_STEP, WRITES_SHARED, check_input, check_overlap, in_step
)
from wengert_core.drivers.references cimport call_reference, result_into
from wengert_core.drivers.steps cimport after_write, before_write, record
from wengert_core.dtypes.dtypes cimport (BFLOAT16, BOOL, CAT_COMPLEX, FLOAT16, FLOAT32, UINT8, DTypeFacts, dtype_facts,
                                         dtype_of)
from wengert_core.dtypes.dtypes import C_NAMES as _C_NAMES
from wengert_core.exchange.arrays cimport without_alias, array_of, convert_copy, copy_into
from wengert_core.exchange.device_memory cimport captures, runs_on_device, move_to_device, on_host, without_kernels
from wengert_core.runtime.config cimport ONLY_REFERENCES
from wengert_core.kernels.index.index cimport count_true, select_true
from wengert_core.runtime.launches cimport tell_complete, tell_opaque
from wengert_core.runtime.state cimport WG_ON_DEVICE, WG_RECORD, WG_TELL, WgState, thread_state
from wengert_core.runtime.thread_pool cimport LARGE
from wengert_core.tensors.memory_format cimport dense_strides, new_preserved, order_of
from wengert_core.tensors.tensor cimport (TF_CONTIGUOUS, Storage, Tensor, new_empty, new_empty_at, new_view,
                                          same_shape, shape_tuple)

cdef extern from "Python.h":
    bint PyObject_IsTrue(object o) except -1
    Py_ssize_t PyTuple_GET_SIZE(object t) noexcept
    Py_ssize_t PyList_GET_SIZE(object t) noexcept
    PyObject* PyTuple_GET_ITEM(object t, Py_ssize_t i) noexcept
    PyObject* PyList_GET_ITEM(object t, Py_ssize_t i) noexcept

cdef DTypeFacts* FACTS = dtype_facts()
cdef enum:
    WITHOUT_GIL = 0x8000               # from this many elements on the GIL is released


def configure(Op op, str what):
    """Make ``op`` index, index_put or index_put_."""
    op.run = index_run if what == "index" else index_put_run
    if not ONLY_REFERENCES:
        op.flags |= WRITES_SHARED          # what may overlap depends on the indices


# ---- index

cdef bint any_large(object indices):
    """Return whether an index is converted, or read, without the GIL."""
    if isinstance(indices, (tuple, list)):
        for index in indices:
            if isinstance(index, Tensor) and (<Tensor> index).count >= LARGE:
                return True
    return False


cdef object index_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor t = <Tensor> slots[0], out
    if t.count >= LARGE or any_large(<object> slots[1]):
        t = hold(t)
    if without_kernels():
        out = index_by_reference(op, t, <object> slots[1])
    else:
        out = gather_elements(t, <object> slots[1])
    if live & WG_TELL:
        tell_complete(<void*> op)
    if live & WG_RECORD:
        record(op, slots, out, live)
    return out


cdef Tensor gather_elements(Tensor t, object indices):
    cdef Plan plan
    cdef Py_ssize_t shape[64]
    cdef Tensor owner, out
    cdef int ndim
    if is_whole_mask(t, indices):
        return read_where_true(t, <Tensor> indices[0])
    owner = make_plan(t, indices, &plan)
    ndim = result_shape(&plan, shape)
    out = new_empty(t.code, ndim, shape)
    if out.count:
        move(&plan, owner, hold(t) if out.count >= WITHOUT_GIL else t, out, MOVE_READ)
    return out if t.flags & TF_CONTIGUOUS or ndim < 2 else lay_out_result(&plan, out)


cdef bint is_whole_mask(Tensor t, object indices):
    """Whether the only index is a mask of t's shape, and neither has gaps."""
    cdef PyObject* only
    if type(indices) is tuple and PyTuple_GET_SIZE(indices) == 1:
        only = PyTuple_GET_ITEM(indices, 0)
    elif type(indices) is list and PyList_GET_SIZE(indices) == 1:
        only = PyList_GET_ITEM(indices, 0)
    else:
        return False
    return isinstance(<object> only, Tensor) and (<Tensor> only).code == BOOL and t.rank > 0 \
        and (<Tensor> only).flags & t.flags & TF_CONTIGUOUS and same_shape(<Tensor> only, t)


cdef Tensor read_where_true(Tensor t, Tensor mask):
    cdef Py_ssize_t wanted = count_true(<uint8_t*> mask.data, mask.count)
    cdef Tensor out = new_empty(t.code, 1, &wanted)
    tell_opaque()                      # the shape depends on values
    select_true(out.data, t.data, <uint8_t*> mask.data, mask.count, wanted, FACTS.itemsize[t.code])
    return out


cdef Tensor lay_out_result(Plan* plan, Tensor out):
    """Index a tensor that is not row-major: the dims that are not indexed keep their order in memory."""
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t positions[64]
    cdef const Py_ssize_t* both[2]
    cdef int order[64]
    cdef int i
    cdef bint plain = True
    result_strides(plan, out.rank, strides, positions)
    both[0], both[1] = strides, positions
    order_of(out.rank, 2, both, out.dims, order)
    for i in range(out.rank):
        plain = plain and order[i] == i
    if plain:
        return out
    cdef Tensor other = new_empty(out.code, out.rank, out.dims)
    dense_strides(other, order)
    copy_into(other, out)
    return other


cdef void result_strides(Plan* plan, int rank, Py_ssize_t* strides, Py_ssize_t* positions) noexcept:
    """Strides along the result's dims: in the indexed tensor, and in the index tensors (0 where they do not reach)."""
    cdef int i, behind = plan.n_before + plan.n_index
    cdef Py_ssize_t step = 1
    for i in range(rank):
        strides[i] = positions[i] = 0
    for i in range(plan.n_after):
        strides[behind + i] = plan.after_strides[i]
        positions[behind + i] = plan.after[i] == 1
    for i in range(plan.n_index - 1, -1, -1):
        positions[plan.n_before + i] = step
        step *= plan.index_shape[i]
    for i in range(plan.n_before):
        strides[i] = plan.before_strides[i]
        positions[i] = step if plan.before[i] == 1 else 0


cdef Tensor plan_index(Tensor index):
    """An index tensor of a device in the host's memory; zeros while a graph is captured, where a mask is an error."""
    cdef Tensor zeros
    if index.code == UINT8 or index.code == BOOL or not captures(index.device):
        return on_host(index)
    zeros = new_empty_at(0, index.code, index.rank, index.dims)
    memset(zeros.data, 0, (<Storage> zeros.storage).nbytes)
    return zeros


cdef Tensor plan_of(Tensor t, object indices, Plan* plan):
    """make_plan, with the index tensors in the host's memory: their values are looked at."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    if not runs_on_device():
        return make_plan(t, indices, plan)
    local = [plan_index(<Tensor> index) if isinstance(index, Tensor) and (<Tensor> index).device else index
             for index in indices]
    state.modes = modes & ~(<unsigned int> WG_ON_DEVICE)
    try:
        return make_plan(t, local, plan)
    finally:
        state.modes = modes


cdef Tensor index_by_reference(Op op, Tensor t, object indices):
    cdef Plan plan
    _owner = plan_of(t, indices, &plan)    # for its checks
    computed = call_reference(op, [array_of(t), as_arrays(indices)])
    cdef Py_ssize_t shape[64]
    cdef int ndim = result_shape(&plan, shape)
    cdef Tensor out = new_empty(t.code, ndim, shape)
    result_into(op, computed, out)
    return out if t.flags & TF_CONTIGUOUS or ndim < 2 else lay_out_result(&plan, out)


cdef tuple as_arrays(object indices):
    return tuple([None if index is None else index_array(index) for index in indices])


cdef object index_array(Tensor index):
    array = array_of(move_to_device(index) if runs_on_device() and not index.device else index)
    return array.astype(bool) if index.code == UINT8 else array


# ---- index_put

cdef object index_put_run(Op op, PyObject** slots, uint32_t live):
    """index_put(self, indices, values, accumulate) and its in-place variant."""
    cdef Tensor t = <Tensor> slots[0], values = <Tensor> slots[2], target
    cdef bint inplace = op.flags & OP_INPLACE
    cdef PyObject* keep = NULL
    cdef PyObject* own[4]
    cdef bint accumulate
    cdef Plan plan
    if values.code != t.code and values.count == 1 and is_mask_alone(<object> slots[1]) \
            and not PyObject_IsTrue(<object> slots[3]):
        values = one_value(values, t)
        own[0], own[1], own[2], own[3] = slots[0], slots[1], <PyObject*> values, slots[3]
        slots = own
    if t.count >= LARGE or values.count >= LARGE or any_large(<object> slots[1]):
        t, values = hold(t), hold(values)
    if not isinstance(<object> slots[1], (tuple, list)):
        raise op_error(op, 1, "tuple of Tensors", slots[1])
    if values.code != t.code:
        raise RuntimeError("Index put requires the source and destination dtypes match, got "
                           f"{scalar_name(t.code)} for the destination and {scalar_name(values.code)} for the source.")
    accumulate = PyObject_IsTrue(<object> slots[3])
    target = t if inplace else None
    if not inplace:
        target = new_preserved(t, t.code)
        copy_into(target, t)
    mask = None if accumulate or values.rank else lone_mask(target, <object> slots[1])
    if mask is None:
        owner = plan_of(target, <object> slots[1], &plan)
        prepared = prepared_values(&plan, values, target)
    if inplace:
        if values.rank == 0 and is_mask_alone(<object> slots[1]):       # one number: as masked_fill_
            for index in <object> slots[1]:
                if index is not None:
                    check_input(op, WRITES_IN_STEP, 1, <Tensor> index, target)
            mask = None if mask is None else in_step(<Tensor> mask, target)
        else:
            check_overlap(op, WRITES_APART, slots, target)
        before_write(op, slots, <Tensor> slots[0], live, &keep)
    if mask is None:
        write(op, &plan, <Tensor> owner, target, prepared, <object> slots[1], accumulate)
    else:
        store(target, <Tensor> mask, values, values.data)
    if live & WG_TELL:
        tell_complete(<void*> op)
    if inplace:
        after_write(op, slots, <Tensor> slots[0], live, keep)
        return <object> slots[0]
    if live & WG_RECORD:
        record(op, slots, target, live)
    return target


cdef bint is_mask_alone(object indices):
    """Whether one index is a mask, and the others are None."""
    cdef int n = 0
    if not isinstance(indices, (tuple, list)):
        return False
    for index in indices:
        if index is not None:
            if not isinstance(index, Tensor) or (<Tensor> index).code != BOOL:
                return False
            n += 1
    return n == 1


cdef Tensor one_value(Tensor values, Tensor t):
    """One value for a mask, in t's dtype: it is converted, as masked_fill_ does, and torch in these assignments."""
    if FACTS.category[values.code] == CAT_COMPLEX and FACTS.category[t.code] != CAT_COMPLEX:
        raise RuntimeError(f"value cannot be converted to type {_C_NAMES[t.code]} without overflow: index_put of a "
                           f"{scalar_name(values.code)} value into a {scalar_name(t.code)} tensor; give its real part")
    return values.reshape(()).to(dtype_of(t.code))


cdef object lone_mask(Tensor target, object indices):
    """Return the mask that is the only index, with dims of size 1 to broadcast to the target; else None."""
    cdef Py_ssize_t shape[64]
    cdef Py_ssize_t strides[64]
    cdef Tensor mask
    cdef int i
    if without_kernels() or len(indices) != 1 or not isinstance(indices[0], Tensor) \
            or (<Tensor> indices[0]).code != BOOL:
        return None
    mask = indices[0]
    check_mask(target, mask, 0)
    for i in range(target.rank):
        shape[i] = mask.dims[i] if i < mask.rank else 1
        strides[i] = mask.dims[mask.rank + i] if i < mask.rank else 0
    return new_view(mask, target.rank, shape, strides, mask.data)


cdef Tensor prepared_values(Plan* plan, Tensor values, Tensor target):
    """The values as one element, or row-major with the shape of what is indexed; in memory of their own."""
    cdef Py_ssize_t shape[64]
    cdef int i, ndim = result_shape(plan, shape), offset = ndim - values.rank
    cdef bint same = offset == 0
    for i in range(max(offset, 0), ndim):
        if values.dims[i - offset] != shape[i] and values.dims[i - offset] != 1:
            offset = -1
            break
        same = same and values.dims[i - offset] == shape[i]
    if offset < 0:
        raise RuntimeError(f"shape mismatch: value tensor of shape {list(shape_tuple(values))} cannot be broadcast to "
                           f"indexing result of shape {sizes_list(ndim, shape)} (see docs/errors/shape-mismatch)")
    values = without_alias(values, target)
    if values.count == 1 or (same and values.flags & TF_CONTIGUOUS):
        return values
    cdef Tensor whole = new_empty(values.code, ndim, shape)
    copy_into(whole, values)
    return whole


cdef int write(
    Op op, Plan* plan, Tensor owner, Tensor target, Tensor values, object indices, bint accumulate
) except -1:
    if target.count == 0:
        return 0
    if without_kernels():
        return write_by_reference(op, target, values, indices, accumulate)
    return move(plan, owner, target, values, MOVE_ADD if accumulate else MOVE_WRITE) if plan.n else 0


cdef int write_by_reference(Op op, Tensor target, Tensor values, object indices, bint accumulate) except -1:
    cdef Op plain = op.out_of_place if op.flags & OP_INPLACE else op
    low = target.code == FLOAT16 or target.code == BFLOAT16
    array = array_of(convert_copy(target, FLOAT32) if low else target)
    addend = array_of(convert_copy(values, FLOAT32) if low else values)
    return result_into(plain, call_reference(plain, [array, as_arrays(indices), addend, accumulate]), target)
