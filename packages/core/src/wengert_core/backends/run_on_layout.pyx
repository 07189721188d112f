"""Operations on tensors of other layouts than strided: before those of other devices in the Note [Order of hooks].

Loaded with the first layout. Which plugin runs an operation is asked here; how it computes is the plugin's.
"""
cimport cython
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.stdint cimport uint32_t

from wengert_core.dispatch.hooks cimport Hooks, hooks
from wengert_core.dispatch.op cimport OP_INPLACE, Op
from wengert_core.drivers.out_argument cimport into_out
from wengert_core.drivers.steps cimport after_write, before_write, record, record_outputs
from wengert_core.exchange.arrays cimport copy_into, without_alias
from wengert_core.layouts.components cimport take_over
from wengert_core.messages.owners import table_of
from wengert_core.runtime.pyobject cimport not_made_by_hand
from wengert_core.runtime.state cimport WG_DUAL, WG_GRAD, WG_RECORD, WgState, thread_state
from wengert_core.tensors.tensor cimport (TF_VIEW, Tensor, alias, alias_components, bump_version, forget_writes,
                                          home_device, is_strided, shape_tuple)

from wengert_core.devices import device as _device
from wengert_core.devices.layout import LAYOUTS, layout, strided
from wengert_core.layouts.lookup import plugin_for
from wengert_core.messages.mismatches import device_error

cdef Hooks* HOOKS = hooks()
cdef list PLUGIN_DEVICES = _device.PLUGIN_DEVICES
cdef object LAYOUT = layout
# Ops that need nothing of a layout.
cdef frozenset ALIASES = frozenset(("alias", "_fw_primal"))


cdef object plugin_at(unsigned int device_number):
    return PLUGIN_DEVICES[device_number][0].plugin


cdef object find(object table, str name):
    """A function of a plugin's table; None where it has none."""
    cdef PyObject* found
    if type(table) is not dict:
        return table.get(name)
    found = PyDict_GetItemWithError(table, name)
    return None if found == NULL else <object> found


@cython.binding(False)
cdef class Participants:
    """The tensors of a call, and the plugins of their layouts, each once, in the arguments' order."""

    cdef list tensors
    cdef list plugins
    cdef unsigned int known                # the device number whose plugin came last

    cdef int note(self, Tensor t) except -1:
        self.tensors.append(t)
        if t.device != self.known and not is_strided(t):
            self.known = t.device
            self.add(plugin_at(t.device))
        return 0

    cdef int add(self, object plugin) except -1:
        if plugin not in self.plugins:
            self.plugins.append(plugin)
        return 0


cdef object run_on_layout(Op op, PyObject** slots, uint32_t live):
    """Run an operation by the plugin of one of its arguments' layouts; hand it on where all are strided."""
    cdef Participants participants = Participants.__new__(Participants)
    cdef int i
    cdef PyObject* value
    participants.tensors, participants.plugins, participants.known = [], [], 0
    for i in range(op.n_params):
        value = slots[i]
        if value == NULL or value == <PyObject*> None:
            continue
        if isinstance(<object> value, Tensor):
            participants.note(<Tensor> value)
        elif isinstance(<object> value, (tuple, list)):
            for item in <object> value:
                if isinstance(item, Tensor):
                    participants.note(<Tensor> item)
        elif type(<object> value) is LAYOUT and <object> value is not strided and op.family == "factory":
            participants.add(plugin_for(<object> value))
    if not participants.plugins:
        if HOOKS.run_on_device == NULL:
            raise RuntimeError(f"{op.name}: a tensor or mode that no installed package handles (live bits {live})")
        return HOOKS.run_on_device(op, slots, live)
    if op.name in ALIASES:
        return make_alias(op, slots, live)
    check_devices(op, participants.tensors)
    return run_by_plugins(op, slots, live, participants)


cdef Tensor make_alias(Op op, PyObject** slots, uint32_t live):
    """The same components as a tensor of its own."""
    cdef Tensor out = alias_components(<Tensor> slots[0])
    record(op, slots, out, live)
    return out


cdef int check_devices(Op op, list tensors) except -1:
    """RuntimeError for components on several devices. A strided number without dims may be on the host."""
    cdef Tensor t, first = None
    for t in tensors:
        if is_strided(t) and t.device == 0 and t.rank == 0:
            continue
        if first is None:
            first = t
        elif home_device(t.device) != home_device(first.device) and op.name not in ("copy_", "_to_copy"):
            raise device_error(op.name, (shape_tuple(first), _device.DEVICES[first.device]),
                               (shape_tuple(t), _device.DEVICES[t.device]))
    return 0


cdef tuple arguments_of(Op op, PyObject** slots):
    """The arguments of a call but ``out``."""
    cdef int i, k = 0
    cdef tuple arguments = PyTuple_New(op.n_params - (op.out_slot >= 0))
    for i in range(op.n_params):
        if i != op.out_slot:
            value = <object> slots[i]
            Py_INCREF(value)
            PyTuple_SET_ITEM(arguments, k, value)
            k += 1
    return arguments


cdef object run_by_plugins(Op op, PyObject** slots, uint32_t live, Participants participants):
    cdef tuple arguments = arguments_of(op, slots)
    cdef str name = op.name if op.out_of_place is None else op.out_of_place.name
    for plugin in participants.plugins:
        kernels = plugin.kernels
        function = find(plugin.functions, op.name)
        if function is not None and (live & WG_RECORD or find(kernels, name) is None):
            found = function(*arguments)
            if found is not NotImplemented:
                return with_out(op, slots, found, live)
        writes = find(kernels, op.name) if op.flags & OP_INPLACE else None
        if writes is not None:
            found = write_by_kernel(op, slots, live, writes, arguments)
        else:
            kernel = find(kernels, name)
            if kernel is None:
                continue
            found = run_kernel(op, slots, live, kernel, arguments)
        if found is not NotImplemented:
            return found
    if op.family == "staged":          # made of operations that are asked again
        return op.run(op, slots, live)
    raise participants.plugins[0].missing(op, [LAYOUTS.get((<Tensor> t).device, strided) for t in participants.tensors])


