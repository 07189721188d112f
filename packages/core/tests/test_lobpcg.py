"""lobpcg: some eigenpairs of large symmetric matrices, and their derivatives."""

from __future__ import annotations

import numpy as np
import pytest
import wengert as wg

pytestmark = pytest.mark.native("thousands of calls of ops that have tests of their own")
RANDOM = np.random.default_rng(0)


def symmetric(n=12, *batch):
    x = RANDOM.standard_normal((*batch, n, n))
    return wg.tensor(x @ x.swapaxes(-1, -2) + np.diag(np.arange(float(n))))


@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize("largest", [True, False, None])
def test_values_are_those_of_eigh(k, largest):
    a = symmetric()
    values, x = wg.lobpcg(a, k, largest=largest, tol=1e-10)
    expected = wg.linalg.eigvalsh(a)
    expected = expected[:k] if largest is False else expected.flip(0)[:k]
    np.testing.assert_allclose(values.numpy(), expected.numpy(), rtol=1e-8)
    np.testing.assert_allclose((a @ x).numpy(), (x * values).numpy(), atol=1e-6)
    np.testing.assert_allclose((x.mT @ x).numpy(), np.eye(k), atol=1e-10)


def test_generalized_values():
    a, b = symmetric(), symmetric()
    values, x = wg.lobpcg(a, 3, B=b, tol=1e-11, niter=-1)
    low = wg.linalg.cholesky(b)
    inner = wg.linalg.solve(low, wg.linalg.solve(low, a).mT)
    np.testing.assert_allclose(values.numpy(), np.linalg.eigvalsh(inner.numpy())[::-1][:3], rtol=1e-8)
    np.testing.assert_allclose((x.mT @ b @ x).numpy(), np.eye(3), atol=1e-9)
    np.testing.assert_allclose((a @ x).numpy(), (b @ x * values).numpy(), atol=1e-5)


def test_a_preconditioner_saves_steps():
    n = 300
    a = wg.diag(wg.arange(1.0, n + 1, dtype=wg.float64) ** 2) + 0.1
    start = wg.tensor(RANDOM.standard_normal((n, 2)))
    steps = []
    for inverse in (None, wg.diag(1 / a.diagonal())):
        count = [0]
        values, _ = wg.lobpcg(a, 2, X=start, iK=inverse, largest=False, tol=1e-11,
                              tracker=lambda run, count=count: count.__setitem__(0, run.ivars["istep"]))  # fmt: skip
        np.testing.assert_allclose(values.numpy(), np.linalg.eigvalsh(a.numpy())[:2], rtol=1e-6)
        steps.append(count[0])
    assert steps[1] < steps[0] / 3


def test_batches():
    a = symmetric(9, 2, 3)
    values, x = wg.lobpcg(a, 2, tol=1e-10)
    assert (values.shape, x.shape) == ((2, 3, 2), (2, 3, 9, 2))
    np.testing.assert_allclose(values.numpy(), np.linalg.eigvalsh(a.numpy())[..., ::-1][..., :2], rtol=1e-8)
    assert wg.lobpcg(wg.ones(0, 9, 9), 2)[1].shape == (0, 9, 2)


def test_float32_and_more_vectors_than_pairs():
    a = symmetric().float()
    values, x = wg.lobpcg(a, 2, n=4)
    assert (values.dtype, x.shape) == (wg.float32, (12, 2))
    np.testing.assert_allclose(values.numpy(), np.linalg.eigvalsh(a.numpy())[::-1][:2], rtol=1e-4)


def test_a_tracker_sees_each_step():
    seen = []

    def track(run):
        seen.append((run.ivars["istep"], run.E.shape, run.iparams))

    wg.lobpcg(symmetric(), 2, niter=3, tol=0, tracker=track, ortho_iparams={"i_max": 2})
    assert [step for step, _, _ in seen] == [0, 1, 2, 3]
    assert seen[0][1] == (2,)
    assert seen[0][2] == {"m": 12, "n": 2, "k": 2, "niter": 3, "ortho_i_max": 2}


