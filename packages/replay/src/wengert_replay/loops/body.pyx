"""Body: a function that was recorded once, as a program of its own, and that an instruction calls many times.

Note [A body's memory]
    Its arguments lie in blocks of its own, and so does what it computes. Tensors from outside of the whole program are
    read where they are. What the program around it computes may lie elsewhere in each program that the recording gives
    (Note [Where a program's memory is] in programs/memory.pyx): it is copied to a block of the body before a loop.
Note [What a body may not do]
    Write to an argument or to memory from outside, change a gradient, let Python read a number, keep a tensor
    somewhere, or call a Python function that is not recorded: such a construct is recorded operation by operation.
"""
cimport cython
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from hashlib import sha256

from wengert_core.extend cimport (BOOL, LAUNCH_GUARD, Block, Launch, Pool, Storage, Tensor, block_at,
                                  close_pool, free_pool, new_on_memory, open_pool)
from wengert_replay.passes.ranges cimport Ranges
from wengert_replay.programs.memory cimport REGION_INPUT, REGION_OUTSIDE, Memory, Region, extent
from wengert_replay.programs.planning cimport move_calls, move_launches, plan_inputs
from wengert_replay.programs.plans cimport InputPlan
from wengert_replay.programs.stream cimport STOP_END, STOP_FAILED, Row, Stream
from wengert_replay.recording.calls cimport Call, on_captured_memory
from wengert_replay.recording.failing_calls cimport FailingCall
from wengert_replay.recording.python_calls cimport PythonCall
from wengert_replay.recording.tracing cimport Recording
from wengert_replay.recording.value_map cimport OWNER_INPUT, OWNER_RESULT
from wengert_replay.trace.tables cimport find

from wengert_replay.inspection.printing import format_step
from wengert_replay.making import blocks_in_use
from wengert_replay.refusal import Refusal

