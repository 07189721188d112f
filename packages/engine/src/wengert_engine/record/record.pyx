"""Recording: what happens after (and, for writes, before) a kernel when an input requires a gradient.

Note [What a write does to history]
    ``a.mul_(b)``: the tensor's grad_fn becomes the new node, whose first edge is the old one. When ``a`` is a view, the
    write is seen from the base: the base's grad_fn becomes a CopySlices node (gradient outside the view passes, inside
    goes through the op's formula), and every view of that base, ``a`` too, finds its version behind and makes its
    grad_fn anew from the base's when it is next asked for (view_grad_fn). Views that cannot follow (one of several
    outputs of an op, made under no_grad, inference mode or in a custom Function) are dead from then on: whatever asks
    for their history is an error.
"""
from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF, Py_XDECREF, Py_XINCREF, PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.hooks cimport Hooks, hooks
from wengert_core.dispatch.op cimport K_TENSOR_OR_NUMBER, OP_VIEW, Op, find_op
from wengert_core.dtypes.dtypes cimport CAT_FLOAT, DTypeFacts, dtype_facts, dtype_of
from wengert_core.runtime.state cimport WG_ASK, WG_DUAL, WG_GRAD, WG_GUARD, WG_INFER, WG_OBSERVE, WgState, thread_state
from wengert_core.tensors.requires_grad cimport requires_grad
from wengert_core.tensors.tensor cimport (TF_INFERENCE, TF_META_MASK, TF_RETAINS_GRAD, TF_META_SHIFT, TF_VIEW,
                                          VIEW_DEFAULT, Tensor, alias, shape_tuple, storage_of, version_of)
from wengert_engine.graph.formula cimport (SAVE_GEOMETRY, SAVE_OUTPUT, SAVE_SHAPE, SAVE_VALUE, Formula, SavePlan,
                                           chosen_type, formula_of, output_number)
from wengert_engine.graph.node cimport (NF_NUMBERS, NODE_COPY_SLICES, NODE_ERROR, NODE_FORMULA, SAVED_OUTPUT,
                                        SAVED_PLAIN, SAVED_SEVERAL, SAVED_TENSOR, Edge, Node, SavedSlot, edges_of,
                                        gradient_edge, make_node_class, new_node, node_extra, number, saved_slots,
                                        set_meta, set_output)
from wengert_engine.graph.view_region cimport geometry, is_of_other_kind, part_of, region
from wengert_engine.graph.visible_edges cimport hidden_edges, is_shown, n_bits
from wengert_engine.messages import errors
from wengert_engine.record.saved_hooks_stack cimport pack_all, several_of

cdef DTypeFacts* FACTS = dtype_facts()
cdef Hooks* HOOKS = hooks()
cdef object CopySlices = make_node_class("torch::autograd::CopySlices")
cdef object ViewGradient = make_node_class("ViewGradient")
cdef Op AS_STRIDED = None
cdef Op CLONE = None
cdef object CAPTURED = None    # refuses writes to what the function of a transform captures: set by vmap/transform.py


def set_captured(refuse):
    """Set who answers before writes to memory older than the transform that runs: ``refuse(tensor, op, other)``."""
    global CAPTURED
    CAPTURED = refuse


# ---- out of place

cdef int record(Op op, PyObject** slots, PyObject** outs, int n_outs) except -1:
    """Make the node of an op that has run, and let its outputs point to it."""
    cdef WgState* state = thread_state()
    cdef Formula f
    cdef Node node
    cdef int i, at, next_dim = 0
    cdef Tensor out
    if state.modes & (WG_GRAD | WG_INFER) != WG_GRAD:    # enable_grad() in inference mode records nothing
        return 0
    if op.flags & OP_VIEW and (<Tensor> slots[0]).flags & TF_INFERENCE:      # nor does a view of what was made there
        return 0
    f = formula_of(op)
    if f.silent:
        return 0
    node = build(f, slots, outs, n_outs, NULL)
    if node is None:
        return 0
    for i in range(n_outs):
        at = output_number(f, i)
        if at < 0:
            continue
        out = <Tensor> outs[i]
        set_meta(node, at, out, &next_dim)
        if FACTS.category[out.code] >= CAT_FLOAT:
            set_output(node, at, out)
    if state.saved_hooks != NULL:
        pack_all(node, state.saved_hooks, outs)
    return 0


