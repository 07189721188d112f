"""What the profiler costs for each operation: on, with shapes, with stacks, in wengert and in PyTorch, in one run.

    .venv-compare/bin/python -m tools.compare.profiler        after `make compare` has made that environment

A loop of small operations is timed inside of the block, and without one; a line is the difference of the medians of
interleaved rounds on one thread. PyTorch leaves much of its work to the block's end: the last line has that in it, and
the making of the table of sums. `--rounds N` and `--length N` change how long it takes.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import statistics
import sys
import warnings
from time import perf_counter_ns
from typing import Any

from tools.compare.facts import ONE_THREAD

MODULES = ("wengert", "torch")
WHOLE = "on, with the block's end and key_averages()"
OPTIONS: dict[str, dict[str, bool] | None] = {
    "off": None,
    "on": {},
    "record_shapes": {"record_shapes": True},
    "profile_memory": {"profile_memory": True},
    "with_stack": {"with_stack": True},
    WHOLE: {},
}


def once(xp: Any, options: dict[str, bool] | None, length: int, whole: bool) -> float:
    """Nanoseconds for an operation, inside of a block with these options; None: outside of any."""
    x = xp.ones(16)
    if options is None:
        start = perf_counter_ns()
        for _ in range(length):
            x * x
        return (perf_counter_ns() - start) / length
    begin = perf_counter_ns()
    with xp.autograd.profiler.profile(**options) as prof:
        start = perf_counter_ns()
        for _ in range(length):
            x * x
        taken = perf_counter_ns() - start
    if whole:
        prof.key_averages()
        taken = perf_counter_ns() - begin
    return taken / length


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--length", type=int, default=5000)
    options = parser.parse_args()
    if not ONE_THREAD.items() <= os.environ.items():  # NumPy has read them already: begin again
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ONE_THREAD})
    warnings.simplefilter("ignore")
    modules = {}
    for name in MODULES:
        try:
            modules[name] = importlib.import_module(name)
        except ModuleNotFoundError:
            print(f"compare_profiler: {name} is not installed; make compare sets up all")
    for module in modules.values():
        module.set_num_threads(1)
    gc.disable()
    taken: dict[tuple[str, str], list[float]] = {(name, label): [] for name in modules for label in OPTIONS}
    for number in range(options.rounds + 1):
        for name, module in modules.items():
            for label, chosen in OPTIONS.items():
                value = once(module, chosen, options.length, label == WHOLE)
                if number:  # the first round loads what is loaded late
                    taken[name, label].append(value)
    middle = {key: statistics.median(values) for key, values in taken.items()}
    print(f"load {os.getloadavg()[0]:.2f} at the end; ns for an operation on 16 elements, more than without a profiler")
    print("| profiler | " + " | ".join(modules) + " | ratio |\n| --- |" + " ---: |" * (len(modules) + 1))
    for label in OPTIONS:
        costs = [middle[name, label] - (0 if label == "off" else middle[name, "off"]) for name in modules]
        ratio = f"{costs[1] / costs[0]:.1f}" if len(costs) == 2 else ""
        cells = [label if label != "off" else "off: the operation itself", *(f"{cost:.0f}" for cost in costs), ratio]
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
