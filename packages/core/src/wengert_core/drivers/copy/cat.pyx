"""The driver of what makes one tensor of several, or of several times one: cat, stack, repeat.

Each part is copied into its place in the result: as whole stretches of memory where both sides allow it, else by
strides.
"""

from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from wengert_core.dispatch.arguments cimport PyLong_CheckExact, int_slot, ints_slot, scalar_name, sizes_list, wrap_dim
from wengert_core.dispatch.dispatcher cimport dispatch
from wengert_core.dispatch.keep_alive cimport hold, hold_if_large
from wengert_core.dispatch.op cimport Op, call_bound, op_error
from wengert_core.drivers.memory_overlap cimport WRITES_APART
from wengert_core.drivers.out_argument cimport into_out
from wengert_core.drivers.references cimport call_reference, result_into
from wengert_core.drivers.steps cimport can_cast, record
from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.exchange.arrays cimport array_of, convert_copy
from wengert_core.exchange.copy_launch cimport tell_copy
from wengert_core.exchange.device_memory cimport without_kernels
from wengert_core.exchange.restore_format cimport is_channels_last, with_channels_last
from wengert_core.geometry.size_math cimport mul_add, mul_overflows
from wengert_core.kernels.pointwise.strided cimport cast_strided, copy_large, copy_strided
from wengert_core.runtime.launches cimport count_recorders, tell_complete
from wengert_core.runtime.state cimport WG_TELL, thread_state
from wengert_core.runtime.thread_pool cimport LARGE
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor, new_empty, shape_tuple

cdef extern from "Python.h":
    bint PyTuple_Check(PyObject* o) noexcept
    bint PyList_CheckExact(PyObject* o) noexcept
    bint PyTuple_CheckExact(PyObject* o) noexcept
    bint PyList_Check(PyObject* o) noexcept
    Py_ssize_t PyTuple_GET_SIZE(PyObject* o) noexcept
    Py_ssize_t PyList_GET_SIZE(PyObject* o) noexcept
    PyObject* PyTuple_GET_ITEM(PyObject* o, Py_ssize_t i) noexcept
    PyObject* PyList_GET_ITEM(PyObject* o, Py_ssize_t i) noexcept

cdef enum:
    STRETCH = 64                       # bytes from which on a stretch is worth a memcpy of its own

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()


def configure(Op op, str way):
    """Make ``op`` the joining op called ``way``."""
    op.run = repeat_run
    if way != "repeat":
        op.run = cat_run if way == "cat" else stack_run
        op.call1, op.call2 = call_one, call_two
        op.flags |= WRITES_APART


cdef object call_one(Op op, PyObject* tensors):
    cdef PyObject* slots[16]
    if not PyTuple_CheckExact(tensors) and not PyList_CheckExact(tensors):
        return call_bound(op, &tensors, 1, NULL)
    slots[0], slots[1], slots[2] = tensors, op.defaults[1], op.defaults[2]
    return dispatch(op, slots)


cdef object call_two(Op op, PyObject* tensors, PyObject* dim):
    cdef PyObject* slots[16]
    slots[0], slots[1] = tensors, dim
    if not PyLong_CheckExact(dim) or not PyTuple_CheckExact(tensors) and not PyList_CheckExact(tensors):
        return call_bound(op, slots, 2, NULL)
    slots[2] = op.defaults[2]
    return dispatch(op, slots)


# ---- the sequence in slot 0

cdef inline Py_ssize_t count_of(PyObject* tensors) noexcept:
    return PyTuple_GET_SIZE(tensors) if PyTuple_Check(tensors) else PyList_GET_SIZE(tensors)


cdef inline PyObject* item_of(PyObject* tensors, Py_ssize_t i) noexcept:
    return PyTuple_GET_ITEM(tensors, i) if PyTuple_Check(tensors) else PyList_GET_ITEM(tensors, i)


cdef int look_at(Op op, PyObject* tensors, Py_ssize_t n, int* code) except -1:
    """The common dtype; TypeError when something is no tensor."""
    cdef Py_ssize_t i
    cdef PyObject* item
    code[0] = -1
    for i in range(n):
        item = item_of(tensors, i)
        if not isinstance(<object> item, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(<object> item).__name__}")
        code[0] = (<Tensor> item).code if code[0] < 0 else FACTS.promote[code[0]][(<Tensor> item).code]
    return 0


