from typing import final, overload

from wengert_core.binding.checked_methods import Method
from wengert_core.geometry.size import Size

@final
class ElementCount(int):
    @overload
    def __call__(self, dim: None = None) -> Size: ...
    @overload
    def __call__(self, dim: int) -> int: ...

class CountMethod(Method): ...
