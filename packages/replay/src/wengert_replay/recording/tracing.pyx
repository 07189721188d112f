"""Recording: a function's operations and launches, noted while it runs.

Note [What a recording holds]
    Launches hold addresses. They are true as long as the memory is there: what the function allocates comes from a pool
    (Note [Pools] in wengert_core/runtime/allocator.pyx) that becomes the program's, what was there before is held by
    its tensor. A tensor that was made of Python data is stored at each replay, as no launch writes it.
Note [How an operation is recorded]
    By the launches that its driver told, where those are all (``tell_complete``) and nothing else touched memory
    (``tell_opaque``). A view needs nothing. A factory's result is stored. Any other operation is called again, with
    tensors on the captured memory. What the engine does between operations is noted as steps, too.
Note [The cost of a recording]
    The first call of a function pays it for each operation, so the ways that all operations take make no Python
    objects: steps are rows (Note [Steps are rows] in steps.pyx), what is known of memory stands in C tables. Dicts and
    lists are used for what comes once: a tensor from outside, an argument, an operation that tells no launches. The
    collector of cycles is paused: it would walk over the whole graph several times, and where it frees memory differs
    from run to run, which two recordings of one function that are compared would show.
"""
cimport cython
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t
from libc.stdlib cimport free

import gc
import sys

from wengert_core.extend cimport (BOOL, LAUNCH_CALL, LAUNCH_COPY, LAUNCH_MOVE, LAUNCH_STORE, OP_INPLACE,
                                  OP_MULTI_VIEW, OP_VIEW, WG_BATCHED, WG_CAST, WG_GUARD, WG_OBSERVE, WG_ON_DEVICE,
                                  WG_STRONG, WG_TELL, Block, Launch, Op, Storage, Tensor, WgState, add_launch,
                                  block_at, close_pool, free_launch, free_pool, new_on_memory, open_pool,
                                  set_recorder, tell_store, thread_state)
from wengert_engine.extend cimport ANOMALY_ON, anomaly_flags
from wengert_replay.recording.calls cimport Call, on_captured_memory, tensors_in
from wengert_replay.recording.failing_calls cimport FailingCall
from wengert_replay.trace.op_facts cimport (bytes_of, depends_on_values, gives_values, share_memory,
                                            writes_to_argument)
from wengert_replay.recording.python_calls cimport call_python
from wengert_replay.trace.steps cimport (TAG_SHIFT, TAG_TUPLE, WAY_CALL, WAY_ERROR, WAY_LAUNCHES, WAY_PYTHON,
                                         WAY_STORE, WAY_VIEW)
from wengert_replay.trace.tables cimport append_word
from wengert_replay.recording.value_map cimport DOUBTFUL, MOST_STORED, WRITTEN
from wengert_replay.recording.watch cimport check_write

from wengert_engine.extend import set_tracer

cdef enum:
    MOST_NESTED = 63                   # operations inside of operations

cdef str OPAQUE = "Python or NumPy read or wrote the memory of a tensor, or the state of a generator,"


