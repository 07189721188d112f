from typing import Any

from wengert_core.tensor import Tensor

def shallow_copy(self: Tensor) -> Tensor: ...
def deep_copy(self: Tensor, memo: dict[int, Any]) -> Tensor: ...
def reduce(self: Tensor, protocol: int) -> tuple[Any, ...]: ...
def rebuild(
    cls: type[Tensor],
    data: Any,
    dtype_name: str,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    requires_grad: bool,
    grad: Tensor | None = None,
) -> Tensor: ...
def set_state(self: Tensor, state: dict[str, Any] | None) -> None: ...
