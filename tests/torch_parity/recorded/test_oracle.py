"""Every snippet of `cases/` does with wengert what PyTorch 2.13 was recorded to do.

The module under test is wengert; WENGERT_ORACLE_MODULE=torch tests the oracle itself, where PyTorch is installed.
"""

import importlib
import json
import os
from functools import cache
from types import ModuleType
from typing import Any

import pytest
import wengert
from oracle_compare import check, differs
from oracle_format import ANSWERS, Case, all_cases, parse, read_case, subjects
from oracle_run import prepare, run

CASES = all_cases()


@pytest.fixture(scope="session")
def module() -> ModuleType:
    found = importlib.import_module(os.environ.get("WENGERT_ORACLE_MODULE", "wengert"))
    prepare(found)
    return found


@cache
def answers(subject: str) -> dict[str, Any]:
    recorded: dict[str, Any] = json.loads((ANSWERS / f"{subject}.json").read_text(encoding="utf-8"))
    return recorded


def deferred() -> dict[str, str]:
    """Cases that wengert does not pass, with the reason: lines ``subject-name: reason`` of deferred.txt.

    With another device as the default one (wengert_testing.on_device) also those of device_differences.txt, and of the
    file for its type.
    """
    device, names = wengert.get_default_device().type, ["deferred"]
    if device != "cpu":
        names += ["device_differences", f"device_differences_{device}"]
    files = [ANSWERS.parent / f"{name}.txt" for name in names]
    lines = [line for file in files if file.exists() for line in file.read_text(encoding="utf-8").splitlines()]
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


DEFERRED = deferred()


def marked(case: Case) -> Any:
    """A case as a parameter; a deferred one must fail, so that the list cannot grow old."""
    reason = DEFERRED.get(str(case))
    return pytest.param(case, marks=pytest.mark.xfail(reason=reason, strict=True)) if reason else case


@pytest.mark.parametrize("case", [marked(case) for case in CASES], ids=str)
def test_does_what_torch_does(case: Case, module: ModuleType) -> None:
    check(case, answers(case.subject)["cases"][case.name], run(case, module))


def test_deferred_cases_exist() -> None:
    assert set(DEFERRED) <= {str(case) for case in CASES}


@pytest.mark.parametrize("subject", subjects())
def test_answers_are_of_these_snippets(subject: str) -> None:
    recorded = {name: answer["code"] for name, answer in answers(subject)["cases"].items()}
    wanted = {case.name: case.digest for case in CASES if case.subject == subject}
    assert recorded == wanted, "run tools/record/oracle.py"


@pytest.mark.parametrize("case", [case for case in CASES if case.error], ids=str)
def test_torch_says_the_key_phrase(case: Case) -> None:
    answer = answers(case.subject)["cases"][case.name]
    assert case.error == answer["error"][0]
    assert case.phrase in answer["message"]


def test_bad_input_is_broad() -> None:
    assert len([case for case in CASES if case.subject.startswith("bad_input")]) >= 150


@pytest.mark.parametrize("header", ["## two words", "## name | RuntimeError", "##name", "## name | warns a b | x"])
def test_malformed_header_is_refused(header: str) -> None:
    with pytest.raises(ValueError, match="expected '## id'"):
        read_case("demo", header, "1")


def test_cases_are_split_at_headers() -> None:
    cases = list(parse("demo", "# text\n\n## a\nx = 1\nx\n\n## b | warns UserWarning | slow\ny\n"))
    assert [(case.name, case.code, case.warning, case.phrase) for case in cases] == [
        ("a", "x = 1\nx", None, ""),
        ("b", "y", "UserWarning", "slow"),
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (1, {"float": 1.0}),
        ({"float": 1.0}, {"float": 1.001}),
        ({"float": "inf"}, {"float": "-inf"}),
        ({"tuple": [1]}, {"list": [1]}),
        ({"tuple": [1]}, {"tuple": [1, 2]}),
        ({"dict": [["a", 1]]}, {"dict": [["a", 2]]}),
        ({"dtype": "int8"}, {"dtype": "uint8"}),
    ],
)
def test_comparison_sees_a_difference(one: Any, other: Any) -> None:
    assert differs(one, one) is None
    assert differs(one, other) is not None


TENSOR = {"dtype": "float32", "shape": [2], "requires_grad": False, "grad_fn": None, "values": [1.0, "nan"]}


@pytest.mark.parametrize(
    "change",
    [
        {"dtype": "float64"},
        {"shape": [1, 2]},
        {"requires_grad": True},
        {"grad_fn": "AddBackward0"},
        {"values": [1.0, 2.0]},
        {"values": [1.0001, "nan"]},
    ],
    ids=str,
)
def test_comparison_sees_a_difference_between_tensors(change: dict[str, Any]) -> None:
    assert differs({"tensor": TENSOR}, {"tensor": TENSOR}) is None
    assert differs({"tensor": TENSOR}, {"tensor": TENSOR | change}) is not None
