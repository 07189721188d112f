"""One batch, in a process of its own: write what is called, call it, judge what came of it."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import json
import os
import resource
import signal
import sys
import warnings
from pathlib import Path
from typing import Any

import wengert

from tools.hostile import values
from tools.hostile.invariants import check
from tools.hostile.outcomes import Outcome, judge_error
from tools.hostile.sources import Writer
from tools.hostile.targets import Target

SECONDS = 10
MEMORY = 3 << 29
"""Bytes a call may have: no more than it can fill in its time."""
GROWTH = 64 << 20
SANITIZED = "san.so" in os.environ.get("LD_PRELOAD", "")
NAMES = "abcdefgh"


def limit(trace: Path) -> None:
    """Set the limits of this process, and have tracebacks of crashes and hangs written."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not SANITIZED:  # a sanitizer maps terabytes for its tables
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY + resident(0), MEMORY + resident(0)))
    resource.setrlimit(resource.RLIMIT_CPU, (900, 900))
    file = trace.open("w")
    faulthandler.enable(file)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    faulthandler.register(signal.SIGALRM, file, all_threads=True, chain=True)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    if not SANITIZED:
        os.dup2(nowhere, 2)


def resident(column: int = 1) -> int:
    """Bytes of the process: 0 its address space, 1 what is in memory."""
    return int(Path("/proc/self/statm").read_text().split()[column]) * resource.getpagesize()


def reset() -> None:
    """Take back what a call may have set for the calls behind it."""
    forward = wengert.autograd.forward_ad
    while values.objects_state["levels"]:
        values.objects_state["levels"] -= 1
        with contextlib.suppress(RuntimeError):  # the call itself may have closed it
            forward.exit_dual_level()
    wengert.set_grad_enabled(True)
    wengert.set_default_dtype(wengert.float32)
    wengert.set_default_device(None)
    wengert.set_num_threads(2)
    wengert.autograd.set_multithreading_enabled(True)
    wengert.autograd.set_detect_anomaly(False)
    wengert.set_printoptions(profile="default")


def run(source: str, target: Target) -> Outcome:
    """The outcome of one call."""
    names: dict[str, Any] = values.namespace()
    ignored: list[Any] = []
    sys.unraisablehook = lambda info: ignored.append((type(info.exc_value).__name__, str(info.exc_value)))
    result = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = eval(source, names)  # the text is ours
        outcome = Outcome("ok")
    except BaseException as error:  # also SystemExit and KeyboardInterrupt: no call may raise them
        outcome = judge_error(error, target)
    wrong = check([result, *(names[n] for n in NAMES if n in names)])
    if wrong:
        outcome = Outcome("invariant", "", wrong)
    del result
    names.clear()
    if ignored:
        outcome = Outcome("exception ignored", *ignored[0])
    return outcome


def watch_call(source: str, target: Target) -> Outcome:
    """The outcome of one call, of taking back what it set, and of its memory. A signal ends the process of a hang."""
    before = resident()
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    outcome = run(source, target)
    try:
        reset()
    except Exception as error:  # what a call left behind must let itself be reset
        outcome = Outcome("state", type(error).__name__, str(error)[:200])
    signal.setitimer(signal.ITIMER_REAL, 0)
    if resident() > before + GROWTH and not SANITIZED:  # a sanitizer keeps for a while what is freed
        gc.collect()
        wengert.memory.empty_cache()
        if resident() > before + GROWTH:
            outcome = Outcome("memory growth", "", f"{(resident() - before) >> 20} MB")
    return outcome


def batch(writer: Writer, seed: int, start: int, stop: int, folder: Path) -> None:
    """Run calls ``start`` to ``stop`` of a seed; the log is written before each call, the results after it."""
    limit(folder / "trace")
    os.chdir(folder / "scratch")
    with (folder / "log").open("a", buffering=1) as log, (folder / "results").open("a", buffering=1) as results:
        for i in range(start, stop):
            target, source = writer.source(seed, i)
            log.write(json.dumps([i, target.text, source]) + "\n")
            outcome = watch_call(source, target)
            results.write(json.dumps([i, outcome.kind, outcome.error, outcome.message, outcome.frame]) + "\n")
    os._exit(0)
