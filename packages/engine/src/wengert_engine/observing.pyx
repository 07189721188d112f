"""Observing operations: who uses WG_OBSERVE in a thread, and what is done when one runs.

Note [Observers of a thread]
    There are three uses: a recording (``start``), a listener that is called as things happen (``listen``), and a look at every
    write (``watch``). A thread's Observer has them all; the thread's WG_OBSERVE is on when it has one. While an op runs the bit
    is off, so what an op consists of is not observed; functions of ops, nodes and Functions leave it on, and enclose what they
    run. What is on another device or batched is run by its package with the bit on: its operations are events inside.
"""
from _thread import _local

from cpython.object cimport PyTypeObject
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t, uint32_t, uint64_t

from wengert_core.caution import warn_user
from wengert_core.memory cimport MemoryStats, memory_stats
from wengert_core.observer cimport (EVENT_CUSTOM, EVENT_FUNCTION, EVENT_LABEL, EVENT_MEMORY, EVENT_NODE, EVENT_OP, ObserverHooks,
                                    observer_hooks)
from wengert_core.op cimport OP_INPLACE, EngineHooks, Op, engine_hooks
from wengert_core.state cimport WG_BATCHED, WG_FOREIGN, WG_GRAD, WG_OBSERVE, WgState, thread_state
from wengert_core.tensor cimport Tensor
from wengert_engine.node cimport NODE_ACCUMULATE, Node, last_number
from wengert_engine.recording cimport (RECORD_MEMORY, RECORD_RESULTS, RECORD_SHAPES, RECORD_STACKS, Event, Recording, clock)

cdef extern from "Python.h":
    PyTypeObject* Py_TYPE(PyObject* o) noexcept

cdef extern from *:
    """
    static __thread PyObject *wengert_observer = NULL;      /* the thread's Observer, borrowed from HERE */
    """
    PyObject* wengert_observer

cdef enum:
    MAX_WORDS = 512                    # numbers of an event's shapes that are kept

cdef EngineHooks* HOOKS = engine_hooks()
cdef ObserverHooks* OBSERVER = observer_hooks()
cdef MemoryStats* MEMORY = memory_stats()
cdef object HERE = _local()
cdef int64_t TOLD = <int64_t> 1 << 62   # in what stands for an event: the listener was told


cdef class Observer:
    """What observes a thread."""
    cdef Recording recording           # or None
    cdef object listener               # or None
    cdef object watcher                # called with every tensor that is about to be written to; or None
    cdef int open                      # index of the innermost running event of the recording; -1: none
    cdef int thread                    # this thread's number in the recording
    cdef int depth
    cdef bint active                   # it is one of those that ACTIVE counts
    cdef Py_ssize_t in_use             # bytes when the last event ended

    def __dealloc__(self):
        if wengert_observer == <PyObject*> self:     # the thread ends; what is finalized after this is not observed
            set_here(NULL)
        if self.active:
            count_active(-1)

    cdef int settle(self) noexcept:
        """Let the thread's mode say whether there is something to do."""
        cdef WgState* state = thread_state()
        cdef bint active = self.recording is not None or self.listener is not None or self.watcher is not None
        if active:
            state.modes |= WG_OBSERVE
        else:
            state.modes &= ~(<unsigned int> WG_OBSERVE)
        if active != self.active:
            self.active = active
            count_active(1 if active else -1)
        return 0


cdef int ACTIVE = 0                    # threads that are observed


cdef void count_active(int change) noexcept:
    """While there are any, functions of ops look whether theirs is one."""
    global ACTIVE
    ACTIVE += change
    if ACTIVE == (1 if change > 0 else 0) and OBSERVER.observe_functions != NULL:
        OBSERVER.observe_functions(ACTIVE > 0)


