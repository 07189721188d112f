"""Time wengert beside PyTorch and NumPy, in one process on one thread, and say which aims of speed are reached.

make compare                                in an environment of its own, with PyTorch
python -m tools.compare.aims --only backward     some of the rows
python -m tools.compare.aims --markdown          also put the tables into docs/benchmarks.md
"""

from __future__ import annotations

import argparse
import importlib
import os
import statistics
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tools.compare.facts import ONE_THREAD, has_mkl, import_times, machine, node_bytes, product_by, wheel_bytes
from tools.compare.table import Fact, Report, Result, as_json, as_markdown, as_text, replace_between_markers
from tools.compare.timing import Plan, Sampler, quotients, time_interleaved
from tools.workspace.packages import ROOT

if TYPE_CHECKING:
    from tools.compare.rows import Row

METHOD = """
One process, one thread, {rounds} interleaved rounds, each beginning with another module. A statement is looped for
at least {sample:g} ms with gc off; the cost of the empty loop, measured beside it, is taken off. Times are medians
over the rounds; the ratio is the median of the rounds' quotients.
""".strip()


def say(text: str) -> None:
    """Progress, on one line of a terminal; nothing elsewhere."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def load_modules() -> dict[str, ModuleType]:
    """wengert, PyTorch and NumPy, or those of them that are there, each on one thread."""
    os.environ.update(ONE_THREAD)
    modules = {}
    for name in ("wengert", "torch", "numpy"):
        try:
            modules[name] = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
            print(f"compare: {name} is not installed; make compare sets up all", file=sys.stderr)
    for module in modules.values():
        getattr(module, "set_num_threads", lambda n: None)(1)
    return modules


def prepare_rows(row: Row, modules: dict[str, ModuleType]) -> dict[str, tuple[str, dict[str, Any]]]:
    """For each module a row's statement and its names."""
    sides = {name: (row.statement, row.names(xp)) for name, xp in modules.items() if name != "numpy"}
    if row.numpy is not None:
        statement, names = row.numpy
        sides["numpy"] = (statement, names())
    return sides


def disagreement(row: Row, sides: dict[str, tuple[str, dict[str, Any]]]) -> str:
    """Empty if all modules compute the same numbers, to single precision."""
    import numpy as np

    values = {}
    for name, (statement, names) in sides.items():
        value = eval(statement if name == "numpy" else row.check, names)
        values[name] = np.asarray(value.detach().numpy() if hasattr(value, "detach") else value)
    first, *others = values.values()
    same = all(first.shape == other.shape and np.allclose(first, other, rtol=1e-3, atol=1e-5) for other in others)
    return "" if same else "values differ: " + ", ".join(values)


def measure(row: Row, modules: dict[str, ModuleType], plan: Plan) -> Result:
    """Time one row in all modules, after a look whether they compute the same; what fails is said in the table."""
    try:
        sides = prepare_rows(row, modules)
        trouble = disagreement(row, sides)
    except Exception as error:
        trouble = f"{type(error).__name__}: {error}".partition("\n")[0]
    if trouble:
        return Result(row.group, row.name, row.aim, {}, trouble=trouble)
    samplers = {name: Sampler(statement, names, row.prepare, row.units) for name, (statement, names) in sides.items()}
    taken = time_interleaved(samplers, plan, lambda name: say(f"{row.group}: {row.name}: {name}"))
    ratio = quotients(taken["torch"], taken["wengert"]) if {"torch", "wengert"} <= taken.keys() else None
    medians = {name: statistics.median(times) for name, times in taken.items()}
    return Result(row.group, row.name, row.aim, medians, ratio)


def import_fact(modules: dict[str, ModuleType], plan: Plan) -> Fact:
    say("import times")
    taken = import_times(modules, max(5, plan.rounds))
    ratio = quotients(taken["wengert"], taken["numpy"])[1]
    note = ", ".join(f"{name} {statistics.median(times) / 1e6:.0f} ms" for name, times in taken.items())
    return Fact("import wengert over import numpy", ratio, 1.25, "", note)


def memory_fact(modules: dict[str, ModuleType]) -> Fact:
    say("memory of a node")
    found = {name: node_bytes(name) for name in modules if name != "numpy"}
    note = f"PyTorch {found['torch']:.0f} bytes" if "torch" in found else ""
    return Fact("a node of a scalar chain", found["wengert"], 400, "bytes", note)


def product_fact() -> Fact:
    """The large product once more by NumPy's BLAS, where the row of the table is by MKL."""
    say("1024 x 1024 matmul by NumPy's BLAS")
    note = "the row below is by MKL (wengert[mkl])" if has_mkl() else "no MKL here: the row below is by the same"
    return Fact("1024 x 1024 matmul over PyTorch's, by NumPy's BLAS", product_by("numpy"), 1, "", note)


def size_fact() -> Fact:
    total = wheel_bytes()
    note = "" if total else "no wheels in dist/: make build"
    return Fact("all wheels together", total / 1e6 if total else None, 10, "MB", note)


def compare(only: str, plan: Plan, facts: bool) -> Report:
    """Measure the rows whose group or name holds `only`, and the facts unless only rows are wanted."""
    start = machine()
    sys.path.insert(0, str(ROOT / "asv_benchmarks"))
    modules = load_modules()
    if "wengert" not in modules:
        raise SystemExit(1)
    rows: list[Row] = importlib.import_module("tools.compare.rows").all_rows()
    chosen = [row for row in rows if only.lower() in f"{row.group}: {row.name}".lower()]
    report = Report(start, METHOD.format(rounds=plan.rounds, sample=plan.sample / 1e6))
    if facts:  # first, while this process is small
        report.facts = [import_fact(modules, plan), memory_fact(modules), size_fact(), product_fact()]
    report.results = [measure(row, modules, plan) for row in chosen]
    say("")
    return report


def main() -> int:
    """Exit status 1 if a row could not be measured; an aim that is not reached is no failure."""
    parser = argparse.ArgumentParser(prog="compare", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few short rounds: to see that it works, not for a claim")
    parser.add_argument("--only", default="", metavar="TEXT", help="only rows whose group or name holds this; no facts")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write everything there")
    page = ROOT / "docs" / "benchmarks.md"
    parser.add_argument("--markdown", type=Path, nargs="?", const=page, metavar="PAGE",
                        help="also put the tables between the markers of a page (docs/benchmarks.md)")
    arguments = parser.parse_args()
    report = compare(arguments.only, Plan(3, 500_000) if arguments.quick else Plan(), facts=not arguments.only)
    print(as_text(report), end="")
    if arguments.json:
        arguments.json.write_text(as_json(report), encoding="utf-8")
    if arguments.markdown:
        replace_between_markers(arguments.markdown, as_markdown(report))
    return 1 if any(result.trouble for result in report.results) else 0


if __name__ == "__main__":
    sys.exit(main())
