"""Packing saved tensors: the stack of hooks, and what a packed value remembers.

Note [Saved tensors that hooks have packed]
    A node is recorded as without hooks. When the thread has hooks (``WgState.saved_hooks``, the one test that recording
    makes), the saved tensors are then packed: a ``PackedValue`` replaces each (SAVED_PACKED). It holds what the
    hook gave, the hook that makes a tensor of it again, the tangent and the place in the graph which the tensor had:
    the hooks may lose these, and reading puts them back. The place of the node's own output is not held, for a node
    must not own itself.
    Nobody checks versions of packed tensors: what has been packed is the hooks' affair.

Note [Hooks behind an operation that is traced]
    An operation that is traced is one step of its program, and so is each operation of a pack hook. So the hooks of the
    thread wait until the step is complete, in ``waiting_packs``. They get the same tensors: nothing else runs between
    the recording of a node and the end of its operation.

Note [Operations that are packed as one]
    Batch normalization normalizes, which is recorded, and then moves its running statistics. A checkpoint ends its
    second run in the pack hook for the last tensor that it needs, and must not end between the two. So the hooks wait
    here, too.
"""
cimport cython
from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject
from libc.stdint cimport uint8_t, uint32_t

from wengert_core.dispatch.hooks cimport Hooks, hooks
from wengert_core.runtime.pyobject cimport not_made_by_hand
from wengert_core.runtime.state cimport (WG_ASK, WG_BATCHED, WG_DERIVING, WG_DUAL, WG_GRAD, WgState,
                                         thread_state)
from wengert_core.tensors.requires_grad cimport requires_grad
from wengert_core.tensors.tensor cimport alias, extra_of, track, version_of
from wengert_engine.graph.formula cimport Formula, output_number
from wengert_engine.graph.leaves cimport gradient_edge
from wengert_engine.graph.node cimport (NF_KEEPS, NF_PACKED, SAVED_OUTPUT, SAVED_PACKED, SAVED_SEVERAL, SAVED_TENSOR,
                                        SavedSlot, hold, saved_slots, set_output)
from wengert_engine.messages import errors
from wengert_engine.modes.strong_zeros cimport end_derivative

cdef Hooks* HOOKS = hooks()

cdef extern from *:
    """
    static __thread PyObject *waiting_packs = NULL;         /* borrowed from who traces; NULL: hooks do not wait */
    """
    PyObject* waiting_packs


@cython.binding(False)
cdef class HookPair:
    """A pair of hooks in a thread's stack, on top of those that were there before."""
    cdef object pack, unpack
    cdef HookPair below


@cython.binding(False)
cdef class PackedValue:
    """What stands for a saved tensor. Note [Saved tensors that hooks have packed]."""
    cdef readonly object value         # what the pack hook gave
    cdef readonly object unpack        # makes a tensor of it
    cdef Node fn                       # the node a gradient of the tensor goes to; None: none, or the node's own output
    cdef uint32_t output_nr            # which of its outputs the tensor is
    cdef bint own_output               # the tensor is an output of the node that saves it
    cdef object tangent                # what it had in forward mode, which hooks may lose; None: nothing
    cdef Tensor kept                   # what was unpacked, while the node is run


@cython.binding(False)
cdef class Several:
    cdef int pack_item(self, Py_ssize_t i, object pack, object unpack) except -1:
        """Let a packed value take the place of a tensor; anything else stays."""
        if isinstance(self.values[i], Tensor):
            self.values[i] = pack_by_hook(<Tensor> self.values[i], pack, unpack)
        return 0

    cdef tuple read(self, Node node, str name):
        """The sequence, its tensors checked or unpacked."""
        cdef Py_ssize_t i
        found = []
        for i in range(len(self.values)):
            value = self.values[i]
            if isinstance(value, PackedValue):
                value = unpack_once(node, <PackedValue> value)
            elif isinstance(value, Tensor) and version_of(<Tensor> value) != self.versions[i]:
                from wengert_engine.anomaly.saved_errors import modified_value
                raise modified_value(type(node).__name__, name, value, self.versions[i], version_of(<Tensor> value))
            found.append(value)
        return tuple(found)


cdef Several several_of(object values):
    cdef Several several
    cdef list versions = [version_of(<Tensor> value) if isinstance(value, Tensor) else None for value in values]
    if versions.count(None) == len(versions):
        return None
    several = Several.__new__(Several)
    several.values, several.versions = list(values), versions
    return several


