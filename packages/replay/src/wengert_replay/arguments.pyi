from typing import Any

from wengert_core import dtype
from wengert_core.extend import Tensor

def describe_tensors(tensors: list[Tensor]) -> tuple[Any, str]: ...
def facts_of(row: tuple[Any, ...]) -> tuple[dtype, tuple[int, ...], tuple[int, ...], list[str]]: ...
