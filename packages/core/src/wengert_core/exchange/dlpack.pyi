from typing import Any

from wengert_core.tensors.tensor import Tensor

class DLPackMemory: ...

def to_capsule(
    self: Tensor,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any: ...
def device_pair(self: Tensor) -> tuple[int, int]: ...
def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor: ...
