"""Function: an operation of the user's own, with its derivative."""
from cpython.ref cimport Py_INCREF, PyObject
from libc.stdint cimport int64_t, uint32_t

from wengert_core.dispatch.hooks cimport EVENT_CUSTOM, Hooks, hooks
from wengert_core.dtypes.dtypes cimport CAT_FLOAT, FLOAT32, DTypeFacts, dtype_facts
from wengert_core.runtime.state cimport (WG_BATCHED, WG_DERIVING, WG_DUAL, WG_GRAD, WG_LEFT_ON, WG_OBSERVE, WgState,
                                         dual_is_open, thread_state)
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.requires_grad cimport requires_grad
from wengert_core.tensors.tensor cimport (TF_INFERENCE, TF_META_MASK, TF_META_SHIFT, TF_VIEW, VIEW_CUSTOM, VIEW_MULTI,
                                          VIEW_NO_GRAD, Tensor, alias, bump_version, new_empty, new_view, strides_of,
                                          version_of)
from wengert_engine.graph.leaves cimport gradient_edge
from wengert_engine.graph.node cimport (NO_TENSOR, NODE_CUSTOM, SAVED_OUTPUT, SAVED_TENSOR, Edge, FunctionNode,
                                        SavedSlot, edges_of, fill_payload, hold, metas_of, number, saved_slots,
                                        set_meta, set_output)
from wengert_engine.graph.tensor_attributes cimport announce
from wengert_engine.graph.validate_grad cimport zeros_of
from wengert_engine.messages import errors
from wengert_engine.modes.strong_zeros cimport begin_derivative, end_derivative
from wengert_engine.modes.transforms cimport running_transforms
from wengert_engine.record.building cimport needs_grad
from wengert_engine.record.saved_hooks_stack cimport pack_all
from wengert_engine.record.view_history cimport move_retained, rebase_node
from wengert_engine.record.write_rules cimport check_origin, check_write

cdef extern from "Python.h":
    PyObject** PySequence_Fast_ITEMS(object o) noexcept       # of a list or a tuple

cdef DTypeFacts* FACTS = dtype_facts()
cdef Hooks* HOOKS = hooks()
cdef object TANGENTS_OF = None         # forward mode's functions, once it is in use. See forward/function_tangents.pyx
cdef object GIVE_TANGENTS = None
cdef Tensor EMPTY = new_empty(FLOAT32, 0, NULL)    # stands for outputs which are no tensors


cdef int set_forward_hook(object tangents_of, object give) except -1:
    global TANGENTS_OF, GIVE_TANGENTS
    TANGENTS_OF, GIVE_TANGENTS = tangents_of, give
    return 0


cdef FunctionNode blank_context(object cls, tuple args):
    """A context that knows its inputs."""
    node_class = cls._backward_cls
    cdef FunctionNode ctx = <FunctionNode> FunctionNode.__new__(node_class)
    ctx.kind = NODE_CUSTOM
    ctx.materialize = MATERIALIZE | MATERIALIZE_NON_DIFF
    ctx.in_forward = 1
    hold(&ctx.function, cls)
    cdef list tensors = [], needs = []
    cdef bint recording = thread_state().modes & WG_GRAD != 0
    for a in args:
        tensors.append(isinstance(a, Tensor))
        if recording:
            needs_grad(<PyObject*> a)          # a view gets its history, which a write to its base may have changed
        needs.append(isinstance(a, Tensor) and requires_grad(<Tensor> a))
    hold(&ctx.edge_of_arg, tuple(tensors))
    hold(&ctx.needs_input, tuple(needs))
    return ctx


cdef bint has_batched(tuple args) noexcept:
    for arg in args:
        if isinstance(arg, Tensor) and (<Tensor> arg).flags & WG_BATCHED:
            return True
    return False


def apply_function(cls, tuple args):
    """Run a Function's forward and record it."""
    cdef int64_t event
    if not thread_state().modes & WG_OBSERVE or HOOKS.begin_event == NULL:
        return apply_to_inputs(cls, args)
    event = HOOKS.begin_event(EVENT_CUSTOM, <PyObject*> cls, PySequence_Fast_ITEMS(args), len(args))
    try:
        return apply_to_inputs(cls, args)
    finally:
        HOOKS.end_event(event)