cdef inline bint needs_grad(PyObject* value):
    """Whether an argument requires a gradient; a view may have come to do so by a write to its base."""
    if not isinstance(<object> value, Tensor):
        return False
    if (<Tensor> value).flags & WG_ASK and not (<Tensor> value).flags & WG_GRAD:
        view_grad_fn(<Tensor> value)
        return requires_grad(<Tensor> value)
    return (<Tensor> value).flags & WG_GRAD != 0


cdef Node build(Formula f, PyObject** slots, PyObject** outs, int n_outs, PyObject* old_self):
    """A node with its edges and saved values; None when no input needs a gradient. outs may be NULL (set later)."""
    cdef uint32_t needs = 0
    cdef int i, n_edges = f.n_inputs, n_sizes = 0, n_outputs = 0
    cdef Node node
    if f.has_list:
        n_edges = 0
    for i in range(f.n_inputs):
        if f.inputs[i].is_list:
            n_edges += <int> len(<object> slots[f.inputs[i].slot])
            for item in <object> slots[f.inputs[i].slot]:
                if needs_grad(<PyObject*> item):
                    needs |= 1 << i
        else:
            n_edges += f.has_list
            if needs_grad(slots[f.inputs[i].slot]):
                needs |= 1 << i
    if needs == 0:
        return None
    for i in range(n_outs):
        if output_number(f, i) >= 0:
            n_outputs += 1
            n_sizes += (<Tensor> outs[i]).rank
    node = new_node(<PyTypeObject*> (f.node_type if f.n_named == 0 else chosen_type(f, slots)), NODE_FORMULA, n_edges,
                    f.n_saved, n_outputs, n_sizes)
    node.formula = <PyObject*> f
    node.needs = needs
    if f.error is not None:
        node.kind = NODE_ERROR
    connect(node, f, slots)
    number(node)
    save(node, f, slots, outs, old_self)
    return node


cdef int connect(Node node, Formula f, PyObject** slots) except -1:
    cdef Edge* edge = edges_of(node)
    cdef int i
    for i in range(f.n_inputs):
        if f.inputs[i].is_list:
            for item in <object> slots[f.inputs[i].slot]:
                if needs_grad(<PyObject*> item):
                    edge.node = gradient_edge(<Tensor> item, &edge.input_nr)
                edge += 1
        else:
            if node.needs >> i & 1:
                edge.node = gradient_edge(<Tensor> slots[f.inputs[i].slot], &edge.input_nr)
            edge += 1
    return 0


cdef int save(Node node, Formula f, PyObject** slots, PyObject** outs, PyObject* old_self) except -1:
    """Keep what the rules of the inputs that need a gradient ask for."""
    cdef SavedSlot* saved = saved_slots(node)
    cdef SavePlan* plan
    cdef PyObject* value
    cdef int i
    for i in range(f.n_saved):
        plan = &f.saved[i]
        if not plan.wanted_by & node.needs:
            continue
        if plan.what == SAVE_OUTPUT:
            if outs != NULL:
                save_output(&saved[i], <Tensor> outs[plan.slot], plan.slot)
            continue
        value = slots[plan.slot]
        if plan.what == SAVE_VALUE:
            if old_self != NULL and (plan.slot == 0 or (value == slots[0] and thread_state().saved_hooks != NULL)):
                value = old_self       # also for b.mul_(b) when hooks are there: they get the value before the write
                saved[i].own_history = 1
            save_value(&saved[i], value)
            if saved[i].kind == SAVED_PLAIN and plan.slot < 2 and f.op.kinds[plan.slot] & 63 == K_TENSOR_OR_NUMBER:
                node.flags = node.flags | NF_NUMBERS
            if outs == slots and saved[i].kind == SAVED_TENSOR \
                    and (<Tensor> value).storage == (<Tensor> slots[0]).storage:
                saved[i].version -= 1    # an in-place op has overwritten it already: what is saved is the value before
        else:
            keep_object(&saved[i], fact(plan.what, value))
    return 0


