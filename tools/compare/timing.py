"""Timing of one statement in several modules: interleaved rounds, medians, the loop's own cost taken off."""

from __future__ import annotations

import statistics
import time
import timeit
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

LIMIT = 10**7  # loops in one sample


@dataclass(frozen=True)
class Plan:
    """How long to measure: rounds, and nanoseconds that one sample shall at least take.

    pause: seconds to wait, and then to run the statement once, before a sample. A module's idle threads may spin for
    milliseconds before they sleep (OpenMP's and OpenBLAS's do), on the processor that the next sample needs.
    """

    rounds: int = 21
    sample: int = 4_000_000
    pause: float = 0.0


class Sampler:
    """Gives nanoseconds a unit of a statement; gc is off while it runs. Of each loop its own cost is taken off."""

    def __init__(self, statement: str, names: dict[str, Any], prepare: str = "", units: int = 1) -> None:
        setup = prepare or "pass"
        self.timer = timeit.Timer(statement, setup, time.perf_counter_ns, names)
        self.empty = timeit.Timer("pass", "pass", time.perf_counter_ns)
        self.once, self.units, self.loops = bool(prepare), units, 1

    def calibrate(self, sample: int) -> None:
        """Choose the number of loops; also warms up. A prepared statement runs once for each preparation."""
        self.timer.timeit(1)
        while not self.once and self.loops < LIMIT:
            taken = max(1, int(self.timer.timeit(self.loops)))
            if taken >= sample:
                break
            self.loops = min(LIMIT, max(self.loops + 1, min(10 * self.loops, int(1.2 * self.loops * sample / taken))))

    def repeats(self, sample: int) -> int:
        """A prepared statement may be short: so many runs make a sample, whose median counts."""
        return max(1, min(20, sample // max(1, int(self.timer.timeit(1))))) if self.once else 1

    def sample(self, repeats: int = 1) -> float:
        taken = statistics.median(self.timer.timeit(self.loops) for _ in range(repeats))
        return max(0.01, taken - self.empty.timeit(self.loops)) / self.loops / self.units


def time_interleaved(samplers: dict[str, Sampler], plan: Plan, tell: Callable[[str], None]) -> dict[str, list[float]]:
    """Nanoseconds of each round; every round asks all samplers, each time beginning with another one."""
    for name, sampler in samplers.items():
        tell(name)
        sampler.calibrate(plan.sample)
    repeats = {name: sampler.repeats(plan.sample) for name, sampler in samplers.items()}
    order = list(samplers)
    taken: dict[str, list[float]] = {name: [] for name in order}
    for _ in range(plan.rounds):
        order.append(order.pop(0))
        for name in order:
            if plan.pause:
                time.sleep(plan.pause)
                samplers[name].timer.timeit(1)
            taken[name].append(samplers[name].sample(repeats[name]))
    return taken


def quotients(above: list[float], below: list[float]) -> tuple[float, float, float]:
    """Lower quartile, median and upper quartile of the rounds' quotients: a drift of the machine falls out of them."""
    each = sorted(a / b for a, b in zip(above, below, strict=True))
    if len(each) < 4:
        return each[0], statistics.median(each), each[-1]
    low, middle, high = statistics.quantiles(each, n=4)
    return low, middle, high
