"""The tables of tools/compare/aims.py: as text, as Markdown between the markers of a page, as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

BEGIN, END = "<!-- compare: begin -->", "<!-- compare: end -->"
HEADER = ("what", "wengert", "PyTorch", "NumPy", "faster than PyTorch", "quartiles", "aim", "")
SUMMARY = ("line", "rows", "lowest", "median", "aim", "")
TITLE = "PyTorch's time over wengert's, for each aim"
UNITS = (("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9))

Table = tuple[str, tuple[str, ...], list[tuple[str, ...]]]
"""Title, header, rows."""


@dataclass(frozen=True)
class Result:
    """Times in nanoseconds; ratio: PyTorch's time over wengert's, with its lower and upper quartile over the rounds."""

    group: str
    name: str
    aim: float
    nanoseconds: dict[str, float]  # the median of each module
    ratio: tuple[float, float, float] | None = None  # None: without PyTorch
    trouble: str = ""  # why a module has no time

    @property
    def is_reached(self) -> bool | None:
        return None if self.ratio is None else self.ratio[1] >= self.aim


@dataclass(frozen=True)
class Fact:
    """Something measured with a limit: value must not be above it."""

    name: str
    value: float | None  # None: not measured
    limit: float
    unit: str
    note: str = ""

    @property
    def is_reached(self) -> bool | None:
        return None if self.value is None else self.value <= self.limit


@dataclass
class Report:
    """All that one run found."""

    machine: dict[str, str]
    method: str
    results: list[Result] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)


def format_time(nanoseconds: float | None) -> str:
    if nanoseconds is None:
        return ""
    unit, size = next((u for u in reversed(UNITS) if nanoseconds >= u[1]), UNITS[0])
    value = nanoseconds / size
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f} {unit}"


def mark(reached: bool | None) -> str:
    return {None: "", True: "ok", False: "below"}[reached]


def result_cells(result: Result) -> tuple[str, ...]:
    times = [format_time(result.nanoseconds.get(name)) for name in ("wengert", "torch", "numpy")]
    if result.trouble:
        return (result.name, *times, "", "", f"{result.aim:g}", result.trouble)
    if result.ratio is None:
        return (result.name, *times, "", "", f"{result.aim:g}", "")
    low, middle, high = result.ratio
    return (
        result.name,
        *times,
        f"{middle:.2f}",
        f"{low:.2f} to {high:.2f}",
        f"{result.aim:g}",
        mark(result.is_reached),
    )


def summary_cells(group: str, results: Sequence[Result]) -> tuple[str, ...]:
    ratios = sorted(result.ratio[1] for result in results if result.ratio)
    aim = f"{results[0].aim:g}"
    if not ratios:
        return group, str(len(results)), "", "", aim, "not measured"
    whole = len(ratios) == len(results)
    middle = ratios[len(ratios) // 2] if len(ratios) % 2 else sum(ratios[len(ratios) // 2 - 1 :][:2]) / 2
    verdict = mark(ratios[0] >= results[0].aim) if whole else f"{len(results) - len(ratios)} without a ratio"
    return group, str(len(results)), f"{ratios[0]:.2f}", f"{middle:.2f}", aim, verdict


def fact_cells(fact: Fact) -> tuple[str, ...]:
    value = "not measured" if fact.value is None else f"{fact.value:.3g} {fact.unit}".strip()
    verdict = {None: "", True: "ok", False: "above"}[fact.is_reached]
    return fact.name, value, f"{fact.limit:g} {fact.unit}".strip(), verdict, fact.note


def group_rows(results: Iterable[Result]) -> dict[str, list[Result]]:
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(result.group, []).append(result)
    return groups


def tables(report: Report) -> list[Table]:
    """All tables, the summary first."""
    groups = group_rows(report.results)
    found: list[Table] = [(TITLE, SUMMARY, [summary_cells(g, r) for g, r in groups.items()])]
    if report.facts:
        header = ("fact", "measured", "at most", "", "")
        found.append(("Import, memory, size", header, [fact_cells(fact) for fact in report.facts]))
    found += [(group, HEADER, [result_cells(r) for r in results]) for group, results in groups.items()]
    return [table for table in found if table[2]]


def as_text(report: Report) -> str:
    lines = [f"{name}: {value}" for name, value in report.machine.items()] + [report.method]
    for title, header, rows in tables(report):
        widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
        lines += ["", title]
        for row in (header, tuple("-" * width for width in widths), *rows):
            inner = [cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:-1], strict=True)]
            lines.append("  ".join(["", row[0].ljust(widths[0]), *inner, row[-1]]).rstrip())
    return "\n".join(lines) + "\n"


def as_markdown(report: Report) -> str:
    lines = [", ".join(f"{name} {value}" for name, value in report.machine.items()) + ".", "", report.method]
    for title, header, rows in tables(report):
        align = [":---", *["---:"] * (len(header) - 2), ":---"]
        lines += ["", f"**{title}**", ""]
        lines += ["| " + " | ".join(row) + " |" for row in (header, align, *rows)]
    return "\n".join(lines) + "\n"


def as_json(report: Report) -> str:
    return json.dumps(asdict(report), indent=1) + "\n"


def replace_between_markers(page: Path, text: str) -> None:
    """Put text between the two markers of a page."""
    old = page.read_text(encoding="utf-8")
    before, begin, rest = old.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise SystemExit(f"compare: {page} has no lines {BEGIN} and {END}")
    page.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}", encoding="utf-8")
