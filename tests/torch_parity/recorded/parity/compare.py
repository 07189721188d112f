"""Compares the description of our result with the recorded one."""

from typing import Any

import numpy as np

from parity.describe import Description, as_torch_text
from parity.run_snippet import Outcome
from parity.snippets import Case

TOLERANCE = {  # dtype: (relative, absolute); a dtype that is not here must agree exactly
    "float16": (2e-3, 1e-3),
    "bfloat16": (1.6e-2, 1e-2),
    "float32": (4e-6, 1e-6),
    "float64": (1e-11, 1e-13),
    "complex64": (4e-6, 1e-6),
    "complex128": (1e-11, 1e-13),
    "float": (4e-6, 1e-6),  # a Python float: usually a float32 taken out of a tensor
    "complex": (4e-6, 1e-6),
}


def check(case: Case, expected: Outcome, got: Outcome) -> None:
    """Raises AssertionError with a sentence if our outcome is not the recorded one."""
    if case.error is not None:
        check_error(case, got)
        return
    assert "error" not in got, f"raised {got['error'][0]}: {got['message']}"
    check_warnings(case, got.get("warnings", []))
    difference = differs(expected["value"], got["value"])
    assert difference is None, f"{difference}\n  expected {expected['value']}\n  got      {got['value']}"


def check_error(case: Case, got: Outcome) -> None:
    """The exception is of the class of the header, and its message holds the key phrase."""
    assert "error" in got, f"expected {case.error} ({case.phrase}), got the value {got['value']}"
    assert case.error in got["error"], f"expected {case.error}, raised {got['error'][0]}: {got['message']}"
    assert case.phrase in as_torch_text(got["message"]), f"no {case.phrase!r} in the message: {got['message']}"


def check_warnings(case: Case, given: list[list[str]]) -> None:
    """The announced warning came, and no other."""
    others = [item for item in given if item[0] != case.warning or case.phrase not in as_torch_text(item[1])]
    assert not others, f"warnings that the case does not announce: {others}"
    assert case.warning is None or given, f"expected {case.warning} ({case.phrase}), no warning was given"


def differs(expected: Description, got: Description, where: str = "result") -> str | None:
    """None if both describe the same result, otherwise a sentence on the first difference."""
    if not isinstance(expected, dict) or not isinstance(got, dict):
        same = type(expected) is type(got) and expected == got
        return None if same else f"{where}: expected {expected!r}, got {got!r}"
    ((kind, value),), ((kind_got, value_got),) = expected.items(), got.items()
    if kind != kind_got:
        return f"{where}: expected a {kind}, got a {kind_got}"
    if kind in ("tensor", "ndarray", "numpy"):
        return array_differs(value, value_got, where)
    if kind in ("tuple", "list", "dict", "set"):
        return items_differ(value, value_got, where)
    if kind in ("float", "complex"):
        return None if close(value, value_got, kind) else f"{where}: expected {value}, got {value_got}"
    return None if value == value_got else f"{where}: expected the {kind} {value}, got {value_got}"


def items_differ(expected: list[Any], got: list[Any], where: str) -> str | None:
    """The first difference between two lists of descriptions; a dict's items are pairs."""
    if len(expected) != len(got):
        return f"{where}: expected {len(expected)} items, got {len(got)}"
    for index, (one, other) in enumerate(zip(expected, got, strict=True)):
        inner = f"{where}[{index}]"
        difference = items_differ(one, other, inner) if isinstance(one, list) else differs(one, other, inner)
        if difference:
            return difference
    return None


def array_differs(expected: Description, got: Description, where: str) -> str | None:
    """The first difference between two tensors or arrays. Strides count only where a case asks for them."""
    for fact in ("dtype", "shape", "requires_grad"):
        if expected.get(fact) != got.get(fact):
            return f"{where}: {fact}: expected {expected[fact]}, got {got[fact]}"
    if (expected.get("grad_fn") is None) != (got.get("grad_fn") is None):
        return f"{where}: grad_fn: expected {expected['grad_fn']}, got {got['grad_fn']}"
    if not close(expected["values"], got["values"], expected["dtype"]):
        return f"{where}: values: expected {expected['values']}, got {got['values']}"
    return None


def close(expected: Any, got: Any, dtype: str) -> bool:
    """Return whether all numbers agree within the dtype's tolerance; nan agrees with nan.

    >>> close([1.0, "nan"], [1.0000001, "nan"], "float32"), close([1], [2], "int64")
    (True, False)
    """
    if dtype not in TOLERANCE:
        return bool(expected == got)
    relative, absolute = TOLERANCE[dtype]
    one, other = numbers(expected), numbers(got)
    return one.shape == other.shape and all(
        np.allclose(part(other), part(one), rtol=relative, atol=absolute, equal_nan=True) for part in (np.real, np.imag)
    )


def numbers(values: Any) -> np.ndarray[Any, np.dtype[np.complex128]]:
    """Encoded numbers as a complex array."""
    if isinstance(values, list):
        return np.array([numbers(item) for item in values], dtype=np.complex128)
    return np.array(complex(values) if isinstance(values, str) else values, dtype=np.complex128)


def says_the_same(one: Any, other: Any) -> bool:
    """Return whether two recorded outcomes are the same in all but the last digits of their numbers."""
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            return False
        if "values" in one and "dtype" in one:
            same = all(one[key] == other[key] for key in one if key != "values")
            return same and close(one["values"], other["values"], one["dtype"])
        if one.keys() <= {"float", "complex"}:
            return all(close(one[kind], other[kind], kind) for kind in one)
        return all(says_the_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(says_the_same(a, b) for a, b in zip(one, other, strict=True))
    return type(one) is type(other) and bool(one == other)


def agree(ours: Any, theirs: Any, tolerance: float) -> bool:
    """Return whether two trees of JSON are the same, their floats to a tolerance, relative where they are above 1."""
    if isinstance(theirs, float) and isinstance(ours, float):
        return abs(ours - theirs) <= tolerance * max(1.0, abs(theirs))
    if isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(agree(ours[key], theirs[key], tolerance) for key in theirs)
    if isinstance(theirs, list) and isinstance(ours, list):
        return len(ours) == len(theirs) and all(agree(a, b, tolerance) for a, b in zip(ours, theirs, strict=True))
    return bool(ours == theirs)
