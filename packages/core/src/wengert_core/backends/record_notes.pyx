"""Notes of what was recorded on a device: which stream computed it, for the engine's backward."""
from wengert_core.dispatch.hooks cimport hooks
from wengert_core.tensors.tensor cimport Tensor

from wengert_core.devices import device as _device

cdef list PLUGIN_DEVICES = _device.PLUGIN_DEVICES
cdef object NOTE = None


cdef int note_stream(Tensor t) except -1:
    plugin, index = PLUGIN_DEVICES[t.device]
    stream = plugin.current_stream(index)
    if stream is not None:
        NOTE(t, stream)
    return 0


def set_note(note):
    """Tell core whom to tell of a recorded tensor and the stream of its operation: note(tensor, stream)."""
    global NOTE
    NOTE = note
    hooks().note_stream = note_stream
