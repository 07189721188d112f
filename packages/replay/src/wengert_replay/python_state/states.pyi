from collections.abc import Callable, Iterable
from types import CodeType
from typing import Any, final

from wengert_replay.python_state.values import Mark

def walk_for_changes(
    function: Callable[..., Any], args: Iterable[Any]
) -> tuple[list[Any], list[Mark], list[tuple[CodeType, str]], list[tuple[int, Any]]]: ...

class PythonStates:
    def __init__(self, limit: int) -> None: ...
    def number(self, function: Callable[..., Any], args: Iterable[Any]) -> int: ...
    def facts(self, number: int) -> tuple[list[Any], list[Mark]]: ...

@final
class Walker: ...
