from collections.abc import Callable
from threading import Lock
from typing import Any
from weakref import ref

from wengert_core.extend import Tensor

from wengert_replay.instructions.turns import Turn
from wengert_replay.recording.calls import Call
from wengert_replay.recording.tracing import Recording
from wengert_replay.refusal import Miss

THAWED: str

def note_fork() -> None: ...

class Program:
    trunk: Program | None
    fork: int
    fork_table: dict[tuple[int, Any], Program]
    steps: Any
    calls: dict[int, Call]
    inputs: list[Any]
    leaves: list[Any]
    results: list[Any]
    key: Any
    ended: str | None
    notes: list[str]
    shape: Any
    n_launches: int
    replays: int
    guard_failures: int
    @property
    def lock(self) -> Lock: ...
    def __init__(
        self,
        recording: Recording,
        results: list[Tensor],
        live: set[int],
        spent: Callable[[Any], bool],
        shape: Any = None,
        trunk: Program | None = None,
        fork: int = -1,
        seen: Any = None,
    ) -> None: ...
    def replay(self, inputs: list[Tensor]) -> tuple[Any, list[Any]] | Miss | None: ...
    def is_stale(self) -> bool: ...
    def takes_turn_of(self, turn: Turn) -> bool: ...
    def why_not_fitting(self, inputs: list[Tensor]) -> str: ...
    def was_replaced(self) -> bool: ...
    def drop_temporaries(self) -> None: ...
    def words_at(self) -> str: ...
    def counts(self) -> Any: ...
    def save(self, path: Any, *, names: Any = None) -> None: ...
    def to_dot(self, limit: int = 1000) -> str: ...
    @property
    def result_values(self) -> list[Any]: ...
    @property
    def outside(self) -> list[tuple[Tensor, int, int, int, int]]: ...
    @property
    def tensors(self) -> list[tuple[ref[Tensor], int, int, int]]: ...
    @property
    def branches(self) -> list[Program]: ...
    @property
    def n_branches(self) -> int: ...
    @property
    def n_calls(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def stream_nbytes(self) -> int: ...
