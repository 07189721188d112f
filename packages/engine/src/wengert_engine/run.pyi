from collections.abc import Callable, Sequence
from typing import Any

from wengert_core.tensor import Tensor

from wengert_engine.node import Node

class Run: ...

def set_parts(
    run_custom: Callable[..., Any],
    fit: Callable[..., Any],
    clone: Callable[..., Any],
    empty_strided: Callable[..., Any],
) -> None: ...
def zeros_for_output(node: Node, output: int) -> Tensor: ...
def call_node(node: Node, grads: Sequence[Tensor | None]) -> Any: ...
def read_saved_value(node: Node, index: int) -> Any: ...
def run_backward(
    roots: Sequence[tuple[Node, int]],
    grads: Sequence[Tensor | None],
    keep_graph: bool,
    create_graph: bool,
    inputs: Sequence[tuple[Node, int]] | None,
    accumulate: bool,
) -> list[Tensor | None]: ...
def queue_callback(callback: Callable[[], Any]) -> None: ...