cdef tuple record_function(cls, str name, value, tuple inputs, tuple saved, tuple outputs):
    """Return outputs of a node of the Function cls, whose forward is done, as ``apply`` gives them.

    Its ``ctx`` has an attribute, and has saved tensors; backward gets None where there is no gradient. inputs: tensors,
    which get gradients.   outputs: new tensors of floating point. The thread runs no transform, and records.
    """
    cdef FunctionNode ctx = blank_context(cls, inputs)
    ctx.materialize = 0
    setattr(ctx, name, value)
    hold(&ctx.to_save, saved)
    return finish(cls, ctx, inputs, outputs, True in <tuple> ctx.needs_input)


cdef inline object apply_to_inputs(cls, tuple args):
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    cdef FunctionNode ctx
    cdef bint recorded = False
    if modes & WG_BATCHED and has_batched(args):
        from wengert_engine.vmap.batched_function import apply_batched
        return apply_batched(cls, args)
    ctx = blank_context(cls, args)
    if modes & WG_GRAD:
        recorded = True in <tuple> ctx.needs_input
    tangents = TANGENTS_OF(args) if dual_is_open() and modes & WG_DUAL and TANGENTS_OF is not None else None
    state.modes = modes & ~(<unsigned int> (WG_GRAD | WG_DUAL | WG_DERIVING))
    try:
        if cls._splits_context:
            outputs = cls.forward(*args)
            cls.setup_context(ctx, args, outputs)
        elif running_transforms() > 0 and not cls._inside_transforms:
            raise errors.no_setup_context(cls)
        else:
            outputs = cls.forward(ctx, *args)
    finally:
        state.modes = modes & ~(<unsigned int> WG_LEFT_ON) | state.modes & WG_LEFT_ON
    if tangents is None:
        return finish(cls, ctx, args, outputs, recorded)
    return with_tangents(cls, ctx, args, outputs, recorded, tangents)


