"""The tools of this repository, for the tests of them."""

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = str(Path(__file__).resolve().parents[1])


@pytest.fixture(scope="session")
def tool() -> Callable[[str], ModuleType]:
    """Import a module of tools/ by its name; the path is as before afterwards."""

    def import_tool(name: str) -> ModuleType:
        before = list(sys.path)
        sys.path.insert(0, ROOT)
        try:
            return importlib.import_module(f"tools.{name}")
        finally:
            sys.path[:] = before

    return import_tool
