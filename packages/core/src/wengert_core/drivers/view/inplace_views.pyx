"""In-place changes of geometry: t_, squeeze_, as_strided_ ... change a tensor's own sizes and strides; resize_ and set_
its memory too.

Note [How geometry changes in place]
    The builder of the op without the underscore makes a view of the tensor, and the tensor takes over the view's
    geometry. What is recorded is that view op, of a stand-in with the tensor's geometry and history from before. No
    element was written: the base of a view has the history it had, and other views of that base find the version raised
    and make theirs anew.
"""
from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject
from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from wengert_core.devices.device import DEVICES as _DEVICES
from wengert_core.dispatch.arguments cimport int_slot, ints_slot
from wengert_core.dispatch.dispatcher cimport watch_only
from wengert_core.dispatch.hooks cimport Hooks, hooks
from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.resize cimport owner_in_chain, resize_to
from wengert_core.drivers.steps cimport after_write, guard_write, record_outputs, tangent_is_lost
from wengert_core.drivers.view.reshape cimport check_alignment
from wengert_core.drivers.view.slice cimport out_of_bounds
from wengert_core.drivers.view.view cimport checked_self, set_shortcuts, view_fn
from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts, dtype_of
from wengert_core.dtypes.dtypes import C_NAMES as _C_NAMES
from wengert_core.exchange.device_memory import owner_of
from wengert_core.geometry.size_math cimport extent, mul_add, numel
from wengert_core.runtime.state cimport (
    WG_ASK, WG_DUAL, WG_ON_DEVICE, WG_FOREIGN, WG_GRAD, WG_GUARD, WG_INFER, WG_RECORD, WgState, thread_state
)
from wengert_core.tensors.memory_format cimport (FORMAT_CHANNELS_LAST, FORMAT_CHANNELS_LAST_3D, FORMAT_CONTIGUOUS,
                                                 FORMAT_PRESERVE, Format, format_of, has_format, lay_out)
from wengert_core.tensors.memory_format import contiguous_format
from wengert_core.tensors.tensor cimport (TF_CONTIGUOUS, TF_INFERENCE, TF_VIEW, Storage, Tensor, alias,
                                          alias_fresh_version, bump_version, extra_of, link_versions, new_empty,
                                          new_on_memory, storage_of, strides_of, swap_contents, version_of)

cdef DTypeFacts* FACTS = dtype_facts()
cdef Hooks* HOOKS = hooks()


def configure(Op op, str way):
    """Make ``op`` change its first argument's geometry. way: "view" (out_of_place), "resize_", "resize_as_", "set_"."""
    if way == "view":
        op.data = op.out_of_place.data
        op.run = restride_run
        set_shortcuts(op)
    elif way == "resize_":
        op.run = resize_run
    elif way == "resize_as_":
        op.run = resize_as_run
        watch_only(op, 0)
    elif way == "set_":
        op.run = set_run
    else:
        raise ValueError(f"{op.name}: no way to change geometry is called {way!r}")


# ---- the geometry of a view

cdef object restride_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor t = checked_self(op, slots), view, before
    cdef PyObject* own[16]
    cdef PyObject* outs[1]
    cdef PyObject* keep = NULL
    cdef int i
    view = (<view_fn> op.data)(op, slots, t)
    guard_write(op, slots, t, live, &keep)
    Py_XDECREF(keep)
    before = with_history(t)
    swap_contents(t, view)
    bump_version(t)
    if before.flags & thread_state().modes & (WG_GRAD | WG_DUAL):
        for i in range(op.n_params):
            own[i] = slots[i]
        own[0], outs[0] = <PyObject*> before, <PyObject*> t
        record_view(op, own, outs, before.flags)
        t.attr_version = version_of(t)
    return t


