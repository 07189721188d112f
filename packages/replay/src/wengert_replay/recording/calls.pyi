from typing import Any

from wengert_core.extend import Op, Tensor

from wengert_replay.trace.steps import Step

class Call:
    op: Op | None
    arguments: list[Any]
    outputs: list[Tensor]
    memory: list[Tensor]
    written: list[Tensor] | None
    writes: bool
    step: Step
    resets_versions: bool
    @property
    def name(self) -> str: ...
    def words(self) -> tuple[Any, ...]: ...
    def lasting_words(self) -> tuple[Any, ...]: ...
    def generators(self) -> list[Any]: ...
    def written_outside(self) -> list[tuple[int, int]]: ...
    def facts(self) -> tuple[Any, ...]: ...
    @staticmethod
    def facts_of(results: list[Tensor]) -> tuple[Any, ...]: ...
