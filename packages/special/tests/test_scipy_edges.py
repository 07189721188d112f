"""Derivatives at the edges of domains, at poles, and by the shapes of distributions.

The answers in tables are mpmath's, to 15 digits.
"""

import math

import numpy as np
import pytest
import scipy.special as sp
import wengert as wg
from wengert_core.extend import find_op

INF = math.inf


def slopes(name, *arguments):
    """The derivatives by all arguments that are lists."""
    function = getattr(wg.special, name) if not name.startswith("_") else find_op(name)
    given = [wg.tensor(a, dtype=wg.float64, requires_grad=True) if isinstance(a, list) else a for a in arguments]
    result = function(*given)
    variables = [a for a in given if isinstance(a, wg.Tensor)]
    return [g.tolist() for g in wg.autograd.grad(result.sum(), variables)]


def higher(function, *values, orders):
    """A mixed derivative: ``orders`` are the places of the arguments, in turn."""
    given = [wg.tensor(float(v), dtype=wg.float64, requires_grad=True) for v in values]
    result = function(*given)
    for place in orders:
        (result,) = wg.autograd.grad(result, given[place], create_graph=True)
    return result.item()


BY_SHAPE = [
    (0.001, 0.5, -0.560359400108003, -0.584851239869708), (0.5, 30.0, -5.11899114338986e-14, -2.29445857123274e-13),
    (2.5, 0.0001, -3.10312350918898e-10, 3.19046838614172e-9), (2.5, 20.0, -3.49989064255294e-7, -7.47366205947991e-7),
    (30, 0.5, -8.89909183682752e-42, 3.65172558207353e-41), (1000, 900, -6.24570903584157e-5, 6.58106479589088e-6),
    (1000, 1100, -0.000110489877840794, -1.05316784715746e-5), (1e6, 1e6, -0.000398942313646625, None),
]


@pytest.mark.parametrize(("a", "x", "first", "second"), BY_SHAPE)
def test_incomplete_gamma_functions_have_derivatives_by_the_shape(a, x, first, second):
    wg.special.gamma(wg.ones(1))  # loads the table
    assert higher(find_op("_gammainc"), a, x, orders=[0]) == pytest.approx(first, rel=1e-11)
    assert higher(find_op("_gammaincc"), a, x, orders=[0]) == pytest.approx(-first, rel=1e-11)
    if second is not None:
        assert higher(find_op("_gammainc"), a, x, orders=[0, 0]) == pytest.approx(second, rel=1e-10)


BY_SHAPES = [
    (0.001, 2, 0.1, -1.40142679716153, 0.000546611314753426, 0.545731295148914),
    (2, 0.001, 0.75, -0.000411239410939071, 0.636451161382118, -0.410958868825311),
    (0.5, 0.5, 1e-08, -0.00121176667449768, 8.82542399959444e-5, -0.00157514554879866),
    (2, 3, 0.99, -4.27095366810279e-6, 1.72925256383728e-5, 1.77272702242855e-5),
    (30, 4, 0.5, -4.22125030224726e-7, 1.11844739153827e-6, -6.53795085377394e-7),
    (0.5, 40, 0.25, -7.49215308801043e-6, 5.17614291008666e-7, 2.20203565742147e-6),
    (200, 300, 0.5, -8.28289095989601e-7, 6.76528106097145e-7, 1.51322245658054e-7),
    (2.5, 1.5, 1 - 2**-20, -1.74852836735493e-9, 4.20877881616574e-8, 2.23754002142709e-8),
]


@pytest.mark.parametrize(("a", "b", "x", "by_a", "by_b", "by_both"), BY_SHAPES)
def test_incomplete_beta_functions_have_derivatives_by_the_shapes(a, b, x, by_a, by_b, by_both):
    for function, sign in ((wg.special.betainc, 1), (wg.special.betaincc, -1)):
        assert higher(function, a, b, x, orders=[0]) == pytest.approx(sign * by_a, rel=1e-11)
        assert higher(function, a, b, x, orders=[1]) == pytest.approx(sign * by_b, rel=1e-11)
        assert higher(function, a, b, x, orders=[0, 1]) == pytest.approx(sign * by_both, rel=1e-10)


