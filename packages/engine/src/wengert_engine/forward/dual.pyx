"""Forward mode: tensors with a tangent, and what operations make of it.

Note [Tangents]
    A dual tensor has its tangent in ``extra.tangent``, with the number of the level it was made in: when that is over,
    the tangent counts no more. It carries WG_DUAL, and WG_ASK so that drivers hand it to the hooks for recording; this
    module stands in front of these once it has been imported. After an operation the formula's jvp gives the tangents
    of the outputs, while the mode is off: the tangents of tangents are not wanted. A view's tangent is a view of its
    base's tangent (a linear op's jvp is the op itself), so a write to a view reaches the base's; a view that was made
    before its base had a tangent gets it when it is asked.

Note [The primal is no view for tangents]
    unpack_dual gives a view of the dual tensor, into whose memory and history a write to it goes; but it has no
    tangent, and where a write gives it one, that is not the dual's. Its Tangent says so (``is_cut``), and those of its
    views name it as what their tangents are parts of (``base``), since a view itself knows only the tensor at the
    bottom.
"""
cimport cython
from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject
from libc.string cimport memset

from wengert_core.api import repr_iter as _repr_iter
from wengert_core.binding.torch_function cimport restore, is_disabled
from wengert_core.dispatch.hooks cimport hooks
from wengert_core.dispatch.op cimport OP_VIEW, Op, find_op
from wengert_core.dtypes.dtypes cimport CAT_FLOAT, DTypeFacts, dtype_facts, dtype_of
from wengert_core.runtime.pyobject cimport not_made_by_hand
from wengert_core.runtime.state cimport (WG_ASK, WG_BATCHED, WG_DUAL, WG_GRAD, WG_INFER, WG_OBSERVE, WG_TELL, WgState,
                                         set_dual_open, thread_state)
from wengert_core.tensors.tensor cimport (TF_VIEW, Tensor, extra_of, is_strided, same_shape, shape_tuple, strides_of,
                                          track, version_of)
from wengert_engine.forward.jvp_fast cimport can_push, push
from wengert_engine.function.apply cimport MATERIALIZE, set_forward_hook
from wengert_engine.graph.formula cimport Formula, formula_of
from wengert_engine.graph.node cimport (NODE_COPY_SLICES, NODE_FORMULA, SAVED_OUTPUT, FunctionNode, Node, SavedSlot,
                                        saved_slots)
from wengert_engine.graph.view_region cimport part_of, region
from wengert_engine.messages import errors
from wengert_engine.modes.strong_zeros cimport begin_derivative, end_derivative
from wengert_engine.record.record cimport RecordHooks, base_hooks, stand_in_front

cdef DTypeFacts* FACTS = dtype_facts()
cdef RecordHooks* BASE = base_hooks()
cdef RecordHooks OWN
cdef Op COPY_ = find_op("copy_")
cdef Op NEW_EMPTY_STRIDED = find_op("new_empty_strided")
cdef Op ALIAS = find_op("alias")
cdef Op FW_PRIMAL = find_op("_fw_primal")
cdef Op ZERO_ = find_op("zero_")
cdef Op NEW_ZEROS = find_op("new_zeros")
cdef Op ZEROS_LIKE = find_op("zeros_like")
cdef long EPOCH = 0                    # the number of the last level that was entered
cdef bint IS_OPEN = False
cdef bint IS_OF_TRANSFORM = False      # whether the open level is that of a transform of functions, as func.jvp


@cython.binding(False)
cdef class Tangent:
    """What a dual tensor has: a tensor, and the level it belongs to."""
    cdef Tensor value                  # None: none
    cdef long epoch
    cdef bint is_cut                   # Note [The primal is no view for tangents]
    cdef Tensor base                   # of a view of such a tensor: that tensor


# ---- levels

def is_open():
    """Whether a dual level is open."""
    return IS_OPEN


def enter(bint of_transform=False):
    """Open the level for all threads unless it is open; return whether it did, in one step without interruption.

    of_transform: whether a transform of functions opens it. In there the result of a Function may be a view while its
    tangent is none.
    """
    global EPOCH, IS_OPEN, IS_OF_TRANSFORM
    if IS_OPEN:
        return False
    EPOCH += 1
    IS_OPEN = True
    IS_OF_TRANSFORM = of_transform
    set_dual_open(True)
    return True


