"""A progress bar for checks that take long: where tqdm is installed and stderr is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

DELAY = 2.0
"""Seconds before a bar appears."""
FEW = 200
"""Steps that are not worth the import of tqdm."""


def nothing() -> None:
    """A step that nobody is told of."""


@contextmanager
def progress(total: int, what: str) -> Iterator[Callable[[], Any]]:
    """A function to call after each of ``total`` steps."""
    if total < FEW or not sys.stderr or not sys.stderr.isatty():
        yield nothing
        return
    try:
        tqdm: Any = import_module("tqdm").tqdm
    except ImportError:
        yield nothing
        return
    with tqdm(total=total, desc=f"gradcheck: {what}", delay=DELAY, leave=False) as bar:
        yield bar.update
