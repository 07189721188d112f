"""Compares the summaries of two results (sample_calls.summary), to a tolerance that the dtype gives."""

from __future__ import annotations

import math
from typing import Any

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
    """Return whether only the dtypes and shapes of an answer say anything."""
    return op in VECTORS or (kind in SINGULAR and (op in FACTORS or op.startswith("linalg.")))


def call_differs(op: str, kind: str, expected: Any, got: Any) -> str | None:
    """A sentence on the difference between two answers to a call with inputs of a kind; None when there is none."""
    found = differs(expected, got)
    if found is not None and is_left_to_lapack(op, kind):
        outlines = outline(expected), outline(got)
        return None if None in outlines or outlines[0] == outlines[1] else found
    return found


def form_differs(op: str, expected: Any, got: Any) -> str | None:
    """A sentence on the difference between two forms; where rounding decides about values, they are left out."""
    if "refused" in (expected, got) or "no tensor" in (expected, got):
        return None if expected == got else f"expected {expected}, got {got}"
    if expected[1:] != got[1:]:
        return f"expected {expected[1:]}, got {got[1:]}"
    return None if is_left_to_lapack(op, "edges") else differs(expected[0], got[0])


def outline(answer: Any) -> Any:
    """An answer without the numbers in it; of an exception nothing."""
    if isinstance(answer, dict) or not isinstance(answer, list):
        return None
    is_tensor = answer and isinstance(answer[0], str) and isinstance(answer[-1], list)
    return answer[:2] if is_tensor else [outline(part) for part in answer]


def differs(expected: Any, got: Any) -> str | None:
    """A sentence on the difference between two answers; None when there is none."""
    if isinstance(expected, dict) or isinstance(got, dict):
        return exception_differs(expected, got)
    if not isinstance(expected, list):
        return None if expected == got or is_near(expected, got) else f"expected {expected}, got {got}"
    if not isinstance(got, list) or len(got) != len(expected):
        return f"expected {expected}, got {got}"
    if expected and isinstance(expected[0], str) and isinstance(expected[-1], list):
        return tensor_differs(expected, got)
    return next((found for pair in zip(expected, got, strict=True) if (found := differs(*pair)) is not None), None)


def is_near(expected: Any, got: Any) -> bool:
    """Return whether two numbers, of which PyTorch gave a float, agree; nan agrees with nan."""
    if not isinstance(expected, float) or not isinstance(got, (int, float)):
        return False
    if not math.isfinite(expected):
        return math.isnan(expected) and math.isnan(got)
    return abs(got - expected) <= max(1e-6 * abs(expected), 1e-12)


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
