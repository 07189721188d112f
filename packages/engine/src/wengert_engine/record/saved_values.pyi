from typing import Any

from wengert_engine.graph.node import Node

def read_saved(node: Node, index: int) -> Any: ...
