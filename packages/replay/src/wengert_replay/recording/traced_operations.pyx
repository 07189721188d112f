"""TracedOperations: the steps of operations, noted while they run.

Note [How an operation is recorded]
    By the launches that its driver told, where those are all (``tell_complete``) and nothing else touched memory
    (``tell_opaque``). A view needs nothing. A factory's result is stored. Any other operation is called again, with
    tensors on the captured memory. What the engine does between operations is noted as steps, too (launch_steps.pyx).
"""
cimport cython
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

import sys

from wengert_core.extend cimport (LAUNCH_CALL, LAUNCH_COPY, LAUNCH_MOVE, LAUNCH_STORE, OP_INPLACE, OP_MULTI_VIEW,
                                  OP_VIEW, Block, Launch, Op, Storage, Tensor, add_launch, block_at, free_launch,
                                  is_strided, tell_store)
from wengert_replay.trace.overlap cimport FOREIGN_BIN
from wengert_replay.recording.argument_words cimport ArgumentWords
from wengert_replay.recording.calls cimport Call, on_captured_memory, tensors_in
from wengert_replay.recording.failing_calls cimport FailingCall
from wengert_replay.recording.value_map cimport DOUBTFUL, MOST_STORED, OPERAND_BITS, WRITTEN
from wengert_replay.trace.op_facts cimport (are_views_of, bytes_of, depends_on_values, gives_values,
                                            writes_to_argument)
from wengert_replay.trace.steps cimport WAY_CALL, WAY_ERROR, WAY_LAUNCHES, WAY_STORE, WAY_VIEW

cdef enum:
    MOST_NESTED = 63                   # operations inside of operations


@cython.binding(False)
cdef class TracedOperations(ArgumentWords):
    """The steps of operations. Note [How an operation is recorded]"""

    def __cinit__(self):
        self.calls = {}

    cdef int refuse_opaque(self, str where) except -1:
        return self.refuse("Python or NumPy read or wrote the memory of a tensor, or the state of a generator, "
                           + where)

    cdef int settle(self) except -1:
        """Get ready for the next step: what was done since the last one is noted or refused."""
        if self.recorder.opaque:
            self.refuse_opaque("outside of operations")
        self.note_engine()
        self.words.n, self.given_mask, self.has_target, self.outs = 0, 0, False, None
        self.recorder.opaque, self.recorder.complete = 0, NULL
        return 0

    cdef int begin(self, Op op, PyObject** slots) except -1:
        cdef int i
        if self.recorder.depth == 0:
            self.settle()
            for i in range(op.n_params):
                if slots[i] != NULL and slots[i] != op.defaults[i]:
                    self.given_mask |= <uint32_t> 1 << i
                    self.add_argument(slots[i], 0)
            if op.flags & OP_INPLACE and slots[0] != NULL and isinstance(<object> slots[0], Tensor):
                self.has_target = True
                self.target_storage, self.target_data = (<Tensor> slots[0]).storage, (<Tensor> slots[0]).data
                self.target_type = self.steps.type_of(<Tensor> slots[0])
            if op.out_slot >= 0 and slots[op.out_slot] != NULL and slots[op.out_slot] != <PyObject*> None:
                self.outs = [(<size_t> (<Tensor> t).data, self.steps.type_of(<Tensor> t))
                             for t in tensors_in(<object> slots[op.out_slot], [])]
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
        if isinstance(<object> result, Tensor) and self.shares_array(op, <Tensor> result):
            self.truncate()
            self.recorder.opaque = 0
            return self.note_array(<Tensor> result)
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
        if self.outs is not None:
            self.check_outs(op, tensors_in(<object> slots[op.out_slot], []))
        self.steps.add_record(self.steps.op_number(op), self.given_mask, line, way, &self.words)
        if isinstance(<object> result, Tensor):
            self.note_output(op, <Tensor> result)
            self.note_made(op, slots, <Tensor> result)
        else:
            for t in tensors_in(<object> result, []):
                self.note_output(op, <Tensor> t)
                self.note_made(op, slots, <Tensor> t)
        self.noted = self.recorder.n
        return 0

    cdef bint shares_array(self, Op op, Tensor t):
        """Whether an operation has made a tensor on the memory of an array."""
        return not t.device and is_strided(t) and (<Storage> t.storage).bin == FOREIGN_BIN and op.family == "factory" \
            and self.block_of(<Storage> t.storage) == NULL and not self.overlaps_input(<Storage> t.storage)

    cdef int note_array(self, Tensor t) except -1:
        """Use the memory of an array as that of a tensor from outside: whoever has the array may write to it."""
        self.made.add(id(t))
        self.arrays.add(<size_t> t.storage)
        return self.watch_outside(t)

    cdef int note_made(self, Op op, PyObject** slots, Tensor t) except -1:
        """Remember a tensor that an operation has made on memory that is not the pool's."""
        cdef int i
        if t.device or not is_strided(t) or self.find_block((<Storage> t.storage).data) != NULL:
            return 0
        for i in range(op.n_params):
            if slots[i] != NULL and any([one is t for one in tensors_in(<object> slots[i], [])]):
                return 0               # it is written in place
        self.made.add(id(t))
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
        self.steps.add_record(self.steps.op_number(op), self.given_mask, self.steps.lines.current(), WAY_ERROR,
                              &self.words)
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

    cdef int truncate(self) except -1:
        """Forget the launches of the operation that runs."""
        cdef Py_ssize_t i, n = self.first
        for i in range(self.first, self.recorder.n):
            if self.recorder.launches[i].kind == LAUNCH_STORE:
                self.recorder.launches[n] = self.recorder.launches[i]      # of the caller's data, see check_inner
                n += 1
            else:
                free_launch(&self.recorder.launches[i])
        while self.first_writes.n and self.first_writes.items[self.first_writes.n - 1] >> OPERAND_BITS >= self.first:
            self.first_writes.n -= 1
        self.recorder.n = n
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

    cdef int check_outs(self, Op op, list outs) except -1:
        """Refuse an operation that gave a tensor from outside another shape by out=."""
        cdef Tensor t
        cdef size_t address
        for t, (address, kind) in zip(outs, self.outs):
            if block_at(self.pool, (<Storage> t.storage).data) == NULL \
                    and (<size_t> t.data != address or self.steps.type_of(t) != <uint32_t> kind):
                self.refuse(f"{op.name} changes the shape of a tensor by out=, not its values alone")
        self.outs = None
        return 0

    cdef int doubt_blocks(self, list outputs) except -1:
        """Mark what an operation may have kept for its derivative, and tangents: a call of its driver makes neither."""
        cdef Py_ssize_t i
        results = {<size_t> (<Storage> (<Tensor> t).storage).data for t in outputs}
        for i in range(self.pool.n):
            if self.pool.blocks[i].serial >= self.first_serial and self.pool.blocks[i].live \
                    and <size_t> self.pool.blocks[i].address not in results:
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
        if not writes and are_views_of(outputs, arguments):
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


cdef object move_argument(value, list memory):
    """An argument with tensors on captured memory in place of tensors."""
    if isinstance(value, Tensor):
        made = on_captured_memory(<Tensor> value)
        memory.append(made)
        return made
    if type(value) in (tuple, list):
        return type(value)([move_argument(item, memory) for item in value])
    return value
