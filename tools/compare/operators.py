"""Time each everyday operator, forward and backward, beside PyTorch, small, middle and large, on one thread and on two.

.venv-compare/bin/python -m tools.compare.operators                 print the tables
.venv-compare/bin/python -m tools.compare.operators --markdown      and put them into docs/benchmarks-operators.md
.venv-compare/bin/python -m tools.compare.operators --only conv     some of the operators
"""

from __future__ import annotations

import argparse
import importlib
import math
import os
import statistics
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

os.environ["OMP_NUM_THREADS"] = os.environ.get("COMPARE_THREADS", "1")  # before NumPy is imported
os.environ["OPENBLAS_NUM_THREADS"] = os.environ.get("COMPARE_THREADS", "1")
os.environ["MKL_NUM_THREADS"] = os.environ.get("COMPARE_THREADS", "1")

from tools.compare.facts import machine
from tools.compare.operator_rows import SIZES, OperatorRow, all_rows, names_for
from tools.compare.timing import Plan, Sampler, quotients, time_interleaved
from tools.workspace.packages import ROOT

PAGE = ROOT / "docs" / "benchmarks-operators.md"
HEAD = """# Operators compared with PyTorch

PyTorch's time over wengert's: if a ratio is above 1, wengert is faster. `python -m tools.compare.operators --markdown`
writes this page, in the environment of `make compare`; `tools/compare/operator_rows.py` has the statements. All tensors
are float32. The forward is recorded (inputs require gradients) if the operator is differentiable; the backward is
`autograd.grad` of the result with `retain_graph=True`. Matrices for linalg are 4 x 4, and batches of 50 x 50.

One process measures each whole table in {passes} passes, minutes apart, because other load on the machine slows
single rows for a while. A pass yields the median of the quotients of {rounds} interleaved rounds (on two threads,
{more} at the largest size); each ratio is the median of the passes. On two threads each sample starts {pause:.0f} ms
after the previous one, when the other package's threads no longer spin. A sample whose own threads wait for each
other takes milliseconds (ratios above 100), so on two threads the median is more meaningful than the mean.

{machine}
"""
PASSES = 3  # over the whole table
APART = 1.5  # passes whose ratios are further apart than this are counted below the table
PAUSE = 0.03  # seconds before a sample on two threads
MORE = 11  # rounds at the largest size on two threads: what else runs on the machine takes one of them now and then


@dataclass(frozen=True)
class Measurement:
    """PyTorch's time over wengert's, or why there is none; apart: the highest pass over the lowest."""

    ratio: float | None
    trouble: str = ""
    apart: float = 1.0

    def __str__(self) -> str:
        return "" if self.ratio is None and not self.trouble else self.trouble or f"{self.ratio:.2f}"


def gradient_names(row: OperatorRow, names: dict[str, Any]) -> dict[str, Any]:
    """Names for timing the backward of a row's result."""
    result = eval(row.statement, names)
    inputs = [value for value in names.values() if getattr(value, "requires_grad", False) and value.is_leaf]
    return {"grad": names["m"].autograd.grad, "result": result, "inputs": inputs, "ones": names["m"].ones_like(result)}


def sides(
    row: OperatorRow, modules: dict[str, ModuleType], n: int, backward: bool
) -> dict[str, tuple[str, dict[str, Any]]]:
    """For each module the statement to time, and its names."""
    statement = "grad(result, inputs, ones, retain_graph=True)" if backward else row.statement
    made = {name: names_for(row, module, n) for name, module in modules.items()}
    return {name: (statement, gradient_names(row, names) if backward else names) for name, names in made.items()}


def measure(row: OperatorRow, modules: dict[str, ModuleType], n: int, backward: bool, plan: Plan) -> Measurement:
    if backward and not row.backward:
        return Measurement(None)
    try:
        samplers = {name: Sampler(*side) for name, side in sides(row, modules, n, backward).items()}
        taken = time_interleaved(samplers, plan, lambda name: None)
    except Exception as error:
        return Measurement(None, f"{type(error).__name__}: {error}".partition("\n")[0][:60])
    return Measurement(quotients(taken["torch"], taken["wengert"])[1])


def geometric_mean(ratios: list[float]) -> float:
    return math.exp(statistics.fmean(map(math.log, ratios))) if ratios else math.nan


def of_passes(passes: Sequence[Measurement]) -> Measurement:
    """What a cell is: the median of its passes, or the first trouble."""
    ratios = sorted(each.ratio for each in passes if each.ratio is not None)
    if len(ratios) < len(passes):
        return next(each for each in passes if each.ratio is None)
    return Measurement(statistics.median(ratios), apart=ratios[-1] / ratios[0])


