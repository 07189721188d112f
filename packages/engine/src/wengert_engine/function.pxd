"""Custom Functions: what running a graph calls."""
from wengert_engine.node cimport FunctionNode

cdef list run_function(FunctionNode node, list parts)      # the gradients for its edges; parts: those of its outputs
