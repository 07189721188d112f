"""A driver, run for a device; and memory there for its results."""
from cpython.ref cimport PyObject

from wengert_core.dispatch.dispatcher cimport dispatch
from wengert_core.dispatch.op cimport Op
from wengert_core.exchange.device_memory cimport forget_fresh
from wengert_core.runtime.state cimport WG_ON_DEVICE, WG_FOREIGN, WgState, thread_state
from wengert_core.tensors.memory_format cimport new_preserved
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor

from wengert_core.devices import device as _device

cdef list PLUGIN_DEVICES = _device.PLUGIN_DEVICES


cdef object run_at(Op op, PyObject** slots, unsigned int device_number):
    """The op's driver, for a device (0: the host, on tensors whose memory it does not touch)."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes, before = state.device_number
    token = None
    if device_number:                  # before anything is switched: a plugin, or Ctrl-C in it, may raise an error
        plugin, index = PLUGIN_DEVICES[device_number]
        token = plugin.enter(index)
        forget_fresh()
    state.modes = modes & ~(<unsigned int> (WG_FOREIGN | WG_ON_DEVICE))
    if device_number:
        state.modes |= WG_ON_DEVICE
    state.device_number = device_number
    try:
        return dispatch(op, slots)
    finally:
        state.modes, state.device_number = modes, before
        if device_number:
            forget_fresh()
            plugin.leave(token)


cdef Tensor pinned_copy_target(Tensor t):
    """Pinned memory for a copy to the host that is not waited for; None where there is none, or t is not contiguous."""
    from wengert_core.backends.pinning import pinned_like
    if not t.flags & TF_CONTIGUOUS:
        return None
    try:
        return pinned_like(PLUGIN_DEVICES[t.device][0], t)
    except RuntimeError:
        return None


cdef Tensor empty_preserved(unsigned int device_number, Tensor t, int code):
    """An empty tensor on a device with t's shape, its strides in t's order."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes, before = state.device_number
    state.modes = modes & ~(<unsigned int> WG_ON_DEVICE)
    if device_number:
        state.modes |= WG_ON_DEVICE
    state.device_number = device_number
    try:
        return new_preserved(t, code)
    finally:
        state.modes, state.device_number = modes, before
