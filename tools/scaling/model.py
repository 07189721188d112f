"""A model of a training step on many ranks: latency and bandwidth fitted to measurements, replayed on simulated ranks.

An all_reduce of ``b`` bytes on ``n`` ranks takes ``2 ceil(log2 n) latency + 2 (n - 1) / n b / bandwidth``: the tree's
steps, and what a ring moves. A step begins a bucket when its gradients are there and ends when backward and the last
bucket have; buckets are reduced one after another.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import wengert as wg
from wengert_testing.sim_group import compute, run_ranks, simulated_time


class Network(NamedTuple):
    """The cost of an all_reduce: seconds for each message, and bytes in a second."""

    latency: float
    bandwidth: float

    def seconds(self, nbytes: float, ranks: int) -> float:
        """Return how long an all_reduce takes."""
        if ranks < 2:
            return 0.0
        return 2 * math.ceil(math.log2(ranks)) * self.latency + 2 * (ranks - 1) / ranks * nbytes / self.bandwidth


def fit(microseconds: dict[int, float], ranks: int = 2) -> Network:
    """Return the network whose times are nearest to those measured, by the ratio."""
    sizes = np.array(sorted(microseconds), float)
    times = np.array([microseconds[int(size)] for size in sizes]) * 1e-6
    messages = 2 * math.ceil(math.log2(ranks))
    moved = 2 * (ranks - 1) / ranks * sizes
    scaled = np.stack([np.full_like(sizes, messages), moved], 1) / times[:, None]
    latency, inverse = np.linalg.lstsq(scaled, np.ones_like(times), rcond=None)[0]
    return Network(max(float(latency), 1e-9), 1 / max(float(inverse), 1e-15))


class Schedule(NamedTuple):
    """The seconds after which backward has each bucket's gradients, and after which it ends itself."""

    ready: Sequence[float]
    nbytes: Sequence[int]
    end: float


def predicted_seconds(schedule: Schedule, network: Network, ranks: int) -> float:
    """Return how long the model says that a step takes."""
    free = 0.0
    for ready, nbytes in zip(schedule.ready, schedule.nbytes, strict=True):
        free = max(free, ready) + network.seconds(nbytes, ranks)
    return max(free, schedule.end)


def replayed_seconds(schedule: Schedule, network: Network, ranks: int) -> float:
    """Return how long the schedule takes on simulated ranks, which call the collectives of wengert.distributed."""

    def program() -> float:
        begin, last = simulated_time(), None
        for ready in schedule.ready:
            compute(begin + ready - simulated_time())
            if last is not None:
                last.wait()  # one bucket after another, while backward goes on
            last = wg.distributed.all_reduce(wg.zeros(1), async_op=True)
        compute(begin + schedule.end - simulated_time())
        if last is not None:
            last.wait()
        return simulated_time() - begin

    sizes = iter(schedule.nbytes)

    def delay(name: str, nbytes: int, n: int) -> float:
        return network.seconds(next(sizes), n) if name == "all_reduce" else 0.0

    return float(max(run_ranks(ranks, program, delays=delay)))
