"""Record what random programs of `wengert_testing.programs` give in PyTorch: answers/programs.jsonl.

Each program runs in a process of its own: a few crash PyTorch, which is recorded as null.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import warnings
from typing import Any

from wengert_testing.programs import Step, random_program, run
from wengert_testing.recorded import Entry, update_answers

from parity.answers import ANSWERS  # type: ignore[import-not-found,unused-ignore] # isort: skip
from parity.compare import agree  # type: ignore[import-not-found,unused-ignore] # isort: skip

SEEDS = (*range(400), 101_849)
"""The last one has an error that the first ones do not meet: an input in the written memory."""


def record(torch: Any, subject: str, options: argparse.Namespace) -> list[str]:
    """Write the programs by their seeds; the question is the program."""
    entries = []
    for seed in SEEDS:
        steps = random_program(random.Random(seed))
        entries.append(Entry(str(seed), json.loads(json.dumps(steps)), in_a_process(steps, torch)))
    path, header = ANSWERS / f"{subject}.jsonl", {"torch": torch.__version__}
    return update_answers(path, header, entries, same, options.replace)


def same(old: Entry, new: Entry) -> bool:
    """Return whether a program does what it did, numbers to the sixth place."""
    return bool(agree(new.answer, old.answer, 1.5e-6))


def in_a_process(steps: list[Step], torch: Any) -> Any:
    """Return the record of a program; None when the process dies of it."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            warnings.simplefilter("ignore")
            with os.fdopen(writer, "w") as pipe:
                json.dump(run(torch, steps, dtype=torch.float64), pipe)
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else None
