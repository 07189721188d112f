"""Result dtypes of every pair of dtypes are those which PyTorch 2.13 was recorded to give."""

import importlib
import json
import os
from types import ModuleType

import pytest
from oracle_format import ANSWERS
from oracle_promotion import DTYPES, SUBJECT, Table, tables

RECORDED: dict[str, Table] = json.loads((ANSWERS / f"{SUBJECT}.json").read_text(encoding="utf-8"))["tables"]


DIFFERENT = {("pow", "bool", 0), ("pow_", "bool", 0)}
"""bool_tensor ** True: torch has a kernel for this one exponent, here bool is refused as for the others."""


@pytest.fixture(scope="module")
def found() -> dict[str, Table]:
    module: ModuleType = importlib.import_module(os.environ.get("WENGERT_ORACLE_MODULE", "wengert"))
    return tables(module)


@pytest.mark.parametrize("name", RECORDED)
def test_result_dtypes(name: str, found: dict[str, Table]) -> None:
    different = {
        (first, column): (recorded, ours)
        for first, row in RECORDED[name].items()
        for column, (recorded, ours) in enumerate(zip(row.split(), found[name][first].split(), strict=True))
        if not agrees(recorded, ours) and (name.partition(":")[0], first, column) not in DIFFERENT
    }
    assert different == {}


def agrees(recorded: str, ours: str) -> bool:
    """The same; or torch has no kernel for a dtype that we have one for; or its half-precision complex, which is our
    complex64.
    """
    if recorded == "NotImplementedError":
        return True
    if recorded == "complex32":
        return ours == "complex64"
    return recorded == ours or (recorded == "RuntimeError" and ours == "NotImplementedError")


def test_every_question_was_recorded(found: dict[str, Table]) -> None:
    assert list(found) == list(RECORDED)
    assert all(list(rows) == DTYPES for rows in RECORDED.values())
