from typing import Any

from wengert_core.extend import Tensor

from wengert_replay.programs.program import Program

class Expectation: ...

class Shortcut:
    entry: Any
    def match(self, args: tuple[Any, ...], kwargs: dict[str, Any], tensors: list[Tensor]) -> Program | None: ...

def make_shortcut(
    args: tuple[Any, ...], kwargs: dict[str, Any], tensors: list[Tensor], entry: Any, program: Program
) -> Shortcut | None: ...
