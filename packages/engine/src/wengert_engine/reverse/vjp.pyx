"""Rules: the gradients of a node's inputs from those of its outputs, by its formula or whatever else the node is."""
from cpython.ref cimport Py_INCREF, PyObject
from libc.stdint cimport uint32_t

from wengert_core.binding.torch_function cimport restore, subclasses, is_disabled
from wengert_core.dispatch.op cimport Op, find_op
from wengert_core.dtypes.dtypes cimport BOOL, CAT_COMPLEX, DTypeFacts, dtype_facts
from wengert_core.runtime.state cimport WG_GRAD, WG_STRONG, WgState, thread_state
from wengert_core.tensors.tensor cimport same_shape
from wengert_engine.function.apply cimport run_function
from wengert_engine.graph.formula cimport (ARG_GRAD, ARG_GRADS, ARG_NEEDS, ARG_OWN_SHAPE, RULE_CALL, RULE_NEGATE,
                                           RULE_PASS, RULE_SCALE, RULE_SLOPE_CALL, RULE_SLOPE_SAVED, RULE_ZERO,
                                           InputRule)
from wengert_engine.graph.node cimport (NF_KEEPS, NF_PACKED, NODE_ACCUMULATE, NODE_COPY_SLICES, NODE_CUSTOM,
                                        NODE_ERROR, NODE_FORMULA, Edge, FunctionNode, edges_of, saved_slots)
from wengert_engine.graph.validate_grad cimport fit_grad, materialize, shape_of, stealable, write, zeros_of
from wengert_engine.graph.view_region cimport part_of
from wengert_engine.graph.visible_edges cimport hidden_edges, is_shown, shown_gradients
from wengert_engine.messages import errors
from wengert_engine.modes.strong_zeros cimport begin_derivative, end_derivative
from wengert_engine.record.saved_hooks_stack cimport drop_unpacked
from wengert_engine.record.saved_values cimport enter_write, is_view_gradient, leave_write, saved_value
from wengert_engine.reverse.accumulate_grad cimport accumulate

cdef extern from "Python.h":
    object PyObject_Vectorcall(object f, PyObject** args, size_t n, PyObject* names)
    void Py_DECREF(PyObject* o) noexcept

cdef enum:
    INPLACE_FROM = 4096                # elements from which writing into a gradient beats making a new one

cdef DTypeFacts* FACTS = dtype_facts()
cdef unsigned int* SUBCLASSES = subclasses()
cdef Op MUL = None                     # these are looked up when first needed: the import of wengert loads no ops
cdef Op MUL_ = None
cdef Op NEG = None
cdef Op CONJ = None


cdef int look_up() except -1:
    global MUL, MUL_, NEG
    MUL_, NEG, MUL = find_op("mul_"), find_op("neg"), find_op("mul")
    return 0


# ---- one input

cdef object input_gradient(Node node, Formula f, int i, Tensor grad, bint last, bint create_graph):
    """The gradient of one input by its rule. last: ``grad`` is not needed any more."""
    cdef InputRule* rule = &f.inputs[i]
    if rule.kind == RULE_PASS:
        return grad
    if rule.kind == RULE_SLOPE_SAVED:
        return times(grad, saved_value(node, rule.args[0], create_graph), last, create_graph)
    if rule.kind == RULE_SLOPE_CALL:
        return times(grad, call_function(node, rule, &edges_of(node)[i], grad, None, create_graph), last, create_graph)
    if rule.kind == RULE_CALL:
        return call_function(node, rule, &edges_of(node)[i], grad, None, create_graph)
    if MUL is None:
        look_up()
    if rule.kind == RULE_NEGATE:
        return NEG.call1(NEG, <PyObject*> grad)
    if rule.kind == RULE_SCALE:
        return MUL.call2(MUL, <PyObject*> grad, rule.fn)
    return zeros_for(&edges_of(node)[i])


