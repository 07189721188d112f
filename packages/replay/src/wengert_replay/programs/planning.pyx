"""From a recording to plans: where launches and calls work, and what a run does with arguments and results."""
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport uint32_t

from weakref import ref

from wengert_core.extend cimport (LAUNCH_CALL, LAUNCH_GUARD, OPERAND_CONSTANT, OPERAND_READ, OPERAND_UPDATED,
                                  OPERAND_WRITTEN, TF_INFERENCE, WG_GRAD, Launch, Storage, Tensor, alias)
from wengert_engine.extend cimport numbered_hooks
from wengert_replay.passes.reach cimport Reach
from wengert_replay.programs.memory cimport REGION_INPUT, REGION_OUTSIDE, Memory, Region, extent, last_stop
from wengert_replay.memory.kept_gradients cimport kept_gradient
from wengert_replay.programs.plans cimport HookPlan, InputPlan, LeafPlan, OutsideResult, ResultPlan, geometry_of
from wengert_replay.programs.snapshot cimport Snapshot, snapshot_of
from wengert_replay.recording.calls cimport Call, on_captured_memory
from wengert_replay.recording.python_calls cimport PythonCall
from wengert_replay.recording.tracing cimport Recording
from wengert_replay.trace.steps cimport Steps
from wengert_replay.trace.tables cimport ABSENT

from wengert_core.extend import Tensor as TensorClass

from wengert_replay.refusal import OWN_GRADIENT, HasGraph, Refusal, class_words


cdef list plan_inputs(Recording recording, Memory memory):
    """Say for each tensor among the arguments where its elements go, and how its version rises."""
    cdef Tensor t
    cdef InputPlan plan
    cdef Py_ssize_t i, high = 0
    cdef char* block
    cdef list plans = []
    for i, t in enumerate(recording.inputs):
        plan = InputPlan.__new__(InputPlan)
        extent(t, &plan.low, &high)
        plan.nbytes = high - plan.low
        if <size_t> t.storage not in recording.storages:
            raise Refusal("the function gave an argument other memory")
        block = t.data
        plan.block = block + plan.low if memory.relocate(&block, plan.low) == REGION_INPUT else NULL
        plan.versions = (<Storage> t.storage).version - <unsigned int> recording.versions[i]
        plans.append(plan)
    return plans


cdef int note_write(list inputs, Region* region) except -1:
    if region.kind == REGION_INPUT:
        (<InputPlan> inputs[region.input]).written = True
    return 0


cdef int move_launches(Recording recording, Py_ssize_t first, Memory memory, list inputs) except -1:
    """Let launches work on the program's memory; note arguments that any launch writes to."""
    cdef Py_ssize_t i
    cdef Launch* launch
    cdef Region* region
    cdef int k
    for i in range(recording.recorder.n):
        launch = &recording.recorder.launches[i]
        for k in range(launch.n_operands):
            if launch.role[k] == OPERAND_CONSTANT or launch.low[k] == launch.high[k]:
                continue
            region = memory.find(launch.data[k] + launch.low[k])
            if region == NULL:
                raise Refusal(words_of_unknown(recording, launch))
            if launch.role[k] & OPERAND_WRITTEN:
                note_write(inputs, region)
            if i >= first:
                launch.data[k] = region.moved + (<size_t> launch.data[k] - region.low)
    return 0


cdef str words_of_unknown(Recording recording, Launch* launch):
    """The reason why a launch works on memory of which nothing is known."""
    words = recording.words_of(launch.step)
    if launch.kind == LAUNCH_GUARD:
        return f"Python reads a number of a tensor from outside that no operation uses{words.removeprefix('guard')}"
    return f"{words} uses memory of unknown origin"


