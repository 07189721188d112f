from wengert_core.extend import Tensor

from wengert_replay.loops.body import Body
from wengert_replay.recording.calls import Call
from wengert_replay.recording.tracing import Recording
from wengert_replay.refusal import Refusal

class Loop(Call):
    label: str
    construct: str
    source: str
    carry: list[Tensor]
    rows: list[Tensor]
    backwards: list[bool]
    bounds: list[int | Tensor] | None
    count: int
    bodies: list[Body]
    tests: list[Body]
    following: list[int]
    n_outputs: int
    kept: list[int]
    room: int
    drops: bool
    may_be_empty: bool
    n_empty: int
    is_excused: bool
    counts: bool
    index_step: int
    n_into: int
    places: list[int | None]
    def all_bodies(self) -> list[Body]: ...
    def agrees(self) -> bool: ...
    def no_room(self) -> Refusal: ...
    def other_gradients(self) -> Refusal: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def stream_nbytes(self) -> int: ...

class Aside:
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...

def refuse_once(recording: Recording, why: str) -> None: ...
def nest(recording: Recording, around: Recording, ends_outside: bool = ..., is_trial: bool = ...) -> None: ...
def suspend(recording: Recording) -> bool: ...
def resume(recording: Recording) -> None: ...
def make_body(
    recording: Recording,
    around: Recording,
    results: list[Tensor],
    positions: list[int | None] | None = ...,
    result_positions: list[int | None] | None = ...,
    n_carry: int = ...,
    in_place: bool = ...,
) -> Body: ...
def run_loop(loop: Loop) -> None: ...
def make_loop(
    construct: str,
    source: str,
    carry: list[Tensor],
    rows: list[Tensor],
    backwards: list[bool],
    bodies: list[Body],
    tests: list[Body],
    following: list[int],
    outputs: list[Tensor],
    count: int = ...,
    bounds: list[int | Tensor] | None = ...,
    kept: list[int] | None = ...,
    index_step: int = ...,
    room: int = ...,
    counts: bool = ...,
    n_into: int = ...,
) -> Loop: ...
def add_loop(recording: Recording, loop: Loop, operands: list[Tensor], outputs: list[Tensor]) -> None: ...