def test_it_ends_where_nothing_gets_better():
    values, _ = wg.lobpcg(symmetric(), 2, tol=0, niter=-1)
    assert values.isfinite().all()
    assert wg.lobpcg(wg.zeros(4, 4))[0].tolist() == [0.0]
    assert wg.lobpcg(wg.eye(3))[0].tolist() == pytest.approx([1.0])


@pytest.mark.parametrize("what", ["values", "vectors"])
@pytest.mark.parametrize("second", [False, True])
def test_derivatives(what, second):
    a = symmetric(8).requires_grad_()
    start = wg.tensor(RANDOM.standard_normal((8, 2)))

    def pairs(a):
        values, x = wg.lobpcg(a + a.mT, 2, X=start, tol=1e-13, niter=-1)
        return values if what == "values" else (x * x[:1].sign())

    check = wg.autograd.gradgradcheck if second else wg.autograd.gradcheck
    assert check(pairs, (a,), **({} if second else {"check_forward_ad": True, "check_batched_grad": True}))


@pytest.mark.parametrize("what", ["values", "vectors"])
def test_derivatives_of_generalized_pairs(what):
    a, b = symmetric(8).requires_grad_(), symmetric(8).requires_grad_()
    start = wg.tensor(RANDOM.standard_normal((8, 2)))

    def pairs(a, b):
        values, x = wg.lobpcg(a + a.mT, 2, B=b + b.mT, X=start, tol=1e-13, niter=-1)
        return values if what == "values" else (x * x[:1].sign())

    assert wg.autograd.gradcheck(pairs, (a, b), check_forward_ad=True)
    assert wg.autograd.gradgradcheck(pairs, (a, b))


def test_gradients_of_a_batch():
    a = symmetric(6, 2).requires_grad_()
    start = wg.tensor(RANDOM.standard_normal((2, 6, 2)))
    assert wg.autograd.gradcheck(lambda a: wg.lobpcg(a + a.mT, 2, X=start, tol=1e-13, niter=-1)[0], (a,))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda a: wg.lobpcg(a, 5), ValueError, "LOBPCG algorithm is not applicable when the number of A rows"),
        (lambda a: wg.lobpcg(a[:, :3]), AssertionError, "A must be square, got shape"),
        (lambda a: wg.lobpcg(a, B=a[:3, :3]), AssertionError, "A and B must have same shape, got"),
        (lambda a: wg.lobpcg(a, X=wg.ones(11, 1).double()), AssertionError, "X shape mismatch: got"),
        (lambda a: wg.lobpcg(a, X=wg.ones(12, 1)), RuntimeError, "to have the same dtype, but got"),
        (lambda a: wg.lobpcg(a.long()), RuntimeError, "expected A to be float or double, but got Long"),
        (lambda a: wg.lobpcg(a[0]), IndexError, "at least 2 dimensions"),
        (lambda a: wg.lobpcg(3), TypeError, "argument 'A' (position 1) must be Tensor, not int"),
        (lambda a: wg.lobpcg(a, 0), ValueError, "at least one eigenpair"),
        (lambda a: wg.lobpcg(a, method="x"), ValueError, "'basic' or 'ortho'"),
        (lambda a: wg.lobpcg(a, B=-wg.eye(12).double()), wg.linalg.LinAlgError, "not positive-definite"),
        (lambda a: wg.lobpcg(a * float("nan")), wg.linalg.LinAlgError, "failed to converge"),
        (lambda a: wg.lobpcg(a, X=wg.zeros(12, 1).double()), wg.linalg.LinAlgError, "linearly independent"),
    ],
)
def test_bad_calls(call, error, text):
    with pytest.raises(error) as caught:
        call(symmetric())
    assert text in str(caught.value)


def test_fewer_starting_vectors_than_pairs_are_told():
    with pytest.warns(UserWarning, match="X has 1 columns"):
        assert wg.lobpcg(symmetric(), 2, X=wg.ones(12, 1).double())[0].shape == (1,)
