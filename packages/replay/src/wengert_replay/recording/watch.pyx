"""Watch: writes that the recording of a body may not do, as copies of rows stand for views.

Note [Why writes are watched]
    A row that a body reads by a number of the loop is a copy (Note [How a body reads a row] in loops/index_reads.py).
    Nobody sees the difference as long as nobody writes to the copy or to the tensor that it was read from. An operation
    that would is stopped before it runs, and so is one that writes to memory from outside of the body: the construct
    begins anew then, without copies, as if nothing had happened.
Note [Listeners for writes]
    A construct with a gradient may need the memory that its bodies have read as it was (loops/closures.py). Large
    memory is copied when an operation is about to write to it, which it seldom is: the construct listens for the first
    write. So does who looks whether results are written to that may share memory (loops/unrolled.py), and copies
    nothing. What a listener has to have says recording/write_listeners.py.
"""
from cpython.ref cimport PyObject

from wengert_core.extend cimport (WG_BATCHED, WG_CAST, WG_GUARD, WG_ON_DEVICE, WG_STRONG, Op, Storage, Tensor,
                                  WgState, block_at, set_recorder, thread_state)
from wengert_replay.recording.calls cimport tensors_in
from wengert_replay.recording.tracing cimport Recording
from wengert_replay.trace.op_facts cimport writes_to_argument

from wengert_core import default_generator as _DEFAULT
from wengert_engine.extend import current_tracer, set_tracer

from wengert_replay.refusal import WRITES_OUTSIDE as _WRITES_OUTSIDE
from wengert_replay.refusal import NoLoop


cdef int check_write(Recording recording, Op op, PyObject** slots) except -1:
    """Raise NoLoop before an operation writes to what is watched, or to memory from outside of the recording."""
    cdef Recording one
    cdef Tensor t
    for t in written_tensors(op, slots):
        if block_at(recording.pool, (<Storage> t.storage).data) == NULL:
            stop_loop(recording, why_outside(recording, t))
        one = recording
        while one is not None:
            if <size_t> t.storage in one.watched:
                stop_loop(one, "")
            one = one.around
    return 0


cdef int check_generator(Recording recording, Op op, PyObject** slots) except -1:
    """Raise NoLoop before the body of a construct draws from another generator than the default one, which alone is put
    back by whoever compares a loop with the plain one, or begins anew.
    """
    cdef PyObject* generator
    if "generator" not in op.params:
        return 0
    generator = slots[op.params.index("generator")]
    if generator != NULL and generator != <PyObject*> None and <object> generator is not _DEFAULT:
        stop_loop(recording, "it draws from a generator other than the default one")
    return 0


cdef str why_outside(Recording recording, Tensor written):
    """Words for a write to memory that an operation of the recording has not made."""
    cdef Tensor t
    for t in recording.inputs:
        if t.storage == written.storage:
            return "it writes to one of its arguments"
    return _WRITES_OUTSIDE


cdef list written_tensors(Op op, PyObject** slots):
    """The tensors that an operation is about to write to."""
    cdef int slot = op.out_slot
    if not writes_to_argument(op, slots):
        return []
    if slot < 0 or slots[slot] == NULL or slots[slot] == <PyObject*> None:
        slot = 0
    return tensors_in(<object> slots[slot], [])


cdef int tell_before_write(Recording recording, Op op, PyObject** slots) except -1:
    """Tell listeners that an operation is about to write to memory. Note [Listeners for writes]"""
    cdef Tensor t
    for t in written_tensors(op, slots):
        address = <size_t> (<Storage> t.storage).data
        for reference in recording.outermost().write_listeners.pop(address, ()):
            listener = reference()
            if listener is not None:
                listener.before_write(address, t)
    return 0


cdef int keep_before_write(Recording recording, Op op, PyObject** slots) except -1:
    """Copy memory from outside, other than that of arguments, before an operation writes to it the first time."""
    cdef Tensor t
    for t in written_tensors(op, slots):
        if recording.is_outside_pool(t) and <size_t> t.storage not in recording.storages:
            recording.before.keep(t)
    return 0


def listen_for_write(Recording recording not None, size_t address, reference not None):
    """Let the WriteListener that a reference leads to know of the first write to memory, before it is done."""
    recording.outermost().write_listeners.setdefault(address, []).append(reference)
    while recording is not None:
        recording.tells_writes = True
        recording = recording.around


cdef int stop_loop(Recording recording, str why) except -1:
    recording.refuse("it changes what it may not change")      # also where the function catches the error
    raise NoLoop(why)


def may_read_row(Recording recording not None):
    """Whether a body may read a row as a copy now: no operation runs, nothing from outside has been written to, and
    operations do what they usually do.
    """
    cdef Py_ssize_t i
    cdef Tensor t
    cdef WgState* state = thread_state()
    if recording.around is None or recording.recorder.depth or recording.refusal is not None \
            or state.saved_hooks != NULL \
            or state.modes & (WG_BATCHED | WG_CAST | WG_STRONG | WG_ON_DEVICE | WG_GUARD):
        return False
    for t, version, _, _ in recording.outside.values():
        if (<Storage> t.storage).version != <unsigned int> version:
            return False
    for i, t in enumerate(recording.inputs):
        if (<Storage> t.storage).version != <unsigned int> recording.versions[i]:
            return False
    return True


def watch(Recording recording not None, Tensor source not None, Tensor row not None):
    """Let nobody write to a tensor and to the copy of a row of it, as long as it records."""
    recording.watches = True
    recording.watched.setdefault(<size_t> source.storage, (source, (<Storage> source.storage).version, False))
    recording.watched[<size_t> row.storage] = (row, (<Storage> row.storage).version, True)


def end_watch(Recording recording not None, list carry not None):
    """Forget what was watched, of a recording that has stopped. Return whether its rows are doubtful: a copy is the
    next carry, which may be written to as a view, or what was watched may have been written to.
    """
    cdef Tensor t
    cdef dict watched = recording.watched
    cdef bint found = len(watched) > 0 and recording.refusal is not None
    for t, version, _ in watched.values():
        found = found or (<Storage> t.storage).version != <unsigned int> version
    for t in carry:                    # None: a gradient that is none
        found = found or t is not None and watched.get(<size_t> t.storage, (None, 0, False))[2]
    recording.watched, recording.watches = {}, False
    return found


def as_class(Tensor value not None, kind not None):
    """Return a tensor as one of another class, which is no operation of a recording."""
    return call_unrecorded(value.as_subclass, (kind,))


def number_of(Tensor value not None):
    """Return the whole number that a tensor holds, which is no guard of a recording."""
    return call_unrecorded(int, (value,))


def call_aside(function not None):
    """Return the result of a function without arguments, which is no part of a recording."""
    return call_unrecorded(function)


cdef object call_unrecorded(function, tuple arguments=()):
    tracer = current_tracer()
    if not isinstance(tracer, Recording):
        return function(*arguments)
    set_tracer(None)
    set_recorder(NULL)
    try:
        return function(*arguments)
    finally:
        set_tracer(tracer)
        set_recorder(&(<Recording> tracer).recorder)


def addresses_of_rows(Recording recording not None):
    """The addresses of the copies."""
    cdef Tensor t
    return {<size_t> (<Storage> t.storage).data for t, _, is_row in recording.watched.values() if is_row}
