"""wengert.jit: TorchScript's decorators, which leave a function as it is.

There is no second language that functions are translated into: what is scripted or traced here runs in Python, with its
branches, loops and side effects, each time that it is called.

>>> import wengert as wg
>>> @wg.jit.script
... def double(x):
...     return 2 * x
>>> double(wg.ones(2))
tensor([2., 2.])
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar, overload

from wengert_core.extend import short_repr

from wengert_compat.jit_modules import Future, ScriptFunction, ScriptModule, TracerWarning, fork, trace_module, wait

__all__ = [
    "Final", "Future", "ScriptFunction", "ScriptModule", "TracerWarning", "annotate", "export", "fork", "ignore",
    "is_scripting", "is_tracing", "script", "script_if_tracing", "trace", "trace_module", "unused", "wait",
]  # fmt: skip

F = TypeVar("F")
C = TypeVar("C", bound=Callable[..., Any])
T = TypeVar("T")


def check_function(fn: object, where: str, error: type[Exception]) -> None:
    """Raise an error that names the function which was called unless ``fn`` can be called."""
    if not callable(fn):
        raise error(f"{where} expects a function, got {type(fn).__name__}")


def script(
    obj: F,
    optimize: bool | None = None,
    _frames_up: int = 0,
    _rcb: Callable[[str], Any] | None = None,
    example_inputs: Sequence[Any] | Mapping[Any, Any] | None = None,
) -> F:
    """Return ``obj`` itself: a function, a class, an object that can be called, a list or a dict.

    The other arguments are taken and not used. Anything else is a TypeError.

    >>> import wengert as wg
    >>> def double(x):
    ...     return 2 * x
    >>> wg.jit.script(double) is double
    True
    """
    if not isinstance(obj, list | dict):
        check_function(obj, "jit.script()", TypeError)
    return obj


def trace(
    func: F,
    example_inputs: Any = None,
    optimize: bool | None = None,
    check_trace: bool = True,
    check_inputs: Sequence[Any] | None = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
    *,
    example_kwarg_inputs: Mapping[str, Any] | None = None,
) -> F:
    """Return ``func`` itself. It is not called: what it does with the example inputs is not recorded.

    PyTorch keeps the branches and the number of turns that the example inputs led to; here each call decides anew. The
    arguments behind the example inputs are taken and not used. Without example inputs it is a TypeError.

    >>> import wengert as wg
    >>> def clipped(x):
    ...     return x if x.sum() < 3 else 3 * x / x.sum()
    >>> traced = wg.jit.trace(clipped, (wg.ones(2),))
    >>> traced(wg.tensor([2.0, 4.0]))
    tensor([1., 2.])
    """
    check_function(func, "jit.trace()", RuntimeError)
    if example_inputs is None and example_kwarg_inputs is None:
        raise TypeError("jit.trace() needs example_inputs or example_kwarg_inputs")
    return func


@overload
def ignore(drop: C, **kwargs: Any) -> C: ...
@overload
def ignore(drop: bool = False, **kwargs: Any) -> Callable[[F], F]: ...
def ignore(drop: bool | Callable[..., Any] = False, **kwargs: Any) -> Any:
    """Decorate a function that is to be left to Python, where all functions are. Return the function itself.

    It is called as PyTorch's: ``@jit.ignore``, ``@jit.ignore()``, ``@jit.ignore(drop=True)``. With ``drop=True``, too,
    the function runs when it is called.

    >>> import wengert as wg
    >>> @wg.jit.ignore(drop=True)
    ... def report(x):
    ...     print(x.sum().item())
    >>> report(wg.ones(2))
    2.0
    """
    if callable(drop):
        return drop
    if not isinstance(drop, bool):
        raise RuntimeError(f"Argument to @jit.ignore must be a bool or a function but got {short_repr(drop, str)}")

    def decorate(fn: F) -> F:
        check_function(fn, "jit.ignore()", AttributeError)
        return fn

    return decorate


def export(fn: F) -> F:
    """Decorate a method that is to be compiled although ``forward`` does not call it. Return the method itself.

    >>> import wengert as wg
    >>> class Scale:
    ...     @wg.jit.export
    ...     def double(self, x):
    ...         return 2 * x
    >>> Scale().double(wg.ones(1))
    tensor([2.])
    """
    check_function(fn, "jit.export()", AttributeError)
    return fn


def unused(fn: F) -> F:
    """Decorate a function, or a property, that a script does not call. Return it itself: it runs when it is called.

    >>> import wengert as wg
    >>> @wg.jit.unused
    ... def half(x):
    ...     return x / 2
    >>> half(wg.ones(1))
    tensor([0.5000])
    """
    if not isinstance(fn, property):
        check_function(fn, "jit.unused()", AttributeError)
    return fn


def script_if_tracing(fn: F) -> F:
    """Decorate a function that is to be scripted when it is first called while tracing: never, here. Return it itself.

    >>> import wengert as wg
    >>> @wg.jit.script_if_tracing
    ... def first(x):
    ...     return x[0]
    >>> first(wg.ones(2))
    tensor(1.)
    """
    check_function(fn, "jit.script_if_tracing()", TypeError)
    return fn


def annotate(the_type: object, the_value: T) -> T:
    """Return ``the_value``: the type is a hint for TorchScript's compiler, and is not checked.

    >>> import wengert as wg
    >>> wg.jit.annotate(list[int], [])
    []
    """
    return the_value


def is_scripting() -> bool:
    """Return False: no function is being compiled.

    >>> import wengert as wg
    >>> wg.jit.is_scripting()
    False
    """
    return False


def is_tracing() -> bool:
    """Return False: no function is being traced.

    >>> import wengert as wg
    >>> wg.jit.is_tracing()
    False
    """
    return False
