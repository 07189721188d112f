"""Processes of the sides, and measurements in which they take turns."""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from tools.compare.facts import ONE_THREAD
from tools.workspace.packages import ROOT

OF_JAX = {
    "JAX_ENABLE_X64": "1",
    "JAX_PLATFORMS": "cpu",
    "JAX_CPU_ENABLE_ASYNC_DISPATCH": "0",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}
MODULES = {"wengert": "wengert", "captured": "wengert", "JAX": "jax", "CasADi": "casadi", "numexpr": "numexpr",
           "PyTorch": "torch", "copy": "numpy", "in cache": "wengert"}  # fmt: skip
"""The sides, and the module that each needs."""
ASIDE = ("copy", "in cache")
"""Sides with numbers of their own: a copy, and a captured program of numbers that a cache holds."""
OURS = ("wengert", "captured", *ASIDE)


@dataclass(frozen=True)
class Plan:
    """The length of a measurement: runs in fresh processes, rounds in each, and nanoseconds that a sample shall take.

    busy: count a process's time on the processor, not what others take in between.
    """

    runs: int = 3
    rounds: int = 5
    sample: int = 15_000_000
    busy: bool = False


@dataclass
class Timing:
    """The figures of one program; times in nanoseconds, medians over the runs."""

    program: str
    times: dict[str, float] = field(default_factory=dict)  # of each side
    first: dict[str, float] = field(default_factory=dict)  # of first calls, which record or compile
    facts: dict[str, Any] = field(default_factory=dict)  # of the captured function
    trouble: dict[str, str] = field(default_factory=dict)  # why a side has no time


class Side:
    """A process that runs the programs of one side."""

    def __init__(self, name: str, python: str, processor: int, **variables: str) -> None:
        command = [python, "-m", "tools.compare.replay.worker", name, str(processor)]
        environment = {**os.environ, **ONE_THREAD, **OF_JAX, **variables}
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.read()

    def read(self) -> dict[str, Any]:
        line = self.process.stdout.readline()  # type: ignore[union-attr]  # it is a pipe
        if not line:
            raise RuntimeError(f"the process ended with {self.process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def ask(self, *command: Any) -> dict[str, Any]:
        """Return the answer to a command. Raises RuntimeError where the process has ended."""
        try:
            self.process.stdin.write(json.dumps(command) + "\n")  # type: ignore[union-attr]  # it is a pipe
            self.process.stdin.flush()  # type: ignore[union-attr]
        except BrokenPipeError:
            raise RuntimeError(f"the process ended with {self.process.wait()}") from None
        return self.read()

    def close(self) -> None:
        self.process.stdin.close()  # type: ignore[union-attr]  # it is a pipe
        self.process.stdout.close()  # type: ignore[union-attr]
        self.process.wait()


def has_module(python: str, module: str) -> bool:
    code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    return subprocess.run([python, "-c", code], check=False).returncode == 0


def available_sides(pythons: Iterable[str]) -> dict[str, str]:
    """Return the Python of each side: this one for wengert, for others the first that has their module."""
    found = dict.fromkeys(OURS, sys.executable)
    for side, module in MODULES.items():
        for python in pythons:
            if side not in found and has_module(python, module):
                found[side] = python
    return found


def versions_of(sides: dict[str, str]) -> dict[str, str]:
    """Return the version of each side's module."""
    code = "import importlib.metadata; print(importlib.metadata.version({!r}))"
    found = {}
    for side, python in sides.items():
        command = [python, "-c", code.format(MODULES[side])]
        if side not in OURS[1:]:
            found[side] = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return found


def differs(ours: list[list[float]], theirs: list[list[float]], tolerance: float = 2e-3) -> bool:
    """Whether two sides' numbers differ by more than the tolerance, of the largest number of each result.

    >>> differs([[1.0, 2.0]], [[1.0001, 2.0]]), differs([[1.0]], [[1.1]]), differs([[1.0]], [])
    (False, True, True)
    """
    if [len(one) for one in ours] != [len(one) for one in theirs]:
        return True
    for one, other in zip(ours, theirs, strict=True):
        largest = max([1e-3, *map(abs, one)])
        if not all(math.isfinite(b) and abs(a - b) <= tolerance * largest for a, b in zip(one, other, strict=True)):
            return True
    return False


def measure_program(program: str, sides: dict[str, Side], plan: Plan) -> Timing:
    """Time one program on all sides that have it, in turns, after a look whether their numbers agree."""
    timing = Timing(program)
    loaded: dict[str, dict[str, Any]] = {}
    for name in [*sides]:
        try:
            answer = sides[name].ask("load", program, plan.busy)
        except RuntimeError as error:
            answer = {"trouble": str(error)}
            del sides[name]
        if "trouble" in answer:
            timing.trouble[name] = answer["trouble"]
        elif "absent" not in answer:
            loaded[name] = answer
    expected = loaded.get("wengert", {}).get("values")
    for name, answer in [*loaded.items()]:
        if name not in (*ASIDE, "wengert") and expected is not None and differs(expected, answer["values"]):
            timing.trouble[name] = "its numbers are others than wengert's"
            del loaded[name]
    timing.first = {name: answer["first"] for name, answer in loaded.items()}
    timing.facts = {"peak": loaded["wengert"]["peak"]} if "wengert" in loaded else {}
    timing.times = time_in_turns({name: sides[name] for name in loaded}, plan)
    if "captured" in loaded:
        timing.facts |= sides["captured"].ask("inspect")
    return timing


def time_in_turns(sides: dict[str, Side], plan: Plan) -> dict[str, float]:
    """Return the median nanoseconds of each side; each round begins with another one."""
    for side in sides.values():
        side.ask("calibrate", plan.sample, plan.busy)
    order = [*sides]
    samples: dict[str, list[float]] = {name: [] for name in order}
    for _ in range(plan.rounds if order else 0):
        order.append(order.pop(0))
        for name in order:
            samples[name].append(sides[name].ask("sample")["ns"])
    return {name: statistics.median(each) for name, each in samples.items()}


def combine(runs: list[Timing]) -> Timing:
    """Return the medians of several measurements of a program; facts are those of the last."""
    last = runs[-1]
    found = Timing(last.program, facts=dict(last.facts), trouble=dict(last.trouble))
    for name in last.times:
        found.times[name] = statistics.median(run.times[name] for run in runs if name in run.times)
        found.first[name] = statistics.median(run.first[name] for run in runs if name in run.first)
    return found


def measure(
    programs: list[str], pythons: dict[str, str], plan: Plan, tell: Callable[[str], None]
) -> dict[str, Timing]:
    """Return what was measured of each program, by its name."""
    processor = max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
    runs: dict[str, list[Timing]] = {name: [] for name in programs}
    for number in range(plan.runs):
        sides, started = {}, []
        try:
            for name, python in pythons.items():
                sides[name] = Side(name, python, processor)
                started.append(sides[name])
            for name in programs:
                tell(f"run {number + 1} of {plan.runs}: {name}")
                runs[name].append(measure_program(name, sides, plan))
        finally:
            for side in started:
                side.close()
    found = {name: combine(each) for name, each in runs.items()}
    weigh_programs(found, processor)
    return found


def weigh_programs(timings: dict[str, Timing], processor: int) -> None:
    """Note how many bytes each program holds, in a process where malloc makes Python's objects, too."""
    side = Side("captured", sys.executable, processor, PYTHONMALLOC="malloc")
    for name, timing in timings.items():
        timing.facts["held"] = side.ask("weigh", name).get("held")
    side.close()