def push_hooks(pack, unpack):
    """Let this thread's recording pack what it saves with ``pack``, and read it with ``unpack``."""
    for hook in (pack, unpack):
        if not callable(hook):
            raise errors.hooks_not_callable()
    cdef WgState* state = thread_state()
    cdef HookPair pair = HookPair.__new__(HookPair)
    pair.pack, pair.unpack = pack, unpack
    pair.below = <HookPair> state.saved_hooks if state.saved_hooks != NULL else None
    hold(&state.saved_hooks, pair)


def pop_hooks():
    """Undo the last push_hooks of this thread."""
    cdef WgState* state = thread_state()
    cdef PyObject* old = state.saved_hooks
    if old == NULL:
        return
    below = (<HookPair> old).below
    if below is None:
        state.saved_hooks = NULL
        Py_XDECREF(old)
    else:
        hold(&state.saved_hooks, below)


class HooksBlock:
    """A block with a pair of hooks, ``pack_hook`` and ``unpack_hook``. Note [Blocks that Ctrl-C cannot leave open] in
    core's torch_function.pyx.
    """

    def _check_disabled(self):
        """Raise an error where hooks may not be entered."""

    def __enter__(self):
        self._check_disabled()
        push_hooks(self.pack_hook, self.unpack_hook)

    def __exit__(self, *exception):
        pop_hooks()


def hooks_active():
    """Whether this thread has hooks."""
    return thread_state().saved_hooks != NULL


# ---- packing

cdef int pack_all(Node node, PyObject* pair, PyObject** outs) except -1:
    cdef HookPair both = <HookPair> pair
    cdef SavedSlot* saved
    cdef int i, k
    for i in range(node.n_saved):
        saved = saved_slots(node) + i
        if saved.kind == SAVED_TENSOR:
            pack_one(node, i, <Tensor> saved.value, <Tensor> saved.value, both.pack, both.unpack)
        elif saved.kind == SAVED_OUTPUT:
            pack_one(node, i, <Tensor> outs[saved.output], <Tensor> outs[saved.output], both.pack, both.unpack)
        elif saved.kind == SAVED_SEVERAL:
            node.flags |= NF_PACKED
            for k in range(<int> len((<Several> saved.value).values)):
                if waiting_packs != NULL:
                    (<list> waiting_packs).append((<object> saved.value, k, None, None, both.pack, both.unpack))
                else:
                    (<Several> saved.value).pack_item(k, both.pack, both.unpack)
    return 0


cdef PyObject* wait_with_packing(PyObject* waiting) noexcept:
    global waiting_packs
    cdef PyObject* before = waiting_packs
    waiting_packs = waiting
    return before


cdef int pack_waiting(list waiting) except -1:
    """Call the hooks that have waited. Note [Hooks behind an operation that is traced]"""
    for owner, i, source, shown, pack, unpack in waiting:
        if isinstance(owner, Several):
            (<Several> owner).pack_item(i, pack, unpack)
        else:
            replace_saved(<Node> owner, i, <Tensor> source, <Tensor> shown, pack, unpack)
    return 0


cdef object call_before_packing(object function):
    """Run function(); call the hooks for what it saves when it is over. Note [Operations that are packed as one]"""
    cdef list waiting = []
    cdef PyObject* before = wait_with_packing(<PyObject*> waiting)
    try:
        result = function()
    finally:
        wait_with_packing(before)
    pack_later(waiting, before)
    return result


cdef int pack_later(list waiting, PyObject* before) except -1:
    """Call the hooks that have waited; where those around them wait, too, join them. before: the outer list or NULL."""
    if before != NULL:
        (<list> before).extend(waiting)
        return 0
    return pack_waiting(waiting)


cdef int pack_one(Node node, int index, Tensor source, Tensor shown, object pack, object unpack) except -1:
    """Let a packed value take the place of a saved tensor. source: the tensor with its history."""
    if version_of(source) != saved_slots(node)[index].version:
        return 0                       # written to by the op that saves it: the check of its version has to see that
    if waiting_packs != NULL:
        (<list> waiting_packs).append((node, index, source, shown, pack, unpack))
        return 0
    return replace_saved(node, index, source, shown, pack, unpack)


