"""functionalize: a function whose results share no memory with what it was given, unless they are views of it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from wengert_core.extend import Tensor

from wengert_functional.signatures import P, R
from wengert_functional.trees import flatten, unflatten

MUTATIONS = "mutations"
BOTH = "mutations_and_views"


def functionalize(func: Callable[P, R], *, remove: str = MUTATIONS) -> Callable[P, R]:
    """A function that gives what ``func`` gives, derivatives too, for programs that look at a function's operations.

    remove: "mutations", or "mutations_and_views": no result is a view. Writes and views that a function makes on its
    way are recorded here as what they compute, so that there is nothing to take out of a graph: derivatives and vmap go
    through them. What it writes to its arguments is written; a result that is an argument which was written to is a
    copy of it. RuntimeError for another ``remove``.

    >>> import wengert as wg
    >>> def doubled(x):
    ...     y = x.clone()
    ...     y.view(-1).mul_(2)
    ...     return y
    >>> wg.func.functionalize(doubled)(wg.ones(2))
    tensor([2., 2.])
    """
    if remove not in (MUTATIONS, BOTH):
        raise RuntimeError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid options "
            f"are:\n     remove='{MUTATIONS}': writes are not to be seen in what is computed.\n     "
            f"remove='{BOTH}': nor is a result a view."
        )

    @functools.wraps(func)
    def functionalized_call(*args: Any, **kwargs: Any) -> Any:
        given = {id(x): x._version for x in flatten((args, kwargs))[0] if isinstance(x, Tensor)}
        leaves, spec = flatten(func(*args, **kwargs))
        return unflatten(spec, [own(x, given.get(id(x)), remove) for x in leaves])

    return functionalized_call


def own(result: Any, version: int | None, remove: str) -> Any:
    """A result as the function shows it. version: the one that it had as an argument; None for another tensor."""
    if not isinstance(result, Tensor):
        return result
    written = version is not None and result._version != version
    return result.clone() if written or (remove == BOTH and result._is_view() and version is None) else result
