"""What watching costs: tensor hooks, saved-tensor hooks and anomaly mode, in wengert and in PyTorch, in one run.

    .venv-compare/bin/python -m tools.compare.overheads        after `make compare` has made that environment

Each line is the time with the feature less the time without it, both medians of interleaved rounds on one thread.
"""

from __future__ import annotations

import importlib
import os
import statistics
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "asv_benchmarks"))
import benchmarks.programs as programs

from tools.compare.facts import ONE_THREAD
from tools.compare.timing import Plan, Sampler, time_interleaved

MODULES = ("wengert", "torch")
LENGTH = 200  # multiplications in the chain whose gradients are hooked
Run = Callable[[], Any]


def chain(xp: Any, hooked: bool) -> Run:
    """Forward and backward of a chain of multiplications, each result with a hook that does nothing, or without."""
    x = xp.ones(4, requires_grad=True)

    def run() -> None:
        y = x
        for _ in range(LENGTH):
            y = y * 1.001
            if hooked:
                y.register_hook(ignore)
        x.grad = None
        y.sum().backward()

    return run


def ignore(grad: Any) -> None:
    """A hook that leaves the gradient as it is."""


def digits(xp: Any) -> Run:
    return programs.DigitsStep(xp)


def packed_digits(xp: Any) -> Run:
    """The step with hooks that give saved tensors back as they are."""
    step = programs.DigitsStep(xp)

    def run() -> None:
        with xp.autograd.graph.saved_tensors_hooks(same, same):
            step()

    return run


def same(tensor: Any) -> Any:
    return tensor


def watched_digits(xp: Any) -> Run:
    """The step in anomaly mode."""
    step = programs.DigitsStep(xp)

    def run() -> None:
        with xp.autograd.set_detect_anomaly(True):
            step()

    return run


CASES: list[tuple[str, Callable[[Any], Run], Callable[[Any], Run], int]] = [
    ("tensor hook, each call (registered and called)", lambda xp: chain(xp, True), lambda xp: chain(xp, False), LENGTH),
    ("saved-tensor hooks, digits step", packed_digits, digits, 1),
    ("anomaly mode, digits step", watched_digits, digits, 1),
]


def main() -> None:
    if not ONE_THREAD.items() <= os.environ.items():  # NumPy has read them already: begin again
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ONE_THREAD})
    warnings.simplefilter("ignore")
    modules = {name: importlib.import_module(name) for name in MODULES}
    for module in modules.values():
        module.set_num_threads(1)
    print(f"load {os.getloadavg()[0]:.2f} at the start; medians of interleaved rounds, one thread")
    print("| overhead of | wengert, µs | PyTorch, µs | ratio |\n| --- | ---: | ---: | ---: |")
    for label, with_it, without, units in CASES:
        samplers = {}
        for name, module in modules.items():
            samplers[f"{name} with"] = Sampler("run()", {"run": with_it(module)}, units=units)
            samplers[f"{name} without"] = Sampler("run()", {"run": without(module)}, units=units)
        taken = time_interleaved(samplers, Plan(), lambda name: None)
        middle = {name: statistics.median(times) / 1000 for name, times in taken.items()}
        ours, theirs = (middle[f"{name} with"] - middle[f"{name} without"] for name in MODULES)
        print(f"| {label} | {ours:.2f} | {theirs:.2f} | {theirs / ours:.1f} |", flush=True)


if __name__ == "__main__":
    main()
