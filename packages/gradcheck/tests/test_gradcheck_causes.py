"""What the error says about the usual mistakes in a backward."""

import pytest
import wengert as wg
from gradcheck_helpers import complexes, error, op, real


def drop_one(grad, a):
    """One element too few gets its gradient."""
    grad = grad * 2 * a
    grad[0, 0] = 0
    return grad


def one_wrong(grad, a):
    grad = grad * 2 * a
    grad[0] = grad[0] * 3
    return grad


MISTAKES = [
    (op(lambda a: a * a, lambda g, a: g * a), (3, 2), "factor 0.5:"),
    (op(lambda a: a * a, lambda g, a: g * 4 * a), (3, 2), "factor 2:"),
    (op(lambda a: a * a, lambda g, a: g * 7 * a), (3, 2), "factor 3.5:"),
    (op(lambda a: a.cos(), lambda g, a: g * a.sin()), (3, 2), "the sign"),
    (op(lambda a: a * a, lambda g, a: None), (3, 2), "the analytical gradient is zero"),
    (op(lambda a: a.round(), lambda g, a: g), (3, 2), "the function does not change with this input"),
    (op(lambda a: a.t() * 1, lambda g, a: g), (3, 3), "transposed"),
    (op(lambda a: (a * a).t(), lambda g, a: 2 * a * g), (3, 3), "transposed: the grad_output"),
    (op(lambda a: a * a, lambda g, a: (2 * a * g).roll(1)), (5,), "the right numbers at the wrong places"),
    (op(lambda a: a.flip(0), lambda g, a: g), (4,), "the right numbers at the wrong places"),
    (op(lambda a: a * a, drop_one), (3, 2), "contributions are missing"),
    (op(lambda a: a * a, one_wrong), (9,), "only 1 of 9 input elements are wrong"),
    (lambda a: a / 0, (2,), "nan or inf in the numerical"),
    (lambda a: wg.nn.functional.dropout(a), (5, 5), "the function jumps when an input moves"),
]


@pytest.mark.parametrize(("func", "shape", "cause"), MISTAKES, ids=[cause for _, _, cause in MISTAKES])
def test_cause(func, shape, cause):
    found = error(func, real(*shape))
    assert found.causes[0].startswith(cause)
    assert f"Usual cause: {cause}" in str(found)


def test_transposed_factor_of_a_product():
    found = error(op(lambda a, b: a @ b, lambda g, a, b: (g @ b, a.T @ g)), real(2, 2), real(2, 2))
    assert found.causes[0].startswith("transposed")
    assert "(A where A.T is due" in found.causes[0]
    assert (found.output, found.input) == (0, 0)


def test_exchanged_dims_of_the_gradient():
    weight = real(2, 3, 3).detach()
    found = error(op(lambda a: a * weight, lambda g, a: (g * weight).transpose(1, 2)), real(2, 3, 3))
    assert found.causes[0] == "transposed: the gradient has its dims 1 and 2 exchanged"


@pytest.mark.parametrize("func", [
    op(lambda a: a * a, lambda g, a: g * 2 * a),
    op(lambda a: a.exp(), lambda g, a: g * a.exp()),
    op(lambda a: a * (1 + 2j), lambda g, a: g * (1 + 2j)),
    op(lambda a: (a * a.conj()).real, lambda g, a: g * 2 * a.conj()),
])
@pytest.mark.parametrize("fast", [False, True])
def test_missing_conj(func, fast):
    assert error(func, complexes(3), fast_mode=fast).causes[0].startswith("missing conj()")


def test_a_factor_1j():
    found = error(op(lambda a: a.real * 1, lambda g, a: 1j * g), complexes(2))
    assert found.causes[0].startswith("factor 0+1j: a factor 1j is wrong")


def test_few_digits():
    with pytest.warns(UserWarning, match="not a double precision"):
        found = error(wg.exp, wg.linspace(1, 2, 9).requires_grad_())
    assert found.causes[0].startswith("few digits")


def test_two_calls_that_differ_are_told():
    found = error(lambda a: wg.nn.functional.dropout(a), real(5, 5))
    assert found.causes[-1].startswith("non-determinism: two calls")


def test_inputs_that_share_memory_are_told():
    a = real(3).detach()
    x, y = a.view(3).requires_grad_(), a.view(3).requires_grad_()
    told = "arguments 0 and 1 of func share memory: a step by one may move the other"
    assert [one for one in error(wg.mul, x, y).causes if "share memory" in one] == [told]
    assert told in error(wg.mul, a, x).causes
    assert told in error(wg.mul, x, x.detach()).causes
    assert not any("share memory" in one for one in error(op(wg.mul, lambda g, a, b: (g, g)), x, real(3)).causes)
