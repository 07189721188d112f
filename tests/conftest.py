"""The tools of this repository, for the tests of them."""

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

TOOLS = str(Path(__file__).resolve().parents[1] / "tools")


@pytest.fixture(scope="session")
def tool() -> Callable[[str], ModuleType]:
    """Import a module of tools/ by its name; the path is as before afterwards."""

    def imported(name: str) -> ModuleType:
        before = list(sys.path)
        sys.path.insert(0, TOOLS)
        try:
            return importlib.import_module(name)
        finally:
            sys.path[:] = before

    return imported
