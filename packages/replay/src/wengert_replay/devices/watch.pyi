from typing import Any

from wengert_core import Generator
from wengert_core.extend import Tensor
from wengert_engine.extend import Tracer

from wengert_replay.devices.fusion import PendingChain

class Box:
    tensor: Tensor
    def __init__(self, tensor: Tensor) -> None: ...

class GeneratorCalls:
    boxes: dict[int, Box]
    def __init__(self, plugin: Any, index: int) -> None: ...
    def close(self) -> list[Box]: ...

class DeviceWatch(Tracer):
    tensors: dict[int, tuple[Any, Any, int, int]]
    memories: dict[int, Any]
    held: dict[int, Any]
    extents: dict[int, tuple[int, int]]
    written: dict[int, Any]
    leaves: dict[int, tuple[Tensor, Tensor | None]]
    asked: set[int]
    needs_whole_backward: bool
    calls: list[tuple[Any, Any, list[Any]]]
    listing: Any
    regions: set[tuple[int, int]]
    lines: object
    generators: list[Generator]
    states: list[tuple[Generator, Tensor]]
    chain: PendingChain | None
    refusal: str
    generator_calls: GeneratorCalls
    has_effects: bool
    def __init__(self, first: Tensor, fuse: bool) -> None: ...
    def start(self) -> None: ...
    def go_on_from(self, other: DeviceWatch) -> None: ...
    def finish(self) -> None: ...
    def note_numbers(self, numbers: bytes) -> None: ...
    def give_up(self, why: str) -> None: ...
    def note_read(self, t: Tensor) -> None: ...
    def stop(self) -> None: ...
    def list_guard(self, t: Tensor, numbers: str) -> None: ...

def line_text(lines: object, number: int) -> str: ...
def set_version(t: Tensor, version: int) -> None: ...
