from collections.abc import Callable, Iterable
from typing import Any, final

from wengert_replay.python_state.values import Code, Mark

def walk_for_changes(
    function: Callable[..., Any], args: Iterable[Any]
) -> tuple[list[Any], list[Mark], list[Code], list[tuple[int, Any]]]: ...

@final
class Walker: ...