def cells_of(row: OperatorRow, modules: dict[str, ModuleType], threads: int, plan: Plan) -> list[Measurement]:
    """One pass over a row: forward and backward at each size."""
    plans = {n: replace(plan, rounds=MORE) if threads > 1 and n == max(SIZES) else plan for n in SIZES}
    return [measure(row, modules, n, backward, plans[n]) for n in SIZES for backward in (False, True)]


def table(
    rows: list[OperatorRow], modules: dict[str, ModuleType], threads: int, plan: Plan, passes: int
) -> Iterator[str]:
    """The lines of one table."""
    for module in modules.values():
        module.set_num_threads(threads)
    every_pass = [[cells_of(row, modules, threads, plan) for row in rows] for _ in range(passes)]
    found = [[of_passes(cell) for cell in zip(*row, strict=True)] for row in zip(*every_pass, strict=True)]
    yield f"## {threads} thread{'s' * (threads > 1)}\n"
    yield "| operator | " + " | ".join(f"{way} {n:,}" for n in SIZES for way in ("forward", "backward")) + " |"
    yield "| --- |" + " ---: |" * (2 * len(SIZES))
    for row, cells in zip(rows, found, strict=True):
        yield f"| {row.name} | " + " | ".join(map(str, cells)) + " |"
    columns = [[cell.ratio for cell in column if cell.ratio] for column in zip(*found, strict=True)]
    yield "| **geometric mean** | " + " | ".join(f"{geometric_mean(column):.2f}" for column in columns) + " |"
    yield "| **lowest** | " + " | ".join(f"{min(column):.2f}" if column else "" for column in columns) + " |"
    yield from summary(columns, sum(cell.apart > APART for cells in found for cell in cells))


def summary(columns: list[list[float]], apart: int) -> Iterator[str]:
    """The lines below a table: means, and how many cells miss an aim or are unsteady."""
    every = [ratio for column in columns for ratio in column]
    slow, small = sum(r < 0.5 for r in every), sum(r < 1 for column in columns[:2] for r in column)
    median = statistics.median(every)
    yield f"\nGeometric mean of all {len(every)} ratios: {geometric_mean(every):.2f}, median: {median:.2f}."
    yield f"Below 0.5: {slow}; below 1 at {SIZES[0]} elements: {small}. Passes over {APART} times apart: {apart}.\n"


def in_a_process_with(threads: int, arguments: argparse.Namespace) -> list[str]:
    """The lines of the table for another number of threads, measured in a process of its own."""
    command = [sys.executable, "-m", "tools.compare.operators", "--threads", str(threads), "--only", arguments.only]
    command += ["--passes", str(arguments.passes)] + (["--quick"] if arguments.quick else [])
    environment = {**os.environ, "COMPARE_THREADS": str(threads)}
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, flush=True)
    return done.stdout.splitlines()


def main() -> int:
    """Exit status 1 if something could not be measured."""
    parser = argparse.ArgumentParser(prog="compare_operators", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", metavar="TEXT", help="operators whose name holds this")
    parser.add_argument("--quick", action="store_true", help="few short rounds: to see that it works, not for a claim")
    parser.add_argument("--passes", type=int, default=PASSES, help=f"over the whole table, {PASSES} if not said")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--markdown", action="store_true", help=f"write {PAGE.name}")
    arguments = parser.parse_args()
    plan = Plan(3, 200_000) if arguments.quick else Plan(5, 500_000)
    start = ", ".join(f"{key} {value}" for key, value in machine().items())
    modules = {name: importlib.import_module(name) for name in ("wengert", "torch")}
    warnings.simplefilter("ignore")
    rows = [row for row in all_rows() if arguments.only in row.name]
    facts = {"passes": arguments.passes, "rounds": plan.rounds, "more": MORE, "pause": PAUSE * 1000}
    lines = [HEAD.format(**facts, machine=start)]
    for threads in arguments.threads:
        if str(threads) == os.environ["OMP_NUM_THREADS"]:
            pauses = replace(plan, pause=PAUSE if threads > 1 else 0.0)
            for line in table(rows, modules, threads, pauses, arguments.passes):
                print(line, flush=True)
                lines.append(line)
        else:  # BLAS reads its number of threads once
            lines += in_a_process_with(threads, arguments)
    if arguments.markdown:
        PAGE.write_text("\n".join(lines), encoding="utf-8")
    return 1 if any("Error" in line for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
