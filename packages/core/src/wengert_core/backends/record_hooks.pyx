"""What records, for operations that run elsewhere: the engine's hooks and those of users are called with the usual modes."""
from cpython.ref cimport PyObject

from wengert_core.dispatch.op cimport EngineHooks, Op, engine_hooks
from wengert_core.runtime.state cimport WG_ELSEWHERE, WG_FOREIGN, WgState, thread_state
from wengert_core.tensors.tensor cimport Tensor

from wengert_core.devices import device as _device

cdef EngineHooks* HOOKS = engine_hooks()
cdef list PLACED = _device.PLACED
cdef object NOTE = None                # the engine's: told of each recorded tensor and its stream

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
    plugin, index = PLACED[t.device]
    stream = plugin.current_stream(index)
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


def set_note(note):
    """Tell core whom to tell of a recorded tensor and the stream of its operation: note(tensor, stream)."""
    global NOTE
    NOTE = note
