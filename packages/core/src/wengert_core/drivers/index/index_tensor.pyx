"""index, index_put and index_put_: reading and writing at positions given by tensors.

Note [How positions become offsets]
    Masks become the offsets of their positions, the index tensors are broadcast together, and each position becomes one
    byte offset into the indexed tensor, checked. The dims that are not indexed form blocks: before the positions (where
    the index tensors stand side by side) or behind them. A result has the shape before + positions + after; when other
    dims lie between the index tensors, the positions come first, as in NumPy.
"""


from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t
from libc.string cimport memset

from wengert_core.dispatch.arguments cimport scalar_name, sizes_list
from wengert_core.dispatch.keep_alive cimport hold
from wengert_core.dispatch.op cimport OP_INPLACE, Op, op_error
from wengert_core.drivers.index.index_moves cimport MOVE_ADD, MOVE_READ, MOVE_WRITE, add_offsets, move
from wengert_core.drivers.index.masked_fill cimport store
from wengert_core.drivers.memory_overlap cimport (
    WRITES_APART, WRITES_IN_STEP, WRITES_SHARED, check_input, check_overlap, in_step
)
from wengert_core.drivers.references cimport call_reference, result_into
from wengert_core.drivers.steps cimport after_write, before_write, record
from wengert_core.dtypes.dtypes cimport (BFLOAT16, BOOL, CAT_COMPLEX, FLOAT16, FLOAT32, INT32, INT64, UINT8,
                                         DTypeFacts, dtype_facts, dtype_of)
from wengert_core.dtypes.dtypes import C_NAMES as _C_NAMES
from wengert_core.exchange.arrays cimport without_alias, array_of, convert_copy, copy_into
from wengert_core.exchange.copy_launch cimport tell_zeros
from wengert_core.exchange.device_memory cimport captures, runs_on_device, move_to_device, on_host, without_kernels
from wengert_core.runtime.config cimport ONLY_REFERENCES
from wengert_core.runtime.launches cimport count_recorders, tell_complete, tell_opaque
from wengert_core.runtime.state cimport WG_ON_DEVICE, WG_RECORD, WG_TELL, WgState, thread_state
from wengert_core.runtime.thread_pool cimport LARGE
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.memory_format cimport dense_strides, new_preserved, order_of
from wengert_core.tensors.tensor cimport (TF_CONTIGUOUS, Storage, Tensor, new_empty, new_empty_at, new_view,
                                          shape_tuple)

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX
    bint PyObject_IsTrue(object o) except -1

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()
cdef enum:
    WITHOUT_GIL = 0x8000               # from this many elements on the GIL is released


def configure(Op op, str what):
    """Make ``op`` index, index_put or index_put_."""
    op.run = index_run if what == "index" else index_put_run
    if not ONLY_REFERENCES:
        op.flags |= WRITES_SHARED          # what may overlap depends on the indices


# ---- planning

cdef list expanded_masks(Tensor t, object indices):
    """Return [(dim, int64 tensor, dims)]: 32-bit indices widened, with dims -1; a mask as byte offsets along its dims.

    A mask without dims lies before its dim and along none: it adds one of size 1 or 0, as in NumPy.
    """
    cdef list pairs = []
    cdef Tensor index
    cdef int dim = 0
    for i, item in enumerate(indices):
        if item is None:
            dim += 1
            continue
        if not isinstance(item, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(item).__name__}")
        index = item
        if index.code == UINT8:
            warn_user("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.")
            index = convert_copy(index, BOOL)
        if index.code == BOOL:
            check_mask(t, index, dim)
            pairs.append((dim, mask_offsets(t, index, dim), index.rank))
            dim += index.rank
        elif index.code == INT64 or index.code == INT32:
            pairs.append((dim, index if index.code == INT64 else convert_copy(index, INT64), -1))
            dim += 1
        else:
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    if dim > t.rank:
        raise IndexError(f"too many indices for tensor of dimension {t.rank} (got {dim}): its shape is "
                         f"{list(shape_tuple(t))}")
    return pairs


cdef Tensor mask_offsets(Tensor t, Tensor mask, int dim):
    """The byte offsets in t of the places where a mask is True that lies along dims dim, dim + 1, ..."""
    cdef Py_ssize_t n = 0
    cdef Tensor out
    tell_opaque()                      # the shape depends on values
    each_true(mask, t.dims + t.rank + dim, NULL, &n)
    out = new_empty(INT64, 1, &n)
    each_true(mask, t.dims + t.rank + dim, <Py_ssize_t*> out.data, &n)
    return out


cdef void each_true(Tensor mask, const Py_ssize_t* steps, Py_ssize_t* out, Py_ssize_t* n) noexcept:
    """Count a mask's True elements, and write their offsets by ``steps`` where out is not NULL."""
    cdef Py_ssize_t counter[64]
    cdef Py_ssize_t offset = 0, found = 0, _left
    cdef char* p = mask.data
    cdef int i
    for i in range(mask.rank):
        counter[i] = 0
    for _left in range(mask.count):
        if p[0]:
            if out != NULL:
                out[found] = offset
            found += 1
        i = mask.rank - 1
        while i >= 0:
            counter[i] += 1
            p += mask.dims[mask.rank + i]
            offset += steps[i]
            if counter[i] < mask.dims[i]:
                break
            p -= mask.dims[mask.rank + i] * mask.dims[i]
            offset -= steps[i] * mask.dims[i]
            counter[i] = 0
            i -= 1
    n[0] = found


