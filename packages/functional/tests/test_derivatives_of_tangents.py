"""Derivatives with respect to the tangent of a forward-mode level, through transforms inside of it; as in PyTorch."""

import numpy as np
import pytest
import wengert as wg
from wengert.autograd import forward_ad as fw
from wengert.func import grad, grad_and_value, jacfwd, jacrev, jvp, vjp, vmap

X = wg.tensor([1.0, 2.0])


def cubes(a):
    return (a**3).sum()


def hvp(v):
    return jvp(grad(cubes), (X,), (v,))[1]


def gradient_by_tangent(f):
    """The gradient of the sum of f's derivative at X along a tangent, by that tangent."""
    return grad(lambda v: jvp(f, (X,), (v,))[1].sum())(X)


def by_a_leaf():
    t = X.clone().requires_grad_()
    return wg.autograd.grad(hvp(t).sum(), t)[0]


WITH_RESPECT_TO_TANGENTS = {
    "grad": (lambda: grad(lambda v: hvp(v).sum())(X), [6, 12]),
    "jacrev": (lambda: jacrev(hvp)(X), [[6, 0], [0, 12]]),
    "vjp": (lambda: vjp(hvp, X)[1](X)[0], [6, 24]),
    "functional.jacobian": (lambda: wg.autograd.functional.jacobian(hvp, X), [[6, 0], [0, 12]]),
    "a leaf of the user": (by_a_leaf, [6, 12]),
    "of jacfwd": (lambda: gradient_by_tangent(jacfwd(lambda a: a**3)), [6, 12]),
    "of jacrev": (lambda: gradient_by_tangent(jacrev(lambda a: a**3)), [6, 12]),
    "of jvp": (lambda: gradient_by_tangent(lambda z: jvp(lambda a: a**3, (z,), (X,))[1]), [6, 24]),
    "of vjp": (lambda: gradient_by_tangent(lambda z: vjp(lambda a: a**3, z)[1](z)[0]), [9, 36]),
    "vmap": (lambda: grad(lambda t: vmap(hvp)(wg.stack([t, t])).sum())(X), [12, 24]),
    "vmap of grad": (lambda: vmap(grad(lambda v: hvp(v).sum()))(wg.stack([X, X])), [[6, 12], [6, 12]]),
    "argnums": (lambda: grad(lambda a, t: jvp(grad(cubes), (a,), (t,))[1].sum(), argnums=1)(X, X), [6, 12]),
    "in the function too": (lambda: grad(lambda a: jvp(grad(lambda b: (b**3 * a).sum()), (X,), (a,))[1].sum())(X),
                            [12, 48]),
    "a function of it": (lambda: grad(lambda a: jvp(grad(cubes), (X * 1,), (a * a,))[1].sum())(X), [12, 48]),
    "forward over it": (lambda: jvp(lambda v: grad(lambda w: hvp(w * v).sum())(X), (X,), (X,))[1], [6, 24]),
}


@pytest.mark.parametrize("name", WITH_RESPECT_TO_TANGENTS)
def test_no_gradient_of_a_tangent_is_lost(name):
    make, expected = WITH_RESPECT_TO_TANGENTS[name]
    np.testing.assert_allclose(make().tolist(), expected)


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (grad(cubes), [6, 12]),
        (lambda d: vjp(cubes, d)[1](wg.tensor(1.0))[0], [6, 12]),
        (jacrev(cubes), [6, 12]),
        (lambda d: grad_and_value(cubes)(d)[0], [6, 12]),
        (lambda d: grad(lambda a: (a * d).sum())(X), [1, 1]),
    ],
    ids=["grad", "vjp", "jacrev", "grad_and_value", "a dual of another place"],
)
def test_in_a_level_of_the_user_tangents_have_a_history_and_primals_none(f, expected):
    t = X.clone().requires_grad_()
    with fw.dual_level():
        result = f(fw.make_dual(X, t))
        tangent = fw.unpack_dual(result).tangent
        assert tangent.requires_grad
        assert not result.requires_grad
        np.testing.assert_allclose(wg.autograd.grad(tangent.sum(), t)[0].tolist(), expected)
        plain = f(fw.make_dual(X, X * 2))
        assert not fw.unpack_dual(plain).tangent.requires_grad
        with wg.no_grad():
            assert not fw.unpack_dual(f(fw.make_dual(X, t))).tangent.requires_grad