def leave():
    """Close the level: its tangents count no more."""
    global IS_OPEN
    IS_OPEN = False
    set_dual_open(False)


def is_enabled():
    """Whether operations in this thread compute tangents where a level is open."""
    return bool(thread_state().modes & WG_DUAL)


def switch(on):
    """Let this thread's operations compute tangents or not."""
    cdef WgState* state = thread_state()
    state.modes = state.modes | WG_DUAL if on else state.modes & ~(<unsigned int> WG_DUAL)


# ---- one tensor

cdef Tensor own_tangent(Tensor t):
    """A tensor's tangent of the open level, or None."""
    cdef Tangent kept
    if not t.flags & WG_DUAL or t.extra == NULL or t.extra.tangent == NULL:
        return None
    kept = <Tangent> t.extra.tangent
    return kept.value if kept.epoch == EPOCH and IS_OPEN else None


cdef Tensor tangent_of(Tensor t):
    """A tensor's tangent, or of a view without one the part of its base's."""
    cdef Tensor found = own_tangent(t), base
    if found is None:
        base = tangent_base(t)
        found = None if base is None else own_tangent(base)
        if found is not None:
            found = part_of(with_geometry_of(base, found), region(base), region(t))
            set_tangent(t, found)
    return found


cdef Tangent cut_of(Tensor t):
    """The mark that t has in place of a tangent where it is a primal or a view of one, else None."""
    if not t.flags & WG_DUAL or t.flags & WG_BATCHED or t.extra == NULL or t.extra.tangent == NULL:
        return None
    return <Tangent> t.extra.tangent if (<Tangent> t.extra.tangent).is_cut else None


cdef Tensor tangent_base(Tensor t):
    """The tensor of whose tangent a view's is a part, or None."""
    cdef Tangent cut
    if not t.flags & TF_VIEW or t.base == NULL:
        return None
    cut = cut_of(t)
    return <Tensor> t.base if cut is None else cut.base


cdef int cut(Tensor t, Tensor base) except -1:
    """Let a view have no tangent, and get it from no other tensor than ``base``."""
    set_tangent(t, None)
    (<Tangent> t.extra.tangent).is_cut = True
    (<Tangent> t.extra.tangent).base = base
    return 0


cdef int cut_views(Op op, PyObject** slots, PyObject** outs, int n_outs) except -1:
    """Cut the views that are made of a primal."""
    cdef Tangent found
    cdef int i
    if slots[0] == NULL or not isinstance(<object> slots[0], Tensor):
        return 0
    found = cut_of(<Tensor> slots[0])
    if found is not None:
        for i in range(n_outs):
            if (<Tensor> outs[i]).flags & TF_VIEW:
                cut(<Tensor> outs[i], <Tensor> slots[0] if found.base is None else found.base)
    return 0


cdef int set_tangent(Tensor t, Tensor value) except -1:
    cdef Tangent kept = Tangent.__new__(Tangent), before = cut_of(t)
    cdef PyObject* old = extra_of(t).tangent
    kept.value, kept.epoch = value, EPOCH
    if before is not None:
        kept.is_cut, kept.base = True, before.base
    Py_INCREF(kept)
    t.extra.tangent = <PyObject*> kept
    Py_XDECREF(old)
    t.flags |= WG_DUAL | WG_ASK
    track(t)
    return 0


cdef bint same_geometry(Tensor a, Tensor b) noexcept:
    cdef int i
    if a.rank != b.rank:
        return False
    for i in range(a.rank):
        if a.dims[i] > 1 and strides_of(a)[i] * FACTS.itemsize[b.code] != strides_of(b)[i] * FACTS.itemsize[a.code]:
            return False
    return True


