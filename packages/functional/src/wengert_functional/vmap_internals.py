"""wengert._vmap_internals: the first form of vmap, which some programs still import."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_functional.vmap import vmap

__all__ = ["_vmap"]


def _vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, allow_none_pass_through: bool = False
) -> Callable[..., Any]:
    """Return the function that maps ``func`` over a dim of its arguments; ``vmap`` has more options.

    allow_none_pass_through: an output that is None stays None.

    >>> import wengert as wg
    >>> from wengert._vmap_internals import _vmap
    >>> _vmap(wg.dot)(wg.ones(3, 2), wg.arange(6.0).reshape(3, 2))
    tensor([1., 5., 9.])
    """
    if not allow_none_pass_through:
        return vmap(func, in_dims, out_dims)

    def call_mapped(*args: Any) -> Any:
        places: list[int] = []  # of the outputs that are tensors

        def tensors_of(*samples: Any) -> Any:
            outputs = func(*samples)
            several = outputs if isinstance(outputs, tuple) else (outputs,)
            places[:] = [index for index, one in enumerate(several) if one is not None]
            sizes.append(len(several) if isinstance(outputs, tuple) else -1)
            return tuple(several[index] for index in places)

        sizes: list[int] = []
        found = vmap(tensors_of, in_dims, out_dims)(*args)
        items: list[Any] = [None] * max(sizes[-1], 1)
        for index, value in zip(places, found, strict=True):
            items[index] = value
        return tuple(items) if sizes[-1] >= 0 else items[0]

    return call_mapped
