"""DLPack: tensors to and from other libraries without copying.

Source: the DLPack specification (dlpack.h 1.0) and "Python Specification for DLPack".

>>> import numpy as np
>>> from wengert_core import from_dlpack, ones
>>> np.from_dlpack(ones(2)).tolist()
[1.0, 1.0]
>>> from_dlpack(np.arange(3.0)).tolist()
[0.0, 1.0, 2.0]
"""
cimport cython
from cpython.object cimport PyTypeObject
from cpython.pycapsule cimport (PyCapsule_GetPointer, PyCapsule_IsValid, PyCapsule_New, PyCapsule_SetName)
from cpython.ref cimport Py_INCREF, PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from wengert_core.dtypes.dtypes cimport (BFLOAT16, CAT_BOOL, CAT_COMPLEX, CAT_FLOAT, N_DTYPES, DTypeFacts,
                                         dtype_facts)
from wengert_core.exchange.arrays cimport contiguous_copy
from wengert_core.exchange.numpy_bridge cimport has_tangent
from wengert_core.geometry.size_math cimport add_overflows, mul_overflows, step_sizes
from wengert_core.runtime.launches cimport do_deferred_work, tell_opaque
from wengert_core.runtime.pyobject cimport not_made_by_hand
from wengert_core.runtime.state cimport WG_BATCHED, WG_FOREIGN
from wengert_core.tensors.requires_grad cimport requires_grad
from wengert_core.tensors.tensor cimport Tensor, check_numel, new_on_memory, storage_of

from wengert_core.devices.device import DEVICES as _DEVICES, PLUGIN_DEVICES as _PLUGIN_DEVICES
from wengert_core.devices.device import device as _device, device_number, kinds, usable
from wengert_core.messages.short_repr import short_repr
from wengert_core.tensors.vmap_hooks import no_pointer

cdef extern from "Python.h":
    void Py_DECREF(PyObject* o) noexcept nogil
    int PyGILState_Ensure() noexcept nogil
    void PyGILState_Release(int state) noexcept nogil

cdef extern from *:
    """
    /* Written after the DLPack specification, version 1.0. */
    #include <stdint.h>
    typedef struct { uint32_t major, minor; } WgDLVersion;
    typedef struct { int32_t device_type, device_id; } WgDLDevice;
    typedef struct { uint8_t code, bits; uint16_t lanes; } WgDLDataType;
    typedef struct {
        void *data;
        WgDLDevice device;
        int32_t ndim;
        WgDLDataType dtype;
        int64_t *shape, *strides;
        uint64_t byte_offset;
    } WgDLTensor;
    typedef struct WgDLManaged {
        WgDLTensor dl_tensor;
        void *manager_ctx;
        void (*deleter)(struct WgDLManaged *);
    } WgDLManaged;
    typedef struct WgDLVersioned {
        WgDLVersion version;
        void *manager_ctx;
        void (*deleter)(struct WgDLVersioned *);
        uint64_t flags;
        WgDLTensor dl_tensor;
    } WgDLVersioned;
    """
    ctypedef struct WgDLVersion:
        uint32_t major
        uint32_t minor
    ctypedef struct WgDLDevice:
        int32_t device_type
        int32_t device_id
    ctypedef struct WgDLDataType:
        uint8_t code
        uint8_t bits
        uint16_t lanes
    ctypedef struct WgDLTensor:
        void* data
        WgDLDevice device
        int32_t ndim
        WgDLDataType dtype
        int64_t* shape
        int64_t* strides
        uint64_t byte_offset
    ctypedef struct WgDLManaged:
        WgDLTensor dl_tensor
        void* manager_ctx
        void (*deleter)(WgDLManaged*) noexcept nogil
    ctypedef struct WgDLVersioned:
        WgDLVersion version
        void* manager_ctx
        void (*deleter)(WgDLVersioned*) noexcept nogil
        uint64_t flags
        WgDLTensor dl_tensor

cdef enum:
    DL_CPU = 1
    DL_INT = 0
    DL_UINT = 1
    DL_FLOAT = 2
    DL_BFLOAT = 4
    DL_COMPLEX = 5
    DL_BOOL = 6
    FLAG_READ_ONLY = 1
    FLAG_IS_COPIED = 2

cdef DTypeFacts* FACTS = dtype_facts()


# ---- out

cdef void give_back(void* context, int64_t* sizes) noexcept nogil:
    """Drop the reference to the tensor's storage; the consumer may call from a thread without the GIL."""
    cdef int state = PyGILState_Ensure()
    Py_DECREF(<PyObject*> context)
    PyGILState_Release(state)
    free(sizes)


