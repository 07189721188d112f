"""capture: a function whose calls are recorded once for each signature, and replayed.

Note [When a call is not replayed]
    It runs as usual where the thread is observed, inside of ``vmap`` or of another capture, where arguments are not
    what a program can take (another device, a history, shared memory, a value without a hash), and where a recording
    was refused for good. It also does where a guard differs, and past ``max_programs`` recordings.
    A recording is refused for this time where the function stored a tensor that it made somewhere (the state that an
    optimizer makes at its first step): the next call is recorded again, up to RETRIES times.
"""

from __future__ import annotations

import functools
import gc
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, overload

from wengert_core.extend import Tensor
from wengert_engine.extend import is_dual_level_open

from wengert_replay.arguments import describe_tensors
from wengert_replay.graphs import is_spent
from wengert_replay.program import Program, Refused
from wengert_replay.signature import Unhashable, flatten, rebuild, surroundings
from wengert_replay.tracing import Recording, is_unusual, thread_modes

RETRIES = 4
"""Recordings of one signature that may be refused for this time."""


class Explanation(NamedTuple):
    """The programs of a captured function, and counts of its calls."""

    programs: list[Program]
    """The programs, in the order of their recordings."""
    signatures: list[Any]
    """The signature of each program."""
    replays: int
    """Calls that were replayed."""
    eager: int
    """Calls that ran as usual, recordings among them."""
    reasons: list[str]
    """Why calls were not recorded or not replayed."""


class Entry:
    """The programs of one signature, and why there are no more."""

    def __init__(self) -> None:
        self.programs: list[tuple[Program, Any]] = []
        self.refusal = ""
        self.attempts = 0


class Capture:
    """A function whose calls are recorded and replayed. Made by ``capture``."""

    def __init__(self, function: Callable[..., Any], max_programs: int = 16) -> None:
        self.function = function
        self.max_programs = max_programs
        self.entries: dict[Any, Entry] = {}
        self.reasons: list[str] = []
        self.eager: int = 0
        self.replayed: int = 0
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        tensors: list[Tensor] = []
        try:
            structure = flatten((args, kwargs), tensors)
        except Unhashable as error:
            return self.run_eagerly(f"an argument of type {error} has no hash", args, kwargs)
        if is_unusual() or is_dual_level_open():
            return self.run_eagerly("", args, kwargs)
        described, why = describe_tensors(tensors)
        if why:
            return self.run_eagerly(why, args, kwargs)
        key = (structure, described, thread_modes(), surroundings())
        entry = self.entries.get(key)
        if entry is None:
            entry = self.entries[key] = Entry()
        return self.replay_or_record(entry, tensors, args, kwargs)

    def replay_or_record(self, entry: Entry, tensors: list[Tensor], args: Any, kwargs: Any) -> Any:
        for program, structure in list(entry.programs):
            results = program.replay(tensors)
            if results is False:
                return self.run_eagerly("a number that Python read in the recording differs", args, kwargs)
            if results is not None:
                self.replayed += 1
                return rebuild(structure, results)
            if program.is_stale():
                entry.programs.remove((program, structure))
        if entry.refusal:
            return self.run_eagerly("", args, kwargs)
        if sum(len(one.programs) for one in self.entries.values()) >= self.max_programs:
            return self.run_eagerly(
                f"there are {self.max_programs} programs (max_programs): calls of further signatures run as usual. "
                "wengert.replay.explain() lists the signatures", args, kwargs, warn=True
            )  # fmt: skip
        return self.record(entry, tensors, args, kwargs)

    def run_eagerly(self, why: str, args: Any, kwargs: Any, warn: bool = False) -> Any:
        self.eager += 1
        if why and why not in self.reasons:
            self.reasons.append(why)
            if warn:
                warnings.warn(f"wengert.capture: {self.name}: {why}", RuntimeWarning, stacklevel=4)
        return self.function(*args, **kwargs)

    @property
    def name(self) -> str:
        """The function's name in messages."""
        return str(getattr(self.function, "__qualname__", type(self.function).__name__))

    def record(self, entry: Entry, tensors: list[Tensor], args: Any, kwargs: Any) -> Any:
        """Run the function and record it; what it does is the same where the recording is refused."""
        recording = Recording(list(tensors))
        self.eager += 1
        recording.start()
        try:
            result = self.function(*args, **kwargs)
        finally:
            recording.stop()
        entry.attempts += 1
        try:
            if recording.refusal is not None:
                raise Refused(recording.refusal)
            entry.programs.append(make_program(recording, result))
        except Refused as refused:
            self.note_refusal(entry, refused)
        finally:
            recording.close()
        return result

    def note_refusal(self, entry: Entry, refused: Refused) -> None:
        why = str(refused)
        if refused.transient and entry.attempts < RETRIES:
            if why not in self.reasons:
                self.reasons.append(why)
            return
        entry.refusal = why
        self.reasons.append(why)
        warnings.warn(
            f"wengert.capture: calls of {self.name} with these arguments run as usual: {why}",
            RuntimeWarning,
            stacklevel=5,
        )

    def __repr__(self) -> str:
        return f"<wengert.capture of {self.name}>"