# ---- cat and stack

cdef inline bint is_skipped(Tensor t) noexcept:
    """A 1-d tensor without elements fits everywhere, by an old rule of torch."""
    return t.rank == 1 and t.dims[0] == 0


cdef object cat_run(Op op, PyObject** slots, uint32_t live):
    cdef PyObject* own[16]
    cdef object parts = fixed_parts(slots)
    cdef PyObject* tensors = <PyObject*> parts
    cdef Py_ssize_t n = count_of(tensors), i
    cdef Py_ssize_t shape[64]
    cdef int code, dim, k
    cdef Tensor t, first = None
    if tensors != slots[0]:
        own[0], own[1], own[2] = tensors, slots[1], slots[2]
        slots = own
    if n == 0:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    look_at(op, tensors, n, &code)
    for i in range(n):
        t = <Tensor> item_of(tensors, i)
        if t.rank == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated: "
                               "stack() joins numbers")
        if first is None and not is_skipped(t):
            first = t
    if first is None:
        first = <Tensor> item_of(tensors, 0)
        dim = 0                            # of vectors without elements only: as in torch, any dim will do
        int_slot(op, slots, 1)
    else:
        dim = wrap_dim(int_slot(op, slots, 1), first.rank)
    for k in range(first.rank):
        shape[k] = first.dims[k]
    shape[dim] = 0
    for i in range(n):
        t = <Tensor> item_of(tensors, i)
        if not is_skipped(t):
            check_fits(op, first, t, dim, i)
            shape[dim] = mul_add(op.name, 1, t.dims[dim], shape[dim])
    return join_parts(op, slots, n, code, first.rank, shape, dim, False, live)


cdef int check_fits(Op op, Tensor first, Tensor t, int dim, Py_ssize_t i) except -1:
    cdef int k
    if t.rank != first.rank:
        raise RuntimeError(f"Tensors must have same number of dimensions: got {first.rank} and {t.rank}: shapes "
                           f"{list(shape_tuple(first))} and, at position {i}, {list(shape_tuple(t))}")
    for k in range(first.rank):
        if k != dim and t.dims[k] != first.dims[k]:
            raise RuntimeError(f"Sizes of tensors must match except in dimension {dim}. Expected size {first.dims[k]} "
                               f"but got size {t.dims[k]} for tensor number {i} in the list. {op.name}: its shape is "
                               f"{list(shape_tuple(t))}, that of the first {list(shape_tuple(first))}")
    return 0


cdef object stack_run(Op op, PyObject** slots, uint32_t live):
    cdef PyObject* own[16]
    cdef object parts = fixed_parts(slots)
    cdef PyObject* tensors = <PyObject*> parts
    cdef Py_ssize_t n = count_of(tensors), i
    cdef Py_ssize_t shape[65]
    cdef int code, dim, k
    cdef bint same
    cdef Tensor t, first
    if tensors != slots[0]:
        own[0], own[1], own[2] = tensors, slots[1], slots[2]
        slots = own
    if n == 0:
        raise RuntimeError("stack expects a non-empty TensorList")
    look_at(op, tensors, n, &code)
    first = <Tensor> item_of(tensors, 0)
    dim = wrap_dim(int_slot(op, slots, 1), first.rank + 1)
    for i in range(1, n):
        t = <Tensor> item_of(tensors, i)
        same = t.rank == first.rank
        for k in range(first.rank):
            same = same and t.dims[k] == first.dims[k]
        if not same:
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {list(shape_tuple(first))} at "
                               f"entry 0 and {list(shape_tuple(t))} at entry {i}")
    if first.rank >= 64:
        raise RuntimeError("stack: a tensor has at most 64 dimensions")
    for k in range(first.rank):
        shape[k + (k >= dim)] = first.dims[k]
    shape[dim] = n
    return join_parts(op, slots, n, code, first.rank + 1, shape, dim, True, live)


cdef inline object fixed_parts(PyObject** slots):
    """The sequence, as a tuple where dim's __index__ could change a list."""
    return <object> slots[0] if PyLong_CheckExact(slots[1]) else tuple(<object> slots[0])