def test_t_distributions_of_extreme_quantiles_keep_their_digits():
    df, t = 3.0, 1e8  # there 1 - F is c * t ** -3, c = 2 * 3 ** (3/2) / (3 pi)
    (by_df, by_t) = slopes("stdtr", [df], [-t])
    assert by_t[0] == pytest.approx(6 * math.sqrt(3) / math.pi / t**4, rel=1e-12)
    step = 1e-5
    expected = (sp.stdtr(df + step, -t) - sp.stdtr(df - step, -t)) / (2 * step)
    assert by_df[0] == pytest.approx(expected, rel=1e-7)


def test_t_distributions_have_the_slope_zero_by_the_freedom_where_they_are_constant():
    by_df, by_t = slopes("stdtr", [3.0, 3.0, 3.0], [0.0, INF, -INF])
    assert by_df == [0, 0, 0]
    assert by_t[1:] == [0, 0]


ZETA = [(-7, -0.0007286426801592407, -0.009590000947966957), (-2, -0.03044845705839327, -0.0657635161874252),
        (-0.5, -0.3608543395999476, -0.596229176765016), (0, -0.9189385332046727, -2.006356455908585),
        (0.5, -3.922646139209152, -16.00835701392866), (2.5, -0.38734195032621, 0.5819689270420682)]


@pytest.mark.parametrize(("s", "first", "second"), ZETA)
def test_zeta_has_its_derivatives_on_the_whole_line(s, first, second):
    assert higher(wg.special.zetac, s, orders=[0]) == pytest.approx(first, rel=1e-12)
    assert higher(wg.special.zetac, s, orders=[0, 0]) == pytest.approx(second, rel=1e-12)


def test_reciprocal_gamma_has_derivatives_at_the_poles_of_gamma():
    (got,) = slopes("rgamma", [0.0, -1.0, -2.0, -3.0])
    np.testing.assert_allclose(got, [1, -1, 2, -6], rtol=1e-14)
    assert higher(wg.special.rgamma, 0, orders=[0, 0]) == pytest.approx(2 * np.euler_gamma)


def test_binomial_coefficients_have_derivatives_where_they_are_zero():
    by_n, by_k = slopes("binom", [3.0, 4.0], [5.0, 4.0])
    step = 1e-6
    for got, moves in ((by_n, (step, 0)), (by_k, (0, step))):
        n, k = np.array([3, 4]), np.array([5, 4])
        up, down = (sp.binom(n + sign * moves[0], k + sign * moves[1]) for sign in (1, -1))
        np.testing.assert_allclose(got, (up - down) / (2 * step), rtol=1e-7)


def test_rising_factorials_of_integers_are_polynomials():
    # poch(z, 2) = z (z + 1), poch(z, 3) = z (z + 1) (z + 2)
    (by_z,) = slopes("poch", [-3.0, -1.0, 0.0, 2.0], 2)
    np.testing.assert_allclose(by_z, [-5, -1, 1, 5], rtol=1e-13)
    (by_z,) = slopes("poch", [-2.0, -5.0], 3)
    np.testing.assert_allclose(by_z, [2, 47], rtol=1e-13)


