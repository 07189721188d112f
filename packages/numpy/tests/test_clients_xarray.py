"""xarray on tensors: DataArrays keep them, with their history."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import wengert as wg
import wengert_numpy.interop  # noqa: F401 - xarray contracts by opt_einsum where that is installed

from .client_calls import ClientCall, problem
from .numpy_calls import varying

xr = pytest.importorskip("xarray", reason="xarray is not installed")

VALUES = varying(4, 5, seed=1)


def array(values: Any, dims: tuple[str, ...] = ("x", "y")) -> Any:
    """Return a DataArray with coordinates."""
    return xr.DataArray(values, dims=dims, coords={d: np.arange(n) for d, n in zip(dims, values.shape, strict=True)})


CALLS: dict[str, Callable[[Any], Any]] = {
    "arithmetic": lambda d: 2 - d * d + d**2 / 3, "negative": lambda d: -d, "abs": abs, "comparison": lambda d: d > 1,
    "matmul": lambda d: d @ d, "np.sin": np.sin, "xr.ufuncs": lambda d: xr.ufuncs.exp(d), "round": lambda d: d.round(),
    "sum": lambda d: d.sum(), "sum x": lambda d: d.sum("x"), "mean": lambda d: d.mean("y"), "std": lambda d: d.std("y"),
    "var": lambda d: d.var(ddof=1), "max": lambda d: d.max("x"), "min": lambda d: d.min(),
    "prod": lambda d: d.prod("y"),
    "median": lambda d: d.median("y"), "quantile": lambda d: d.quantile(0.3, "x"), "cumsum": lambda d: d.cumsum("x"),
    "cumprod": lambda d: d.cumprod("x"), "count": lambda d: d.count("x"), "all": lambda d: (d > 0).all(),
    "any": lambda d: (d > 1).any("x"), "argmax": lambda d: d.argmax("x"),
    "sum skipna": lambda d: d.sum("x", skipna=False), "where": lambda d: d.where(d > 1, 0.0),
    "xr.where": lambda d: xr.where(d > 1, d, 2 * d), "clip": lambda d: d.clip(0.5, 1.2), "isnull": lambda d: d.isnull(),
    "concat": lambda d: xr.concat([d, 2 * d], "x"), "concat new": lambda d: xr.concat([d, d], "z"),
    "stack": lambda d: d.stack(z=("x", "y")), "unstack": lambda d: d.stack(z=("x", "y")).unstack("z"),
    "transpose": lambda d: d.transpose("y", "x"), "expand_dims": lambda d: d.expand_dims("z"),
    "squeeze": lambda d: d[:1].squeeze(), "isel": lambda d: d.isel(x=1), "isel list": lambda d: d.isel(x=[0, 2]),
    "isel reversed": lambda d: d.isel(x=slice(None, None, -1)), "sel": lambda d: d.sel(x=2),
    "roll": lambda d: d.roll(x=1),
    "diff": lambda d: d.diff("x"), "pad": lambda d: d.pad(x=1, constant_values=0.0),
    "coarsen": lambda d: d.coarsen(x=2).mean(),
    "groupby": lambda d: d.groupby(xr.DataArray([0, 0, 1, 1], dims="x", name="g")).mean(),
    "dot": lambda d: xr.dot(d, d, dim="x"), "broadcast": lambda d: d + d.isel(x=0),
    "apply_ufunc": lambda d: xr.apply_ufunc(lambda a: a.sum(-1), d, input_core_dims=[["y"]]),
    "reduce": lambda d: d.reduce(np.sum, "x"), "Dataset": lambda d: xr.Dataset({"a": d, "b": 2 * d}).mean("x")["b"],
    "integrate": lambda d: d.integrate("x"), "differentiate": lambda d: d.differentiate("x"),
    "copy": lambda d: d.copy(deep=False), "to_dataarray": lambda d: xr.Dataset({"a": d, "b": 2 * d}).to_dataarray(),
}  # fmt: skip
STEPS = ("round",)
UNSUPPORTED: dict[str, Callable[[Any], Any]] = {
    "maybe_promote": lambda d: d.where(d > 1), "shift": lambda d: d.shift(x=1), "corr": lambda d: xr.corr(d, d, "x"),
    "weighted": lambda d: d.weighted(d).mean("x"), "reindex": lambda d: d.reindex(x=[0, 7]),
    "std": lambda d: d.std("x", skipna=False), "rolling": lambda d: d.rolling(x=2).mean(),
    "sortby": lambda d: (2 * d).sortby("x"), "copy": lambda d: (2 * d).copy(),
}  # fmt: skip
"""What xarray does with NumPy's dtypes, NumPy's own functions or copy.deepcopy, which leaves only have."""


@pytest.mark.parametrize("name", CALLS)
def test_data_arrays_of_tensors_have_the_values_of_arrays_and_right_derivatives(name: str) -> None:
    call = ClientCall(
        name, lambda values: CALLS[name](array(values)), VALUES, result=lambda r: r.data, gradient=name not in STEPS
    )
    assert problem(call) == ""


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_what_xarray_does_with_arrays_only_is_an_error(name: str) -> None:
    with pytest.raises((TypeError, AttributeError, RuntimeError)):
        UNSUPPORTED[name](array(wg.tensor(VALUES.array, requires_grad=True)))


def test_data_arrays_and_tensors_are_operands_of_one_operator() -> None:
    t = wg.tensor(VALUES.array, requires_grad=True)
    for result in (array(VALUES.array) * t, array(t) + VALUES.array, VALUES.array - array(t)):
        assert isinstance(result, xr.DataArray)
        assert result.data.requires_grad
