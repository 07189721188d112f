"""Observing operations: what is done when one runs in a thread that is observed, and how that is asked for.

Who observes a thread: observers.pyx. What a recording gets: event_writer.pyx; what a listener is told: listeners.pyx.
"""
from cpython.object cimport PyTypeObject
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t, uint32_t

from wengert_core.dispatch.dispatcher cimport dispatch, intercept
from wengert_core.dispatch.hooks cimport EVENT_CUSTOM, EVENT_LABEL, EVENT_NODE, EVENT_OP, EVENT_ROOT, Hooks, hooks
from wengert_core.dispatch.op cimport OP_INPLACE, OP_MULTI_VIEW, OP_VIEW, Op
from wengert_core.runtime.allocator cimport MemoryStats, memory_stats
from wengert_core.runtime.state cimport (WG_BATCHED, WG_DERIVING, WG_FOREIGN, WG_OBSERVE, WG_TELL, WgState,
                                         thread_state)
from wengert_core.tensors.tensor cimport Tensor
from wengert_engine.graph.node cimport NODE_ACCUMULATE, Node, last_number, saved_slots
from wengert_engine.graph.tensor_attributes cimport set_alias_hook
from wengert_engine.observe.event_buffer cimport RECORD_MEMORY, Recording
from wengert_engine.observe.event_writer cimport close_event, note_memory, open_event, run_recorded
from wengert_engine.observe.listeners cimport tell, tell_end
from wengert_engine.observe.observers cimport Observer, current, new_interceptor, observer, run_intercepted
from wengert_engine.observe.tracers cimport Tracer
from wengert_engine.record.saved_hooks_stack cimport pack_later, wait_with_packing

cdef extern from "Python.h":
    PyTypeObject* Py_TYPE(PyObject* o) noexcept

cdef Hooks* HOOKS = hooks()
cdef MemoryStats* MEMORY = memory_stats()
cdef int64_t TOLD = <int64_t> 1 << 62   # in what stands for an event: the listener was told
# In what stands for an event: where it is recorded, and one; above that the recording's serial number.
cdef int64_t INDEX = (<int64_t> 1 << 34) - 1


# ---- begin and end

cdef int64_t begin_for(
    Observer here, int kind, PyObject* what, PyObject* const* args, Py_ssize_t n_args, int out_slot
) noexcept:
    """What stands for a new event: where it is recorded, and whether the listener knows of it."""
    cdef int64_t event = 0
    cdef int64_t index
    cdef PyObject* named = what
    if here.listener is not None and tell(here, kind, what, args, n_args, out_slot):
        event = TOLD
    if here.recording is not None:
        if kind == EVENT_NODE:
            named = <PyObject*> Py_TYPE(what)
        index = open_event(here, kind, named, args, n_args, out_slot)
        if index >= 0:
            event |= here.recording.serial << 34 | (index + 1)
            if kind == EVENT_NODE and (<Node> what).kind != NODE_ACCUMULATE:
                here.recording.at(<uint32_t> index).sequence = (<Node> what).sequence
    return event if event else -1


cdef void end_for(Observer here, int64_t event, PyObject* result) noexcept:
    cdef int64_t index = (event & INDEX) - 1
    if event < 0:
        return
    if index >= 0 and here.recording is not None and here.recording.serial == (event & ~TOLD) >> 34:
        close_event(here, here.recording, index, result)
    if event & TOLD:
        tell_end(here)


cdef int64_t begin_event(int kind, PyObject* what, PyObject* const* args, Py_ssize_t n) noexcept:
    cdef PyObject* here = current()
    if here == NULL:
        return -1
    if (<Observer> here).tracer is not None:
        if kind == EVENT_ROOT:
            tell_wanted((<Observer> here).tracer, args, n)
        else:
            tell_python((<Observer> here).tracer, kind, what)
    return begin_for(<Observer> here, kind, what, args, n if kind != EVENT_ROOT else 0, -1)


cdef void end_event(int64_t event) noexcept:
    cdef PyObject* here = current()
    if here != NULL:
        end_for(<Observer> here, event, NULL)


