"""Result dtypes of every pair of dtypes are those which PyTorch 2.13 was recorded to give."""

import importlib
import os
from types import ModuleType

import pytest
from parity import answers
from parity.promotion import DTYPES, Table, tables

RECORDED: dict[str, Table] = answers.answers_of("promotion")
DIFFERENCES = answers.differences("promotion")
"""Cells: "OPERATION DTYPE COLUMN"."""


@pytest.fixture(scope="module")
def our_tables() -> dict[str, Table]:
    module: ModuleType = importlib.import_module(os.environ.get("WENGERT_ORACLE_MODULE", "wengert"))
    return tables(module)


@pytest.mark.parametrize("name", RECORDED)
def test_result_dtypes(name: str, our_tables: dict[str, Table]) -> None:
    different = {
        (first, column): (recorded, ours)
        for first, row in RECORDED[name].items()
        for column, (recorded, ours) in enumerate(zip(row.split(), our_tables[name][first].split(), strict=True))
        if not agrees(recorded, ours) and cell(name, first, column) not in DIFFERENCES
    }
    assert different == {}


def cell(name: str, first: str, column: int) -> str:
    """The name of a cell in differences/promotion.txt."""
    return f"{name.partition(':')[0]} {first} {column}"


def agrees(recorded: str, ours: str) -> bool:
    """The same; or torch has no kernel for a dtype that we have one for; or its half-precision complex, which is our
    complex64.
    """
    if recorded == "NotImplementedError":
        return True
    if recorded == "complex32":
        return ours == "complex64"
    return recorded == ours or (recorded == "RuntimeError" and ours == "NotImplementedError")


def test_every_question_was_recorded(our_tables: dict[str, Table]) -> None:
    assert list(our_tables) == list(RECORDED)
    assert all(list(rows) == DTYPES for rows in RECORDED.values())


def test_every_difference_is_of_a_cell() -> None:
    cells = {cell(name, first, column) for name, table in RECORDED.items() for first, row in table.items()
             for column in range(len(row.split()))}
    assert set(DIFFERENCES) - cells == set()
