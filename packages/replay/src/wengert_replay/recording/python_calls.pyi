from collections.abc import Callable
from typing import Any
from weakref import ref

from wengert_core.extend import Tensor

from wengert_replay.recording.calls import Call

class PythonCall(Call):
    function: Callable[..., Any]
    outside: list[ref[Tensor]]
    owner: list[Any]

def watch_calls(watcher: Any) -> Any: ...

class OutsideView:
    def __call__(self, *args: Any, **kwargs: Any) -> Tensor: ...
