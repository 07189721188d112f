"""The sides of the comparison: what makes a program's call in one library, and what a captured program holds."""

from __future__ import annotations

import ctypes
import functools
import gc
import importlib
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "asv_benchmarks"))

Call = Callable[[], Any]
EXPRESSIONS = {"JAX": "jax_programs", "CasADi": "casadi_programs", "numexpr": "numexpr_programs"}
DRIVER_CALL = re.compile(r"^.* = (\w+)\(.*\[call\]", re.MULTILINE)
"""An operation of a printed program that is called by its driver."""


def load_torch(module: str) -> Any:
    """Return wengert or PyTorch, on one thread."""
    xp = importlib.import_module(module)
    xp.set_num_threads(1)
    return xp


def makers_of(side: str) -> dict[str, Callable[[], Call]]:
    """Return a function for each program of a side that makes its call."""
    programs = importlib.import_module("benchmarks.replay_programs")
    if side in EXPRESSIONS:
        module = importlib.import_module(f"tools.compare.replay.{EXPRESSIONS[side]}")
        return dict(module.CALLS)
    if side == "copy":
        return dict.fromkeys(programs.BYTES_MOVED, copy_of_memory)
    xp = load_torch("torch" if side == "PyTorch" else "wengert")
    if side == "in cache":
        return {name: functools.partial(repeat, xp.capture(work(xp).run)) for name, work in programs.IN_CACHE.items()}

    def make(name: str) -> Call:
        work = programs.PROGRAMS[name](xp)
        run = xp.capture(work.run) if side == "captured" else work.run
        return functools.partial(run, *work.args)

    return {name: functools.partial(make, name) for name in programs.PROGRAMS}


def repeat(run: Call) -> Call:
    """Return a call that computes a part of a program's numbers, in a cache, as often as makes all of them."""
    parts = importlib.import_module("benchmarks.replay_programs").PARTS

    def call() -> Any:
        for _ in range(parts - 1):
            run()
        return run()

    return call


def copy_of_memory() -> Call:
    """Return a copy of as many numbers as the large programs have."""
    source = importlib.import_module("benchmarks.replay_programs").uniform(10**7)
    target = np.zeros_like(source)

    def call() -> list[Any]:
        np.copyto(target, source)
        return []

    return call


def digest(results: list[Any]) -> list[list[float]]:
    """Return the mean and some numbers of each result, to compare sides by. Single numbers behind the first are one.

    >>> digest([np.float64(2.0), np.array([1.0, 3.0])]) == digest([np.float64(2.0), np.float64(1.0), np.float64(3.0)])
    True
    """
    arrays = [np.asarray(one.detach() if hasattr(one, "detach") else one, np.float64).reshape(-1) for one in results]
    if len(arrays) > 2 and all(len(array) == 1 for array in arrays):
        arrays[1:] = [np.concatenate(arrays[1:])]
    return [[float(array.mean()), *array[:: max(1, len(array) // 16)].tolist()] for array in arrays]


class AllocatorCounts(ctypes.Structure):
    """The result of glibc's mallinfo2: see malloc.h."""

    _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks",
                                                     "fsmblks", "uordblks", "fordblks", "keepcost")]  # fmt: skip


def count_allocations() -> int | None:
    """Return the bytes that malloc has given away, or None where the C library does not say."""
    gc.collect()
    importlib.import_module("wengert").memory.empty_cache()
    count = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if count is None:
        return None
    count.restype = AllocatorCounts
    found = count()
    return int(found.uordblks + found.hblkhd)


def weigh_program(make: Callable[[], Call]) -> int | None:
    """Return the bytes that a program and what belongs to it hold. Python's objects count where malloc makes them."""
    call = make()
    before = count_allocations()
    call()
    after = count_allocations()
    return None if before is None or after is None else after - before


def peak_of(call: Call) -> int:
    """Return the most bytes that an eager call has in use at a time, beyond those before it."""
    memory = importlib.import_module("wengert").memory
    memory.reset_peak()
    before = memory.stats()["bytes_in_use"]
    call()
    return int(memory.stats()["bytes_peak"] - before)


def inspect_capture(call: Call) -> dict[str, Any]:
    """Return how often a captured function was replayed, why not, and what its last program consists of."""
    found = importlib.import_module("wengert").replay.explain(call.func)  # type: ignore[attr-defined]
    facts = {"programs": len(found.programs), "replays": found.replays, "eager": found.eager, "reasons": found.reasons}
    if not found.programs:
        return facts
    program = found.programs[-1]
    calls = Counter(DRIVER_CALL.findall(str(program)))
    facts |= {"launches": program.n_launches, "operations": len(program.steps), "arena": program.nbytes}
    return facts | {"calls": dict(calls.most_common())}
