"""wengert.autograd.graph: the recorded graph."""

from wengert_engine.node import Node
from wengert_engine.saved_hooks import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks

__all__ = ["Node", "disable_saved_tensors_hooks", "save_on_cpu", "saved_tensors_hooks"]
