"""Decorators of ``wengert.compile``, ``wengert.compiler`` and ``wengert._dynamo``.

Note [What compile does]
    wengert has no compiler that reads Python. With wengert-replay, ``compile`` gives what ``wengert.capture`` gives,
    with guards on Python's state, as PyTorch has them: numbers and objects that the function reaches through globals,
    closures and attributes are part of the signature. Without it, each decorator returns the function it gets.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast, overload

from wengert_core.extend import as_list, warn_user
from wengert_engine.extend import current_tracer
from wengert_registry import registry

from wengert_compat.optimized_module import module_class, optimize

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
    """Return a function whose calls are recorded once for each signature and replayed; a decorator for no function.

    With wengert-replay installed, this is ``wengert.capture`` with guards on Python's state; a module gives a module
    that wraps it, with its parameters (their names begin with ``_orig_mod.``). Without wengert-replay, with
    ``disable``, and for a class, the function itself is returned.

    fullgraph: a call that cannot be replayed is a RuntimeError, behind its run where only that has shown it; otherwise
    it runs as usual, and ``wengert.replay.explain`` has the reason.   backend: ``"eager"`` runs calls as usual; others
    make no difference, a function gets no graph to compile.   recompile_limit: signatures that are recorded, 64 if
    None.   dynamic, mode, options, name and shapes_spec are taken and have no meaning, which a UserWarning says where
    one is set: each shape has a program of its own, and there is one way to make it.   isolate_recompiles: each
    function that is returned has programs of its own, whatever this says. As in PyTorch, a ``mode`` or a backend's name
    that it does not have, and ``mode`` and ``options`` together, are a RuntimeError; what cannot be called, and a
    ``dynamic`` that is no bool, are an AssertionError.

    >>> import wengert as wg
    >>> @wg.compile(fullgraph=True)
    ... def wave(x):
    ...     return x.sin() + x.cos()
    >>> wave(wg.zeros(1))
    tensor([1.])
    >>> wg.compile(wave, disable=True) is wave
    True
    """

    def decorate(fn: F) -> Any:
        if fn is None:
            raise RuntimeError("Model can't be None")
        if mode is not None and options is not None:
            raise RuntimeError(
                "Either mode or options can be specified, but both can't be specified at the same time."
            )
        check_settings(mode, backend, dynamic)
        check_callable(fn)
        if disable or isinstance(fn, type) or not has_replay():
            return fn
        for words in without_meaning(dynamic, backend, mode, options, name, shapes_spec):
            warn_user(f"wengert.compile: {words}")
        again = functools.partial(
            compile_call, fullgraph=fullgraph, limit=recompile_limit or LIMIT, runs_eagerly=backend == "eager"
        )
        base = module_class(fn)
        return again(fn) if base is None else optimize(fn, base, again)

    return decorate if model is None else decorate(model)


MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")
"""PyTorch's modes. None has a meaning here, and another one is an error as it is there."""
BACKENDS = frozenset((
    "aot_eager", "aot_eager_decomp_partition", "aot_eager_decomp_partition_crossref",
    "aot_eager_decomp_partition_with_mode", "aot_eager_default_partitioner", "aot_ts", "cudagraphs", "eager",
    "eager_debug", "eager_noexcept", "inductor", "invoke_subgraph", "openxla", "openxla_eval", "pre_dispatch_eager",
    "ts", "tvm",
))  # fmt: skip
"""Names of PyTorch's backends. Another one is an error, as it is there."""
LIMIT = 64
"""Signatures of a compiled function that are recorded."""
COMPILED: weakref.WeakSet[Any] = weakref.WeakSet()
"""Captured functions that ``compile`` has made."""


def check_settings(mode: Any, backend: Any, dynamic: Any) -> None:
    """Raise PyTorch's error for a setting that it does not take."""
    if mode is not None and mode not in MODES and backend in (None, "inductor"):
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(MODES)}")
    if isinstance(backend, str) and backend not in BACKENDS:
        raise RuntimeError(
            f"Invalid backend: {backend!r}, see `torch._dynamo.list_backends()` for available backends. "
            "wengert.compile records calls with each of them but 'eager', so it may be left out"
        )
    if dynamic is not None and not isinstance(dynamic, bool):
        raise AssertionError(f"Expected enable to be a bool, got {type(dynamic)}: 'dynamic' is True, False or None")


