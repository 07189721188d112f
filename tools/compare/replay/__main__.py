"""Time captured programs beside wengert's eager calls, JAX, CasADi, numexpr and PyTorch, on one processor.

    python -m tools.compare.replay --peers PYTHON [--peers PYTHON] [--quick] [--only TEXT] [--page] [--json FILE]

A peer is a Python in whose environment some of the others are installed:
``python -m venv peers; peers/bin/pip install jax casadi numexpr torch``. What is missing is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tools.compare.facts import commit, processor
from tools.compare.replay.figure import speedup_figure
from tools.compare.replay.launch import Plan, Timing, available_sides, measure, versions_of
from tools.compare.replay.report import PROGRAMS, as_page
from tools.workspace.packages import ROOT

PAGE, FIGURE = ROOT / "docs" / "replay-figures.md", ROOT / "docs" / "_static" / "replay-speedups.svg"
TITLE = """# Figures of capture and replay

Captured programs beside eager calls, and beside JAX's `jit`, CasADi's virtual machine, numexpr and PyTorch.
`python -m tools.compare.replay --peers PYTHON --page` writes this page, where `PYTHON` has the others installed.

"""
METHOD = """{machine}, one processor for all; {versions}, commit {commit}, load {load:.1f} at the start.
Each side runs in a process of its own with one thread, and the processes take turns: {rounds} rounds of samples of at
least {sample:g} ms (or one call). Runs in fresh processes: {runs}. Times are medians over the runs, of medians over the
rounds. The numbers of all sides are compared first. Programs are the same text for wengert and PyTorch, and for CasADi
where they are of scalars; in JAX each is one function under `jit`, whose loops over time are `scan`. numexpr has no
gradients: its formulas are derived by hand. PyTorch runs eagerly.
"""


def say(text: str) -> None:
    """Show progress on one line of a terminal; nothing elsewhere."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def head_of(found: dict[str, Any]) -> str:
    versions = ", ".join(f"{side} {version}" for side, version in found["versions"].items())
    busy = "Times are those of the processes on the processor, not of the wall's clock: the machine had other work.\n"
    return TITLE + METHOD.format(**{**found, "versions": versions}) + (busy if found["busy"] else "")


def measure_all(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return everything that a page needs, as JSON holds it."""
    plan = Plan(1, 3, 3_000_000, arguments.busy) if arguments.quick else Plan(arguments.runs, busy=arguments.busy)
    load = os.getloadavg()[0]
    sides = available_sides(arguments.peers)
    programs = [name for name in PROGRAMS if arguments.only.lower() in name.lower()]
    timings = measure(programs, sides, plan, say)
    say("")
    return {
        "machine": processor(), "versions": versions_of(sides), "commit": commit(), "load": load, "runs": plan.runs,
        "rounds": plan.rounds, "sample": plan.sample / 1e6, "busy": plan.busy,
        "timings": {name: asdict(timing) for name, timing in timings.items()},
    }  # fmt: skip


def main() -> int:
    """Exit status 1 if a side that is there could not be measured; an aim that is missed is no failure."""
    parser = argparse.ArgumentParser(prog="compare.replay", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--peers", action="append", default=[], metavar="PYTHON", help="a Python that has other sides")
    parser.add_argument("--quick", action="store_true", help="one short run: to see that it works, not for a claim")
    parser.add_argument("--runs", type=int, default=3, help="runs in fresh processes")
    parser.add_argument("--busy", action="store_true", help="count processes' time only: for a machine with other work")
    parser.add_argument("--only", default="", metavar="TEXT", help="only programs whose name holds this")
    parser.add_argument("--page", action="store_true", help=f"write {PAGE.relative_to(ROOT)} and its figure")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write everything there")
    parser.add_argument("--from", type=Path, dest="source", metavar="FILE", help="read what --json wrote; time nothing")
    arguments = parser.parse_args()
    found = json.loads(arguments.source.read_text()) if arguments.source else measure_all(arguments)
    timings = {name: Timing(**timing) for name, timing in found["timings"].items()}
    sys.path.insert(0, str(ROOT / "asv_benchmarks"))
    from benchmarks.replay_programs import BYTES_MOVED

    figure = f"\n![How many times as long others take as a captured call](_static/{FIGURE.name})\n"
    page = as_page(timings, head_of(found), BYTES_MOVED, lambda head: head + figure)
    print(page)
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if arguments.page:
        PAGE.write_text(page.rstrip() + "\n", encoding="utf-8")
        FIGURE.write_text(speedup_figure(timings), encoding="utf-8")
    return 1 if any(timing.trouble for timing in timings.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
