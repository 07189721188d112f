"""Recording: what happens after (and, for writes, before) a kernel when an input requires a gradient."""
from cpython.ref cimport Py_INCREF, PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.hooks cimport Hooks, hooks
from wengert_core.dispatch.op cimport OP_VIEW, Op, find_op
from wengert_core.dtypes.dtypes cimport CAT_FLOAT, DTypeFacts, dtype_facts
from wengert_core.runtime.state cimport WG_GRAD, WG_GUARD, WG_INFER, WgState, thread_state
from wengert_core.tensors.requires_grad cimport requires_grad
from wengert_core.tensors.tensor cimport TF_INFERENCE, TF_VIEW, Tensor, version_of
from wengert_engine.graph.formula cimport SAVE_VALUE, Formula, formula_of, output_number
from wengert_engine.graph.node cimport Node, set_meta, set_output
from wengert_engine.messages import errors
from wengert_engine.record.building cimport build, needs_grad
from wengert_engine.record.saved_hooks_stack cimport pack_all
from wengert_engine.record.view_history cimport move_retained, rebase_node, view_grad_fn
from wengert_engine.record.write_rules cimport check_captured, check_origin, check_write

cdef DTypeFacts* FACTS = dtype_facts()
cdef Hooks* HOOKS = hooks()
cdef Op CLONE = None


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


cdef int record_inplace(Op op, PyObject** slots, PyObject* keep) except -1:
    """Note [What a write does to history]. The version has been raised already."""
    cdef Formula f = formula_of(op)
    cdef uint32_t aged
    cdef bint recorded = False
    if f.silent or thread_state().modes & (WG_GRAD | WG_INFER) != WG_GRAD:
        return 0
    if FACTS.category[(<Tensor> slots[0]).code] < CAT_FLOAT and not needs_grad(slots[0]):
        return 0                       # integers have no derivatives: what was copied into them had
    aged = keep_up(op, slots)
    try:
        if needs_grad(slots[0]) or any_other_needs(op, slots):
            continue_history(f, slots, keep)
            recorded = True
    finally:
        if aged:
            fall_behind(op, slots, aged, recorded)
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


cdef void fall_behind(Op op, PyObject** slots, uint32_t aged, bint recorded) noexcept:
    """Undo keep_up for all but the tensor that was written to; for that, too, where the write gave it no history: it
    gets one from its base if that comes to require grad.
    """
    cdef int i
    for i in range(op.n_params):
        if aged >> i & 1 and not (recorded and slots[i] == slots[0]):
            (<Tensor> slots[i]).attr_version -= 1


cdef int rebase(Formula f, PyObject** slots, Tensor view, PyObject* keep) except -1:
    """The write to a view, recorded on its base."""
    cdef int next_dim = 0
    cdef Node inner = build_for_view(f, slots, view, keep)
    set_meta(inner, 0, view, &next_dim)
    rebase_node(inner, view, own_edge(f))
    if thread_state().saved_hooks != NULL:
        pack_all(inner, thread_state().saved_hooks, slots)
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


cdef int own_edge(Formula f) noexcept:
    """Return the edge of an op's node that is of the tensor it writes to; -1: none."""
    cdef int i
    for i in range(f.n_inputs):
        if f.inputs[i].slot == 0 and not f.has_list:
            return i
    return -1


# ---- what records

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
set_base(NULL, NULL)
