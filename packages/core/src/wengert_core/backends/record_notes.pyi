from collections.abc import Callable
from typing import Any

from wengert_core.tensors.tensor import Tensor

def set_note(note: Callable[[Tensor, Any], object]) -> None: ...
