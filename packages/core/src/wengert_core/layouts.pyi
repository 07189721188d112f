class memory_format:
    name: str
    def __init__(self, name: str) -> None: ...
    def __reduce__(self) -> str: ...

contiguous_format: memory_format
preserve_format: memory_format
channels_last: memory_format
channels_last_3d: memory_format
