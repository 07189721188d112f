from typing import Any

from wengert import Tensor

def array_function(self: Tensor, func: Any, types: Any, args: Any, kwargs: Any) -> Any: ...
