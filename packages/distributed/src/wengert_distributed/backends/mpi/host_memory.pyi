from typing import Any, Self, final

@final
class HostMemory: ...

@final
class HostTensors:
    def __new__(cls, size: int, datatypes: dict[Any, tuple[Any, int, int]], reduced: set[Any]) -> Self: ...
