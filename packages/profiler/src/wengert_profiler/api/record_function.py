"""record_function: a label for a block of code; and profiles that are handed on to other threads."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Self, TypeVar

from wengert_engine.extend import begin_label, current_recording, end_label, start_recording, stop_recording

F = TypeVar("F", bound=Callable[..., Any])


class Label(str):
    """A label with the arguments that were given with it."""

    __slots__ = ("args",)
    args: str


class record_function:
    """Context manager, and decorator, that gives a block of code a label in profiles.

    name: the label.   args: a text that belongs to it; it is the event's only concrete input.
    Costs next to nothing when nobody profiles. RuntimeError, when the block begins, for a name or args that is no text.

    >>> import wengert as wg
    >>> with wg.autograd.profiler.profile() as prof:
    ...     with wg.autograd.profiler.record_function("step"):
    ...         y = wg.ones(2) * 2
    >>> [event.name for event in prof.function_events]
    ['step', 'aten::ones', 'aten::mul']
    """

    name: str
    args: str | None

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args
        self._events: list[int] = []
        self._entered = False

    def __enter__(self) -> Self:
        name: str = self.name
        if not isinstance(name, str):
            raise RuntimeError(refusal("name", "str", name))
        if self.args is not None and not isinstance(self.args, str):
            raise RuntimeError(refusal("args", "Optional[str]", self.args))
        self._entered = True
        if self.args is not None:
            name = Label(name)
            name.args = self.args
        self._events.append(begin_label(name))
        return self

    def __exit__(self, *error: object) -> None:
        if not self._entered:
            raise AssertionError("Expected record to be set: record_function's block was left and never entered")
        if self._events:
            end_label(self._events.pop())

    def __call__(self, function: F) -> F:
        """The function, every call of which has the label."""
        name, args = self.name, self.args

        @functools.wraps(function)
        def run_with_label(*given: Any, **keywords: Any) -> Any:
            with record_function(name, args):
                return function(*given, **keywords)

        return run_with_label  # type: ignore[return-value]


def refusal(argument: str, expected: str, value: object) -> str:
    """What a label of the wrong type is told."""
    return (
        f"record_function(): Expected a value of type '{expected}' for argument '{argument}' but instead found type "
        f"'{type(value).__name__}'"
    )


def carried(function: F) -> F:
    """A function which is profiled with the block it was handed out in, whichever thread it runs in.

    A profile belongs to one thread. Wrap what is given to a pool or a Thread: its events are in the same profile, under
    a thread of their own. Outside of a profile the function is given back as it is.

    >>> import threading
    >>> import wengert as wg
    >>> with wg.autograd.profiler.profile() as prof:
    ...     thread = threading.Thread(target=wg.profiler.carried(lambda: wg.ones(2) * 2))
    ...     thread.start()
    ...     thread.join()
    >>> [(event.name, event.thread) for event in prof.function_events]
    [('aten::ones', 2), ('aten::mul', 2)]
    """
    recording = current_recording()
    if recording is None:
        return function

    @functools.wraps(function)
    def inside(*given: Any, **keywords: Any) -> Any:
        if current_recording() is not None:  # the thread that handed it out, or one that does the same
            return function(*given, **keywords)
        start_recording(recording)
        try:
            return function(*given, **keywords)
        finally:
            stop_recording()

    return inside  # type: ignore[return-value]
