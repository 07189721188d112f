from collections.abc import Iterable

from wengert_core.dtypes import dtype
from wengert_core.op import Op

def configure(op: Op, kernel: str, kind: str, dtypes: Iterable[dtype]) -> None: ...
