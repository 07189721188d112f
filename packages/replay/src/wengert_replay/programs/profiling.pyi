from typing import Any

from wengert_core.extend import Tensor

from wengert_replay.programs.program import Program

def profiled_modes() -> int: ...
def replay_profiled(program: Program, inputs: list[Tensor], name: str) -> Any: ...
