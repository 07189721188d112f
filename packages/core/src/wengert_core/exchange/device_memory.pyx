"""Memory and arrays of other devices for the drivers: Note [Drivers for other devices] in device_memory.pxd."""
from _thread import _local

import numpy as np

from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject

from wengert_core.dtypes.dtypes cimport BFLOAT16, INT16, UINT8, DTypeFacts, code_of, dtype_facts
from wengert_core.dtypes.dtypes import NUMPY_NAMES as _NUMPY_NAMES
from wengert_core.dtypes.scalars cimport load_number
from wengert_core.exchange.arrays cimport array_of, copy_into, tensor_of_array
from wengert_core.runtime.launches cimport do_deferred_work
from wengert_core.runtime.state cimport WgState
from wengert_core.tensors.tensor cimport (TF_CONTIGUOUS, Storage, alias, is_strided, new_empty, new_empty_at, new_view,
                                          same_shape, shape_tuple, storage_of, strides_of)

from wengert_core.devices import device as _device
from wengert_core.messages.owners import with_distribution
from wengert_core.tensors import tensor as _tensor

cdef extern from "Python.h":
    PyObject* PyTuple_GET_ITEM(object found, Py_ssize_t k) noexcept        # borrowed
    Py_ssize_t references "Py_REFCNT"(PyObject* o) noexcept

cdef DTypeFacts* FACTS = dtype_facts()
cdef list PLUGIN_DEVICES = _device.PLUGIN_DEVICES  # by device number: (plugin, its number of the device); None: the CPU


class Hints(_local):
    """What this thread's copies are told beside their arguments."""

    non_blocking = False
    reader = None                           # see set_reader


cdef object HINTS = Hints()
cdef enum:
    MAX_FRESH = 4
cdef PyObject* FRESH[MAX_FRESH]             # memory that the running operation allocated last, not owned
cdef unsigned int next_fresh = 0


cdef object plugin_of(unsigned int device_number):
    return PLUGIN_DEVICES[device_number][0]


def allocate(device_number, nbytes):
    """What owns ``nbytes`` of a device's memory, and where it is."""
    global next_fresh
    plugin, index = PLUGIN_DEVICES[device_number]
    memory = plugin.allocate(nbytes, index)
    FRESH[next_fresh % MAX_FRESH] = <PyObject*> memory
    next_fresh += 1
    return memory, memory.address


def fetch(Tensor t):
    """The only element of a tensor, as a Python number."""
    return number_on_device(t)


def set_non_blocking(flag):
    """Say whether the copies that are being made need not be waited for; gives what held before."""
    before = HINTS.non_blocking
    HINTS.non_blocking = flag
    return before


def is_non_blocking():
    """Whether the copies that are being made need not be waited for."""
    return HINTS.non_blocking


def set_reader(reader):
    """Let a function copy elements of devices to the host for this thread; None: plugins do. Gives the one before.

    It is called with a tensor and the device's array on it, and gives what the plugin's ``download`` would.
    """
    before = HINTS.reader
    HINTS.reader = reader
    return before


def current_device_number():
    """The number of the device that this thread's drivers run for; 0: the host."""
    return thread_state().device_number if runs_on_device() else 0


_tensor.set_allocator(allocate, fetch)


# ---- computing

cdef object namespace():
    if not runs_on_device():
        return np
    do_deferred_work()
    return plugin_of(thread_state().device_number).xp


cdef object reference_of(Op op):
    if runs_on_device():
        name = op.name if op.out_of_place is None else op.out_of_place.name
        kernel = plugin_of(thread_state().device_number).kernels.get(name)
        if kernel is not None:
            return kernel
    return op.reference


cdef object as_array(object value):
    if runs_on_device():
        return value if hasattr(value, "__dlpack_device__") \
            or hasattr(value, "ndim") and not isinstance(value, np.generic) else namespace().asarray(value)
    return np.asarray(value)


# ---- arrays

cdef object numpy_dtype(int code):
    if code == BFLOAT16:
        import ml_dtypes
        return np.dtype(ml_dtypes.bfloat16)
    return NUMPY_DTYPES[code]


cdef tuple NUMPY_DTYPES = tuple([np.dtype(name) for name in _NUMPY_NAMES])     # that of bfloat16 is not asked for


def numpy_dtype_of(kind):
    """Return NumPy's dtype of a dtype of tensors; for bfloat16 that of ml_dtypes.

    >>> import numpy as np
    >>> from wengert_core import float32
    >>> numpy_dtype_of(float32), np.zeros(2, dtype=float32).dtype
    (dtype('float32'), dtype('float32'))
    """
    return numpy_dtype(code_of(kind))


def typestr(Tensor t):
    """Return a tensor's dtype as array interfaces write it: "<f4". bfloat16 is a plain two bytes: NumPy has none."""
    return "<V2" if t.code == BFLOAT16 else numpy_dtype(t.code).str


