"""What the functions do at the ends of their domains, where SciPy and PyTorch are to be brought together."""

import numpy as np
import pytest
import scipy.special as sp
import wengert as wg
from wengert_core.extend import find_op

INF, NAN = float("inf"), float("nan")


def values(x):
    return x.detach().cpu().numpy()


def test_trigamma_is_infinite_at_its_poles():
    assert values(wg.polygamma(1, wg.tensor([0.0, -1.0, -7.0]))).tolist() == [INF] * 3
    assert values(wg.polygamma(2, wg.tensor([0.0, -1.0]))).tolist() == [-INF] * 2


def test_trigamma_near_its_poles_and_far_from_zero():
    x = np.array([-3 + 1e-9, -0.5, -20.25, 0.49, 0.51, 1e-8, 1e8])
    part = np.where(x < 0.5, x - np.round(x), 0.5)
    exact = np.where(x < 0.5, (np.pi / np.sin(np.pi * part)) ** 2 - sp.zeta(2, 1 - x), sp.zeta(2, abs(x)))
    np.testing.assert_allclose(values(wg.polygamma(1, wg.tensor(x))), exact, rtol=1e-13)


@pytest.mark.parametrize("order", range(1, 5))
def test_derivatives_of_bessel_functions_at_zero(order):
    # I1 = x/2 + x**3/16 + ..., J1 = x/2 - x**3/16 + ...: all derivatives at 0 are known
    expected = {"i1": [0.5, 0.0, 0.375, 0.0], "bessel_j1": [0.5, 0.0, -0.375, 0.0],
                "bessel_j0": [0.0, -0.5, 0.0, 0.375], "spherical_bessel_j0": [0.0, -1 / 3, 0.0, 0.2]}
    for name, derivatives in expected.items():
        x = wg.zeros((), dtype=wg.float64, requires_grad=True)
        y = getattr(wg.special, name)(x)
        for _ in range(order):
            (y,) = wg.autograd.grad(y, x, create_graph=True)
        assert y.item() == pytest.approx(derivatives[order - 1], abs=1e-14), name


def test_hyp0f1_of_one_is_a_bessel_function_for_large_numbers():
    z = wg.tensor([2.0, 99000.0, 100100.0, 2e5, 2.0**31, INF, NAN], dtype=wg.float64)
    expected = sp.iv(0, 2 * np.sqrt(values(z)))
    np.testing.assert_allclose(values(wg.special.hyp0f1(1.0, z)), expected, rtol=1e-12)
    complex_z = wg.tensor([2e5 + 0j, 100100 + 3j], dtype=wg.complex128)
    np.testing.assert_allclose(values(wg.special.hyp0f1(1.0, complex_z)), sp.iv(0, 2 * np.sqrt(values(complex_z))))


def test_scaled_functions_do_not_overflow():
    x = wg.tensor([-800.0, 800.0], dtype=wg.float64, requires_grad=True)
    y = wg.special.i0e(x) + wg.special.i1e(x)
    y.sum().backward()
    assert np.isfinite(values(y)).all()
    assert np.isfinite(x.grad.cpu().numpy()).all()


def test_slopes_of_scaled_functions_at_infinity_are_zero():
    x = wg.tensor([-INF, INF], dtype=wg.float64, requires_grad=True)
    (wg.special.i0e(x) + wg.special.i1e(x)).sum().backward()
    assert x.grad.tolist() == [0, 0]


def test_half_precision_is_computed_in_float32_and_rounded_once():
    x = wg.tensor([0.3, 1.7, 2.9])
    for dtype in (wg.float16, wg.bfloat16):
        rounded = x.to(dtype)
        assert wg.i0(rounded).equal(wg.i0(rounded.float()).to(dtype))
        assert wg.polygamma(2, rounded).equal(wg.polygamma(2, rounded.float()).to(dtype))


def test_incomplete_gamma_functions_add_up_to_one():
    a, x = wg.tensor([[0.1], [1.0], [30.0]], dtype=wg.float64), wg.tensor([0.0, 0.2, 5.0, 40.0], dtype=wg.float64)
    np.testing.assert_allclose(values(wg.igamma(a, x) + wg.igammac(a, x)), 1, rtol=1e-15)


@pytest.mark.parametrize(("call", "message"), [
    (lambda x: wg.igamma(x, x.detach()), "the derivative for 'igamma: input' is not implemented"),
    (lambda x: wg.igammac(x, x.detach()), "the derivative for 'igammac: input' is not implemented"),
    (lambda x: wg.special.zeta(x, 2.0), "the derivative for 'zeta' is not implemented"),
])
def test_a_derivative_that_is_missing_says_so(call, message):
    x = wg.tensor([1.5], requires_grad=True)
    with pytest.raises(NotImplementedError, match=message):
        call(x).sum().backward()


def test_the_other_input_has_its_derivative_all_the_same():
    q = wg.tensor([1.5], dtype=wg.float64, requires_grad=True)
    wg.special.zeta(2.0, q).backward()
    assert q.grad.item() == pytest.approx(-2 * sp.zeta(3, 1.5))


def test_polynomials_broadcast_and_promote():
    y = wg.special.legendre_polynomial_p(wg.tensor([[0.5], [2.0]]), wg.tensor([0, 1, 2]))
    assert y.dtype is wg.float32
    np.testing.assert_allclose(values(y), [[1, 0.5, -0.125], [1, 2, 5.5]])
    assert wg.special.chebyshev_polynomial_t(wg.tensor([2]), 3).tolist() == [26.0]


