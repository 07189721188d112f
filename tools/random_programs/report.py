"""The report of a differential run: differences by kind, and by kind and operation."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wengert_testing.recorded import lines_with_reasons

from .compare import Difference, differences

DIFFERENCES = Path(__file__).with_name("differences.txt")
KINDS = ("values", "error", "message", "warning", "metadata")


def operation(line: str) -> str:
    """The outermost operation of a statement, shortly."""
    text = line.partition("fwAD.unpack")[0].splitlines()[-2 if "fwAD" in line else -1].strip() if "\n" in line else line
    if re.match(r"x\d+ = ", text):
        return "a leaf"
    text = re.sub(r"^\w+ = ", "", text)
    text = re.sub(r"^first\((.*)\)$", r"\1", text)
    text = re.sub(r"\b[vx]\d+(_\w+)?\b", "x", text)
    return re.sub(r"-?\d+\.\d+", "1.5", text)[:110]


def known_differences() -> list[tuple[str, str, re.Pattern[str]]]:
    """Return (reason, fact, pattern of the difference as text) of the differences that stay: those in DIFFERENCES."""
    rows = []
    for reason, line in lines_with_reasons(DIFFERENCES.read_text(encoding="utf-8"), DIFFERENCES.name):
        fact, _, pattern = line.partition(": ")
        rows.append((reason, fact, re.compile(pattern)))
    return rows


FOLLOWS = "metadata of what was computed of a variable that has one of these differences"
VARIABLE = re.compile(r"\b[vx]\d+\w*")
REFUSED = "what follows where one side refuses a statement, for one of these reasons"
NUMBERED = "numbers at the end of the names of nodes, and edges of numbers, where a function is made of others"


def plain_nodes(value: Any) -> Any:
    """Names of nodes without the number of an overload, without edges that lead nowhere."""
    if isinstance(value, str):
        return re.sub(r"^((Mul|Add|Sub|Div|Rsub)Backward)[123]$", r"\g<1>0", value)
    if isinstance(value, list):
        parts = [plain_nodes(part) for part in value]
        return [part for part in parts if part != [None, 0, None]] or None
    return value


def reason_of(difference: Difference, rows: list[tuple[str, str, re.Pattern[str]]]) -> str | None:
    """Why a difference stays, None where it should not."""
    of_nodes = re.fullmatch("(grad )?(node|next)", difference.what)
    if of_nodes and plain_nodes(difference.theirs) == plain_nodes(difference.ours):
        return NUMBERED
    text = f"{difference.name} | {difference.line} | {json.dumps(difference.theirs)} | {json.dumps(difference.ours)}"
    fitting = (reason for reason, fact, pattern in rows if re.fullmatch(fact, difference.what) and pattern.search(text))
    return next(fitting, None)


def with_reasons(found: list[Difference], rows: list[tuple[str, str, re.Pattern[str]]]) \
        -> Iterator[tuple[Difference, str | None]]:
    """Give each difference with the reason for which it stays. rows: known_differences(), or none: no reasons."""
    reasons = [reason_of(difference, rows) if rows else None for difference in found]
    refused = set[str]()  # names in statements that one side refuses, for a reason
    for difference, reason in zip(found, reasons, strict=True):
        if reason and difference.kind == "error":
            refused.update(VARIABLE.findall(difference.line))
    known = set[str]()
    for difference, reason in zip(found, reasons, strict=True):
        names = {difference.name, *VARIABLE.findall(difference.line)}
        if rows and reason is None and names & refused:
            reason = REFUSED
        if rows and reason is None and difference.kind == "metadata" and names & known:
            reason = FOLLOWS
        if reason is not None:
            known.add(difference.name)
        yield difference, reason


def first_of_each(found: list[Difference]) -> list[Difference]:
    """The first difference of each kind: what follows often follows from it."""
    chosen: dict[str, Difference] = {}
    for difference in found:
        chosen.setdefault(difference.kind, difference)
    return list(chosen.values())


def report(programs: list[list[str]], theirs: list[Any], ours: list[Any], shown: int, only: str = "",
           strict: bool = False) -> str:
    """Counts of programs by kind, then groups of differences with an example each.

    only: a kind or a fact.   strict: count the differences that stay, too.
    """
    by_kind: Counter[str] = Counter()
    stays: Counter[str] = Counter()
    groups: dict[tuple[str, str, str], list[tuple[int, Difference]]] = defaultdict(list)
    rows = [] if strict else known_differences()
    for number, (lines, one, other) in enumerate(zip(programs, theirs, ours, strict=True)):
        left = []
        for difference, reason in with_reasons(differences(lines, one, other), rows):
            if reason is None:
                left.append(difference)
            else:
                stays[reason] += 1
        for difference in first_of_each(left):
            by_kind[difference.kind] += 1
            by_kind[f"{difference.kind}: {difference.what}"] += 1
            if only in (difference.kind, difference.what, ""):
                groups[difference.kind, difference.what, operation(difference.line)].append((number, difference))
    crashed = sum(one is None for one in theirs)
    text = [f"{len(programs)} programs, {crashed} crash PyTorch; programs with a difference, by the first of a kind:"]
    for kind in KINDS:
        text.append(f"  {kind:10} {by_kind[kind]:5}  " + ", ".join(
            f"{name.partition(': ')[2]} {n}" for name, n in by_kind.most_common() if name.startswith(f"{kind}: ")))
    text.append(f"  kept: {sum(stays.values())} differences, by reason:")
    text += [f"    {n:5} {reason}" for reason, n in stays.most_common()]
    for (kind, what, op), members in sorted(groups.items(), key=lambda item: -len(item[1]))[:shown]:
        number, example = members[0]
        text.append(f"\n{len(members)} x {kind}: {what} | {op}   programs {', '.join(str(n) for n, _ in members[:6])}")
        text.append(f"    torch   {json.dumps(example.theirs)[:260]}\n    wengert {json.dumps(example.ours)[:260]}")
    return "\n".join(text)
