"""Times of gradients in wengert.numpy beside HIPS autograd's, and JAX's without jit, in one process.

    python -m tools.compare.hips [--runs 3]        with autograd, and if wanted jax, installed (or in PYTHONPATH)

The programs are those of asv_benchmarks/benchmarks/numpy_programs.py. Each number is the median of several runs, of
which each is the median of interleaved rounds, on one thread. Gradients are compared first.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "asv_benchmarks"))
from benchmarks.numpy_programs import PROGRAMS, Program

from tools.compare.facts import ONE_THREAD
from tools.compare.timing import Plan, Sampler, time_interleaved

NAMES = {"wengert": "wengert.numpy", "autograd": "autograd.numpy", "jax": "jax.numpy"}
OURS = "wengert"


def gradient_of(name: str, program: Program) -> Callable[[], list[Any]]:
    """Return a function without arguments that gives a program's gradient, computed when it returns."""
    xp = importlib.import_module(NAMES[name])
    loss, parameters = program(xp)
    if name != "jax":
        gradient = (xp if name == OURS else importlib.import_module(name)).grad(loss)
        return lambda: gradient(parameters)
    jax = importlib.import_module("jax")
    of_arrays, arrays = jax.grad(loss), [xp.asarray(one) for one in parameters]
    return lambda: jax.block_until_ready(of_arrays(arrays))


def check_equal(name: str, label: str, found: list[Any], expected: list[Any]) -> None:
    """Exit if two modules disagree on a gradient."""
    for one, other in zip(found, expected, strict=True):
        if not np.allclose(np.asarray(one), np.asarray(other), rtol=1e-6, atol=1e-9):
            raise SystemExit(f"{label}: the gradients of {OURS} and {name} differ")


def measure(program: Program, label: str, modules: list[str], runs: int) -> dict[str, float]:
    """Return the microseconds that each module takes."""
    gradients = {name: gradient_of(name, program) for name in modules}
    for name in modules[1:]:
        check_equal(name, label, gradients[name](), gradients[OURS]())
    medians: dict[str, list[float]] = {name: [] for name in modules}
    for _ in range(runs):
        samplers = {name: Sampler("run()", {"run": run}) for name, run in gradients.items()}
        for name, taken in time_interleaved(samplers, Plan(rounds=7, sample=20_000_000), lambda text: None).items():
            medians[name].append(statistics.median(taken) / 1000)
    return {name: statistics.median(each) for name, each in medians.items()}


def main() -> None:
    if not ONE_THREAD.items() <= os.environ.items():  # NumPy has read them already: begin again
        os.execve(sys.executable, [sys.executable, "-m", "tools.compare.hips", *sys.argv[1:]],
                  {**os.environ, **ONE_THREAD, "JAX_ENABLE_X64": "1", "JAX_PLATFORMS": "cpu"})  # fmt: skip
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--runs", type=int, default=3)
    runs = parser.parse_args().runs
    modules = [name for name in NAMES if importlib.util.find_spec(name)]
    print(f"load {os.getloadavg()[0]:.2f} at the start; microseconds of a gradient, medians of {runs} runs, one thread")
    print(" | ".join(["| gradient of", *modules, *(f"{name} / {OURS}" for name in modules[1:])]) + " |")
    print("| :--- " + "| ---: " * (2 * len(modules) - 1) + "|")
    for label, program in PROGRAMS.items():
        taken = measure(program, label, modules, runs)
        cells = [f"{taken[name]:.1f}" for name in modules]
        cells += [f"{taken[name] / taken[OURS]:.1f}" for name in modules[1:]]
        print(f"| {label} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
