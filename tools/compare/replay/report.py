"""Tables of the comparison: times and aims by group, first calls, memory."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tools.compare.replay.launch import Timing
from tools.compare.table import format_time

SMALL = ("neural ODE 8-32-8, RK4 x 200", "RNN, 32 units x 100", "LSTM, 32 units x 100", "training step 8-16-1",
         "logistic regression, Newton-CG")  # fmt: skip


@dataclass(frozen=True)
class Limit:
    """The most that a captured call may take: a multiple of another side's time."""

    side: str
    most: float

    def quotient(self, timing: Timing) -> float | None:
        ours, theirs = timing.times.get("captured"), timing.times.get(self.side)
        return ours / theirs if ours and theirs else None

    def is_reached(self, timing: Timing) -> bool | None:
        quotient = self.quotient(timing)
        return None if quotient is None else quotient <= self.most


@dataclass(frozen=True)
class Group:
    """Programs with the same aims. mean: the most for the geometric mean of the quotients to JAX."""

    title: str
    programs: tuple[str, ...]
    limits: tuple[Limit, ...]
    aim: str
    mean: float | None = None
    part_of_copy: float | None = None  # the least part of the bandwidth of a copy


GROUPS = (
    Group("Scalars, with gradient",
          ("Lorenz, RK4 x 200", "pendulum, RK4 x 200", "three bodies x 100", "Rosenbrock, 50 variables"),
          (Limit("JAX", 1.0), Limit("CasADi", 2.0), Limit("PyTorch", 0.01)),
          "at most JAX's time and twice CasADi's, at most a hundredth of PyTorch's"),
    Group("Small matrices", SMALL, (Limit("JAX", 1.5),),
          "at most JAX's time in the geometric mean, and nowhere more than 1.5 times", mean=1.0),
    Group("Larger matrices", ("training step 784-256-128-10", "transformer block"), (Limit("JAX", 1.1),),
          "at most 1.1 times JAX's time"),
    Group("Many numbers, float32",
          ("chain of 10^7, gradient", "broadcast of 4000 x 2500", "broadcast, gradient"), (Limit("JAX", 1.1),),
          "at most 1.1 times JAX's time, and 70 % of the bandwidth of a copy for what must be moved",
          part_of_copy=0.7),
)  # fmt: skip
PROGRAMS = [name for group in GROUPS for name in group.programs]
PEERS = ("JAX", "CasADi", "numexpr", "PyTorch")
FIRST_FACTOR, FIRST_EXTRA = 4, 2e6
"""A first call may take so many eager calls, and nanoseconds more."""
BYTES_OF_LAUNCH = 64
SLACK = 1024
"""Bytes that values may take beyond the eager peak: arguments that are single numbers are copied."""
FEWEST = 1000
"""Programs of fewer launches have no bytes a launch: their plans for arguments and results weigh more."""

Rows = list[list[str]]


def markdown_table(header: list[str], rows: Rows) -> str:
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def quotient_words(above: float | None, below: float | None) -> str:
    """Return a quotient with as many digits as count.

    >>> quotient_words(30.0, 2.0), quotient_words(1.0, 3.0), quotient_words(700.0, 2.0), quotient_words(None, 2.0)
    ('15.0', '0.33', '350', '')
    """
    if not above or not below:
        return ""
    value = above / below
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f}"


def geometric_mean(values: Iterable[float]) -> float:
    """Return the geometric mean.

    >>> geometric_mean([0.5, 2.0])
    1.0
    """
    logs = [math.log(value) for value in values]
    return math.exp(math.fsum(logs) / len(logs))


def missed_limits(group: Group, timing: Timing, moved: dict[str, int]) -> list[str]:
    """Return what a program misses of its group's aims, in words."""
    missed = [one.side for one in group.limits if one.is_reached(timing) is False]
    part = part_of_copy(timing, moved)
    if group.part_of_copy and part is not None and part < group.part_of_copy:
        missed.append("copy")
    return missed


def part_of_copy(timing: Timing, moved: dict[str, int]) -> float | None:
    """Return a captured call's bandwidth over a copy's, where only what must be moved counts."""
    ours, copied = timing.times.get("captured"), timing.times.get("copy")
    if not ours or not copied or timing.program not in moved:
        return None
    return moved[timing.program] / ours / (8 * 10**7 / copied)


def group_table(group: Group, timings: dict[str, Timing], moved: dict[str, int]) -> str:
    """Return a group's times, its quotients and which aims are missed."""
    found = [timings[name] for name in group.programs if name in timings]
    peers = [side for side in PEERS if any(side in timing.times for timing in found)]
    header = ["program", "captured", "eager", *peers, "eager / captured"]
    header += ["PyTorch / captured"] * ("PyTorch" in peers)
    header += [f"captured / {side}" for side in peers if side != "PyTorch"]
    header += ["computing alone", "part of a copy's bandwidth"] * (group.part_of_copy is not None) + ["aims"]
    rows = []
    for timing in found:
        times, ours = timing.times, timing.times.get("captured")
        cells = [timing.program, *(format_time(times.get(side)) for side in ("captured", "wengert", *peers))]
        cells += [quotient_words(times.get("wengert"), ours)]
        cells += [quotient_words(times.get("PyTorch"), ours)] * ("PyTorch" in peers)
        cells += [quotient_words(ours, times.get(side)) for side in peers if side != "PyTorch"]
        if group.part_of_copy is not None:
            part = part_of_copy(timing, moved)
            cells += [format_time(times.get("in cache")), "" if part is None else f"{part:.0%}"]
        missed = missed_limits(group, timing, moved)
        measured = any(one.is_reached(timing) is not None for one in group.limits)
        rows.append([*cells, f"missed: {', '.join(missed)}" if missed else "reached" if measured else ""])
    text = f"## {group.title}\n\nAim: {group.aim}.\n\n" + markdown_table(header, rows)
    return text + mean_sentence(group, found) + copy_sentence(found)


