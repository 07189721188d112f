"""Record what PyTorch gives for the calls in packages/functional/tests/recorded, one expression in a line.

To add a case, add ``{"case": "EXPRESSION", "answer": null}`` to a file first.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import warnings
from typing import Any

from wengert_testing.recorded import Entry, read_answers, update_answers

from tools.record import ROOT

from parity.compare import agree  # type: ignore[import-not-found,unused-ignore] # isort: skip

TESTS = ROOT / "packages" / "functional" / "tests"


def record(torch: Any, subject: str, options: argparse.Namespace) -> list[str]:
    """Write the files again."""
    sys.path.insert(0, str(TESTS))
    outcome = importlib.import_module("functional_facts").outcome
    warnings.simplefilter("ignore")
    problems = []
    for path in sorted((TESTS / "recorded").glob("*.jsonl")):
        header, entries = read_answers(path)
        header["torch"] = torch.__version__
        asked = [Entry(entry.case, None, outcome(entry.case, header["setup"], torch)) for entry in entries]
        problems += [f"{path.stem}: {case}" for case in update_answers(path, header, asked, same, options.replace)]
    return problems


def same(old: Entry, new: Entry) -> bool:
    """Return whether two answers agree, numbers to the sixth place."""
    return bool(agree(new.answer, old.answer, 1e-6)) or repr(old.answer) == repr(new.answer)  # nan is not nan
