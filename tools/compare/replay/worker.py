"""One side in a process of its own, on one processor: answers to commands with times. See launch.py.

    python -m tools.compare.replay.worker SIDE PROCESSOR

Commands are lines of JSON. ``load`` makes a program, times its first call and gives its numbers; ``calibrate`` chooses
how many calls make a sample; ``sample`` gives nanoseconds of a call; ``inspect`` says how a captured function ran.
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import sys
import time
import warnings
from typing import Any

CHECKED = 3
"""The call whose results are compared: a training step's loss depends on the steps before it."""
FIRST_CALLS = 3
OURS = ("captured", "wengert")


class Worker:
    """The programs of one side, one at a time."""

    def __init__(self, side: str) -> None:
        from tools.compare.replay import sides

        self.side, self.sides, self.makers = side, sides, sides.makers_of(side)
        self.call: Any = None
        self.sampler: Any = None

    def load(self, program: str, busy: bool) -> dict[str, Any]:
        """Make a program anew some times and time first calls, then call it until its results count.

        busy: count this process's time on the processor only.
        """
        clock = time.process_time if busy else time.perf_counter
        self.call = self.sampler = None
        gc.collect()
        if program not in self.makers:
            return {"absent": True}
        answer: dict[str, Any] = {}
        if self.side in OURS:
            self.warm_up(program, answer)
        seconds = []
        for _ in range(FIRST_CALLS if self.side in OURS else 1):
            self.call = None
            begin = clock()
            self.call = self.makers[program]()
            if self.side != "CasADi":  # whose functions are built here, the others' by their first call
                begin = clock()
            results = self.call()
            seconds.append(clock() - begin)
        for _ in range(CHECKED - 1):
            results = self.call()
        return answer | {"first": statistics.median(seconds) * 1e9, "values": self.sides.digest(results)}

    def warm_up(self, program: str, answer: dict[str, Any]) -> None:
        """Run eagerly what is captured later: operations are loaded when they are first used."""
        makers = self.makers if self.side == "wengert" else self.sides.makers_of("wengert")
        call = makers[program]()
        call(), call()
        if self.side == "wengert":
            answer["peak"] = self.sides.peak_of(call)
        else:
            self.makers[program]()()

    def weigh(self, program: str) -> dict[str, Any]:
        """Give the bytes that a captured program holds."""
        self.warm_up(program, {})
        return {"held": self.sides.weigh_program(self.makers[program])}

    def calibrate(self, sample: int, busy: bool) -> dict[str, Any]:
        """Choose the number of calls in a sample. busy: count this process's time on the processor only."""
        from tools.compare.timing import Sampler

        self.sampler = Sampler("run()", {"run": self.call})
        if busy:
            self.sampler.timer.timer = self.sampler.empty.timer = time.process_time_ns
        self.sampler.calibrate(sample)
        return {}

    def sample(self) -> dict[str, Any]:
        return {"ns": self.sampler.sample()}

    def inspect(self) -> dict[str, Any]:
        found: dict[str, Any] = self.sides.inspect_capture(self.call)
        return found


def main() -> None:
    """Answer until there are no more commands."""
    side, processor = sys.argv[1], int(sys.argv[2])
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {processor})
    warnings.simplefilter("ignore")
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print is no answer
    worker = Worker(side)
    answers.write("{}\n")
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        try:
            answer = getattr(worker, name)(*arguments)
        except Exception as error:
            answer = {"trouble": f"{type(error).__name__}: {error}".partition("\n")[0][:300]}
        answers.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
