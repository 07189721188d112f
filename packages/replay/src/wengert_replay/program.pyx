"""Program: launches that run again, and what a replay does before and after them.

Note [A replay]
    1. Everything outside must be as it was when the program was recorded: addresses, sizes, whether leaves have
       gradients. Else nothing happens, and the caller records another program.
    2. Arguments are copied to where the program has them.
    3. Launches run in their order, without the GIL; operations without launches are called between them. A guard whose
       number differs ends the run: nothing outside was written before it, or the recording would have been refused.
    4. Results are copied out to tensors of their own; gradients are set, and versions rise as in the first run.
"""
cimport cython
from cpython.ref cimport PyObject
from libc.string cimport memcpy

from threading import Lock

from wengert_core.extend cimport (LAUNCH_CALL, LAUNCH_GUARD, MAX_SLOTS, OPERAND_CONSTANT, OPERAND_WRITTEN, WG_GRAD,
                                  Storage, WgState, copy_into, free_pool, same_shape, thread_state)
from wengert_replay.memory cimport REGION_INPUT, REGION_NONE, REGION_OUTSIDE, Region, extent
from wengert_replay.plans cimport InputPlan, LeafPlan, ResultPlan
from wengert_replay.stream cimport Row, Stream
from wengert_replay.steps cimport Call, Step
from wengert_replay.tracing cimport Recording, on_captured_memory, tensors_in

from wengert_core.extend import Tensor as TensorClass


class Refused(Exception):
    """A recording cannot be replayed; the message says why. transient: another one may be."""

    def __init__(self, reason, transient=False):
        super().__init__(reason)
        self.transient = transient


class ShapesChanged(Exception):
    """A result of an operation has another shape than in the first run."""


cdef unsigned int versions_since(Tensor t, unsigned int version):
    return (<Storage> t.storage).version - version


