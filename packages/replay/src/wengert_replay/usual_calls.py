"""Calls of a captured function that run as usual, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_replay.caller_warnings import warn_caller
from wengert_replay.history.histories import History
from wengert_replay.inspection.reasons import why_as_usual, why_full, with_advice
from wengert_replay.inspection.signatures import differing_guard
from wengert_replay.refusal import Miss

READ_OUTSIDE = "return the tensor, and read it outside of the function"


class UsualCalls:
    """A function whose calls run as usual, with reasons and warnings. The base class of Capture."""

    function: Callable[..., Any]
    strict: bool
    quiet: bool
    full: str
    no_way: str

    def __init__(self, function: Callable[..., Any], strict: bool, quiet: bool) -> None:
        self.function, self.strict, self.quiet = function, strict, quiet
        self.reasons: list[str] = []
        self.eager: int = 0
        self.forget_words()

    def forget_words(self) -> None:
        """Find words anew that take time to find."""
        self.full = self.no_way = ""

    @property
    def name(self) -> str:
        """The function's name in messages."""
        return str(getattr(self.function, "__qualname__", type(self.function).__name__))

    def run_eagerly(self, why: str, args: Any, kwargs: Any, warn: bool = False) -> Any:
        if why and self.strict:
            raise self.strict_error(why)
        self.eager += 1
        if why and self.note_reason(why) and warn and not self.quiet:
            warn_caller(f"{self.name} runs as usual: {with_advice(why)}")
        return self.function(*args, **kwargs)

    def run_inside(self, args: Any, kwargs: Any) -> Any:
        """Run a call as usual for what is around it, which is no error where ``strict`` is set."""
        self.note_reason(why_as_usual())
        return self.run_eagerly("", args, kwargs)

    def note_reason(self, why: str) -> bool:
        """Note a reason why calls are not replayed; return whether it is a new one."""
        if why in self.reasons:
            return False
        self.reasons.append(why)
        return True

    def strict_error(self, why: str) -> RuntimeError:
        """Return the error for a call that cannot be replayed, where it has to be."""
        return RuntimeError(f"wengert.capture: {self.name} cannot be replayed, which strict=True (fullgraph=True of "
                            f"torch.compile) asks for: {with_advice(why)}")  # fmt: skip

    def run_stateful(self, args: Any, kwargs: Any) -> Any:
        why = "the state of Python that the function depends on is another one in each call"
        return self.run_eagerly(why, args, kwargs, warn=True)

    def why_full(self, max_programs: int, keys: list[Any]) -> str:
        """Return why further signatures are not recorded. keys: the signatures that there are."""
        if not self.full:
            self.full = why_full(max_programs, keys, self.function)
        return self.full

    def why_no_way(self, history: History) -> str:
        """Return why a call whose result has a graph is not recorded, though no way through the function fits."""
        if history.usual:
            return history.usual
        if not self.no_way:
            line = differing_guard(history.programs())
            at = f" ({line})" if line else ""
            self.no_way = (f"a number that Python reads{at} differs in each call, and a result has "
                           f"a graph: {READ_OUTSIDE}")  # fmt: skip
        return self.no_way


def line_of(miss: Miss) -> str:
    """Return the line in which a replay read another number than its recording."""
    return miss.where.removeprefix("guard (").removesuffix(")") if miss.where.startswith("guard (") else miss.where
