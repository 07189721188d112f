from typing import Any

from wengert_core.op import Op
from wengert_core.tensor import Tensor

def set_index_op(op: Op) -> None: ...
def getitem(t: Tensor, key: Any) -> Tensor: ...
