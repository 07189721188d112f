"""Differences between two records of a program, each with its kind."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "torch_parity" / "recorded"))

from parity.compare import close, differs  # type: ignore[import-not-found,unused-ignore]

FACTS = (
    "requires_grad", "leaf", "view", "base", "memory", "stride", "offset", "version", "node", "next", "output",
    "inference", "retains",
)
GRAD = ("requires_grad", "leaf", "view", "stride", "version", "node", "next")


class Difference(NamedTuple):
    """One difference. kind: "values", "error", "message", "warning" or "metadata"; what: the fact."""

    kind: str
    what: str
    line: str
    name: str
    theirs: Any
    ours: Any


def differences(lines: list[str], theirs: Any, ours: Any) -> list[Difference]:
    """The differences of a program, in the order of its statements.

    No metadata where a statement ended differently or gave other values: what comes after follows from that.
    """
    found = all_differences(lines, theirs, ours)
    astray = any(difference.kind in ("error", "values") for difference in found)
    return [difference for difference in found if not (astray and difference.kind == "metadata")]


def all_differences(lines: list[str], theirs: Any, ours: Any) -> list[Difference]:
    """The differences of every statement and variable."""
    if theirs is None or ours is None:
        return [] if theirs is None else [Difference("error", "crash", "", "", "no crash", "crash")]
    found: list[Difference] = []
    for line, one, other in zip(lines, theirs["steps"], ours["steps"], strict=True):
        found += step_differences(line, one or {}, other or {})
        name = re.match(r"(\w+) = ", line.rpartition(":\n    ")[2] if line.startswith("with torch") else line)
        names = [name.group(1)] if name else re.findall(r"^    ([\w, ]+) = ", line, re.MULTILINE)
        for each in [part.strip() for text in names for part in text.split(",")]:
            if f"{each}_primal" in theirs["variables"]:
                continue               # an unpacked dual, whose parts have names of their own
            if each in theirs["variables"] and each in ours["variables"]:
                found += variable_differences(line, each, theirs["variables"][each], ours["variables"][each])
    return found


def step_differences(line: str, theirs: Any, ours: Any) -> list[Difference]:
    """The end of the statement."""
    one, other = theirs.get("error"), ours.get("error")
    if one or other:
        if not (one and other):
            return [Difference("error", "only torch" if one else "only here", line, "", one, other)]
        if one[0][0] not in other[0]:
            return [Difference("error", "type", line, "", one, other)]
        first = one[1].split("\n")[0]
        return [] if other[1].startswith(first) else [Difference("message", "message", line, "", first, other[1])]
    one, other = (sorted({tuple(item) for item in side.get("warnings", [])}) for side in (theirs, ours))
    if [kind for kind, _ in one] != [kind for kind, _ in other]:
        return [Difference("warning", "category", line, "", one, other)]
    if not all(mine[1].startswith(item[1].split("\n")[0]) for mine, item in zip(other, one, strict=True)):
        return [Difference("warning", "message", line, "", one, other)]
    return []


def variable_differences(line: str, name: str, theirs: Any, ours: Any) -> list[Difference]:
    """The differences in the facts of one variable."""
    def find_reason(kind: str, what: str, one: Any, other: Any) -> Difference:
        return Difference(kind, what, line, name, one, other)

    if not (isinstance(theirs, dict) and isinstance(ours, dict) and "stride" in theirs and "stride" in ours):
        return [] if theirs == ours or differs(theirs, ours) is None else [find_reason("values", "value", theirs, ours)]
    for fact in ("dtype", "shape"):
        if theirs[fact] != ours[fact]:
            return [find_reason("values", fact, theirs[fact], ours[fact])]
    result = []
    if not close(theirs["values"], ours["values"], theirs["dtype"]):
        result.append(find_reason("values", "values", theirs["values"], ours["values"]))
    result += [find_reason("metadata", fact, theirs[fact], ours[fact]) for fact in FACTS if unlike(fact, theirs, ours)]
    one, other = theirs.get("grad"), ours.get("grad")
    if (one is None) != (other is None):
        result.append(find_reason("values", "grad", one, other))
    elif one is not None and other is not None:
        alike = all(one[fact] == other[fact] for fact in ("dtype", "shape"))
        if not alike or not close(one["values"], other["values"], one["dtype"]):
            result.append(find_reason("values", "grad", one, other))
        result += [
            find_reason("metadata", f"grad {fact}", one[fact], other[fact]) for fact in GRAD if unlike(fact, one, other)
        ]
    return result


def unlike(fact: str, theirs: Any, ours: Any) -> bool:
    """Whether a fact differs; strides count where there is more than one element to step over."""
    one, other = theirs[fact], ours[fact]
    if fact == "stride":
        steps = ([s for s, n in zip(side, theirs["shape"], strict=True) if n > 1] for side in (one, other))
        return 0 not in theirs["shape"] and next(steps) != next(steps)
    return bool(one != other)
