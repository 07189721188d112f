"""A device's kernel that returns anything else than its op expects is refused, for every op of the sample table.

The kernel takes the place of the row's reference, which computes the right result; that is then made wrong. So each
family's driver is tried with everything that a stranger's reference may return.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special
import wengert as torch
from wengert_core.dispatch.op import find, names
from wengert_core.optable.kinds.base import FLOATING
from wengert_core.optable.op_table import OpTable
from wengert_testing.calls import row_of
from wengert_testing.devices import results, rows


def first(change: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The change, made to the first of several results."""
    return lambda xp, r: (change(xp, r[0]), *r[1:]) if isinstance(r, tuple) else change(xp, r)


def another_kind(xp: Any, r: Any) -> Any:
    """Complex numbers for real ones, real ones for complex ones."""
    return xp.abs(r) if r.dtype.kind == "c" else r.astype("complex64")


WRONG = {
    "none": lambda xp, r: (None, *r[1:]) if isinstance(r, tuple) else 0 * [r],
    "one more": lambda xp, r: (*r, r[0]) if isinstance(r, tuple) else (r, r),
    "none in a tuple": lambda xp, r: (None,) * (len(r) if isinstance(r, tuple) else 2),
    "too few": lambda xp, r: r[:-1] if isinstance(r, tuple) else (),
    "another kind": first(another_kind),
    "text": first(lambda xp, r: "result"),
    "a list": first(lambda xp, r: [0.0, 1.0]),
    "a tensor": first(lambda xp, r: torch.zeros(2)),
    "objects": first(lambda xp, r: np.array([None, 1], dtype=object)),
    "dates": first(lambda xp, r: np.array(["2000-01-01"], dtype="datetime64[D]")),
    "a masked array": first(lambda xp, r: np.ma.masked_array([0.0, 1.0], mask=[True, False])),
}
WRONG_SHAPES = {
    "one dim more": first(lambda xp, r: r[None]),
    "one element more": first(lambda xp, r: xp.concatenate([r.reshape(-1), r.reshape(-1)[:1]])),
    "nothing": first(lambda xp, r: xp.zeros((0, 3), r.dtype)),
}
FREE = ("array", "staged", "along", "normalization")
"""Families whose references decide about the shape of what they return, in part or wholly."""
OWN_KIND = ("array", "columns")
"""Rules for results whose dtype is the reference's to decide."""


OF_THE_HOST = ("_im2col", "im2col", "_block_diag", "block_diag")
"""Ops whose references are not for arrays of devices: their stages compute there."""


def families() -> dict[str, list[Any]]:
    """The cases whose op has a reference, by family."""
    found: dict[str, list[Any]] = {}
    for case in rows():
        op = row_of(case.op)
        if (
            getattr(op, "reference", None) is not None
            and op.name in names()
            and find(op.name) is op
            and op.name not in OF_THE_HOST
        ):
            found.setdefault(op.family, []).append(case)
    return found


CASES = [(case, op) for family, cases in sorted(families().items()) for case in cases for op in [row_of(case.op)]]


def refusal(sim: Any, case: Any, op: Any, word: str, change: Callable[[Any, Any], Any]) -> str:
    """The message with which a device refuses what its kernel for an op returns; "" where it was not asked."""
    asked = []

    def kernel(xp: Any, *arguments: Any) -> Any:
        asked.append(True)
        return change(xp, op.reference(xp, *arguments))

    sim.kernels[op.name] = kernel
    try:
        results(case, next(iter(case.samples("float64"))), "sim")
    except RuntimeError as error:
        return str(error) if asked else f"before the kernel: {error}"
    finally:
        del sim.kernels[op.name]
    assert not asked, f"{op.family} {op.name}: what its kernel returned was taken, {word}"
    return ""


@pytest.mark.parametrize(("case", "op"), CASES, ids=lambda x: getattr(x, "op", ""))
def test_what_is_no_array_of_the_right_kind_is_refused(case, op, sim):
    for word, change in WRONG.items():
        if op.family == "staged" and (word in ("none", "another kind") or len(op.outputs) > 1):
            continue
        if word == "another kind" and op.options.get("results", ("same",))[0] in OWN_KIND:
            continue
        message = refusal(sim, case, op, word, change)
        assert (
            re.match(rf"{op.name}: the kernel of devices of type 'sim'.* returned .*, expected ", message)
            or not message
        ), word


