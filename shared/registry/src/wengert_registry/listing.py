"""The program behind `python -m wengert plugins`: what is installed, and in which state."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence

import wengert_registry
from wengert_registry.candidate import Candidate
from wengert_registry.errors import PluginError
from wengert_registry.table import Table

Check = Callable[[Candidate], Sequence[str]]
"""Gives what is wrong with a plugin that has been loaded, a sentence for each defect."""
WRONG = ("failed", "clash", "refused", "defective")
"""States that let the program end with 1."""


def main(argv: Sequence[str], registry: wengert_registry.Registry | None = None, check: Check | None = None) -> int:
    """Print the table of plugins; argv is what follows `plugins`.

    Returns 1 if a plugin has failed, clashes, is refused or defective, otherwise 0. Imports no plugin without --load;
    with it `check` says what is wrong with each that is loaded. Nothing but the table is written to stdout, whatever
    plugins print.
    """
    parser = argparse.ArgumentParser(prog="python -m wengert plugins", description="List the plugins of wengert.")
    parser.add_argument("--json", action="store_true", help="print a JSON list instead of a table")
    parser.add_argument("--load", action="store_true", help="load and check every plugin")
    wanted = parser.parse_args(argv)
    with stdout_to_stderr():
        table = _table(wengert_registry.registry if registry is None else registry, wanted.load, check)
    sys.stdout.write((table.to_json() if wanted.json else str(table)) + "\n")
    return int(any(row.state in WRONG for row in table))


def program(argv: Sequence[str], check: Check | None = None) -> int:
    """`main` for a process of its own: what plugins print when it ends does not get into the list either."""
    status = main(argv, check=check)
    sys.stdout.flush()
    if _duplicate(1) is not None:
        os.dup2(2, 1)
    return status


def _table(registry: wengert_registry.Registry, load: bool, check: Check | None) -> Table:
    """The table; what is warned about or, in strict mode, raised goes to stderr and does not prevent it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            registry.ensure()
        except PluginError as error:
            sys.stderr.write(f"{error}\n")
        try:
            return registry.table(load, check if load else None)
        finally:
            sys.stderr.writelines(f"{one.message}\n" for one in caught)


@contextlib.contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """Let what is printed go to stderr: by Python, and by C code and child processes as well."""
    sys.stdout.flush()
    kept, saved = sys.stdout, _duplicate(1)
    if saved is not None:
        os.dup2(2, 1)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        for stream in {id(one): one for one in (kept, sys.__stdout__) if one is not None}.values():
            with contextlib.suppress(OSError, ValueError):
                stream.flush()  # what was written by who kept the stream itself
        if saved is not None:
            os.dup2(saved, 1)
            os.close(saved)


def _duplicate(number: int) -> int | None:
    """A second file descriptor for what one stands for; None where it, or stderr's, is closed."""
    try:
        os.fstat(2)
        return os.dup(number)
    except OSError:
        return None
