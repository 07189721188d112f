"""Values, nesting and errors are those that PyTorch gave: recorded by tools/record/functional.py."""

from pathlib import Path
from typing import Any

import pytest
import wengert as wg
from functional_facts import outcome
from wengert_testing.recorded import read_answers

HERE = Path(__file__).parent
RECORDS = {name: read_answers(HERE / "recorded" / f"{name}.jsonl") for name in ("products", "jacobians", "func")}
CASES = [pytest.param(code, expected, record.header["setup"], id=f"{name}: {code}")
         for name, record in RECORDS.items() for code, expected in record.answers.items()]


def same(got: Any, expected: Any) -> None:
    """Compare two facts."""
    assert got.keys() == expected.keys(), got
    if "parts" in expected:
        assert {**got, "parts": 0} == {**expected, "parts": 0}
        assert len(got["parts"]) == len(expected["parts"])
        for mine, theirs in zip(got["parts"], expected["parts"], strict=True):
            same(mine, theirs)
    elif "values" in expected:
        assert {**got, "values": 0} == {**expected, "values": 0}
        assert flat(got["values"]) == pytest.approx(flat(expected["values"]), rel=2e-6, abs=1e-6, nan_ok=True)
    elif "error" in expected:
        assert got["error"] == expected["error"], got["message"]
        phrase = expected["message"].partition(" Got primals with structure")[0].partition("TreeSpec")[0]
        assert phrase.rstrip(".") in got["message"]
    else:
        assert got == expected


def flat(values: list[Any]) -> list[float]:
    return [number for value in values for number in (value if isinstance(value, list) else [value])]


@pytest.mark.parametrize(("code", "expected", "setup"), CASES)
def test_as_recorded(code: str, expected: Any, setup: list[str]) -> None:
    same(outcome(code, setup, wg), expected)