cdef Observer observer():
    """This thread's, made when absent."""
    if wengert_observer != NULL:
        return <Observer> wengert_observer
    cdef Observer made = Observer()
    made.open = -1
    HERE.observer = made
    set_here(<PyObject*> made)
    OBSERVER.run_op, OBSERVER.begin, OBSERVER.end = run_observed, begin_event, end_event
    return made


cdef void set_here(PyObject* made) noexcept:
    global wengert_observer
    wengert_observer = made


# ---- shapes

cdef int write_shape(PyObject* value, int64_t* words, int n, bint inside) noexcept:
    """Append what an argument is: its rank and sizes, -1 for no tensor, -2 - k for k tensors which follow. The new n."""
    cdef int i
    if n + 66 > MAX_WORDS:
        return n
    if value == NULL:
        words[n] = -1
        return n + 1
    if isinstance(<object> value, Tensor):
        words[n] = (<Tensor> value).rank
        for i in range((<Tensor> value).rank):
            words[n + 1 + i] = (<Tensor> value).dims[i]
        return n + 1 + (<Tensor> value).rank
    if not inside and isinstance(<object> value, (list, tuple)) and len(<object> value) and isinstance((<object> value)[0], Tensor):
        words[n] = -2 - min(len(<object> value), 64)
        n += 1
        for i in range(min(len(<object> value), 64)):
            item = (<object> value)[i]
            n = write_shape(<PyObject*> item, words, n, True)
        return n
    words[n] = -1
    return n + 1


cdef uint32_t shapes_of(Recording recording, PyObject* const* args, Py_ssize_t n_args, int out_slot) noexcept:
    cdef int64_t words[MAX_WORDS]
    cdef Py_ssize_t i
    cdef int n = 0
    for i in range(n_args):
        if i != out_slot or (args[i] != NULL and args[i] != <PyObject*> None):
            n = write_shape(args[i], words, n, False)
    return recording.intern(&recording.words, words, n)


cdef list shapes_listed(PyObject* const* args, Py_ssize_t n_args, int out_slot):
    """The sizes of tensor arguments, [] for others: what a listener is told."""
    cdef Py_ssize_t i
    found = []
    for i in range(n_args):
        if args[i] != NULL and isinstance(<object> args[i], Tensor):
            found.append(list((<object> args[i]).shape))
        elif args[i] != NULL and isinstance(<object> args[i], (list, tuple)) and len(<object> args[i]) \
                and isinstance((<object> args[i])[0], Tensor):
            found.append([list(t.shape) if isinstance(t, Tensor) else [] for t in <object> args[i]])
        elif i != out_slot or (args[i] != NULL and args[i] != <PyObject*> None):
            found.append([])
    return found


# ---- events

cdef int64_t open_event(Observer here, int kind, PyObject* what, PyObject* const* args, Py_ssize_t n_args, int out_slot) noexcept:
    """A new event that begins now; its index, or -1 when there is no memory left."""
    cdef Recording recording = here.recording
    cdef int options = recording.options
    cdef Py_ssize_t in_use = MEMORY.in_use
    cdef Event* event
    if options & RECORD_MEMORY and here.open < 0 and in_use != here.in_use:
        event = recording.add()
        if event == NULL:
            return -1
        event.kind, event.parent, event.thread, event.sequence = EVENT_MEMORY, -1, here.thread, -1
        event.memory = in_use - here.in_use
        event.start = event.end = clock()
    event = recording.add()
    if event == NULL:
        return -1
    recording.keep(what)
    event.what, event.kind, event.parent = what, kind, here.open
    event.thread, event.depth = here.thread, here.depth
    event.sequence = -1
    if kind == EVENT_OP or kind == EVENT_CUSTOM:
        event.sequence = last_number()       # until it ends
    event.memory = in_use
    if options & RECORD_SHAPES:
        event.shapes = shapes_of(recording, args, n_args, out_slot)
    if options & RECORD_STACKS:
        event.stack = recording.stack()
    here.open = recording.n - 1
    here.depth += 1
    event.start = clock()
    return recording.n - 1


