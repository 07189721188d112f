"""Record the result dtypes that PyTorch gives: answers/promotion.jsonl."""

from __future__ import annotations

import argparse
from typing import Any

from wengert_testing.recorded import Entry, are_equal, update_answers

from parity.answers import ANSWERS  # type: ignore[import-not-found,unused-ignore] # isort: skip
from parity.promotion import tables  # type: ignore[import-not-found,unused-ignore] # isort: skip


def record(torch: Any, subject: str, options: argparse.Namespace) -> list[str]:
    """Write all tables, one in a line."""
    entries = [Entry(name, None, table) for name, table in tables(torch).items()]
    path, header = ANSWERS / f"{subject}.jsonl", {"torch": torch.__version__}
    return update_answers(path, header, entries, are_equal, options.replace)
