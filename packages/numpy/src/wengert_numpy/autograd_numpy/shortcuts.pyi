from typing import Any

FUNCTIONS: tuple[Any, ...]

def shortcut(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any: ...