cdef object with_out(Op op, PyObject** slots, object found, uint32_t live):
    """A function's result; in the tensor given as out=, where there is one."""
    if op.out_slot < 0 or slots[op.out_slot] == <PyObject*> None or not isinstance(found, Tensor):
        return found
    return write_out(op, slots, <Tensor> found, live)


cdef object write_out(Op op, PyObject** slots, Tensor result, uint32_t live):
    cdef Tensor target
    if isinstance(<object> slots[op.out_slot], Tensor) and not is_strided(<Tensor> slots[op.out_slot]):
        target = <Tensor> slots[op.out_slot]
        if target.device != result.device or target.code != result.code or target.rank != result.rank:
            raise RuntimeError(f"{op.name}: out= has the layout {LAYOUTS[target.device]!r}, the dtype "
                               f"{(<object> target).dtype!r} and {target.rank} dims; the result has the layout "
                               f"{LAYOUTS.get(result.device, strided)!r}, the dtype {(<object> result).dtype!r} and "
                               f"{result.rank} dims")
        take_over(target, result)
        bump_version(target)
        return target
    if not is_strided(result):
        raise RuntimeError(f"{op.name}: out= is strided, the result has the layout {LAYOUTS[result.device]!r}")
    return into_out(op, slots, result, live)


cdef object call_unrecorded(object kernel, tuple arguments):
    """A kernel's result, computed with recording off."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    state.modes = modes & ~(<unsigned int> (WG_GRAD | WG_DUAL))
    try:
        return kernel(*arguments)
    finally:
        state.modes = modes


cdef Tensor own(Op op, PyObject** slots, object found):
    """A kernel's result, as a tensor that may be given a history. RuntimeError for anything that is none."""
    cdef Tensor t
    cdef int i
    if not isinstance(found, Tensor):
        raise RuntimeError(f"{op.name}: the kernel of a layout plugin returned an object of type "
                           f"{type(found).__name__}, expected a Tensor (the operation is in {table_of(op.owner)})")
    t = <Tensor> found
    for i in range(op.n_params):
        if slots[i] == <PyObject*> found:
            return alias(t)
    return alias(t) if t.flags & (TF_VIEW | WG_GRAD) else t


cdef object run_kernel(Op op, PyObject** slots, uint32_t live, object kernel, tuple arguments):
    """Compute, and record as the operation."""
    cdef PyObject* outs[8]
    cdef Tensor result
    cdef tuple several
    found = call_unrecorded(kernel, arguments)
    if found is NotImplemented:
        return found
    if isinstance(found, tuple):
        if len(found) != len(op.outputs):
            raise RuntimeError(f"{op.name}: the kernel of a layout plugin returned {len(found)} tensors, expected "
                               f"{len(op.outputs)}")
        several = tuple([own(op, slots, each) for each in found])
        for i, each in enumerate(several):
            outs[i] = <PyObject*> each
        record_outputs(op, slots, outs, <int> len(several), live)
        return several
    result = own(op, slots, found)
    found = None
    if op.flags & OP_INPLACE:
        return write_in_place(op, slots, result, live)
    forget_writes(result)
    if op.out_slot >= 0 and slots[op.out_slot] != <PyObject*> None:
        return write_out(op, slots, result, live)
    if live:
        record(op, slots, result, live)
    return result


cdef object write_in_place(Op op, PyObject** slots, Tensor result, uint32_t live):
    """The in-place variant: the result becomes the first argument's contents."""
    cdef Tensor target = <Tensor> slots[0]
    cdef PyObject* keep = NULL
    if result.device != target.device or result.code != target.code:
        raise RuntimeError(f"{op.name}: the result is of layout {LAYOUTS.get(result.device, strided)!r} and dtype "
                           f"{(<object> result).dtype!r}, the tensor that it should be written to of layout "
                           f"{LAYOUTS.get(target.device, strided)!r} and dtype {(<object> target).dtype!r}. Call "
                           f"{op.name.rstrip('_')}() instead")
    if shape_tuple(result) != shape_tuple(target):
        raise RuntimeError(f"Bad in-place call: input tensor size {list(shape_tuple(target))} and output tensor size "
                           f"{list(shape_tuple(result))} should match")
    before_write(op, slots, target, live, &keep)
    if is_strided(target):
        copy_into(target, without_alias(result, target))
    else:
        take_over(target, result)
    after_write(op, slots, target, live, keep)
    return target


cdef object write_by_kernel(Op op, PyObject** slots, uint32_t live, object kernel, tuple arguments):
    """A kernel that writes to the first argument itself."""
    cdef Tensor target = <Tensor> slots[0]
    cdef PyObject* keep = NULL
    before_write(op, slots, target, live, &keep)
    try:
        found = call_unrecorded(kernel, arguments)
    except BaseException:
        Py_XDECREF(keep)
        raise
    if found is NotImplemented:
        Py_XDECREF(keep)
        return found
    after_write(op, slots, target, live, keep)
    return target


not_made_by_hand(<PyTypeObject*> Participants)
HOOKS.run_on_layout = run_on_layout