cdef void close_event(Observer here, Recording recording, int64_t index, PyObject* result) noexcept:
    """The event ends now; so do those inside which an exception has left open."""
    cdef int64_t end = clock()
    cdef Event* event
    cdef Event* parent
    cdef uint64_t before
    if recording.closed:                     # another thread has read it
        here.open = -1
        return
    event = recording.at(<uint32_t> index)
    if event.end:
        return
    event.end = end
    event.memory = MEMORY.in_use - event.memory
    here.open, here.depth, here.in_use = event.parent, event.depth, MEMORY.in_use
    if recording.options & RECORD_RESULTS and result != NULL:
        event.result = shapes_of(recording, &result, 1, -1)
    if event.kind == EVENT_OP or event.kind == EVENT_CUSTOM:
        before = <uint64_t> event.sequence
        event.sequence = -1
        if last_number() > before:
            event.sequence = last_number() if result == NULL else number_of(result, before)
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


cdef int64_t expected_number(PyObject* const* args, Py_ssize_t n_args):
    """The number of the node which an op would record: leaves that are used for the first time get theirs before it."""
    cdef int64_t number = last_number() + 1
    cdef Py_ssize_t i
    cdef set seen = set()
    if not thread_state().modes & WG_GRAD:
        return 0
    for i in range(n_args):
        if args[i] == NULL:
            continue
        for item in (<object> args[i] if isinstance(<object> args[i], (list, tuple)) else (<object> args[i],)):
            if isinstance(item, Tensor) and (<Tensor> item).flags & WG_GRAD and (<Tensor> item).grad_fn == NULL \
                    and ((<Tensor> item).extra == NULL or (<Tensor> item).extra.accumulate == NULL):
                seen.add(id(item))
    return number + len(seen)


cdef bint tell(Observer here, int kind, PyObject* what, PyObject* const* args, Py_ssize_t n_args, int out_slot) noexcept:
    """Tell the listener that something begins; whether that was possible. One that raises is told nothing more."""
    cdef Node node
    cdef int64_t number = -1
    try:
        if kind == EVENT_NODE:
            node = <Node> what
            if node.kind != NODE_ACCUMULATE:
                number = <int64_t> node.sequence
            what = <PyObject*> Py_TYPE(what)
        else:
            number = expected_number(args, n_args)
        here.listener.begin(kind, <object> what, number, shapes_listed(args, n_args, out_slot) if here.listener.record_shapes else None)
    except Exception as error:
        dismiss(here, error)
        return False
    return True


cdef int tell_end(Observer here) noexcept:
    if here.listener is None:
        return 0
    try:
        here.listener.end()
    except Exception as error:
        dismiss(here, error)
    return 0


cdef int dismiss(Observer here, object error) except -1:
    """A listener has failed: the program that it listens to goes on without it."""
    name = type(here.listener).__name__
    here.listener = None
    warn_user(f"profiler: {name} raised {type(error).__name__}: {error}. It gets no more events", RuntimeWarning)
    return 0


cdef int64_t begin_for(Observer here, int kind, PyObject* what, PyObject* const* args, Py_ssize_t n_args, int out_slot) noexcept:
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
    cdef int64_t index = (event & ((<int64_t> 1 << 34) - 1)) - 1
    if event < 0:
        return
    if index >= 0 and here.recording is not None and here.recording.serial == (event & ~TOLD) >> 34:
        close_event(here, here.recording, index, result)
    if event & TOLD:
        tell_end(here)


cdef int64_t begin_event(int kind, PyObject* what, PyObject* const* args, Py_ssize_t n) noexcept:
    return begin_for(<Observer> wengert_observer, kind, what, args, n, -1) if wengert_observer != NULL else -1


cdef void end_event(int64_t event) noexcept:
    if wengert_observer != NULL:
        end_for(<Observer> wengert_observer, event, NULL)


