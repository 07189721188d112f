from typing import overload

from wengert_core.binding.checked_methods import Method
from wengert_core.geometry.size import Size

class ElementCount(int):
    @overload
    def __call__(self, dim: None = None) -> Size: ...
    @overload
    def __call__(self, dim: int) -> int: ...

class CountMethod(Method): ...
