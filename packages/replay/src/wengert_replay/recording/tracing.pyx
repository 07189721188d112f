"""Recording: a function's operations and launches, noted while it runs.

Note [The classes of a recording]
    A Recording is one object, so that nothing is looked up while operations run. What it does is divided among a chain
    of classes, each with a file of its own. A class may call methods of those before it, and fields have names that no
    class before it has (tests/architecture/test_fields.py).

    - Tracer (of the engine): what is called for each operation, node, gradient and Python function.
    - ValueMap: memory. The pool, which value is where in it, tensors among the arguments and from outside, the refusal.
    - LaunchSteps: steps of what the engine does between operations, such as gradients that are added, and guards.
    - ArgumentWords: the arguments of an operation as the words of its step.
    - TracedOperations: the steps of operations, by their launches or as calls.
    - Recording: the run of the function, from start to stop, a pause before backward, Python functions and constructs.

Note [What a recording holds]
    Launches hold addresses. They are true as long as the memory is there: what the function allocates comes from a pool
    (Note [Pools] in wengert_core/runtime/allocator.pyx) that becomes the program's, what was there before is held by
    its tensor. A tensor that was made of Python data is stored at each replay, as no launch writes it.
Note [The cost of a recording]
    The first call of a function pays it for each operation, so the ways that all operations take make no Python
    objects: steps are rows (Note [Steps are rows] in steps.pyx), what is known of memory stands in C tables. Dicts and
    lists are used for what comes once: a tensor from outside, an argument, an operation that tells no launches. The
    collector of cycles is off: it would walk over the whole graph several times, and where it frees memory differs
    from run to run, which two recordings of one function that are compared would show.
"""
cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject
from libc.stdint cimport uint32_t
from libc.stdlib cimport free

import gc
from weakref import ref

from wengert_core.extend cimport (BOOL, TF_INFERENCE, WG_BATCHED, WG_CAST, WG_GRAD, WG_GUARD, WG_OBSERVE, WG_ON_DEVICE,
                                  WG_STRONG, WG_TELL, Op, Storage, Tensor, WgState, alias, close_pool, free_launch,
                                  free_pool, is_strided, new_on_memory, open_pool, pause_pool, resume_pool,
                                  set_recorder, thread_state)
from wengert_engine.extend cimport ANOMALY_ON, anomaly_flags, numbered_hooks
from wengert_replay.recording.calls cimport Call, on_captured_memory
from wengert_replay.recording.python_calls cimport call_python
from wengert_replay.recording.traced_operations cimport TracedOperations
from wengert_replay.recording.value_map cimport OWNER_INPUT, OWNER_OUTSIDE
from wengert_replay.recording.watch cimport (check_generator, check_write, keep_before_write, stop_loop,
                                             tell_before_write)
from wengert_replay.trace.steps cimport TAG_SHIFT, TAG_TUPLE, WAY_PYTHON
from wengert_replay.trace.tables cimport ABSENT, append_word, find, free_table, put

from wengert_engine.extend import set_tracer

from wengert_replay.recording.effects import Effects
from wengert_replay.refusal import OLD_GRAPH as _OLD_GRAPH

cdef extern from "Python.h":
    int Py_AddPendingCall(int (*function)(void*) except -1, void* argument) noexcept


