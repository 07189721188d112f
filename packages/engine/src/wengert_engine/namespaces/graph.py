"""wengert.autograd.graph: the recorded graph."""

from wengert_engine.graph.gradient_edge import GradientEdge, get_gradient_edge
from wengert_engine.graph.node import Node
from wengert_engine.hooks.multi_grad import register_multi_grad_hook
from wengert_engine.hooks.mutation import allow_mutation_on_saved_tensors
from wengert_engine.hooks.saved_hooks import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks
from wengert_engine.hooks.versions import increment_version

__all__ = ["GradientEdge", "Node", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks",
           "get_gradient_edge", "increment_version", "register_multi_grad_hook", "save_on_cpu", "saved_tensors_hooks"]
