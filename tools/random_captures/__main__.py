"""Run random programs as they are and under wg.capture, and print those in which the two differ, shortened.

    .venv/bin/python -m tools.random_captures [--seed 0] [--count 200] [--kind plain] [--show] [--no-shrink]
    .venv/bin/python -m tools.random_captures --run FILE

A program is text: ``scenario(capture, reload, call, see)`` makes tensors, calls a function with changing arguments, and
tells what is to be seen: numbers by their bits, dtypes, strides, versions, gradients, memory that is shared, states of
the generator, errors, warnings. It runs once with the function as it is, and once captured. Kinds: plain (operations,
views, writes), training (modules and optimizers), transforms (vmap, grad, jvp), control (numbers that Python reads,
loops of ``wg.func``), extras (NumPy, sparse, distributions, hooks, Functions, checkpoints), saved (programs in files),
or all. ``--show`` prints each program before it runs; ``--run`` runs a text that was kept.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from .generate import KINDS, random_capture
from .program import Program
from .run import Outcome, compare
from .shrink import shrink


def main() -> int:
    """Run what the command line asks for; the exit code is 1 where a program differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=200, help="how many programs of each kind")
    parser.add_argument("--kind", choices=(*KINDS, "all"), default="all")
    parser.add_argument("--show", action="store_true", help="print each program before it runs")
    parser.add_argument("--no-shrink", action="store_true", help="print programs as they are")
    parser.add_argument("--run", type=Path, help="a file with a program")
    options = parser.parse_args()
    if options.run:
        outcome = compare(options.run.read_text(encoding="utf-8"))
        print(listing(outcome))
        return int(outcome.difference is not None)
    found = [run_kind(kind, options) for kind in (KINDS if options.kind == "all" else (options.kind,))]
    return int(any(found))


def run_kind(kind: str, options: argparse.Namespace) -> int:
    """Run the programs of a kind; return how many differ."""
    facts: Counter[str] = Counter()
    replays = replayed = loaded = 0
    for seed in range(options.seed, options.seed + options.count):
        program = random_capture(seed, kind)
        if options.show:
            print(program.text(), flush=True)
        outcome = compare(program.text())
        replays += outcome.replays
        replayed += outcome.replays > 0
        loaded += outcome.loaded
        if outcome.difference is not None:
            facts[outcome.difference.fact] += 1
            report(program, outcome, options)
    print(f"{kind}: {options.count} programs, {replayed} of them replayed, {replays} replays, {loaded} loaded, "
          f"{facts.total()} differ {dict(facts) or ''}", flush=True)  # fmt: skip
    return facts.total()


def report(program: Program, outcome: Outcome, options: argparse.Namespace) -> None:
    """Print a program that differs, shortened."""
    assert outcome.difference is not None
    fact = outcome.difference.fact
    if not options.no_shrink:
        program = shrink(program, lambda shorter: has_fact(shorter, fact))
        outcome = compare(program.text())
    print(f"{'=' * 100}\n{program.text()}{listing(outcome)}\n", flush=True)


def has_fact(program: Program, fact: str) -> bool:
    """Return whether a program differs in a fact."""
    try:
        outcome = compare(program.text())
    except SyntaxError:
        return False
    return outcome.difference is not None and outcome.difference.fact == fact


def listing(outcome: Outcome) -> str:
    """Return a difference in words."""
    one = outcome.difference
    text = f"{outcome.replays} replays; {'; '.join(outcome.reasons)}"
    if one is None:
        return f"no difference; {text}"
    return (f"{one.fact}: observation {one.number}{one.where}\n    eager    {str(one.eager)[:400]}\n"
            f"    captured {str(one.captured)[:400]}\n{text}")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
