"""Files of answers and of differences: what is read is what was written, and what is kept when recorded again."""

from pathlib import Path

import pytest
from wengert_testing.recorded import (
    Entry,
    are_equal,
    lines_with_reasons,
    parse_differences,
    read_answers,
    read_differences,
    update_answers,
    write_answers,
)

HEADER = {"torch": "2.13.0+cpu"}
ENTRIES = [Entry("exp", None, [1.0, float("inf")]), Entry("log", {"n": 2}, None)]


def near(old: Entry, new: Entry) -> bool:
    return abs(old.answer - new.answer) < 1e-3


def test_what_is_written_is_read(tmp_path: Path) -> None:
    file = tmp_path / "room" / "answers.jsonl"
    write_answers(file, HEADER, ENTRIES)
    recording = read_answers(file)
    assert recording == (HEADER, ENTRIES)
    assert recording.answers == {"exp": [1.0, float("inf")], "log": None}
    assert recording.questions == {"exp": None, "log": {"n": 2}}
    assert len(file.read_text().splitlines()) == 3


def test_a_case_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    write_answers(tmp_path / "a.jsonl", HEADER, [ENTRIES[0], ENTRIES[0]])
    with pytest.raises(ValueError, match=r"a.jsonl has these cases twice: exp"):
        read_answers(tmp_path / "a.jsonl")


def test_an_answer_that_agrees_stays_to_the_last_digit(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    write_answers(file, HEADER, [Entry("exp", None, 1.0)])
    before = file.read_bytes()
    assert update_answers(file, HEADER, [Entry("exp", None, 1.0001)], near) == []
    assert file.read_bytes() == before


def test_an_answer_that_disagrees_is_named_and_stays_unless_replaced(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    write_answers(file, HEADER, [Entry("exp", None, 1.0), Entry("log", None, 2.0)])
    new = [Entry("exp", None, 1.5), Entry("log", None, 2.0)]
    assert update_answers(file, HEADER, new, near) == ["exp"]
    assert read_answers(file).answers == {"exp": 1.0, "log": 2.0}
    assert update_answers(file, HEADER, new, near, replace=True) == []
    assert read_answers(file).answers == {"exp": 1.5, "log": 2.0}


@pytest.mark.parametrize("old", [Entry("exp", "x", 1.0), Entry("exp", None, None), Entry("exp2", None, 1.0)], ids=str)
def test_another_question_is_answered_anew(tmp_path: Path, old: Entry) -> None:
    file = tmp_path / "a.jsonl"
    write_answers(file, HEADER, [old])
    assert update_answers(file, HEADER, [Entry("exp", None, 5.0)], are_equal) == []
    assert read_answers(file).entries == [Entry("exp", None, 5.0)]


def test_answers_are_compared_as_they_are_read(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    write_answers(file, HEADER, [Entry("max", None, [1, {"2": 3}])])
    assert update_answers(file, HEADER, [Entry("max", None, (1, {2: 3}))], are_equal) == []


def test_differences_have_the_reason_above_them(tmp_path: Path) -> None:
    text = "About: the file.\n\n## rounds otherwise\nexp: float16 0, bfloat16 0\n\nlog\n\n## no node\nsin\n"
    assert parse_differences(text) == [
        ("exp: float16 0", "rounds otherwise"), ("exp: bfloat16 0", "rounds otherwise"), ("log", "rounds otherwise"),
        ("sin", "no node"),
    ]  # fmt: skip
    assert next(lines_with_reasons(text)) == ("rounds otherwise", "exp: float16 0, bfloat16 0")
    (tmp_path / "one.txt").write_text(text)
    (tmp_path / "two.txt").write_text("## another\ncos\n")
    found = read_differences(tmp_path / "one.txt", tmp_path / "two.txt")
    assert found["cos"] == "another"
    assert len(found) == 5


def test_a_case_with_two_reasons_is_refused(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("## a\nexp\n\n## b\nexp\n")
    with pytest.raises(ValueError, match="these cases are given twice: exp"):
        read_differences(tmp_path / "one.txt")


@pytest.mark.parametrize("text", ["## a\n\n## b\nexp\n", "## \nexp\n"])
def test_a_reason_without_cases_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected '## REASON' with lines below"):
        parse_differences(text)