cdef int tell_wanted(Tracer tracer, PyObject* const* nodes, Py_ssize_t n) except -1:
    """Tell a tracer of the leaves, and of the nodes from before the tracing, whose gradients a backward is asked for:
    it may come to none of them.
    """
    cdef Node node
    cdef Py_ssize_t i
    for i in range(n):
        node = <Node> nodes[i]
        if node.kind == NODE_ACCUMULATE:
            tracer.note_wanted(<Tensor> saved_slots(node)[0].value)
        elif node.sequence <= tracer.last_node:
            tracer.note_wanted_node(node)
    return 0


cdef int tell_python(Tracer tracer, int kind, PyObject* what) except -1:
    """Tell a tracer of a custom Function, and of the hooks of a node that is about to run."""
    cdef Node node
    cdef Tensor leaf
    if kind == EVENT_CUSTOM:
        return tracer.note_python(<object> what)
    if kind != EVENT_NODE:
        return 0
    node = <Node> what
    tracer.has_run_nodes = True
    if node.kind != NODE_ACCUMULATE and node.sequence <= tracer.last_node:
        tracer.note_old_node()
    if node.extra != NULL:
        tell_hooks(tracer, node.extra.pre_hooks)
        tell_hooks(tracer, node.extra.post_hooks)
        if node.extra.tensor_hooks != NULL:
            for of_output in (<dict> node.extra.tensor_hooks).values():
                tell_hooks(tracer, <PyObject*> of_output)
    if node.kind == NODE_ACCUMULATE:
        leaf = <Tensor> saved_slots(node)[0].value
        if leaf.extra != NULL:
            tell_hooks(tracer, leaf.extra.hooks)
            tell_hooks(tracer, leaf.extra.post_hooks)
    return 0


cdef int tell_hooks(Tracer tracer, PyObject* by_id) except -1:
    if by_id != NULL:
        for hook in list((<dict> by_id).values()):
            tracer.note_python(hook)
    return 0


# ---- an op

cdef object run_observed(Op op, PyObject** slots, uint32_t live):
    """An op of an observed thread."""
    cdef PyObject* here = current()
    if live & WG_FOREIGN and not live & WG_BATCHED and has_batched(op, slots):
        live |= WG_BATCHED             # of another level than the present one, as tangents of an outer one's values
    if here != NULL and (<Observer> here).interceptor is not None and not live & WG_BATCHED:
        return run_intercepted(op, slots, live, <Observer> here)
    if here != NULL and (<Observer> here).only_records and not live & (WG_BATCHED | WG_FOREIGN):
        return run_recorded(op, slots, <Observer> here)
    if here != NULL and (<Observer> here).tracer is not None and not live & WG_BATCHED:
        return run_traced(op, slots, live, <Observer> here)
    return run_in_full(op, slots, live, observer())


cdef bint has_batched(Op op, PyObject** slots) except -1:
    """Whether a tensor among the arguments is batched; the thread's bit says whether vmap has a level just now."""
    cdef int i
    for i in range(op.n_params):
        if slots[i] == NULL:
            continue
        if isinstance(<object> slots[i], Tensor):
            if (<Tensor> slots[i]).flags & WG_BATCHED:
                return True
        elif isinstance(<object> slots[i], (tuple, list)):
            for item in <object> slots[i]:
                if isinstance(item, Tensor) and (<Tensor> item).flags & WG_BATCHED:
                    return True
    return False


cdef object run_traced(Op op, PyObject** slots, uint32_t live, Observer here):
    """An op that a tracer is told of."""
    cdef Tracer tracer = here.tracer
    if here.watcher is not None:       # what it does are operations as others
        see_writes(here.watcher, op, slots)
    cdef list waiting = [] if thread_state().saved_hooks != NULL else None
    cdef PyObject* before = wait_with_packing(<PyObject*> waiting if waiting is not None else NULL)
    thread_state().modes &= ~(<unsigned int> WG_OBSERVE)
    try:
        tracer.begin(op, slots)
        try:
            if live & WG_FOREIGN:
                result = intercept(op, slots, live & ~(<uint32_t> WG_OBSERVE))
            elif op.call1 != NULL and has_defaults(op, slots, 1):
                result = op.call1(op, slots[0])
            elif op.call2 != NULL and has_defaults(op, slots, 2):
                result = op.call2(op, slots[0], slots[1])
            else:
                result = dispatch(op, slots)
        except BaseException:
            tracer.fail(op, slots)
            raise
        tracer.end(op, slots, <PyObject*> result)
    finally:
        wait_with_packing(before)
        here.settle()
    if waiting:
        pack_later(waiting, before)
    return result