def make_program(recording: Recording, result: Any) -> tuple[Program, Any]:
    """Return the program of a recording that has stopped, and the structure of its result. Raises Refused."""
    results: list[Tensor] = []
    try:
        structure = flatten(result, results)
    except Unhashable as error:
        raise Refused(f"the result has an object of type {error} in it") from None
    grads = [leaf.grad for leaf, _ in recording.leaves.values() if leaf.grad is not None]
    used = {tensor.untyped_storage().data_ptr() for tensor in [*results, *grads]}
    live = recording.live_blocks()
    if not live <= used:
        gc.collect()
        live = recording.live_blocks()
    if not live <= used:
        raise Refused(
            f"the function has stored {len(live - used)} tensors that it made, or their graph, somewhere else than in "
            "its results", transient=True
        )  # fmt: skip
    owners = [tensor.untyped_storage().data_ptr() for tensor in results]
    if len({one for one in owners if one in live}) < sum(one in live for one in owners):
        raise Refused("two results share memory")
    return Program(recording, results, live, lambda node: is_spent(node, recording.inputs)), structure


@overload
def capture(function: Callable[..., Any], *, max_programs: int = ...) -> Capture: ...
@overload
def capture(function: None = None, *, max_programs: int = ...) -> Callable[[Callable[..., Any]], Capture]: ...
def capture(function: Callable[..., Any] | None = None, *, max_programs: int = 16) -> Any:
    """Return a function that records its first call of each signature and replays later ones without Python.

    function: runs operations of wengert, ``backward()`` and writes to tensors from outside included; None: for use as
    a decorator with options.   max_programs: recordings that are kept; further signatures run as usual, with a warning.
    A signature is shapes, dtypes, strides and ``requires_grad`` of arguments that are tensors, the values of others,
    and the modes of the thread. Tensors from outside are used by their memory, so that writes to them are seen. Python
    code runs in recordings only: a number of a tensor that it reads is a guard, and a replay in which such a number
    differs runs as usual.

    >>> import wengert as wg
    >>> @wg.capture
    ... def scaled_sum(x, factor):
    ...     return (x * factor).sum()
    >>> [float(scaled_sum(wg.ones(3), 2.0)), float(scaled_sum(wg.ones(3) * 2, 2.0))]
    [6.0, 12.0]
    """
    if function is None:
        return functools.partial(capture, max_programs=max_programs)
    if not callable(function):
        raise TypeError(f"capture(): argument 'function' (position 1) must be callable, not {type(function).__name__}")
    if type(max_programs) is not int or max_programs < 1:
        raise ValueError(f"capture(): max_programs must be an int of at least 1, got {max_programs!r}")
    return Capture(function, max_programs)


def explain(function: Capture) -> Explanation:
    """Return what a captured function has recorded: programs, signatures, counts of calls, reasons.

    Raises TypeError for another function.

    >>> import wengert as wg
    >>> double = wg.capture(lambda x: x * 2)
    >>> _ = double(wg.ones(2)), double(wg.zeros(2)), double(wg.ones(3))
    >>> found = wg.replay.explain(double)
    >>> len(found.programs), found.replays, found.eager
    (2, 1, 2)
    """
    if not isinstance(function, Capture):
        raise TypeError(f"explain(): argument 'function' (position 1) must be a function of wengert.capture, not "
                        f"{type(function).__name__}")  # fmt: skip
    pairs = [(key, program) for key, entry in function.entries.items() for program, _ in entry.programs]
    return Explanation(
        [program for _, program in pairs],
        [key for key, _ in pairs],
        function.replayed,
        function.eager,
        list(function.reasons),
    )
