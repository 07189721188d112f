from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Self

class ArgumentCasts:
    def __new__(
        cls,
        casts_for: Callable[[Any], Callable[[list[Any]], Sequence[Any]] | None],
        again: Callable[[], Callable[[], AbstractContextManager[Any]]] | None = None,
        caches: Callable[[str], bool] | None = None,
    ) -> Self: ...

class Holder: ...

def set_argument_casts(casts: ArgumentCasts | None) -> ArgumentCasts | None: ...
def casts_again() -> Callable[[], AbstractContextManager[Any]]: ...
def casts_are_cached(device_type: str) -> bool: ...
