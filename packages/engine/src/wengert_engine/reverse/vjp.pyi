from collections.abc import Sequence
from typing import Any

from wengert_core.tensors.tensor import Tensor

from wengert_engine.graph.node import Node

def call_node(node: Node, grads: Sequence[Tensor | None]) -> Any: ...
