"""Libraries that take any array: xarray, optree, array-api-compat, array-api-extra, opt_einsum and einops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import wengert as wg
import wengert.array_api as xp
import wengert_numpy.interop as interop

from .client_calls import ClientCall, problem
from .numpy_calls import Varying, varying

TABLE, WIDE, TALL = varying(4, 5, seed=1), varying(5, 4, seed=2), varying(4, 3, seed=3)


@pytest.fixture(autouse=True)
def double_precision() -> Any:
    """Set the default dtype to NumPy's."""
    before = wg.get_default_dtype()
    wg.set_default_dtype(wg.float64)
    yield
    wg.set_default_dtype(before)


def check(function: Callable[..., Any], *inputs: Varying, **options: Any) -> None:
    """Assert that a function of arrays has the same values on tensors, and right derivatives."""
    assert problem(ClientCall("function", function, *inputs, **options)) == ""


# ---- array-api-extra

EXTRA: dict[str, tuple[Callable[..., Any], tuple[Varying, ...]]] = {
    "atleast_nd": (lambda xpx, x: xpx.atleast_nd(x, ndim=3), (TABLE,)),
    "apply_where": (lambda xpx, x: xpx.apply_where(x > 1, x, lambda v: v**2, lambda v: 2 * v), (TABLE,)),
    "broadcast_shapes": (lambda xpx, x: x + len(xpx.broadcast_shapes((2, 1), (3,))), (TABLE,)),
    "cov": (lambda xpx, x: xpx.cov(x), (TABLE,)),
    "create_diagonal": (lambda xpx, x: xpx.create_diagonal(x[0, ...], offset=1), (TABLE,)),
    "expand_dims": (lambda xpx, x: xpx.expand_dims(x, axis=(0, 2)), (TABLE,)),
    "isclose": (lambda xpx, x, y: xpx.isclose(x, y, rtol=0.5), (TALL, TALL)),
    "kron": (lambda xpx, x, y: xpx.kron(x, y), (TABLE, TALL)),
    "nunique": (lambda xpx, x: xpx.nunique(x), (TABLE,)),
    "one_hot": (lambda xpx, x: xpx.one_hot(x, 4), (Varying([1, 3, 0]),)),
    "pad": (lambda xpx, x: xpx.pad(x, 2, constant_values=1.5), (TABLE,)),
    "partition": (lambda xpx, x: xpx.partition(x, 2)[..., 2], (TABLE,)),
    "setdiff1d": (lambda xpx, x, y: xpx.setdiff1d(x, y), (Varying([1, 2, 3]), Varying([2]))),
    "sinc": (lambda xpx, x: xpx.sinc(x), (TABLE,)),
    "at.set": (lambda xpx, x: xpx.at(x)[1, :].set(0.5, copy=True), (TABLE,)),
    "at.add": (lambda xpx, x: xpx.at(x)[:, 2].add(x[:, 0], copy=True), (TABLE,)),
    "at.multiply": (lambda xpx, x: xpx.at(x)[x > 1].multiply(3.0, copy=True), (TABLE,)),
    "at.max": (lambda xpx, x: xpx.at(x)[0, :].max(1.0, copy=True), (TABLE,)),
}


@pytest.mark.parametrize("name", EXTRA)
def test_array_api_extra_has_values_and_derivatives(name: str) -> None:
    extra = pytest.importorskip("array_api_extra", reason="array-api-extra is not installed")
    function, inputs = EXTRA[name]
    check(lambda *values: function(extra, *values), *inputs, mutates=name == "at.max")


def test_the_namespace_takes_a_condition_alone_and_the_order_of_differences_by_position() -> None:
    x = wg.tensor([1.0, 4.0, 9.0, 16.0])
    assert xp.diff(x, 2).tolist() == [2.0, 2.0]
    assert [one.tolist() for one in xp.where(x > 3)] == [[1, 2, 3]]
    with pytest.raises(TypeError, match="expected x1 and x2"):
        xp.where(x > 3, x)


# ---- einops

EINOPS: dict[str, Callable[..., Any]] = {
    "rearrange": lambda einops, x: einops.rearrange(x, "a (b c) -> c b a", b=1),
    "rearrange a list": lambda einops, x: einops.rearrange([x, 2 * x], "n a b -> a (n b)"),
    **{f"reduce {one}": lambda einops, x, one=one: einops.reduce(x, "(a c) b -> b c", one, c=2)
       for one in ("min", "max", "sum", "mean", "prod")},
    "repeat": lambda einops, x: einops.repeat(x, "a b -> a (b 2) c", c=3),
    "einsum": lambda einops, x: einops.einsum(x, x, "a b, c b -> a c"),
    "pack": lambda einops, x: einops.pack([x, x[:, 0]], "a *")[0],
}  # fmt: skip


@pytest.mark.parametrize("name", EINOPS)
def test_einops_has_values_and_derivatives(name: str) -> None:
    einops = pytest.importorskip("einops", reason="einops is not installed")
    check(lambda x: EINOPS[name](einops, x), TABLE)


def test_einops_of_truth_values_and_shapes() -> None:
    einops = pytest.importorskip("einops", reason="einops is not installed")
    x = wg.tensor(TABLE.array)
    assert einops.reduce(x > 1.6, "a b -> a", "any").dtype is wg.bool
    assert einops.parse_shape(x, "a b") == {"a": 4, "b": 5}
    assert isinstance(einops.asnumpy(x), np.ndarray)
    with pytest.raises(NotImplementedError, match="expected a reduction among min, max, sum, mean, got 'median'"):
        interop.reduce(x, "median", (0,))


# ---- opt_einsum

EXPRESSIONS = ["ij,jk,kl->il", "ij,jk,kl->", "ij,jk,kl->lij", "...j,jk,kl->...l"]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_opt_einsum_contracts_tensors(expression: str) -> None:
    opt_einsum = pytest.importorskip("opt_einsum", reason="opt_einsum is not installed")
    check(lambda *values: opt_einsum.contract(expression, *values), TABLE, WIDE, TALL)


def test_opt_einsum_contracts_tensors_with_arrays_and_constants() -> None:
    opt_einsum = pytest.importorskip("opt_einsum", reason="opt_einsum is not installed")
    check(lambda x: opt_einsum.contract("ij,jk->ik", x, WIDE.array), TABLE)
    check(opt_einsum.contract_expression("ij,jk->ik", (4, 5), (5, 4)), TABLE, WIDE)
    check(opt_einsum.contract_expression("ij,jk->ik", (4, 5), WIDE.array, constants=[1]), TABLE)


# ---- optree


def test_optree_maps_flattens_and_ravels_trees_of_tensors() -> None:
    optree = pytest.importorskip("optree", reason="optree is not installed")
    tree = {"w": wg.ones(2, 3, requires_grad=True), "b": (wg.zeros(2), [wg.tensor(1.0)])}
    doubled = optree.tree_map(lambda x: 2 * x, tree)
    assert doubled["w"].requires_grad
    leaves, structure = optree.tree_flatten(tree)
    assert [tuple(one.shape) for one in leaves] == [(2,), (), (2, 3)]
    assert optree.tree_unflatten(structure, leaves)["w"] is tree["w"]
    total = optree.tree_reduce(lambda x, y: x + y, optree.tree_map(wg.sum, doubled))
    total.backward()
    assert tree["w"].grad.tolist() == [[2.0] * 3] * 2
