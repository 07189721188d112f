"""Record how PyTorch with gloo answers the bad calls of packages/distributed/tests/bad_calls.txt.

Each call has processes of its own, because some crash or never end, and others leave the ranks apart. They are forks of
this process, which has imported PyTorch: starting Python for each would take half an hour.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import signal
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

from wengert_testing.recorded import Entry, are_equal, update_answers

from tools.record import ROOT

TESTS = ROOT / "packages" / "distributed" / "tests"
SECONDS = 10.0
AT_ONCE = 3
LOST = re.compile(r"Connection (closed|reset)|Wait timeout")
"""Words of errors that only say that another rank has ended."""


def record(torch: Any, subject: str, options: argparse.Namespace) -> list[str]:
    """Write the file again."""
    sys.path.insert(0, str(TESTS))
    cases = importlib.import_module("bad_call_cases")
    cases.load_modules(torch)
    entries = []
    waiting = cases.read_calls()
    running: list[Ranks] = []
    with tempfile.TemporaryDirectory() as folder:
        while waiting or running:
            while waiting and len(running) < AT_ONCE:
                running.append(Ranks(torch, waiting.pop(0), Path(folder) / str(len(waiting))))
            time.sleep(0.01)
            for one in [one for one in running if one.have_ended()]:
                running.remove(one)
                entries.append((one.number, Entry(one.name, None, one.answers())))
    order = [entry for _, entry in sorted(entries, reverse=True)]
    path = TESTS / "recorded" / "bad_calls.jsonl"
    return update_answers(path, {"torch": torch.__version__}, order, are_equal, options.replace)


class Ranks:
    """The processes that answer one call."""

    def __init__(self, torch: Any, call: Any, folder: Path) -> None:
        folder.mkdir()
        self.name, self.size, self.folder, self.number = call.name, call.ranks, folder, int(folder.name)
        self.end = time.monotonic() + SECONDS
        self.processes = []
        for rank in range(self.size):
            process = os.fork()
            if not process:
                try:
                    answer(torch, call, rank, folder)
                finally:
                    os._exit(1)
            self.processes.append(process)

    def have_ended(self) -> bool:
        """Return whether all processes have ended; end those that take too long."""
        if time.monotonic() > self.end:
            for process in self.processes:
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
            self.processes = []
        self.processes = [process for process in self.processes if os.waitpid(process, os.WNOHANG)[0] == 0]
        return not self.processes

    def answers(self) -> list[Any]:
        """Return the answer of each rank; None where it crashed, never ended or says that the other rank has ended."""
        paths = [self.folder / str(rank) for rank in range(self.size)]
        return [json.loads(path.read_text(encoding="utf-8")) if path.exists() else None for path in paths]


def answer(torch: Any, call: Any, rank: int, folder: Path) -> None:
    """Write the answer of one process, and end it."""
    cases = importlib.import_module("bad_call_cases")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    if call.ranks == 1:
        cases.leave_launcher()
    else:
        store = torch.distributed.FileStore(str(folder / "store"), call.ranks)
        torch.distributed.init_process_group(
            "gloo", store=store, rank=rank, world_size=call.ranks, timeout=timedelta(seconds=SECONDS / 2)
        )
    found = cases.answer_of(call.source, torch, rank, LOST)
    if found is not None:
        names, message = found
        (folder / f"{rank}.part").write_text(json.dumps([names[:1], message]), encoding="utf-8")
        (folder / f"{rank}.part").rename(folder / str(rank))
    time.sleep(0.3 * (call.ranks - 1))  # the other rank may still read from this one
    os._exit(0)
