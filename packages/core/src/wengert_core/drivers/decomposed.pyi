from collections.abc import Callable
from typing import Any

from wengert_core.dispatch.op import Op
from wengert_core.tensors.tensor import Tensor

def configure(op: Op, stages: Callable[..., Any]) -> None: ...
def as_dtype(t: Tensor, name: str) -> Tensor: ...
