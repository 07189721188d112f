"""Scenarios that run twice, with functions as they are and captured: what is observed must be the same bit by bit.

A scenario is a generator function of ``capture``: it builds its own tensors, calls functions that went through
``capture``, and yields what is to be observed. In the first run ``capture`` gives a function back as it is.
``scenario`` makes a test of one.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import wengert as wg

Scenario = Callable[[Callable[..., Any]], Iterator[Any]]


class Outcome(NamedTuple):
    """The outcome of the run with captured functions."""

    replays: int
    programs: int
    reasons: list[str]
    captures: list[Any]


def leaf(*numbers: float) -> wg.Tensor:
    """Return a tensor that requires gradients."""
    return wg.tensor(numbers, requires_grad=True)


def attempt(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return a call's result, or the type and the message of the error that it raised."""
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return type(error).__name__, str(error)


def compare_runs(generate: Scenario) -> Outcome:
    """Run a scenario as it is and captured, compare what it yields, and say how much was replayed."""
    expected = observe(generate, lambda function, **options: function)
    captures: list[Any] = []

    def capture(function: Any, **options: Any) -> Any:
        captures.append(wg.capture(function, **options))
        return captures[-1]

    got = observe(generate, capture)
    methods = [one for capture in captures for _, one in capture.methods.captures.values()]
    found = [wg.replay.explain(one) for one in (*captures, *methods)]
    for number, (one, other) in enumerate(zip(expected, got, strict=True)):
        assert other == one, f"observation {number}{difference(one, other)}; {found}"
    return Outcome(sum(one.replays for one in found), sum(len(one.programs) for one in found),
                   [why for one in found for why in one.reasons], captures)  # fmt: skip


def check_reason(outcome: Outcome, reason: str) -> None:
    """Assert that no call was replayed, for a reason with these words."""
    assert outcome.replays == 0, outcome
    assert any(reason in one for one in outcome.reasons), outcome


def scenario(replays: int = 0, reason: str = "") -> Callable[[Scenario], Callable[[], None]]:
    """Make a test of a scenario. replays: how many calls are replayed at least.   reason: words of a reason for which
    none is. With neither a test would prove nothing.
    """
    assert replays or reason

    def make_test(generate: Scenario) -> Callable[[], None]:
        def test() -> None:
            outcome = compare_runs(generate)
            assert outcome.replays >= replays, outcome
            if reason:
                check_reason(outcome, reason)

        test.__name__, test.__qualname__, test.__doc__ = generate.__name__, generate.__qualname__, generate.__doc__
        test.__module__ = generate.__module__
        return test

    return make_test


def observe(generate: Scenario, capture: Callable[..., Any]) -> list[Any]:
    wg.manual_seed(11)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of captures, and of operations: an eager run has those, too
        return [Description().of(value) for value in generate(capture)]


def difference(expected: Any, got: Any) -> str:
    """Return where two observations differ, and how."""
    if isinstance(expected, dict) and isinstance(got, dict) and expected.keys() == got.keys():
        return next((f"[{key!r}]{difference(one, got[key])}" for key, one in expected.items() if got[key] != one), "")
    if isinstance(expected, tuple) and isinstance(got, tuple) and len(expected) == len(got):
        pairs = enumerate(zip(expected, got, strict=True))
        return next((f"[{number}]{difference(*pair)}" for number, pair in pairs if pair[0] != pair[1]), "")
    return f": captured {got}, eager {expected}"


class Description:
    """Values as what can be compared: tensors are equal if everything about them that a program can see is.

    Tensors that are the same object, or share memory, are so on both sides: both get numbers in the order in which
    they are met.
    """

    def __init__(self) -> None:
        self.tensors: list[Any] = []
        self.storages: list[int] = []

    def of(self, value: Any) -> Any:
        if isinstance(value, wg.Tensor):
            return self.of_tensor(value)
        if isinstance(value, (list, tuple)):
            return (type(value).__name__, *map(self.of, value))
        if isinstance(value, dict):
            return {key: self.of(one) for key, one in value.items()}
        if isinstance(value, wg.nn.Module):
            return [self.of(one) for one in (*value.parameters(), *value.buffers())]
        if hasattr(value, "__dict__") and not isinstance(value, type) and not callable(value):
            return type(value).__name__, self.of(vars(value))
        return repr(value)

    def of_tensor(self, t: Any) -> Any:
        for number, known in enumerate(self.tensors):
            if known is t:
                return "tensor", number
        self.tensors.append(t)
        storage = t.untyped_storage().data_ptr() if t.numel() else 0
        if storage not in self.storages:
            self.storages.append(storage)
        return {
            "class": type(t).__name__, "dtype": t.dtype, "shape": tuple(t.shape), "strides": t.stride(),
            "values": values_of(t), "version": None if t.is_inference() else t._version,
            "requires_grad": t.requires_grad, "is_leaf": t.is_leaf,
            "has_grad_fn": t.grad_fn is not None,
            "grad": self.of(t.grad) if t.is_leaf and t.grad is not None else None,
            "storage": self.storages.index(storage),
        }  # fmt: skip


def values_of(t: Any) -> Any:
    """The bits of a tensor's elements."""
    plain = t.detach()
    if plain.dtype is wg.bfloat16:
        plain = plain.float()
    plain = plain.resolve_conj().resolve_neg()
    return repr(plain.tolist()), plain.contiguous().numpy().tobytes() if plain.numel() else b""