@pytest.mark.parametrize("order", [171, 2**40, 2**62 + 1])
def test_polygamma_of_a_high_order_is_infinite_or_nan(order):
    # recorded of PyTorch: 171! is infinite, and infinite times a zeta that has become 0 is NaN
    x = values(wg.polygamma(order, wg.tensor([0.5, 1.0, 100.0], dtype=wg.float64)))
    assert np.isinf(x[:2]).all()
    assert np.isnan(x[2])
    assert (x[0] > 0) == (order % 2 == 1)


@pytest.mark.parametrize("degree", [2**24 + 1, 2**31 - 1, 2**31, 2**40])
def test_chebyshev_polynomials_of_a_high_degree_follow_their_definition(degree):
    x = np.array([1.0, -1.0, 0.5, -0.3, 2.0, -2.0])
    sign = np.where(x < 0, (-1.0) ** degree, 1.0)
    t = values(wg.special.chebyshev_polynomial_t(wg.tensor(x), degree))
    np.testing.assert_allclose(t[:4], (sign * np.cos(degree * np.arccos(abs(np.clip(x, -1, 1)))))[:4], rtol=1e-12)
    u = values(wg.special.chebyshev_polynomial_u(wg.tensor(x), degree))
    assert u[:2].tolist() == [degree + 1, sign[1] * (degree + 1)]
    assert t[4:].tolist() == u[4:].tolist() == [INF, sign[5] * INF]


def test_the_closed_form_of_chebyshev_polynomials_agrees_with_the_recurrence():
    from wengert_special.polynomials import cosine_form, sine_form

    x, n = np.linspace(-1.1, 1.1, 23), np.arange(1, 40)[:, None]
    np.testing.assert_allclose(cosine_form(np, n, x), sp.eval_chebyt(n, x), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(sine_form(np, n, x), sp.eval_chebyu(n, x), rtol=1e-10, atol=1e-11)


def test_hermite_polynomials_of_a_high_degree_are_nan():
    for name in ("hermite_polynomial_h", "hermite_polynomial_he"):
        assert np.isnan(values(getattr(wg.special, name)(wg.tensor([0.0, 0.5, 2.0]), 2**40))).all()


def test_polynomials_that_only_a_recurrence_gives_refuse_a_high_degree():
    for name in ("legendre_polynomial_p", "laguerre_polynomial_l"):
        with pytest.raises(RuntimeError, match="polynomial of degree 1099511627776 would take as many steps"):
            getattr(wg.special, name)(wg.tensor([0.5]), 2**40)
        assert getattr(wg.special, name)(wg.tensor([0.5]), wg.tensor([3, 2**20])).shape == (2,)


@pytest.mark.parametrize("n", [1, 5000])
def test_trigamma_agrees_with_the_zeta_function(n):
    x = np.concatenate([np.random.default_rng(0).uniform(0.5, 60, n), [0.5, 1e-8, 1e8, 1e200, INF]])
    np.testing.assert_allclose(values(wg.polygamma(1, wg.tensor(x))), sp.zeta(2, x), rtol=2e-15)
    assert np.isnan(values(wg.polygamma(1, wg.tensor([NAN])))).all()


def test_bessel_functions_of_order_two_agree_with_those_of_any_order():
    x = np.concatenate([np.random.default_rng(1).uniform(-40, 40, 5000), [0.0, 1e-9, 2.0, -2.0, 1.999]])
    find = find_op("_bessel")
    for kind, exact in (("i", sp.iv), ("j", sp.jv), ("ie", sp.ive)):
        np.testing.assert_allclose(values(find(wg.tensor(x), kind, 2)), exact(2, x), rtol=1e-13, atol=1e-15)
    for kind, exact in (("y", sp.yv), ("k", sp.kv), ("ke", sp.kve)):
        np.testing.assert_allclose(values(find(wg.tensor(abs(x)), kind, 2)), exact(2, abs(x)), rtol=1e-13, atol=1e-14)
    assert values(find(wg.tensor([INF, 800.0]), "k", 2)).tolist() == [0, 0]
    assert values(find(wg.tensor([0.0]), "y", 2)).tolist() == [-INF]
    assert values(find(wg.tensor([-800.0, 800.0]), "i", 2)).tolist() == [INF, INF]


def test_the_spherical_bessel_function_at_its_ends():
    x = wg.tensor([0.0, -0.0, INF, -INF, NAN, 1e-30, 2.0], dtype=wg.float64)
    np.testing.assert_array_equal(values(wg.special.spherical_bessel_j0(x))[:6], [1, 1, 0, 0, NAN, 1])


@pytest.mark.parametrize("degree", [0, 1, 2, 5, 16, 17])
def test_polynomials_of_one_degree_agree_with_those_of_a_tensor_of_degrees(degree):
    x = wg.tensor(np.random.default_rng(2).uniform(-1.5, 1.5, (3, 2000)))
    for name in ("chebyshev_polynomial_t", "chebyshev_polynomial_u", "hermite_polynomial_h", "hermite_polynomial_he",
                 "laguerre_polynomial_l", "legendre_polynomial_p"):
        compute = getattr(wg.special, name)
        each = values(compute(x, wg.full((2000,), degree)))
        np.testing.assert_allclose(values(compute(x, degree)), each, atol=1e-13 * abs(each).max())
