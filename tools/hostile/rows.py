"""Plausible arguments as text: the rows of the sample table, and what signatures say."""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from wengert_testing.case import T
from wengert_testing.samples import CASES

from tools.hostile.values import namespace

SMALL = 24
"""Arrays of more elements are named, not written out."""


@dataclass
class Arguments:
    """Texts of the arguments of a call, by position and by name."""

    args: list[str] = field(default_factory=list)
    kwargs: dict[str, str] = field(default_factory=dict)


def text_of(value: Any, op: str, row: int, i: int, j: int | str) -> str:
    """A text that gives a sample's value."""
    if isinstance(value, T):
        typed = [*map(str, value.shape), *([f"dtype={value.dtype!r}"] if value.dtype else [])]
        return f"T({', '.join(typed)})"
    if isinstance(value, np.ndarray) and value.size <= SMALL and value.dtype.kind in "bif":
        return f"wengert.tensor({value.tolist()!r})"
    if isinstance(value, (bool, int, float, complex, str, slice, type(None), type(...))):
        return repr(value)
    if type(value) in (list, tuple):
        items = [text_of(item, op, row, i, j) for item in value]
        if not any(item.startswith("arg(") for item in items):
            return f"[{', '.join(items)}]" if isinstance(value, list) else f"({', '.join(items)}{',' if items else ''})"
    return f"arg({op!r}, {i}, {j!r}, {row})"


def samples() -> dict[str, list[Arguments]]:
    """The samples of each name, as texts."""
    found: dict[str, list[Arguments]] = defaultdict(list)
    rows: dict[str, int] = defaultdict(int)
    for case in CASES:
        row = rows[case.op]
        rows[case.op] += 1
        for i, given in enumerate(case.inputs):
            args, kwargs = (given[:-1], given[-1]) if given and isinstance(given[-1], dict) else (given, {})
            found[case.op.removesuffix(".dim").removesuffix(".correction")].append(
                Arguments(
                    [text_of(value, case.op, row, i, j) for j, value in enumerate(args)],
                    {name: text_of(value, case.op, row, i, name) for name, value in kwargs.items()},
                )
            )
    return found


def parameters(target: str) -> list[tuple[str, bool]]:
    """Names of a target's parameters, and whether each is needed; nothing where that is not known."""
    try:
        value = eval(target, namespace())  # the texts are ours
    except Exception:  # a half-made object has no such attribute
        return []
    try:
        signature = inspect.signature(value)
    except (ValueError, TypeError):
        parts = (getattr(value, "__text_signature__", None) or "").strip("()").split(",")
        return [(name, "=" not in part) for part in parts if (name := re.sub(r"=.*|\W", "", part))]
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [(p.name, p.default is p.empty) for p in signature.parameters.values() if p.kind not in kinds]
