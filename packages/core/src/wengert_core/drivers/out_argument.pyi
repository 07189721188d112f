from typing import Any

from wengert_core.tensors.tensor import Tensor

def into(name: str, result: Tensor, out: Any) -> Tensor: ...
