from collections.abc import Sequence
from typing import Any, Literal, Self
from weakref import ref

from wengert_core.extend import Tensor
from wengert_engine import Function

from wengert_replay.history.joint import JointProgram
from wengert_replay.history.residuals import Residuals
from wengert_replay.programs.program import Program
from wengert_replay.recording.tracing import Recording

class Form:
    structure: Any
    outputs: list[int]
    ends: list[int]
    read: list[Tensor]
    tensors: list[tuple[ref[Tensor], int, int, int]]
    retained: list[int]
    @property
    def leaves(self) -> list[Tensor]: ...
    def __init__(
        self, structure: Any, outputs: list[int], ends: list[int], leaves: list[Tensor], read: list[Tensor],
        own: list[Tensor], tensors: list[tuple[ref[Tensor], int, int, int]],
    ) -> None: ...  # fmt: skip
    def note_retained(self, results: list[Tensor]) -> str: ...

class Origins:
    def __new__(
        cls, numbers: list[int | None], n_given: int, parts: list[tuple[int, tuple[int, ...], tuple[int, ...], int]]
    ) -> Self: ...
    def for_ends(self, found: list[Any], given: list[Tensor]) -> list[Tensor | None]: ...

class Joint:
    program: JointProgram
    form: Form
    origins: Origins
    def __init__(self, program: JointProgram, form: Form, origins: Origins) -> None: ...

class Derivative:
    joint: Joint | None
    refusal: str
    higher: Any
    def __init__(self, pattern: tuple[bool, ...], described: tuple[Any, ...] | None) -> None: ...

class Way:
    joint: Joint | None
    derivatives: dict[Any, Derivative]
    newest: Derivative | None
    is_replaced: bool
    def programs(self) -> list[Program]: ...
    def run(self, history: Any, state: Any, tensors: list[Tensor]) -> tuple[Any, list[Any]] | Literal[False] | None: ...

class Graph:
    def __init__(self, recording: Recording, results: list[Tensor]) -> None: ...
    def take(self) -> list[Tensor]: ...

class Run:
    history: Any
    form: Form
    state: Any
    n_inputs: int
    way: Way
    joint: Joint | None
    residuals: Residuals | None
    versions: list[int]
    kept: InputKeeper | None
    graph: Graph | None
    twin: Any
    def __init__(
        self, history: Any, form: Form, state: Any, n_inputs: int, way: Way, residuals: Residuals | None = None
    ) -> None: ...

class InputKeeper:
    inputs: list[Tensor]
    def __init__(self, inputs: list[Tensor]) -> None: ...

class Replay(Function):
    @staticmethod
    def forward(ctx: Any, run: Run, inputs: list[Tensor], outputs: Any, *ends: Tensor) -> Any: ...

def run_backward(ctx: Any, *grads: Tensor | None) -> tuple[Tensor | None, ...]: ...
def attach(run: Run, inputs: list[Tensor], results: list[Tensor]) -> None: ...
def describe_grads(grads: Sequence[Tensor]) -> tuple[Any, ...] | None: ...
