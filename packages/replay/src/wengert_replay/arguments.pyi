from collections.abc import Sequence
from typing import Any

from wengert_core import dtype
from wengert_core.extend import Tensor

KINDS: dict[str, str]
OWN: tuple[str, ...]
BETWEEN: tuple[str, ...]

def note_fact(t: Tensor, fact: str) -> None: ...
def describe_tensors(tensors: list[Tensor], facts: Sequence[str] = ()) -> tuple[Any, str]: ...
def facts_of(row: tuple[Any, ...]) -> tuple[dtype, tuple[int, ...], tuple[int, ...], list[str]]: ...
