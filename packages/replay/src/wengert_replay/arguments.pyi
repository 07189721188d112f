from typing import Any

from wengert_core.extend import Tensor

def describe_tensors(tensors: list[Tensor]) -> tuple[Any, str]: ...