cdef int move_calls(Recording recording, Py_ssize_t first, Memory memory, list inputs) except -1:
    """Let calls work on the program's memory; note arguments that any call writes to."""
    cdef Py_ssize_t low = 0, high = 0
    cdef Call call
    cdef Tensor t
    cdef Region* region
    for number, call in recording.calls.items():
        if isinstance(call, PythonCall):
            (<PythonCall> call).owner.append(memory)
        for t in call.memory:
            extent(t, &low, &high)
            if low == high:
                continue
            region = memory.find(t.data + low)
            if region == NULL:
                raise Refusal(f"{call.name} ({call.step.line}) uses memory of unknown origin")
            if call.writes or isinstance(call, PythonCall):
                note_write(inputs, region)
            if number >= first:
                memory.relocate(&t.data, low)
                (<Storage> t.storage).data = region.moved
                (<Storage> t.storage).nbytes = region.high - region.low
    return 0


cdef dict reaches_of(Recording recording, Py_ssize_t first, bint all_return):
    cdef dict found = {}
    cdef Call call
    for number, call in recording.calls.items():
        if number >= first and (all_return or call.written is not None):
            found[number - first] = reach_of_call(call)
    return found


cdef Reach reach_of_call(Call call):
    """The memory of a call, and where its addresses stand: in tensors, and in their storages."""
    cdef list written = call.outputs if call.written is None else call.written
    cdef int written_role = OPERAND_UPDATED if call.writes else OPERAND_WRITTEN, role
    cdef Py_ssize_t low = 0, high = 0
    cdef Reach made = Reach()
    cdef Storage s
    cdef Tensor t
    for t in call.memory:
        extent(t, &low, &high)
        if low == high:
            continue
        s, role = <Storage> t.storage, written_role if any([t is one for one in written]) else OPERAND_READ
        s.data, s.nbytes = t.data + low, high - low
        made.add(&t.data, <size_t> s.data, <size_t> (t.data + high), role)
        made.add(&s.data, <size_t> s.data, <size_t> (t.data + high), role)
    return made


# ---- what a run may have to undo

cdef Snapshot plan_snapshot(Recording recording, Py_ssize_t first, Memory memory):
    """Note what is written outside before the end of the last guard or call, or of the last launch that may fail;
    launches and calls are moved already.
    """
    cdef Py_ssize_t i, last = recording.recorder.n - 1, stop = last_stop(recording)
    cdef Launch* launch
    cdef list ranges = [], references = [], generators = []
    cdef int k
    while last > stop and recording.recorder.launches[last].fail == NULL:
        last -= 1
    for i in range(first, last + 1):
        launch = &recording.recorder.launches[i]
        if launch.kind == LAUNCH_CALL:
            note_effects(recording.calls[i], memory, ranges, references, generators)
        for k in range(launch.n_operands):
            if launch.role[k] & OPERAND_WRITTEN and launch.low[k] < launch.high[k]:
                note_range(launch.data[k] + launch.low[k], launch.data[k] + launch.high[k], memory, ranges)
    return snapshot_of(list(set(ranges)), references, generators)


cdef int note_range(char* low, char* high, Memory memory, list ranges) except -1:
    cdef Region* region = memory.find(low)
    if region != NULL and region.kind == REGION_OUTSIDE:
        ranges.append((<size_t> low, <size_t> high))
    return 0


cdef int note_effects(Call call, Memory memory, list ranges, list references, list generators) except -1:
    """Note what a call writes outside, the tensors of a Python function, and the generator that it draws from."""
    cdef Py_ssize_t low = 0, high = 0
    cdef Storage s
    cdef Tensor t
    if isinstance(call, PythonCall):
        for reference in (<PythonCall> call).outside:
            s = <Storage> (<Tensor?> reference()).storage
            ranges.append((<size_t> s.data, <size_t> s.data + s.nbytes))
            references.append(reference)
        return 0
    for t in call.outputs if call.writes else ():
        extent(t, &low, &high)
        if low < high:
            note_range(t.data + low, t.data + high, memory, ranges)
    ranges += call.written_outside()
    generators += [one for one in call.generators() if one not in generators]
    return 0