cdef object join_parts(
    Op op, PyObject** slots, Py_ssize_t n, int code, int ndim, Py_ssize_t* shape, int dim, bint stacked, uint32_t live
):
    """The result of cat or stack: ``stacked`` parts have one dim less."""
    cdef Tensor out
    if isinstance(<object> slots[2], Tensor) and not can_cast(code, (<Tensor> slots[2]).code):
        raise TypeError(f"torch.{op.name}(): input types can't be cast to the desired output type "
                        f"{scalar_name((<Tensor> slots[2]).code)}")
    out = new_empty(code, ndim, shape)
    if out.count:
        if without_kernels():
            by_reference(op, slots, code, out)
        else:
            # Another thread may change a list while the GIL is given up.
            parts = tuple(<object> slots[0]) if out.count >= LARGE else <object> slots[0]
            copy_all_into(<PyObject*> parts, n, dim, stacked, out)
    if not stacked and (ndim == 4 or ndim == 5) and all_channels_last(slots[0], n):
        out = with_channels_last(out)
    if slots[2] != <PyObject*> None:
        given = into_out(op, slots, out, live)
        if live & WG_TELL:
            tell_complete(<void*> op)
        return given
    if live:
        if live & WG_TELL:
            tell_complete(<void*> op)
        record(op, slots, out, live)
    return out


cdef bint all_channels_last(PyObject* tensors, Py_ssize_t n):
    cdef Py_ssize_t i
    for i in range(n):
        if not is_channels_last(<Tensor> item_of(tensors, i)):
            return False
    return True


cdef int by_reference(Op op, PyObject** slots, int code, Tensor out) except -1:
    cdef Tensor t
    arrays = []
    for item in <object> slots[0]:
        t = <Tensor> item
        if op.name == "stack" or not is_skipped(t):
            arrays.append(array_of(t if t.code == code else convert_copy(t, code)))
    return result_into(op, call_reference(op, [arrays, <object> slots[1]]), out)


cdef int copy_all_into(PyObject* tensors, Py_ssize_t n, int dim, bint stacked, Tensor out) except -1:
    """Copy each tensor into its part of ``out``, which is contiguous."""
    cdef Py_ssize_t i, outer = 1, inner = FACTS.itemsize[out.code], offset = 0, chunk
    cdef int k
    cdef Tensor t
    for k in range(dim):
        outer *= out.dims[k]
    for k in range(dim + 1, out.rank):
        inner *= out.dims[k]
    for i in range(n):
        t = <Tensor> item_of(tensors, i)
        if t.count:
            chunk = inner if stacked else inner * t.dims[dim]
            if out.count >= LARGE:
                check_part_device(t, out, dim, stacked, offset + chunk, inner * out.dims[dim])
            copy_into(t, out, dim, stacked, offset, outer, chunk, inner * out.dims[dim])
            if RECORDERS[0] and thread_state().modes & WG_TELL:
                tell_part(t, out, dim, stacked, offset)
            offset += chunk
    return 0


cdef int tell_part(Tensor t, Tensor out, int dim, bint stacked, Py_ssize_t offset) except -1:
    cdef Py_ssize_t strides[64]
    cdef int k
    for k in range(t.rank):
        strides[k] = out.dims[out.rank + k + (stacked and k >= dim)]
    return tell_copy(out.data + offset, strides, out.code, t.data, t.dims + t.rank, t.code, t.dims, t.rank,
                     t.count >= LARGE)


cdef int check_part_device(Tensor t, Tensor out, int dim, bint stacked, Py_ssize_t end, Py_ssize_t step) except -1:
    """Raise RuntimeError where another thread has reshaped a part since out was made: earlier parts gave up the GIL."""
    cdef int k
    cdef bint fits = t.rank + stacked == out.rank and end <= step
    for k in range(t.rank if fits else 0):
        fits = fits and (t.dims[k] == out.dims[k + (stacked and k >= dim)] or (k == dim and not stacked))
    if not fits:
        raise RuntimeError(f"a tensor was given the shape {list(shape_tuple(t))} by another thread while it was copied "
                           f"into one of shape {list(shape_tuple(out))}")
    return 0