cdef inline int save_value(SavedSlot* saved, PyObject* value) except -1:
    if isinstance(<object> value, Tensor):
        if (<Tensor> value).flags & TF_INFERENCE:
            raise errors.inference_saved()
        saved.version = version_of(<Tensor> value)
        saved.kind = SAVED_TENSOR
    else:
        saved.kind = SAVED_PLAIN
        if isinstance(<object> value, (list, tuple)):
            return save_sequence(saved, <object> value)
    Py_XINCREF(value)
    saved.value = value
    return 0


cdef int save_sequence(SavedSlot* saved, object values) except -1:
    """Numbers are kept as a tuple; with tensors among them, their versions have to be checked."""
    several = several_of(values)
    if several is None:
        return keep_object(saved, tuple(values))
    keep_object(saved, several)
    saved.kind = SAVED_SEVERAL
    return 0


cdef int keep_object(SavedSlot* saved, object value) except -1:
    Py_INCREF(value)
    saved.value = <PyObject*> value
    saved.kind = SAVED_PLAIN
    return 0


cdef object fact(int what, PyObject* value):
    """Shape or dtype of an argument; of each, for a sequence."""
    if isinstance(<object> value, Tensor):
        if what == SAVE_GEOMETRY:
            return geometry(<Tensor> value)
        return shape_tuple(<Tensor> value) if what == SAVE_SHAPE else dtype_of((<Tensor> value).code)
    if isinstance(<object> value, (list, tuple)):
        return tuple([fact(what, <PyObject*> item) for item in <object> value])
    return () if what == SAVE_SHAPE else None


cdef int save_output(SavedSlot* saved, Tensor out, int output) except -1:
    """An output is saved as an alias without history: the node must not own itself."""
    cdef Tensor kept = alias(out)
    Py_INCREF(kept)
    saved.value = <PyObject*> kept
    saved.version = version_of(out)
    saved.kind = SAVED_OUTPUT
    saved.output = output
    return 0


# ---- writes

cdef int before_inplace(Op op, PyObject** slots, PyObject** keep) except -1:
    """Refuse what must not be written to; keep a copy of slot 0 where the formula needs its old value."""
    global CLONE
    cdef Tensor t = <Tensor> slots[0]
    cdef unsigned int modes = thread_state().modes
    cdef Formula f
    if modes & WG_GUARD:
        check_captured(op, slots)
    if modes & (WG_GRAD | WG_INFER) == WG_GRAD and t.flags & TF_VIEW and t.base != NULL \
            and (<Tensor> t.base).flags & WG_GRAD:
        check_origin(t, op.name)       # before needs_grad, which tells of an earlier write to the base
    cdef bint recorded = modes & (WG_GRAD | WG_INFER) == WG_GRAD \
        and (needs_grad(slots[0]) or any_other_requires(op, slots))
    if t.flags & TF_INFERENCE and not modes & WG_INFER:
        if modes & WG_GRAD:
            check_write(t, op.name, recorded)
        raise errors.inference_written(op.name)
    if modes & (WG_GRAD | WG_INFER) != WG_GRAD:
        return 0
    check_write(t, op.name, recorded)
    if recorded:
        check_operands(op, slots)
        f = formula_of(op)
        if f.needs_old_self and others_want_self(f, slots):
            if CLONE is None:
                CLONE = find_op("clone")
            kept = CLONE(t)            # recorded: the old value keeps its history for higher orders
            Py_INCREF(kept)
            keep[0] = <PyObject*> kept
    return 0


cdef int check_captured(Op op, PyObject** slots) except -1:
    """Refuse a write to what the function of a transform captures."""
    cdef Tensor t = <Tensor> slots[0]
    if CAPTURED is not None and storage_of(t).birth < thread_state().transform:
        CAPTURED(t, op.name, <object> slots[1] if op.n_params > 1 and slots[1] != NULL else None)
    return 0


