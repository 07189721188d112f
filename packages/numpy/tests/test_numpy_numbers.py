"""NumPy's functions of numbers on tensors, beyond values: errors, outputs, ties, NaN, batches, higher orders."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

import numpy as np
import pytest
import wengert as wg
from wengert_numpy.functions import table

from .numpy_calls import Call, differentiable_results, of, varying

MODULES = (
    "reductions", "statistics", "quantiles", "nan_functions", "comparison", "numeric", "calculus", "signals",
    "along_axes", "polynomials", "histograms",
)
CALLS: list[Call] = [call for module in MODULES for call in import_module(f".numpy_calls_{module}", __package__).CALLS]
NAMES = """all any sum prod max min amax amin argmax argmin cumsum cumprod mean median average std var ptp percentile
    quantile cov corrcoef correlate convolve count_nonzero nanargmax nanargmin nancumprod nancumsum nanmax nanmin
    nanmean nanmedian nanpercentile nanprod nanquantile nanstd nansum nanvar nan_to_num angle around round clip diff
    ediff1d gradient interp unwrap fix i0 sinc real imag real_if_close iscomplex iscomplexobj isreal isrealobj
    isneginf isposinf isclose allclose array_equal array_equiv bincount histogram histogram2d histogramdd
    histogram_bin_edges poly polyadd polyder polydiv polyfit polyint polymul polysub polyval roots apply_along_axis
    apply_over_axes piecewise""".split()
SINCE = {"trapezoid", "cumulative_sum", "cumulative_prod"}  # NumPy 2.0 and 2.1


def double(*values: float, requires_grad: bool = False) -> Any:
    return wg.tensor(values, dtype=wg.float64, requires_grad=requires_grad)


@pytest.mark.parametrize("name", [*NAMES, *(name for name in sorted(SINCE) if hasattr(np, name))])
def test_the_table_has_an_implementation_and_a_call_for_each_function(name: str) -> None:
    table.load()
    assert getattr(np, name) in table.FUNCTIONS
    assert any(call.name == name for call in CALLS)


X = varying(3, 4)
V = varying(5)
EMPTY = of(np.zeros((0, 3)))
Z = of([1j, 2.0])
ERRORS = [
    (Call("sum", X, axis=2), "axis 2 is out of bounds"),
    (Call("mean", X, axis=-3), "axis -3 is out of bounds"),
    (Call("var", X, axis=5), "axis 5 is out of bounds"),
    (Call("argmax", X, axis=2), "axis 2 is out of bounds"),
    (Call("median", X, axis=2), "axis 2 is out of bounds"),
    (Call("cumsum", X, axis=2), "axis 2 is out of bounds"),
    (Call("diff", X, axis=2), "axis 2 is out of bounds"),
    (Call("gradient", X, axis=2), "axis 2 is out of bounds"),
    (Call("unwrap", X, axis=2), "axis 2 is out of bounds"),
    (Call("apply_along_axis", np.sum, 2, X), "axis 2 is out of bounds"),
    (Call("sum", X, axis=(0, 0)), "duplicate value"),
    (Call("max", EMPTY), "zero-size array to reduction operation maximum which has no identity"),
    (Call("min", EMPTY, axis=0), "zero-size array to reduction operation minimum which has no identity"),
    (Call("max", of(np.zeros((0, 0))), axis=0), "zero-size array to reduction operation maximum"),
    (Call("nanmax", EMPTY), "zero-size array to reduction operation fmax which has no identity"),
    (Call("ptp", EMPTY), "zero-size array"),
    (Call("argmax", EMPTY), "attempt to get argmax of an empty sequence"),
    (Call("argmin", EMPTY, axis=0), "attempt to get argmin of an empty sequence"),
    (Call("max", X, where=[True, False, True, True]), "to use a where mask one has to specify 'initial'"),
    (Call("ptp", of([True, False])), "numpy boolean subtract"),
    (Call("var", X, ddof=1, correction=1), "ddof and correction can't be provided simultaneously"),
    (Call("nanvar", X, ddof=1, correction=1), "ddof and correction can't be provided simultaneously"),
    (Call("nanmean", X, dtype=np.int64), "If a is inexact, then dtype must be inexact"),
    (Call("average", X, weights=[1, 2]), "Axis must be specified when shapes of a and weights differ"),
    (Call("average", X, 0, weights=[1, 2]), "Shape of weights must be consistent with shape of a"),
    (Call("average", X, weights=np.zeros((3, 4))), "Weights sum to zero, can't be normalized"),
    (Call("cov", varying(2, 2, 2)), "m has more than 2 dimensions"),
    (Call("cov", X, ddof=0.5), "ddof must be integer"),
    (Call("cov", X, fweights=[0.5, 1, 1, 1]), "fweights must be integer"),
    (Call("cov", X, fweights=[-1, 1, 1, 1]), "fweights cannot be negative"),
    (Call("cov", X, aweights=[1, 1]), "incompatible numbers of samples and aweights"),
    (Call("quantile", X, 1.5), "Quantiles must be in the range [0, 1]"),
    (Call("percentile", X, [-1, 50]), "Percentiles must be in the range [0, 100]"),
    (Call("quantile", X, 0.5, method="cubic"), "'cubic' is not a valid method. Use one of"),
    (Call("quantile", X, 0.5, weights=np.ones((3, 4))), "Only method 'inverted_cdf' supports weights"),
    (Call("quantile", X, 0.5, method="inverted_cdf", weights=-np.ones((3, 4))), "Weights must be non-negative"),
    (Call("quantile", Z, 0.5), "a must be an array of real numbers"),
    (Call("nanargmax", of([[1.0, 2.0], [np.nan, np.nan]]), axis=1), "All-NaN slice encountered"),
    (Call("clip", X, 1.0), "missing 1 required positional argument: 'a_max'"),
    (Call("clip", X, 1.0, 2.0, min=0.0), "keyword argument when `a_min` and `a_max` are provided is forbidden"),
    (Call("clip", of([1, 2], np.uint8), 300, None), "out of bounds for uint8"),
    (Call("i0", Z), "i0 not supported for complex values"),
    (Call("isposinf", Z), "This operation is not supported for complex128 values because it would be ambiguous"),
    (Call("diff", X, -1), "order must be non-negative but got -1"),
    (Call("diff", of(1.0)), "diff requires input that is at least one dimensional"),
    (Call("ediff1d", of([1, 2]), to_end=0.5), "dtype of `to_end` must be compatible"),
    (Call("gradient", X, 1.0, 2.0, 3.0), "invalid number of arguments"),
    (Call("gradient", X, [0, 1], axis=1), "when 1d, distances must match the length of the corresponding dimension"),
    (Call("gradient", X, np.ones((2, 2)), axis=1), "distances must be either scalars or 1d"),
    (Call("gradient", X, edge_order=3), "'edge_order' greater than 2 not supported"),
    (Call("gradient", varying(1)), "Shape of array too small to calculate a numerical gradient"),
    (Call("interp", V, [1.0, 2.0], [1.0]), "fp and xp are not of the same length"),
    (Call("interp", V, [], []), "array of sample points is empty"),
    (Call("interp", V, [1.0], [1.0], period=0), "period must be a non-zero value"),
    (Call("convolve", V, []), "v cannot be empty"),
    (Call("convolve", X, V), "object too deep for desired array"),
    (Call("correlate", V, V, "center"), "mode must be one of 'valid', 'same', or 'full'"),
    (Call("piecewise", V, [V.array > 1], [1, 2, 3]), "with 1 condition(s), either 1 or 2 functions are expected"),
    (Call("apply_along_axis", np.sum, 1, EMPTY), "Cannot apply_along_axis when any iteration dimensions are 0"),
    (Call("polyder", V, -1), "Order of derivative must be positive"),
    (Call("polyint", V, -1), "Order of integral must be positive"),
    (Call("polyint", V, 3, k=[1, 2]), "k must be a scalar or a rank-1 array of length 1 or >m"),
    (Call("roots", X), "Input must be a rank-1 array"),
    (Call("poly", X), "input must be 1d or non-empty square 2d array"),
    (Call("polyfit", V, V, -1), "expected deg >= 0"),
    (Call("polyfit", X, V, 1), "expected 1D vector for x"),
    (Call("polyfit", V, varying(4), 1), "expected x and y to have same length"),
    (Call("polyfit", V, V, 1, w=[1, 2]), "expected w and y to have the same length"),
    (Call("polyfit", V, V, 4, cov=True), "the number of data points must exceed order"),
    (Call("bincount", of([1, -1])), "must have no negative elements"),
    (Call("bincount", V), "according to the rule 'safe'"),
    (Call("bincount", of([1, 2]), minlength=-1), "'minlength' must not be negative"),
    (Call("bincount", of([1, 2]), [1.0]), "The weights and list don't have the same length"),
    (Call("histogram", V, 0), "`bins` must be positive, when an integer"),
    (Call("histogram", V, 2.5), "`bins` must be an integer, a string, or an array"),
    (Call("histogram", V, [3, 1]), "`bins` must increase monotonically, when an array"),
    (Call("histogram", V, [[3, 1]]), "`bins` must be 1d, when an array"),
    (Call("histogram", V, "best"), "'best' is not a valid estimator for `bins`"),
    (Call("histogram", V, "fd", weights=np.ones(5)), "not supported for weighted data"),
    (Call("histogram", V, range=(2, 1)), "max must be larger than min in range parameter"),
    (Call("histogram", of([1.0, np.inf])), "is not finite"),
    (Call("histogram", V, weights=[1.0]), "weights should have the same shape as a"),
    (Call("histogramdd", X, (2, 2)), "The dimension of bins must be equal to the dimension of the sample x"),
    (Call("histogramdd", X, 2, range=[None]), "range argument must have one entry per dimension"),
    (Call("histogramdd", X, 0), "`bins[0]` must be positive, when an integer"),
    (Call("histogram2d", V, varying(4)), "x and y must have the same length"),
]


@pytest.mark.parametrize(("call", "phrase"), ERRORS, ids=[repr(call) for call, _ in ERRORS])
def test_errors_are_of_numpys_types_and_have_its_phrases(call: Call, phrase: str) -> None:
    with pytest.raises(Exception) as expected:  # noqa: PT011 - the type is what the test compares
        call.on_arrays()
    with pytest.raises(expected.type) as error:
        call.on_tensors()
    assert phrase in str(expected.value)
    assert phrase in str(error.value)


OUTPUTS = [
    Call("sum", X, axis=0), Call("prod", X, axis=0), Call("max", X, 1), Call("mean", X, axis=0), Call("var", X, 1),
    Call("std", X, 1), Call("ptp", X, 1), Call("cumsum", X, 0), Call("median", X, 1), Call("quantile", X, 0.3, 0),
    Call("nanmean", X, 1), Call("nanvar", X, 1), Call("nanmax", X, 1), Call("nansum", X, 1), Call("nanmedian", X, 1),
    Call("clip", X, 0.6, varying(4, low=1.0, high=1.2)), Call("percentile", X, [20, 60], 1),
    Call("sum", X, 1, keepdims=True),
]


@pytest.mark.parametrize("call", OUTPUTS, ids=repr)
def test_an_output_tensor_is_written_to_and_keeps_the_history(call: Call) -> None:
    inputs = call.tensors()
    expected = call.run(inputs)
    call.kwargs["out"] = out = wg.zeros(expected.shape, dtype=wg.float64)
    try:
        assert call.run(inputs) is out
    finally:
        del call.kwargs["out"]
    assert wg.equal(out, expected)
    gradients = wg.autograd.grad(out.sum(), inputs), wg.autograd.grad(expected.sum(), inputs)
    for got, wanted in zip(*gradients, strict=True):
        assert wg.equal(got, wanted)


@pytest.mark.parametrize("call", OUTPUTS, ids=repr)
def test_an_output_array_takes_values_and_refuses_a_history(call: Call) -> None:
    expected = call.on_arrays()
    call.kwargs["out"] = out = np.zeros(expected.shape)
    try:
        assert call.run([one.detach() for one in call.tensors()]) is out
        np.testing.assert_allclose(out, expected)
        with pytest.raises(TypeError, match="which cannot hold the derivative"):
            call.on_tensors()
    finally:
        del call.kwargs["out"]


def test_an_output_of_another_shape_or_a_dtype_that_loses_is_refused() -> None:
    x = double(1.0, 2.0)
    with pytest.raises(ValueError, match="output parameter has the wrong shape"):
        np.sum(x, out=wg.zeros(3, dtype=wg.float64))
    with pytest.raises(TypeError, match="Cannot cast"):
        np.cumsum(x, out=wg.zeros(2, dtype=wg.int64))


BATCHED = [call for call in CALLS if call.gradient and call.name not in ("real_if_close", "polydiv")]
"""Calls that vmap can batch: the dtype or the shape of the others depends on values."""


@pytest.mark.parametrize("call", BATCHED, ids=repr)
def test_vmap_gives_what_single_calls_give(call: Call) -> None:
    function = differentiable_results(call)
    if function is None:
        return
    inputs = [one.detach() for one in call.tensors() if one.requires_grad]
    batches = [wg.stack([one, one * 1.01]) for one in inputs]
    together = wg.vmap(function)(*batches)
    for i in range(2):
        for got, expected in zip(together, function(*(one[i] for one in batches)), strict=True):
            np.testing.assert_allclose(got[i].numpy(), expected.numpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("call", [
    Call("var", X, 1), Call("std", X, 0), Call("prod", X, 1), Call("corrcoef", X), Call("nanstd", X, 1),
    Call("interp", of([0.4, 1.9]), of([0.0, 1.0, 2.0]), of([1.0, 3.0, 0.5])), Call("gradient", X, X.array[0], axis=1),
    Call("polyfit", of([0.0, 0.5, 1.0, 2.0]), varying(4), 1), Call("roots", of([1.0, -4.0, 1.0])), Call("sinc", X),
    Call("convolve", V, varying(3)), Call("average", X, 1, varying(4)),
    Call("quantile", X, varying(low=0.4, high=0.45)),
], ids=repr)
def test_second_derivatives_agree_with_differences(call: Call) -> None:
    function = differentiable_results(call)
    assert function is not None
    assert wg.autograd.gradgradcheck(function, tuple(one for one in call.tensors() if one.requires_grad))


def gradient_of(function: Any, *values: float) -> list[float]:
    x = double(*values, requires_grad=True)
    return wg.autograd.grad(function(x).sum(), x)[0].tolist()


def test_equal_extrema_share_the_gradient() -> None:
    assert gradient_of(np.max, 1.0, 3.0, 3.0) == [0, 0.5, 0.5]
    assert gradient_of(np.min, 1.0, 1.0, 3.0) == [0.5, 0.5, 0]
    assert gradient_of(np.nanmax, 1.0, 3.0, 3.0, math.nan) == [0, 0.5, 0.5, 0]


def test_clip_passes_the_gradient_at_its_bounds() -> None:
    assert gradient_of(lambda x: np.clip(x, 0.0, 1.0), -1.0, 0.0, 0.5, 1.0, 2.0) == [0, 1, 1, 1, 0]


def test_a_standard_deviation_of_zero_has_gradient_zero() -> None:
    assert gradient_of(np.std, 2.0, 2.0) == [0, 0]
    assert gradient_of(np.nanstd, 2.0, 2.0, math.nan) == [0, 0, 0]


@pytest.mark.parametrize("function", [np.nansum, np.nanmean, np.nanvar, np.nanprod, np.nanmax, np.nanmedian])
def test_the_gradient_of_a_nan_that_is_ignored_is_zero(function: Any) -> None:
    rest = gradient_of(function, 1.0, 2.5, 4.0)
    assert gradient_of(function, 1.0, math.nan, 2.5, 4.0) == pytest.approx([rest[0], 0.0, *rest[1:]])


def test_elements_that_a_mask_leaves_out_have_gradient_zero_even_where_they_are_nan() -> None:
    mask = [True, False, True]
    assert gradient_of(lambda x: np.sum(x, where=mask), 1.0, math.nan, 2.0) == [1, 0, 1]
    assert gradient_of(lambda x: np.mean(x, where=mask), 1.0, math.nan, 2.0) == [0.5, 0, 0.5]
    assert gradient_of(lambda x: np.max(x, where=mask, initial=0.0), 1.0, math.nan, 2.0) == [0, 0, 1]


def test_coordinates_of_equal_distance_have_their_own_gradients_in_gradient() -> None:
    x = double(0.0, 1.0, 2.0, 3.0, requires_grad=True)
    y = double(0.0, 1.0, 4.0, 9.0)

    def slopes(points: Any) -> Any:
        return np.gradient(y, points)

    assert wg.autograd.gradcheck(slopes, (x,))


def test_nan_to_num_without_copy_writes_into_the_tensor() -> None:
    x = double(1.0, math.nan, requires_grad=True)
    y = x * 2
    assert np.nan_to_num(y, copy=False, nan=7.0) is y
    assert y.tolist() == [2, 7]
    assert wg.autograd.grad(y.sum(), x)[0].tolist() == [2, 0]


def test_real_and_imaginary_parts_are_views_of_complex_tensors() -> None:
    z = wg.tensor([1 + 2j, 3 - 1j])
    np.real(z)[0] = 5.0
    np.imag(z)[1] = 6.0
    assert z.tolist() == [5 + 2j, 3 + 6j]


def test_means_of_nothing_and_variances_of_too_little_warn_as_numpys() -> None:
    with pytest.warns(RuntimeWarning, match="Mean of empty slice"):
        assert math.isnan(np.mean(double()).item())
    with pytest.warns(RuntimeWarning, match="Degrees of freedom <= 0"):
        assert math.isnan(np.var(double(1.0), ddof=1).item())
    with pytest.warns(np.exceptions.RankWarning, match="Polyfit may be poorly conditioned"):
        np.polyfit(double(1.0, 1.0, 1.0), double(1.0, 2.0, 3.0), 1)


def test_a_polynomial_object_is_an_operand_but_not_an_argument_of_polyval() -> None:
    assert np.polymul(np.poly1d([1, 2]), double(1.0, 1.0)).tolist() == [1, 3, 2]
    with pytest.raises(TypeError, match=r"polyval\(\): argument 'x' must be a tensor"):
        np.polyval(double(1.0, 2.0), np.poly1d([1, 2]))


def test_bfloat16_is_reduced_in_its_dtype() -> None:
    x = wg.tensor([1.5, 2.5, 4.0], dtype=wg.bfloat16)
    for function in (np.sum, np.mean, np.max, np.std, np.nansum):
        assert function(x).dtype is wg.bfloat16
