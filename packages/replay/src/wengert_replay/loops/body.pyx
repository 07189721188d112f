"""Body: a function that was recorded once, as a program of its own, and that an instruction calls many times.

Note [A body's memory]
    What a body computes lies in an arena (Note [Spans] in memory/arena.pyx), which is a part of the memory of the
    program around it while the instruction runs, and belongs to others before and behind it. So it moves, and each run
    writes the addresses that have changed into the body's instructions. Its arguments are where the instruction has
    them: the carry in the result of the loop, a row where it is, others in memory beside the arena. What the program
    around has computed, and tensors from outside of the whole program, are read where they are.
Note [What a body may not do]
    Write to an argument or to memory from outside, change a gradient, let Python read a number, keep a tensor
    somewhere, or call a Python function that is not recorded: such a construct is recorded operation by operation.
"""
cimport cython
from libc.stdlib cimport calloc, free

from hashlib import sha256

from wengert_core.extend cimport (BOOL, LAUNCH_GUARD, Block, Launch, Pool, Storage, Tensor, block_at, bytes_between,
                                  close_pool, free_pool, new_empty, new_on_memory, open_pool, strides_of)
from wengert_replay.loops.placement cimport move_carry_early, lay_out_body
from wengert_replay.memory.arena cimport Arena, Fields
from wengert_replay.passes.ranges cimport Ranges
from wengert_replay.programs.memory cimport REGION_INPUT, REGION_OUTSIDE, Memory, Region, extent
from wengert_replay.programs.planning cimport (move_calls, move_launches, plan_inputs, reaches_of, values_of_words,
                                               words_of_results)
from wengert_replay.programs.plans cimport InputPlan
from wengert_replay.programs.stream cimport STOP_END, STOP_FAILED, Row, Stream
from wengert_replay.recording.calls cimport Call, on_captured_memory
from wengert_replay.recording.failing_calls cimport FailingCall
from wengert_replay.recording.python_calls cimport PythonCall
from wengert_replay.recording.tracing cimport Recording
from wengert_replay.recording.value_map cimport OWNER_INPUT, OWNER_RESULT
from wengert_replay.trace.overlap cimport FOREIGN_BIN
from wengert_replay.trace.tables cimport find

from wengert_replay.inspection.printing import format_step
from wengert_replay.making import blocks_in_use
from wengert_replay.refusal import WRITES_ARGUMENTS as _WRITES_ARGUMENTS
from wengert_replay.refusal import WRITES_OUTSIDE as _WRITES_OUTSIDE
from wengert_replay.refusal import Refusal

cdef enum:
    MOST_DIMS = 64


cdef bint is_internal(Recording around, Tensor t) except -1:
    """Whether a tensor lies in memory that a program of the recording around, or of one around that, has elsewhere."""
    cdef Storage s = <Storage> t.storage
    cdef Block* block
    while around is not None:
        owner = find(&around.owners, <size_t> t.storage, 0)
        if owner == OWNER_INPUT or owner == OWNER_RESULT:
            return True
        block = block_at(around.pool, s.data) if s.bin != FOREIGN_BIN and around.pool != NULL else NULL
        if block != NULL and block.live:
            return True
        around = around.around
    return False


cdef Tensor without_memory(Tensor t):
    """A tensor of the same geometry that nobody may read."""
    cdef Tensor made = on_captured_memory(t)
    made.data, (<Storage> made.storage).data = NULL, NULL
    return made


cdef Tensor bytes_at(char* data, Py_ssize_t nbytes):
    """A tensor of bytes that does not keep its memory alive."""
    cdef Py_ssize_t step = 1
    return new_on_memory(BOOL, 1, &nbytes, &step, data, data, nbytes, None)