cdef void managed_deleter(WgDLManaged* managed) noexcept nogil:
    give_back(managed.manager_ctx, managed.dl_tensor.shape)
    free(managed)


cdef void versioned_deleter(WgDLVersioned* managed) noexcept nogil:
    give_back(managed.manager_ctx, managed.dl_tensor.shape)
    free(managed)


cdef void managed_destructor(object capsule) noexcept:
    """Of a capsule nobody has taken."""
    cdef WgDLManaged* managed
    if PyCapsule_IsValid(capsule, b"dltensor"):
        managed = <WgDLManaged*> PyCapsule_GetPointer(capsule, b"dltensor")
        managed.deleter(managed)


cdef void versioned_destructor(object capsule) noexcept:
    cdef WgDLVersioned* managed
    if PyCapsule_IsValid(capsule, b"dltensor_versioned"):
        managed = <WgDLVersioned*> PyCapsule_GetPointer(capsule, b"dltensor_versioned")
        managed.deleter(managed)


cdef uint8_t type_code(int code) noexcept:
    if code == BFLOAT16:
        return DL_BFLOAT
    if FACTS.category[code] == CAT_FLOAT:
        return DL_FLOAT
    if FACTS.category[code] == CAT_COMPLEX:
        return DL_COMPLEX
    if FACTS.category[code] == CAT_BOOL:
        return DL_BOOL
    return DL_INT if FACTS.is_signed[code] else DL_UINT


cdef int describe(Tensor t, WgDLTensor* described) except -1:
    """Fill the struct; its shape array, which holds the strides too, is malloc'ed."""
    cdef int64_t* sizes = <int64_t*> malloc((2 * t.rank + 1) * sizeof(int64_t))
    cdef int i
    if sizes == NULL:
        raise MemoryError()
    for i in range(t.rank):
        sizes[i] = t.dims[i]
        sizes[t.rank + i] = t.dims[t.rank + i] // FACTS.itemsize[t.code]
    described.data, described.byte_offset = t.data, 0
    described.device.device_type, described.device.device_id = dlpack_device(t)
    described.ndim = t.rank
    described.dtype.code, described.dtype.lanes = type_code(t.code), 1
    described.dtype.bits = 8 * FACTS.itemsize[t.code]
    described.shape, described.strides = sizes, sizes + t.rank
    return 0


cdef object plain_capsule(Tensor t):
    cdef WgDLManaged* managed = <WgDLManaged*> malloc(sizeof(WgDLManaged))
    if managed == NULL:
        raise MemoryError()
    describe(t, &managed.dl_tensor)
    owner = storage_of(t)
    Py_INCREF(owner)
    managed.manager_ctx, managed.deleter = <void*> owner, managed_deleter
    return PyCapsule_New(managed, b"dltensor", managed_destructor)


cdef object versioned_capsule(Tensor t, bint copied):
    cdef WgDLVersioned* managed = <WgDLVersioned*> malloc(sizeof(WgDLVersioned))
    if managed == NULL:
        raise MemoryError()
    describe(t, &managed.dl_tensor)
    owner = storage_of(t)
    Py_INCREF(owner)
    managed.version.major, managed.version.minor = 1, 0
    managed.flags = (FLAG_IS_COPIED * copied) | (FLAG_READ_ONLY * bool(storage_of(t).readonly))
    managed.manager_ctx, managed.deleter = <void*> owner, versioned_deleter
    return PyCapsule_New(managed, b"dltensor_versioned", versioned_destructor)


def to_capsule(Tensor self, *, stream=None, max_version=None, dl_device=None, copy=None):
    """The tensor as a DLPack capsule: what another library's from_dlpack asks for.

    stream: on a device the consumer's, as DLPack numbers it; it will wait for the current one. -1: it need not.
    max_version: (1, 0) or later gives a capsule with version and flags.   copy: True for memory of its own.
    BufferError for a tensor that requires grad or has a tangent, for a device that DLPack has no number of, and for
    another than the tensor's.
    """
    tell_opaque()                      # whoever has the capsule reads and writes what no launch tells
    return make_capsule(self, stream, max_version, dl_device, copy)


