"""Elementary functions of tensors: 16-bit floats go by float32, strides change nothing, logit has an optional eps."""
import numpy as np
import pytest
import wengert_core as wg

FUNCTIONS = ["tanh", "expm1", "exp2", "sinh", "cosh", "log", "log1p", "log2", "log10", "atanh", "asin", "acos", "atan",
             "sin", "cos", "tan", "sinc", "logit", "frac", "deg2rad", "rad2deg", "signbit", "erfinv", "digamma"]


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_sixteen_bits_are_computed_in_float32_and_rounded_once(name: str, kind: str) -> None:
    bits = wg.from_numpy(np.arange(-(2**15), 2**15).astype(np.int16))
    x, function = bits.view(getattr(wg, kind)), getattr(wg, name)
    got, wide = function(x), function(x.to(wg.float32))
    want = wide if wide.dtype is wg.bool else wide.to(x.dtype)
    assert got.dtype is want.dtype
    np.testing.assert_array_equal(got.to(wg.float32).numpy(), want.to(wg.float32).numpy())


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_strided_operands_give_the_same_bits(name: str, kind: str) -> None:
    x = wg.from_numpy(np.linspace(-3, 3, 4096).astype(kind)).reshape(64, 64)
    function, out = getattr(wg, name), wg.zeros(64, 128).to(getattr(wg, kind))[:, ::2]
    whole = function(x).numpy()
    np.testing.assert_array_equal(function(x.t()).t().numpy(), whole)
    np.testing.assert_array_equal(function(x[:, ::3]).numpy(), whole[:, ::3])
    np.testing.assert_array_equal(np.stack([function(x[i, 0]).numpy() for i in range(64)]), whole[:, 0])
    if name != "signbit":
        function(x, out=out)
        np.testing.assert_array_equal(out.numpy(), whole)


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_logit_with_and_without_eps(kind: str) -> None:
    numbers = np.array([-0.5, 0.0, 0.01, 0.25, 0.5, 0.75, 0.99, 1.0, 1.5, np.nan], kind)
    x = wg.from_numpy(numbers)
    with np.errstate(all="ignore"):
        plain, held = np.log(numbers / (1 - numbers)), np.clip(numbers, 0.125, 0.875)
        bounded = np.log(held / (1 - held))
    tolerance = {"rtol": 4 * np.finfo(kind).eps, "atol": 0}
    np.testing.assert_allclose(wg.logit(x).numpy(), plain, **tolerance)
    np.testing.assert_allclose(wg.logit(x, None).numpy(), plain, **tolerance)
    np.testing.assert_allclose(wg.logit(x, eps=0.125).numpy(), bounded, **tolerance)
    np.testing.assert_allclose(x.clone().logit_(0.125).numpy(), bounded, **tolerance)