cdef enum:
    FOREIGN_BIN = 255                  # of memory that is not the allocator's


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
            raise Refusal("it writes to its arguments")
    for t, version, address, nbytes in recording.outside.values():
        if (<Storage> t.storage).version != <unsigned int> version:
            raise Refusal("it writes to a tensor from outside")
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
        self, Recording recording, Recording around, list results, list positions, list result_positions
    ) except -1:
        """Take over a recording that has stopped. results: its tensors, without a graph.

        positions: for each argument of the body its number in the recording, None where it is not there;
        result_positions: the same of results.   Raises Refusal.
        """
        cdef Pool* aside
        refuse_effects(recording)
        live = blocks_in_use(recording, results)
        recording.close()
        aside = open_pool()            # the body's blocks are none of the recording around it
        try:
            self.lay_out(recording, around, results, positions, result_positions, live)
        finally:
            close_pool(aside)
            free_pool(aside)
        recording.close()
        return 0

    cdef int lay_out(
        self, Recording recording, Recording around, list results, list positions, list result_positions, set live
    ) except -1:
        cdef Memory memory
        cdef Ranges kept = Ranges()
        cdef Port* port
        cdef Py_ssize_t i, scratch = 0
        self.calls, self.steps = recording.calls, recording.steps
        memory = self.memory = Memory(recording, None)
        self.note_outside(recording, around)
        for _, _, address, nbytes in self.states.values():     # generators are where an eager call leaves them
            kept.add(<char*> <size_t> address, <char*> <size_t> (address + nbytes))
        memory.settle(live)
        plans = plan_inputs(recording, memory)
        move_launches(recording, 0, memory, plans)
        move_calls(recording, 0, memory, plans)
        self.n_inputs, self.n_results = len(positions), len(result_positions)
        self.inputs = <Port*> calloc(self.n_inputs + 1, sizeof(Port))
        self.results = <Port*> calloc(self.n_results + 1, sizeof(Port))
        if self.inputs == NULL or self.results == NULL:
            raise MemoryError()
        for i, position in enumerate(positions):
            if position is not None:
                self.locate_input(plans[position], &self.inputs[i])
        for i, position in enumerate(result_positions):
            port = &self.results[i]
            if position is not None:
                self.locate_result(recording, results[position], port)
            if port.nbytes:
                kept.add(port.data, port.data + port.nbytes)
            scratch += port.nbytes if port.is_input else 0
        self.scratch = <char*> calloc(scratch + 1, 1)
        if self.scratch == NULL:
            raise MemoryError()
        self.like_inputs = [None if k is None else without_memory(recording.inputs[k]) for k in positions]
        self.like_results = [None if k is None else without_memory(results[k]) for k in result_positions]
        self.stream = Stream()
        self.stream.fill(recording.recorder.launches, recording.recorder.n, kept, 0)
        memory.take_pool(recording)
        return 0

    cdef int locate_input(self, InputPlan plan, Port* port) except -1:
        if plan.written:
            raise Refusal("it writes to its arguments")
        port.data, port.low, port.nbytes = plan.block, plan.low, plan.nbytes
        if plan.block == NULL:
            port.nbytes = 0
        return 0

    cdef int locate_result(self, Recording recording, Tensor t, Port* port) except -1:
        """Say where a result is when a run has ended."""
        cdef Py_ssize_t low = 0, high = 0
        cdef char* address = t.data
        extent(t, &low, &high)
        port.low, port.nbytes = low, high - low
        if port.nbytes == 0:
            return 0
        kind = self.memory.relocate(&address, low)
        if kind == REGION_OUTSIDE and t.count:
            raise Refusal("it gives a tensor from outside, or a view of one")
        if kind < 0:
            raise Refusal("it gives a tensor in memory of unknown origin")
        port.data, port.is_input = address + low, kind == REGION_INPUT
        return 0

    def note_outside(self, Recording recording not None, Recording around not None):
        """Note what it reads of the program around, which gets blocks of the body, and from outside of that."""
        cdef Tensor t
        cdef Region* region
        cdef Import* row
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
            region = self.memory.find(<char*> <size_t> address)
            if region == NULL or region.kind != REGION_OUTSIDE or region.low != <size_t> address:
                raise Refusal("it reads memory that two tensors have")
            row = &self.imports[self.n_imports]
            region.moved = self.memory.allocate_block(nbytes)
            self.import_memory(row, t, around, region)
            self.n_imports += 1

    cdef int import_memory(self, Import* row, Tensor t, Recording around, Region* region) except -1:
        """Note the bytes that are copied: of an argument those that its elements lie in."""
        cdef Storage s = <Storage> t.storage
        cdef Py_ssize_t low = 0, high = s.nbytes, first = 0, last = 0
        cdef char* start = s.data
        cdef Tensor own
        while around is not None:
            for own in around.inputs:
                if own.storage == t.storage:
                    extent(own, &first, &last)
                    low, high = own.data + first - s.data, own.data + last - s.data
            around = around.around
        row.tensor, row.nbytes, row.data = len(self.imported), high - low, region.moved + low
        self.imported.append(bytes_at(start + low, high - low))
        return 0

    cdef int load_imports(self) except -1:
        """Copy what the program around has computed. ``imported`` lies where that is now."""
        cdef Py_ssize_t i
        for i in range(self.n_imports):
            memcpy(self.imports[i].data, (<Tensor> self.imported[self.imports[i].tensor]).data, self.imports[i].nbytes)
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

    def all_states(self):
        """The states of generators that launches write to, by their addresses: of its own loops, too."""
        found = dict(self.states)
        for call in self.calls.values():
            for body in getattr(call, "all_bodies", list)():
                found.update(body.all_states())
        return found

    def words(self):
        """Return a text that is equal for bodies that do the same."""
        if self.digest is None:
            text = "\n".join([format_step(step).split("  # ")[0] for step in self.steps])
            self.digest = sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
        return self.digest

    @property
    def nbytes(self):
        """Bytes of memory for values, that of loops inside among them."""
        return self.memory.nbytes + sum([call.nbytes for call in self.calls.values() if hasattr(call, "all_bodies")])

    @property
    def stream_nbytes(self):
        """Bytes of what runs, also in loops inside."""
        return self.stream.nbytes + sum([call.stream_nbytes for call in self.calls.values()
                                         if hasattr(call, "all_bodies")])
