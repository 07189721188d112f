"""The program behind `python -m wengert plugins`: what is installed, and in which state."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence

import wengert_registry
from wengert_registry.errors import PluginError, PluginWarning
from wengert_registry.table import Table


def main(argv: Sequence[str], registry: wengert_registry.Registry | None = None) -> int:
    """Print the table of plugins; argv is what follows `plugins`.

    Returns 1 if a plugin has failed or clashes, otherwise 0. Imports no plugin without --load.
    """
    parser = argparse.ArgumentParser(prog="python -m wengert plugins", description="List the plugins of wengert.")
    parser.add_argument("--json", action="store_true", help="print a JSON list instead of a table")
    parser.add_argument("--load", action="store_true", help="load every plugin, to see whether it works")
    wanted = parser.parse_args(argv)
    table = _table(wengert_registry.registry if registry is None else registry, wanted.load)
    sys.stdout.write((table.to_json() if wanted.json else str(table)) + "\n")
    return int(any(row.state in ("failed", "clash") for row in table))


def _table(registry: wengert_registry.Registry, load: bool) -> Table:
    """The table; what composing warns about or, in strict mode, raises goes to stderr and does not prevent it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PluginWarning)
        try:
            registry.ensure()
        except PluginError as error:
            sys.stderr.write(f"{error}\n")
    sys.stderr.writelines(f"{warning.message}\n" for warning in caught)
    return registry.table(load)
