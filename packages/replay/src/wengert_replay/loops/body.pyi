from typing import Any

from wengert_core.extend import Tensor

from wengert_replay.recording.tracing import Recording

class Body:
    steps: Any
    calls: dict[int, Any]
    outside: list[Tensor]
    imported: list[Tensor]
    states: dict[int, Any]
    external: list[Tensor]
    like_inputs: list[Any]
    like_results: list[Any]
    n_inputs: int
    n_results: int
    n_imports: int
    arena_nbytes: int
    places: list[int | None]
    def note_outside(self, recording: Recording, around: Recording) -> None: ...
    @property
    def result_values(self) -> list[Any]: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def stream_nbytes(self) -> int: ...
    def generators(self) -> list[object]: ...
    def loops(self) -> list[Any]: ...
    def all_states(self) -> dict[int, object]: ...
    def words(self) -> str: ...

def rows_of_bytes(t: Tensor, like: Tensor, n: int) -> Tensor: ...
def bytes_for(like: Tensor, n: int) -> Tensor: ...
