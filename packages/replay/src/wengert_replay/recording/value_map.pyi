from typing import Any

from wengert_core.extend import Tensor
from wengert_engine.extend import Tracer

from wengert_replay.trace.steps import Steps
from wengert_replay.trace.values import Value

class ValueMap(Tracer):
    steps: Steps
    outside: dict[int, tuple[Tensor, int, int, int]]
    tensors: dict[int, tuple[Tensor, int, int, int]]
    views: list[tuple[Any, int, int, int]]
    leaves: dict[int, tuple[Tensor, Tensor | None]]
    foreign: list[Any]
    made: set[int]
    own_storages: set[int]
    own_leaves: dict[int, Any]
    arrays: set[int]
    inputs: list[Tensor]
    refusal: str | None
    def value_of(self, t: Tensor) -> Value | None: ...
    def value_named(self, t: Tensor) -> Value | None: ...
    def why_not_made(self, tensors: list[Tensor]) -> str: ...
    def reaches_argument(self) -> bool: ...