cdef object times(Tensor grad, object slope, bint last, bint create_graph):
    """grad * conj(slope), in grad's own memory where nobody sees it; where slope holds, for a slope of truth values."""
    cdef Tensor s
    if MUL is None:
        look_up()
    if isinstance(slope, Tensor):
        s = <Tensor> slope
        if FACTS.category[s.code] == CAT_COMPLEX:
            slope = conjugate(s)
        elif s.code == BOOL:           # chooses: 0 * inf would be NaN
            return find_op("where")(slope, grad, 0)
        elif last and not create_graph and grad.count >= INPLACE_FROM and stealable(grad) \
                and s.code == grad.code and same_shape(s, grad):
            write(MUL_, grad, s)
            return grad
    elif isinstance(slope, complex):
        slope = slope.conjugate()
    elif isinstance(slope, int) and slope == 1:
        return grad
    return MUL.call2(MUL, <PyObject*> grad, <PyObject*> slope)


cdef object conjugate(Tensor t):
    """conj, whose family only programs with complex numbers load."""
    global CONJ
    if CONJ is None:
        CONJ = find_op("conj")
    return CONJ.call1(CONJ, <PyObject*> t)


cdef object call_function(Node node, InputRule* rule, Edge* edge, Tensor grad, list parts, bint create_graph):
    """What a formula's function gives, called with what its parameters ask for. edge: of the input."""
    cdef PyObject* args[12]
    cdef int k, n = 0
    try:
        for k in range(rule.n_args):
            if rule.args[k] == ARG_GRAD:
                value = grad
            elif rule.args[k] == ARG_GRADS:
                value = materialize(node, parts if parts is not None else [grad])
            elif rule.args[k] == ARG_OWN_SHAPE:
                value = shape_of(<Node> edge.node, edge.input_nr)
            elif rule.args[k] == ARG_NEEDS:
                value = tuple([bool(node.needs >> i & 1) for i in range((<Formula> node.formula).n_inputs)])
            else:
                value = saved_value(node, rule.args[k], create_graph)
            Py_INCREF(value)
            args[n] = <PyObject*> value
            n += 1
        value = None
        return PyObject_Vectorcall(<object> rule.fn, args, n, NULL)
    finally:
        for k in range(n):
            Py_DECREF(args[k])


cdef Tensor zeros_for(Edge* edge):
    """Zeros of the shape of an edge's target."""
    return zeros_of(<Node> edge.node, edge.input_nr)


# ---- all inputs

cdef list input_gradients(Node node, list parts, bint create_graph):
    """The gradients for a node's edges, in their order. parts: those of its outputs, None where there is none."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes
    if not state.modes & WG_STRONG:
        return by_kind(node, parts, create_graph)
    modes = begin_derivative(state)
    try:
        return by_kind(node, parts, create_graph)
    finally:
        end_derivative(state, modes)


cdef list by_kind(Node node, list parts, bint create_graph):
    """input_gradients, in the modes that derivatives are computed in."""
    if node.kind == NODE_CUSTOM:
        return run_function(<FunctionNode> node, parts)
    if SUBCLASSES[0]:
        return call_without_overrides(node, parts, create_graph)
    return own_gradients(node, parts, create_graph)


cdef list call_without_overrides(Node node, list parts, bint create_graph):
    """own_gradients, where a saved tensor may be of a subclass with ``__torch_function__``, which has no say in them.
    """
    cdef unsigned int before = is_disabled()
    try:
        return own_gradients(node, parts, create_graph)
    finally:
        restore(before)


cdef list own_gradients(Node node, list parts, bint create_graph):
    """input_gradients of a node that is not a program's own."""
    if node.kind == NODE_ACCUMULATE:
        return into_leaf(node, parts[0], create_graph)
    if node.kind == NODE_COPY_SLICES:
        return around_view(node, parts[0], create_graph)
    if node.kind == NODE_ERROR:
        raise RuntimeError((<Formula> node.formula).error)
    if node.flags & NF_PACKED:
        return vjp_of_packed(node, parts, create_graph)
    return by_formula(node, <Formula> node.formula, parts, create_graph)


cdef list vjp_of_packed(Node node, list parts, bint create_graph):
    """by_formula of a node whose saved tensors are unpacked, each of them once."""
    node.flags |= NF_KEEPS
    try:
        return by_formula(node, <Formula> node.formula, parts, create_graph)
    finally:
        drop_unpacked(node)


