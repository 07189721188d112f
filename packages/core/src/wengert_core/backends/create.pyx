"""Factories of tensors on other devices: empty and filled tensors are made there, all others on the host, and moved."""
cimport cython
from cpython.object cimport PyTypeObject
from cpython.ref cimport PyObject

from wengert_core.backends.run_on cimport empty_preserved, run_at
from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.create.factory cimport with_requested_grad
from wengert_core.exchange.arrays cimport copy_into
from wengert_core.runtime.pyobject cimport not_made_by_hand
from wengert_core.tensors.tensor cimport Tensor

from wengert_core.devices import device as _device
from wengert_core.drivers.create import factory as _factory
from wengert_core.exchange import device_memory as _device_memory
from wengert_core.ops.create import factory_functions as _factory_functions
from wengert_core.rng import generator as _generator

cdef list DEVICES = _device.DEVICES
cdef object NO = False
# These fill an out= of any shape, see drivers/create/factory.pyx.
cdef tuple SEQUENCES = ("arange", "range", "linspace", "logspace")


cdef int slot_called(Op op, str name) except -2:
    return op.params.index(name) if name in op.params else -1


cdef object make_on_device(Op op, PyObject** slots):
    """Return a factory's result, on the device of device=, of the tensor it is like, of out=, or the default one."""
    cdef PyObject* own[16]
    cdef int i, at = slot_called(op, "device"), like = -1
    cdef unsigned int device_number = _device_memory.current_device_number()
    cdef bint named = False
    cdef Tensor out
    for i in range(op.n_params):
        own[i] = slots[i]
        if like < 0 and isinstance(<object> slots[i], Tensor) and i != op.out_slot and op.kinds[i] & 63 == 0:
            like = i
    if at >= 0 and slots[at] != <PyObject*> None:
        device_number, named = _device.device_number(<object> slots[at], op.name), True
        own[at] = <PyObject*> None
    elif like >= 0:
        device_number = (<Tensor> slots[like]).device
    elif device_number == 0 and at >= 0 and _factory.default_device_number():
        device_number, named = _factory.default_device_number(), True
    if op.out_slot >= 0 and isinstance(<object> slots[op.out_slot], Tensor):
        out = <Tensor> slots[op.out_slot]
        if named and out.device != device_number:
            raise RuntimeError(f"device type {DEVICES[device_number]} does not match device type of out parameter "
                               f"({DEVICES[out.device]})")
        device_number = out.device
    if op.options["kind"] in ("empty", "zeros", "ones", "full") \
            and (op.out_slot < 0 or slots[op.out_slot] == <PyObject*> None):
        return run_at(op, own, device_number)
    data = <object> slots[slot_called(op, "data")] if "data" in op.params else <object> slots[0]
    if op.name == "tensor" and isinstance(data, Tensor) and not named:
        device_number = (<Tensor> data).device
    if op.name in ("as_tensor", "asarray") and not isinstance(data, Tensor) and _factory_functions.on_device(data):
        data = _factory_functions.of_device(data)
    if op.name in ("as_tensor", "asarray") and isinstance(data, Tensor):
        dtype = <object> slots[slot_called(op, "dtype")]
        if op.name == "asarray":
            return tensor_as_array(op, slots, <Tensor> data, dtype, DEVICES[device_number])
        return data.to(DEVICES[device_number]) if dtype is None else data.to(DEVICES[device_number], dtype)
    return make_and_move(op, slots, own, device_number, like)


cdef object tensor_as_array(Op op, PyObject** slots, Tensor data, dtype, where):
    """asarray of a tensor: moved to a device, then as one that is there already."""
    copy = <object> slots[slot_called(op, "copy")]
    tensor = <object> data
    if tensor.device != where:
        if copy is False:
            raise ValueError(f"can't alias tensor from device '{tensor.device}' to '{where}'.")
        tensor, copy = tensor.to(where), None
    made = <Tensor?> op.impl(tensor, copy, dtype)
    return with_requested_grad(made, <object> slots[slot_called(op, "requires_grad")])


