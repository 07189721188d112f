from wengert_engine.graph.gradient_edge import GradientEdge as GradientEdge
from wengert_engine.graph.gradient_edge import get_gradient_edge as get_gradient_edge
from wengert_engine.graph.node import Node as Node
from wengert_engine.hooks.multi_grad import register_multi_grad_hook as register_multi_grad_hook
from wengert_engine.hooks.mutation import allow_mutation_on_saved_tensors as allow_mutation_on_saved_tensors
from wengert_engine.hooks.saved_hooks import disable_saved_tensors_hooks as disable_saved_tensors_hooks
from wengert_engine.hooks.saved_hooks import save_on_cpu as save_on_cpu
from wengert_engine.hooks.saved_hooks import saved_tensors_hooks as saved_tensors_hooks
from wengert_engine.hooks.versions import increment_version as increment_version
from wengert_graph.drawing import Drawing as Drawing
from wengert_graph.drawing import draw as draw
from wengert_graph.explaining import explain_grad as explain_grad
from wengert_graph.memory import saved_memory as saved_memory
from wengert_graph.walking import walk as walk

__all__ = ["Drawing", "GradientEdge", "Node", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks", "draw",
           "explain_grad", "get_gradient_edge", "increment_version", "register_multi_grad_hook", "save_on_cpu",
           "saved_memory", "saved_tensors_hooks", "walk"]