@cython.binding(False)
cdef class Recording(ArgumentWords):
    """A record of what a function does in this thread, from ``start`` to ``stop``."""

    def __init__(self, list inputs):
        self.inputs, self.versions, self.calls, self.python_versions, self.python = inputs, [], {}, {}, []
        self.watched = {}

    def start(self):
        """Record this thread from now on. RuntimeError when it is observed already."""
        cdef Tensor t
        cdef uint32_t i
        set_tracer(self)
        try:
            self.pool = open_pool()
        except BaseException:
            set_tracer(None)
            raise
        self.recorder.owner, self.recorder.use_outside = <void*> self, use_outside
        self.recorder.see_read = see_read
        set_recorder(&self.recorder)
        self.is_open = True
        for i, t in enumerate(self.inputs):
            self.versions.append((<Storage> t.storage).version)
            self.add_input(t, i)
        pause_collector(True)

    def stop(self):
        """Record no more. The pool stays open: what is freed goes back to it, until ``close``."""
        if self.is_open:
            if self.recorder.opaque and self.recorder.depth == 0:
                self.refuse(f"{OPAQUE} behind the last operation")
            set_tracer(None)
            set_recorder(NULL)
            self.is_open = False
            pause_collector(False)
            self.note_engine()

    def close(self):
        """Close the pool, in the thread of ``start``; or, where a program has it, drop what only a recording needs."""
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

    def __dealloc__(self):
        cdef Py_ssize_t i
        for i in range(self.recorder.n):
            free_launch(&self.recorder.launches[i])
        free(self.recorder.launches)
        if self.pool != NULL:
            close_pool(self.pool)
            free_pool(self.pool)

    # ---- what the engine tells

    cdef int begin(self, Op op, PyObject** slots) except -1:
        cdef int i
        if self.watches:
            check_write(self, op, slots)
        if self.recorder.depth == 0:
            self.settle()
            for i in range(op.n_params):
                if slots[i] != NULL and slots[i] != op.defaults[i]:
                    self.given |= <uint32_t> 1 << i
                    self.add_argument(slots[i], 0)
            if op.flags & OP_INPLACE and slots[0] != NULL and isinstance(<object> slots[0], Tensor):
                self.has_target = True
                self.target_storage, self.target_data = (<Tensor> slots[0]).storage, (<Tensor> slots[0]).data
                self.target_type = self.steps.type_of(<Tensor> slots[0])
            self.first = self.marked = self.recorder.n
            self.first_serial = self.pool.n_allocated
            self.recorder.step = <uint32_t> self.steps.n
        else:
            self.check_inner(op, slots)
            self.complete[min(self.recorder.depth, MOST_NESTED)] = self.recorder.complete
        self.recorder.depth += 1
        return 0

    cdef int end(self, Op op, PyObject** slots, PyObject* result) except -1:
        cdef bint told = self.recorder.complete == <void*> op and self.recorder.opaque == 0
        cdef uint32_t line
        cdef int way = WAY_LAUNCHES
        self.recorder.depth -= 1
        if self.recorder.depth:
            self.recorder.opaque += not (told or op.flags & (OP_VIEW | OP_MULTI_VIEW) and not op.flags & OP_INPLACE)
            self.recorder.complete = self.complete[min(self.recorder.depth, MOST_NESTED)]
            return 0
        line = self.steps.lines.current()
        if told:
            if self.has_target and self.recorder.n - self.first > 1:
                self.note_kept_copies(<Tensor> slots[0])
            self.mark_launches(self.first)
        else:
            self.truncate()
            way = self.record_otherwise(op, slots, result)
            if way == WAY_CALL:
                self.doubt_blocks(tensors_in(<object> result, []))
        self.recorder.opaque = 0
        if self.has_target:
            self.check_geometry(op, <Tensor> slots[0])
        self.steps.add_record(self.steps.op_number(op), self.given, line, way, &self.words)
        if isinstance(<object> result, Tensor):
            self.note_output(op, <Tensor> result)
        else:
            for t in tensors_in(<object> result, []):
                self.note_output(op, <Tensor> t)
        self.noted = self.recorder.n
        return 0

    cdef int check_inner(self, Op op, PyObject** slots) except -1:
        """An operation that runs others is opaque where one of them gets what it has made without launches."""
        cdef Tensor t
        cdef Block* block
        cdef int i
        self.mark_launches(self.marked)
        self.marked = self.recorder.n
        for i in range(op.n_params):
            if slots[i] == NULL or slots[i] == op.defaults[i]:
                continue
            for t in tensors_in(<object> slots[i], []):
                block = block_at(self.pool, (<Storage> t.storage).data)
                if block == NULL or not block.live or block.serial < self.first_serial:
                    self.word_of(t)    # the caller's, such as a tangent
                else:
                    self.recorder.opaque += block.written != WRITTEN
        return 0

    cdef int fail(self, Op op, PyObject** slots) except -1:
        self.recorder.depth -= 1
        if self.recorder.depth == 0:
            looked = self.recorder.n > self.first or self.recorder.opaque or depends_on_values(op) \
                or "ZeroDivision" in str(sys.exc_info()[1])
            self.truncate()
            if looked and (writes_to_argument(op, slots) or "generator" in op.params):
                self.refuse(f"{op.name} raised an error, which was caught")
            elif looked:
                self.note_failure(op, slots)
            self.recorder.opaque = 0
        return 0

    cdef int note_failure(self, Op op, PyObject** slots) except -1:
        """Append a step for an operation whose error may come from values: a replay in which it raises none differs."""
        cdef FailingCall call = FailingCall.__new__(FailingCall)
        self.fill_call(call, op, slots, [])
        self.keep_call(call)
        self.steps.add_record(self.steps.op_number(op), self.given, self.steps.lines.current(), WAY_ERROR, &self.words)
        self.noted = self.recorder.n
        return 0

    cdef int note_kept_copies(self, Tensor target) except -1:
        """Append steps for the copies that an operation in place makes for its derivative, before its own."""
        cdef Py_ssize_t i, before = self.steps.n
        cdef Launch* launch
        for i in range(self.first, self.recorder.n):
            launch = &self.recorder.launches[i]
            if (launch.kind == LAUNCH_COPY or launch.kind == LAUNCH_MOVE) and launch.data[1] != target.data:
                self.note_launch(i)
        for i in range(self.first, self.recorder.n):
            launch = &self.recorder.launches[i]
            if launch.step == before and (launch.kind != LAUNCH_COPY and launch.kind != LAUNCH_MOVE
                                          or launch.data[1] == target.data):
                launch.step = <uint32_t> self.steps.n
        return 0

    cdef int note_grad(self, Tensor leaf) except -1:
        return self.see_leaf(leaf)

    cdef int note_old_node(self) except -1:
        return 0 if self.ends_outside else \
            self.refuse("backward runs through a graph that was made outside of the function")

    cdef int note_python(self, source) except -1:
        if source not in self.python:
            self.python.append(source)
        return 0

    cdef int settle(self) except -1:
        """Get ready for the next step: what was done since the last one is noted or refused."""
        if self.recorder.opaque:
            self.refuse(f"{OPAQUE} outside of operations")
        self.note_engine()
        self.words.n, self.given, self.has_target = 0, 0, False
        self.recorder.opaque, self.recorder.complete = 0, NULL
        return 0

    cdef str words_of(self, Py_ssize_t number):
        """Return the name of a step and its line."""
        step = self.steps.step_of(number)
        if step is None:
            return "the function"
        return f"{step.name} ({step.line})" if step.line else step.name

    cdef int truncate(self) except -1:
        """Forget the launches of the operation that runs."""
        cdef Py_ssize_t i, n = self.first
        for i in range(self.first, self.recorder.n):
            if self.recorder.launches[i].kind == LAUNCH_STORE:
                self.recorder.launches[n] = self.recorder.launches[i]      # of the caller's data, see check_inner
                n += 1
            else:
                free_launch(&self.recorder.launches[i])
        self.recorder.n = n
        return 0

    # ---- Python functions inside of a program

    def call_python(self, function, tuple args not None, dict kwargs not None):
        return call_python(self, function, args, kwargs)

    def run_construct(self, str construct not None, plain, tuple operands not None):
        from wengert_replay.loops.constructs import run_construct
        return run_construct(self, construct, plain, operands)

    cdef int open_call(self, list tensors) except -1:
        """Get ready for a call on these tensors."""
        cdef Tensor t
        self.settle()
        append_word(&self.words, <uint32_t> TAG_TUPLE << TAG_SHIFT | <uint32_t> len(tensors))
        self.given = 1
        for t in tensors:
            append_word(&self.words, self.word_of(t))
        self.first = self.recorder.n
        self.recorder.step = <uint32_t> self.steps.n
        return 0

    cdef int add_call(self, Call call, list outputs, str name) except -1:
        """Append a step for a call."""
        self.keep_call(call)
        self.steps.add_record(self.steps.function_number(name), self.given, self.steps.lines.current(), WAY_PYTHON,
                              &self.words)
        for t in outputs:
            self.note_output(None, <Tensor> t)
        self.noted, self.recorder.opaque = self.recorder.n, 0
        return 0

    cdef int keep_call(self, Call call) except -1:
        """Let a replay call the step that is noted next."""
        call.step = self.steps.step_at(self.steps.n)
        self.calls[self.recorder.n] = call
        add_launch(NULL, LAUNCH_CALL, NULL)
        return 0

    # ---- operations in place, and those that tell no launches

    cdef int check_geometry(self, Op op, Tensor t) except -1:
        """Refuse an operation that gave a tensor other memory, or one from outside another shape."""
        if t.storage != self.target_storage \
                or (t.data != self.target_data or self.steps.type_of(t) != self.target_type) \
                and block_at(self.pool, (<Storage> t.storage).data) == NULL:
            self.refuse(f"{op.name} changes the memory or the shape of a tensor, not its values alone")
        return 0

    cdef int doubt_blocks(self, list outputs) except -1:
        """Mark what an operation may have kept for its derivative: a call of its driver does not make it."""
        cdef Py_ssize_t i
        results = {<size_t> (<Storage> (<Tensor> t).storage).data for t in outputs}
        for i in range(self.pool.n):
            if self.pool.blocks[i].serial >= self.first_serial and self.pool.blocks[i].live \
                    and not self.pool.blocks[i].written and <size_t> self.pool.blocks[i].address not in results:
                self.pool.blocks[i].written = DOUBTFUL
        return 0

    cdef int record_otherwise(self, Op op, PyObject** slots, PyObject* result) except -1:
        """Record an operation whose driver has not told all that it does; return how."""
        cdef bint writes = writes_to_argument(op, slots)
        cdef int i
        cdef Tensor t
        if op.flags & (OP_VIEW | OP_MULTI_VIEW) and not writes:
            return WAY_VIEW
        outputs, arguments = tensors_in(<object> result, []), []
        for i in range(op.n_params):
            if slots[i] != NULL:
                tensors_in(<object> slots[i], arguments)
        if not writes and share_memory(outputs, arguments):
            return WAY_VIEW
        if op.family == "factory" and "rand" not in op.name and not writes and bytes_of(outputs) <= MOST_STORED \
                and (not arguments or op.name.endswith("_like") or op.name.startswith("new_")):
            for t in outputs:
                if t.count and not op.name.startswith(("empty", "new_empty")):
                    tell_store((<Storage> t.storage).data, (<Storage> t.storage).nbytes)
                    if not gives_values(op):
                        self.steps.contents[self.steps.n] = (<Storage> t.storage).data[:(<Storage> t.storage).nbytes]
            return WAY_STORE
        self.record_call(op, slots, outputs, writes)
        return WAY_CALL

    cdef int record_call(self, Op op, PyObject** slots, list outputs, bint writes) except -1:
        cdef Call call = Call.__new__(Call)
        call.writes = writes
        self.fill_call(call, op, slots, outputs)
        return self.keep_call(call)

    cdef int fill_call(self, Call call, Op op, PyObject** slots, list outputs) except -1:
        cdef int i
        call.op, call.memory = op, []
        call.arguments = [move_argument(<object> slots[i], call.memory) if slots[i] != NULL else None
                          for i in range(op.n_params)]
        call.outputs = [move_argument(t, call.memory) for t in outputs]
        return 0


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


cdef object move_argument(value, list memory):
    """An argument with tensors on captured memory in place of tensors."""
    if isinstance(value, Tensor):
        made = on_captured_memory(<Tensor> value)
        memory.append(made)
        return made
    if type(value) in (tuple, list):
        return type(value)([move_argument(item, memory) for item in value])
    return value


cdef int PAUSES = 0                    # recordings, of all threads, that run
cdef bint COLLECTS = False             # whether the collector ran before them


cdef int pause_collector(bint begins) except -1:
    """Pause Python's collector of cycles while functions are recorded. Note [The cost of a recording]"""
    global PAUSES, COLLECTS
    if begins and not PAUSES:
        COLLECTS = gc.isenabled()
        gc.disable()
    PAUSES += 1 if begins else -1
    if not begins and not PAUSES and COLLECTS:
        gc.enable()
    return 0


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
