"""Ranks as threads of which one runs at a time, and a clock that only moves while all of them wait.

Note [One rank at a time]
    A rank runs until it waits for something. Which one runs next, and how long each transfer takes, is drawn from one
    random generator, so a run repeats exactly by its seed. Nothing sleeps: when no rank can go on, the clock jumps to
    the next event, so that a timeout of half an hour takes no time, and a deadlock is seen at once.
"""

from __future__ import annotations

import heapq
import random
import threading
from collections.abc import Callable
from typing import Any

from wengert_core.extend import rng_states, set_rng_states


class SimDeath(BaseException):
    """The end of a simulated rank that dies, or that hangs when all others have ended. No program catches it."""


class Task:
    """A rank's thread."""

    def __init__(self, cluster: Any, rank: int, function: Callable[[], Any]) -> None:
        self.cluster, self.rank = cluster, rank
        self.clock: Clock = cluster.clock
        self.turn = threading.Lock()
        self.turn.acquire()
        self.awake = True
        """Whether it can go on now."""
        self.ended = False
        self.dead = False
        self.wakeups = 0
        self.states = rng_states()
        self.thread = threading.Thread(target=self._run, args=(function,), name=f"rank {rank}", daemon=True)

    def _run(self, function: Callable[[], Any]) -> None:
        self.turn.acquire()
        set_rng_states(self.states)
        try:
            function()
        finally:
            self.ended = True
            self.clock.driver.release()

    def sleep(self, until: float) -> None:
        """Let other ranks run until a time, or until ``wake``. Raises SimDeath where this rank is to die."""
        if self.dead:
            raise SimDeath
        self.awake = False
        self.wakeups += 1
        if until < float("inf"):
            self.clock.at(until, self.wake, self.wakeups)
        self.states = rng_states()
        self.clock.driver.release()
        self.turn.acquire()
        set_rng_states(self.states)
        if self.dead:
            raise SimDeath

    def wake(self, wakeup: int | None = None) -> None:
        """Let it go on; nothing happens where it has been woken from the sleep that is meant."""
        if not self.awake and wakeup in (None, self.wakeups):
            self.awake = True
            self.clock.ready.append(self)


class Clock:
    """The simulated time, its events, and the turns of the ranks."""

    def __init__(self, seed: int, seconds: float) -> None:
        self.now = 0.0
        self.random = random.Random(seed)
        self.tasks: list[Task] = []
        self.ready: list[Task] = []
        """Ranks that can go on now."""
        self.driver = threading.Lock()  # a rank releases it when its turn is over
        self.driver.acquire()
        self.seconds = seconds
        self._events: list[tuple[float, float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._count = 0

    def at(self, time: float, event: Callable[..., None], *args: Any) -> None:
        """Call a function at a time; events of one time come in random order."""
        self._count += 1
        heapq.heappush(self._events, (time, self.random.random(), self._count, event, args))

    def run(self) -> None:
        """Give the ranks their turns until all have ended. Raises TimeoutError for one that does not give its back."""
        before = rng_states()
        for task in self.tasks:
            task.thread.start()
        try:
            self.ready = list(self.tasks)
            running = len(self.tasks)
            while running:
                running -= self._step()
        finally:
            set_rng_states(before)
        for task in self.tasks:
            task.thread.join()

    def _step(self) -> bool:
        """Give a rank its turn, or let time go by until one can go on; return whether a rank has ended."""
        if self.ready:
            index = self.random.randrange(len(self.ready))
            self.ready[index], self.ready[-1] = self.ready[-1], self.ready[index]
            return self._give_turn(self.ready.pop())
        if self._events:
            self.now = max(self.now, self._events[0][0])
            while self._events and self._events[0][0] <= self.now:
                event = heapq.heappop(self._events)
                event[3](*event[4])
        else:  # what is left hangs
            for task in self.tasks:
                if not task.ended:
                    task.dead = True
                    task.wake()
        return False

    def _give_turn(self, task: Task) -> bool:
        task.turn.release()
        if not self.driver.acquire(timeout=self.seconds):
            raise TimeoutError(f"rank {task.rank} has been running for {self.seconds:g} s without a collective")
        return task.ended
