"""The places of PyTorch's answers and of the known differences from them, beside this package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wengert_testing.recorded import read_answers, read_differences

HERE = Path(__file__).parents[1]
ANSWERS = HERE / "answers"
DIFFERENCES = HERE / "differences"


def files_of(subject: str) -> list[Path]:
    """The files of a subject, sorted: ``answers/SUBJECT.jsonl``, or all in the folder ``answers/SUBJECT``."""
    file = ANSWERS / f"{subject}.jsonl"
    return [file] if file.exists() else sorted((ANSWERS / subject).rglob("*.jsonl"))


def answers_of(subject: str) -> dict[str, Any]:
    """The answers of a subject by the names of their cases."""
    return {case: answer for file in files_of(subject) for case, answer in read_answers(file).answers.items()}


def questions(subject: str) -> dict[str, Any]:
    """The questions of a subject by the names of their cases."""
    return {case: question for file in files_of(subject) for case, question in read_answers(file).questions.items()}


def paths_in_torch(subject: str) -> dict[str, str]:
    """The paths of the operations that PyTorch has under other names, from the headers of the files."""
    return {op: path for file in files_of(subject) for op, path in read_answers(file).header["paths"].items()}


def differences(*names: str) -> dict[str, str]:
    """The reasons by the names of the cases, from the files of these names in ``differences``."""
    return read_differences(*(DIFFERENCES / f"{name}.txt" for name in names))
