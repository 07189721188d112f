"""Programs run as they are and captured, and what was seen in both runs."""

from __future__ import annotations

import copy
import io
import math
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import wengert as wg
from wengert_replay.exporting.errors import ProgramFileError, ProgramGuardError

from . import helpers
from .observe import Description, Difference, first_difference

NAMES = {
    "wg": wg, "np": np, "math": math, "copy": copy, "F": wg.nn.functional, "fwAD": wg.autograd.forward_ad,
    **{name: getattr(helpers, name) for name in helpers.__all__},
}
"""The names of a program beside those of its own."""
NODE = re.compile(r"The freed node is \w+")  # in a captured run that of the whole program


class Stop(Exception):
    """A loaded program has no function to go on with: the run ends before it was told anything wrong."""


class Outcome(NamedTuple):
    """The comparison of two runs. difference: None where they agree; reasons: why calls were not replayed."""

    difference: Difference | None
    replays: int
    loaded: int
    reasons: list[str]


@dataclass
class Run:
    """One run of a program.

    seen: observations.   captures: the captured functions.   loaded: how many programs were read from files; program:
    the last of them.   has_versions: whether the versions of tensors count.   is_cut: the run could not go on.
    """

    is_captured: bool
    seen: list[Any] = field(default_factory=list)
    captures: list[Any] = field(default_factory=list)
    loaded: int = 0
    program: Any = None
    has_versions: bool = True
    is_cut: bool = False

    def capture(self, function: Callable[..., Any], **options: Any) -> Any:
        """Return the function, captured in a run with captures."""
        if not self.is_captured:
            return function
        self.captures.append(wg.capture(function, quiet=True, **options))
        return self.captures[-1]

    def reload(self, function: Any, names: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return (function, tensors by name); in a captured run its last program, saved and loaded, if it has one."""
        self.has_versions = False
        for t in names.values():
            t.grad = None
        if not self.is_captured or not wg.replay.explain(function).programs:
            return function, names
        file = io.BytesIO()
        try:
            wg.replay.explain(function).programs[-1].save(file, names=names)
        except (ProgramFileError, NotImplementedError, TypeError, ValueError, RuntimeError) as error:
            self.captures[-1].reasons.append(f"not saved: {error}")
            return function, names
        self.loaded += 1
        file.seek(0)
        self.program = program = wg.replay.load(file)
        return program, {**names, **program.tensors}

    def call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Return a call's result, or ("error", type, text) of the exception that it raised."""
        try:
            return function(*args, **kwargs)
        except Exception as error:
            if self.loaded and function is self.program and isinstance(error, (ProgramGuardError, TypeError)):
                raise Stop from None
            return "error", type(error).__name__, NODE.sub("The freed node is NODE", str(error))

    def see(self, *values: Any) -> None:
        """Note all that can be seen of values, and the state of the generator."""
        description = Description(self.has_versions)
        self.seen.append((*map(description.of, values), wg.get_rng_state().numpy().tobytes()))


def execute(text: str, *, is_captured: bool) -> Run:
    """Run a program's text; its warnings are the last observation."""
    run = Run(is_captured)
    names = dict(NAMES)
    exec(compile(text, "<random capture>", "exec"), names)
    wg.manual_seed(11)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            names["scenario"](run.capture, run.reload, run.call, run.see)
        except Stop:
            run.is_cut = True
            return run
        except Exception as error:
            run.seen.append(("error", type(error).__name__, str(error)))
    texts = {(item.category.__name__, str(item.message)) for item in caught}
    run.seen.append(("warnings", *sorted(text for text in texts if "wengert.capture" not in text[1])))
    wg.set_grad_enabled(True)
    return run


def compare(text: str) -> Outcome:
    """Run a text as it is and captured."""
    eager = execute(text, is_captured=False)
    if first_difference(eager.seen, execute(text, is_captured=False).seen) is not None:
        return Outcome(None, 0, 0, ["two plain runs differ: the program reads memory that nothing has written"])
    captured = execute(text, is_captured=True)
    found = [wg.replay.explain(one) for one in captured.captures]
    sums = any(f"wg.func.{name}" in text for name in ("scan", "cond", "while_loop", "fori_loop"))
    difference = first_difference(eager.seen, captured.seen, is_cut=captured.is_cut, sums_gradients=sums)
    reasons = [why for one in found for why in one.reasons]
    return Outcome(difference, sum(one.replays for one in found), captured.loaded, reasons)


def fails(text: str) -> str:
    """Return the error of a program that runs as it is; "" where there is none."""
    run = execute(text, is_captured=False)
    end = run.seen[-2] if len(run.seen) > 1 else None
    return " ".join(end[1:]) if isinstance(end, tuple) and end[:1] == ("error",) else ""