@cython.binding(False)
cdef class Recording(TracedOperations):
    """A record of what a function does in this thread, from ``start`` to ``stop``."""

    def __init__(self, list inputs):
        self.inputs, self.versions, self.python_versions, self.python = inputs, [], {}, Effects()
        self.watched, self.expected, self.construct_notes, self.sharing = {}, [], [], []
        self.facts, self.write_listeners, self.wanted, self.asked_in_bodies = {}, {}, set(), []
        self.tried = {}

    def start(self):
        """Record this thread from now on. RuntimeError when it is observed already."""
        set_tracer(self)
        try:
            self.pool = open_pool()
        except BaseException:
            set_tracer(None)
            raise
        self.recorder.owner, self.recorder.use_outside = <void*> self, use_outside
        self.recorder.see_read = see_read
        self.go_on()

    cpdef Recording outermost(self):
        """Return the recording of the captured function that this one, perhaps of a body, is a part of."""
        cdef Recording found = self
        while found.around is not None:
            found = found.around
        return found

    def pause(self):
        """Let a recording that has stopped pause: its pool gives out nothing, and takes back what is freed."""
        self.at_pause = self.versions_now()
        self.let_go()
        pause_pool(self.pool)
        self.set_pauses(True)

    cdef int let_go(self) except -1:
        """Hold only the memory of tensors from outside: one that somebody replaces meanwhile is gone then."""
        cdef Tensor held
        cdef Tensor t = None
        for key, (t, version, address, nbytes) in list(self.outside.items()):
            held = alias(t)
            held.flags |= t.flags & WG_GRAD
            self.outside[key] = (held, version, address, nbytes)
        self.views += [(ref(one), *facts) for one, *facts in self.tensors.values()]
        self.tensors.clear()
        free_table(&self.seen)         # it knows them by their addresses
        t = None
        for row in self.views:
            t = row[0]()
            if t is not None and id(t) not in self.made:
                self.expected.append((row[0], geometry_in_bytes(t)))
        return 0

    def forget_tensors(self, list results not None):
        """Hold arguments no more, where nothing goes on in a recording that pauses: a program of the call is made of
        their geometry and place. Returns what stands for results in the same way.
        """
        cdef Tensor t, made
        cdef list held = [*self.inputs, *results], stand_ins = []
        cdef dict known = {}
        for t in held:
            made = known.get(id(t))
            if made is None:
                made = known[id(t)] = self.stand_in(t)
            stand_ins.append(made)
        self.inputs = stand_ins[:len(self.inputs)]
        return stand_ins[len(self.inputs):]

    cdef Tensor stand_in(self, Tensor t):
        """A tensor of the same geometry and version on the same memory, which may be gone; of memory from outside the
        tensor itself.
        """
        cdef Tensor made
        if <size_t> t.storage in self.outside:
            return t
        made = on_captured_memory(t)
        made.flags |= t.flags & (WG_GRAD | TF_INFERENCE)
        if id(t) in self.made:
            self.made.add(id(made))
        (<Storage> made.storage).version = (<Storage> t.storage).version
        if <size_t> t.storage in self.storages:
            self.storages.add(<size_t> made.storage)
            put(&self.owners, <size_t> made.storage, 0, OWNER_INPUT)
        return made

    def lacks_outside(self):
        """Whether a tensor from outside that was there at the pause is gone, or has another shape."""
        return any([one() is None or geometry_in_bytes(<Tensor> one()) != geometry for one, geometry in self.expected])

    cdef void set_pauses(self, bint pauses) noexcept:
        """Note whether it pauses, and how many recordings do."""
        global N_PAUSED
        N_PAUSED += <int> pauses - <int> self.pauses
        self.pauses = pauses

    cdef void close_soon(self) noexcept:
        """Close a recording that pauses, behind what is freed now: a graph is taken apart node by node."""
        Py_INCREF(self)
        if Py_AddPendingCall(close_paused, <void*> self) != 0:
            Py_DECREF(self)            # there are too many: it is closed by the function's next call

    cdef list versions_now(self):
        """The versions of arguments and of memory from outside."""
        return [(<Storage> (<Tensor> t).storage).version
                for t in (*self.inputs, *[row[0] for row in self.outside.values()])]

    def end_pause(self):
        """Let a recording that pauses end."""
        self.pass_over_writes()
        self.set_pauses(False)         # nobody closes it now but who makes a program of it

    cdef int pass_over_writes(self) except -1:
        """What somebody has written to arguments and to memory from outside since the pause is none of the function's
        writes.
        """
        cdef Py_ssize_t i, n = len(self.inputs)
        added = [now - then for now, then in zip(self.versions_now(), self.at_pause)]
        for i in range(n):
            self.versions[i] += added[i]
        for i, (key, (t, version, address, nbytes)) in enumerate(list(self.outside.items())):
            self.outside[key] = (t, version + added[n + i], address, nbytes)
        return 0

    def reopen(self, list inputs not None):
        """Go on with a recording that pauses. inputs: further ones."""
        self.pass_over_writes()
        set_tracer(self)
        resume_pool(self.pool)
        self.set_pauses(False)
        self.ends_outside = True       # arguments may have a history, where gradients end
        self.inputs += inputs
        self.go_on()

    cdef int go_on(self) except -1:
        """Record this thread, and let inputs be values that are not yet."""
        cdef Tensor t
        cdef uint32_t i
        set_recorder(&self.recorder)
        self.is_open = True
        stop_collector(True)
        for i in range(<uint32_t> len(self.versions), <uint32_t> len(self.inputs)):
            t = self.inputs[i]
            self.versions.append((<Storage> t.storage).version)
            self.add_input(t, i)
        return 0

    def stop(self):
        """Record no more. The pool stays open: what is freed goes back to it, until ``close``."""
        if self.is_open:
            if self.recorder.opaque and self.recorder.depth == 0:
                self.refuse_opaque("behind the last operation")
            set_tracer(None)
            set_recorder(NULL)
            self.is_open, self.given = False, None
            stop_collector(False)
            self.note_engine()
            self.note_hooks()
            self.keep_own_leaves()

    def close(self):
        """Close the pool, in the thread of ``start`` unless it pauses; or, where a program has it, drop what only a
        recording needs.
        """
        self.set_pauses(False)
        if self.pool != NULL:
            close_pool(self.pool)
        else:
            self.steps.shrink()

    def live_blocks(self):
        """The addresses of the blocks that somebody uses."""
        cdef Py_ssize_t i
        if self.pool == NULL:
            return set()
        return {<size_t> self.pool.blocks[i].address for i in range(self.pool.n) if self.pool.blocks[i].live}

    cdef bytes live_marks(self):
        """Of each block of the pool, by its number: 1 where somebody uses it, else 0."""
        cdef bytes made = PyBytes_FromStringAndSize(NULL, self.pool.n)
        cdef char* marks = PyBytes_AS_STRING(made)
        cdef Py_ssize_t i
        for i in range(self.pool.n):
            marks[i] = self.pool.blocks[i].live != 0
        return made

    def writes_outside(self):
        """Whether versions of tensors from outside have risen since it has first seen them."""
        return any([(<Storage> (<Tensor> t).storage).version != version for t, version, *_ in self.outside.values()])

    cdef int note_hooks(self) except -1:
        """Note the hooks of tensors from outside that a backward inside of the function may have called, once."""
        cdef Tensor t
        cdef dict asked = {}
        if self.hooked is not None:
            return 0
        for t in self.inputs if self.has_run_nodes else ():
            if t.flags & WG_GRAD and (t.grad_fn == NULL or <size_t> t.grad_fn in self.wanted):
                asked[id(t)] = t
        for t, _ in self.leaves.values() if self.has_run_nodes else ():
            asked[id(t)] = t
        asked.update([(id(one()), one()) for one in self.asked_in_bodies if one() is not None])
        numbers = {id(t): i for i, t in enumerate(self.inputs)}
        self.hooked = [(key, None if key in numbers else ref(t), numbers.get(key, -1), numbered_hooks(t))
                       for key, t in asked.items()]
        return 0

    cdef int note_body(self, Recording body) except -1:
        """Note the tensors from outside whose hooks a backward in the body of a loop may have called."""
        self.asked_in_bodies += [where for _, where, _, _ in body.hooked or () if where is not None]
        return 0

    def differentiates(self):
        """Whether a backward has run."""
        return self.has_run_nodes

    def __dealloc__(self):
        cdef Py_ssize_t i
        self.set_pauses(False)
        for i in range(self.recorder.n):
            free_launch(&self.recorder.launches[i])
        free(self.recorder.launches)
        if self.pool != NULL:
            close_pool(self.pool)
            free_pool(self.pool)

    # ---- what the engine tells

    cdef int begin(self, Op op, PyObject** slots) except -1:
        if self.watches:
            check_write(self, op, slots)
        if self.around is not None:
            check_generator(self, op, slots)
        if self.tells_writes:
            tell_before_write(self, op, slots)
        if self.before is not None:
            keep_before_write(self, op, slots)
        return TracedOperations.begin(self, op, slots)

    cdef int note_grad(self, Tensor leaf) except -1:
        if self.is_trial and id(leaf) not in self.made and self.block_of(<Storage> leaf.storage) == NULL:
            stop_loop(self, "it changes the gradient of a tensor from outside")
        self.read_gradients.add(id(leaf))
        return self.see_gradient(leaf)

    cdef int note_alias(self, Tensor source, Tensor made) except -1:
        """Watch a tensor from outside of which the function uses a detached one."""
        if self.is_outside_pool(source):
            self.made.add(id(made))
            self.watch_source(source)
        return 0

    cdef Tensor tensor_at(self, char* address):
        return None if self.lookups is None else self.lookups.tensor_at(<size_t> address)

    cdef int note_wanted(self, Tensor leaf) except -1:
        return self.watch_source(leaf) if self.is_outside_pool(leaf) else 0

    cdef int note_wanted_node(self, object node) except -1:
        self.wanted.add(<size_t> <PyObject*> node)
        return 0

    cdef int note_version(self, Tensor t) except -1:
        return self.watch_source(t) if self.is_outside_pool(t) else 0

    cdef bint is_outside_pool(self, Tensor t) noexcept:
        """Whether a tensor lies in memory of the host that is none of the pool's."""
        return not t.device and is_strided(t) and self.block_of(<Storage> t.storage) == NULL

    cdef int watch_source(self, Tensor source) except -1:
        """Watch a tensor on such memory, where the function has not made it."""
        cdef uint32_t owner = find(&self.owners, <size_t> source.storage, 0)
        if id(source) in self.made or self.overlaps_input(<Storage> source.storage):
            return 0
        if owner == ABSENT or owner == OWNER_OUTSIDE:
            self.watch_outside(source)
        elif owner == OWNER_INPUT:
            self.note_on_argument(source)
        return 0

    cdef int note_old_node(self) except -1:
        return 0 if self.ends_outside else \
            self.refuse(_OLD_GRAPH)

    cdef int note_python(self, source) except -1:
        self.python.note(source)
        return 0

    cdef str words_of(self, Py_ssize_t number):
        """Return the name of a step and its line."""
        step = self.steps.step_of(number)
        if step is None:
            return "the function"
        return f"{step.name} ({step.line})" if step.line else step.name

    # ---- Python functions inside of a program

    def call_python(self, function, tuple args not None, dict kwargs not None):
        if self.is_trial:
            stop_loop(self, "it calls a Python function that is not recorded")
        return call_python(self, function, args, kwargs)

    def run_construct(self, str construct not None, plain, tuple operands not None):
        from wengert_replay.loops.constructs import run_construct
        return run_construct(self, construct, plain, operands)

    cdef int open_call(self, list tensors) except -1:
        """Get ready for a call on these tensors."""
        cdef Tensor t
        self.settle()
        append_word(&self.words, <uint32_t> TAG_TUPLE << TAG_SHIFT | <uint32_t> len(tensors))
        self.given_mask = 1
        for t in tensors:
            append_word(&self.words, self.word_of(t))
        self.first = self.recorder.n
        self.recorder.step = <uint32_t> self.steps.n
        return 0

    cdef int add_call(self, Call call, list outputs, str name) except -1:
        """Append a step for a call."""
        self.keep_call(call)
        self.steps.add_record(self.steps.function_number(name), self.given_mask, self.steps.lines.current(),
                              WAY_PYTHON, &self.words)
        for t in outputs:
            self.note_output(None, <Tensor> t)
        self.noted, self.recorder.opaque = self.recorder.n, 0
        return 0