def memory_of(Tensor t):
    """What the device's plugin gave as the owner of a tensor's memory; None on the CPU."""
    return owner_of(t) if t.device else None


def owner_of(Tensor t):
    """What keeps a tensor's memory alive, where it is not core's own; None else."""
    cdef Storage s = storage_of(t)
    while s.owner != NULL and isinstance(<object> s.owner, Storage):
        s = <Storage> s.owner
    return <object> s.owner if s.owner != NULL else None


_PINNED = None                          # owners of pinned memory by their id, weakly held; None: there is none


def is_pinned(Tensor t):
    """Return whether the tensor is in pinned memory of the host."""
    owner = owner_of(t)
    return owner is not None and _PINNED is not None and _PINNED.get(id(owner)) is owner


def add_pinned(owner):
    """Note what keeps a piece of pinned memory alive."""
    global _PINNED
    if _PINNED is None:
        from weakref import WeakValueDictionary
        _PINNED = WeakValueDictionary()
    _PINNED[id(owner)] = owner


cdef object array_at(Tensor t):
    """The device's array on t's memory, bfloat16 included."""
    cdef int i
    do_deferred_work()
    memory = memory_of(t)
    strides = tuple([strides_of(t)[i] if t.count else 0 for i in range(t.rank)])
    return plugin_of(t.device).array(memory, <Py_ssize_t> t.data - <Py_ssize_t> memory.address, shape_tuple(t), strides,
                                     numpy_dtype(t.code))


cdef object host_value(Tensor t):
    """A number of the host for the device's functions."""
    return numpy_dtype(t.code).type(load_number(t.data, t.code)) if t.rank == 0 else mixed_devices_error(t)


cdef object mixed_devices_error(Tensor t):
    raise RuntimeError("Expected all tensors to be on the same device, but found at least two devices, "
                       f"{_device.DEVICES[thread_state().device_number]} and cpu! A tensor of shape "
                       f"{list(shape_tuple(t))} is "
                       "on the CPU (see docs/errors/device-mismatch)")


cdef Tensor storage_bytes(Tensor t):
    cdef Storage s = storage_of(t)
    cdef Py_ssize_t one = 1
    cdef Tensor whole = alias(t)
    whole.code = UINT8
    return new_view(whole, 1, &s.nbytes, &one, s.data)


cdef Tensor move_to_device(Tensor t):
    cdef Tensor out = new_empty(t.code, t.rank, t.dims)
    copy_on_device(out, t)
    return out


cdef Tensor on_host(Tensor t):
    if not is_strided(t):
        raise PLUGIN_DEVICES[t.device][0].refusal("read")      # before memory for all its elements is asked for
    cdef Tensor out = new_empty_at(0, t.code, t.rank, t.dims)
    copy_on_device(out, t)
    return out


cdef object number_on_device(Tensor t):
    cdef Tensor out = on_host(t)
    return load_number(out.data, out.code)


# ---- copies

cdef int copy_on_device(Tensor target, Tensor source) except -1:
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    if target.count == 0:
        return 0
    state.modes = modes & ~(<unsigned int> WG_ON_DEVICE)
    try:
        if target.device and source.device:
            between(target, source)
        elif target.device:
            upload(target, source)
        elif not (HINTS.non_blocking and queue_pinned_copy(target, source)):
            copy_into(target, download(source))
    finally:
        state.modes = modes
    return 0


cdef bint queue_pinned_copy(Tensor target, Tensor source) except -1:
    """Let the device copy to pinned host memory without waiting. False: another kind of copy, nothing was done."""
    if source.code != target.code or not target.flags & TF_CONTIGUOUS \
            or not same_shape(target, source) or not is_pinned(target):
        return False
    plugin_of(source.device).download_to(array_at(bits_of(source)), array_of(bits_of(target)))
    return True


cdef Tensor bits_of(Tensor t):
    """The same memory; bfloat16, which NumPy and CuPy lack, as int16: a copy moves its bits."""
    cdef Tensor bits
    if t.code != BFLOAT16:
        return t
    bits = alias(t)
    bits.code = INT16
    return bits


cdef Tensor download(Tensor t):
    """A tensor's elements in memory of the host; waits for what computes them."""
    reader, array = HINTS.reader, array_at(bits_of(t))
    array = plugin_of(t.device).download(array) if reader is None else reader(t, array)
    expected = numpy_dtype(bits_of(t).code)
    if not isinstance(array, np.ndarray) or array.dtype != expected or array.size != t.count:
        got = f"{array.dtype}{list(array.shape)}" if isinstance(array, np.ndarray) \
            else f"an object of type {type(array).__name__}"
        raise RuntimeError("download() of the plugin of "
                           f"{with_distribution('devices', 'devices of type', plugin_of(t.device).type)} returned "
                           f"{got}, expected an array of NumPy, {expected}{list(shape_tuple(t))}")
    cdef Tensor host = tensor_of_array(np.ascontiguousarray(array).reshape(shape_tuple(t)))
    if t.code == BFLOAT16:
        host.code = BFLOAT16
    return host