# ---- results

cdef object plan_result(t, Recording recording, Memory memory, spent):
    """Return what a replay gives in place of a result of the first run: a plan, the number of an argument, a tensor."""
    cdef Tensor result = <Tensor> t
    cdef ResultPlan plan
    cdef Region* region
    cdef Py_ssize_t low = 0, high = 0
    for i, own in enumerate(recording.inputs):
        if own is t:
            return i
    if result.grad_fn != NULL and not spent(t.grad_fn):
        raise HasGraph("a result has a graph that a backward could run: call detach() on it, or backward() inside")
    if <size_t> result.storage in recording.outside:
        return plan_outside(t, recording)
    if result.flags & WG_GRAD and result.grad_fn == NULL and t.grad is not None:
        raise Refusal(OWN_GRADIENT)
    if type(t) is not TensorClass:
        raise Refusal(class_words(t))
    if not result.flags & WG_GRAD and result.base != NULL and may_require_grad(t):
        raise Refusal("a result is a view, and requires gradients because its base does")
    if recording.is_input(result):     # also a detached one, which has no base
        raise Refusal("a result is a view of an argument")
    extent(result, &low, &high)
    plan = ResultPlan.__new__(ResultPlan)
    region = memory.find(result.data + low) if low < high else NULL
    if region == NULL and (low < high or was_there(result, recording)):
        raise Refusal("a result is a tensor from outside that no operation has used")
    if region != NULL and region.kind == REGION_OUTSIDE:       # what ``data`` gives has a storage of its own
        if id(t) not in recording.made:
            raise Refusal("a result shares the memory of a tensor from outside")
        return plan_outside(t, recording)
    if low < high and recording.is_python_data(result):
        raise Refusal("a result is made of Python data, and no operation has used it")
    plan.like, plan.low, plan.high = geometry_in(result, memory), low, high
    plan.data = result.data
    if low < high:
        memory.relocate(&plan.data, low)
    plan.version = (<Storage> result.storage).version
    plan.inference = result.flags & TF_INFERENCE != 0
    plan.requires_grad = result.flags & WG_GRAD != 0
    plan.grad_fn = <object> result.grad_fn if result.grad_fn != NULL else None
    plan.output_nr = result.output_nr
    return plan


cdef bint may_require_grad(t):
    """Whether a view requires gradients; so it does where that cannot be said."""
    try:
        return t.requires_grad
    except RuntimeError:
        return True


cdef object plan_outside(t, Recording recording):
    """Return the plan of a result on memory from outside, or the result itself where it has a graph."""
    cdef Tensor result = <Tensor> t, base
    cdef OutsideResult plan = OutsideResult.__new__(OutsideResult)
    if id(t) not in recording.made:
        plan.where = ref(t)
        return plan
    if <size_t> result.storage in recording.arrays:
        raise Refusal("a result lies on an array that the function makes a tensor of")
    if result.grad_fn != NULL:
        return t
    if result.flags & WG_GRAD and t.grad is not None:
        raise Refusal(OWN_GRADIENT)
    if type(t) is not TensorClass:
        raise Refusal(class_words(t))
    plan.requires_grad = result.flags & WG_GRAD != 0
    plan.is_new = <size_t> result.storage not in recording.outside or <size_t> result.storage in recording.own_storages
    plan.like, plan.version = alias(result), (<Storage> result.storage).version
    if result.base != NULL:
        base = <Tensor> result.base
        plan.flags = result.flags
        if id(base) not in recording.made:
            plan.where = ref(base)
            return plan
        source = plan_outside(base, recording)
        if not isinstance(source, OutsideResult):
            return t
        plan.source = source
    return plan


