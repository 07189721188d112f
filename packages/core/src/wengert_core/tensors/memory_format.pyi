from typing import Self

class memory_format:
    name: str
    def __new__(cls) -> Self: ...
    def __reduce__(self) -> str: ...

contiguous_format: memory_format
preserve_format: memory_format
channels_last: memory_format
channels_last_3d: memory_format