cdef int record_view(Op op, PyObject** slots, PyObject** outs, uint32_t flags) except -1:
    """Record the change. Its tangent is that of the view op: no tangent changes its geometry in place."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    cdef Tensor t = <Tensor> outs[0]
    cdef PyObject* node
    try:
        if flags & modes & WG_DUAL:
            record_outputs(op.out_of_place, slots, outs, 1, WG_RECORD | modes & WG_ON_DEVICE)
            node, t.grad_fn = t.grad_fn, NULL    # the tangent has a gradient, so that was recorded, too
            Py_XDECREF(node)
        if flags & modes & WG_GRAD:
            state.modes = modes & ~(<unsigned int> WG_DUAL)
            record_outputs(op, slots, outs, 1, WG_RECORD | modes & WG_ON_DEVICE)
    finally:
        state.modes = modes
    return 0


cdef Tensor with_history(Tensor t):
    """A stand-in for t as it is now: its memory, geometry, place in the graph and tangent."""
    cdef Tensor other = alias(t)
    if t.flags & TF_VIEW and HOOKS.view_grad_fn != NULL:
        HOOKS.view_grad_fn(t)
    other.flags |= t.flags & WG_GRAD
    other.output_nr = t.output_nr
    if t.flags & WG_DUAL and t.extra != NULL and t.extra.tangent != NULL:
        other.flags |= WG_DUAL | WG_ASK
        extra_of(other).tangent = t.extra.tangent
        Py_INCREF(<object> t.extra.tangent)
    if t.grad_fn != NULL:
        Py_INCREF(<object> t.grad_fn)
        other.grad_fn = t.grad_fn
    return other


# ---- resize_

cdef object resize_run(Op op, PyObject** slots, uint32_t live):
    """resize_(self, size): the first elements of the memory, row-major; more memory where it does not suffice."""
    cdef Tensor t = checked_self(op, slots)
    cdef Py_ssize_t shape[64]
    cdef int ndim = ints_slot(op, slots, 1, shape)
    cdef int form = format_argument(op, slots[2])
    if form == FORMAT_PRESERVE:
        raise RuntimeError("Unsupported memory formatPreserve: resize_ has nothing to preserve; "
                           "use contiguous_format or channels_last")
    return resize_with_format(op, slots, t, ndim, shape, form)


cdef object resize_as_run(Op op, PyObject** slots, uint32_t live):
    """resize_as_(self, the_template): resize_ to another tensor's sizes."""
    cdef Tensor t = checked_self(op, slots)
    cdef Tensor template = <Tensor> slots[1]
    cdef int form = format_argument(op, slots[2])
    if form == FORMAT_PRESERVE:
        form = FORMAT_CONTIGUOUS
        if template.rank == 4 and not template.flags & TF_CONTIGUOUS and has_format(template, FORMAT_CHANNELS_LAST):
            form = FORMAT_CHANNELS_LAST
        elif template.rank == 5 and not template.flags & TF_CONTIGUOUS \
                and has_format(template, FORMAT_CHANNELS_LAST_3D):
            form = FORMAT_CHANNELS_LAST_3D
    return resize_with_format(op, slots, t, template.rank, template.dims, form)


cdef int format_argument(Op op, PyObject* memory_format) except -2:
    """The format that memory_format= asks for; -1: none."""
    if memory_format == NULL or memory_format == <PyObject*> None:
        return -1
    if type(<object> memory_format) is not type(contiguous_format):
        raise TypeError(f"{op.name}(): argument 'memory_format' must be torch.memory_format, not "
                        f"{type(<object> memory_format).__name__}")
    return <int> format_of(memory_format, FORMAT_CONTIGUOUS)


cdef object resize_with_format(Op op, PyObject** slots, Tensor t, int ndim, const Py_ssize_t* shape, int form):
    """t with these sizes, and the strides of a format where one is asked for."""
    cdef PyObject* keep = NULL
    cdef bint same = t.rank == ndim
    cdef int i
    if t.flags & TF_VIEW and HOOKS.view_grad_fn != NULL:
        HOOKS.view_grad_fn(t)
    if t.flags & WG_GRAD and not thread_state().modes & WG_INFER:
        raise RuntimeError("cannot resize variables that require grad")
    if tangent_is_lost(t):
        raise RuntimeError("cannot resize variables that has a forward grad: the tangent would keep its shape")
    for i in range(ndim):
        same = same and t.dims[i] == shape[i]
    if form == FORMAT_CHANNELS_LAST and ndim != 4 or form == FORMAT_CHANNELS_LAST_3D and ndim != 5:
        name = "channels_last" if form == FORMAT_CHANNELS_LAST else "channels_last_3d"
        raise RuntimeError(f"required rank {4 if form == FORMAT_CHANNELS_LAST else 5} tensor to use {name} format: "
                           f"{op.name} got {ndim} sizes")
    if same and (form < 0 or has_format(t, <Format> form)):
        return t
    if t.flags & TF_INFERENCE or thread_state().modes & WG_GUARD:
        guard_write(op, slots, t, 0, &keep)
        Py_XDECREF(keep)
    resize_to(t, ndim, shape)
    if form >= 0:
        lay_out(t, <Format> form)
    bump_version(t)
    return t


# ---- set_