cdef inline bint has_defaults(Op op, PyObject** slots, int first) noexcept:
    """Whether only the first slots hold something, which are positional: the op's shortcuts take no others."""
    cdef int i
    if op.n_positional < first:
        return False
    for i in range(first):
        if slots[i] == NULL:
            return False
    for i in range(first, op.n_params):
        if slots[i] != op.defaults[i]:
            return False
    return True


cdef object run_in_full(Op op, PyObject** slots, uint32_t live, Observer here):
    """Whoever observes, and wherever it runs."""
    cdef WgState* state = thread_state()
    cdef Recording recording = here.recording
    cdef int64_t event = -1
    cdef PyObject* given = NULL
    cdef int device_number = 0                 # the device whose events time it; a view gives no device work
    timed = None
    if not live & WG_BATCHED:
        state.modes &= ~(<unsigned int> WG_OBSERVE)
    try:
        if here.watcher is not None and not live & WG_BATCHED:
            see_writes(here.watcher, op, slots)
        if recording is not None and recording.timer is not None and not op.flags & (OP_VIEW | OP_MULTI_VIEW):
            device_number = recording.timer.device_number(op, arguments_of(op, slots))
        if recording is not None or here.listener is not None:
            event = begin_for(here, EVENT_OP, <PyObject*> op, slots, op.n_params, op.out_slot)
        if device_number and event > 0 and event & INDEX > 0:
            timed = recording.timer.begin(device_number)
        if not live & (WG_BATCHED | WG_FOREIGN) or live & (WG_BATCHED | WG_DERIVING) == WG_DERIVING:
            result = dispatch(op, slots)
        else:
            result = intercept(op, slots, live & ~(<uint32_t> WG_OBSERVE))
        given = <PyObject*> result
        return result
    finally:
        if timed is not None:
            recording.timer.end(timed, (event & INDEX) - 1)
        if event >= 0:
            end_for(here, event, given)
        here.settle()


cdef list arguments_of(Op op, PyObject** slots):
    cdef int i
    return [<object> slots[i] if slots[i] != NULL else None for i in range(op.n_params)]


cdef int see_writes(object watcher, Op op, PyObject** slots) except -1:
    if op.flags & OP_INPLACE:
        watcher(<object> slots[0])
    if op.out_slot >= 0 and slots[op.out_slot] != NULL and isinstance(<object> slots[op.out_slot], Tensor):
        watcher(<object> slots[op.out_slot])
    return 0


cdef int note_grad(Tensor leaf) except -1:
    cdef PyObject* here = current()
    if here != NULL and (<Observer> here).tracer is not None:
        (<Observer> here).tracer.note_grad(leaf)
    return 0


cdef int note_alias(Tensor source, Tensor made) except -1:
    cdef PyObject* here = current()
    if here != NULL and (<Observer> here).tracer is not None:
        (<Observer> here).tracer.note_alias(source, made)
    return 0


cdef int note_version(Tensor t) except -1:
    """Tell a tracer of a version that is about to rise, by no operation."""
    cdef PyObject* here = current()
    if here != NULL and (<Observer> here).tracer is not None:
        (<Observer> here).tracer.note_version(t)
    return 0


HOOKS.run_observed, HOOKS.begin_event, HOOKS.end_event = run_observed, begin_event, end_event
HOOKS.note_grad = note_grad
set_alias_hook(note_alias)


# ---- from Python

def watch(callback):
    """Call ``callback(tensor)`` before this thread's operations write to a tensor; None: no more."""
    cdef Observer here = observer()
    here.watcher = callback
    here.settle()