cdef int check_operands(Op op, PyObject** slots) except -1:
    """Refuse views without a history before anything is written: recording comes too late for that."""
    cdef int i
    for i in range(1, op.n_params):
        if slots[i] != NULL and isinstance(<object> slots[i], Tensor) and (<Tensor> slots[i]).flags & TF_VIEW:
            view_grad_fn(<Tensor> slots[i])
    return 0


cdef bint others_want_self(Formula f, PyObject** slots):
    """Whether a rule that will be run uses slot 0's value."""
    cdef int i, k
    for k in range(f.n_saved):
        if f.saved[k].what == SAVE_VALUE and f.saved[k].slot == 0:
            for i in range(f.n_inputs):
                if f.saved[k].wanted_by >> i & 1 and needs_grad(slots[f.inputs[i].slot]):
                    return True
    return False


cdef bint any_other_needs(Op op, PyObject** slots):
    cdef int i
    for i in range(1, op.n_params):
        if slots[i] != NULL and needs_grad(slots[i]):
            return True
    return False


cdef bint any_other_requires(Op op, PyObject** slots) noexcept:
    """The same as far as flags tell: an operand that is dead is refused after the written tensor has been looked at."""
    cdef int i
    for i in range(1, op.n_params):
        if slots[i] != NULL and isinstance(<object> slots[i], Tensor) and requires_grad(<Tensor> slots[i]):
            return True
    return False


cdef int check_write(Tensor t, str name, bint recorded) except -1:
    """torch's rules for in-place operations on leaves and on views, with grad mode on."""
    cdef Tensor base
    if t.flags & TF_VIEW and t.base != NULL:
        base = <Tensor> t.base
        if base.flags & WG_GRAD or recorded:
            check_origin(t, name)
        if (t.flags | base.flags) & WG_GRAD and base.grad_fn == NULL:
            raise errors.write_to_leaf_view(name)
    elif t.flags & WG_GRAD and t.grad_fn == NULL:
        raise errors.write_to_leaf(name)
    return 0


cdef int check_origin(Tensor view, str name) except -1:
    """Refuse a write to a view, or to its base (name: None), where the view's history cannot follow it."""
    cdef int origin = (view.flags & TF_META_MASK) >> TF_META_SHIFT
    if origin == VIEW_DEFAULT:
        return 0
    made_by = type(<object> view.grad_fn).__name__ if view.grad_fn != NULL else None
    raise errors.write_to_view(origin, made_by, view.output_nr, name)


cdef int record_inplace(Op op, PyObject** slots, PyObject* keep) except -1:
    """Note [What a write does to history]. The version has been raised already."""
    cdef Formula f = formula_of(op)
    cdef uint32_t aged
    if f.silent or thread_state().modes & (WG_GRAD | WG_INFER) != WG_GRAD:
        return 0
    if FACTS.category[(<Tensor> slots[0]).code] < CAT_FLOAT and not needs_grad(slots[0]):
        return 0                       # integers have no derivatives: what was copied into them had
    aged = keep_up(op, slots)
    try:
        if needs_grad(slots[0]) or any_other_needs(op, slots):
            continue_history(f, slots, keep)
    finally:
        if aged:
            fall_behind(op, slots, aged)
    return 0


cdef int continue_history(Formula f, PyObject** slots, PyObject* keep) except -1:
    cdef Tensor t = <Tensor> slots[0]
    cdef int next_dim = 0
    cdef Node node
    if t.flags & TF_VIEW and t.base != NULL:
        return rebase(f, slots, t, keep)
    node = build(f, slots, slots, 1, keep)
    if node is None:
        return 0
    set_meta(node, 0, t, &next_dim)
    move_retained(node, t)
    set_output(node, 0, t)
    if thread_state().saved_hooks != NULL:
        pack_all(node, thread_state().saved_hooks, slots)
    return 0


