"""A driver, run for a device; and memory there for its results."""
from cpython.ref cimport PyObject

from wengert_core.dispatch.dispatcher cimport dispatch
from wengert_core.dispatch.op cimport Op
from wengert_core.exchange.device_memory cimport forget_fresh
from wengert_core.runtime.state cimport WG_ELSEWHERE, WG_FOREIGN, WgState, thread_state
from wengert_core.tensors.memory_format cimport new_preserved
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor

from wengert_core.devices import device as _device

cdef list PLACED = _device.PLACED


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
            return dispatch(op, slots)
        finally:
            state.modes, state.place = modes, before
    plugin, index = PLACED[place]
    token = plugin.enter(index)
    forget_fresh()
    try:
        return dispatch(op, slots)
    finally:
        forget_fresh()
        state.modes, state.place = modes, before
        plugin.leave(token)


cdef Tensor pinned_for(Tensor t):
    """Pinned memory for a copy to the host that is not waited for; None where there is none, or t is not contiguous."""
    from wengert_core.backends.pinning import pinned_like
    if not t.flags & TF_CONTIGUOUS:
        return None
    try:
        return pinned_like(PLACED[t.device][0], t)
    except RuntimeError:
        return None


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
