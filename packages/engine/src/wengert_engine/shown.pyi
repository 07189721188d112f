from collections.abc import Sequence
from typing import TypeVar

from wengert_engine.node import Node

T = TypeVar("T")

def next_functions(node: Node) -> tuple[tuple[Node | None, int], ...]: ...
def seen(node: Node, values: Sequence[T]) -> tuple[T, ...]: ...
