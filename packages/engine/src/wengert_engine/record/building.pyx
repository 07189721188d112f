"""The node of an operation: its edges, and the values that it saves."""
from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF, Py_XINCREF, PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.op cimport K_TENSOR_OR_NUMBER
from wengert_core.dtypes.dtypes cimport dtype_of
from wengert_core.runtime.state cimport thread_state
from wengert_core.tensors.tensor cimport TF_INFERENCE, Tensor, alias, shape_tuple, version_of
from wengert_engine.graph.formula cimport (SAVE_GEOMETRY, SAVE_OUTPUT, SAVE_SHAPE, SAVE_VALUE, Formula, SavePlan,
                                           chosen_type, output_number)
from wengert_engine.graph.leaves cimport gradient_edge
from wengert_engine.graph.node cimport (NF_NUMBERS, NODE_ERROR, NODE_FORMULA, SAVED_OUTPUT, SAVED_PLAIN, SAVED_SEVERAL,
                                        SAVED_TENSOR, Edge, Node, SavedSlot, edges_of, new_node, number, saved_slots)
from wengert_engine.graph.view_region cimport geometry
from wengert_engine.messages import errors
from wengert_engine.record.saved_hooks_stack cimport several_of


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
