"""Decorators of ``wengert.compile``, ``wengert.compiler`` and ``wengert._dynamo``: each returns the function it gets.

wengert has no compiler. A function that was compiled for PyTorch runs operation by operation, and gives what it gives
uncompiled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, overload

from wengert_core.extend import as_list

F = TypeVar("F", bound=Callable[..., Any])
Backend = str | Callable[..., Any]
Options = Mapping[str, Any]


def check_callable(fn: object) -> None:
    """Raise PyTorch's AssertionError for what cannot be called."""
    if not callable(fn):
        raise AssertionError(f"A callable function is expected, but {type(fn)} is provided.")


@overload
def compile(
    model: F, *, fullgraph: bool = ..., dynamic: bool | None = ..., backend: Backend | None = ...,
    mode: str | None = ..., options: Options | None = ..., name: str | None = ..., disable: bool = ...,
    recompile_limit: int | None = ..., isolate_recompiles: bool = ..., shapes_spec: Any = ...,
) -> F: ...
@overload
def compile(
    model: None = None, *, fullgraph: bool = ..., dynamic: bool | None = ..., backend: Backend | None = ...,
    mode: str | None = ..., options: Options | None = ..., name: str | None = ..., disable: bool = ...,
    recompile_limit: int | None = ..., isolate_recompiles: bool = ..., shapes_spec: Any = ...,
) -> Callable[[F], F]: ...
def compile(
    model: Callable[..., Any] | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: Backend | None = None,
    mode: str | None = None,
    options: Options | None = None,
    name: str | None = None,
    disable: bool = False,
    recompile_limit: int | None = None,
    isolate_recompiles: bool = False,
    shapes_spec: Any = None,
) -> Any:
    """Return the function, or the object that can be called, itself; without one, a decorator that does.

    Nothing is compiled: the settings are taken and not used, and the names of backends and modes are not checked. As in
    PyTorch, ``mode`` and ``options`` together are a RuntimeError, and what cannot be called is an AssertionError.

    >>> import wengert as wg
    >>> @wg.compile(fullgraph=True)
    ... def wave(x):
    ...     return x.sin() + x.cos()
    >>> wave(wg.zeros(1))
    tensor([1.])
    >>> wg.compile(wave, mode="max-autotune") is wave
    True
    """

    def decorate(fn: F) -> F:
        if fn is None:
            raise RuntimeError("Model can't be None")
        if mode is not None and options is not None:
            raise RuntimeError(
                "Either mode or options can be specified, but both can't be specified at the same time."
            )
        check_callable(fn)
        return fn

    return decorate if model is None else decorate(model)


@overload
def disable(fn: F, recursive: bool = ..., *, reason: str | None = ...) -> F: ...
@overload
def disable(fn: None = None, recursive: bool = ..., *, reason: str | None = ...) -> Callable[[F], F]: ...
def disable(fn: Callable[..., Any] | None = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Decorate a function that is not to be compiled, as none is. Return the function itself.

    >>> import wengert as wg
    >>> @wg.compiler.disable
    ... def double(x):
    ...     return 2 * x
    >>> @wg.compiler.disable(recursive=False, reason="it prints")
    ... def show(x):
    ...     print(x)
    >>> show(double(wg.ones(1)))
    tensor([2.])
    """

    def decorate(fn: F) -> F:
        check_callable(fn)
        return fn

    if fn is None:
        return decorate
    if not callable(fn):
        raise AssertionError("fn must be callable")
    return fn


def allow_in_graph(fn: Any) -> Any:
    """Decorate a function that a compiler is to put into its graph unseen. Return the function itself.

    A list or tuple of functions gives a list of them.

    >>> import wengert as wg
    >>> @wg.compiler.allow_in_graph
    ... def double(x):
    ...     return 2 * x
    >>> double(wg.ones(1))
    tensor([2.])
    """
    functions = fn if isinstance(fn, list | tuple) else [fn]
    if not all(map(callable, functions)):
        raise AssertionError("allow_in_graph expects a callable")
    return fn if functions is not fn else as_list(functions)


def assume_constant_result(fn: F) -> F:
    """Decorate a function whose result a compiler may take as a constant. Return the function itself.

    Nothing is assumed: it is called each time, and may give another result.

    >>> import wengert as wg
    >>> @wg.compiler.assume_constant_result
    ... def scale():
    ...     return 2
    >>> scale()
    2
    """
    if not callable(fn):
        raise AttributeError(f"assume_constant_result() expects a function, got {type(fn).__name__}")
    return fn


def is_compiling() -> bool:
    """Return False: no function is being compiled.

    >>> import wengert as wg
    >>> wg.compiler.is_compiling()
    False
    """
    return False


def reset() -> None:
    """Do nothing: there is no compiled code to be forgotten.

    >>> import wengert as wg
    >>> wg.compiler.reset()
    """
