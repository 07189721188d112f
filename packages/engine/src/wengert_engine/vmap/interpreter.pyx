"""Operations on batched tensors: what happens to them inside of ``wengert.vmap``. Note [Batched tensors]."""
cimport cython
from cpython.object cimport PyTypeObject
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.binding.torch_function cimport is_disabled, restore
from wengert_core.dispatch.dispatcher cimport dispatch, run_by_backend
from wengert_core.dispatch.hooks cimport hooks
from wengert_core.dispatch.op cimport (K_BOOL, K_FLOAT, K_INT, K_NUMBER, K_OBJECT, K_TENSOR, K_TENSORS,
                                       K_TENSOR_OR_NUMBER, OP_INPLACE, Op, find_op)
from wengert_core.drivers.steps cimport combine_codes
from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts, dtype_of
from wengert_core.dtypes.scalars cimport number_code
from wengert_core.runtime.pyobject cimport not_made_by_hand
from wengert_core.runtime.state cimport WG_BATCHED, WG_DUAL, WG_GUARD, dual_is_open, thread_state
from wengert_core.tensors.tensor cimport Tensor, shape_tuple, swap_contents
from wengert_core.tensors.vmap_hooks import out_error
from wengert_engine.graph.formula_lookup import find_rule
from wengert_engine.messages import vmap_errors as errors
from wengert_engine.record.write_rules cimport check_captured
from wengert_engine.vmap.batched_tensor cimport Batch, batch_of, level_at, level_in, physical_at, wrap
from wengert_engine.vmap.batched_tensor import batched_grad
from wengert_engine.vmap.level_stack cimport Levels, go_to, levels
from wengert_registry import registry

cdef DTypeFacts* FACTS = dtype_facts()
cdef Op VIEW = find_op("view")
cdef dict RULES = {}                   # by op


# ---- levels of arguments

cdef int highest(Op op, PyObject** slots, Levels here) except -1:
    """The innermost level among an operation's arguments; 0 where none is batched."""
    cdef int i, level, found = 0
    for i in range(op.n_params):
        if slots[i] == NULL:
            continue
        if isinstance(<object> slots[i], Tensor):
            level = level_at(<Tensor> slots[i], here, op)
            found = level if level > found else found
        elif op.kinds[i] & 63 in (K_TENSORS, K_OBJECT) and isinstance(<object> slots[i], (tuple, list)):
            for item in <object> slots[i]:
                if isinstance(item, Tensor):
                    level = level_at(<Tensor> item, here, op)
                    found = level if level > found else found
    return found


# ---- operations

@cython.binding(False)
cdef class Rule:
    """What is done with a batch for one op."""
    cdef bint broadcasts               # the op itself, on tensors with the batch in front
    cdef bint is_random
    cdef object function               # (op, size, values, batched, randomness) -> outputs


cdef Rule rule_of(Op op):
    cdef Rule rule
    found = RULES.get(op)
    if found is not None:
        return <Rule> found
    rule = Rule.__new__(Rule)
    given = find_rule(op)
    rule.broadcasts = given == "broadcast"
    rule.is_random = "generator" in op.params
    if given is None:
        from wengert_engine.vmap.fallback import loop_over_batch
        given = loop_over_batch
    rule.function = given
    RULES[op] = rule
    return rule


registry.on_change(RULES.clear)


cdef object run_batched(Op op, PyObject** slots, uint32_t live):
    """An operation on batched tensors; a factory or a random operation inside of vmap."""
    cdef Levels here = levels()
    cdef int level = highest(op, slots, here), current = here.current, below, i
    cdef unsigned int unasked
    cdef Rule rule
    cdef PyObject* own[16]
    if level == 0 and not (current and live & WG_BATCHED):
        return run_by_backend(op, slots, live)
    rule = rule_of(op)
    if rule.is_random:
        level = current
    elif level == 0:
        go_to(here, 0)
        try:
            return dispatch(op, slots)
        finally:
            go_to(here, current)
    check_call(op, slots, level, rule)
    if dual_is_open() and thread_state().modes & WG_DUAL:
        values = [None if slots[i] == NULL else <object> slots[i] for i in range(op.n_params)]
        arguments = batched_grad().with_tangents(values, level)
        for i in range(op.n_params):
            own[i] = <PyObject*> arguments[i] if slots[i] != NULL else NULL
        slots = own
    below = here.before[level - 1]
    unasked = is_disabled()
    go_to(here, below if below < current else current)
    try:
        if rule.broadcasts:
            out = broadcast(op, slots, level)
        else:
            out = call_rule(op, slots, level, rule, here)
    finally:
        go_to(here, current)
        restore(unasked)
    if op.flags & OP_INPLACE:
        if op.family == "geometry":
            show_physical(<Tensor> slots[0])
        return <object> slots[0]
    return wrap_outputs(out, level, here)


cdef int check_call(Op op, PyObject** slots, int level, Rule rule) except -1:
    """What cannot be batched: numbers, a write to a tensor that is not, out=."""
    cdef int i
    for i in range(op.n_params):
        if op.kinds[i] & 63 in (K_NUMBER, K_INT, K_FLOAT, K_BOOL) and slots[i] != NULL \
                and isinstance(<object> slots[i], Tensor):
            (<object> slots[i]).item()
    if op.out_slot >= 0 and slots[op.out_slot] != NULL and slots[op.out_slot] != <PyObject*> None:
        raise out_error(op)
    if op.flags & OP_INPLACE and not rule.is_random \
            and (not isinstance(<object> slots[0], Tensor) or level_in(<Tensor> slots[0]) < level):
        if thread_state().modes & WG_GUARD and isinstance(<object> slots[0], Tensor):
            check_captured(op, slots)
        raise errors.unbatched_write(op.name, list(shape_tuple(<Tensor> slots[0])), levels().sizes[level - 1],
                                     rule.broadcasts)
    return 0


