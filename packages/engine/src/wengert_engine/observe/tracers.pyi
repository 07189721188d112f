from collections.abc import Callable
from typing import Any

class Tracer:
    def call_python(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any: ...
