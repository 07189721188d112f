"""Operations on tensors of other devices: the end of the chain of ``intercept``. Loaded with the first device.

Which device an operation runs on, and whether its tensors go together; the rest is Note [Drivers for other devices] in
elsewhere.pxd.
"""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.caution import warn_user
from wengert_core.construct cimport dtype_code
from wengert_core.driving cimport record
from wengert_core.dtypes cimport BOOL, CAT_COMPLEX, DTypeFacts, dtype_facts, dtype_of
from wengert_core.elsewhere cimport copy_elsewhere
from wengert_core.arrays cimport copy_into
from wengert_core.layouts cimport new_preserved
from wengert_core.op cimport OP_INPLACE, EngineHooks, Op, engine_hooks, find_op
from wengert_core.state cimport WG_BATCHED, WG_ELSEWHERE, WG_FOREIGN, WgState, thread_state
from wengert_core.tensor cimport Tensor, new_empty_at, shape_tuple

from wengert_core import devices as _devices
from wengert_core import driving as _driving
from wengert_core import elsewhere as _elsewhere
from wengert_core import random as _random

cdef DTypeFacts* FACTS = dtype_facts()
cdef EngineHooks* HOOKS = engine_hooks()
cdef list DEVICES = _devices.DEVICES
cdef list PLACED = _devices.PLACED
cdef Op TO_COPY = find_op("_to_copy")
cdef object NO = False
cdef object YES = True
cdef Op COPY_ = find_op("copy_")
cdef object NOTE = None                # the engine's: told of each recorded tensor and its stream
cdef tuple SCALARS_MIX = ("pointwise", "composite", "indexing")
"""Families in which a tensor of the host without dims stands for its number."""


# ---- what records is called with the usual modes

ctypedef int (*record_fn)(Op op, PyObject** slots, PyObject** outs, int n_outs) except -1
ctypedef int (*before_fn)(Op op, PyObject** slots, PyObject** keep) except -1
ctypedef int (*inplace_fn)(Op op, PyObject** slots, PyObject* keep) except -1
cdef record_fn RECORD = NULL
cdef before_fn BEFORE = NULL
cdef inplace_fn INPLACE = NULL


cdef unsigned int at_home(WgState* state) noexcept:
    """Set the usual modes; gives those that were."""
    cdef unsigned int modes = state.modes
    if modes & WG_ELSEWHERE:
        state.modes = (modes & ~(<unsigned int> WG_ELSEWHERE)) | WG_FOREIGN
    return modes


cdef int record_at_home(Op op, PyObject** slots, PyObject** outs, int n_outs) except -1:
    cdef WgState* state = thread_state()
    cdef unsigned int modes = at_home(state)
    try:
        RECORD(op, slots, outs, n_outs)
        if NOTE is not None and n_outs and (<Tensor> outs[0]).device:
            note_stream(<Tensor> outs[0])
    finally:
        state.modes = modes
    return 0


cdef int before_at_home(Op op, PyObject** slots, PyObject** keep) except -1:
    cdef WgState* state = thread_state()
    cdef unsigned int modes = at_home(state)
    try:
        return BEFORE(op, slots, keep)
    finally:
        state.modes = modes


cdef int inplace_at_home(Op op, PyObject** slots, PyObject* keep) except -1:
    cdef WgState* state = thread_state()
    cdef unsigned int modes = at_home(state)
    try:
        INPLACE(op, slots, keep)
        if NOTE is not None and (<Tensor> slots[0]).device:
            note_stream(<Tensor> slots[0])
    finally:
        state.modes = modes
    return 0


cdef int note_stream(Tensor t) except -1:
    stream = current_stream(t.device)
    if stream is not None:
        NOTE(t, stream)
    return 0


cdef void wrap_hooks() noexcept:
    """Put these around the engine's hooks, which it may have installed since."""
    global RECORD, BEFORE, INPLACE
    if HOOKS.record != NULL and HOOKS.record != record_at_home:
        RECORD, HOOKS.record = HOOKS.record, record_at_home
    if HOOKS.before_inplace != NULL and HOOKS.before_inplace != before_at_home:
        BEFORE, HOOKS.before_inplace = HOOKS.before_inplace, before_at_home
    if HOOKS.record_inplace != NULL and HOOKS.record_inplace != inplace_at_home:
        INPLACE, HOOKS.record_inplace = HOOKS.record_inplace, inplace_at_home