cdef int between(Tensor target, Tensor source) except -1:
    plugin = plugin_of(target.device)
    if plugin is not plugin_of(source.device):
        return upload(target, download(source))
    if target.device != source.device:
        if source.code != target.code:                 # converted where it is
            source = convert_on_device(source, target.code)
        plugin.transfer(array_at(source), array_at(target))
        return 0
    plugin.assign(array_at(target), array_at(source))
    return 0


cdef Tensor convert_on_device(Tensor t, int code):
    cdef Tensor out = new_empty_at(t.device, code, t.rank, t.dims)
    plugin_of(t.device).assign(array_at(out), array_at(t))
    return out


cdef int upload(Tensor target, Tensor source) except -1:
    """From the host; converted and made contiguous there, unless the plugin may read the memory as it is."""
    cdef Tensor ready = source
    if source.code != target.code:
        ready = new_empty_at(0, target.code, source.rank, source.dims)
        copy_into(ready, source)
    cdef bint direct = HINTS.non_blocking and ready is source
    if direct:
        direct = is_pinned(source)
    plugin_of(target.device).upload(array_of(bits_of(ready)), array_at(bits_of(target)), direct)
    return 0


def is_capturing(unsigned int device_number):
    """Return whether work on a device, by its number, is noted for a graph; False for the host."""
    return captures(device_number)


def can_read(Tensor t not None):
    """Return whether a tensor's elements can be read: not while its device notes work for a graph."""
    return not captures(t.device)


cdef bint captures(unsigned int device_number) except -1:
    if device_number == 0:
        return False
    plugin, index = PLUGIN_DEVICES[device_number]
    return plugin.can_capture and plugin.is_capturing(index)


def upload_in_replays(Tensor target, Tensor first, make):
    """Let each replay of the graph that is captured begin with a copy of a tensor of the host to one of a device.

    make: gives the tensor, which is like ``first``; None: it is always ``first``.
    """
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    plugin, index = PLUGIN_DEVICES[target.device]
    made = None if make is None else lambda: array_of(bits_of(make()))
    state.modes = modes & ~(<unsigned int> WG_ON_DEVICE)       # a factory inside of an operation on the device
    try:
        plugin.assign(array_at(bits_of(target)), plugin.replayed_upload(index, array_of(bits_of(first)), made))
    finally:
        state.modes = modes


cdef int put_array(object array, Tensor t) except -1:
    if isinstance(array, (np.ndarray, np.generic, bool, int, float, complex)):
        return copy_on_device(t, tensor_of_array(ready_array(np.asarray(array))))
    if t.count and not adopt_array(array, t):
        plugin_of(t.device).assign(array_at(t), array)
    return 0


cdef void forget_fresh() noexcept:
    cdef int i
    for i in range(MAX_FRESH):
        FRESH[i] = NULL


cdef bint is_fresh(Tensor t) noexcept:
    """Whether the running operation allocated t's memory, and no other tensor has it."""
    cdef PyObject* s = t.storage
    cdef int i
    if t.device == 0 or references(s) > 1 or t.data != (<Storage> s).data or not t.flags & TF_CONTIGUOUS:
        return False
    for i in range(MAX_FRESH):
        if FRESH[i] != NULL and FRESH[i] == (<Storage> s).owner:
            return True
    return False


cdef bint adopt_array(object array, Tensor t) except -1:
    """Let a fresh tensor have the memory of an array that only the caller knows. False: it has to be copied."""
    cdef Storage s
    if references(<PyObject*> array) > 1 or not is_fresh(t) or array.dtype != numpy_dtype(t.code) \
            or array.shape != shape_tuple(t):
        return False
    found = plugin_of(t.device).take(array)
    if found is None or references(PyTuple_GET_ITEM(found, 1)) > 2:     # by the array, and by what was found
        return False
    memory = found[0]
    s = storage_of(t)
    before = <object> s.owner
    Py_INCREF(memory)
    s.owner = <PyObject*> memory
    Py_DECREF(before)
    s.data = <char*> <Py_ssize_t> memory.address
    t.data = s.data
    return True


cdef object view_with_shape(object array, Tensor t):
    return array if array.shape == shape_tuple(t) else array.reshape(shape_tuple(t))


cdef object ready_array(object array):
    if array.dtype == np.longdouble:
        array = array.astype(np.float64)
    return np.ascontiguousarray(array).reshape(array.shape)


cdef int fill_on_device(Tensor t, const char* number) except -1:
    if t.count:
        plugin_of(t.device).fill(array_at(t), numpy_dtype(t.code).type(load_number(number, t.code)))
    return 0
