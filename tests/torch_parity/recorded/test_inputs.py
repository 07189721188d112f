"""Every row of the sample table, with inputs of every kind, against what PyTorch 2.13 gave: see oracle_inputs.py.

Of each op there is an answer for 0-d, empty, rank 4, non-contiguous and expanded inputs, for other dtypes, edge
values, equal values, None, and the gradients. What differs is in inputs_differences.txt, with the reason, and must.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import oracle_rows
import pytest
import wengert
from oracle_inputs import KINDS, answer

HERE = Path(__file__).parent
TOLERANCES = {"float16": 2e-2, "bfloat16": 1e-1, "float32": 2e-5, "complex64": 2e-5}
"""Of the sums of all elements, relative to the sum of their sizes; 1e-7 for the other dtypes."""

VECTORS = {"linalg.eig", "linalg.eigh", "linalg.svd", "svd"}
"""Ops whose results are determined up to signs or phases: of them only dtypes and shapes are compared."""

FACTORS = VECTORS | set(
    "cholesky cholesky_inverse cholesky_solve det geqrf inverse logdet lu lu_solve lu_unpack matrix_exp orgqr ormqr "
    "pinverse qr slogdet triangular_solve".split()
)
SINGULAR = {"rank 4", "expanded", "edges", "ties", "gradient at ties"}
"""Inputs of decompositions (FACTORS, and the namespace linalg) of which rounding or LAPACK decides what comes out."""


def is_left_to_lapack(op: str, kind: str) -> bool:
    """Whether only the dtypes and shapes of an answer say anything."""
    return op in VECTORS or (kind in SINGULAR and (op in FACTORS or op.startswith("linalg.")))


def outline(answer: Any) -> Any:
    """An answer without the numbers in it; of an exception nothing."""
    if isinstance(answer, dict) or not isinstance(answer, list):
        return None
    is_tensor = answer and isinstance(answer[0], str) and isinstance(answer[-1], list)
    return answer[:2] if is_tensor else [outline(part) for part in answer]


@cache
def recorded() -> dict[str, Any]:
    """PyTorch's answers by op."""
    return dict(json.loads((HERE / "answers" / "inputs.json").read_text(encoding="utf-8"))["ops"])


@cache
def differences() -> dict[tuple[str, str], str]:
    """The reason by op and call, for those that are not as in PyTorch with the kernels that are in use."""
    plain = os.environ.get("WENGERT_KERNELS", "") == "python"
    found, reason = {}, ""
    for line in (HERE / "inputs_differences.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            reason = line[2:]
        elif line:
            op, _, kinds = line.partition(": ")
            if plain and reason.startswith("Our kernels"):
                continue
            found.update({(op, kind): reason for kind in kinds.split(", ")})
    return found


def differs(expected: Any, got: Any) -> str | None:
    """What differs between two answers; None when nothing does."""
    if isinstance(expected, dict) or isinstance(got, dict):
        return exception_differs(expected, got)
    if not isinstance(expected, list):
        is_near = isinstance(expected, float) and got == pytest.approx(expected, rel=1e-6, nan_ok=True)
        same = expected == got or is_near
        return None if same else f"expected {expected}, got {got}"
    if not isinstance(got, list) or len(got) != len(expected):
        return f"expected {expected}, got {got}"
    if expected and isinstance(expected[0], str) and isinstance(expected[-1], list):
        return tensor_differs(expected, got)
    return next((found for pair in zip(expected, got, strict=True) if (found := differs(*pair)) is not None), None)


def exception_differs(expected: Any, got: Any) -> str | None:
    """Of two answers, one of which is an exception. A TypeError may take the place of an AttributeError."""
    if not isinstance(expected, dict):
        return f"raised {got['error'][0]}: {got['message']}"
    if not isinstance(got, dict):
        return f"expected {expected['error'][0]} ({expected['message']}), got {got}"
    wanted = {"AttributeError", "TypeError"} if expected["error"][0] == "AttributeError" else {expected["error"][0]}
    return None if wanted & set(got["error"]) else f"expected {expected['error'][0]}, raised {got['error'][0]}"


def tensor_differs(expected: list[Any], got: list[Any]) -> str | None:
    """Of two summaries of tensors."""
    name, shape, counts, (size, weighted) = expected
    if got[:3] != [name, shape, counts]:
        return f"expected {expected}, got {got}"
    near = TOLERANCES.get(name, 1e-7) * max(1.0, size)
    same = got[3] == expected[3] or (abs(got[3][0] - size) <= near and abs(got[3][1] - weighted) <= near)
    return None if same else f"expected {expected}, got {got}"


@pytest.mark.parametrize("op", sorted(recorded()))
def test_inputs_of_every_kind(op: str) -> None:
    answers, unlike = recorded()[op]["answers"], []
    for call in oracle_rows.calls_of(op):
        digest, expected = answers[str(call)]
        assert digest == call.digest, f"{op}: the sample {call} has changed, run tools/record/inputs.py"
        got = answer(call, recorded()[op]["path"], wengert)
        found = differs(expected, got)
        if is_left_to_lapack(op, call.kind):
            outlines = outline(expected), outline(got)
            found = None if None in outlines or outlines[0] == outlines[1] else found
        if ((op, str(call)) in differences()) != (found is not None):
            unlike.append(f"{call}: {found or 'as in PyTorch, though inputs_differences.txt says that it differs'}")
    assert unlike == []


def test_every_row_has_an_answer_for_every_kind() -> None:
    for op, entry in recorded().items():
        given = {kind.rpartition(" ")[0] for kind in entry["answers"]}
        assert given == set(KINDS), op


def test_a_row_without_answers_is_not_pytorchs() -> None:
    missing = {op for op in oracle_rows.names() if oracle_rows.samples_of(op)} - set(recorded())
    assert sorted(missing) == sorted(oracle_rows.OURS)


def test_every_difference_is_of_a_call() -> None:
    calls = {(op, kind) for op, entry in recorded().items() for kind in entry["answers"]}
    assert set(differences()) - calls == set()


@pytest.mark.parametrize("op", oracle_rows.RANDOM)
def test_an_op_that_is_left_out_is_random(op: str) -> None:
    assert oracle_rows.samples_of(op), f"{op} is not in the sample table: leave it out of RANDOM"
