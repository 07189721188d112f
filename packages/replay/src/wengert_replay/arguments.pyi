from collections.abc import Sequence
from typing import Any

from wengert_core import dtype
from wengert_core.extend import Tensor

from wengert_replay.recording.tracing import Recording

KINDS: dict[str, str]
OWN: tuple[str, ...]
BETWEEN: tuple[str, ...]

def note_fact(t: Tensor, fact: str) -> None: ...
def describe_tensors(tensors: list[Tensor], facts: Sequence[str] = ()) -> tuple[Any, str]: ...
def attributes_of_tensors(tensors: list[Tensor]) -> list[dict[str, Any] | None]: ...
def refuse_attributes(recording: Recording, before: list[dict[str, Any] | None], holder: list[Any]) -> None: ...
def facts_of(row: tuple[Any, ...]) -> tuple[dtype, tuple[int, ...], tuple[int, ...], list[str]]: ...
