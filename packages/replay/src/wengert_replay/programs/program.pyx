"""Program: launches that run again, and what a replay does before and after them.

Note [A replay]
    1. Everything outside must be as it was when the program was recorded: addresses, sizes, whether leaves have
       gradients. Else nothing happens, and the caller records another program.
    2. Arguments are copied to where the program has them.
    3. Launches run in their order, without the GIL; operations without launches are called between them. Where a guard
       differs, the run goes on in the branch for what was seen (Note [Branches share a beginning] in structure.pyx). If
       there is none, what was written outside is undone, and the caller runs the function and records a branch.
    4. Results are copied out to tensors of their own; gradients are set, and versions rise as in the first run.
"""
cimport cython

import os

from wengert_core.extend cimport (LAUNCH_CALL, LAUNCH_GUARD, WG_OBSERVE, Launch, StorePlan, Tensor, thread_state)
from wengert_replay.programs.profiling cimport names_of_marks, run_profiled
from wengert_replay.memory.arena cimport Arena
from wengert_replay.memory.kept_gradients cimport note_other_gradient
from wengert_replay.programs.memory cimport Memory, last_fork
from wengert_replay.programs.outside cimport outside_of
from wengert_replay.programs.planning cimport (move_calls, move_launches, plan_hooks, plan_inputs, plan_leaves,
                                               plan_result, plan_snapshot, reaches_of, values_of_words, watch_results,
                                               words_of_results)
from wengert_replay.programs.plans cimport HookPlan, InputPlan, LeafPlan, ResultPlan, pack_values, result_of
from wengert_replay.passes.ranges cimport Ranges
from wengert_replay.programs.stream cimport STOP_CALL, STOP_END, STOP_FAILED, STOP_GUARD, Row, Stream
from wengert_replay.programs.structure cimport structure_of
from wengert_replay.python_state.lookups cimport Lookups
from wengert_replay.instructions.turns cimport PASSED, TAKEN, Turn
from wengert_replay.recording.calls cimport Call
from wengert_replay.recording.failing_calls cimport FailingCall
from wengert_replay.trace.likeness cimport begins_like
from wengert_replay.recording.python_calls cimport PythonCall
from wengert_replay.recording.tracing cimport Recording

from wengert_replay.refusal import NO_TURN as _NO_TURN
from wengert_replay.refusal import SHARED_OUTSIDE as _SHARED_OUTSIDE
from wengert_replay.refusal import THAWED, Miss, Refusal

cdef extern from "Python.h":
    unsigned long PyThread_get_thread_ident() noexcept

cdef str INSIDE = "a call inside of its own replay runs as usual"
cdef int FORKS = 0                     # of this process and those that it comes from


def note_fork():
    """Count a fork, in the child."""
    global FORKS
    FORKS += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=note_fork)