@pytest.mark.parametrize(("name", "lists", "expected"), [
    ("exprel", [[0.0, -800.0]], [[0.5, 1 / 800**2]]), ("boxcox", [[2.0], [0.0]], [[0.5], [math.log(2) ** 2 / 2]]),
    ("boxcox", [[0.0], [2.0]], [[0.0], [0.25]]),
    ("inv_boxcox", [[0.5], [0.0]], [[math.exp(0.5)], [-math.exp(0.5) / 8]]),
    ("pseudo_huber", [[0.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]),
    ("kl_div", [[0.0], [1.0]], [[-INF], [1.0]]), ("cbrt", [[0.0]], [[INF]]), ("spence", [[1.0, 0.0]], [[-1.0, -INF]]),
    ("betainc", [[1.0, 2.0], [3.0, 1.0], [0.0, 1.0]], [[0, 0], [0, 0], [3, 2]]),
    ("chdtr", [[2.0], [0.0]], [[0.0], [0.5]]), ("fdtr", [[2.0], [5.0], [0.0]], [[0.0], [0.0], [1.0]]),
    ("ellipk", [[0.0]], [[math.pi / 8]]), ("ellipe", [[0.0, 1.0]], [[-math.pi / 8, -INF]]),
    ("ellipeinc", [[3.0], [0.0]], [[1.0], [math.sin(6) / 8 - 0.75]]),
    ("log_expit", [[-800.0, 800.0]], [[1.0, 0.0]]), ("struve", [0, [0.0]], [[2 / math.pi]]),
    ("jv", [1, [0.0]], [[0.5]]), ("iv", [0, [0.0]], [[0.0]]), ("ive", [0, [INF]], [[0.0]]),
    ("eval_legendre", [0, [1.0]], [[0.0]]),
    ("eval_legendre", [3, [1.0, -1.0]], [[6, 6]]), ("bdtr", [2.0, 5, [0.0, 1.0]], [[0.0, 0.0]]),
    ("expn", [0, [1.0]], [[-2 * math.exp(-1)]]), ("elliprc", [[1.0], [1.0]], [[-1 / 6], [-1 / 3]]),
])
def test_slopes_at_the_edges_are_the_limits(name, lists, expected):
    for got, wanted in zip(slopes(name, *lists), expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-300)


def test_distribution_functions_of_a_count_that_is_rounded_down_have_the_slope_zero_by_it():
    assert slopes("bdtr", [1.5], 4, 0.3) == [[0.0]]
    assert slopes("pdtr", [1.5], 0.3) == [[0.0]]


@pytest.mark.parametrize(("call", "what"), [
    (lambda x: wg.special.jv(x, 1.0), "jv: v"), (lambda x: wg.special.hankel2(x, 1.0), "hankel2: v"),
    (lambda x: wg.special.hyp1f1(1.0, x, 0.5), "hyp1f1: b"), (lambda x: wg.special.bdtr(1.0, x, 0.5), "bdtr: n"),
    (lambda x: wg.special.eval_jacobi(2, x, 1.0, 0.5), "eval_jacobi: alpha"),
    (lambda x: wg.special.expn(x, 1.0), "expn: n"),
])
def test_a_derivative_that_is_missing_names_function_and_argument(call, what):
    x = wg.tensor([2.0], requires_grad=True)
    with pytest.raises(NotImplementedError, match=f"the derivative for '{what}' is not implemented"):
        call(x).abs().sum().backward()


def test_hankel_functions_of_real_numbers_are_complex_with_real_gradients():
    x = wg.tensor([0.5, 2.0], dtype=wg.float64, requires_grad=True)
    y = wg.special.hankel1(0, x)
    np.testing.assert_allclose(y.detach().numpy(), sp.hankel1(0, x.detach().numpy()))
    y.imag.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), -sp.y1(x.detach().numpy()))


def test_single_precision_is_kept_and_promotes_with_numbers():
    x = wg.tensor([0.25, 0.5])
    assert wg.special.betainc(2.0, 3, x).dtype is wg.float32
    assert wg.special.hankel1(0, x).dtype is wg.complex64
    x.requires_grad_()
    wg.special.betainc(x * 4, 3, 0.5).sum().backward()
    assert x.grad.dtype is wg.float32


def test_polynomials_of_integer_degrees_follow_the_recurrence_at_high_degrees():
    x = np.linspace(-1, 1, 9)
    got = wg.special.eval_legendre(wg.tensor([60.0], dtype=wg.float64), wg.tensor(x)).numpy()
    np.testing.assert_allclose(got, sp.eval_legendre(60, x), rtol=1e-13, atol=1e-14)


def test_large_arrays_are_integrated_in_blocks():
    a = wg.linspace(0.5, 5, 10_001, dtype=wg.float64, requires_grad=True)
    wg.special.betainc(a, 2.0, 0.5).sum().backward()
    assert a.grad.shape == a.shape
    alone = higher(lambda a: wg.special.betainc(a, 2.0, 0.5), a.detach()[7000], orders=[0])
    assert a.grad[7000].item() == pytest.approx(alone, rel=1e-14)
