"""Record what PyTorch gives for transforms of random functions: answers/transforms, a file for each interface.

What PyTorch refuses is not recorded: messages have tests of their own.
"""

from __future__ import annotations

import argparse
import json
import random
import warnings
from typing import Any

from wengert_testing.recorded import Entry, update_answers

from tools.record.random_functions import random_function, random_transform

from parity.answers import ANSWERS  # type: ignore[import-not-found,unused-ignore] # isort: skip
from parity.compare import agree  # type: ignore[import-not-found,unused-ignore] # isort: skip
from parity.transforms import kind, run  # type: ignore[import-not-found,unused-ignore] # isort: skip

COUNT = 1000
LONGEST = 4000
"""Characters of a program with its answer, as JSON: longer ones are left out."""


def record(torch: Any, subject: str, options: argparse.Namespace) -> list[str]:
    """Write the first programs that PyTorch answers, by their seeds."""
    warnings.simplefilter("ignore")
    files: dict[str, list[Entry]] = {}
    seed, count = 0, 0
    while count < COUNT:
        entry = record_line(torch, seed)
        if entry is not None:
            files.setdefault(kind(entry.question[2]), []).append(entry)
            count += 1
        seed += 1
    problems = []
    for name, entries in files.items():
        path, header = ANSWERS / subject / f"{name}.jsonl", {"torch": torch.__version__}
        problems += update_answers(path, header, entries, same, options.replace)
    return problems


def record_line(torch: Any, seed: int) -> Entry | None:
    """Return the line of a program; None for what PyTorch refuses, for what is not finite, and for a long answer."""
    rng = random.Random(seed)
    shape, source = random_function(rng)
    transform = random_transform(rng, source)
    answer = run(torch, shape, source, transform)
    question = [list(shape), source, transform]
    text = json.dumps([*question, answer], separators=(",", ":"))
    if isinstance(answer, str) or "NaN" in text or "Infinity" in text or len(text) > LONGEST:
        return None
    return Entry(str(seed), question, answer)


def same(old: Entry, new: Entry) -> bool:
    """Return whether a program gives what it gave, numbers to the seventh place."""
    return bool(agree(new.answer, old.answer, 1e-7))
