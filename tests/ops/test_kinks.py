"""Derivatives at kinks, ties and edges of domains: what PyTorch 2.13 gives, recorded."""

from __future__ import annotations

import math

import numpy as np
import pytest
import wengert_core as wc
import wengert_engine as we

INF, NAN = math.inf, math.nan
OPS = wc.TABLE.ops


def op(name, *args, **kwargs):
    """The op with some arguments behind its tensors; of several results the first."""

    def call(*tensors):
        result = OPS[name](*tensors, *args, **kwargs)
        return result[0] if isinstance(result, tuple) else result

    return call


RECORDED = [
    ("abs", op("abs"), [[0.0, -0.0]], [[0, 0]]),
    ("sqrt", op("sqrt"), [[0.0]], [[INF]]),
    ("relu", op("relu"), [[0.0, NAN, 1.0]], [[0, 1, 1]]),
    ("threshold", op("threshold", 0.0, 1.0), [[0.0, 1.0, NAN]], [[0, 1, 1]]),
    ("leaky_relu", op("leaky_relu"), [[0.0, 1.0, -1.0]], [[0.01, 1, 0.01]]),
    ("softplus", op("softplus"), [[0.0, 30.0, -800.0, 20.0]], [[0.5, 1, 0, 0.9999999979388464]]),
    ("gelu", op("gelu"), [[0.0, 1.0]], [[0.5, 1.0833154705876864]]),
    ("maximum", op("maximum"), [[1.0, 2.0, NAN, 1.0], [1.0, 1.0, 1.0, NAN]], [[0.5, 1, 1, 1], [0.5, 0, 1, 1]]),
    ("minimum", op("minimum"), [[1.0, 2.0, NAN], [1.0, 1.0, 1.0]], [[0.5, 0, 1], [0.5, 1, 1]]),
    ("fmax", op("fmax"), [[1.0, 2.0, NAN, 1.0, NAN], [1.0, 1.0, 1.0, NAN, NAN]], [[1, 1, 0, 1, 1], [0, 0, 1, 0, 0]]),
    ("fmin", op("fmin"), [[1.0, 2.0, NAN, 1.0, NAN], [1.0, 1.0, 1.0, NAN, NAN]], [[1, 0, 0, 1, 1], [0, 1, 1, 0, 0]]),
    ("clamp", op("clamp", 0.0, 1.0), [[0.0, 1.0, 0.5, 2.0, NAN]], [[1, 1, 1, 0, 0]]),
    (
        "clamp tensors",
        op("clamp"),
        [[0.0, 1.0, 0.5, 2.0, 1.0], [0.0, 0.0, 1.0, 0.0, 3.0], [1.0, 1.0, 2.0, 1.0, 2.0]],
        [[1, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 1]],
    ),
    ("clamp_min", op("clamp_min"), [[0.0, 1.0, NAN], [0.0, 2.0, 0.0]], [[1, 0, 0], [0, 1, 0]]),
    ("clamp_max", op("clamp_max"), [[0.0, 1.0], [0.0, 2.0]], [[1, 1], [0, 0]]),
    ("pow 2", op("pow", 2), [[0.0]], [[0]]),
    ("pow 0.5", op("pow", 0.5), [[0.0]], [[INF]]),
    ("pow 0", op("pow", 0), [[0.0]], [[0]]),
    (
        "pow",
        op("pow"),
        [[0.0, 0.0, 0.0, -2.0, 2.0], [0.0, 1.0, -1.0, 2.0, 0.0]],
        [[0, 1, -INF, -4, 0], [0, 0, -INF, NAN, 0.6931471805599453]],
    ),
    ("0 ** x", lambda x: OPS["pow"](0.0, x), [[0.0, 1.0, -1.0]], [[0, 0, -INF]]),
    ("2 ** x", lambda x: OPS["pow"](2.0, x), [[1.0]], [[1.3862943611198906]]),
    ("-2 ** x", lambda x: OPS["pow"](-2.0, x), [[2.0]], [[NAN]]),
    ("remainder", op("remainder"), [[5.0, -5.0], [3.0, 3.0]], [[1, 1], [-1, 2]]),
    ("remainder by 0", op("remainder"), [[5.0], [0.0]], [[1], [-INF]]),
    ("fmod", op("fmod"), [[5.0, -5.0], [3.0, 3.0]], [[1, 1], [-1, 1]]),
    ("div floor", op("div", rounding_mode="floor"), [[5.0], [2.0]], [[0], [0]]),
    ("copysign", op("copysign"), [[0.0, 1.0, -0.0, 2.0], [1.0, -1.0, -1.0, 0.0]], [[0, -1, 0, 1], [0, 0, 0, 0]]),
    ("hypot", op("hypot"), [[0.0, 3.0], [0.0, 4.0]], [[NAN, 0.6], [NAN, 0.8]]),
    ("atan2", op("atan2"), [[0.0, 0.0], [0.0, 1.0]], [[0, 1], [0, 0]]),
    ("xlogy", op("xlogy"), [[0.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, NAN]], [[0, 0, -INF, NAN], [NAN, 0, INF, NAN]]),
    ("logaddexp", op("logaddexp"), [[-INF, INF, 1.0], [-INF, INF, -INF]], [[NAN, NAN, 1], [NAN, NAN, 0]]),
    ("sinc", op("sinc"), [[0.0, 0.5]], [[0, -1.2732395447351625]]),
    ("logit", op("logit"), [[0.0, 0.5, 1.0, -0.1]], [[INF, 4, INF, NAN]]),
    ("logit eps", op("logit", 0.1), [[0.05, 0.1, 0.5, 0.9, 0.95]], [[0, 11.111111111111109, 4, 11.111111111111112, 0]]),
    ("erfinv", op("erfinv"), [[0.0, 1.0]], [[0.8862269254527579, INF]]),
    ("acosh", op("acosh"), [[1.0]], [[INF]]),
    ("angle", op("angle"), [[0.0, -1.0, NAN]], [[0, 0, 0]]),
    ("frac", op("frac"), [[1.0]], [[1]]),
    ("round", op("round"), [[1.5]], [[0]]),
    ("max", op("max"), [[1.0, 1.0, 0.0]], [[0.5, 0.5, 0]]),
    ("amax", op("amax", 0), [[1.0, 1.0, 0.0]], [[0.5, 0.5, 0]]),
    ("max along a dim", op("max", 0), [[1.0, 1.0, 0.0]], [[1, 0, 0]]),
    ("prod, two zeros", op("prod"), [[0.0, 0.0, 2.0]], [[0, 0, 0]]),
    ("prod, one zero", op("prod"), [[0.0, 3.0, 2.0]], [[6, 0, 0]]),
    ("cumprod", op("cumprod", 0), [[1.0, 0.0, 2.0, 0.0, 3.0]], [[1, 3, 0, 0, 0]]),
    ("cummax", op("cummax", 0), [[1.0, 1.0, 0.0, 2.0]], [[1, 2, 0, 1]]),
    ("norm", op("norm"), [[0.0, 0.0]], [[0, 0]]),
    ("norm 1", op("norm", 1), [[0.0, 1.0]], [[0, 1]]),
    ("norm 3", op("norm", 3), [[0.0, 0.0]], [[0, 0]]),
    ("norm 3, one 0", op("norm", 3.0), [[0.0, 2.0]], [[0, 1]]),
    ("norm 1.5", op("norm", 1.5), [[0.0, 1.0]], [[0, 1]]),
    ("norm 0.5", op("norm", 0.5), [[0.0, 1.0]], [[0, 1]]),
    ("norm inf", op("norm", INF), [[1.0, -1.0, 0.0]], [[0.5, -0.5, 0]]),
    ("norm -inf", op("norm", -INF), [[1.0, -1.0, 2.0]], [[0.5, -0.5, 0]]),
    ("norm inf of 0", op("norm", INF), [[0.0, 0.0]], [[0, 0]]),
    ("var of one", op("var"), [[1.0]], [[NAN]]),
    ("var, nothing left", op("var", correction=2), [[1.0, 2.0]], [[INF, INF]]),
    ("var, less than nothing left", op("var", correction=3), [[1.0, 2.0]], [[INF, INF]]),
    ("std, nothing left", op("std", correction=2), [[1.0, 2.0]], [[NAN, NAN]]),
    ("std of equal", op("std"), [[1.0, 1.0]], [[0, 0]]),
    ("std of one", op("std"), [[1.0]], [[NAN]]),
    ("logsumexp of -inf", op("logsumexp", 0), [[-INF, -INF]], [[NAN, NAN]]),
    ("logsumexp of inf", op("logsumexp", 0), [[INF, 1.0]], [[NAN, 0]]),
    ("logsumexp of -inf and 1", op("logsumexp", 0), [[-INF, 1.0]], [[0, 1]]),
    ("nansum", op("nansum"), [[NAN, 1.0]], [[0, 1]]),
    ("dist", op("dist"), [[1.0], [1.0]], [[0], [0]]),
    (
        "scatter, a place twice",
        lambda x, s: x.scatter(0, wc.tensor([0, 0]), s),
        [[1.0, 2.0, 3.0], [4.0, 5.0]],
        [[0, 1, 1], [1, 1]],
    ),
    (
        "index_put, a place twice",
        lambda x, s: x.index_put((wc.tensor([0, 0]),), s),
        [[1.0, 2.0, 3.0], [4.0, 5.0]],
        [[0, 1, 1], [1, 1]],
    ),
]
COMPLEX = [
    ("angle", op("angle"), [0j, 1 + 1j], [0, -0.5 + 0.5j]),
    ("abs", op("abs"), [0j, 3 + 4j], [0, 0.6 + 0.8j]),
    ("real of sgn", lambda z: OPS["real"](z.sgn()), [0j, 3 + 4j], [0, 0.128 - 0.096j]),
    ("real of reciprocal", lambda z: OPS["real"](z.reciprocal()), [1 + 2j], [0.12 - 0.16j]),
    ("norm", op("norm"), [1 + 2j, 0j], [0.4472135954999579 + 0.8944271909999159j, 0]),
    ("real of prod", lambda z: OPS["real"](z.prod()), [1 + 2j, 0j], [0, 1 - 2j]),
    ("var", op("var"), [1 + 2j, 0j], [1 + 2j, -1 - 2j]),
]


