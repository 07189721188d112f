from collections.abc import Callable
from typing import Any

from wengert_core.dispatch.op import Op

def configure(op: Op, sampler: Callable[..., Any], fill: Callable[..., bool] | None) -> None: ...