cdef bytes geometry_in_bytes(Tensor t):
    return PyBytes_FromStringAndSize(<char*> t.dims, 2 * t.rank * sizeof(Py_ssize_t))


cdef int close_paused(void* recording) except -1:
    cdef Recording own = <Recording> recording
    Py_DECREF(own)
    if own.pauses:
        own.close()
    return 0


cdef enum:
    MOST_PAUSED = 64


cdef int see_read(void* recording) except -1:
    """Note the guard of a number that Python reads, with its line."""
    return (<Recording> recording).note_engine()


cdef int use_outside(void* recording, char* data, Py_ssize_t nbytes, holder) except -1:
    """Know memory of a Python object on which launches work, such as a generator's state, as a tensor's from outside.
    """
    cdef Recording own = <Recording> recording
    cdef Py_ssize_t itemsize = 1
    if <size_t> data not in own.outside:
        t = new_on_memory(BOOL, 1, &nbytes, &itemsize, data, data, nbytes, holder)
        own.outside[<size_t> data] = (t, (<Storage> t.storage).version, <size_t> data, nbytes)
    return 0


cdef int N_PAUSED = 0                  # recordings that pause
cdef int N_RECORDING = 0               # recordings, of all threads, that run
cdef bint COLLECTS = False             # whether the collector ran before them