cdef list by_formula(Node node, Formula f, list parts, bint create_graph):
    cdef Edge* edge = edges_of(node)
    cdef InputRule* rule
    cdef int i, k, n, at
    cdef Tensor grad = materialize(node, parts[:1])[0] if f.inputs[0].kind != RULE_ZERO or f.n_inputs > 1 else None
    grads = []
    joint = None
    for i in range(f.n_inputs):
        rule = &f.inputs[i]
        at = <int> len(grads)
        if rule.kind == RULE_JOINT:
            if joint is None:
                joint = iter(check_gradients(node, call_function(node, rule, &edge[at], grad, parts, create_graph),
                                             n_joint(f),
                                             "joint"))
            grads.append(next(joint))
        elif rule.is_list:
            n = node.n_edges - (f.n_inputs - 1)
            if not node.needs >> i & 1:
                grads.extend([None] * n)
            elif rule.kind == RULE_ZERO:
                grads.extend([zeros_for(&edge[k]) if edge[k].node != NULL else None for k in range(at, at + n)])
            else:
                grads.extend(check_gradients(node, call_function(node, rule, &edge[at], grad, parts, create_graph), n,
                                             "the rule for a list of tensors"))
        elif edge[at].node == NULL or (not node.needs >> i & 1 and is_view_gradient(edge[at].node)):
            grads.append(None)
        elif rule.kind == RULE_CALL:
            grads.append(call_function(node, rule, &edge[at], grad, parts, create_graph))
        else:
            grads.append(input_gradient(node, f, i, grad, False, create_graph))
    return grads


cdef int n_joint(Formula f) noexcept:
    """Return the number of inputs that have their gradients from one function."""
    cdef int i, n = 0
    for i in range(f.n_inputs):
        n += f.inputs[i].kind == RULE_JOINT
    return n


cdef object check_gradients(Node node, object found, int n, str what):
    """Check and return what a function gave for n inputs: a tuple or list of n gradients."""
    if not isinstance(found, (tuple, list)) or len(found) != n:
        raise errors.gradient_count(type(node).__name__, what, found, n)
    return found


cdef list into_leaf(Node node, object grad, bint create_graph):
    """An AccumulateGrad that somebody calls: it adds a gradient into its leaf's grad, and has no inputs."""
    if grad is not None:
        accumulate(node, fit_grad(node, 0, <Tensor> grad, node, 0), create_graph)
    return []


cdef list around_view(Node node, object grad, bint create_graph):
    """A write to a view, seen from the base: outside the view the gradient passes, inside it goes through the op."""
    if saved_slots(node)[0].value == NULL:
        raise errors.freed_graph("CopySlices")
    cdef Node inner = <Node> saved_slots(node)[0].value
    cdef uint32_t hidden = hidden_edges(inner)
    cdef list inside, grads
    cdef int i
    base, view = <object> saved_slots(node)[1].value
    whole = find_op("new_empty_strided")(grad, base[0], base[1])
    whole.copy_(grad)
    part = part_of(whole, base, view)
    if create_graph:
        enter_write(node, inner)
    try:
        inside = input_gradients(inner, [part.clone()], create_graph)
    finally:
        leave_write(inner)
    own = None
    grads = [whole]
    for i in range(<int> inner.n_edges):
        if is_view_gradient(edges_of(inner)[i].node):
            own = inside[i]
        elif is_shown(hidden, i):
            grads.append(inside[i])
    if own is None:
        part.zero_()
    else:
        part.copy_(own)
    return grads


def call_node(Node node, grads):
    """What calling a node gives: the gradients of its inputs for those of its outputs. The graph is kept."""
    name = type(node).__name__
    if node.kind == NODE_FORMULA and node.formula == NULL:
        raise RuntimeError(f"{name}: no operation was recorded here, so there is nothing to run")
    if len(grads) != node.n_outputs:
        raise TypeError(f"expected {node.n_outputs} arguments, got {len(grads)} instead: "
                        f"{name} takes the gradients of its outputs")
    for i, grad in enumerate(grads):
        if grad is not None and not isinstance(grad, Tensor):
            raise TypeError(f"argument {i} is not a Variable: {name} got {type(grad).__name__}")
    if node.kind in (NODE_FORMULA, NODE_COPY_SLICES) and all([grad is None for grad in grads]):
        found = [None] * node.n_edges
    else:
        found = input_gradients(node, list(grads), thread_state().modes & WG_GRAD != 0)
    results = shown_gradients(node, found)
    return results[0] if len(results) == 1 else tuple(results)
