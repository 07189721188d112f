from collections.abc import Callable, Sequence
from typing import Any

from wengert_core.tensor import Tensor

from wengert_engine.node import Node

def run_backward(
    roots: Sequence[tuple[Node, int]],
    grads: Sequence[Tensor | None],
    keep_graph: bool,
    create_graph: bool,
    inputs: Sequence[tuple[Node, int]] | None,
    accumulate: bool,
) -> list[Tensor | None]: ...
def queue_callback(callback: Callable[[], Any]) -> None: ...
def run_number() -> int: ...
def wants_inputs() -> bool: ...
def run_notes() -> dict[Any, Any]: ...
def will_run(nodes: Sequence[Any], current: Any) -> list[bool]: ...
