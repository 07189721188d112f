from collections.abc import Callable
from typing import Any

from wengert_core.tensors.tensor import Tensor

def set_captured(refuse: Callable[[Tensor, str, Any], None]) -> None: ...