def trace(Tracer tracer or None):
    """Tell a tracer of this thread's operations; None: no more. RuntimeError when the thread is observed already."""
    cdef Observer here = observer()
    if tracer is not None and here.active:
        raise RuntimeError("the thread is observed already, by a profiler or a capture: it cannot be traced")
    here.tracer = tracer
    here.settle()
    if tracer is not None and not tracer.last_node:    # one that goes on keeps its number
        tracer.last_node = last_number()
    if tracer is not None:
        thread_state().modes |= WG_TELL
    else:
        thread_state().modes &= ~(<unsigned int> WG_TELL)


def push_interceptor(function):
    """Call ``function(call)`` in place of each operation of this thread, until ``pop_interceptor``; return its result.

    call: an ``OpCall``. TypeError for what cannot be called.
    """
    cdef Observer here = observer()
    if not callable(function):
        raise TypeError("push_interceptor(): argument 'function' must be a function of an OpCall, not "
                        f"{type(function).__name__}")
    here.interceptor = new_interceptor(function, here.interceptor)
    here.settle()


def pop_interceptor():
    """Undo the last ``push_interceptor`` of this thread. RuntimeError where there is none."""
    cdef Observer here = observer()
    if here.interceptor is None:
        raise RuntimeError("pop_interceptor(): this thread has no interceptor; leave each context in its thread")
    here.interceptor = here.interceptor.below
    here.settle()


def current_tracer():
    """Return the tracer that is told of this thread's operations; None: there is none."""
    cdef PyObject* here = current()
    return (<Observer> here).tracer if here != NULL else None


def is_observed():
    """Return whether this thread is observed: by a profiler, a listener, or a tracer."""
    cdef PyObject* here = current()
    return here != NULL and (<Observer> here).active


def is_only_recorded():
    """Return whether a recording of events is all that observes this thread."""
    cdef PyObject* here = current()
    return here != NULL and (<Observer> here).only_records


cdef int begin_to_record(Recording recording, int thread) except -1:
    cdef Observer here = observer()
    if here.recording is not None:
        raise RuntimeError("Profiler is already enabled on this thread.")
    here.recording, here.open, here.depth, here.thread = recording, -1, 0, thread
    here.in_use = MEMORY.in_use
    here.settle()
    return 0


def start(Recording recording):
    """Record what this thread does from now on. RuntimeError when it is being recorded already."""
    begin_to_record(recording, recording.n_threads)
    recording.n_threads += 1


def resume(Recording recording):
    """Go on with a recording that ``stop`` was called for, in the thread that began it."""
    begin_to_record(recording, 0)


def stop():
    """Record no more; what is still running ends now. Gives the recording, or None."""
    cdef Observer here = observer()
    recording = here.recording
    if here.recording is not None:
        if here.recording.options & RECORD_MEMORY and here.open < 0 and here.in_use != MEMORY.in_use:
            note_memory(here, MEMORY.in_use - here.in_use)         # what has changed since the last event
        while here.open >= 0:
            close_event(here, here.recording, here.open, NULL)
    here.recording = None
    here.settle()
    return recording


def listen(listener):
    """Let an object be told of what this thread does: ``begin(kind, what, number, shapes)`` and ``end()``; None: no
    more.

    Its ``record_shapes`` says whether it wants shapes. RuntimeError when the thread has a listener.
    """
    cdef Observer here = observer()
    if listener is not None and here.listener is not None:
        raise RuntimeError("Profiler is already enabled on this thread.")
    here.listener = listener
    here.settle()


def current_recording():
    """The recording that this thread writes to; None when there is none."""
    cdef PyObject* here = current()
    return (<Observer> here).recording if here != NULL else None


def note():
    """Record a change in a device's memory between operations; return the event's index; -1: not in this thread."""
    cdef PyObject* here = current()
    return note_memory(<Observer> here, 0) if here != NULL and (<Observer> here).recording is not None else -1


def begin_label(name):
    """A label begins; gives what ``end`` takes, -1 when nobody observes this thread."""
    if current() == NULL or not thread_state().modes & WG_OBSERVE:
        return -1
    return begin_event(EVENT_LABEL, <PyObject*> name, NULL, 0)


def end(int64_t event):
    """A label ends."""
    end_event(event)
