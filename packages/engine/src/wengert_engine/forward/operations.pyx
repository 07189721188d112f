"""Tangents of operations: what stands in front of recording, once this module has been imported."""
from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject
from libc.string cimport memset

from wengert_core.binding.torch_function cimport is_disabled, restore
from wengert_core.dispatch.hooks cimport hooks
from wengert_core.dispatch.op cimport OP_VIEW, Op, find_op
from wengert_core.dtypes.dtypes cimport CAT_FLOAT, DTypeFacts, dtype_facts, dtype_of
from wengert_core.runtime.state cimport (WG_BATCHED, WG_DUAL, WG_GRAD, WG_INFER, WG_OBSERVE, WG_TELL, WgState,
                                         dual_is_open, thread_state)
from wengert_core.tensors.tensor cimport TF_VIEW, Tensor, is_strided, same_shape, shape_tuple, version_of
from wengert_engine.forward.jvp_fast cimport can_push, push
from wengert_engine.forward.tangents cimport (any_dual, cut_views, give_tangent, has_tangent, is_dual, own_tangent,
                                              same_geometry, set_tangent, tangent_base, tangent_of, tangents_in,
                                              with_geometry_of)
from wengert_engine.graph.formula cimport Formula, formula_of
from wengert_engine.graph.node cimport NODE_COPY_SLICES, NODE_FORMULA, SAVED_OUTPUT, Node, SavedSlot, saved_slots
from wengert_engine.messages import errors
from wengert_engine.modes.strong_zeros cimport begin_derivative, end_derivative
from wengert_engine.record.record cimport RecordHooks, base_hooks, stand_in_front
from wengert_engine.record.saved_hooks_stack cimport pack_later, wait_with_packing

cdef DTypeFacts* FACTS = dtype_facts()
cdef RecordHooks* BASE = base_hooks()
cdef RecordHooks OWN
cdef Op COPY_ = find_op("copy_")
cdef Op ZERO_ = find_op("zero_")
cdef Op NEW_ZEROS = find_op("new_zeros")


# ---- out of place

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
    cdef PyObject* before
    cdef list waiting
    if not dual_is_open() or not state.modes & WG_DUAL or state.modes & WG_INFER or not any_dual(op, slots):
        return record_without_tangents(op, slots, outs, n_outs)
    if state.saved_hooks == NULL:
        return record_with_tangents(op, slots, outs, n_outs)
    waiting = []                       # hooks get the outputs that are saved with their tangents
    before = wait_with_packing(<PyObject*> waiting)
    try:
        record_with_tangents(op, slots, outs, n_outs)
    finally:
        wait_with_packing(before)
    return pack_later(waiting, before)


cdef int record_without_tangents(Op op, PyObject** slots, PyObject** outs, int n_outs) except -1:
    BASE.record(op, slots, outs, n_outs)
    if op.flags & OP_VIEW:
        cut_views(op, slots, outs, n_outs)
    return 0


cdef int record_with_tangents(Op op, PyObject** slots, PyObject** outs, int n_outs) except -1:
    cdef WgState* state = thread_state()
    cdef unsigned int modes, observed, unasked
    cdef int i
    record_without_tangents(op, slots, outs, n_outs)
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
                give_tangent(<Tensor> out, <Tensor> tangent)
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
    """Keep the value before the write when tangents will be computed: formulas see the arguments as they were.

    The copy is recorded, so that the tangent has a gradient by what the value was computed from.
    """
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    BASE.before_inplace(op, slots, keep)
    if keep[0] == NULL and dual_is_open() and state.modes & WG_DUAL and any_dual(op, slots):
        state.modes = modes & ~(<unsigned int> WG_DUAL)
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
    cdef PyObject* before
    cdef list waiting
    if not dual_is_open() or not state.modes & WG_DUAL or not any_dual(op, slots):
        return BASE.record_inplace(op, slots, keep)
    if state.saved_hooks == NULL:
        return write_with_tangents(op, slots, keep)
    waiting = []
    before = wait_with_packing(<PyObject*> waiting)
    try:
        write_with_tangents(op, slots, keep)
    finally:
        wait_with_packing(before)
    return pack_later(waiting, before)


cdef int write_with_tangents(Op op, PyObject** slots, PyObject* keep) except -1:
    cdef WgState* state = thread_state()
    cdef unsigned int modes, observed, unasked
    cdef Tensor t = <Tensor> slots[0]
    BASE.record_inplace(op, slots, keep)
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
        return give_tangent(t, (<object> new).clone())     # not what another tensor has
    COPY_(old, new)
    return 0


OWN.record, OWN.before_inplace, OWN.record_inplace = record_forward, before_forward, inplace_forward
stand_in_front(&OWN)
hooks().has_tangent = has_tangent
