"""Operations on tensors of other devices: the last in the Note [Order of hooks]. Loaded with the first device.

Which device an operation runs on, and whether its tensors go together; moves. How it runs there is in run_on.pyx,
what makes tensors in create.pyx, what records in record_notes.pyx; the whole is Note [Drivers for other devices] in
exchange/device_memory.pxd.
"""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.backends.create cimport make_on_device
from wengert_core.backends.run_on cimport pinned_copy_target, empty_preserved, run_at
from wengert_core.dispatch.hooks cimport hooks
from wengert_core.dispatch.op cimport OP_INPLACE, Op, find_op
from wengert_core.drivers.steps cimport record
from wengert_core.dtypes.dtypes cimport BOOL, CAT_COMPLEX, DTypeFacts, dtype_facts
from wengert_core.exchange.arrays cimport copy_into
from wengert_core.exchange.from_data cimport dtype_code
from wengert_core.runtime.state cimport WG_BATCHED, thread_state
from wengert_core.messages.mismatches import device_error
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor cimport Tensor, shape_tuple

from wengert_core.backends import record_notes as _notes
from wengert_core.devices import device as _device
from wengert_core.exchange import device_memory as _device_memory

cdef DTypeFacts* FACTS = dtype_facts()
cdef list DEVICES = _device.DEVICES
cdef list PLUGIN_DEVICES = _device.PLUGIN_DEVICES
cdef Op TO_COPY = find_op("_to_copy")
cdef object YES = True
cdef Op COPY_ = find_op("copy_")
# Families in which a tensor of the host without dims stands for its number.
cdef tuple SCALARS_MIX = ("pointwise", "composite", "indexing")


# ---- which device

cdef object different(Op op, Tensor a, Tensor b):
    """torch's error, foreign device first."""
    if a.device == 0:
        a, b = b, a
    return device_error(op.name, (shape_tuple(a), DEVICES[a.device]), (shape_tuple(b), DEVICES[b.device]))


cdef list tensors_of(Op op, PyObject** slots):
    """The tensors among the arguments, with the slots they stand in."""
    cdef int i
    found = []
    for i in range(op.n_params):
        if slots[i] == NULL:
            continue
        value = <object> slots[i]
        if isinstance(value, Tensor):
            found.append((i, value))
        elif isinstance(value, (tuple, list)):
            found.extend([(i, item) for item in value if isinstance(item, Tensor)])
    return found


cdef unsigned int device_number_of(Op op, PyObject** slots) except? 0xffff:
    """Return the device number that the operation runs on. RuntimeError where the tensors' devices do not agree."""
    cdef Tensor t, first = None
    if op.name == "copy_" or op.name == "fill_":
        return (<Tensor> slots[0]).device
    found = tensors_of(op, slots)
    is_index = op.name in ("index", "index_put", "index_put_")
    for i, item in found:
        t = <Tensor> item
        if t.device == 0 and (t.rank == 0 and op.family in SCALARS_MIX and i != op.out_slot
                              and not (i == 0 and op.flags & OP_INPLACE)
                              or is_index and i == 1):
            continue
        if first is None:
            first = t
        elif t.device != first.device:
            if is_index and i == 1:
                raise RuntimeError("indices should be either on cpu or on the same device as the indexed tensor "
                                   f"({DEVICES[first.device]}): {op.name} got an index of shape {list(shape_tuple(t))} "
                                   f"on {DEVICES[t.device]}; move it with .to() (see docs/errors/device-mismatch)")
            raise different(op, first, t)
    return first.device if first is not None else 0


# ---- running

cdef object run_on_device(Op op, PyObject** slots, uint32_t live):
    if live & WG_BATCHED:
        raise RuntimeError(f"{op.name}: a batched tensor outside of its vmap")
    if op is TO_COPY:
        return to_copy(op, slots)
    if op.family == "factory":
        return make_on_device(op, slots)
    if op is COPY_ and slots[2] == <PyObject*> YES:
        before = _device_memory.set_non_blocking(True)
        try:
            return run_at(op, slots, device_number_of(op, slots))
        finally:
            _device_memory.set_non_blocking(before)
    return run_at(op, slots, device_number_of(op, slots))


cdef object to_copy(Op op, PyObject** slots):
    """_to_copy: another device, or another dtype on the same."""
    cdef Tensor t = <Tensor> slots[0], out
    cdef int code = dtype_code(<object> slots[1])
    cdef unsigned int device_number = t.device
    if slots[2] != <PyObject*> None:
        device_number = _device.device_number(<object> slots[2], "to")
    if FACTS.category[t.code] == CAT_COMPLEX and FACTS.category[code] != CAT_COMPLEX and code != BOOL:
        warn_user("Casting complex values to real discards the imaginary part")
    code = t.code if code < 0 else code
    out = None
    if t.device and device_number == 0 and code == t.code and _device_memory.is_non_blocking():
        out = pinned_copy_target(t)
    if out is None:
        out = empty_preserved(device_number, t, code)
    copy_into(out, t)
    record(op, slots, out, t.flags & thread_state().modes)
    return out


# ---- streams, for the engine

set_note = _notes.set_note


def current_stream(device_number):
    """The current stream of a device, by its number; None where it has none."""
    plugin, index = PLUGIN_DEVICES[device_number]
    return plugin.current_stream(index)


def current_streams():
    """Of each device that has been used the current stream, where it has any."""
    found = [plugin.current_stream(index) for plugin, index in PLUGIN_DEVICES[1:]]
    return [stream for stream in found if stream is not None]


def use_stream(stream):
    """Make a stream the current one of its device; gives the one before."""
    return _device.PLUGINS[stream.device.type].set_stream(stream)


def record_stream(Tensor t, stream):
    """Say that a tensor's memory is used on a stream, besides the one it was made on."""
    if t.device:
        PLUGIN_DEVICES[t.device][0].record_stream(_device_memory.memory_of(t), stream)


hooks().run_on_device = run_on_device