@pytest.mark.parametrize(
    ("case", "op"), [c for c in CASES if c[1].family not in FREE], ids=lambda x: getattr(x, "op", "")
)
def test_another_shape_is_refused(case, op, sim):
    for word, change in WRONG_SHAPES.items():
        if op.name == "masked_select" and word == "one element more":  # how many there are, its kernel alone knows
            continue
        message = refusal(sim, case, op, word, change)
        assert (
            re.match(rf"{op.name}: the kernel of devices of type 'sim'.* returned .*, expected ", message)
            or not message
        ), word


def test_every_family_with_a_reference_is_tried():
    assert {op.family for _, op in CASES} >= {
        "along", "array", "attention", "convolution", "indexing", "joining", "matmul", "normalization", "padding",
        "pointwise", "pooling", "reduction", "softmax", "staged",
    }  # fmt: skip


def test_a_kernel_that_is_no_function_is_refused(sim):
    sim.kernels["exp"] = 3
    try:
        with pytest.raises(
            TypeError, match=r"exp: the kernel of devices of type 'sim'.* is an object of type int, expected"
        ):
            torch.tensor([0.0]).to("sim").exp()
    finally:
        del sim.kernels["exp"]


def test_an_error_of_a_kernel_says_whose_it_is(sim):
    sim.kernels["exp"] = lambda xp: None
    try:
        with pytest.raises(TypeError) as caught:
            torch.tensor([0.0]).to("sim").exp()
    finally:
        del sim.kernels["exp"]
    assert caught.value.__notes__[0].startswith("raised by the kernel of devices of type 'sim'")


DOWNLOADS = {
    "none": lambda array: None,
    "a list": lambda array: array.tolist(),
    "fewer elements": lambda array: array[:1],
    "another dtype": lambda array: array.astype("i1"),
    "objects": lambda array: array.astype(object),
}


@pytest.mark.parametrize("word", DOWNLOADS)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_what_a_device_downloads_is_checked(sim, monkeypatch, word, dtype):
    x = torch.arange(100.0).to(getattr(torch, dtype)).to("sim")
    download = sim.download
    monkeypatch.setattr(sim, "download", lambda array: DOWNLOADS[word](download(array)))
    with pytest.raises(
        RuntimeError, match=r"download\(\) of the plugin of devices of type 'sim'.* returned .*, expected an array"
    ):
        x.cpu()


# ---- ufuncs


def ufunc_table(name: str, **settings: Any) -> Any:
    """A row whose kernel is SciPy's expit, a ufunc that NumPy does not have."""
    return OpTable("acme_ufunc").pointwise_unary(
        f"{name}(Tensor self) -> Tensor", kernels=[scipy.special.expit], promotion="float", dtypes=FLOATING, **settings
    )


def test_a_foreign_ufunc_is_called_itself(monkeypatch):
    monkeypatch.setattr(np, "expit", lambda x: x + 99, raising=False)
    op = ufunc_table("acme_expit")
    assert op(torch.tensor([0.0])).tolist() == [0.5]
    assert op.reference(np, np.array([0.0])).tolist() == [0.5]
    assert op(torch.tensor([[0.0, 1.0]]).half()).dtype is torch.float16


def test_a_device_says_which_row_lacks_a_reference():
    op = ufunc_table("acme_expit")
    expected = "acme_expit: the row in op table 'acme_ufunc' has no reference, which a device of type 'sim' needs; and"
    with pytest.raises(NotImplementedError, match=expected):
        op(torch.tensor([0.0]).to("sim"))


def test_a_device_runs_the_reference_beside_a_foreign_ufunc():
    op = ufunc_table("acme_expit", reference=lambda xp, x: 1 / (1 + xp.exp(-x)))
    assert op(torch.tensor([0.0]).to("sim")).cpu().tolist() == [0.5]


def test_a_ufunc_of_numpy_stands_for_the_function_of_any_namespace():
    op = OpTable("acme_ufunc").pointwise_unary("acme_cbrt(Tensor self) -> Tensor", kernels=[np.cbrt], dtypes=FLOATING)
    assert op(torch.tensor([8.0]).to("sim")).cpu().tolist() == [2.0]