cpdef int stop_collector(bint begins) except -1:
    """Turn Python's collector of cycles off while functions are recorded. Note [The cost of a recording]"""
    global N_RECORDING, COLLECTS
    if begins and not N_RECORDING:
        COLLECTS = gc.isenabled()
        gc.disable()
    N_RECORDING += 1 if begins else -1
    if not begins and not N_RECORDING and COLLECTS:
        gc.enable()
    return 0


@cython.binding(False)
cdef class CollectorStop:
    """A context in which Python's collector of cycles is off."""

    def __enter__(self):
        stop_collector(True)

    def __exit__(self, *error):
        stop_collector(False)


def may_pause():
    """Whether another recording may pause: whoever frees memory looks for it in the pools of all that do."""
    return N_PAUSED < MOST_PAUSED


def thread_modes():
    """The modes of this thread, as bits of WG_* in wengert_core/runtime/state.h."""
    return thread_state().modes


def is_unusual():
    """Whether this thread is observed, inside of vmap, casts arguments, packs saved tensors or looks for anomalies.

    A recording would not see all of that, and a replay does not do it.
    """
    cdef WgState* state = thread_state()
    return state.saved_hooks != NULL or anomaly_flags() & ANOMALY_ON \
        or state.modes & (WG_OBSERVE | WG_TELL | WG_BATCHED | WG_CAST | WG_STRONG | WG_ON_DEVICE | WG_GUARD) != 0
