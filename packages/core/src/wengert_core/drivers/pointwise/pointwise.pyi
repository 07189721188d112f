from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from wengert_core.dispatch.op import Op
from wengert_core.dtypes.dtypes import dtype

def configure(
    op: Op,
    n_in: int,
    promotion: str,
    kernels: Sequence[Any],
    dtypes: Iterable[dtype],
    reference: Callable[..., Any],
    *,
    alpha: str | None = None,
    check: str | None = None,
    n_promote: int | None = None,
    variant: str | None = None,
    variants: Mapping[Any, Sequence[Any]] | Iterable[tuple[Any, Sequence[Any]]] = (),
    bounds: bool = False,
    identity: str | None = None,
    narrow: str | None = None,
) -> None: ...
def has_kernel(name: str) -> bool: ...
def truncate_reference(xp: Any, x: Any) -> Any: ...