cdef object make_capsule(Tensor self, object stream, object max_version, object dl_device, object copy):
    if self.flags & WG_BATCHED:
        raise no_pointer()
    if requires_grad(self):
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if has_tangent(self):
        raise BufferError("Can't export tensors that have a tangent of forward mode, which would be lost: use "
                          "tensor.detach()")
    here = dlpack_device(self)
    versioned = wants_version(max_version)
    if stream is not None and type(stream) is not int:
        raise TypeError(f"stream must be ``int`` or ``none``, not {type(stream).__name__}")
    if copy is not None and type(copy) is not bool:
        raise TypeError(f"__dlpack__(): argument 'copy' must be bool, not {type(copy).__name__}")
    if dl_device is not None and not isinstance(dl_device, (tuple, list)):
        raise TypeError(f"__dlpack__(): argument 'dl_device' must be tuple of ints, not {type(dl_device).__name__}")
    if dl_device is not None and tuple(dl_device) != here:
        raise BufferError(f"a tensor on {self.device and 'device ' + str(_DEVICES[self.device]) or 'the CPU'} cannot "
                          f"be exported to the DLPack device {short_repr(tuple(dl_device))}; move it with .to() first")
    if self.device:
        plugin, index = _PLUGIN_DEVICES[self.device]
        t = (<object> self).clone() if copy else self
        do_deferred_work()
        if stream != -1:               # -1: the consumer sees to the order
            plugin.export_stream(index, stream)
    elif stream is not None and stream != -1:
        raise AssertionError(f"stream should be None on cpu, got {short_repr(stream)}")
    else:
        t = contiguous_copy(self) if copy else self
    if versioned:
        return versioned_capsule(t, bool(copy))
    if storage_of(t).readonly:
        raise BufferError("a tensor on read-only memory needs a consumer that knows DLPack 1.0 (max_version=(1, 0))")
    return plain_capsule(t)


cdef bint wants_version(object max_version) except -1:
    """Return whether max_version= asks for a capsule with version and flags."""
    if max_version is None:
        return False
    major = next(iter(max_version), None) if isinstance(max_version, (tuple, list)) else None
    if not isinstance(major, int):
        raise TypeError("__dlpack__(): argument 'max_version' must be a tuple of ints (major, minor) or None, not "
                        f"{type(max_version).__name__}")
    return major >= 1


def device_pair(Tensor self):
    """DLPack's (type, number) of the tensor's device: (1, 0) for the CPU, (2, n) for "cuda:n"."""
    return dlpack_device(self)


cdef tuple dlpack_device(Tensor t):
    if not t.device:
        return (DL_CPU, 0)
    plugin, index = _PLUGIN_DEVICES[t.device]
    if plugin.dlpack_type is None:
        raise BufferError(f"DLPack has no number for devices of type '{plugin.type}': a tensor on {_DEVICES[t.device]} "
                          "cannot be exported; use .cpu() first")
    return (plugin.dlpack_type, index)


# ---- in

@cython.binding(False)
cdef class DLPackMemory:
    """Keeps another library's memory: calls its deleter in the end."""
    cdef WgDLManaged* plain
    cdef WgDLVersioned* versioned

    def __dealloc__(self):
        if self.plain != NULL and self.plain.deleter != NULL:
            self.plain.deleter(self.plain)
        if self.versioned != NULL and self.versioned.deleter != NULL:
            self.versioned.deleter(self.versioned)


cdef int code_of_type(WgDLDataType kind) except -1:
    cdef int code
    for code in range(N_DTYPES):
        if kind.lanes == 1 and kind.code == type_code(code) and kind.bits == 8 * FACTS.itemsize[code]:
            return code
    raise BufferError(f"from_dlpack: there is no dtype for DLPack's type code {kind.code} with {kind.bits} bits and "
                      f"{kind.lanes} lanes")