cdef object set_run(Op op, PyObject** slots, uint32_t live):
    """set_(self, source): source's memory and geometry, with the version counter of self."""
    cdef Tensor t = checked_self(op, slots), given
    cdef PyObject* own[16]
    cdef PyObject* keep = NULL
    cdef Py_ssize_t none = 0
    if slots[3] == <PyObject*> None and (slots[4] != <PyObject*> None or <object> slots[2] != 0):
        raise TypeError("set_() received an invalid combination of arguments - got an offset or strides without sizes: "
                        "give (source, storage_offset, size, stride)")
    if <object> slots[1] is ...:       # left out, which None is not
        given = new_empty(t.code, 1, &none)
    elif isinstance(<object> slots[1], Tensor):
        if (<Tensor> slots[1]).code != t.code:
            raise RuntimeError(f"Could not set tensor of type {_C_NAMES[(<Tensor> slots[1]).code]} to a tensor of type "
                               f"{_C_NAMES[t.code]}")
        given = alias_fresh_version(<Tensor> slots[1])
        if slots[3] != <PyObject*> None:
            given = None               # it would look into memory that may have to grow
            given = part_of(op, slots, t, storage_argument(slots[1], t.code))
            check_storage_device(given, t)
    elif storage_argument(slots[1], t.code) is not None:
        given = part_of(op, slots, t, storage_argument(slots[1], t.code))
        check_storage_device(given, t)
    else:
        raise TypeError("set_() received an invalid combination of arguments - got "
                        f"({type(<object> slots[1]).__name__}): give a tensor, a storage, or nothing")
    if slots[3] != <PyObject*> None:   # a part of the memory, whose history is none of the source's
        memcpy(own, slots, op.n_params * sizeof(PyObject*))
        own[1] = <PyObject*> Ellipsis
        slots = own
    guard_write(op, slots, t, live, &keep)
    # The views of the memory that is left keep the counter: Note [Version counters]
    if (<PyObject*> t.storage).ob_refcnt > 1:
        link_versions(t.storage, given.storage)
    storage_of(given).version = version_of(t)
    swap_contents(t, given)
    if t.extra != NULL:
        t.extra.accumulate = NULL      # borrowed. Graphs recorded before keep theirs, with the shape of then
    after_write(op, slots, t, live, keep)
    return t


cdef object storage_argument(PyObject* source, int code):
    """Return the UntypedStorage of a tensor or storage; None for anything else. RuntimeError for another dtype."""
    from wengert_core.api.untyped_storage import source_of
    return source_of(<object> source, dtype_of(code))


cdef Tensor part_of(Op op, PyObject** slots, Tensor t, object untyped):
    """A tensor in an UntypedStorage: all of it, or with the offset, sizes and strides of the slots.

    The storage grows where that is needed, unless the sizes and strides are what t has, as torch has it.
    """
    cdef Tensor memory = untyped._memory, made
    cdef bint same
    cdef int code = t.code
    cdef Py_ssize_t shape[64]
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t itemsize = FACTS.itemsize[code], offset = int_slot(op, slots, 2), end, step = 1
    cdef int i, n_strides, ndim = 1
    if slots[3] == <PyObject*> None:
        shape[0] = memory.count // itemsize - offset
    else:
        ndim = ints_slot(op, slots, 3, shape)
    for i in range(ndim - 1, -1, -1):
        strides[i] = step
        step = mul_add("set_", step, shape[i] if shape[i] > 1 else 1, 0)
    if slots[4] != <PyObject*> None:
        n_strides = ints_slot(op, slots, 4, strides)
        if n_strides != ndim:
            raise RuntimeError(f"unequal size length ({ndim}) and stride length ({n_strides}) given to set_()")
    for i in range(ndim):
        if shape[i] < 0 or strides[i] < 0 or offset < 0:
            raise RuntimeError("set_(): sizes, strides and the offset must not be negative, got sizes "
                               f"{[shape[k] for k in range(ndim)]}, "
                               f"strides {[strides[k] for k in range(ndim)]}, offset {offset}")
    numel(ndim, shape)
    end = extent(ndim, shape, strides, offset, itemsize)
    if end > memory.count:
        same = ndim == t.rank
        for i in range(ndim):
            same = same and shape[i] == t.dims[i] and strides[i] * itemsize == strides_of(t)[i]
        if same:
            raise out_of_bounds(ndim, shape, strides, offset, itemsize, end, memory.count)
        memory = None                  # which is one more reference to the Storage that grows
        untyped.resize_(end)
        memory = untyped._memory
    offset = mul_add("set_", offset, itemsize, 0)
    if not t.device and end:
        check_alignment("set_", code, memory.data + offset)
    cdef Storage storage = storage_of(memory)
    for i in range(ndim):
        strides[i] *= itemsize
    made = new_on_memory(code, ndim, shape, strides, memory.data + offset, storage.data, storage.nbytes,
                         owner_in_chain(storage))
    storage_of(made).readonly, storage_of(made).birth = storage.readonly, storage.birth
    return made


cdef int check_storage_device(Tensor given, Tensor t) except -1:
    """Note that a tensor made of a storage is on t's device. RuntimeError where the storage is the host's and t is not,
    or so.
    """
    cdef bint away = hasattr(owner_of(given), "address")        # a device's memory has one: DevicePlugin.allocate
    if away != (t.device != 0):
        raise RuntimeError(f'Attempted to set the storage of a tensor on device "{_DEVICES[t.device]}" to a storage on '
                           f'different device "{"a device" if away else "cpu"}". This is no longer allowed; '
                           'the devices must match.')
    if away:
        given.device = t.device
        given.flags |= WG_FOREIGN
    return 0