cdef object element_strides(Tensor t):
    cdef int i
    return tuple([strides_of(t)[i] // FACTS.itemsize[t.code] for i in range(t.rank)])


cdef Tensor with_geometry_of(Tensor t, Tensor tangent):
    """The tangent with t's strides, so that parts of t are the same parts of it; kept as t's when it had to be made."""
    cdef Tensor out
    if same_geometry(t, tangent):
        return tangent
    out = NEW_EMPTY_STRIDED(tangent, shape_tuple(t), element_strides(t))
    COPY_(out, tangent)
    set_tangent(t, out)
    return out


def get(Tensor t):
    """The tangent of the open level, or None; None while tangents are switched off."""
    if t.flags & WG_BATCHED:
        from wengert_engine.vmap.batched_grad import get_tangent
        return get_tangent(t)
    return tangent_of(t) if IS_OPEN and thread_state().modes & WG_DUAL else None


def primal_of(Tensor t, bint of_transform=False):
    """A view of a tensor without its tangent; Note [The primal is no view for tangents]. of_transform: of func.jvp,
    whose node is named otherwise in PyTorch."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    cdef Tensor out
    if t.flags & WG_BATCHED:
        from wengert_engine.vmap import batched_grad
        return batched_grad.primal_of(t, of_transform)
    state.modes = modes & ~(<unsigned int> WG_DUAL)
    try:
        out = ALIAS(t) if of_transform else FW_PRIMAL(t)
    finally:
        state.modes = modes
    if out.flags & TF_VIEW:
        cut(out, None)
    return out


def note(tensor):
    """What the text of a dual tensor says of its tangent."""
    tangent = get(tensor)
    return "" if tangent is None else f"tangent={tangent}"


def put(Tensor t, Tensor value, bint is_plain=False):
    """Give a tensor its tangent. RuntimeError for another shape, or when it has one. is_plain: it is not batched."""
    if not is_plain and (t.flags | value.flags) & WG_BATCHED:
        from wengert_engine.vmap.batched_grad import put_tangent
        put_tangent(t, value)
        return
    if own_tangent(t) is not None:
        raise RuntimeError("Making a dual Tensor based on a Tensor that already has a forward gradient at the same "
                           "level 0 is not supported.")
    check_shape(t, value)
    if is_strided(t) and is_strided(value) and not same_geometry(t, value):
        out = NEW_EMPTY_STRIDED(value, shape_tuple(t), element_strides(t))
        COPY_(out, value)
        value = out
    set_tangent(t, value)


cdef int check_shape(Tensor t, Tensor value) except -1:
    if not same_shape(t, value):
        raise RuntimeError("Trying to set a forward gradient that has a different size than that of the original "
                           f"Tensor, this is not supported. Tensor is of size {list(shape_tuple(t))} while the given "
                           f"forward gradient is of size {list(shape_tuple(value))}.")
    return 0


cdef bint has_tangent(Tensor t) except -1:
    """Whether a tensor has a tangent of the open level, whatever the modes say."""
    return tangent_of(t) is not None


# ---- operations

cdef inline bint is_dual(Tensor t) noexcept:
    return (t.flags & WG_DUAL) != 0 or (t.flags & TF_VIEW != 0 and t.base != NULL
                                        and (<Tensor> t.base).flags & WG_DUAL != 0)


cdef bint any_dual(Op op, PyObject** slots):
    """Whether a tensor among the arguments has a tangent."""
    cdef int i
    for i in range(op.n_params):
        if slots[i] == NULL:
            continue
        if isinstance(<object> slots[i], Tensor):
            if is_dual(<Tensor> slots[i]) and tangent_of(<Tensor> slots[i]) is not None:
                return True
        elif isinstance(<object> slots[i], (tuple, list)):
            for item in <object> slots[i]:
                if isinstance(item, Tensor) and is_dual(<Tensor> item) and tangent_of(<Tensor> item) is not None:
                    return True
    return False


cdef object tangents_in(object value):
    """The tangent of an argument; of each tensor in a sequence; None where there is none."""
    if isinstance(value, Tensor):
        return tangent_of(<Tensor> value)
    if isinstance(value, (tuple, list)) and value and isinstance(value[0], Tensor):
        found = [tangents_in(item) for item in value]
        return found if any([item is not None for item in found]) else None
    return None


cdef bint is_same_memory(Tensor a, Tensor b) noexcept:
    if not is_strided(a) or not is_strided(b):
        return a.storage == b.storage
    return a is b or (a.data == b.data and a.code == b.code and same_shape(a, b) and same_geometry(a, b))


cdef object jvp(Op op, PyObject** slots, PyObject* old_self, list outputs):
    """The tangents of an op's outputs."""
    cdef int i
    cdef list arguments = [], tangents = []
    for i in range(op.n_params):
        value = None if slots[i] == NULL or i == op.out_slot else <object> slots[i]
        tangent = tangents_in(value)
        if old_self != NULL and isinstance(value, Tensor) and is_same_memory(<Tensor> slots[0], <Tensor> value):
            value = <object> old_self              # as it was before the write
            if tangent is not None and (<Tensor> slots[0]).flags & WG_GRAD:
                tangent = tangent.clone()          # its memory gets the new one, and what is recorded here may save it
        tangents.append(tangent)
        arguments.append(value)
    entry = formula_of(op).entry
    if entry is None or entry.kind == "not_implemented":
        raise NotImplementedError(f"Trying to use forward AD with {op.name} that does not support it because it has "
                                  "not been implemented yet: there is no formula for it")
    return checked_tangents(op, entry.tangents(op, arguments, tangents, outputs), entry, <int> len(outputs))


cdef object checked_tangents(Op op, object found, object entry, int n):
    """Check and return a formula's tangents of n outputs: as many, or as many as its first, differentiable outputs."""
    cdef Py_ssize_t i, got = len(found)
    if got != n and (entry.outputs is None or got != len(entry.outputs) or tuple(entry.outputs) != op.outputs[:got]):
        raise errors.tangent_count(op, <int> got, n)
    for i in range(got):
        if found[i] is not None and not isinstance(found[i], Tensor):
            raise errors.no_tangent(op, <int> i, found[i])
    return found


cdef object push_tangents(Op op, PyObject** slots, PyObject** outs, list outputs):
    """The tangents of an op's outputs, without a call of Python where that will do."""
    cdef PyObject* tangents[16]
    cdef Formula f = formula_of(op)
    cdef int i
    memset(tangents, 0, op.n_params * sizeof(PyObject*))
    try:
        for i in range(op.n_params):
            if i != op.out_slot and slots[i] != NULL and isinstance(<object> slots[i], Tensor) \
                    and is_dual(<Tensor> slots[i]):
                found = tangent_of(<Tensor> slots[i])
                if found is not None:
                    Py_INCREF(found)
                    tangents[i] = <PyObject*> found
        if can_push(f, op, slots, tangents):
            found = push(f, op, slots, tangents, outs)
            return checked_tangents(op, found if isinstance(found, (tuple, list)) else (found,), f.entry,
                                    <int> len(outputs))
    finally:
        for i in range(op.n_params):
            Py_XDECREF(tangents[i])
    return jvp(op, slots, NULL, outputs)


cdef unsigned int observe_tangents(WgState* state) noexcept:
    """Let a tracer see the operations that tangents are made of, inside of one; return the bit as it was."""
    cdef unsigned int before = state.modes & WG_OBSERVE
    if state.modes & WG_TELL:
        state.modes |= WG_OBSERVE
    return before


cdef int record_forward(Op op, PyObject** slots, PyObject** outs, int n_outs) except -1:
    """Record, then give the outputs their tangents."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes, observed, unasked
    cdef int i
    BASE.record(op, slots, outs, n_outs)
    if op.flags & OP_VIEW:
        cut_views(op, slots, outs, n_outs)
    if not IS_OPEN or not state.modes & WG_DUAL or state.modes & WG_INFER or not any_dual(op, slots):
        return 0
    outputs = [<object> outs[i] for i in range(n_outs)]
    modes = begin_derivative(state)
    observed = observe_tangents(state)
    state.modes &= ~(<unsigned int> WG_DUAL)
    unasked = is_disabled()
    try:
        for out, tangent in zip(outputs, push_tangents(op, slots, outs, outputs)):
            if tangent is not None and FACTS.category[(<Tensor> out).code] >= CAT_FLOAT:
                if not op.flags & OP_VIEW and is_an_argument(op, slots, <Tensor> tangent):
                    tangent = tangent.clone()      # a write to one must not change the other
                give(<Tensor> out, <Tensor> tangent)
    finally:
        state.modes = state.modes & ~(<unsigned int> WG_OBSERVE) | WG_DUAL | observed
        restore(unasked)
        end_derivative(state, modes)
    for i in range(n_outs):            # the first of them may be one that is not differentiable
        if (<Tensor> outs[i]).grad_fn != NULL:
            return share_with_saved((<Tensor> outs[i]).grad_fn, version_of(<Tensor> outs[i]), outs)
    return 0


cdef bint is_an_argument(Op op, PyObject** slots, Tensor tangent):
    """Whether the tangent of an output is (in the memory of) that of an argument."""
    cdef int i
    cdef Tensor other
    for i in range(op.n_params):
        if slots[i] != NULL and isinstance(<object> slots[i], Tensor):
            other = own_tangent(<Tensor> slots[i])
            if other is not None and other.storage == tangent.storage:
                return True
    return False


cdef int give(Tensor out, Tensor tangent) except -1:
    check_shape(out, tangent)
    return set_tangent(out, tangent)


cdef int share_with_saved(PyObject* found, unsigned int version, PyObject** outs) except -1:
    """Give the aliases of outputs that a node has saved the outputs' tangents, for a backward inside the level."""
    cdef Node node
    cdef SavedSlot* saved
    cdef Tensor tangent
    cdef int i
    if found == NULL or (<Node> found).kind != NODE_FORMULA:
        return 0
    node = <Node> found
    saved = saved_slots(node)
    for i in range(node.n_saved):
        if saved[i].kind == SAVED_OUTPUT and saved[i].value != NULL and saved[i].version == version:
            tangent = own_tangent(<Tensor> outs[saved[i].output])
            if tangent is not None:
                set_tangent(<Tensor> saved[i].value, tangent)
    return 0


cdef PyObject* node_of_write(Tensor t) noexcept:
    """The node of the op that has written to a tensor; to a view, it is inside of the base's."""
    cdef PyObject* found = t.grad_fn
    if t.flags & TF_VIEW and t.base != NULL:
        found = (<Tensor> t.base).grad_fn
        if found != NULL and (<Node> found).kind == NODE_COPY_SLICES:
            found = saved_slots(<Node> found)[0].value
    return found


# ---- writes

cdef int before_forward(Op op, PyObject** slots, PyObject** keep) except -1:
    """Keep the value before the write when tangents will be computed: formulas see the arguments as they were."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    BASE.before_inplace(op, slots, keep)
    if keep[0] == NULL and IS_OPEN and state.modes & WG_DUAL and any_dual(op, slots):
        state.modes = modes & ~(<unsigned int> (WG_DUAL | WG_GRAD))
        try:
            old = (<object> slots[0]).clone()
        finally:
            state.modes = modes
        Py_INCREF(old)
        keep[0] = <PyObject*> old
    return 0


cdef int inplace_forward(Op op, PyObject** slots, PyObject* keep) except -1:
    """Record, then write the new tangent into the old one, which others may share."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes, observed, unasked
    cdef Tensor t = <Tensor> slots[0]
    BASE.record_inplace(op, slots, keep)
    if not IS_OPEN or not state.modes & WG_DUAL or not any_dual(op, slots):
        return 0
    modes = begin_derivative(state)
    observed = observe_tangents(state)
    state.modes &= ~(<unsigned int> WG_DUAL)
    unasked = is_disabled()
    try:
        found = jvp(op, slots, keep, [t])
        overwrite(t, <Tensor> found[0] if found and found[0] is not None else None)
    finally:
        state.modes = state.modes & ~(<unsigned int> WG_OBSERVE) | WG_DUAL | observed
        restore(unasked)
        end_derivative(state, modes)
    share_with_saved(node_of_write(t), version_of(t), slots)
    return 0


cdef int overwrite(Tensor t, Tensor new) except -1:
    """A written tensor's tangent: None where it is zero."""
    cdef Tensor old = tangent_of(t), base
    if new is None:
        if old is not None:
            ZERO_(old)
        return 0
    base = None if old is not None else tangent_base(t)
    if base is not None:
        set_tangent(base, with_geometry_of(base, NEW_ZEROS(new, shape_tuple(base), dtype=dtype_of(base.code))))
        old = tangent_of(t)
    if old is not None and new.flags & ~old.flags & WG_BATCHED:
        raise RuntimeError("vmap: a tangent that is another for each element of the batch cannot be written into one "
                           f"that is the same for all, of shape {list(shape_tuple(old))}. "
                           "Use operations that do not write in place")
    if (old is None or not same_shape(old, new) or (old.flags & WG_GRAD and old.grad_fn == NULL)
            or not is_strided(old) or not is_strided(new)):     # copy_ would want as many elements
        return give(t, (<object> new).clone())     # not what another tensor has
    COPY_(old, new)
    return 0


# ---- Functions

def function_tangents(FunctionNode ctx, cls, tuple args, results, tuple tangents, originals):
    """Give a Function's outputs the tangents that its jvp makes. tangents: of the arguments before forward ran.

    originals: the outputs as forward returned them.
    """
    cdef bint single = not isinstance(originals, tuple)
    outs = (results,) if single else results
    originals = (originals,) if single else originals
    given = [ZEROS_LIKE(a) if tangent is None and ctx.materialize & MATERIALIZE and isinstance(a, Tensor)
             and FACTS.category[(<Tensor> a).code] >= CAT_FLOAT else tangent for a, tangent in zip(args, tangents)]
    found = cls.jvp(ctx, *given)
    if not isinstance(found, tuple):
        found = (found,)
    if len(found) != len(outs):
        raise RuntimeError(f"Function's jvp returned an invalid number of forward gradients (expected {len(outs)} but "
                           f"got {len(found)})")
    for i, (out, tangent) in enumerate(zip(outs, found)):
        if tangent is not None and not isinstance(tangent, Tensor):
            raise RuntimeError(f"expected Variable or None (got {type(tangent).__name__}) for grad output {i}.")
        if tangent is None:
            continue
        if not isinstance(out, Tensor) or FACTS.category[(<Tensor> out).code] < CAT_FLOAT \
                or is_marked(ctx, originals[i]):
            raise RuntimeError(f"Function's jvp returned a gradient at position {i}, but  the corresponding forward "
                               "output is not a differentiable Tensor.You should return None at that position instead. "
                               f"{cls.__name__}.jvp")
        for k, a in enumerate(args):
            if a is out and tangents[k] is not None and tangent is not tangents[k]:
                raise RuntimeError("An inplace custom Function is not modifying the forward mode gradients inplace. If "
                                   "the forward is modifying an input inplace, then the jvp function must modify the "
                                   "corresponding gradient inplace.")
        for k, a in enumerate(args):
            if not IS_OF_TRANSFORM and views(<Tensor> out, a):
                check_view(<Tensor> tangent, tangents[k])
        give(<Tensor> out, <Tensor> tangent)
    share_with_context(ctx, tuple(outs))


cdef int share_with_context(FunctionNode ctx, tuple outs) except -1:
    """Give the aliases of outputs that a Function has saved for backward the outputs' tangents."""
    cdef SavedSlot* saved = saved_slots(ctx)
    cdef Tensor tangent
    cdef int i
    for i in range(ctx.n_saved):
        if saved[i].kind == SAVED_OUTPUT and saved[i].value != NULL:
            tangent = own_tangent(<Tensor> outs[saved[i].output])
            if tangent is not None:
                set_tangent(<Tensor> saved[i].value, tangent)
    return 0


cdef bint is_marked(FunctionNode ctx, object output):
    """Whether forward has marked an output as not differentiable."""
    return ctx.non_differentiable != NULL and any([output is marked for marked in <object> ctx.non_differentiable])


cdef int check_view(Tensor tangent, object source) except -1:
    """The tangent of a view of an input: a view of the input's tangent, or None where it has none."""
    if not tangent.flags & TF_VIEW or tangent.base == NULL:
        raise RuntimeError("A custom Function's forward is returning a view (or an input as-is) but the jvp is not "
                           "returning a view.")
    if source is not None and tangent.base != <PyObject*> source and tangent.base != (<Tensor> source).base:
        raise RuntimeError("A custom Function is returning a view but the jvp is not returning a view of the given "
                           "grad input. Return a view of the tangent that jvp was given")
    return 0


cdef bint views(Tensor out, object arg):
    """Whether an output is a view of an argument, or of what that is a view of."""
    return isinstance(arg, Tensor) and arg is not out and out.flags & TF_VIEW != 0 and out.base != NULL \
        and (out.base == <PyObject*> arg or out.base == (<Tensor> arg).base)


def argument_tangents(tuple args):
    """The tangents of a Function's arguments; None when none has one."""
    found = tuple([tangents_in(a) if isinstance(a, Tensor) else None for a in args])
    return found if any([item is not None for item in found]) else None


OWN.record, OWN.before_inplace, OWN.record_inplace = record_forward, before_forward, inplace_forward
stand_in_front(&OWN)
hooks().has_tangent = has_tangent
_repr_iter.NOTES.append(note)
set_forward_hook(argument_tangents, function_tangents)


not_made_by_hand(<PyTypeObject*> Tangent)
