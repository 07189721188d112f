"""Saved values: read with the checks that make a wrong gradient impossible."""
from cpython.ref cimport PyObject

from wengert_core.dispatch.op cimport find_op
from wengert_core.dtypes.dtypes cimport CAT_FLOAT, DTypeFacts, dtype_facts
from wengert_core.runtime.state cimport WG_GRAD
from wengert_core.tensors.tensor cimport Tensor, version_of
from wengert_engine.graph.formula cimport SAVE_VALUE, Formula
from wengert_engine.graph.node cimport (NF_RELEASED, NODE_ACCUMULATE, NODE_FORMULA, SAVED_OUTPUT, SAVED_PACKED,
                                        SAVED_PLAIN, SAVED_TENSOR, TF_CUT, Edge, SavedSlot, edges_of, saved_slots,
                                        set_output)
from wengert_engine.graph.view_region cimport part_of
from wengert_engine.messages import errors
from wengert_engine.record.saved_hooks_stack cimport Several, alias_with_tangent, own_output, unpack

from wengert_core.devices.device import DEVICES as _DEVICES

cdef extern from "pythread.h":
    unsigned long PyThread_get_thread_ident() noexcept

cdef DTypeFacts* FACTS = dtype_facts()
cdef dict OUTER = {}                   # (thread, inner node) -> its CopySlices, while that is run with create_graph


cdef inline tuple write_key(Node inner):
    return PyThread_get_thread_ident(), <Py_ssize_t> <PyObject*> inner


cdef int enter_write(Node outer, Node inner) except -1:
    OUTER[write_key(inner)] = outer
    return 0


cdef int leave_write(Node inner) except -1:
    OUTER.pop(write_key(inner), None)
    return 0


cdef bint is_view_gradient(PyObject* node) noexcept:
    """Whether a node stands for the view that an in-place op wrote to: it has no formula, and is never run."""
    return node != NULL and (<Node> node).kind == NODE_FORMULA and (<Node> node).formula == NULL


cdef object saved_value(Node node, int index, bint create_graph):
    """A saved value, checked: it was not freed, and nobody has written to it since. create_graph: with its history."""
    cdef SavedSlot* saved = saved_slots(node) + index
    cdef Tensor t, out
    cdef int number
    if saved.value == NULL:
        if node.flags & NF_RELEASED:
            raise errors.freed_graph(type(node).__name__)
        return None
    if saved.kind != SAVED_TENSOR and saved.kind != SAVED_OUTPUT:
        return <object> saved.value if saved.kind == SAVED_PLAIN else of_hooks_or_several(node, index, create_graph)
    t = <Tensor> saved.value
    if version_of(t) != saved.version:
        from wengert_engine.anomaly.saved_errors import modified_error
        number = own_output(node, saved) if saved.kind == SAVED_OUTPUT else -1
        raise modified_error(node, name_of(node, index), t, number, saved.version, version_of(t))
    if t.flags & TF_CUT and is_cut(node, index, t):
        raise errors.saved_detached(type(node).__name__, name_of(node, index))
    if not create_graph:
        return t
    if saved.kind == SAVED_OUTPUT:
        if node.n_edges and is_part_of_write(node):
            return output_by_base(node, t)
        number = own_output(node, saved)
        if number < 0 or FACTS.category[t.code] < CAT_FLOAT:   # indices, pivots: no gradient comes to them
            return t
        out = alias_with_tangent(t)
        set_output(node, number, out)
        return out
    if node.kind == NODE_FORMULA and not saved.own_history:
        return as_recorded(node, <Formula> node.formula, index, t)
    return t


cdef bint is_cut(Node node, int index, Tensor t) noexcept:
    """Whether an argument of an operation had a history when it was saved, which detach_() has taken away."""
    cdef Formula f = <Formula> node.formula if node.kind == NODE_FORMULA and node.formula != NULL else None
    cdef int i
    if f is None or f.has_list or t.grad_fn != NULL or f.saved[index].what != SAVE_VALUE:
        return False
    for i in range(f.n_inputs):
        if f.inputs[i].slot == f.saved[index].slot and edges_of(node)[i].node != NULL:
            return (<Node> edges_of(node)[i].node).kind != NODE_ACCUMULATE
    return False


cdef object of_hooks_or_several(Node node, int index, bint create_graph):
    """A saved value that is neither plain nor a tensor."""
    cdef SavedSlot* saved = saved_slots(node) + index
    cdef Tensor out
    if saved.kind == SAVED_PACKED:
        out = unpack(node, index)
        if create_graph and out.grad_fn == <PyObject*> node and is_part_of_write(node):
            return output_by_base(node, out)
        return out
    return (<Several> saved.value).read(node, name_of(node, index))


# ---- writes to views

cdef bint is_part_of_write(Node node) noexcept:
    """Whether a node is the inside of a CopySlices: one of its edges ends in a node that is never run."""
    cdef int i
    for i in range(node.n_edges):
        if is_view_gradient(edges_of(node)[i].node):
            return True
    return False


cdef Tensor output_by_base(Node inner, Tensor t):
    """A saved output of a write to a view, with the history that everybody else sees: that of the base."""
    outer = OUTER.get(write_key(inner))
    if outer is None:
        raise RuntimeError(f"{type(inner).__name__} is part of a write to a view: it cannot be differentiated by "
                           "itself")
    base, view = <object> saved_slots(<Node> outer)[1].value
    empty = find_op("empty_strided")   # for its history only
    cdef Tensor whole = empty(base[0], base[1], dtype=base[3], device=_DEVICES[t.device])
    set_output(<Node> outer, 0, whole)
    cdef Tensor part = part_of(whole, base, view)
    cdef Tensor out = alias_with_tangent(t)
    set_output(<Node> part.grad_fn, part.output_nr, out)
    return out


def read_saved(node, index):
    """Return the value of ``node._saved_NAME``: a saved value, checked, with its history; a detached one as it is."""
    cdef SavedSlot* saved = saved_slots(<Node> node) + <int> index
    if saved.kind == SAVED_TENSOR and saved.value != NULL and version_of(<Tensor> saved.value) == saved.version \
            and (<Tensor> saved.value).flags & TF_CUT and is_cut(node, index, <Tensor> saved.value):
        return <object> saved.value
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
            return alias_with_tangent(t) if t.flags & WG_GRAD else t
        if (<Node> edge[i].node).kind == NODE_ACCUMULATE \
                or (t.grad_fn == edge[i].node and t.output_nr == edge[i].input_nr):
            return t
        again = alias_with_tangent(t)
        set_output(<Node> edge[i].node, edge[i].input_nr, again)
        return again
    return t


cdef str name_of(Node node, int index):
    """What a saved value is called in the formula that asked for it."""
    return (<Formula> node.formula).saved_names[index] if node.formula != NULL else f"saved_tensors[{index}]"
