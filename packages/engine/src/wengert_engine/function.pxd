"""Custom Functions: what running a graph calls."""
from wengert_engine.node cimport FunctionNode

cdef list run_function(FunctionNode node, list parts)      # the gradients for its edges; parts: those of its outputs

# Forward mode: tangents_of(args) -> a tuple or None; give(ctx, cls, args, results, tangents, single).
cdef int set_forward_hook(object tangents_of, object give) except -1
