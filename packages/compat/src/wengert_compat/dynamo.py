"""wengert._dynamo: what programs say to TorchDynamo, which wengert does not have.

>>> import wengert as wg
>>> wg._dynamo.is_compiling()
False
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from wengert_compat import compiling
from wengert_compat.compiling import F, allow_in_graph, assume_constant_result, is_compiling, reset

__all__ = ["allow_in_graph", "assume_constant_result", "disable", "graph_break", "is_compiling", "mark_dynamic",
           "mark_static", "maybe_mark_dynamic", "reset"]


@overload
def disable(fn: F, recursive: bool = ..., *, reason: str | None = ..., wrapping: bool = ...) -> F: ...
@overload
def disable(
    fn: None = None, recursive: bool = ..., *, reason: str | None = ..., wrapping: bool = ...
) -> Callable[[F], F]: ...
def disable(
    fn: Callable[..., Any] | None = None, recursive: bool = True, *, reason: str | None = None, wrapping: bool = True
) -> Any:
    """Decorate a function that is not to be compiled, as none is. Return the function itself.

    >>> import wengert as wg
    >>> @wg._dynamo.disable()
    ... def double(x):
    ...     return 2 * x
    >>> double(wg.ones(1))
    tensor([2.])
    """
    if not wrapping and fn is not None:  # only the frame of the function itself would not be compiled
        compiling.check_callable(fn)
        return fn
    return compiling.disable(fn, recursive, reason=reason)


def graph_break(msg: str = "") -> None:
    """Do nothing: there is no compiled graph to end here.

    >>> import wengert as wg
    >>> wg._dynamo.graph_break()
    """


def mark_dynamic(t: Any, index: Any, **kwargs: Any) -> None:
    """Do nothing: a size that changes compiles nothing anew.

    >>> import wengert as wg
    >>> wg._dynamo.mark_dynamic(wg.ones(2), 0)
    """


maybe_mark_dynamic = mark_static = mark_dynamic
