"""Recording: a function's operations and launches, noted while it runs.

Note [What a recording holds]
    Launches hold addresses. They are true as long as the memory is there: what the function allocates comes from a pool
    (Note [Pools] in wengert_core/runtime/allocator.pyx) that becomes the program's, what was there before is held by
    its tensor. A tensor that was made of Python data is stored at each replay, as no launch writes it.
Note [How an operation is recorded]
    By the launches that its driver told, where those are all (``tell_complete``) and nothing else touched memory
    (``tell_opaque``). A view needs nothing. A factory's result is stored. Any other operation is called again, with
    tensors on the captured memory.
"""
cimport cython
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t
from libc.stdlib cimport free
from libc.string cimport memset

from wengert_core.extend cimport (LAUNCH_CALL, OPERAND_WRITTEN, OP_INPLACE, OP_MULTI_VIEW, OP_VIEW, WG_BATCHED,
                                  WG_CAST, WG_FOREIGN, WG_GRAD, WG_GUARD, WG_OBSERVE, WG_ON_DEVICE, WG_STRONG, WG_TELL,
                                  Block, Launch, Storage, add_launch, block_at, close_pool, free_launch,
                                  free_pool, is_strided, itemsize_of, new_on_memory, open_pool, set_recorder,
                                  shape_tuple, strides_of, tell_store, thread_state)
from wengert_replay.steps cimport Call, Step, find_line

from wengert_core.extend import Tensor as TensorClass
from wengert_engine.extend import set_tracer

cdef enum:
    FOREIGN_BIN = 255                  # of memory that is not the allocator's
    DOUBTFUL = 2                       # Block.written: what it holds may be part of an operation that is called
    MOST_STORED = 0x100000             # bytes of a tensor of Python data


cdef str OPAQUE = "Python or NumPy read or wrote the memory of a tensor, or the state of a generator,"


cdef Tensor on_captured_memory(Tensor t):
    """A tensor of the same geometry on the same memory, which it does not keep alive."""
    cdef Storage s = <Storage> t.storage
    return new_on_memory(t.code, t.rank, t.dims, strides_of(t), t.data, s.data, s.nbytes, None)


cdef list tensors_in(object value, list found):
    """Append the tensors of a result or an argument: itself, or those of a sequence."""
    if isinstance(value, TensorClass):
        found.append(value)
    elif isinstance(value, (tuple, list)):
        for item in value:
            tensors_in(item, found)
    return found