cdef int watch_results(list results, Recording recording) except -1:
    """Watch results that are tensors from outside, where no operation has used them."""
    cdef Tensor t
    for t in results:
        if <size_t> t.storage not in recording.outside or any(own is t for own in recording.inputs):
            continue
        if id(t) not in recording.made:
            recording.add_outside(t)
        elif t.base != NULL and id(<object> t.base) not in recording.made:
            recording.add_outside(<Tensor> t.base)
    return 0


cdef bint was_there(Tensor t, Recording recording):
    """Whether a result that no operation has used was there before; it may have no elements, and no memory."""
    return recording.is_outside_pool(t) and recording.find_block((<Storage> t.storage).data) == NULL \
        and id(t) not in recording.made and not recording.is_input(t)


cdef bytes words_of_results(list results, Recording recording):
    """The words of the values that results are after the last step."""
    cdef bytes made = PyBytes_FromStringAndSize(NULL, 4 * len(results))
    cdef uint32_t* words = <uint32_t*> PyBytes_AS_STRING(made)
    for i, t in enumerate(results):
        words[<Py_ssize_t> i] = recording.last_word_of(t)
    return made


cdef list values_of_words(bytes packed, Steps steps):
    """Values for ``words_of_results``; None for what no step knows."""
    cdef const uint32_t* words = <const uint32_t*> PyBytes_AS_STRING(packed)
    cdef Py_ssize_t i
    return [None if words[i] == ABSENT else steps.value_of_word(words[i]) for i in range(len(packed) // 4)]


cdef Tensor geometry_in(Tensor t, Memory memory):
    """A tensor of the same geometry without memory: one for all results that have it."""
    cdef Tensor made
    key = t.code, geometry_of(t)[1]
    if key not in memory.geometries:
        made = memory.geometries[key] = on_captured_memory(t)
        made.data, (<Storage> made.storage).data = NULL, NULL
    return memory.geometries[key]


cdef list plan_leaves(Recording recording, Memory memory, spent):
    """Say for each leaf what its gradient must be before a run, and what it is afterwards."""
    cdef list plans = []
    cdef dict known = {}
    cdef LeafPlan plan
    for leaf, grad in recording.leaves.values():
        plan = plan_leaf(leaf, grad, recording)
        now = leaf.grad
        plan.alike = known.setdefault(id(now), len(plans))
        if plan.alike == len(plans):
            plan.alike = -1
        if plan.changes and now is not None and plan.alike < 0:
            plan.grad = plan_result(now, recording, memory, spent)
            if isinstance(plan.grad, int):
                raise Refusal("the gradient of a leaf is an argument")
            plan.value = recording.value_named(now)
        plans.append(plan)
    return plans


cdef LeafPlan plan_leaf(leaf, grad, Recording recording):
    cdef LeafPlan plan = LeafPlan.__new__(LeafPlan)
    plan.where, plan.input, plan.had_grad, plan.alike = None, -1, grad is not None, -1
    for i, own in enumerate(recording.inputs):
        if own is leaf:
            plan.input = i
    if plan.input < 0:
        plan.where = ref(leaf)
    plan.hooks = numbered_hooks(<Tensor> leaf)
    if grad is not None and <size_t> (<Tensor> grad).storage in recording.outside:
        plan.grad_storage, plan.grad_geometry = <size_t> (<Tensor> grad).storage, geometry_of(<Tensor> grad)
        plan.kept = kept_gradient(<Tensor> leaf)
        if plan.kept is not None:
            plan.kept.keep(<Tensor> grad)
    plan.changes = leaf.grad is not grad
    return plan


cdef list plan_hooks(Recording recording):
    """Say which hooks there must be of tensors whose gradients the function asks for; plans of leaves say it of others.
    """
    cdef list plans = []
    cdef HookPlan plan
    for key, where, number, hooks in recording.hooked:
        if key not in recording.leaves:
            plan = HookPlan.__new__(HookPlan)
            plan.where, plan.input, plan.hooks = where, number, hooks
            plans.append(plan)
    return plans
