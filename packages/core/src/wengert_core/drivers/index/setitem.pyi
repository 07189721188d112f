from typing import Any

from wengert_core.dispatch.op import Op
from wengert_core.tensors.tensor import Tensor

def set_ops(copy: Op, fill: Op, put: Op) -> None: ...
def setitem(t: Tensor, key: Any, value: Any) -> None: ...
