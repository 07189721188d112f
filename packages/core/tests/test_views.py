"""Views: geometry against recorded PyTorch results, values against the rows' references, sharing of memory."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import wengert_core as wg
from wengert_core.exchange.arrays import from_array, to_array
from wengert_core.optable.core_table import TABLE
from wengert_core.optable.kinds.view import ViewRows

from .recorded_geometry import check, check_error, load, outcome

SETUP, FACTS = load("view")


@pytest.mark.parametrize(("code", "want"), FACTS, ids=[code for code, _ in FACTS])
def test_same_as_recorded(code: str, want: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if "error" in want:
            with pytest.raises(Exception) as caught:  # noqa: PT011 - check_error looks at the type
                outcome(code, SETUP)
            check_error(caught.value, want)
        else:
            check(outcome(code, SETUP), want)


ARGUMENTS: dict[str, list[tuple[Any, ...]]] = {
    "view": [((4, 6),), ((-1,),)],
    "_unsafe_view": [((4, 6),)],
    "alias": [()],
    "_fw_primal": [()],
    "_reshape_alias": [((4, 6),)],
    "transpose": [(0, 1), (-1, 0)],
    "permute": [((2, 0, 1),)],
    "squeeze": [(), (1,), ((0, 1),)],
    "unsqueeze": [(0,), (-1,), (2,)],
    "expand": [((5, 2, 3, 4),), ((-1, 3, -1),)],
    "select": [(1, 2), (-1, -1)],
    "slice": [(1, 1, None, 1), (2, -3, 100, 2), (0, 5, 1, 1)],
    "diagonal": [(0, 0, 1), (1, -1, 0), (-2, 1, 2)],
    "unfold": [(2, 2, 1), (1, 3, 1), (-1, 2, 2)],
    "split_with_sizes": [((1, 2), 1), ((0, 3, 0), -2)],
    "unbind": [(0,), (-1,)],
    "clone": [()],
    "contiguous": [()],
    "reshape": [((4, 6),), ((2, -1),)],
    "ravel": [()],
    "movedim": [(0, 2), ((0, 1), (-1, 0))],
    "narrow": [(1, 1, 2), (2, -2, 1)],
    "flip": [((0, 2),), (1,)],
}
CASES = [(name, args) for name, rows in ARGUMENTS.items() for args in rows]


def base(dtype: str) -> np.ndarray[Any, Any]:
    array = np.arange(24).reshape(2, 3, 4)
    return array % 3 == 0 if dtype == "bool" else array.astype(dtype)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "uint32", "float16", "float32", "complex128"])
@pytest.mark.parametrize("layout", ["rows", "columns", "steps"])
@pytest.mark.parametrize(("name", "args"), CASES, ids=[f"{n}{a}" for n, a in CASES])
def test_same_as_reference(name: str, args: tuple[Any, ...], layout: str, dtype: str) -> None:
    array = base(dtype)
    if layout == "columns":
        array = np.asfortranarray(array)
    elif layout == "steps":
        array = np.repeat(array, 2, axis=1)[:, ::2]
    tensor, op = from_array(array), TABLE.ops[name]
    if name in ("view", "_unsafe_view", "_reshape_alias") and layout != "rows":
        with pytest.raises(RuntimeError, match=r"Use \.reshape"):
            op(tensor, (8, 3))
        return
    full = args + tuple(None for _ in op.params[1 + len(args) :])
    want, got = op.reference(np, array, *full), op(tensor, *args)
    for theirs, ours in zip(want, got, strict=True) if isinstance(want, tuple) else [(want, got)]:
        assert ours.shape == theirs.shape
        np.testing.assert_array_equal(to_array(ours), theirs)


def test_every_primitive_has_a_case() -> None:
    views = {name for name, op in TABLE.ops.items() if getattr(op, "family", "") == "view"}
    elsewhere = {"t", "as_strided", "view_as_real", "view_as_complex", "split"}  # in the recorded facts
    assert views - set(ARGUMENTS) == elsewhere
    assert all(any(f".{name}(" in code or f"torch.{name}(" in code for code, _ in FACTS) for name in elsewhere)


def test_a_view_shares_memory_and_version() -> None:
    x = wg.zeros(2, 3)
    view = x.t()[1:].unsqueeze(0)
    before = x._version
    view.fill_(5)
    assert x.tolist() == [[0, 5, 5], [0, 5, 5]]
    assert x._version == view._version == before + 1
    assert view._base is x
    assert view.untyped_storage() is x.untyped_storage()


def test_base_of_a_view_of_a_view_is_the_first_tensor() -> None:
    x = wg.zeros(4, 4)
    assert x[1:][0].view(2, 2)._base is x


def test_reshape_that_must_copy_is_no_view() -> None:
    x = wg.zeros(2, 3).t()
    copy = x.reshape(-1)
    assert not copy._is_view()
    assert copy._base is None
    copy.fill_(1)
    assert x.tolist() == [[0, 0]] * 3


def test_more_dims_than_a_tensor_can_have() -> None:
    x = wg.zeros([1] * 64)
    assert x.view([1] * 64).dim() == 64
    for refused in (lambda: x.unsqueeze(0), lambda: x[None], lambda: wg.zeros(1).view([1] * 65)):
        with pytest.raises(RuntimeError, match=r"at most 64 dimensions|64 dimensions already"):
            refused()


def test_sequences_of_views_have_no_limit() -> None:
    parts = wg.arange(1000).unbind()
    assert len(parts) == 1000
    assert parts[999].item() == 999


def test_copies_keep_a_dense_layout() -> None:
    x = wg.zeros(2, 3, 4).permute(1, 2, 0)
    assert x.clone().stride() == x.stride()
    assert x.clone(memory_format=wg.contiguous_format).stride() == (8, 2, 1)
    assert x.contiguous().is_contiguous()
    row_major = wg.zeros(2)
    assert row_major.contiguous() is row_major


def test_a_plugin_gives_a_geometry_as_a_function() -> None:
    rows = ViewRows("example")
    op = rows.view(
        "every_other(Tensor self, int step) -> Tensor",
        doc="Every step-th row.",
        geometry=lambda sizes, strides, offset, step: (
            (-(-sizes[0] // step), *sizes[1:]),
            (strides[0] * step, *strides[1:]),
            offset,
        ),
    )
    x = wg.arange(10).view(5, 2)[1:]
    assert op(x, 2).tolist() == [[2, 3], [6, 7]]
    assert op(x, 2)._base is x._base
    with pytest.raises(RuntimeError, match="out of bounds for storage"):
        rows.view("too_far(Tensor self) -> Tensor", geometry=lambda s, t, o: ((100,), (1,), o))(x)