# ---- which device

cdef object different(Op op, Tensor a, Tensor b):
    """torch's error, foreign device first."""
    if a.device == 0:
        a, b = b, a
    return RuntimeError(f"Expected all tensors to be on the same device, but found at least two devices, {DEVICES[a.device]} and "
                        f"{DEVICES[b.device]}! {op.name} got tensors of shape {list(shape_tuple(a))} on {DEVICES[a.device]} and "
                        f"{list(shape_tuple(b))} on {DEVICES[b.device]}; move one with .to()")


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


cdef unsigned int place_of(Op op, PyObject** slots) except? 0xffff:
    """The number of the device that the operation runs on. RuntimeError when tensors of several devices do not go together."""
    cdef Tensor t, first = None, host = None
    if op.name == "copy_" or op.name == "fill_":
        return (<Tensor> slots[0]).device
    found = tensors_of(op, slots)
    is_index = op.name in ("index", "index_put", "index_put_")
    for i, item in found:
        t = <Tensor> item
        if t.device == 0 and (t.rank == 0 and op.family in SCALARS_MIX and i != op.out_slot and not (i == 0 and op.flags & OP_INPLACE)
                              or is_index and i == 1):
            continue
        if first is None:
            first = t
        elif t.device != first.device:
            raise different(op, first, t)
    return first.device if first is not None else 0


# ---- running

cdef object run_at(Op op, PyObject** slots, unsigned int place):
    """The op's driver, for a device (0: the host, on tensors whose memory it does not touch)."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes, before = state.place
    state.modes = modes & ~(<unsigned int> (WG_FOREIGN | WG_ELSEWHERE))
    if place:
        state.modes |= WG_ELSEWHERE
    state.place = place
    if place == 0:
        try:
            return op.run(op, slots)
        finally:
            state.modes, state.place = modes, before
    plugin, index = PLACED[place]
    token = plugin.enter(index)
    try:
        return op.run(op, slots)
    finally:
        state.modes, state.place = modes, before
        plugin.leave(token)


cdef object run_foreign(Op op, PyObject** slots, uint32_t live):
    if live & WG_BATCHED:
        raise RuntimeError(f"{op.name}: a batched tensor outside of its vmap")
    wrap_hooks()
    if op is TO_COPY:
        return moved(op, slots)
    if op.family == "factory":
        return made(op, slots)
    if op is COPY_ and slots[2] == <PyObject*> YES:
        before = _elsewhere.set_non_blocking(True)
        try:
            return run_at(op, slots, place_of(op, slots))
        finally:
            _elsewhere.set_non_blocking(before)
    return run_at(op, slots, place_of(op, slots))


cdef object moved(Op op, PyObject** slots):
    """_to_copy: another device, or another dtype on the same."""
    cdef Tensor t = <Tensor> slots[0], out
    cdef int code = dtype_code(<object> slots[1])
    cdef unsigned int place = t.device
    if slots[2] != <PyObject*> None:
        place = _devices.device_number(<object> slots[2], "to")
    if FACTS.category[t.code] == CAT_COMPLEX and FACTS.category[code] != CAT_COMPLEX and code != BOOL:
        warn_user("Casting complex values to real discards the imaginary part")
    out = preserved_at(place, t, t.code if code < 0 else code)
    copy_into(out, t)
    record(op, slots, out, t.flags & thread_state().modes)
    return out


cdef Tensor preserved_at(unsigned int place, Tensor t, int code):
    """An empty tensor on a device with t's shape, its strides in t's order."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes, before = state.place
    state.modes = modes & ~(<unsigned int> WG_ELSEWHERE)
    if place:
        state.modes |= WG_ELSEWHERE
    state.place = place
    try:
        return new_preserved(t, code)
    finally:
        state.modes, state.place = modes, before


# ---- factories

