"""docs/numpy-functions.md says what wengert-numpy has."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def generator(tool: Callable[[str], ModuleType]) -> ModuleType:
    return tool("generate.numpy_functions")


def test_the_page_is_that_of_the_table(generator: ModuleType) -> None:
    text = generator.PAGE.read_text(encoding="utf-8")
    if f"NumPy {generator.VERSION}." not in text:
        pytest.skip(f"the page has the names of another version of NumPy than {generator.VERSION}")
    assert generator.page() == text, "run tools/generate/numpy_functions.py"


def test_no_function_is_without_an_implementation_or_a_reason(generator: ModuleType) -> None:
    lines = [line for line in generator.page().splitlines() if "| no |" in line]
    assert all(line.split("|")[3].strip() for line in lines)
    assert len(lines) < 10
