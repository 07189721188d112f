"""What derivatives of functions cost: Jacobians, Hessians, products, in wengert and in PyTorch, in one run.

    .venv-compare/bin/python -m tools.compare.functional        after `make compare` has made that environment

The calls are those of asv_benchmarks/benchmarks/functional.py; medians of interleaved rounds on one thread. Without
PyTorch only wengert is timed.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import statistics
import sys
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "asv_benchmarks"))
import benchmarks.functional as functional

from tools.compare.facts import ONE_THREAD
from tools.compare.timing import Plan, Sampler, time_interleaved


def tensors_of(result: Any) -> list[Any]:
    """The tensors of a result that is nested in tuples and lists."""
    return [t for part in result for t in tensors_of(part)] if isinstance(result, (tuple, list)) else [result]


def agree(calls: dict[str, dict[str, Any]], name: str) -> None:
    """SystemExit unless all modules give the same for a call."""
    results = []
    for of_module in calls.values():
        results += [value.reshape(-1).tolist() for value in tensors_of(of_module[name]())]
    half = len(results) // len(calls)
    for mine, theirs in zip(results[:half], results[half:], strict=len(calls) == 2):
        largest = max(abs(value) for value in theirs)
        if max(abs(one - other) for one, other in zip(mine, theirs, strict=True)) > 1e-3 * largest:
            raise SystemExit(f"{name}: the modules differ: {mine[:5]}... {theirs[:5]}...")


def main() -> None:
    if not ONE_THREAD.items() <= os.environ.items():  # NumPy has read them already: begin again
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ONE_THREAD})
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, help="rounds of each timing; default: as the other comparisons")
    rounds = parser.parse_args().rounds
    warnings.simplefilter("ignore")
    found = [name for name in ("wengert", "torch") if importlib.util.find_spec(name)]
    modules = {name: importlib.import_module(name) for name in found}
    for module in modules.values():
        module.set_num_threads(1)
    calls = {name: functional.calls(module) for name, module in modules.items()}
    print(f"load {os.getloadavg()[0]:.2f} at the start; medians of interleaved rounds, one thread")
    print("| call | wengert, µs | PyTorch, µs | ratio |\n| --- | ---: | ---: | ---: |")
    for label in functional.NAMES:
        agree(calls, label)
        samplers = {name: Sampler("run()", {"run": of_module[label]}) for name, of_module in calls.items()}
        taken = time_interleaved(samplers, Plan() if rounds is None else Plan(rounds=rounds), lambda name: None)
        middle = {name: statistics.median(times) / 1000 for name, times in taken.items()}
        theirs = middle.get("torch")
        beside = "| - | - |" if theirs is None else f"| {theirs:.1f} | {theirs / middle['wengert']:.1f} |"
        print(f"| {label} | {middle['wengert']:.1f} {beside}", flush=True)


if __name__ == "__main__":
    main()