cdef uint32_t keep_up(Op op, PyObject** slots) noexcept:
    """Let operands that view the written memory pass as unchanged while the write is recorded: it has read them as they
    were before. Returns which slots these are."""
    cdef uint32_t aged = 0, now = version_of(<Tensor> slots[0])
    cdef int i
    for i in range(op.n_params):
        if slots[i] != NULL and isinstance(<object> slots[i], Tensor) and (<Tensor> slots[i]).flags & TF_VIEW \
                and (<Tensor> slots[i]).storage == (<Tensor> slots[0]).storage \
                and (<Tensor> slots[i]).attr_version + 1 == now:
            (<Tensor> slots[i]).attr_version = now
            aged |= 1 << i
    return aged


cdef void fall_behind(Op op, PyObject** slots, uint32_t aged) noexcept:
    """Undo keep_up for all but the tensor that was written to."""
    cdef int i
    for i in range(1, op.n_params):
        if aged >> i & 1 and slots[i] != slots[0]:
            (<Tensor> slots[i]).attr_version -= 1


cdef int move_retained(Node node, Tensor t) except -1:
    """A tensor that retains its gradient retains that of its value after the write."""
    cdef Node before
    if not t.flags & TF_RETAINS_GRAD or t.grad_fn == NULL:
        return 0
    before = <Node> t.grad_fn
    if before.extra != NULL and before.extra.retained != NULL:
        reference = (<dict> before.extra.retained).pop(t.output_nr, None)
        retained = {0: reference}
        Py_INCREF(retained)
        node_extra(node).retained = <PyObject*> retained
    return 0


cdef int rebase(Formula f, PyObject** slots, Tensor view, PyObject* keep) except -1:
    """The write to a view, recorded on its base."""
    cdef int next_dim = 0
    cdef Node inner = build_for_view(f, slots, view, keep)
    set_meta(inner, 0, view, &next_dim)
    rebase_node(inner, view, own_edge(f))
    if thread_state().saved_hooks != NULL:
        pack_all(inner, thread_state().saved_hooks, slots)
    return 0


cdef int rebase_node(Node inner, Tensor view, int own) except -1:
    """Put the node of a write to a view into a CopySlices of its base. own: the view's edge among its own; -1: none."""
    cdef Tensor base = <Tensor> view.base
    cdef int next_dim = 0, i
    cdef uint32_t hidden = hidden_edges(inner)
    cdef Node outer
    cdef Edge* edges
    outer = new_node(<PyTypeObject*> CopySlices, NODE_COPY_SLICES, inner.n_edges + (own < 0) - n_bits(hidden), 2, 1,
                     base.rank)
    edges = edges_of(outer)
    if base.flags & WG_GRAD:
        edges[0].node = gradient_edge(base, &edges[0].input_nr)
    for i in range(inner.n_edges):
        if i != own and is_shown(hidden, i):
            edges += 1
            edges[0] = edges_of(inner)[i]
            Py_XINCREF(edges[0].node)
    if own >= 0:
        drop_self_edge(own, inner, view)
    number(outer)
    keep_object(&saved_slots(outer)[0], inner)
    keep_object(&saved_slots(outer)[1], (region(base), region(view)))
    next_dim = 0
    set_meta(outer, 0, base, &next_dim)
    move_retained(outer, base)
    set_output(outer, 0, base)
    refresh_view(view)
    return 0


cdef int own_edge(Formula f) noexcept:
    """Which edge of an op's node is that of the tensor it writes to; -1: none."""
    cdef int i
    for i in range(f.n_inputs):
        if f.inputs[i].slot == 0 and not f.has_list:
            return i
    return -1


cdef int drop_self_edge(int own, Node inner, Tensor view) except -1:
    """The gradient for the view itself goes to the base, by the outer node's first edge, which takes its place; inner's
    own ends in a node that only knows the view's shape."""
    cdef int next_dim = 0
    cdef Node sink = new_node(<PyTypeObject*> ViewGradient, NODE_FORMULA, 0, 0, 1, view.rank)
    set_meta(sink, 0, view, &next_dim)
    Py_XDECREF(edges_of(inner)[own].node)
    Py_INCREF(sink)
    edges_of(inner)[own].node = <PyObject*> sink
    edges_of(inner)[own].input_nr = 0
    return 0