def gradients(function, inputs, dtype):
    """The gradients of the sum of the results."""
    tensors = [wc.tensor(x, dtype=dtype, requires_grad=True) for x in inputs]
    result = function(*tensors)
    return [g.numpy() for g in we.grad(result, tensors, wc.ones_like(result.detach()))]


@pytest.mark.filterwarnings("ignore:(var|std).*degrees of freedom is <= 0")
@pytest.mark.parametrize(
    ("function", "inputs", "expected"), [row[1:] for row in RECORDED], ids=[row[0] for row in RECORDED]
)
def test_gradients_are_torchs(function, inputs, expected):
    for got, recorded in zip(gradients(function, inputs, wc.float64), expected, strict=True):
        np.testing.assert_allclose(got, recorded, rtol=1e-12)


@pytest.mark.parametrize(
    ("function", "inputs", "expected"), [row[1:] for row in COMPLEX], ids=[row[0] for row in COMPLEX]
)
def test_gradients_of_complex_inputs_are_torchs(function, inputs, expected):
    np.testing.assert_allclose(gradients(function, [inputs], wc.complex128)[0], np.array(expected, complex), rtol=1e-12)


@pytest.mark.parametrize("name", ["floor_divide", "heaviside"])
def test_what_torch_cannot_differentiate_is_an_error(name):
    x = wc.tensor([1.0], requires_grad=True)
    y = OPS[name](x, wc.tensor([2.0]))
    if y.requires_grad:
        with pytest.raises(RuntimeError, match=f"derivative for .*{name}.* is not implemented"):
            y.sum().backward()
    else:
        with pytest.raises(RuntimeError, match="does not require grad"):
            y.sum().backward()