cdef int copy_into(
    Tensor t, Tensor out, int dim, bint stacked, Py_ssize_t offset, Py_ssize_t outer, Py_ssize_t chunk, Py_ssize_t step
) except -1:
    """Copy t to ``offset`` bytes from the start; out has ``outer`` stretches of ``step`` bytes, t's part of each is
    ``chunk`` bytes.
    """
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t i
    cdef int k
    cdef char* target = out.data + offset
    cdef char* source = t.data
    if t.count < LARGE and t.code == out.code and t.flags & TF_CONTIGUOUS and (outer == 1 or chunk >= STRETCH):
        for i in range(outer):
            memcpy(target + i * step, source + i * chunk, chunk)
        return 0
    t = hold_if_large(t)
    for k in range(t.rank):
        strides[k] = out.dims[out.rank + k + (stacked and k >= dim)]
    if t.count >= LARGE:
        with nogil:
            copy_large(target, strides, out.code, source, t.dims + t.rank, t.code, t.dims, t.rank)
    elif t.code == out.code:
        copy_strided(target, strides, source, t.dims + t.rank, t.dims, t.rank, FACTS.itemsize[t.code])
    else:
        cast_strided(target, strides, out.code, source, t.dims + t.rank, t.code, t.dims, t.rank)
    return 0


# ---- repeat

cdef object repeat_run(Op op, PyObject** slots, uint32_t live):
    """The tensor several times along each dim; new dims in front."""
    cdef Tensor t, out
    cdef Py_ssize_t repeats[64]
    cdef Py_ssize_t shape[64]
    cdef int n, i, extra
    if not isinstance(<object> slots[0], Tensor):
        raise op_error(op, 0, "Tensor", slots[0])
    t = <Tensor> slots[0]
    n = ints_slot(op, slots, 1, repeats)
    extra = n - t.rank
    if extra < 0:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of "
                           f"tensor: repeat got {sizes_list(n, repeats)} for the shape {list(shape_tuple(t))}")
    for i in range(n):
        if mul_overflows(repeats[i], t.dims[i - extra] if i >= extra else 1, &shape[i]):
            if repeats[i] > 0:
                raise RuntimeError(f"repeat: a size overflows: sizes {list(shape_tuple(t))}, repeats "
                                   f"{sizes_list(n, repeats)}")
            shape[i] = repeats[i]      # negative as the product is
    for i in range(n):
        if shape[i] < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {shape[i]}: {sizes_list(n, shape)}")
    out = new_empty(t.code, n, shape)
    if out.count:
        if without_kernels():
            result_into(op, call_reference(op, [array_of(t), tuple(sizes_list(n, repeats))]), out)
        else:
            tile_into(t, out, repeats)
    if live:
        if live & WG_TELL:
            tell_complete(<void*> op)
        record(op, slots, out, live)
    return out


cdef int tile_into(Tensor t, Tensor out, Py_ssize_t* repeats) except -1:
    """Copy t to all its places: each dim of out is two, the repeats and t's own; dims of one place are left out."""
    cdef Py_ssize_t sizes[128]
    cdef Py_ssize_t from_strides[128]
    cdef Py_ssize_t to_strides[128]
    cdef int i, k, n = 0, extra = out.rank - t.rank
    for i in range(out.rank):
        k = i - extra
        if repeats[i] != 1:
            sizes[n], from_strides[n] = repeats[i], 0
            to_strides[n] = out.dims[out.rank + i] * (t.dims[k] if k >= 0 else 1)
            n += 1
        if k >= 0 and t.dims[k] != 1:
            sizes[n], from_strides[n], to_strides[n] = t.dims[k], t.dims[t.rank + k], out.dims[out.rank + i]
            n += 1
    if n > 64:
        raise RuntimeError(f"repeat: {n} dims of repeats and sizes are more than the 64 that a copy can have")
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_copy(out.data, to_strides, out.code, t.data, from_strides, t.code, sizes, n, out.count >= LARGE)
    if out.count < LARGE:
        copy_strided(out.data, to_strides, t.data, from_strides, sizes, n, FACTS.itemsize[t.code])
        return 0
    t = hold(t)
    with nogil:
        copy_strided(out.data, to_strides, t.data, from_strides, sizes, n, FACTS.itemsize[t.code])
    return 0
