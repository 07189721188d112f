"""Calling hooks while a graph is run."""
from wengert_core.tensors.tensor cimport Tensor, TensorExtra
from wengert_engine.graph.node cimport NODE_ACCUMULATE, Node, saved_slots

cdef list run_output_hooks(Node node, list parts)                  # of the output tensors; retained gradients
cdef list run_pre_hooks(Node node, list parts)
cdef list run_leaf_hooks(Node node, list parts)
cdef list run_post_hooks(Node node, list grads, list parts)


cdef inline bint leaf_has_hooks(Node node) noexcept:
    """Whether an AccumulateGrad's leaf has hooks, for its gradient or after it was added; False for other nodes."""
    if node.kind != NODE_ACCUMULATE:
        return False
    cdef TensorExtra* extra = (<Tensor> saved_slots(node)[0].value).extra
    return extra != NULL and (extra.hooks != NULL or extra.post_hooks != NULL)