cdef int show_physical(Tensor t) except -1:
    """Let a batched tensor show the geometry that its physical tensor has now."""
    cdef Batch batch = batch_of(t)
    if batch is not None:
        swap_contents(t, wrap(batch.physical, batch.level, batch.serial))
        if batch.in_dim > t.rank:      # where the batch was given: there are fewer dims now
            batch.in_dim = t.rank
    return 0


cdef object call_rule(Op op, PyObject** slots, int level, Rule rule, Levels here):
    """What a rule gives for a call."""
    cdef dict values = {}, flags = {}
    cdef int i
    for i in range(op.n_params):
        name = op.params[i]
        value = None if slots[i] == NULL else <object> slots[i]
        flags[name] = False
        if isinstance(value, Tensor):
            flags[name] = level_in(<Tensor> value) == level
            value = physical_at(<Tensor> value, level)
        elif isinstance(value, (tuple, list)) and op.kinds[i] & 63 in (K_TENSORS, K_OBJECT):
            inside = [isinstance(item, Tensor) and level_in(<Tensor> item) == level for item in value]
            if True in inside or op.kinds[i] & 63 == K_TENSORS:
                flags[name] = inside
                value = [physical_at(<Tensor> item, level) if isinstance(item, Tensor) else item for item in value]
        values[name] = value
    return rule.function(op, here.sizes[level - 1], values, flags, here.modes[level - 1])


cdef object wrap_outputs(object out, int level, Levels here):
    """A rule's outputs as batched tensors. A tuple of one kind ``Plain`` holds what is not batched."""
    cdef long serial = here.serials[level - 1]
    if isinstance(out, Tensor):
        return wrap(<Tensor> out, level, serial)
    if isinstance(out, (tuple, list)):
        parts = [wrap(<Tensor> part, level, serial) if isinstance(part, Tensor) else part for part in out]
        return type(out)._make(parts) if hasattr(out, "_make") else type(out)(parts)
    return out.value if hasattr(out, "value") else out


# ---- pointwise operations

cdef object broadcast(Op op, PyObject** slots, int level):
    """A pointwise operation: on the physical tensors, with dims of size 1 behind the batch where ranks differ."""
    cdef PyObject* own[16]
    cdef Tensor t, physical
    cdef list keep = []
    cdef int i, rank = 0
    cdef bint has_scalar = False
    for i in range(op.n_params):
        own[i] = slots[i]
        if slots[i] != NULL and isinstance(<object> slots[i], Tensor) and (<Tensor> slots[i]).rank > rank:
            rank = (<Tensor> slots[i]).rank
    for i in range(op.n_params):
        if own[i] == NULL or not isinstance(<object> own[i], Tensor) or level_in(<Tensor> own[i]) != level:
            continue
        t = <Tensor> own[i]
        physical = (<Batch> t.extra.tangent).physical
        if t.rank == 0:
            has_scalar = True
        if t.rank < rank and i == 0 and op.flags & OP_INPLACE:
            raise errors.batch_too_large(op.name, list(shape_tuple(t)), rank)
        if t.rank < rank:
            physical = <Tensor> VIEW(physical, (physical.dims[0], *(1,) * (rank - t.rank), *shape_tuple(physical)[1:]))
        keep.append(physical)
        own[i] = <PyObject*> physical
    if has_scalar:
        keep_dtype(op, slots, own, level, keep)
    return dispatch(op, own)


cdef int keep_dtype(Op op, PyObject** slots, PyObject** own, int level, list keep) except -1:
    """A batch of scalars is no scalar for promotion: convert it where that would change the dtype of the result."""
    cdef int wanted = common(op, slots), i
    if wanted < 0 or common(op, own) == wanted:
        return 0
    for i in range(op.flags & OP_INPLACE, op.n_params):
        if takes_part(op, i, own[i]) and isinstance(<object> slots[i], Tensor) \
                and level_in(<Tensor> slots[i]) == level and (<Tensor> slots[i]).rank == 0:
            converted = (<object> own[i]).to(dtype_of(wanted))
            keep.append(converted)
            own[i] = <PyObject*> converted
    return 0


cdef inline bint takes_part(Op op, int i, PyObject* value) noexcept:
    """Whether an argument decides the dtype of the result."""
    return value != NULL and value != <PyObject*> None and i != op.out_slot \
        and (op.kinds[i] & 63 == K_TENSOR or op.kinds[i] & 63 == K_TENSOR_OR_NUMBER) and op.params[i] != "condition"


cdef int common(Op op, PyObject** slots) except -2:
    """The dtype of a pointwise operation by torch's promotion; -1: none."""
    cdef int by_rank[3]
    cdef int i, k, code
    by_rank[0] = by_rank[1] = by_rank[2] = -1
    for i in range(op.n_params):
        if not takes_part(op, i, slots[i]):
            continue
        if isinstance(<object> slots[i], Tensor):
            k, code = 0 if (<Tensor> slots[i]).rank else 1, (<Tensor> slots[i]).code
        else:
            k, code = 2, number_code(slots[i])
        if code >= 0:
            by_rank[k] = code if by_rank[k] < 0 else FACTS.promote[by_rank[k]][code]
    return combine_codes(by_rank[0], by_rank[1], by_rank[2])


hooks().run_batched = run_batched


not_made_by_hand(<PyTypeObject*> Rule)
