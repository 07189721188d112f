from collections.abc import Callable
from typing import Any

from wengert_core.op import Op

class Source: ...

def configure(op: Op, impl: Callable[..., Any], weight: bool) -> None: ...
