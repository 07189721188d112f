from types import CodeType
from typing import Any, Literal

from wengert_core.extend import Tensor

from wengert_replay.history.residuals import Residuals
from wengert_replay.programs.program import Program
from wengert_replay.recording.calls import Call
from wengert_replay.recording.tracing import Recording

class ReturnPoint(Call): ...

class JointProgram(Program):
    n_inputs: int
    n_results: int
    reruns: int
    def __init__(
        self, recording: Recording, results: list[Tensor], live: set[int], n_inputs: int, n_results: int,
        return_point: int, leaves: list[Tensor],
    ) -> None: ...  # fmt: skip
    def begin(self, inputs: list[Tensor]) -> tuple[Residuals | None, list[Any]] | Literal[False] | None: ...
    def go_on(self, residuals: Residuals, grads: list[Tensor]) -> list[Any] | None: ...
    def run_plainly(self, inputs: list[Tensor]) -> list[Tensor] | None: ...
    def run_again(
        self, inputs: list[Tensor], grads: list[Tensor], before: Residuals | None
    ) -> tuple[Residuals, list[Any]] | None: ...

def add_return_point(recording: Recording, backward: CodeType) -> int: ...
def has_no_graph(node: Any) -> bool: ...
