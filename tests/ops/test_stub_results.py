"""The stubs tell the truth: each operation returns what its signature in the stubs says, on each of its samples.

Operations whose overloads are written by hand are left out: tests/typed_use.py has a line for each of their forms.
"""

from __future__ import annotations

import numpy as np
import pytest
import wengert as wg
from wengert_testing.calls import as_tensors, contiguous, function_of
from wengert_testing.samples import CASES

SIMPLE = {"_bool": bool, "_dtype": wg.dtype, "Any": object, "Size": wg.Size, "Tensor": wg.Tensor}


@pytest.fixture(scope="session")
def stub(tool):
    return tool("generate.tensor_stub")


@pytest.fixture(scope="session")
def names_by_hand(stub):
    heads = [path.read_text(encoding="utf-8").partition(stub.MARK)[0] for path in stub.STUBS]
    return {name for head in heads for name in stub.names_by_hand(head, None)}


def is_of_type(value: object, text: str) -> bool:
    """Return whether a result is of the type that a stub names."""
    if text.endswith(" | None"):
        return value is None or is_of_type(value, text.removesuffix(" | None"))
    if text.startswith("_return_types."):
        return type(value) is getattr(wg.return_types, text.removeprefix("_return_types."))
    kind, _, inside = text.removesuffix("]").partition("[")
    if kind not in ("tuple", "list"):
        return isinstance(value, SIMPLE[text])
    if not isinstance(value, tuple if kind == "tuple" else list):
        return False
    types = inside.split(", ")
    if kind == "list" or types[-1] == "...":
        return all(is_of_type(part, types[0]) for part in value)
    return len(value) == len(types) and all(map(is_of_type, value, types))


def test_types_of_results_are_told_apart() -> None:
    x = wg.zeros(2)
    named = wg.return_types.sort([x, x])
    assert is_of_type(named, "_return_types.sort")
    assert not is_of_type(named, "_return_types.topk")
    assert is_of_type((x, x), "tuple[Tensor, Tensor]")
    assert not is_of_type((x,), "tuple[Tensor, Tensor]")
    assert is_of_type((), "tuple[Tensor, ...]")
    assert not is_of_type(x, "tuple[Tensor, ...]")
    assert not is_of_type(None, "Tensor")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_results_are_of_the_type_that_the_stub_names(case, stub, names_by_hand):
    function = function_of(case.op)
    if case.op in names_by_hand:
        return
    types = [stub.signature(function).result]
    flag = stub.flag_of(function)
    types += [flag[1]] if flag else []
    for sample in case.samples("float64"):
        args, kwargs = as_tensors(sample, contiguous)
        with np.errstate(all="ignore"):
            result = function(*case.arguments(args), **kwargs)
        assert any(is_of_type(result, text) for text in types), f"{type(result)} is not {' or '.join(types)}"