cdef object with_tangents(cls, FunctionNode ctx, tuple args, outputs, bint recorded, tuple tangents):
    """finish, and the outputs' tangents by the Function's jvp, in which ctx.saved_tensors is what was saved for it."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes
    for_jvp = <object> ctx.for_forward if ctx.for_forward != NULL else ()
    state.modes &= ~(<unsigned int> WG_DUAL)
    try:
        results = finish(cls, ctx, args, outputs, recorded)
        hold(&ctx.to_save, for_jvp)
        ctx.in_forward = 1
        modes = begin_derivative(state)
        try:
            GIVE_TANGENTS(ctx, cls, args, results, tangents, outputs)
        finally:
            end_derivative(state, modes)
            ctx.in_forward = 0
            hold(&ctx.to_save, ())
    finally:
        state.modes |= WG_DUAL
    return results


cdef object finish(cls, FunctionNode ctx, tuple args, outputs, bint recorded):
    """Give the outputs their history."""
    cdef bint single = not isinstance(outputs, tuple)
    cdef int i, n_edges = 0, n_sizes = 0, n_saved, next_dim = 0
    cdef list results
    cdef Tensor t
    cdef Edge* edge
    outs = (outputs,) if single else <tuple> outputs
    to_save = <tuple> ctx.to_save if ctx.to_save != NULL else ()
    check_saved(to_save)
    dirty = ids(ctx.dirty)
    non_differentiable = ids(ctx.non_differentiable)
    results = []
    for out in outs:
        if isinstance(out, Tensor):
            out = prepare_output(cls, args, out, dirty, non_differentiable, recorded, len(outs))
        results.append(out)
    if dirty is not None:
        check_dirty(ctx, outs)
    if recorded and len(outs) > 1:
        mark_several_views(results, non_differentiable)
    if recorded:
        for arg in args:
            n_edges += isinstance(arg, Tensor)
        for out in results:
            n_sizes += (<Tensor> out).rank if isinstance(out, Tensor) else 0
        n_saved = len(to_save)
        fill_payload(ctx, n_edges, n_saved, len(results), n_sizes)
        edge = edges_of(ctx)
        for arg in args:
            if isinstance(arg, Tensor):
                if (<Tensor> arg).flags & WG_GRAD:
                    edge.node = gradient_edge(<Tensor> arg, &edge.input_nr)
                edge += 1
        number(ctx)
        for i in range(len(results)):
            if isinstance(results[i], Tensor):
                t = <Tensor> results[i]
                set_meta(ctx, i, t, &next_dim)
                link(ctx, i, t, <PyObject*> outs[i], args, dirty, non_differentiable)
            else:
                set_meta(ctx, i, EMPTY, &next_dim)
                metas_of(ctx)[i].code = NO_TENSOR
        keep_saved(ctx, to_save, outs, results)
    ctx.in_forward = 0
    if ctx.to_save != NULL:
        hold(&ctx.to_save, ())
    return results[0] if single else tuple(results)


cdef set ids(PyObject* tensors):
    """Identities of marked tensors; None when nothing was marked."""
    return None if tensors == NULL else {<Py_ssize_t> <PyObject*> t for t in <object> tensors}


cdef int check_saved(tuple tensors) except -1:
    for i, t in enumerate(tensors):
        if t is not None and not isinstance(t, Tensor):
            raise TypeError(f"save_for_backward can only save variables, but argument {i} is of type "
                            f"{type(t).__name__}")
    return 0


cdef int check_dirty(FunctionNode ctx, tuple outs) except -1:
    for i, t in enumerate(<object> ctx.dirty):
        if not isinstance(t, Tensor):
            raise RuntimeError(f"mark_dirty can only accept variables, but argument {i} is of type {type(t).__name__}")
        if not any([o is t for o in outs]):
            raise RuntimeError("Some elements marked as dirty during the forward method were not returned as output. "
                               "The inputs that are modified inplace must all be outputs of the Function. (see "
                               "docs/errors/custom-function)")
    return 0


cdef object prepare_output(cls, tuple args, object out, set dirty, set non_differentiable, bint recorded,
                           int n_outs):
    """An output before it gets its history: an input that is returned unchanged becomes an alias of its own."""
    cdef Tensor t = <Tensor> out
    cdef Py_ssize_t key = <Py_ssize_t> <PyObject*> t
    cdef bint is_input = False, constant = non_differentiable is not None and key in non_differentiable
    for a in args:
        is_input = is_input or a is out
    if dirty is not None and key in dirty:
        bump_version(t)
        if recorded and constant and is_input:
            if t.flags & TF_VIEW:
                check_origin(t, cls.__name__)
        elif recorded and t.flags & WG_GRAD and t.grad_fn == NULL and not t.flags & TF_VIEW:
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation: "
                               f"{cls.__name__} marked it as dirty. Clone it before apply()")
        elif recorded:
            check_write(t, cls.__name__, True)
            if n_outs > 1 and t.flags & TF_VIEW and t.base != NULL:
                raise errors.dirty_view_of_several(cls.__name__)
            if not is_input:
                warn_user("ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been "
                          "mutated should be passed to ctx.mark_dirty().")
        if is_input and requires_grad(t) and (constant or not recorded):
            return announce(t, alias(t))           # the input keeps its history
        return t
    if is_input:
        if recorded and not constant:
            t = announce(t, new_view(t, t.rank, t.dims, strides_of(t), t.data))
            t.flags = (t.flags & ~(<uint32_t> TF_META_MASK)) | (VIEW_CUSTOM << TF_META_SHIFT)
            return t
        if recorded or t.flags & WG_GRAD:
            return announce(t, alias(t))
        t = announce(t, new_view(t, t.rank, t.dims, strides_of(t), t.data))
        t.flags = (t.flags & ~(<uint32_t> TF_META_MASK)) | (VIEW_NO_GRAD << TF_META_SHIFT)
        return t
    if recorded and t.flags & TF_VIEW and t.base != NULL:
        t.flags = (t.flags & ~(<uint32_t> TF_META_MASK)) | (VIEW_CUSTOM << TF_META_SHIFT)
    return t


cdef int mark_several_views(list results, set non_differentiable) except -1:
    """Views among several differentiable outputs are like those of unbind: writing to them is refused."""
    cdef int n = 0
    cdef Tensor t
    views = []
    for out in results:
        if isinstance(out, Tensor) and FACTS.category[(<Tensor> out).code] >= CAT_FLOAT \
                and (non_differentiable is None or <Py_ssize_t> <PyObject*> out not in non_differentiable):
            n += 1
            if (<Tensor> out).flags & TF_VIEW and (<Tensor> out).base != NULL:
                views.append(out)
    if n > 1:
        for t in views:
            t.flags = (t.flags & ~(<uint32_t> TF_META_MASK)) | (VIEW_MULTI << TF_META_SHIFT)
    return 0


cdef int link(
    FunctionNode ctx, int output, Tensor t, PyObject* original, tuple args, set dirty, set non_differentiable
) except -1:
    cdef Py_ssize_t key = <Py_ssize_t> original
    if (non_differentiable is not None and key in non_differentiable) or FACTS.category[t.code] < CAT_FLOAT:
        if output < 32:
            ctx.needs |= <uint32_t> 1 << output        # for backward: no gradient comes from here
        return 0
    if dirty is not None and key in dirty and t.flags & TF_VIEW and t.base != NULL:
        rebase_node(ctx, t, edge_number(args, t))
        return 0
    if dirty is not None and key in dirty:
        move_retained(ctx, t)
    set_output(ctx, output, t)
    if t.flags & TF_VIEW:
        t.attr_version = version_of(t)    # what forward has written to it is part of what backward is the derivative of
    return 0


cdef int edge_number(tuple args, Tensor t) except? -2:
    """Which edge is that of an argument; -1: it is none."""
    cdef int n = 0
    for arg in args:
        if arg is t:
            return n
        n += isinstance(arg, Tensor)
    return -1


cdef int keep_saved(FunctionNode ctx, tuple to_save, tuple outs, list results) except -1:
    """Move what save_for_backward was given into the node; outputs as aliases without history."""
    cdef SavedSlot* saved = saved_slots(ctx)
    cdef int i, k
    cdef Tensor t
    for i in range(len(to_save)):
        if to_save[i] is None:
            continue
        t = <Tensor> to_save[i]
        if t.flags & TF_INFERENCE:
            raise errors.inference_saved()
        saved[i].version = version_of(t)
        saved[i].kind = SAVED_TENSOR
        for k in range(len(outs)):
            if outs[k] is t and (<Tensor> results[k]).grad_fn == <PyObject*> ctx:
                if k > 0xFFFF:
                    raise RuntimeError(f"{type(ctx).__name__} saves its output {k}: only the first 65536 can be saved")
                t = alias(t)
                saved[i].kind = SAVED_OUTPUT
                saved[i].output = k
                break
        Py_INCREF(t)
        saved[i].value = <PyObject*> t
    if thread_state().saved_hooks != NULL:
        pack_all(ctx, thread_state().saved_hooks, PySequence_Fast_ITEMS(results))
    return 0


# ---- backward

cdef list run_function(FunctionNode node, list parts):
    """Return the gradients of a custom Function's inputs, one for each edge. ctx notices what was freed when asked."""
    cls = <object> node.function
    cdef Py_ssize_t i
    cdef list given = parts            # the node's hooks are shown these, without zeros
    if node.materialize & MATERIALIZE:
        for i in range(len(parts)):
            if parts[i] is None and metas_of(node)[i].code != NO_TENSOR and gets_zeros(node, i):
                if given is parts:
                    given = list(parts)
                given[i] = zeros_of(node, i)
    if cls.boxed_grads_call:           # one list, which backward may empty to let gradients go early
        grads = cls._run_backward(node, list(given) if given is parts else given)
    else:
        grads = cls._run_backward(node, *given)
    return edge_gradients(node, tuple(grads) if isinstance(grads, tuple) else (grads,))  # of a named tuple a plain one