cdef int refuse_effects(Recording recording) except -1:
    """Raise Refusal for what a body may not do."""
    cdef Py_ssize_t i
    cdef Tensor t
    if recording.refusal:
        raise Refusal(recording.refusal)
    for i in range(recording.recorder.n):
        if recording.recorder.launches[i].kind == LAUNCH_GUARD:
            raise Refusal(f"Python reads a number in it ({recording.words_of(recording.recorder.launches[i].step)})")
    for call in recording.calls.values():
        if isinstance(call, (PythonCall, FailingCall)):
            raise Refusal(f"it calls {(<Call> call).name}, which is not recorded, or catches an error of it")
    for i, t in enumerate(recording.inputs):
        if (<Storage> t.storage).version != <unsigned int> recording.versions[i] \
                or <size_t> t.storage not in recording.storages:
            raise Refusal(_WRITES_ARGUMENTS)
    for t, version, address, nbytes in recording.outside.values():
        if (<Storage> t.storage).version != <unsigned int> version:
            raise Refusal(_WRITES_OUTSIDE)
        if <size_t> (<Storage> t.storage).data != <size_t> address or (<Storage> t.storage).nbytes != nbytes:
            raise Refusal("it gives a tensor from outside other memory")
    for leaf, grad in recording.leaves.values():
        if leaf.grad is not grad:
            raise Refusal("it changes the gradient of a leaf")
    return 0


