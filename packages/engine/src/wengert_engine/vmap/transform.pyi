from collections.abc import Iterable
from threading import local as _local
from typing import Any

from wengert_core.tensors.tensor import Tensor

TENSOR_OR_NUMBER: frozenset[str]
BY_OPERAND: frozenset[str]

class State(_local):
    depth: int
    leaves: set[Any]
    of_tangents: set[int]
    refusing: list[Transform]

STATE: State

class Transform:
    computes_gradients: bool
    leaves: Iterable[Any]
    number: int
    before: int
    recording: Any
    storages: dict[int, Any]
    def __init__(
        self, computes_gradients: bool = True, writable: Iterable[Any] | None = None, leaves: Iterable[Any] = ()
    ) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...
    def allows(self, tensor: Tensor) -> bool: ...

def storage_of(tensor: Tensor) -> Any: ...
def refuse(tensor: Tensor, name: str, other: Any) -> None: ...
def overload(name: str, other: Any) -> str: ...