cdef int check_mask(Tensor t, Tensor mask, int dim) except -1:
    cdef int i
    for i in range(mask.rank):
        if dim + i >= t.rank:
            raise IndexError(f"too many indices for tensor of dimension {t.rank}: a mask of shape "
                             f"{list(shape_tuple(mask))} stands at dimension {dim}")
        if mask.dims[i] != t.dims[dim + i]:
            raise IndexError(f"The shape of the mask {list(shape_tuple(mask))} at index {i} does not match the shape "
                             f"of the indexed tensor {list(shape_tuple(t))} at index {dim + i}")
    return 0


cdef int broadcast_indices(list pairs, Plan* plan) except -1:
    """The common shape of the index tensors."""
    cdef Tensor index
    cdef int i, rank = 0
    cdef Py_ssize_t size
    for _, index, _ in pairs:
        rank = max(rank, index.rank)
    plan.n_index, plan.n = rank, 1
    for i in range(rank):
        plan.index_shape[i] = 1
        for _, index, _ in pairs:
            if i < rank - index.rank:
                continue
            size = index.dims[i - rank + index.rank]
            if plan.index_shape[i] == 1:
                plan.index_shape[i] = size
            elif size != plan.index_shape[i] and size != 1:
                shapes = ", ".join([str(list(shape_tuple(<Tensor> index))) for _, index, _ in pairs])
                raise IndexError("shape mismatch: indexing tensors could not be broadcast together with shapes "
                                 f"{shapes} (see docs/errors/shape-mismatch)")
        plan.n *= plan.index_shape[i]
    return 0


cdef Tensor make_plan(Op op, Tensor t, object indices, Plan* plan):
    cdef list pairs = expanded_masks(t, indices)
    cdef Tensor owner, index
    cdef int i, first = t.rank, last = -1, dim, covered, n_indexed = 0
    cdef Py_ssize_t j
    cdef unsigned long long indexed = 0
    cdef bint empty = False
    broadcast_indices(pairs, plan)
    owner = new_empty(INT64, 1, &plan.n)
    plan.offsets = <Py_ssize_t*> owner.data
    for j in range(plan.n):
        plan.offsets[j] = 0
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_zeros(owner)
    for dim, _, covered in pairs:
        covered = abs(covered)
        for i in range(dim, dim + covered):
            indexed |= 1ULL << i
            n_indexed += 1
        last = max(last, dim + covered - 1)
        first = min(first, dim)
    plan.n_before = plan.n_after = 0
    for i in range(t.rank):
        if indexed >> i & 1:
            continue
        if i < first and last - first + 1 == n_indexed:
            plan.before[plan.n_before], plan.before_strides[plan.n_before] = t.dims[i], t.dims[t.rank + i]
            plan.n_before += 1
        else:
            plan.after[plan.n_after], plan.after_strides[plan.n_after] = t.dims[i], t.dims[t.rank + i]
            plan.n_after += 1
        empty = empty or t.dims[i] == 0
    for dim, index, covered in pairs:
        if covered and t.dims[dim] == 0 and plan.n:
            raise IndexError(f"index is out of bounds for dimension with size 0: dimension {dim}")
        if covered >= 0:
            add_offsets(plan, owner, index, PY_SSIZE_T_MAX, 1, dim)
        elif not empty:                # torch does not look at the positions of an empty result either
            add_offsets(plan, owner, index, t.dims[dim], t.dims[t.rank + dim], dim)
    return owner


cdef int result_shape(Plan* plan, Py_ssize_t* shape) except -1:
    cdef int i, n = 0
    if plan.n_before + plan.n_index + plan.n_after > 64:
        raise RuntimeError("indexing: the result would have more than 64 dimensions")
    for i in range(plan.n_before):
        shape[n + i] = plan.before[i]
    n = plan.n_before
    for i in range(plan.n_index):
        shape[n + i] = plan.index_shape[i]
    n += plan.n_index
    for i in range(plan.n_after):
        shape[n + i] = plan.after[i]
    return n + plan.n_after


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
        out = gather_elements(op, t, <object> slots[1])
    if live & WG_TELL:
        tell_complete(<void*> op)
    if live & WG_RECORD:
        record(op, slots, out, live)
    return out


cdef Tensor gather_elements(Op op, Tensor t, object indices):
    cdef Plan plan
    cdef Py_ssize_t shape[64]
    cdef Tensor owner = make_plan(op, t, indices, &plan)
    cdef int ndim = result_shape(&plan, shape)
    cdef Tensor out = new_empty(t.code, ndim, shape)
    if out.count:
        move(&plan, owner, hold(t) if out.count >= WITHOUT_GIL else t, out, MOVE_READ)
    return out if t.flags & TF_CONTIGUOUS or ndim < 2 else lay_out_result(&plan, out)


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


cdef Tensor plan_of(Op op, Tensor t, object indices, Plan* plan):
    """make_plan, with the index tensors in the host's memory: their values are looked at."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    if not runs_on_device():
        return make_plan(op, t, indices, plan)
    local = [plan_index(<Tensor> index) if isinstance(index, Tensor) and (<Tensor> index).device else index
             for index in indices]
    state.modes = modes & ~(<unsigned int> WG_ON_DEVICE)
    try:
        return make_plan(op, t, local, plan)
    finally:
        state.modes = modes


cdef Tensor index_by_reference(Op op, Tensor t, object indices):
    cdef Plan plan
    _owner = plan_of(op, t, indices, &plan)    # for its checks
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
        owner = plan_of(op, target, <object> slots[1], &plan)
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
