from typing import Any

from wengert_core.dispatch.op import Op
from wengert_core.tensors.tensor import Tensor

def set_index_op(op: Op) -> None: ...
def getitem(t: Tensor, key: Any) -> Tensor: ...
