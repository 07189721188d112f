"""``const_graph``: a function itself, since there is no graph of constants to be kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any


def const_graph(fun: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[..., Any]:
    """Return a function with its first arguments bound."""
    return partial(fun, *args, **kwargs)


full_graph = const_graph
