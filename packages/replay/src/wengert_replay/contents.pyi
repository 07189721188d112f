from collections.abc import Container
from typing import Any, final

@final
class Item: ...

@final
class Contents:
    def __init__(self, value: Any, *, skip: Container[Any] = ..., numbers: bool = ...) -> None: ...
    def agree(self, value: Any) -> bool: ...