cdef Node build_for_view(Formula f, PyObject** slots, Tensor view, PyObject* keep):
    """The node of the op as if the view were a tensor of its own; its first edge is not used.

    Where the base had no history, no gradient goes to slot 0, and what its rule asks for is not kept.
    """
    cdef uint32_t had = view.flags & WG_GRAD
    cdef Node node
    if not had and not (<Tensor> view.base).flags & WG_GRAD:
        node = build(f, slots, slots, 1, keep)
        if node is not None:
            return node
    view.flags |= WG_GRAD              # so that the formula's rule for slot 0 takes part
    try:
        return build(f, slots, slots, 1, keep)
    finally:
        if not had:
            view.flags &= ~(<uint32_t> WG_GRAD)


cdef int refresh_view(Tensor view) except -1:
    """Make a view's grad_fn anew from its base's: the node of as_strided on the base, without running it."""
    global AS_STRIDED
    cdef Tensor base = <Tensor> view.base
    cdef PyObject* slots[16]
    cdef PyObject* outs[1]
    cdef int next_dim = 0
    cdef Node node
    view.attr_version = version_of(view)
    if not base.flags & WG_GRAD:
        return 0
    if is_of_other_kind(base, view):
        node = node_of_other_kind(base, view)
        move_retained(node, view)
        set_output(node, 0, view)
        return 0
    if AS_STRIDED is None:
        AS_STRIDED = find_op("as_strided")
    size, stride, offset = geometry(view)
    slots[0], slots[1], slots[2], slots[3] = <PyObject*> base, <PyObject*> size, <PyObject*> stride, <PyObject*> offset
    outs[0] = <PyObject*> view
    node = build(formula_of(AS_STRIDED), slots, outs, 1, NULL)
    set_meta(node, 0, view, &next_dim)
    move_retained(node, view)
    set_output(node, 0, view)
    return 0


cdef Node node_of_other_kind(Tensor base, Tensor view):
    """The last node that leads from a base to a view of the other kind. Note [Views of the other kind] in
    graph/view_region.pyx.
    """
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    cdef Tensor part
    state.modes = (modes & ~(<unsigned int> (WG_DUAL | WG_INFER | WG_OBSERVE))) | WG_GRAD
    try:
        part = part_of(base, region(base), region(view))
    finally:
        state.modes = modes
    return <Node> part.grad_fn


cdef PyObject* view_grad_fn(Tensor t) except? NULL:
    """A view's grad_fn; made anew when the base has been written to since. Borrowed."""
    if t.base == NULL or t.attr_version == version_of(t):
        return t.grad_fn
    if t.grad_fn == NULL and not (<Tensor> t.base).flags & WG_GRAD:
        return NULL
    check_origin(t, None)
    refresh_view(t)
    return t.grad_fn


cdef RecordHooks BASE                  # what records: this module's functions, or anomaly mode's around them
cdef bint IN_FRONT = False             # forward mode stands before them


cdef RecordHooks* base_hooks() noexcept:
    return &BASE


cdef void set_base(record_fn new_record, inplace_fn new_inplace) noexcept:
    BASE.record = new_record if new_record != NULL else <record_fn> record
    BASE.record_inplace = new_inplace if new_inplace != NULL else <inplace_fn> record_inplace
    if not IN_FRONT:
        HOOKS.record, HOOKS.record_inplace = BASE.record, BASE.record_inplace


cdef void stand_in_front(RecordHooks* own) noexcept:
    global IN_FRONT
    IN_FRONT = True
    HOOKS.record, HOOKS.before_inplace, HOOKS.record_inplace = own.record, own.before_inplace, own.record_inplace


BASE.before_inplace = before_inplace
HOOKS.before_inplace = before_inplace
HOOKS.view_grad_fn = view_grad_fn
set_base(NULL, NULL)