def without_meaning(dynamic: Any, backend: Any, mode: Any, options: Any, name: Any, shapes_spec: Any) -> list[str]:
    """Return words for each setting that changes nothing, though its value asks for something."""
    shapes = "each shape is recorded as a program of its own"
    recorded = "calls are recorded in one way, which this does not change"
    asked = [
        ("dynamic=True", dynamic is True, shapes),
        ("backend", backend not in (None, "inductor", "eager"), "it is not called, as there is no graph to compile"),
        ("mode", mode not in (None, "default"), recorded),
        ("options", bool(options), recorded),
        ("name", name is not None, "explain() shows the function by its own name"),
        ("shapes_spec", shapes_spec is not None, shapes),
    ]
    return [f"{setting} has no meaning here: {why}" for setting, is_set, why in asked if is_set]


def has_replay() -> bool:
    """Whether wengert-replay is installed and not switched off."""
    return "capture" in registry.group("namespace")


def compile_call(fn: Callable[..., Any], fullgraph: bool, limit: int, runs_eagerly: bool) -> Callable[..., Any]:
    """Return a function that replays calls of ``fn``; ``captured`` is what does it."""
    captured: Any = fn
    if not runs_eagerly:
        capture: Any = registry.group("namespace").get("capture")
        captured = capture(fn, max_programs=limit, guard_python=True, strict=fullgraph, quiet=True)
        COMPILED.add(captured)

    def call(*args: Any, **kwargs: Any) -> Any:
        return captured(*args, **kwargs)

    functools.update_wrapper(call, fn, updated=())
    call._torchdynamo_orig_callable = fn  # type: ignore[attr-defined]
    call.captured = captured  # type: ignore[attr-defined]
    return call


@overload
def disable(fn: F, recursive: bool = ..., *, reason: str | None = ...) -> F: ...
@overload
def disable(fn: None = None, recursive: bool = ..., *, reason: str | None = ...) -> Callable[[F], F]: ...
def disable(fn: Callable[..., Any] | None = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Decorate a function that is not to be compiled. Return a function that calls it; a class is returned itself.

    A replay of ``wengert.capture`` calls the function anew, in its place among the operations, while all other Python
    code has run in the recording alone. Numbers that it gives must be the same each time, or the replay ends there;
    tensors may differ in their values. It is not differentiated.

    >>> import wengert as wg
    >>> calls = []
    >>> @wg.compiler.disable
    ... def show(x):
    ...     calls.append(x.item())
    >>> @wg.compiler.disable(recursive=False, reason="it prints")
    ... def double(x):
    ...     return 2 * x
    >>> double(wg.ones(1))
    tensor([2.])
    """

    def decorate(fn: F) -> F:
        check_callable(fn)
        return fn if isinstance(fn, type) else call_uncompiled(fn)

    if fn is None:
        return decorate
    if not callable(fn):
        raise AssertionError("fn must be callable")
    return decorate(fn)


def call_uncompiled(fn: F) -> F:
    """Return a function that tells the thread's tracer that its operations are not to be recorded."""

    @functools.wraps(fn, updated=("__dict__",) if hasattr(fn, "__dict__") else ())
    def call(*args: Any, **kwargs: Any) -> Any:
        tracer = current_tracer()
        return fn(*args, **kwargs) if tracer is None else tracer.call_python(fn, args, kwargs)

    call._torchdynamo_orig_callable = fn  # type: ignore[attr-defined]
    return cast(F, call)


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
    """Return whether this thread's operations are being recorded, by ``compile`` or ``wengert.capture``.

    >>> import wengert as wg
    >>> wg.compiler.is_compiling()
    False
    """
    return current_tracer() is not None


def reset() -> None:
    """Forget what compiled functions have recorded; later calls are recorded again.

    >>> import wengert as wg
    >>> wg.compiler.reset()
    """
    for captured in list(COMPILED):
        captured.forget()