cdef int replace_saved(Node node, int index, Tensor source, Tensor shown, object pack, object unpack) except -1:
    cdef SavedSlot* saved = saved_slots(node) + index
    cdef PyObject* fn = NULL
    cdef PackedValue packed = pack_by_hook(shown, pack, unpack)
    packed.own_output = saved.kind == SAVED_OUTPUT
    if not packed.own_output:
        fn = gradient_edge(source, &packed.output_nr)
        if fn != NULL:
            packed.fn = <Node> fn
            Py_XDECREF(fn)
    hold(&saved.value, packed)
    saved.kind = SAVED_PACKED
    node.flags |= NF_PACKED
    return 0


cdef PackedValue pack_by_hook(Tensor tensor, object pack, object unpack):
    """What stands for a tensor that a hook packs; its place in the graph is not in it yet."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    cdef uint32_t before = version_of(tensor)
    cdef PackedValue packed = PackedValue.__new__(PackedValue)
    packed.unpack, packed.tangent = unpack, tangent_object(tensor)
    state.modes = modes & ~(<unsigned int> WG_GRAD)
    try:
        packed.value = pack(tensor)
    finally:
        state.modes = modes
    if version_of(tensor) != before:
        raise errors.packing_writes()
    return packed


cdef Tensor unpack(Node node, int index):
    """The tensor of a packed value, with the place in the graph that the saved one had."""
    cdef SavedSlot* saved = saved_slots(node) + index
    cdef PackedValue packed = <PackedValue> saved.value
    cdef Tensor out
    cdef int number
    if packed.kept is not None:
        return packed.kept
    out = unpack_once(node, packed)
    if packed.own_output:
        number = own_output(node, saved)
        if number >= 0:
            set_output(node, number, out)
    elif packed.fn is not None:
        set_output(packed.fn, packed.output_nr, out)
    return out


cdef int own_output(Node node, SavedSlot* saved) noexcept:
    """Which of the node's outputs a saved output is; -1: one that is not differentiable."""
    return output_number(<Formula> node.formula, saved.output) if node.formula != NULL else saved.output


cdef Tensor unpack_once(Node node, PackedValue packed):
    """The tensor that a packed value stands for; unpacked once while its node is run."""
    if packed.kept is not None:
        return packed.kept
    out = tensor_of(packed)
    if node.flags & NF_KEEPS:
        packed.kept = out
    return out


cdef Tensor alias_with_tangent(Tensor t):
    """An alias without history; a tangent of forward mode it has as well."""
    return with_tangent(alias(t), tangent_object(t))


cdef object tangent_object(Tensor t):
    """The tangent of a tensor with the level it belongs to; None: none."""
    if not t.flags & WG_DUAL or t.flags & WG_BATCHED or t.extra == NULL or t.extra.tangent == NULL:
        return None
    return <object> t.extra.tangent


cdef Tensor with_tangent(Tensor fresh, object tangent):
    """A tensor that has no tangent yet with that of another one."""
    if tangent is not None:
        Py_INCREF(tangent)
        extra_of(fresh).tangent = <PyObject*> tangent
        fresh.flags |= WG_DUAL | WG_ASK
        track(fresh)
    return fresh


cdef Tensor tensor_of(PackedValue packed):
    """The unpack hook's result for a packed value, without history: itself, where it has none and gets none."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    state.modes = modes & ~(<unsigned int> WG_DERIVING)
    try:
        given = packed.unpack(packed.value)
    finally:
        end_derivative(state, modes)
    if not isinstance(given, Tensor):
        raise errors.unpacked_no_tensor(given)
    if packed.fn is None and packed.tangent is None and not packed.own_output \
            and not (<Tensor> given).flags & WG_BATCHED and not requires_grad(<Tensor> given):
        return <Tensor> given
    return with_tangent(alias(<Tensor> given), packed.tangent)


cdef int drop_unpacked(Node node) except -1:
    """Forget what was unpacked while a node was run."""
    cdef int i
    node.flags &= ~(<uint8_t> NF_KEEPS)
    for i in range(node.n_saved):
        if saved_slots(node)[i].value == NULL:
            continue
        if saved_slots(node)[i].kind == SAVED_PACKED:
            (<PackedValue> saved_slots(node)[i].value).kept = None
        elif saved_slots(node)[i].kind == SAVED_SEVERAL:
            for value in (<Several> saved_slots(node)[i].value).values:
                if isinstance(value, PackedValue):
                    (<PackedValue> value).kept = None
    return 0


not_made_by_hand(<PyTypeObject*> HookPair)
not_made_by_hand(<PyTypeObject*> PackedValue)
not_made_by_hand(<PyTypeObject*> Several)
HOOKS.call_before_packing = call_before_packing
