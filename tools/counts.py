"""Compare the instructions of hot paths with those of the baseline, asv_benchmarks/instruction_counts.json.

    .venv/bin/python -m tools.counts                  a table; exit code 1 where a path has moved by more than 2 %
    .venv/bin/python -m tools.counts --only 'x + y'   paths whose name holds this text
    .venv/bin/python -m tools.counts --update         write the baseline: only for a change that is meant to move it

Exit code 2 where nothing can be compared: there is no valgrind, or the baseline is of another Python, NumPy or compiler
(--if-comparable makes that 0, for machines where it is no fault). asv_benchmarks/benchmarks/hot_paths.py says how it
counts.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import NamedTuple

from tools.workspace.packages import ROOT
from tools.workspace.toolchain import DEBIAN, compiler

sys.path.insert(0, str(ROOT / "asv_benchmarks"))
import benchmarks.hot_paths as hot_paths

BASELINE = ROOT / "asv_benchmarks" / "instruction_counts.json"
TOLERANCE = 0.02
MOVED, NOT_COMPARED = 1, 2


class Row(NamedTuple):
    """A path: instructions before and now, None where it is not there."""

    name: str
    before: int | None
    now: int | None

    @property
    def change(self) -> float | None:
        """The part by which it grew; None for a path that is new or gone."""
        return None if self.before is None or self.now is None else self.now / self.before - 1

    @property
    def has_moved(self) -> bool:
        """Whether the baseline does not say this number."""
        return self.change is None or abs(self.change) > TOLERANCE


def facts() -> dict[str, str]:
    """Everything besides our code that the counts depend on."""
    built_by = subprocess.run([*compiler(), "-dumpfullversion"], capture_output=True, text=True, check=False).stdout
    return {
        "python": f"{platform.python_version()} ({platform.python_compiler()})",
        "numpy": version("numpy"),
        "compiler": f"{compiler()[0]} {built_by.strip()}",
        "machine": f"{platform.system()} {platform.machine()}",
        "libc": " ".join(platform.libc_ver()),
    }


def rows(before: dict[str, int], now: dict[str, int]) -> list[Row]:
    """Rows of all paths, in the order of the benchmarks; those that only the baseline has come last."""
    return [Row(name, before.get(name), now.get(name)) for name in dict.fromkeys([*now, *before])]


def table(found: Sequence[Row]) -> str:
    """Rows as text; a line that has moved is marked."""
    width = max(len(row.name) for row in found)
    lines = [f"{'path':{width}}  {'before':>7}  {'now':>7}  change"]
    for row in found:
        change = f"{row.change:+7.1%}" if row.change is not None else "    new" if row.before is None else "   gone"
        lines.append(
            f"{row.name:{width}}  {number_text(row.before)}  {number_text(row.now)} {change}"
            f"{'  moved' if row.has_moved else ''}"
        )
    return "\n".join(lines)


def number_text(count: int | None) -> str:
    return f"{'-' if count is None else count:>7}"


def differing(before: dict[str, str], now: dict[str, str]) -> list[str]:
    """Sentences about facts that are not those of the baseline."""
    names = sorted({*before, *now})
    return [f"{name} was {before.get(name)}, is {now.get(name)}" for name in names if before.get(name) != now.get(name)]


def count_instructions(some: Sequence[str], before: dict[str, int]) -> dict[str, int]:
    """Instructions of paths; those that seem to have moved are counted again, and the smaller number is taken."""
    now = hot_paths.counts(some)
    again = [row.name for row in rows(before, now) if row.has_moved and row.now is not None]
    return now | {name: min(now[name], count) for name, count in (hot_paths.counts(again, 1) if again else {}).items()}


def no_baseline(why: str, code: int) -> int:
    print(f"counts: nothing is compared: {why}", file=sys.stderr)
    return code


def options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="counts", description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", default="", metavar="TEXT", help="paths whose name holds this text")
    parser.add_argument("--update", action="store_true", help="write the baseline")
    parser.add_argument("--if-comparable", action="store_true", help="exit code 0 where nothing can be compared")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Count, then compare or write."""
    wanted = options(arguments)
    if not hot_paths.can_count():
        why = f"there is no valgrind {DEBIAN.format('valgrind')}"
        return no_baseline(why, 0 if wanted.if_comparable else NOT_COMPARED)
    baseline = json.loads(BASELINE.read_text(encoding="utf-8")) if BASELINE.exists() else {"facts": {}, "counts": {}}
    here = facts()
    other = differing(baseline["facts"], here)
    if other and not wanted.update:
        why = f"the baseline is of other tools: {'; '.join(other)}"
        return no_baseline(why, 0 if wanted.if_comparable else NOT_COMPARED)
    before = {name: count for name, count in baseline["counts"].items() if wanted.only in name}
    now = count_instructions([name for name in hot_paths.names() if wanted.only in name], before)
    if wanted.update:
        return write_baseline(rows(before, now), now if not wanted.only else {**baseline["counts"], **now}, here)
    return compare_counts(rows(before, now))


def compare_counts(found: Sequence[Row]) -> int:
    """Print the table and a sentence."""
    print(table(found))
    moved = [row.name for row in found if row.has_moved]
    if not moved:
        print(f"counts: {len(found)} paths, none moved by more than {TOLERANCE:.0%}")
        return 0
    print(f"counts: {len(moved)} of {len(found)} paths moved by more than {TOLERANCE:.0%}: {', '.join(moved)}. If that "
          "is meant, write the baseline with `make counts ARGS=--update` and commit it.", file=sys.stderr)  # fmt: skip
    return MOVED


def write_baseline(found: Sequence[Row], counts: dict[str, int], here: dict[str, str]) -> int:
    """Write the baseline and say what moves."""
    BASELINE.write_text(json.dumps({"facts": here, "counts": counts}, indent=1) + "\n", encoding="utf-8")
    moved = [row for row in found if row.has_moved]
    print(table(moved) if moved else "counts: nothing has moved")
    print(f"counts: {len(counts)} paths in {BASELINE.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
