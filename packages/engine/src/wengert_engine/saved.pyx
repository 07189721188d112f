"""Saved values: read with the checks that make a wrong gradient impossible."""
from cpython.ref cimport PyObject

from wengert_core.dtypes cimport dtype_of
from wengert_core.op cimport EngineHooks, engine_hooks
from wengert_core.state cimport WG_GRAD
from wengert_core.tensor cimport TF_VIEW, Tensor, alias, shape_tuple, version_of
from wengert_engine import errors
from wengert_engine.formula cimport SAVE_VALUE, Formula
from wengert_engine.node cimport (NF_RELEASED, NODE_ACCUMULATE, NODE_FORMULA, SAVED_OUTPUT, SAVED_SEQUENCE, SAVED_TENSOR, Edge,
                                  Saved, edges_of, saved_of, set_output)

cdef EngineHooks* HOOKS = engine_hooks()


cdef object saved_value(Node node, int index, bint create_graph):
    """A saved value, checked: it was not freed, and nobody has written to it since. create_graph: with its history."""
    cdef Saved* saved = saved_of(node) + index
    cdef Tensor t, out
    if saved.value == NULL:
        if node.flags & NF_RELEASED:
            raise errors.freed_graph(type(node).__name__)
        return None
    if saved.kind == SAVED_SEQUENCE and versions_in(<tuple> saved.value) != saved.version:
        raise modified_among(node, index, <tuple> saved.value, saved)
    if saved.kind != SAVED_TENSOR and saved.kind != SAVED_OUTPUT:
        return <object> saved.value
    t = <Tensor> saved.value
    if version_of(t) != saved.version:
        raise modified(node, index, t, saved, version_of(t))
    if not create_graph:
        return t
    if saved.kind == SAVED_OUTPUT:
        out = alias(t)
        set_output(node, saved.output, out)
        return out
    if node.kind == NODE_FORMULA and not saved.own_history:
        return as_recorded(node, <Formula> node.formula, index, t)
    return t


def read_saved(node, index):
    """What ``node._saved_NAME`` gives: a saved value, with its checks and its history."""
    return saved_value(node, index, True)


cdef Tensor as_recorded(Node node, Formula f, int index, Tensor t):
    """A saved argument with the history it had when it was saved: it may have been detached or come to require grad."""
    cdef Edge* edge = edges_of(node)
    cdef Tensor again
    cdef int i
    if f.saved[index].what != SAVE_VALUE or f.has_list:
        return t
    for i in range(f.n_inputs):
        if f.inputs[i].slot != f.saved[index].slot:
            continue
        if edge[i].node == NULL:
            return alias(t) if t.flags & WG_GRAD else t
        if (<Node> edge[i].node).kind == NODE_ACCUMULATE \
                or (t.grad_fn == edge[i].node and t.output_nr == edge[i].input_nr):
            return t
        again = alias(t)
        set_output(<Node> edge[i].node, edge[i].input_nr, again)
        return again
    return t


cdef str name_of(Node node, int index):
    """What a saved value is called in the formula that asked for it."""
    return (<Formula> node.formula).saved_names[index] if node.formula != NULL else "a saved tensor"


cdef unsigned int versions_in(tuple values):
    cdef unsigned int total = 0
    for value in values:
        if isinstance(value, Tensor):
            total += version_of(<Tensor> value)
    return total


cdef object modified_among(Node node, int index, tuple values, Saved* saved):
    """The error for a sequence of which some tensor was written to since; versions are the sums of theirs."""
    tensors = [value for value in values if isinstance(value, Tensor)]
    return modified(node, index, <Tensor> tensors[0], saved, versions_in(values))


cdef object modified(Node node, int index, Tensor t, Saved* saved, unsigned int now):
    """The error for a saved tensor that was written to since. It names the tensor's node as it is now."""
    cdef PyObject* fn = <PyObject*> node
    cdef int output = saved.output
    if saved.kind != SAVED_OUTPUT:
        fn = HOOKS.view_grad_fn(t) if t.flags & TF_VIEW else t.grad_fn
        output = t.output_nr
    made_by = type(<object> fn).__name__ if fn != NULL else None
    return errors.saved_modified((dtype_of(t.code).name, list(shape_tuple(t))), made_by, output,
                                 (saved.version, now), (type(node).__name__, name_of(node, index)))
