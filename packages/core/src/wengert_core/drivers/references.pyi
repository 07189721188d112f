from typing import Any

import numpy as np

from wengert_core.dispatch.op import Op

class UfuncOfNumPy:
    ufunc: np.ufunc
    def __init__(self, ufunc: np.ufunc) -> None: ...
    def __call__(self, xp: Any, *arrays: Any) -> Any: ...

def source_of(op: Op) -> str: ...
