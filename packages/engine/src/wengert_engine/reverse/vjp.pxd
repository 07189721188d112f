"""Rules: the gradients of a node's inputs from those of its outputs."""
from wengert_core.tensors.tensor cimport Tensor
from wengert_engine.graph.formula cimport RULE_JOINT, Formula
from wengert_engine.graph.node cimport Node

cdef object input_gradient(Node node, Formula f, int i, Tensor grad, bint last, bint create_graph)
cdef list input_gradients(Node node, list parts, bint create_graph)


cdef inline bint all_at_once(Formula f) noexcept:
    """Whether a formula gives several gradients by one call, so that input_gradients must make them."""
    return f.has_list or (f.n_inputs > 0 and f.inputs[f.n_inputs - 1].kind == RULE_JOINT)
