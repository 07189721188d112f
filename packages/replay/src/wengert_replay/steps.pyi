from types import CodeType
from typing import Any

from wengert_core.extend import Op, Tensor

class Step:
    op: Op
    inputs: tuple[Any, ...]
    outputs: tuple[tuple[str, Any, tuple[int, ...]], ...]
    way: str
    code: CodeType | None
    @property
    def line(self) -> str: ...

class Call:
    op: Op
    arguments: list[Any]
    outputs: list[Tensor]
    memory: list[Tensor]
    writes: bool
    step: Step
