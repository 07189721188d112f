"""Record what PyTorch answers to the snippets of tests/torch_parity/recorded/cases: answers/snippets.

A case whose snippet does not end as its header says is reported.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import sys
from typing import Any

from wengert_testing.recorded import Entry, update_answers

from parity.answers import ANSWERS  # type: ignore[import-not-found,unused-ignore] # isort: skip
from parity.compare import says_the_same  # type: ignore[import-not-found,unused-ignore] # isort: skip
from parity.run_snippet import Outcome, run  # type: ignore[import-not-found,unused-ignore] # isort: skip
from parity.snippets import Case, read_cases, subjects  # type: ignore[import-not-found,unused-ignore] # isort: skip

ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}")
FOLDER = re.compile(rf"{re.escape(os.getcwd())}/|(?:/[\w.+~-]+)+/(?:site-packages|python[\d.]+)/")
"""Of the machine that records: where this tree, PyTorch and Python lie."""


def record(torch: Any, subject: str, options: argparse.Namespace) -> list[str]:
    """Write the answers to one file of snippets, or to all; return sentences about what is not as it was.

    Each file has a process of its own: PyTorch remembers which warnings it gave, and reuses memory and what it caches.
    """
    files = subjects() if subject == "snippets" else [subject]
    return [problem for file in files for problem in record_apart(file, options.replace)]


def record_apart(subject: str, replace: bool) -> list[str]:
    """Write the answers to one file in a process of its own.

    It is no pool's process, which would be a daemon: those may not start the workers of a data loader.
    """
    fork = multiprocessing.get_context("fork")
    receiver, sender = fork.Pipe(duplex=False)
    process = fork.Process(target=send_problems, args=(sender, subject, replace))
    process.start()
    sender.close()
    try:
        problems: list[str] = receiver.recv()
    except EOFError:
        raise SystemExit(f"{subject}: the process that records it ended without an answer") from None
    process.join()
    return problems


def send_problems(sender: Any, subject: str, replace: bool) -> None:
    """Write the answers to one file, and send what is not as it was."""
    sender.send(record_file(subject, replace))


def record_file(subject: str, replace: bool) -> list[str]:
    """Write the answers to one file."""
    torch: Any = sys.modules["torch"]
    entries, problems = [], []
    for case in read_cases(subject):
        outcome = without_locations(run(case, torch))
        entries.append(Entry(case.name, case.digest, outcome))
        problems += [f"{case}: {problem}" for problem in faults(case, outcome)]
    path = ANSWERS / "snippets" / f"{subject}.jsonl"
    unlike = update_answers(path, {"torch": torch.__version__}, entries, agree, replace)
    return problems + [f"{subject}-{name}" for name in unlike]


def agree(old: Entry, new: Entry) -> bool:
    """Return whether a snippet ends as it did, up to rounding."""
    return bool(says_the_same(old.answer, new.answer))


def without_locations(outcome: Outcome) -> Outcome:
    """Return the outcome without addresses and folders of the machine, and without the C++ files and frames that
    PyTorch adds to messages.
    """
    if "message" in outcome:
        outcome["message"] = cut_locations(outcome["message"].partition("\nException raised from ")[0])
    for warning in outcome.get("warnings", []):
        warning[1] = cut_locations(warning[1].partition(" (Triggered internally at ")[0])
    return outcome


def cut_locations(text: str) -> str:
    """Return a text without addresses and folders of the machine."""
    return FOLDER.sub("", ADDRESS.sub("0x", text))


def faults(case: Case, outcome: Outcome) -> list[str]:
    """Return what the header of a case does not announce, or announces wrongly."""
    error, message = outcome.get("error", [None])[0], outcome.get("message", "")
    if error != case.error:
        return [f"the header says {case.error}, torch gave {error or outcome['value']}: {message}"]
    if error:
        return [] if case.phrase in message else [f"no {case.phrase!r} in torch's message: {message}"]
    warnings = outcome.get("warnings", [])
    unannounced = [item for item in warnings if item[0] != case.warning or case.phrase not in item[1]]
    if unannounced or (case.warning and not warnings):
        return [f"the header says the warning {case.warning} ({case.phrase}), torch gave {warnings}"]
    return []
