from typing import Any, Literal

from wengert_core.extend import Tensor

from wengert_replay.programs.program import Program
from wengert_replay.recording.calls import Call
from wengert_replay.recording.tracing import Recording

class Pause(Call): ...

class JointProgram(Program):
    n_inputs: int
    n_results: int
    run_number: int
    number: int
    def __init__(
        self, recording: Recording, results: list[Tensor], live: set[int], n_inputs: int, n_results: int, pause: int
    ) -> None: ...
    def begin(self, inputs: list[Tensor]) -> tuple[int, list[Any]] | Literal[False] | None: ...
    def go_on(self, run_number: int, grads: list[Tensor]) -> list[Any] | None: ...
    def run_again(self, inputs: list[Tensor], grads: list[Tensor]) -> list[Any] | None: ...

def add_pause(recording: Recording) -> int: ...
def has_no_graph(node: Any) -> bool: ...
