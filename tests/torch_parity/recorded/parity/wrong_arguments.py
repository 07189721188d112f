"""The calls of the sample table with one argument of another type each, and which of them are refused.

Used with PyTorch by tools/record/sample_table.py and with wengert by test_arguments.py; imports neither.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

from parity.sample_calls import Sample, map_arrays, plain

WRONG: dict[str, Any] = {
    "text": "a", "float": 1.5, "None": None, "list": [1], "bool": True, "int": 1, "complex": 2j, "pair": (1, 1)
}  # fmt: skip
"""Values that replace an argument."""
MOST = 3
"""Samples of an op that are changed: those with most arguments."""


def wrong_calls(samples: Sequence[Sample]) -> Iterator[tuple[str, Sample]]:
    """(position and kind of the wrong argument, the call); each name once."""
    seen = set()
    for args, kwargs in sorted(samples, key=lambda sample: -len(sample[0]) - len(sample[1]))[:MOST]:
        for name, call in variants(args, kwargs):
            if name not in seen:
                seen.add(name)
                yield name, call


def variants(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[str, Sample]]:
    """One call with each of its arguments replaced, with one argument more, and with an unknown keyword."""
    for i, value in enumerate(args):
        for kind, other in WRONG.items():
            if type(value) is not type(other):
                yield f"{i}:{kind}", ((*args[:i], other, *args[i + 1 :]), kwargs)
    for name, value in kwargs.items():
        for kind, other in WRONG.items():
            if type(value) is not type(other):
                yield f"{name}:{kind}", (args, {**kwargs, name: other})
    yield "one more", ((*args, 1), kwargs)
    yield "unknown keyword", (args, {**kwargs, "nonsense": 1})


def is_refused(path: str, sample: Sample, torch: ModuleType) -> bool:
    """Return whether a call raises anything."""
    function: Any = torch
    for name in path.split("."):
        function = getattr(function, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        args, kwargs = map_arrays(sample, lambda array: plain(array, torch))
        try:
            function(*args, **kwargs)
        except Exception:
            return True
    return False


def outcome(path: str, samples: Sequence[Sample], torch: ModuleType) -> dict[str, list[str]]:
    """The names of the wrong calls that are refused, and of those that are taken."""
    found: dict[str, list[str]] = {"refused": [], "taken": []}
    for name, sample in wrong_calls(samples):
        found["refused" if is_refused(path, sample, torch) else "taken"].append(name)
    return found