cdef int slot_called(Op op, str name) except -2:
    return op.params.index(name) if name in op.params else -1


cdef object made(Op op, PyObject** slots):
    """A factory: empty and filled tensors are made where they belong, all others on the host, and moved."""
    cdef PyObject* own[16]
    cdef int i, at = slot_called(op, "device"), like = -1
    cdef unsigned int place = _elsewhere.place()
    for i in range(op.n_params):
        own[i] = slots[i]
        if like < 0 and isinstance(<object> slots[i], Tensor) and i != op.out_slot and op.kinds[i] & 63 == 0:
            like = i
    if at >= 0 and slots[at] != <PyObject*> None:
        place = _devices.device_number(<object> slots[at], op.name)
        own[at] = <PyObject*> None
    elif like >= 0:
        place = (<Tensor> slots[like]).device
    elif op.out_slot >= 0 and slots[op.out_slot] != <PyObject*> None:
        place = (<Tensor> slots[op.out_slot]).device
    if op.options["kind"] in ("empty", "zeros", "ones", "full") and (op.out_slot < 0 or slots[op.out_slot] == <PyObject*> None):
        return run_at(op, own, place)
    data = <object> slots[slot_called(op, "data")] if "data" in op.params else <object> slots[0]
    if op.name in ("as_tensor", "asarray") and isinstance(data, Tensor):
        dtype = <object> slots[slot_called(op, "dtype")]
        return data.to(DEVICES[place]) if dtype is None else data.to(DEVICES[place], dtype)
    return made_and_moved(op, slots, own, place, like)


cdef object made_and_moved(Op op, PyObject** slots, PyObject** own, unsigned int place, int like):
    cdef int grad = slot_called(op, "requires_grad"), generator = slot_called(op, "generator"), i
    cdef Tensor result, moved, source
    keep = []
    for i in range(op.n_params):
        if slots[i] == NULL or not isinstance(<object> slots[i], Tensor) or i == op.out_slot:
            continue
        source = <Tensor> slots[i]
        if source.device:              # its values if the op reads them, else its geometry
            keep.append(source.detach().cpu() if i != like or op.options["kind"] == "data" else preserved_at(0, source, source.code))
            own[i] = <PyObject*> keep[len(keep) - 1]
    if grad >= 0:
        own[grad] = <PyObject*> NO
    if generator >= 0 and slots[generator] == <PyObject*> None and place:
        keep.append(_random.generator_of(place))
        own[generator] = <PyObject*> keep[len(keep) - 1]
    if op.out_slot >= 0:
        own[op.out_slot] = <PyObject*> None
    result = run_at(op, own, 0)
    if op.out_slot >= 0 and slots[op.out_slot] != <PyObject*> None:
        target = <object> slots[op.out_slot]
        if tuple(target.shape) != tuple((<object> result).shape):
            target.resize_((<object> result).shape)
        return target.copy_(result)
    if place == 0:
        moved = result
    else:
        moved = preserved_at(place, result, result.code)
        copy_into(moved, result)
    if grad >= 0 and <object> slots[grad]:
        moved.requires_grad_(True)
    return moved


# ---- streams, for the engine

def current_stream(place):
    """The current stream of a device, by its number; None where it has none."""
    plugin, index = PLACED[place]
    return plugin.current_stream(index)


def current_streams():
    """Of each device that has been used the current stream, where it has any."""
    found = [plugin.current_stream(index) for plugin, index in PLACED[1:]]
    return [stream for stream in found if stream is not None]


def use_stream(stream):
    """Make a stream the current one of its device; gives the one before."""
    return _devices.PLUGINS[stream.device.type].set_stream(stream)


def record_stream(Tensor t, stream):
    """Say that a tensor's memory is used on a stream, besides the one it was made on."""
    if t.device:
        PLACED[t.device][0].record_stream(_elsewhere.memory_of(t), stream)


def set_note(note):
    """Tell core whom to tell of a recorded tensor and the stream of its operation: note(tensor, stream)."""
    global NOTE
    NOTE = note


_driving.set_foreign(<size_t> <void*> run_foreign)
