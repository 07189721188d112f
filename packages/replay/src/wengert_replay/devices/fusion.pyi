from typing import Any

class Region: ...

class PendingChain:
    failure: Exception | None
    def __init__(self, plugin: Any, index: int, device: int) -> None: ...
