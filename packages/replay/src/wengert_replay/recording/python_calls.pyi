from collections.abc import Callable
from typing import Any, Protocol
from weakref import ref

from wengert_core.extend import Tensor

from wengert_replay.recording.calls import Call

class PythonCall(Call):
    function: Callable[..., Any]
    outside: list[ref[Tensor]]
    owner: list[Any]

class Watcher(Protocol):
    def call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any: ...
    def forget(self) -> None: ...

def watch_calls(watcher: Watcher | None) -> Watcher | None: ...

class OutsideView:
    def __call__(self, *args: Any, **kwargs: Any) -> Tensor: ...