def copy_sentence(timings: list[Timing]) -> str:
    copies = [timing.times["copy"] for timing in timings if "copy" in timing.times]
    if not copies:
        return ""
    bandwidth = 8 * 10**7 / statistics.median(copies)
    return (f"\nA copy of 10^7 float32 reads and writes {bandwidth:.1f} GB/s. What must be moved is what a compiled "
            "program reads and writes once: arguments and large results. Computing alone is the time of the same "
            "program on a hundredth of the numbers, which a cache holds, a hundred times.\n")  # fmt: skip


def mean_sentence(group: Group, timings: list[Timing]) -> str:
    quotients = [one for one in (Limit("JAX", 1.0).quotient(timing) for timing in timings) if one is not None]
    if group.mean is None or not quotients:
        return ""
    mean = geometric_mean(quotients)
    return f"\nGeometric mean of captured / JAX: {mean:.2f} ({'reached' if mean <= group.mean else 'missed'}).\n"


def first_table(timings: dict[str, Timing]) -> str:
    """Return the times of first calls."""
    rows = []
    for timing in timings.values():
        first, eager = timing.first.get("captured"), timing.times.get("wengert")
        verdict = ""
        if first and eager:
            verdict = "reached" if first <= FIRST_FACTOR * eager + FIRST_EXTRA else "missed"
        rows.append([timing.program, format_time(first), format_time(eager), quotient_words(first, eager), verdict,
                     *(format_time(timing.first.get(side)) for side in ("JAX", "CasADi"))])  # fmt: skip
    header = ["program", "first call", "eager call", "quotient", "aim", "JAX's first call", "CasADi's construction"]
    return markdown_table(header, rows)


def size_words(nbytes: float | None) -> str:
    """Return a size in a unit that fits.

    >>> size_words(512), size_words(3 << 20), size_words(None)
    ('512 B', '3.0 MiB', '')
    """
    if nbytes is None:
        return ""
    for power, unit in ((20, "MiB"), (10, "KiB")):
        if nbytes >= 1 << power:
            return f"{nbytes / (1 << power):.1f} {unit}"
    return f"{nbytes:.0f} B"


def bytes_of_launch(facts: dict[str, Any]) -> float | None:
    """Return the memory that a program holds for each launch, besides its values."""
    launches = facts.get("launches", 0)
    return (facts["held"] - facts["arena"]) / launches if launches >= FEWEST and facts.get("held") else None


def memory_verdict(facts: dict[str, Any]) -> str:
    """Return which aims of memory are missed."""
    if facts.get("arena") is None or facts.get("peak") is None:
        return ""
    per_launch = bytes_of_launch(facts)
    missed = ["values"] * (facts["arena"] > facts["peak"] + SLACK)
    missed += ["launches"] * (per_launch is not None and per_launch > BYTES_OF_LAUNCH)
    return f"missed: {', '.join(missed)}" if missed else "reached"


def memory_table(timings: dict[str, Timing]) -> str:
    """Return what programs consist of, and their memory."""
    rows = []
    for timing in timings.values():
        facts = timing.facts
        calls = ", ".join(f"{op} {count}" for op, count in facts.get("calls", {}).items())
        per_launch = bytes_of_launch(facts)
        rows.append([timing.program, *(str(facts.get(key, "")) for key in ("operations", "launches")), calls,
                     size_words(facts.get("arena")), size_words(facts.get("peak")),
                     "" if per_launch is None else f"{per_launch:.0f} B", memory_verdict(facts)])  # fmt: skip
    header = ["program", "operations", "launches", "calls of drivers", "memory for values", "eager call's peak",
              "other memory, a launch", "aims"]  # fmt: skip
    return markdown_table(header, rows)


def troubles(timings: dict[str, Timing]) -> list[str]:
    """Return sentences on sides that have no time, and on captured functions that run as usual."""
    found = [f"{timing.program}: {side}: {why}" for timing in timings.values() for side, why in timing.trouble.items()]
    for timing in timings.values():
        if timing.facts.get("replays") == 0:
            reasons = "; ".join(timing.facts.get("reasons", [])) or "no reason is given"
            found.append(f"{timing.program}: captured calls run as usual: {reasons}")
    return found


def as_page(
    timings: dict[str, Timing], head: str, moved: dict[str, int], show: Callable[[str], str] = lambda text: text
) -> str:
    """Return the page as Markdown. show: adds what stands behind the head, such as a figure."""
    parts = [show(head)]
    parts += [group_table(group, timings, moved) for group in GROUPS if any(n in timings for n in group.programs)]
    first = ("## First calls\n\nThe first call runs and records. Aim: at most 4 eager calls and 2 ms. It is the median "
             "of three new captures, in a process that has run and captured the program before. JAX's first call is "
             "one for each run, and compiles; CasADi's functions are compiled to instructions when they are made.\n\n")
    inside = ("## Programs and memory\n\nAims: memory for values at most the eager call's peak, and at most 64 bytes "
              "for each launch besides. The latter is what stays allocated after a recording, with the steps that "
              f"`print` and error messages need; programs of fewer than {FEWEST} launches have no such figure. Values "
              f"may take {SLACK} bytes more.\n\n")  # fmt: skip
    parts += [first + first_table(timings), inside + memory_table(timings)]
    if found := troubles(timings):
        parts.append("## Without a time\n\n" + "".join(f"- {one}\n" for one in found))
    return "\n".join(parts)