cdef object run_observed(Op op, PyObject** slots, uint32_t live):
    """An op of an observed thread."""
    cdef WgState* state = thread_state()
    cdef Observer here = observer()
    cdef bint batched = live & WG_BATCHED != 0                 # what it is made of is observed, too
    cdef bint elsewhere = batched or live & WG_FOREIGN != 0
    cdef int64_t event = -1
    cdef PyObject* given = NULL
    if not batched:
        state.modes &= ~(<unsigned int> WG_OBSERVE)
    try:
        if here.watcher is not None and not batched:
            see_writes(here.watcher, op, slots)
        if here.recording is not None or here.listener is not None:
            event = begin_for(here, EVENT_OP, <PyObject*> op, slots, op.n_params, op.out_slot)
        if not elsewhere:
            result = op.run(op, slots)
        elif HOOKS.intercept != NULL:
            result = HOOKS.intercept(op, slots, live & ~(<uint32_t> WG_OBSERVE))
        else:
            raise RuntimeError(f"{op.name}: a tensor or mode that no installed package handles (live bits {live})")
        given = <PyObject*> result
        return result
    finally:
        if event >= 0:
            end_for(here, event, given)
        here.settle()


cdef int see_writes(object watcher, Op op, PyObject** slots) except -1:
    if op.flags & OP_INPLACE:
        watcher(<object> slots[0])
    if op.out_slot >= 0 and slots[op.out_slot] != NULL and isinstance(<object> slots[op.out_slot], Tensor):
        watcher(<object> slots[op.out_slot])
    return 0


# ---- from Python

def watch(callback):
    """Call ``callback(tensor)`` before this thread's operations write to a tensor; None: no more."""
    cdef Observer here = observer()
    here.watcher = callback
    here.settle()


def start(Recording recording):
    """Record what this thread does from now on. RuntimeError when it is being recorded already."""
    cdef Observer here = observer()
    if here.recording is not None:
        raise RuntimeError("Profiler is already enabled on this thread.")
    here.recording, here.open, here.depth = recording, -1, 0
    here.thread = recording.n_threads
    here.in_use = MEMORY.in_use
    recording.n_threads += 1
    here.settle()


def stop():
    """Record no more; what is still running ends now. Gives the recording, or None."""
    cdef Observer here = observer()
    recording = here.recording
    if here.recording is not None:
        if here.recording.options & RECORD_MEMORY and here.open < 0 and here.in_use != MEMORY.in_use:
            free_at_end(here)
        while here.open >= 0:
            close_event(here, here.recording, here.open, NULL)
    here.recording = None
    here.settle()
    return recording


cdef int free_at_end(Observer here) except -1:
    """What has changed since the last event."""
    cdef Event* event = here.recording.add()
    if event != NULL:
        event.kind, event.parent, event.thread, event.sequence = EVENT_MEMORY, -1, here.thread, -1
        event.memory = MEMORY.in_use - here.in_use
        event.start = event.end = clock()
    return 0


def listen(listener):
    """Let an object be told of what this thread does: ``begin(kind, what, number, shapes)`` and ``end()``; None: no more.

    Its ``record_shapes`` says whether it wants shapes. RuntimeError when the thread has a listener.
    """
    cdef Observer here = observer()
    if listener is not None and here.listener is not None:
        raise RuntimeError("Profiler is already enabled on this thread.")
    here.listener = listener
    here.settle()


def recorded():
    """The recording that this thread writes to; None when there is none."""
    return (<Observer> wengert_observer).recording if wengert_observer != NULL else None


def begin_label(name):
    """A label begins; gives what ``end`` takes, -1 when nobody observes this thread."""
    if wengert_observer == NULL or not thread_state().modes & WG_OBSERVE:
        return -1
    return begin_event(EVENT_LABEL, <PyObject*> name, NULL, 0)


def end(int64_t event):
    """A label ends."""
    end_event(event)
