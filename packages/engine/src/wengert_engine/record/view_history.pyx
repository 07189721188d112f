"""The history of views: what a write to one makes of its base's, and what it finds there after other writes.

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

from wengert_core.dispatch.hooks cimport hooks
from wengert_core.dispatch.op cimport Op, find_op
from wengert_core.runtime.state cimport WG_DUAL, WG_GRAD, WG_INFER, WG_OBSERVE, WgState, thread_state
from wengert_core.tensors.tensor cimport TF_RETAINS_GRAD, Tensor, version_of
from wengert_engine.graph.formula cimport formula_of
from wengert_engine.graph.leaves cimport gradient_edge
from wengert_engine.graph.node cimport (NODE_COPY_SLICES, NODE_FORMULA, Edge, Node, edges_of, make_node_class,
                                        new_node, node_extra, number, saved_slots, set_meta, set_output)
from wengert_engine.graph.view_region cimport geometry, is_of_other_kind, part_of, region
from wengert_engine.graph.visible_edges cimport hidden_edges, is_shown, n_bits
from wengert_engine.record.building cimport build, keep_object
from wengert_engine.record.write_rules cimport check_origin

cdef object CopySlices = make_node_class("torch::autograd::CopySlices")
cdef object ViewGradient = make_node_class("ViewGradient")
cdef Op AS_STRIDED = None


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


hooks().view_grad_fn = view_grad_fn
