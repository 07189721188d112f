"""Custom Functions: what running a graph calls."""
from wengert_engine.graph.node cimport FunctionNode

cdef enum:                             # bits of FunctionNode.materialize
    MATERIALIZE = 1                    # backward and jvp get zeros where there is no gradient, no tangent
    MATERIALIZE_NON_DIFF = 2           # backward also for outputs that are not differentiable

cdef list run_function(FunctionNode node, list parts)      # the gradients for its edges; parts: those of its outputs

# Forward mode: tangents_of(args) -> a tuple or None; give(ctx, cls, args, results, tangents, what forward returned).
cdef int set_forward_hook(object tangents_of, object give) except -1

# The outputs of a node of the Function cls, whose forward is done: as apply gives them, without a call of Python. ctx
# has an attribute ``name``, and has saved tensors. inputs: tensors that get gradients.
cdef tuple record_function(cls, str name, value, tuple inputs, tuple saved, tuple outputs)
