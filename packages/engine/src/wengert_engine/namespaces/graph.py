"""wengert.autograd.graph: the recorded graph."""

from wengert_engine.node import Node

__all__ = ["Node"]
