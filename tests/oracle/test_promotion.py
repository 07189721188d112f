"""Result dtypes of every pair of dtypes are those which PyTorch 2.13 was recorded to give."""

import importlib
import json
import os
from types import ModuleType

import pytest
from oracle_format import ANSWERS
from oracle_promotion import DTYPES, SUBJECT, Table, tables

RECORDED: dict[str, Table] = json.loads((ANSWERS / f"{SUBJECT}.json").read_text(encoding="utf-8"))["tables"]


@pytest.fixture(scope="module")
def found() -> dict[str, Table]:
    module: ModuleType = importlib.import_module(os.environ.get("WENGERT_ORACLE_MODULE", "wengert"))
    return tables(module)


@pytest.mark.parametrize("name", RECORDED)
def test_result_dtypes(name: str, found: dict[str, Table]) -> None:
    assert found[name] == RECORDED[name]


def test_every_question_was_recorded(found: dict[str, Table]) -> None:
    assert list(found) == list(RECORDED)
    assert all(list(rows) == DTYPES for rows in RECORDED.values())
