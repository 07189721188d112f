"""Processes of batches: started, watched, and started again behind a call that ended one."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.hostile import worker
from tools.hostile.sources import Writer


@dataclass(frozen=True)
class Call:
    """A call and how it ended."""

    seed: int
    i: int
    target: str
    source: str
    kind: str
    error: str = ""
    message: str = ""
    frame: str = ""


def run_forked(writer: Writer, seed: int, start: int, stop: int, folder: Path) -> int:
    """Run part of a batch in a child process; returns its status."""
    pid = os.fork()
    if pid == 0:
        try:
            worker.batch(writer, seed, start, stop, folder)
        finally:
            os._exit(3)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def lines(file: Path) -> list[list[str]]:
    """The complete lines of a file of JSON."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def crash_outcome(status: int, trace: str) -> tuple[str, str, str]:
    """Kind, error and place of a call that ended its process."""
    frames = [line.strip() for line in trace.splitlines() if line.strip().startswith("File ")]
    frames = [frame for frame in frames if "/hostile/" not in frame and "<string>" not in frame]
    place = frames[0] if frames else ""
    if status == -signal.SIGALRM:
        return "hang", "", place
    return "crash", signal.Signals(-status).name if status < 0 else f"exit {status}", place


def alone(writer: Writer, call: Call, folder: Path) -> bool:
    """Return whether a call ends the same in a process where it is the only one."""
    return [found.kind for found in run(writer, call.seed, call.i + 1, folder, call.i)] == [call.kind]


def run(writer: Writer, seed: int, count: int, folder: Path, start: int = 0) -> Iterator[Call]:
    """The calls of a seed, in as many processes as it takes."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "scratch").mkdir(parents=True)
    while start < count:
        for name in ("log", "results", "trace"):
            (folder / name).unlink(missing_ok=True)
        status = run_forked(writer, seed, start, count, folder)
        logged, results = lines(folder / "log"), {int(line[0]): line for line in lines(folder / "results")}
        for i, target, source in logged:
            if int(i) in results:
                yield Call(seed, int(i), target, source, *results[int(i)][1:])
            else:
                kind, error, place = crash_outcome(status, (folder / "trace").read_text(errors="replace"))
                yield Call(seed, int(i), target, source, kind, error, "", place)
        start = int(logged[-1][0]) + 1 if logged else count
