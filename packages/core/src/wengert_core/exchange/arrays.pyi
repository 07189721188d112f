from typing import Any

from numpy.typing import NDArray

from wengert_core.tensors.tensor import Tensor

def to_array(t: Tensor) -> NDArray[Any]: ...
def from_array(array: NDArray[Any]) -> Tensor: ...
