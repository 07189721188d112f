"""Events of a recording: what is written when something begins, and when it ends. See event_writer.pxd."""
import sys

from cpython.ref cimport Py_DECREF
from libc.stdint cimport uint32_t, uint64_t

from wengert_core.dispatch.dispatcher cimport dispatch_to_driver
from wengert_core.dispatch.hooks cimport EVENT_CUSTOM, EVENT_FUNCTION, EVENT_MEMORY, EVENT_OP
from wengert_core.runtime.allocator cimport MemoryStats, memory_stats
from wengert_core.runtime.state cimport WG_OBSERVE, WgState, thread_state
from wengert_core.tensors.tensor cimport Tensor
from wengert_engine.graph.node cimport Node, last_number
from wengert_engine.observe.argument_shapes cimport shapes_of
from wengert_engine.observe.clock cimport wengert_ticks
from wengert_engine.observe.event_buffer cimport (RECORD_MEMORY, RECORD_RESULTS, RECORD_SHAPES, RECORD_STACKS, Event,
                                                  keep, new_event)

cdef MemoryStats* MEMORY = memory_stats()
cdef str POINTWISE = sys.intern("pointwise")
cdef str REDUCTION = sys.intern("reduction")

# What runs an op: NULL, and an exception is set.
ctypedef PyObject* (*Run)(Op, PyObject**) noexcept
ctypedef PyObject* (*Single)(Op, PyObject*) noexcept
ctypedef PyObject* (*Pair)(Op, PyObject*, PyObject*) noexcept


cdef int64_t note_memory(Observer here, Py_ssize_t change) noexcept:
    cdef Event* event = new_event(here.recording)
    if event == NULL:
        return -1
    event.kind, event.parent, event.thread, event.sequence = EVENT_MEMORY, -1, here.thread, -1
    event.memory = change
    event.start = event.end = wengert_ticks(here.recording.counter)
    return here.recording.n - 1


cdef inline Event* begin_event(
    Observer here, Recording recording, int kind, PyObject* what, PyObject* const* args, Py_ssize_t n_args, int out_slot
) noexcept:
    """A new event that begins now; NULL: there is no memory left."""
    cdef int options = recording.options
    cdef Event* event
    if options & RECORD_MEMORY and here.open < 0 and MEMORY.in_use != here.in_use:
        note_memory(here, MEMORY.in_use - here.in_use)
    event = new_event(recording)
    if event == NULL:
        return NULL
    keep(recording, what)
    event.what, event.kind, event.parent = what, kind, here.open
    event.thread, event.depth = here.thread, here.depth
    event.memory = MEMORY.in_use
    event.third = n_args > 2 and args[2] != NULL and args[2] != <PyObject*> None
    if options & RECORD_SHAPES:
        event.shapes = shapes_of(recording, args, n_args, out_slot)
    if options & RECORD_STACKS:
        event.stack = recording.stack()
    here.open = recording.n - 1
    here.depth += 1
    event.start = wengert_ticks(recording.counter)
    return event


cdef int64_t open_event(
    Observer here, int kind, PyObject* what, PyObject* const* args, Py_ssize_t n_args, int out_slot
) noexcept:
    cdef Event* event = begin_event(here, here.recording, kind, what, args, n_args, out_slot)
    if event == NULL:
        return -1
    event.sequence = last_number() if kind == EVENT_OP or kind == EVENT_CUSTOM else -1       # until it ends
    return here.open


cdef void close_event(Observer here, Recording recording, int64_t index, PyObject* result) noexcept:
    cdef int64_t end = wengert_ticks(recording.counter)
    cdef Event* event
    cdef uint64_t before
    if recording.closed:                     # another thread has read it
        here.open = -1
        return
    event = recording.at(<uint32_t> index)
    if event.end:
        return
    if recording.options & RECORD_RESULTS and result != NULL:
        event.result = shapes_of(recording, &result, 1, -1)
    if event.kind == EVENT_OP or event.kind == EVENT_CUSTOM:
        before = <uint64_t> event.sequence
        event.sequence = -1
        if last_number() > before:
            event.sequence = last_number() if result == NULL else number_of(result, before)
    finish(here, recording, event, end, MEMORY.in_use - event.memory)


cdef inline void finish(Observer here, Recording recording, Event* event, int64_t end, Py_ssize_t memory) noexcept:
    """What all events end with. Their sequence numbers are there."""
    cdef Event* parent
    event.end = end
    event.memory = memory
    here.open, here.depth, here.in_use = event.parent, event.depth, MEMORY.in_use
    if event.sequence >= 0 and event.parent >= 0:
        parent = recording.at(<uint32_t> event.parent)
        if parent.kind == EVENT_FUNCTION and parent.sequence < 0 and not parent.end:
            parent.sequence = event.sequence     # of the first node that it records, as torch has it


cdef int64_t number_of(PyObject* result, uint64_t before) noexcept:
    """The number of the node that recorded a result; -1 when it is not younger than ``before``."""
    cdef PyObject* node
    if isinstance(<object> result, (list, tuple)) and len(<object> result):
        item = (<object> result)[0]
        return number_of(<PyObject*> item, before) if not isinstance(item, (list, tuple)) else -1
    if not isinstance(<object> result, Tensor):
        return -1
    node = (<Tensor> result).grad_fn
    return <int64_t> (<Node> node).sequence if node != NULL and (<Node> node).sequence > before else -1


# ---- an op, where nobody but a recording observes

cdef inline PyObject* run_shortly(Op op, PyObject** slots) noexcept:
    """Run by the op's shortcut for one or two arguments, where all others have their defaults."""
    cdef int n = op.n_params
    if op.family is not POINTWISE and op.family is not REDUCTION:        # shortcuts of others take a list's items, too
        return (<Run> dispatch_to_driver)(op, slots)
    while n > 0 and slots[n - 1] == op.defaults[n - 1]:
        n -= 1
    if n == 1 and op.call1 != NULL:
        return (<Single> op.call1)(op, slots[0])
    if n == 2 and op.call2 != NULL:
        return (<Pair> op.call2)(op, slots[0], slots[1])
    return (<Run> dispatch_to_driver)(op, slots)


cdef object run_recorded(Op op, PyObject** slots, Observer here):
    cdef WgState* state = thread_state()
    cdef Recording recording = here.recording        # it lives on, whatever the op runs
    cdef uint64_t before = last_number()
    cdef int64_t end
    cdef PyObject* result
    cdef Event* event
    state.modes &= ~(<unsigned int> WG_OBSERVE)
    event = begin_event(here, recording, EVENT_OP, <PyObject*> op, slots, op.n_params, op.out_slot)
    if event != NULL:
        event.sequence = -1
    result = run_shortly(op, slots)
    end = wengert_ticks(recording.counter)
    if here.active:
        state.modes |= WG_OBSERVE
    if event != NULL and recording is here.recording and not recording.closed and not event.end:
        if result != NULL:
            if last_number() > before:
                event.sequence = number_of(result, before)
            if recording.options & RECORD_RESULTS:
                event.result = shapes_of(recording, &result, 1, -1)
        finish(here, recording, event, end, MEMORY.in_use - event.memory)
    if result == NULL:
        raise_current()
    out = <object> result
    Py_DECREF(out)                       # ``out`` holds it now
    return out


cdef int raise_current() except -1:
    """Raise the exception that is set."""
    return -1