@cython.binding(False)
cdef class Program:
    """A recorded function, for one signature of arguments."""

    def __init__(self, Recording recording, list results, set live, spent):
        """Take over a recording that has stopped; results: its tensors. Raises Refused.

        live: the addresses of the blocks of its pool that results and gradients have.   spent: a function of a grad_fn
        that says whether its graph has nothing left to compute.
        """
        recording.close()
        self.lock, self.calls, self.steps, self.inputs = Lock(), recording.calls, recording.steps, []
        self.tensors = list(recording.tensors.values())
        self.memory = Memory(recording, live)
        self.plan_inputs(recording)
        self.move_launches(recording)
        self.move_calls()
        self.check_guards(recording)
        self.outside = [(t, storage, address, nbytes, versions_since(t, version))
                        for storage, (t, version, address, nbytes) in recording.outside.items()]
        if self.is_stale():
            raise Refused("the function gave a tensor from outside other memory or another shape")
        self.results = [self.plan_result(t, recording, spent) for t in results]
        self.leaves = [self.plan_leaf(t, grad, recording, spent) for t, grad in recording.leaves.values()]
        self.n_launches, self.stream = recording.recorder.n, Stream()
        self.stream.fill(recording.recorder.launches, recording.recorder.n)
        self.pool, recording.pool = recording.pool, NULL

    def __dealloc__(self):
        if self.pool != NULL:
            free_pool(self.pool)

    # ---- from a recording

    def plan_inputs(self, Recording recording):
        cdef Tensor t
        cdef InputPlan plan
        cdef Py_ssize_t i, high = 0
        cdef char* block
        for i, t in enumerate(recording.inputs):
            plan = InputPlan.__new__(InputPlan)
            extent(t, &plan.low, &high)
            plan.nbytes = high - plan.low
            if <size_t> t.storage not in recording.storages:
                raise Refused("the function gave an argument other memory")
            block = t.data
            plan.block = block + plan.low if self.memory.relocate(&block, plan.low) == REGION_INPUT else NULL
            plan.versions = (<Storage> t.storage).version - <unsigned int> recording.versions[i]
            self.inputs.append(plan)

    def move_launches(self, Recording recording):
        """Let the launches work on the program's memory."""
        cdef Py_ssize_t i
        cdef int k, kind
        cdef Region* region
        for i in range(recording.recorder.n):
            launch = &recording.recorder.launches[i]
            for k in range(launch.n_operands):
                if launch.role[k] == OPERAND_CONSTANT or launch.low[k] == launch.high[k]:
                    continue
                region = self.memory.find(launch.data[k] + launch.low[k])
                kind = self.memory.relocate(&launch.data[k], launch.low[k])
                if kind == REGION_NONE:
                    raise Refused(f"{self.step_words(launch.step)} uses memory of unknown origin")
                if kind == REGION_INPUT and launch.role[k] & OPERAND_WRITTEN:
                    (<InputPlan> self.inputs[region.input]).written = True

    def move_calls(self):
        """Let the calls' tensors lie in the program's memory."""
        cdef Call call
        cdef Tensor t
        cdef Region* region
        cdef Py_ssize_t low = 0, high = 0
        for call in self.calls.values():
            for t in call.memory:
                extent(t, &low, &high)
                if low == high:
                    continue
                region = self.memory.find(t.data + low)
                if region == NULL:
                    raise Refused(f"{call.op.name} ({call.step.line}) uses memory of unknown origin")
                if region.kind == REGION_INPUT and call.writes:
                    (<InputPlan> self.inputs[region.input]).written = True
                self.memory.relocate(&t.data, low)
                (<Storage> t.storage).data = region.moved
                (<Storage> t.storage).nbytes = region.high - region.low

    def step_words(self, Py_ssize_t number):
        cdef Step step
        if not self.steps:
            return "the function"
        step = self.steps[min(number, len(self.steps) - 1)]
        return f"{step.op.name} ({step.line})" if step.code is not None else step.op.name

    def check_guards(self, Recording recording):
        """Refuse a guard behind a write that a run which ends there would have done."""
        cdef Py_ssize_t i
        cdef int k
        cdef Call call
        cdef bint has_guard = False
        written = None
        for i in range(recording.recorder.n):
            has_guard = has_guard or recording.recorder.launches[i].kind == LAUNCH_GUARD
        for i in range(recording.recorder.n if has_guard else 0):
            launch = &recording.recorder.launches[i]
            if launch.kind == LAUNCH_GUARD and written is not None:
                raise Refused(f"a number of a tensor is read by Python ({self.step_words(launch.step)}) behind "
                              f"{written}: a replay in which it differs could not go on from there. Read it before, "
                              "or outside of the function")
            if launch.kind == LAUNCH_CALL:
                call = self.calls[i]
                if "generator" in call.op.params:
                    written = f"{call.op.name}, which draws random numbers"
                elif call.writes and self.is_outside(call):
                    written = f"a write to a tensor from outside by {self.step_words(launch.step)}"
                continue
            for k in range(launch.n_operands):
                if launch.role[k] & OPERAND_WRITTEN and self.lies_outside(launch.data[k] + launch.low[k], recording):
                    written = f"a write to a tensor from outside by {self.step_words(launch.step)}"

    cdef bint lies_outside(self, char* address, Recording recording):
        """Whether memory is none of the program's: an address outside is the same before and after it was moved."""
        for _, _, first, nbytes in recording.outside.values():
            if first <= <size_t> address < first + nbytes:
                return True
        return False

    cdef bint is_outside(self, Call call):
        cdef Tensor t
        cdef Region* region
        for t in call.outputs:
            region = self.memory.find(t.data)
            if region != NULL and region.kind == REGION_OUTSIDE:
                return True
        return False

    def plan_result(self, t, Recording recording, spent):
        """Return what a replay gives in place of a result of the first run."""
        cdef Tensor result = <Tensor> t
        cdef ResultPlan plan
        cdef Region* region
        cdef Py_ssize_t low = 0, high = 0
        for i, own in enumerate(recording.inputs):
            if own is t:
                return i
        if result.grad_fn != NULL and not spent(t.grad_fn):
            raise Refused("a result has a graph that a backward could run: call detach() on it, or backward() inside")
        if <size_t> result.storage in recording.outside:
            return t
        if type(t) is not TensorClass:
            raise Refused(f"a result is of the class {type(t).__name__}")
        if result.base != NULL and recording.is_input(result):
            raise Refused("a result is a view of an argument")
        extent(result, &low, &high)
        plan = ResultPlan.__new__(ResultPlan)
        region = self.memory.find(result.data + low) if low < high else NULL
        if low < high and region == NULL:
            raise Refused("a result lies in memory of unknown origin")
        plan.like, plan.low, plan.high = on_captured_memory(result), low, high
        plan.data = result.data
        if low < high:
            self.memory.relocate(&plan.data, low)
        plan.like.data, (<Storage> plan.like.storage).data = NULL, NULL
        plan.version = (<Storage> result.storage).version
        plan.requires_grad = result.flags & WG_GRAD != 0
        plan.grad_fn = <object> result.grad_fn if result.grad_fn != NULL else None
        plan.output_nr = result.output_nr
        return plan

    def plan_leaf(self, leaf, grad, Recording recording, spent):
        cdef LeafPlan plan = LeafPlan.__new__(LeafPlan)
        now = leaf.grad
        plan.leaf, plan.input, plan.had_grad = leaf, -1, grad is not None
        for i, own in enumerate(recording.inputs):
            if own is leaf:
                plan.leaf, plan.input = None, i
        if grad is not None and <size_t> (<Tensor> grad).storage in recording.outside:
            plan.grad_storage = <size_t> (<Tensor> grad).storage
        plan.changes = now is not grad
        if plan.changes and now is not None:
            plan.grad = self.plan_result(now, recording, spent)
            if isinstance(plan.grad, int):
                raise Refused("the gradient of a leaf is an argument")
        return plan

    # ---- a replay

    def replay(self, list inputs):
        """Run again. Returns the results; None where the program does not fit, False where a guard differs.

        inputs: the tensors among the arguments, of the signature that the program was recorded for.
        """
        with self.lock:
            if not self.fits(inputs):
                return None
            self.copy_in(inputs)
            if self.run():
                self.guard_failures += 1
                return False
            self.finish(inputs)
            self.replays += 1
            return [(<ResultPlan> plan).make() if isinstance(plan, ResultPlan) else
                    inputs[plan] if isinstance(plan, int) else plan for plan in self.results]

    def is_stale(self):
        """Whether a tensor from outside has other memory than when the program was recorded: it never fits again."""
        cdef Tensor t
        cdef Storage s
        for t, address, storage, requires_grad in self.tensors:
            if <size_t> t.data != address or <size_t> t.storage != storage or t.flags & WG_GRAD != requires_grad:
                return True
        for t, storage, address, nbytes, _ in self.outside:
            s = <Storage> t.storage
            if <size_t> t.storage != storage or <size_t> s.data != address or s.nbytes != nbytes:
                return True
        return False

    cdef bint fits(self, list inputs):
        cdef LeafPlan leaf
        if self.is_stale():
            return False
        for leaf in self.leaves:
            if not leaf.fits(inputs):
                return False
        return True

    cdef int copy_in(self, list inputs) except -1:
        cdef InputPlan plan
        cdef Tensor t
        cdef Py_ssize_t i
        for i in range(len(inputs)):
            plan, t = <InputPlan> self.inputs[i], <Tensor> inputs[i]
            if plan.nbytes and plan.block != NULL:
                memcpy(plan.block, t.data + plan.low, plan.nbytes)
        return 0

    cdef int run(self) except -1:
        """Run all launches; 1 where a guard does not hold."""
        cdef char* at = self.stream.rows
        while at < self.stream.end:
            with nogil:
                at = self.stream.run(at)
            if at == NULL:
                return 1
            if at < self.stream.end:
                if self.run_call(<Call> self.calls[(<Row*> at).n]):
                    return 1
                at += (<Row*> at).size
        return 0

    cdef int run_call(self, Call call) except -1:
        """Call an operation's driver, and copy its results to where the first run had them."""
        cdef PyObject* slots[MAX_SLOTS]
        cdef WgState* state = thread_state()
        cdef unsigned int modes = state.modes
        cdef Tensor target, source
        cdef int i
        for i in range(call.op.n_params):
            slots[i] = <PyObject*> call.arguments[i]
        state.modes = modes & ~(<unsigned int> WG_GRAD)
        try:
            result = call.op.run(call.op, slots, 0)
        except Exception as error:
            error.add_note(f"raised in a replay by {call.op.name}, which was recorded at {call.step.line}")
            raise
        finally:
            state.modes = modes
        for target, source in zip(call.outputs, tensors_in(result, [])):
            if source.data == target.data:
                continue
            if source.code != target.code or not same_shape(source, target):
                return 1
            copy_into(target, source)
        return 0

    cdef int finish(self, list inputs) except -1:
        """Write arguments back, raise versions, set gradients."""
        cdef InputPlan plan
        cdef LeafPlan leaf
        cdef Tensor t
        for i in range(len(inputs)):
            plan, t = <InputPlan> self.inputs[i], <Tensor> inputs[i]
            if plan.written and plan.nbytes:
                memcpy(t.data + plan.low, plan.block, plan.nbytes)
            (<Storage> t.storage).version += plan.versions
        for t, _, _, _, versions in self.outside:
            (<Storage> t.storage).version += <unsigned int> versions
        for leaf in self.leaves:
            leaf.assign(inputs)
        return 0

    # ---- looking inside

    @property
    def n_calls(self):
        """The number of operations that are called by their drivers."""
        return len(self.calls)

    @property
    def nbytes(self):
        """Bytes of memory that the program holds for values."""
        return self.memory.nbytes

    def __repr__(self):
        return (f"<wengert.replay.Program of {len(self.steps)} operations: {self.n_launches} launches, "
                f"{len(self.calls)} of them calls of drivers; {self.memory.nbytes} bytes>")

    def __str__(self):
        from wengert_replay.printing import format_program
        return format_program(self)