@cython.binding(False)
cdef class Body:
    """A recorded function of tensors that gives tensors."""

    def __dealloc__(self):
        free(self.inputs)
        free(self.results)
        free(self.imports)
        free(self.scratch)

    cdef int take(
        self, Recording recording, Recording around, list results, list positions, list result_positions,
        Py_ssize_t n_carry, bint in_place
    ) except -1:
        """Take over a recording that has stopped. results: its tensors, without a graph.

        positions: for each argument of the body its number in the recording, None where it is not there;
        result_positions: the same of results.   n_carry: so many results may lie in arguments when a run ends.
        in_place: a run may write results where they stay, as it may a part of the carry that no argument is.   Raises
        Refusal.
        """
        cdef Pool* aside
        refuse_effects(recording)
        if around is not None:
            around.note_body(recording)
        blocks_in_use(recording, results)
        recording.close()
        aside = open_pool()            # the body's blocks are none of the recording around it
        try:
            self.lay_out(recording, around, results, positions, result_positions, n_carry, in_place)
        finally:
            close_pool(aside)
            free_pool(aside)
        recording.close()
        return 0

    cdef int lay_out(
        self, Recording recording, Recording around, list results, list positions, list result_positions,
        Py_ssize_t n_carry, bint in_place
    ) except -1:
        cdef Memory memory = Memory(recording, None)
        cdef Ranges kept = Ranges()
        cdef Arena arena
        cdef Port* port
        cdef Py_ssize_t i, scratch = 0
        self.steps = recording.steps
        memory.stay()
        self.note_outside(recording, around, memory)
        for _, _, address, nbytes in self.states.values():     # generators are where an eager call leaves them
            kept.add(<char*> <size_t> address, <char*> <size_t> (address + nbytes))
        plans = plan_inputs(recording, memory)
        move_launches(recording, 0, memory, plans)
        move_calls(recording, 0, memory, plans)
        self.n_inputs, self.n_results = len(positions), len(result_positions)
        self.result_words, self.result_positions = words_of_results(results, recording), result_positions
        self.inputs = <Port*> calloc(self.n_inputs + 1, sizeof(Port))
        self.results = <Port*> calloc(self.n_results + 1, sizeof(Port))
        if self.inputs == NULL or self.results == NULL:
            raise MemoryError()
        for i, position in enumerate(positions):
            if position is not None:
                self.locate_input(plans[position], &self.inputs[i])
        for i, position in enumerate(result_positions):
            port = &self.results[i]
            port.input = -1
            if position is not None:
                self.locate_result(recording, memory, results[position], positions, port)
            scratch += port.nbytes if port.input >= 0 else 0
        self.scratch = <char*> calloc(scratch + 1, 1)
        if self.scratch == NULL:
            raise MemoryError()
        self.like_inputs = [None if k is None else without_memory(recording.inputs[k]) for k in positions]
        self.like_results = [None if k is None else without_memory(results[k]) for k in result_positions]
        move_carry_early(self, recording, n_carry)
        self.calls = recording.calls
        for i in range(self.n_results):
            if self.results[i].nbytes:
                kept.add(self.results[i].data, self.results[i].data + self.results[i].nbytes)
        self.stream, arena = Stream(), memory.arena_of(recording, set())
        self.stream.fill(recording, kept, 0, arena, reaches_of(recording, 0, True))
        lay_out_body(self, arena, n_carry, in_place)
        self.stream.forget_sites()
        memory.take_pool(recording)
        return 0

    cdef int locate_input(self, InputPlan plan, Port* port) except -1:
        if plan.written:
            raise Refusal(_WRITES_ARGUMENTS)
        port.data, port.low, port.nbytes = plan.block, plan.low, plan.nbytes
        if plan.block == NULL:
            port.nbytes = 0
        return 0

    cdef int locate_result(self, Recording recording, Memory memory, Tensor t, list positions, Port* port) except -1:
        """Say where a result is when a run has ended."""
        cdef Py_ssize_t low = 0, high = 0
        cdef Region* region
        extent(t, &low, &high)
        port.low, port.nbytes, port.data = low, high - low, t.data + low
        if port.nbytes == 0:
            return 0
        region = memory.find(port.data)
        if region == NULL:
            raise Refusal("it gives a tensor in memory of unknown origin")
        if region.kind == REGION_OUTSIDE:
            if t.count:
                raise Refusal("it gives a tensor from outside, or a view of one")
            port.nbytes = 0
            return 0
        if region.kind == REGION_INPUT:
            port.input = <int> positions.index(region.input)
            port.offset = bytes_between(self.inputs[port.input].data, port.data)
            self.inputs[port.input].is_result = True
        elif recording.is_python_data(t):
            raise Refusal("it gives a tensor that is made of Python data, and that no operation has used")
        return 0

    def note_outside(self, Recording recording not None, Recording around not None, Memory memory not None):
        """Note what it reads of the program around, and from outside of that."""
        cdef Tensor t
        self.outside, self.imported, self.external = [], [], []
        self.imports = <Import*> calloc(len(recording.outside) + 1, sizeof(Import))
        if self.imports == NULL:
            raise MemoryError()
        self.states = {}
        for key, (t, _, address, nbytes) in recording.outside.items():
            if key == address:         # a generator's state
                self.states[key] = recording.outside[key]
                continue
            self.outside.append(t)
            if not nbytes:
                continue
            if not is_internal(around, t):
                self.external.append(bytes_at(<char*> <size_t> address, nbytes))
                continue
            memory.import_region(address)
            self.import_memory(&self.imports[self.n_imports], t, around)
            self.n_imports += 1

    cdef int import_memory(self, Import* row, Tensor t, Recording around) except -1:
        """Note the bytes that it reads: of an argument those that its elements lie in."""
        cdef Storage s = <Storage> t.storage
        cdef Py_ssize_t low = 0, high = s.nbytes, first = 0, last = 0
        cdef Tensor own
        while around is not None:
            for own in around.inputs:
                if own.storage == t.storage:
                    extent(own, &first, &last)
                    low = bytes_between(s.data, own.data) + first
                    high = bytes_between(s.data, own.data) + last
            around = around.around
        row.tensor, row.data = len(self.imported), s.data + low
        self.imported.append(bytes_at(s.data + low, high - low))
        return 0

    # ---- where memory is

    cdef int enter(self, char* base) except -1:
        cdef Py_ssize_t i
        cdef char* data
        if base != self.base:
            self.own.set_base(base)
            self.base = base
            for i in range(self.n_results):
                if self.results[i].input < 0 and self.result_fields[i] is None:
                    self.results[i].data = base + self.results[i].offset
        for i in range(self.n_imports):
            data = (<Tensor> self.imported[self.imports[i].tensor]).data
            if data != self.imports[i].data and self.import_fields[i] is not None:
                (<Fields> self.import_fields[i]).set_base(data)
                self.imports[i].data = data
        return 0

    cdef int put_input(self, Py_ssize_t k, char* data) except -1:
        cdef Py_ssize_t i
        if data == self.inputs[k].data:
            return 0
        self.inputs[k].data = data
        if self.input_fields[k] is not None:
            (<Fields> self.input_fields[k]).set_base(data)
        for i in range(self.n_results if self.inputs[k].is_result else 0):
            if self.results[i].input == k:
                self.results[i].data = data + self.results[i].offset
        return 0

    cdef int put_result(self, Py_ssize_t k, char* data) except -1:
        if data != self.results[k].data:
            self.results[k].data = data
            (<Fields> self.result_fields[k]).set_base(data)
        return 0

    cdef int run(self) except -1:
        """Run once, with the GIL. Raises what an operation raises, and Refusal where the shape of a result differs."""
        cdef char* at = self.stream.rows
        cdef int stop = STOP_END
        cdef Launch* launch
        cdef Call call
        while True:
            at = self.stream.run(at, &stop)
            if stop == STOP_END:
                return 0
            if stop == STOP_FAILED:
                launch = <Launch*> (<Row*> at).data
                launch.fail(launch)
            call = <Call> self.calls[(<Row*> at).n]
            if call.settle(call.run()) is not None:
                raise Refusal(f"a result of {call.name} has another shape than in the recording")
            at += (<Row*> at).size

    def generators(self):
        """The generators that operations draw from which are called; ``states`` has those of launches."""
        found = []
        for call in self.calls.values():
            found += [one for one in (<Call> call).generators() if one not in found]
        return found

    def loops(self):
        """The loops in it, and in the functions of conds in it."""
        found = []
        for call in self.calls.values():
            if call.label == "choice":
                for body in call.all_bodies():
                    found += body.loops()
            elif hasattr(call, "all_bodies"):
                found.append(call)
        return found

    def all_states(self):
        """The states of generators that launches write to, by their addresses: of its own loops, too."""
        found = dict(self.states)
        for call in self.calls.values():
            for body in getattr(call, "all_bodies", list)():
                found.update(body.all_states())
        return found

    @property
    def result_values(self):
        """The recorded value of each result; None for one that is not there, or that no step knows."""
        values = values_of_words(self.result_words, self.steps)
        return [None if k is None else values[k] for k in self.result_positions]

    def words(self):
        """Return a text that is equal for bodies that do the same."""
        if self.digest is None:
            text = "\n".join([format_step(step).split("  # ")[0] for step in self.steps])
            self.digest = sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
        return self.digest

    @property
    def nbytes(self):
        """Bytes of memory for values, that of loops inside among them, beside what the program around has for it."""
        return self.stream.n_slot_bytes + sum([call.nbytes for call in self.calls.values()
                                               if hasattr(call, "all_bodies")])

    @property
    def stream_nbytes(self):
        """Bytes of what runs, also in loops inside."""
        cdef Fields fields
        if self.own is None:           # a body that was never made
            return 0
        nbytes = self.stream.nbytes + self.own.nbytes()
        for fields in (*self.input_fields, *self.result_fields, *self.import_fields):
            nbytes += 0 if fields is None else fields.nbytes()
        return nbytes + sum([call.stream_nbytes for call in self.calls.values() if hasattr(call, "all_bodies")])


def rows_of_bytes(Tensor t not None, Tensor like not None, Py_ssize_t n):
    """Return ``n`` tensors of a geometry as rows of one, on the bytes of ``t``, where they lie behind each other."""
    cdef Py_ssize_t low = 0, high = 0
    cdef Py_ssize_t dims[MOST_DIMS]
    cdef Py_ssize_t strides[MOST_DIMS]
    cdef Storage s = <Storage> t.storage
    cdef int i
    extent(like, &low, &high)
    if like.rank + 1 > MOST_DIMS or n * (high - low) > s.nbytes:
        raise ValueError("rows of another geometry than the one that was kept")
    dims[0], strides[0] = n, high - low
    for i in range(like.rank):
        dims[i + 1], strides[i + 1] = like.dims[i], strides_of(like)[i]
    return new_on_memory(like.code, like.rank + 1, dims, strides, t.data - low, s.data, s.nbytes, <object> s)


def bytes_for(Tensor like not None, Py_ssize_t n):
    """Return room for ``n`` tensors of a geometry."""
    cdef Py_ssize_t low = 0, high = 0, nbytes
    extent(like, &low, &high)
    nbytes = n * (high - low)
    return new_empty(BOOL, 1, &nbytes)