cdef Tensor tensor_of(WgDLTensor* described, object owner):
    cdef Py_ssize_t shape[64]
    cdef Py_ssize_t strides[64]
    cdef int i, code = code_of_type(described.dtype), ndim = described.ndim
    cdef Py_ssize_t itemsize = FACTS.itemsize[code], span = itemsize, step = itemsize, far
    cdef char* data = <char*> described.data + described.byte_offset
    cdef unsigned int core_number = device_number_of(described.device.device_type, described.device.device_id)
    cdef Tensor t
    if ndim > 64 or ndim < 0:
        raise BufferError(f"from_dlpack: a tensor has at most 64 dimensions, got {ndim}")
    for i in range(ndim - 1, -1, -1):
        shape[i] = described.shape[i]
        strides[i] = step
        if described.strides != NULL:
            strides[i] = step_sizes(itemsize, described.strides[i])
            if shape[i] > 1 and mul_overflows(itemsize, described.strides[i], &far):
                raise BufferError(f"from_dlpack: a stride of {described.strides[i]} elements does not fit into memory")
        step = step_sizes(step, max(shape[i], 1))
        if shape[i] < 0 or mul_overflows(shape[i] - 1, strides[i], &far) or add_overflows(span, far, &span):
            raise BufferError(f"from_dlpack: sizes {[described.shape[k] for k in range(ndim)]} do not fit into memory")
        if strides[i] < 0 and shape[i] > 1:
            raise ValueError("At least one stride in the given tensor is negative, and tensors with negative strides "
                             "are not currently supported. Make a copy of it first.")
    if check_numel(ndim, shape, itemsize) == 0:
        span = 0
    if <Py_ssize_t> data % min(itemsize, 8) and span:
        raise BufferError(f"from_dlpack: the data is not aligned to its elements of {itemsize} bytes")
    if core_number == 0:
        return new_on_memory(code, ndim, shape, strides, data, data, span, owner)
    plugin, index = _PLUGIN_DEVICES[core_number]
    t = new_on_memory(code, ndim, shape, strides, data, data, span, plugin.adopt(<size_t> data, span, index, owner))
    t.device = core_number
    t.flags |= WG_FOREIGN
    return t


cdef unsigned int device_number_of(int kind, int index) except? 0xffff:
    """Our number of one of DLPack's devices."""
    if kind == DL_CPU:
        return 0
    plugin = plugin_of_dlpack(kind)
    if plugin is None:
        raise BufferError(f"from_dlpack: the data is on the DLPack device ({kind}, {index}), "
                          "which no installed package provides")
    return device_number(_device(plugin.type, index), "from_dlpack")


cdef object plugin_of_dlpack(int kind):
    """The plugin whose devices DLPack numbers so; None: there is none."""
    for name in kinds():
        plugin = usable(name)              # one that fails is no obstacle to the others
        if plugin is not None and plugin.dlpack_type == kind:
            return plugin
    return None


cdef Tensor take(object capsule):
    """The tensor in a capsule, which is then spent."""
    cdef DLPackMemory owner = DLPackMemory.__new__(DLPackMemory)
    cdef Tensor t
    if PyCapsule_IsValid(capsule, b"dltensor_versioned"):
        owner.versioned = <WgDLVersioned*> PyCapsule_GetPointer(capsule, b"dltensor_versioned")
        PyCapsule_SetName(capsule, b"used_dltensor_versioned")
        if owner.versioned.version.major > 1:
            raise BufferError(f"from_dlpack: DLPack version {owner.versioned.version.major} is not known, 1 is")
        t = tensor_of(&owner.versioned.dl_tensor, owner)
        storage_of(t).readonly = bool(owner.versioned.flags & FLAG_READ_ONLY)
        return t
    if PyCapsule_IsValid(capsule, b"dltensor"):
        owner.plain = <WgDLManaged*> PyCapsule_GetPointer(capsule, b"dltensor")
        PyCapsule_SetName(capsule, b"used_dltensor")
        return tensor_of(&owner.plain.dl_tensor, owner)
    raise RuntimeError("from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only "
                       "once, so you might have already constructed a tensor from it once.")


def from_dlpack(ext_tensor, *, device=None, copy=None):
    """See wengert_core.from_dlpack."""
    cdef Tensor t = take(request_capsule(ext_tensor, copy) if hasattr(ext_tensor, "__dlpack__") else ext_tensor)
    if device is not None and device_number(device, "from_dlpack") != t.device:
        raise BufferError(f"from_dlpack: cannot move data to device {device}: it is on {_DEVICES[t.device]}; "
                          "use .to() behind it")
    if t.device:
        return (<object> t).clone() if copy else t
    return contiguous_copy(t) if copy else t


cdef object request_capsule(object source, object copy):
    """A capsule of the newest kind that ``source`` can give; what computes it is waited for by our current stream."""
    asked = {} if copy is None else {"copy": copy}
    if hasattr(source, "__dlpack_device__"):
        kind, index = source.__dlpack_device__()
        if kind != DL_CPU:
            plugin, number = _PLUGIN_DEVICES[device_number_of(kind, index)]
            asked["stream"] = plugin.stream_number(number)
    if type(source) is Tensor:
        source.detach()                # whoever records hears that it is used
        return make_capsule(source, asked.get("stream"), (1, 0), None, copy)
    try:
        return source.__dlpack__(max_version=(1, 0), **asked)
    except TypeError:                  # a producer from before DLPack 1.0
        asked.pop("copy", None)
        return source.__dlpack__(**asked)


not_made_by_hand(<PyTypeObject*> DLPackMemory)
