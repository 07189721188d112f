"""Small classes of torch's profiler that programs use by themselves."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable
from typing import Any, ClassVar

from wengert_core.extend import as_list


def kineto_available() -> bool:
    """Return False: what is profiled is written by wengert's own profiler, not by Kineto.

    >>> import wengert as wg
    >>> wg.autograd.profiler.kineto_available()
    False
    """
    return False


class EnforceUnique:
    """Raises when a key is seen twice."""

    def __init__(self) -> None:
        self.seen: set[Any] = set()

    def see(self, *key: Any) -> None:
        """Note a key. RuntimeError for one that was seen before."""
        if key in self.seen:
            raise RuntimeError(f"duplicate key: {key}")
        self.seen.add(key)


class KinetoStepTracker:
    """Counts the steps of a program for several who count, each of whom may be the one that sees a step first.

    The step is the most that any of them has counted.

    >>> KinetoStepTracker.init_step_count("example")
    >>> before = KinetoStepTracker.current_step()
    >>> KinetoStepTracker.increment_step("example") == before + 1
    True
    >>> KinetoStepTracker.erase_step_count("example")
    True
    """

    _current_step = 0
    _step_dict: ClassVar[dict[str, int]] = {}

    @classmethod
    def init_step_count(cls, requester: str) -> None:
        """Somebody begins to count, from the step it is."""
        cls._step_dict[requester] = cls._current_step

    @classmethod
    def erase_step_count(cls, requester: str) -> bool:
        """Somebody counts no more; whether they did."""
        return cls._step_dict.pop(requester, None) is not None

    @classmethod
    def increment_step(cls, requester: str) -> int:
        """Somebody has seen a step; gives the step it is."""
        if requester not in cls._step_dict:
            cls.init_step_count(requester)
        cls._step_dict[requester] += 1
        cls._current_step = max(cls._current_step, *cls._step_dict.values())
        return cls._current_step

    @classmethod
    def current_step(cls) -> int:
        """The step it is."""
        return cls._current_step


class MemRecordsAcc:
    """Records of memory, given as (record with ``start_ns()``, ...), by the time at which they were made."""

    def __init__(self, mem_records: Iterable[Any]) -> None:
        self._mem_records = sorted(as_list(mem_records), key=lambda one: one[0].start_ns())
        self._times = [one[0].start_ns() for one in self._mem_records]

    def in_interval(self, start_ns: int, end_ns: int) -> Any:
        """Those that were made between two times."""
        first, last = bisect.bisect_left(self._times, start_ns), bisect.bisect_right(self._times, end_ns)
        yield from self._mem_records[first:last]


class StringTable(dict[str, str]):
    """Names as they are shown: those of C++ as they are written there, all others as they are.

    >>> names = StringTable()
    >>> names["aten::mul"], names["_ZN5torch8autograd9GraphRootE"]
    ('aten::mul', 'torch::autograd::GraphRoot')
    """

    def __missing__(self, key: str) -> str:
        self[key] = demangle(key)
        return self[key]


def demangle(name: str) -> str:
    """A qualified name of C++, from the form that compilers give it; another one as it is."""
    if not (name.startswith("_ZN") and name.endswith("E")):
        return name
    parts, rest = [], name[3:-1]
    while rest:
        digits = re.match(r"\d+", rest)
        if digits is None or len(rest) < digits.end() + int(digits[0]):
            return name
        end = digits.end() + int(digits[0])
        parts.append(rest[digits.end() : end])
        rest = rest[end:]
    return "::".join(parts)