@cython.binding(False)
cdef class Program:
    """A recorded function, for one signature of arguments; or the rest of one, behind a guard."""

    def __init__(self, Recording recording not None, list results not None, set live not None, spent,
                 object shape=None, Program trunk=None, Py_ssize_t fork=-1, object seen=None):
        """Take over a recording that has stopped; results: its tensors. Raises Refusal.

        live: the addresses of the blocks of its pool that results and gradients have.   spent: a function of a grad_fn
        that says whether its graph has nothing left to compute.   shape: the structure of the result.   trunk: the
        program that saw something else at launch ``fork``, which this one is a branch of.
        """
        cdef Py_ssize_t first = 0
        cdef Arena arena
        recording.close()
        self.turn = Turn() if trunk is None else trunk.turn
        self.calls, self.steps, self.notes = recording.calls, recording.steps, recording.construct_notes
        self.trunk, self.fork, self.fork_table, self.shape = trunk, fork, {}, shape
        self.memory = Memory(recording, None if trunk is None else trunk.memory)
        if trunk is not None:
            first = self.leave_trunk(recording, seen)
        branches = last_fork(recording) >= 0
        stops = trunk is not None or branches
        if branches and trunk is None:
            self.memory.set_aside(recording)
        if stops:
            self.memory.settle(live)
        else:
            self.memory.stay()
        if branches and self.may_branch():
            self.structure = structure_of(recording, max(fork, 0), self.memory,
                                          None if trunk is None else trunk.structure)
        self.inputs = plan_inputs(recording, self.memory)
        move_launches(recording, first, self.memory, self.inputs)
        move_calls(recording, max(fork, 0), self.memory, self.inputs)
        watch_results(results, recording)
        self.surroundings = outside_of(recording)
        if self.surroundings.is_stale():
            raise Refusal("the function gave a tensor from outside other memory or another shape")
        if recording.lookups is not None:
            self.ways = (<Lookups> recording.lookups).ways_to(recording.inputs)
        self.results = [plan_result(t, recording, self.memory, spent) for t in results]
        self.result_words = words_of_results(results, recording)
        self.leaves, self.hooks = plan_leaves(recording, self.memory, spent), plan_hooks(recording)
        self.moves_gradients = any([(<LeafPlan> leaf).kept is not None for leaf in self.leaves])
        self.link_gradients(recording, results)
        self.note_memory()
        self.snapshot = plan_snapshot(recording, first, self.memory)
        self.n_launches = recording.recorder.n - first
        arena = self.memory.arena_of(recording, {number for number, plan in enumerate(self.inputs) if plan.written})
        arena.is_all = not stops
        self.fill_stream(recording, first, arena if arena.is_all or arena.n_regions else None)
        self.memory.take_pool(recording)
        self.memory.forget_regions()
        if recording.turn is not None and (self.snapshot.n or self.snapshot.generators or self.writes_outside()):
            self.share_turn(<Turn> recording.turn)
        if trunk is not None:
            trunk.fork_table[fork, seen] = self

    def __cinit__(self, *arguments):
        if not arguments:
            raise TypeError("a Program is not made by hand: wengert.capture makes it")
        self.return_point = -1

    cdef bint writes_outside(self) except -1:
        """Whether a run writes to tensors from outside."""
        return any([versions for *_, versions in self.surroundings.memory_rows()])

    cdef int share_turn(self, Turn turn) except -1:
        """Let this program, with all that it is a branch of, take turns with others of its function."""
        cdef Turn own = self.turn
        cdef Program trunk = self
        if own is turn:
            return 0
        with own:                      # a replay that runs ends with the turn that it has taken
            while trunk.trunk is not None:
                trunk = trunk.trunk
            self.turn = turn
            trunk.set_turn(turn)
        return 0

    cdef int set_turn(self, Turn turn) except -1:
        cdef Program branch
        self.turn = turn
        for branch in self.fork_table.values():
            branch.set_turn(turn)
        return 0

    cdef int take_turn(self) except -1:
        """Take the program's turn; PASSED where it is another thread's, or this thread is in a replay of it."""
        cdef Turn turn = self.turn
        while True:
            if turn.take() == PASSED:
                return PASSED
            if self.turn is turn:
                break
            turn.leave()               # it has got another one meanwhile
            turn = self.turn
        if self.is_busy():
            turn.leave()
            return PASSED
        return TAKEN

    cdef bint is_busy(self) noexcept:
        """Whether it runs: not where that was in a thread that a fork has not taken along."""
        return self.busy != 0 and (self.busy == PyThread_get_thread_ident() or self.busy_fork == FORKS)

    cdef void occupy(self) noexcept:
        """Note that it runs in this thread."""
        self.busy, self.busy_fork = PyThread_get_thread_ident(), FORKS

    cdef int link_gradients(self, Recording recording, list results) except -1:
        """Give a result that is the new gradient of a leaf as that."""
        numbers = {id(leaf.grad): i for i, (leaf, _) in enumerate(recording.leaves.values()) if leaf.grad is not None}
        for i, t in enumerate(results):
            if id(t) in numbers and (<LeafPlan> self.leaves[numbers[id(t)]]).changes:
                self.results[i] = self.leaves[numbers[id(t)]]
        return 0

    cdef int note_memory(self) except -1:
        """For classes below: note where memory of the first run is now, which ``memory`` still knows."""
        return 0

    cdef bint may_branch(self) noexcept:
        """Whether a run that takes another way becomes a branch."""
        return True

    cdef Py_ssize_t leave_trunk(self, Recording recording, object seen) except -1:
        """Put what this and the trunk have done alike on the trunk's memory; return the number of the next launch."""
        cdef Launch* launch
        cdef StorePlan* plan
        cdef Py_ssize_t n = recording.recorder.n
        cdef Py_ssize_t differs = self.trunk.structure.agree(recording, self.fork, self.memory)
        self.repeats = isinstance(self.trunk.calls.get(self.fork), FailingCall)
        if differs < 0 and n:
            launch = &recording.recorder.launches[min(self.fork, n - 1)]
            before = launch.step - (launch.kind == LAUNCH_GUARD and launch.step > 0)    # its own step has the number
            if not begins_like(recording.steps, self.trunk.steps, before):
                differs = self.fork
            elif self.repeats:
                return self.fork       # the trunk's call has done nothing
            elif self.fork >= n or launch.kind not in (LAUNCH_GUARD, LAUNCH_CALL):
                differs = self.fork
            elif launch.kind == LAUNCH_CALL:
                call = <Call> recording.calls[self.fork]
                differs = -1 if isinstance(call, PythonCall) or call.facts() == seen else self.fork
            else:
                plan = <StorePlan*> launch.plan
                differs = -1 if plan.bytes[:plan.nbytes] == seen else self.fork
        if differs >= 0:
            where = recording.words_of(recording.recorder.launches[min(differs, n - 1)].step if n else 0)
            if hasattr(recording.calls.get(differs), "all_bodies"):
                raise Refusal(f"a loop has other bodies than in the recording before ({where})", begins_anew=True)
            raise Refusal(f"the function did something else than in its first recording, though arguments and numbers "
                          f"were the same: it depends on Python's state ({where})")
        return self.fork + 1

    cdef int fill_stream(self, Recording recording, Py_ssize_t first, Arena arena) except -1:
        """Make the stream of the launches from a number on."""
        cdef Ranges kept = Ranges()
        cdef InputPlan plan
        for plan in self.inputs:
            if plan.written and plan.block != NULL:
                kept.add(plan.block, plan.block + plan.nbytes)
        results = [*self.results, *[(<LeafPlan> leaf).grad for leaf in self.leaves]]
        for result in results:
            if isinstance(result, ResultPlan):
                kept.add((<ResultPlan> result).data + (<ResultPlan> result).low,
                         (<ResultPlan> result).data + (<ResultPlan> result).high)
        for _, _, address, nbytes, _ in self.surroundings.memory_rows():
            kept.add(<char*> <size_t> address, <char*> <size_t> (address + nbytes))
        self.stream = Stream()
        self.stream.fill(recording, kept, first, arena, reaches_of(recording, first, False))
        self.direct = [] if arena is None else pack_values(arena, self.stream, self.memory, self.inputs, results)
        self.stream.forget_sites()
        return 0

    cdef int prepare_results(self) except -1:
        cdef ResultPlan plan
        for plan in self.direct:
            plan.prepare()
        return 0

    cdef void withdraw_results(self) noexcept:
        cdef ResultPlan plan
        for plan in self.direct:
            plan.prepared = None

    # ---- a replay

    def replay(self, list inputs not None):
        """Run again. Returns the result's structure and tensors; None where the program does not fit, or a Miss.

        inputs: the tensors among the arguments, of the signature that the program was recorded for.
        """
        cdef Turn turn
        if self.take_turn() == PASSED:
            return Miss(self, -2, INSIDE if self.busy == PyThread_get_thread_ident() else _NO_TURN, "")
        turn = self.turn
        try:
            if self.ended is not None:
                return Miss(self, -2, self.ended, "")
            if not self.fits(inputs) or not self.finds_arguments(inputs):
                return None
            if self.surroundings.meets(inputs):
                return Miss(self, -2, _SHARED_OUTSIDE, "")
            self.occupy()
            try:
                return self.run_along(inputs)
            finally:
                self.withdraw_results()
                self.busy = 0
        finally:
            turn.leave()

    cdef object run_along(self, list inputs):
        """Run from the start to an end, along branches; the program fits."""
        cdef Program node = self
        cdef list path = [self], held = self.surroundings.hold()
        cdef int outcome
        self.copy_in(inputs)
        self.snapshot.save()
        try:
            outcome = self.run_from(self.stream.rows)
            while outcome == OUTCOME_MISSED:
                number, seen = (<Row*> node.at).n, node.seen
                branch = <Program> node.fork_table.get((number, seen))
                if branch is None or not branch.fits(inputs) or branch.surroundings.meets(inputs) \
                        or not branch.enter(node.found):
                    undo(path)
                    self.guard_failures += 1
                    if branch is not None:
                        del node.fork_table[number, seen]
                    return Miss(node, number, seen, node.words_at())
                node = branch
                path.append(node)
                held += node.surroundings.hold()
                node.snapshot.save()
                outcome = node.run_from(node.stream.rows)
        except Exception as error:
            undo(path)
            if node.fails_in_python():
                raise
            return Miss(node, -1, error, node.words_at())
        except BaseException:
            undo(path)
            raise
        for node in path:
            node.found = None
        node.finish(inputs)
        node.replays += 1
        return node.shape, node.collect(inputs)

    cdef bint fails_in_python(self) except -1:
        """Whether a run has stopped in a Python function."""
        return self.at != NULL and isinstance(self.calls.get((<Row*> self.at).n), PythonCall)

    def words_at(self):
        """Return the operation whose number or shape differs, and its line."""
        cdef Row* row = <Row*> self.at
        step = None if row == NULL or row.data == NULL else self.steps.step_of((<Launch*> row.data).step)
        return "the function" if step is None else f"{step.name} ({step.line})"

    def is_stale(self):
        """Whether a tensor from outside is gone or has other memory than in the recording: it never fits again."""
        return self.surroundings.is_lost()

    def why_not_fitting(self, list inputs not None):
        """Return what keeps a program from fitting, in words, where it is no other tensor from outside; "" else."""
        cdef LeafPlan leaf
        cdef bint has_others = False
        for leaf in self.leaves:
            if leaf.has_other_grad(inputs):
                has_others = True
                note_other_gradient(leaf.leaf_of(inputs))
        if has_others:
            return "gradients that it reads are other tensors"
        return THAWED if not self.surroundings.is_lost() and self.surroundings.differs_in_grad() else ""

    def was_replaced(self):
        """Whether a tensor from outside has other memory or is gone, or the function would find another one, since the
        program was recorded.
        """
        return self.surroundings.was_replaced(False) or self.surroundings.finds_others()

    def drop_temporaries(self):
        """Watch tensors and leaves no more that are gone with the recording."""
        cdef LeafPlan leaf
        cdef set in_use = {(<LeafPlan> one).alike for one in self.leaves}
        for i, leaf in enumerate(self.leaves):
            leaf.is_temporary = leaf.input < 0 and not leaf.had_grad and leaf.leaf is None and i not in in_use \
                and (leaf.alike < 0 or leaf not in self.results)
        self.results = [(<LeafPlan> one).grad if isinstance(one, LeafPlan) and (<LeafPlan> one).is_temporary else one
                        for one in self.results]
        self.surroundings.drop_temporaries()

    @property
    def result_values(self):
        """The recorded value of each tensor of the result; None where no step knows it."""
        return values_of_words(self.result_words, self.steps)

    @property
    def outside(self):
        """Memory from outside: (a tensor on it, its Storage's address, address, nbytes, versions that a run adds)."""
        return self.surroundings.memory_rows()

    @property
    def tensors(self):
        """Tensors from outside: (weak reference, address, Storage's address, whether it requires grad)."""
        return self.surroundings.tensor_rows()

    cdef bint finds_arguments(self, list inputs) except -1:
        """Whether the function would still find the arguments where it could in the recording: there it took them for
        arguments.
        """
        for number, ways in self.ways or ():
            if not (<Lookups> ways).lead_to(inputs[number]):
                return False
        return True

    cdef bint fits(self, list inputs) except -1:
        cdef LeafPlan leaf
        cdef HookPlan hooks
        if self.moves_gradients:
            for leaf in self.leaves:
                leaf.take_gradient(inputs)
        if self.surroundings.is_stale() or self.surroundings.finds_others():
            return False
        for leaf in self.leaves:
            if not leaf.fits(inputs):
                return False
        for hooks in self.hooks:
            if not hooks.fits(inputs):
                return False
        return True

    cdef int copy_in(self, list inputs, Py_ssize_t first=0) except -1:
        """Give a run what it begins with: arguments, from a number on, and, with the first, memory for results."""
        cdef Py_ssize_t i
        if not first:
            self.prepare_results()
        for i in range(len(inputs)):
            (<InputPlan> self.inputs[first + i]).take(<Tensor> inputs[i])
        return 0

    cdef int run_from(self, char* at) except -1:
        """Run from a row on; returns an Outcome."""
        cdef int stop = STOP_CALL
        cdef Launch* launch
        cdef Call call
        while True:
            if thread_state().modes & WG_OBSERVE:      # Note [A replay in a profile] in programs/profiling.pyx
                if self.names is None:
                    self.names = names_of_marks(self.stream, self.steps)
                at = run_profiled(self.stream, self.names, at, &stop)
            else:
                with nogil:
                    at = self.stream.run(at, &stop)
            self.at = at
            if stop == STOP_END:
                return OUTCOME_DONE
            if stop == STOP_GUARD:
                self.found = None
                launch = <Launch*> (<Row*> at).data
                self.seen = launch.data[0][:(<StorePlan*> launch.plan).nbytes]
                return OUTCOME_MISSED
            if stop == STOP_FAILED:
                launch = <Launch*> (<Row*> at).data
                launch.fail(launch)
            if (<Row*> at).n == self.return_point:
                self.at += (<Row*> at).size
                return OUTCOME_RETURNED
            call = <Call> self.calls[(<Row*> at).n]
            if isinstance(call, PythonCall):
                self.found = self.run_python(call)
            else:
                self.found = call.run()
            self.seen = call.settle(self.found)
            if self.seen is not None:
                return OUTCOME_MISSED
            self.found = None
            at += (<Row*> at).size

    cdef list run_python(self, Call call):
        """Run a Python function, which may wait for another thread that wants this turn. Note [Turns] in turns.pyx"""
        cdef Turn turn = self.turn
        turn.python += 1
        try:
            return call.run()
        finally:
            turn.python -= 1

    cdef bint enter(self, list found) except -1:
        """Take over what the call has given in which this branch leaves its trunk; False where it does not fit."""
        return self.repeats or self.fork not in self.calls \
            or (<Call> self.calls[self.fork]).settle(found) is None

    cdef int finish(self, list inputs) except -1:
        """Write arguments back, raise versions, set gradients."""
        cdef Py_ssize_t i
        cdef LeafPlan leaf
        cdef int linked = 0
        for i in range(len(inputs)):
            linked |= (<InputPlan> self.inputs[i]).give_back(<Tensor> inputs[i])
        linked |= self.surroundings.raise_versions()
        if linked:
            self.surroundings.join_versions(inputs)
        for leaf in self.leaves:
            leaf.assign(inputs, self.leaves)
        return 0

    cdef list collect(self, list inputs):
        """The results of the run that has ended."""
        return [(<object> (<LeafPlan> plan).leaf_of(inputs)).grad if isinstance(plan, LeafPlan) else
                result_of(plan, inputs) for plan in self.results]

    # ---- looking inside

    @property
    def lock(self):
        """The lock of the turn that its replays take."""
        return self.turn.lock

    def takes_turn_of(self, Turn turn not None):
        """Return whether its replays take turns with recordings, as they write to what others read."""
        return self.turn is turn

    @property
    def branches(self):
        """The programs that go on from here where a guard differs."""
        return list(self.fork_table.values())

    @property
    def n_branches(self):
        """The number of branches, and of theirs."""
        return sum(1 + branch.n_branches for branch in list(self.fork_table.values()))

    @property
    def n_calls(self):
        """The number of calls of drivers, Python functions, loops and ``cond``."""
        return len(self.calls)

    @property
    def nbytes(self):
        """Bytes of memory for values: what the program holds, and results that a run writes where they stay. Branches
        are left out.
        """
        return self.memory.nbytes + self.stream.n_slot_bytes

    @property
    def stream_nbytes(self):
        """Bytes of the launches, branches left out."""
        return self.stream.nbytes

    def __repr__(self):
        from wengert_replay.inspection.printing import summarize_program
        return summarize_program(self)

    def __str__(self):
        from wengert_replay.inspection.printing import format_program
        return format_program(self)

    def counts(self):
        """Return counts of launches, calls and guards, and bytes."""
        from wengert_replay.inspection.counting import count_program
        return count_program(self)

    def save(self, path, *, names=None):
        """Write the program to a path or an open file, for ``wengert.replay.load``. names: of tensors from outside."""
        from wengert_replay.exporting import save_program
        save_program(self, path, names)

    def to_dot(self, limit=1000):
        """Return the operations as a graph in the language of Graphviz."""
        from wengert_replay.inspection.drawing import draw_program
        return draw_program(self, limit)


cdef int undo(list path) except -1:
    """Undo what runs of these programs have written outside, the last first."""
    cdef Program node
    for node in reversed(path):
        node.snapshot.restore()
    return 0
