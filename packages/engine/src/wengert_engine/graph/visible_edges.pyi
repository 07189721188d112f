from collections.abc import Sequence
from typing import TypeVar

from wengert_engine.graph.node import Node

_T = TypeVar("_T")

def next_functions(node: Node) -> tuple[tuple[Node | None, int], ...]: ...
def seen(node: Node, values: Sequence[_T]) -> tuple[_T, ...]: ...