@cython.binding(False)
cdef class Recording(Tracer):
    """A record of what a function does in this thread, from ``start`` to ``stop``."""

    def __init__(self, list inputs):
        self.steps, self.foreign, self.inputs, self.versions = [], [], inputs, []
        self.calls, self.outside, self.tensors, self.leaves, self.names = {}, {}, {}, {}, {}
        self.refusal, self.storages = None, set()
        memset(&self.recorder, 0, sizeof(Recorder))

    def start(self):
        """Record this thread from now on. RuntimeError when it is observed already."""
        cdef Tensor t
        cdef int i
        set_tracer(self)
        try:
            self.pool = open_pool()
        except BaseException:
            set_tracer(None)
            raise
        set_recorder(&self.recorder)
        self.is_open = True
        for i, t in enumerate(self.inputs):
            self.versions.append((<Storage> t.storage).version)
            self.names.setdefault(<size_t> t.data, f"a{i}")
            self.storages.add(<size_t> t.storage)
            self.see_leaf(t)

    def stop(self):
        """Record no more. The pool stays open: what is freed goes back to it, until ``close``."""
        if self.is_open:
            if self.recorder.opaque and self.recorder.depth == 0:
                self.refuse(f"{OPAQUE} behind the last operation")
            set_tracer(None)
            set_recorder(NULL)
            self.is_open = False

    def close(self):
        """Close the pool, in the thread of ``start``."""
        if self.pool != NULL:
            close_pool(self.pool)

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
        if self.recorder.depth == 0:
            if self.recorder.opaque:
                self.refuse(f"{OPAQUE} outside of operations")
            self.arguments = []
            self.note_engine()
            for i in range(op.n_params):
                if slots[i] != NULL:
                    self.look(<object> slots[i])
            self.geometry = None
            if op.flags & OP_INPLACE and slots[0] != NULL and isinstance(<object> slots[0], TensorClass):
                self.geometry = geometry_of(<Tensor> slots[0])
            self.first = self.recorder.n
            self.recorder.opaque, self.recorder.complete = 0, NULL
            self.recorder.step = <uint32_t> len(self.steps)
        self.recorder.depth += 1
        return 0

    cdef int end(self, Op op, PyObject** slots, PyObject* result) except -1:
        cdef bint told = self.recorder.complete == <void*> op and self.recorder.opaque == 0
        cdef Step step
        self.recorder.depth -= 1
        if self.recorder.depth:
            self.recorder.opaque += not told
            return 0
        step = Step.__new__(Step)
        step.op, step.inputs, step.outputs = op, tuple(self.arguments), ()
        find_line(step)
        outputs = tensors_in(<object> result, [])
        self.arguments = None
        if told:
            step.way = "launches"
            self.note_engine()
        else:
            self.truncate()
            step.way = self.record_otherwise(op, slots, outputs, step)
        self.recorder.opaque = 0
        if self.geometry is not None:
            self.check_geometry(op, <Tensor> slots[0])
            if not told:
                self.doubt_blocks(outputs)
        for t in outputs:
            self.note_output(<Tensor> t, step)
        self.steps.append(step)
        self.noted = self.recorder.n
        return 0

    cdef int fail(self, Op op) except -1:
        self.recorder.depth -= 1
        if self.recorder.depth == 0:
            if op.flags & OP_INPLACE and (self.recorder.n > self.first or self.recorder.opaque):
                self.refuse(f"{op.name} raised an error, which was caught")
            self.truncate()
            self.recorder.opaque = 0
        return 0

    cdef int note_grad(self, Tensor leaf) except -1:
        self.see_leaf(leaf)
        return 0

    # ---- what it makes of that

    cdef int refuse(self, str why) except -1:
        """It cannot be replayed; the first reason counts."""
        cdef Step step = Step.__new__(Step)
        if self.refusal is None:
            find_line(step)
            self.refusal = f"{why} ({step.line})" if step.code is not None else why
        return 0

    def truncate(self):
        """Forget the launches of the operation that runs."""
        while self.recorder.n > self.first:
            self.recorder.n -= 1
            free_launch(&self.recorder.launches[self.recorder.n])

    def look(self, value):
        """Take note of an argument."""
        cdef Tensor t
        if isinstance(value, TensorClass):
            t = <Tensor> value
            self.see(t)
            self.arguments.append(self.names.get(<size_t> t.data) or self.name_outside(t))
        elif isinstance(value, (tuple, list)) and value and isinstance(value[0], TensorClass):
            for item in value:
                self.look(item)
        else:
            self.arguments.append(value if isinstance(value, (int, float, complex, str, type(None), tuple, list))
                                  else type(value).__name__)

    def name_outside(self, Tensor t):
        name = self.names[<size_t> t.data] = f"w{len(self.outside)}"
        return name

    cdef int see(self, Tensor t) except -1:
        """Hold what was there before, and store what no operation has made."""
        cdef Storage s
        cdef Block* block
        if t.device or t.flags & WG_FOREIGN or not is_strided(t):
            return self.refuse(f"a tensor of another device or layout ({(<object> t).device})")
        s = <Storage> t.storage
        if s.bin != FOREIGN_BIN:
            block = block_at(self.pool, s.data)
            if block != NULL and block.live:
                if block.written == DOUBTFUL:
                    return self.refuse("an operation in place keeps a value that is not computed again")
                if not block.written:
                    block.written = True
                    if s.nbytes > MOST_STORED:
                        return self.refuse(f"a tensor of {s.nbytes} bytes is made of Python data")
                    tell_store(s.data, s.nbytes)
                return 0
        if self.is_input(t):
            return 0
        key = <size_t> t.storage
        if key not in self.outside:
            for kept in self.foreign:
                if <size_t> <PyObject*> kept == key:
                    return 0
            self.outside[key] = (t, s.version, <size_t> s.data, s.nbytes)
        if t.base == NULL:
            self.tensors.setdefault(id(t), (t, <size_t> t.data, key, t.flags & WG_GRAD))
        self.see_leaf(t)
        return 0

    cdef int see_leaf(self, Tensor t) except -1:
        """Note the gradient that a leaf has before anything changes it."""
        if not t.flags & WG_GRAD or t.grad_fn != NULL or id(t) in self.leaves:
            return 0
        if (<Storage> t.storage).bin != FOREIGN_BIN and block_at(self.pool, (<Storage> t.storage).data) != NULL:
            return 0
        grad = <object> t.extra.grad if t.extra != NULL and t.extra.grad != NULL else None
        self.leaves[id(t)] = (t, grad)
        return 0

    cdef int check_geometry(self, Op op, Tensor t) except -1:
        """Refuse an operation that gave a tensor other memory, or one from outside another shape."""
        now = geometry_of(t)
        if now[0] != self.geometry[0] \
                or now != self.geometry and block_at(self.pool, (<Storage> t.storage).data) == NULL:
            self.refuse(f"{op.name} changes the memory or the shape of a tensor, not its values alone")
        return 0

    cdef int doubt_blocks(self, list outputs) except -1:
        """Mark what an operation in place may have kept for its derivative: a call of its driver does not make it."""
        cdef Py_ssize_t i
        results = {<size_t> (<Storage> (<Tensor> t).storage).data for t in outputs}
        for i in range(self.pool.n):
            if self.pool.blocks[i].live and not self.pool.blocks[i].written \
                    and <size_t> self.pool.blocks[i].address not in results:
                self.pool.blocks[i].written = DOUBTFUL
        return 0

    cdef int note_engine(self) except -1:
        """Remember what launches wrote that belong to no operation: gradients that are copied or filled."""
        cdef Launch* launch
        cdef Block* block
        cdef Py_ssize_t n
        cdef int k
        for n in range(self.noted, self.recorder.n):
            launch = &self.recorder.launches[n]
            for k in range(launch.n_operands):
                block = block_at(self.pool, launch.data[k]) if launch.role[k] & OPERAND_WRITTEN else NULL
                if block != NULL:
                    block.written = True
        self.noted = self.recorder.n
        return 0

    cdef int note_output(self, Tensor t, Step step) except -1:
        """Name a result, and remember that it is written at each replay."""
        cdef Storage s
        cdef Block* block
        if t.device or not is_strided(t):
            return self.refuse(f"{step.op.name} gives a tensor of another device or layout")
        s = <Storage> t.storage
        block = block_at(self.pool, s.data) if s.bin != FOREIGN_BIN else NULL
        if block != NULL:
            block.written = True
        elif s.bin == FOREIGN_BIN and <size_t> t.storage not in self.outside \
                and not [one for one in self.foreign if one is s] and not self.is_input(t):
            self.foreign.append(s)
        name = f"%{len(self.steps)}" if not step.outputs else f"%{len(self.steps)}.{len(step.outputs)}"
        self.names[<size_t> t.data] = name
        step.outputs += ((name, (<object> t).dtype, shape_tuple(t)),)
        return 0

    cdef bint is_input(self, Tensor t):
        return <size_t> t.storage in self.storages

    cdef str record_otherwise(self, Op op, PyObject** slots, list outputs, Step step):
        """Record an operation whose driver has not told all that it does; return how."""
        cdef bint writes = op.flags & OP_INPLACE != 0 \
            or (op.out_slot >= 0 and slots[op.out_slot] != NULL and slots[op.out_slot] != <PyObject*> None)
        arguments = []
        for i in range(op.n_params):
            if slots[i] != NULL:
                tensors_in(<object> slots[i], arguments)
        if not writes and share_memory(outputs, arguments):
            return "view"
        if op.flags & (OP_VIEW | OP_MULTI_VIEW) and not writes:
            return "view"
        if op.family == "factory" and "rand" not in op.name and not writes and bytes_of(outputs) <= MOST_STORED \
                and (not arguments or op.name.endswith("_like") or op.name.startswith("new_")):
            for t in outputs:
                if (<Tensor> t).count and not op.name.startswith(("empty", "new_empty")):
                    tell_store((<Storage> (<Tensor> t).storage).data, (<Storage> (<Tensor> t).storage).nbytes)
            return "store"
        self.record_call(op, slots, outputs, writes, step)
        return "call"

    cdef int record_call(self, Op op, PyObject** slots, list outputs, bint writes, Step step) except -1:
        cdef Call call = Call.__new__(Call)
        cdef int i
        call.op, call.step, call.writes, call.memory = op, step, writes, []
        call.arguments = [self.move_argument(<object> slots[i], call.memory) if slots[i] != NULL else None
                          for i in range(op.n_params)]
        call.outputs = [self.move_argument(t, call.memory) for t in outputs]
        self.calls[self.recorder.n] = call
        add_launch(NULL, LAUNCH_CALL, NULL)
        return 0

    def move_argument(self, value, list memory):
        """An argument with tensors on captured memory in place of tensors."""
        if isinstance(value, TensorClass):
            made = on_captured_memory(<Tensor> value)
            memory.append(made)
            return made
        if type(value) in (tuple, list):
            return type(value)([self.move_argument(item, memory) for item in value])
        return value


cdef object geometry_of(Tensor t):
    """A tensor's storage, its place there, sizes and strides, to be compared."""
    cdef int i
    return <size_t> t.storage, <size_t> t.data, [t.dims[i] for i in range(2 * t.rank)]


cdef bint share_memory(list outputs, list arguments):
    """Whether each output lies in the storage of an argument."""
    cdef Tensor t
    storages = {<size_t> (<Tensor> one).storage for one in arguments}
    for t in outputs:
        if <size_t> t.storage not in storages:
            return False
    return len(outputs) > 0


cdef Py_ssize_t bytes_of(list tensors):
    cdef Py_ssize_t n = 0
    for t in tensors:
        n += (<Tensor> t).count * itemsize_of(<Tensor> t)
    return n


def thread_modes():
    """The modes of this thread, as bits of WG_* in wengert_core/runtime/state.h."""
    return thread_state().modes


def is_unusual():
    """Whether this thread is observed, inside of vmap, or casts arguments: a recording would not see all."""
    return thread_state().modes & (WG_OBSERVE | WG_TELL | WG_BATCHED | WG_CAST | WG_STRONG | WG_ON_DEVICE
                                   | WG_GUARD) != 0
