from collections.abc import Callable
from typing import Any

from wengert_core.dispatch.op import Op
from wengert_core.tensors.tensor import Tensor

def configure(op: Op, geometry: str | Callable[..., Any]) -> None: ...
def as_single_views(views: tuple[Tensor, ...]) -> tuple[Tensor, ...]: ...
