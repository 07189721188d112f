"""Every snippet of `cases/` does with wengert what PyTorch 2.13 was recorded to do.

The module under test is wengert; WENGERT_ORACLE_MODULE=torch tests the snippets themselves, where PyTorch is installed.
"""

import importlib
import os
from functools import cache
from types import ModuleType
from typing import Any

import pytest
import wengert
from parity.answers import ANSWERS, DIFFERENCES, differences
from parity.compare import check, differs
from parity.run_snippet import prepare, run
from parity.snippets import Case, all_cases, parse, read_case, subjects
from wengert_testing.recorded import Recording, read_answers

CASES = all_cases()


@pytest.fixture(scope="session")
def module() -> ModuleType:
    found = importlib.import_module(os.environ.get("WENGERT_ORACLE_MODULE", "wengert"))
    prepare(found)
    return found


@cache
def recording(subject: str) -> Recording:
    return read_answers(ANSWERS / "snippets" / f"{subject}.jsonl")


@cache
def answers(subject: str) -> dict[str, Any]:
    return recording(subject).answers


def known_differences() -> dict[str, str]:
    """The reasons by case, for those that wengert does not pass.

    With another device as the default one (wengert_testing.on_device) also those of differences/device.txt, and of the
    file for its type.
    """
    device, names = wengert.get_default_device().type, ["snippets"]
    if device != "cpu":
        names += ["device", f"device_{device}"]
    return differences(*(name for name in names if (DIFFERENCES / f"{name}.txt").exists()))


KNOWN = known_differences()
OF_THE_HOST = ("data/", "distributed/", "serialization/", "memory/copies_and_pickles")
"""Rooms that are about the host's processes, files and generators: another default device changes nothing there. And
pickles, which of a tensor of another device have its elements, and not the memory around them: docs/devices.md."""


def cases_to_run() -> list[Case]:
    """All cases; with another device as the default one those that are not about the host alone."""
    if wengert.get_default_device().type == "cpu":
        return CASES
    return [case for case in CASES if not case.subject.startswith(OF_THE_HOST)]


def as_parameter(case: Case) -> Any:
    """A case as a parameter; one that is known to differ must fail, so that the list cannot grow old."""
    reason = KNOWN.get(str(case))
    return pytest.param(case, marks=pytest.mark.xfail(reason=reason, strict=True)) if reason else case


@pytest.mark.parametrize("case", [as_parameter(case) for case in cases_to_run()], ids=str)
def test_does_what_torch_does(case: Case, module: ModuleType) -> None:
    check(case, answers(case.subject)[case.name], run(case, module))


@pytest.mark.parametrize("name", ["snippets", "device", "device_sim", "device_cuda"])
def test_every_difference_is_of_a_case(name: str) -> None:
    assert set(differences(name)) - {str(case) for case in CASES} == set()


@pytest.mark.parametrize("subject", subjects())
def test_answers_are_of_these_snippets(subject: str) -> None:
    wanted = {case.name: case.digest for case in CASES if case.subject == subject}
    assert recording(subject).questions == wanted, f"python -m tools.record {subject}"


def test_every_file_of_answers_has_its_snippets() -> None:
    folder = ANSWERS / "snippets"
    assert sorted(file.relative_to(folder).with_suffix("").as_posix() for file in folder.rglob("*.jsonl")) == subjects()


@pytest.mark.parametrize("case", [case for case in CASES if case.error], ids=str)
def test_torch_says_the_key_phrase(case: Case) -> None:
    answer = answers(case.subject)[case.name]
    assert case.error == answer["error"][0]
    assert case.phrase in answer["message"]


def test_bad_input_is_broad() -> None:
    assert len([case for case in CASES if case.subject.endswith("errors")]) >= 150


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