cdef object make_and_move(Op op, PyObject** slots, PyObject** own, unsigned int device_number, int like):
    cdef int grad = slot_called(op, "requires_grad"), generator = slot_called(op, "generator"), i
    cdef Tensor result, moved, source
    keep = []
    for i in range(op.n_params):
        if slots[i] == NULL or not isinstance(<object> slots[i], Tensor) or i == op.out_slot:
            continue
        source = <Tensor> slots[i]
        if source.device:              # its values if the op reads them, else its geometry
            keep.append(source.detach().cpu() if i != like
                        or op.options["kind"] == "data" else empty_preserved(0, source, source.code))
            own[i] = <PyObject*> keep[len(keep) - 1]
    if grad >= 0:
        own[grad] = <PyObject*> NO
    if generator >= 0 and device_number:
        if slots[generator] == <PyObject*> None:
            keep.append(_generator.generator_of(device_number))
            own[generator] = <PyObject*> keep[len(keep) - 1]
        else:
            _generator.check_device(<object> slots[generator], device_number, op.name)
    if op.out_slot >= 0:
        own[op.out_slot] = <PyObject*> None
    if op.options["kind"] != "data" and _device_memory.is_capturing(device_number):
        return make_for_graph(op, slots, own, device_number, generator, grad)
    result = run_at(op, own, 0)
    if op.out_slot >= 0 and slots[op.out_slot] != <PyObject*> None:
        target = <object> slots[op.out_slot]
        if op.name in SEQUENCES and target.numel() == (<object> result).numel():
            return target.copy_((<object> result).view(target.shape))
        if tuple(target.shape) != tuple((<object> result).shape):
            _factory.warn_of_count(op.name, target, result)
            target.resize_((<object> result).shape)
        return target.copy_(result)
    if device_number == 0:
        moved = result
    else:
        moved = empty_preserved(device_number, result, result.code)
        copy_into(moved, result)
    if grad >= 0 and <object> slots[grad]:
        _factory.mark_requires_grad(moved)
    return moved


@cython.binding(False)
cdef class Factory:
    """A call of a factory on the host that can be made again."""

    cdef Op op
    cdef list values                   # of each slot: a tuple with its value; () where it is not set

    def __call__(self):
        cdef PyObject* own[16]
        cdef int i
        for i in range(self.op.n_params):
            value = <tuple> self.values[i]
            own[i] = <PyObject*> value[0] if value else NULL
        return run_at(self.op, own, 0)


not_made_by_hand(<PyTypeObject*> Factory)


cdef object make_for_graph(Op op, PyObject** slots, PyObject** own, unsigned int device_number, int generator,
                           int grad):
    """Return the result while the device captures a graph, whose replays draw random numbers anew."""
    cdef Tensor first, moved
    cdef int i
    cdef Factory make = None
    if generator >= 0:
        make = Factory.__new__(Factory)
        make.op, make.values = op, [() if own[i] == NULL else (<object> own[i],) for i in range(op.n_params)]
        before = (<object> own[generator]).clone_state()      # the capture itself draws nothing
        own[generator] = <PyObject*> before
    first = run_at(op, own, 0)
    moved = empty_preserved(device_number, first, first.code)
    _device_memory.upload_in_replays(moved, first, make)
    if op.out_slot >= 0 and slots[op.out_slot] != <PyObject*> None:
        target = <object> slots[op.out_slot]
        if target.numel() == (<object> moved).numel():
            return target.copy_((<object> moved).view(target.shape))
        raise RuntimeError(f"{op.name}: out= has the shape {tuple(target.shape)}, and a graph cannot resize it to "
                           f"{tuple((<object> moved).shape)}")
    if grad >= 0 and <object> slots[grad]:
        _factory.mark_requires_grad(moved)
    return moved