cdef inline bint gets_zeros(FunctionNode node, Py_ssize_t output) noexcept:
    """Return whether backward gets zeros for an output without a gradient: a non-differentiable one only if asked."""
    return node.materialize & MATERIALIZE_NON_DIFF != 0 or output >= 32 or not node.needs >> output & 1


cdef list edge_gradients(FunctionNode node, tuple grads):
    """Check how many gradients backward returned; keep those of tensor arguments."""
    cdef tuple needs = <tuple> node.needs_input
    cdef tuple is_tensor = <tuple> node.edge_of_arg if node.edge_of_arg != NULL else None
    cdef Py_ssize_t n = len(needs)
    name = type(node).__name__
    if len(grads) > n and all([g is None for g in grads[n:]]):
        grads = grads[:n]
    if len(grads) != n:
        raise RuntimeError(f"function {name} returned an incorrect number of gradients (expected {n}, got "
                           f"{len(grads)}): backward returns one for each argument of forward, None for those without "
                           "(see docs/errors/custom-function)")
    result = []
    for i in range(n):
        if is_tensor[i]:
            result.append(grads[i])
        elif grads[i] is not None:
            raise RuntimeError(f"function {name} returned a gradient different than None at position {i + 1}, but the "
                               "corresponding forward input was not a Variable (see docs/errors/custom-function)")
    return result
