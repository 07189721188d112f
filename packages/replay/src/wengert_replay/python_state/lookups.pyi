from collections.abc import Callable, Iterable
from typing import Any, final

@final
class Lookup: ...

@final
class Finder: ...

@final
class Lookups:
    def tensor_at(self, address: int) -> Any: ...

def find_lookups(function: Callable[..., Any], args: Iterable[Any]) -> Lookups: ...
