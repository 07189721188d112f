from collections.abc import Iterable

from wengert_core.dispatch.op import Op
from wengert_core.dtypes.dtypes import dtype

def configure(op: Op, kernel: str, kind: str, dtypes: Iterable[dtype]) -> None: ...
