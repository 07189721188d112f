"""Strong zeros: what is NaN without them and 0 with them, what they leave alone, in both modes."""

from __future__ import annotations

import itertools
import math
import threading

import numpy as np
import pytest
import wengert as wg
from wengert.autograd import is_strong_zeros_enabled, strong_zeros
from wengert_testing.gradients import Program, reverse
from wengert_testing.samples import CASES

INF, NAN = math.inf, math.nan


@pytest.fixture(autouse=True)
def off_again():
    yield
    strong_zeros(False)


def branch(function):
    """The function where x > 0, and 0 elsewhere."""
    return lambda x: wg.where(x > 0, function(x), 0).sum()


BRANCHES = {
    # a function of one tensor, the tensor, the gradient with strong zeros
    "sqrt": (branch(wg.sqrt), [0.0, 4.0], [0.0, 0.25]),
    "log": (branch(wg.log), [0.0, 4.0], [0.0, 0.25]),
    "log of NaN": (branch(lambda x: wg.log(x / x)), [0.0, 4.0], [0.0, 0.0]),
    "rsqrt": (branch(wg.rsqrt), [0.0, 4.0], [0.0, -1 / 16]),
    "reciprocal": (branch(wg.reciprocal), [0.0, 2.0], [0.0, -0.25]),
    "1 / x": (branch(lambda x: 1 / x), [0.0, 2.0], [0.0, -0.25]),
    "x ** 0.5": (branch(lambda x: x**0.5), [-1.0, 0.0, 4.0], [0.0, 0.0, 0.25]),
    "acos": (branch(lambda x: wg.acos(x)), [-1.0, 0.6], [0.0, -1.25]),
    "xlogy": (branch(lambda x: wg.xlogy(x, x)), [-1.0, 1.0], [0.0, 1.0]),
    "logit": (branch(wg.logit), [-1.0, 0.5], [0.0, 4.0]),
    "log_softmax": (lambda x: wg.where(x > -INF, x.log_softmax(0), 0).sum(), [-INF, 1.0, 1.0], [0.0, 0.0, 0.0]),
    "a norm": (lambda x: (x * x).sum().sqrt(), [0.0, 0.0], [0.0, 0.0]),
    "a norm by a matrix": (lambda x: (x @ x).sqrt(), [0.0, 0.0], [0.0, 0.0]),
    "a norm by powers": (lambda x: (x**2).sum() ** 0.5, [0.0, 0.0], [0.0, 0.0]),
    "norms of rows": (lambda x: (x.reshape(2, 2) ** 2).sum(1).sqrt().sum(), [0.0, 0.0, 3.0, 4.0], [0.0, 0.0, 0.6, 0.8]),
    "hypot": (lambda x: wg.hypot(x[0], x[1]), [0.0, 0.0], [0.0, 0.0]),
    "a masked logarithm": (lambda x: (wg.tensor([0.0, 1.0]).double() * x.log()).sum(), [0.0, 2.0], [0.0, 0.5]),
    "an entropy": (lambda x: (x * x.log()).nansum(), [0.0, 1.0], None),
    "a saturated tanh": (lambda x: (1 - x.tanh()).sqrt().sum(), [400.0], [0.0]),
    "a saturated sigmoid": (lambda x: (1 - x.sigmoid()).sqrt().sum(), [800.0], [0.0]),
    "relu": (lambda x: x.relu().sqrt().sum(), [-1.0, 4.0], [0.0, 0.25]),
    "elu": (lambda x: (wg.nn.functional.elu(x) + 1).sqrt().sum(), [-INF, 3.0], [0.0, 0.25]),
    "a product with zero": (lambda x: (x.sqrt() * 0).sum(), [0.0, 4.0], [0.0, 0.0]),
    "a matrix with infinities": (
        lambda x: wg.where(wg.tensor([True, False]), wg.tensor([[1.0, 2.0], [INF, 3.0]]).double().t() @ x, 0).sum(),
        [1.0, 1.0],
        [1.0, INF],
    ),
    "a clamp": (lambda x: x.clamp(min=0).sqrt().sum(), [-1.0, 4.0], [0.0, 0.25]),
}


@pytest.mark.parametrize("name", BRANCHES)
def test_a_zero_stays_zero_in_both_modes(name):
    function, values, expected = BRANCHES[name]
    x = wg.tensor(values, dtype=wg.float64, requires_grad=True)
    with strong_zeros():
        (found,) = wg.autograd.grad(function(x), x)
        forward = wg.func.jacfwd(function)(x.detach())
        backward = wg.func.grad(function)(x.detach())
    if expected is None:
        assert not wg.isnan(found).any()
    else:
        np.testing.assert_allclose(found.numpy(), expected)
    np.testing.assert_array_equal(backward.numpy(), found.numpy())
    np.testing.assert_allclose(forward.numpy(), found.numpy())


@pytest.mark.parametrize("name", [name for name in BRANCHES if name not in ("a matrix with infinities", "an entropy")])
def test_it_is_nan_without(name):
    function, values, _ = BRANCHES[name]
    x = wg.tensor(values, dtype=wg.float64, requires_grad=True)
    (found,) = wg.autograd.grad(function(x), x)
    assert wg.isnan(found).any() or name in SAFE


SAFE = {"xlogy", "log", "relu", "a clamp", "1 / x", "log_softmax", "hypot"}
"""Those whose formulas have no product of zero and infinity of themselves, or that give NaN in one mode only."""


@pytest.mark.parametrize("name", ["sqrt", "log", "rsqrt", "reciprocal", "1 / x", "x ** 0.5", "relu", "a clamp", "acos"])
def test_to_the_third_order(name):
    """The branch that is not taken gives nothing; the other what it gives alone."""
    function, values, _ = BRANCHES[name]
    alone = [v for v in values if v > 0]
    x = wg.tensor(values, dtype=wg.float64, requires_grad=True)
    y = wg.tensor(alone, dtype=wg.float64, requires_grad=True)
    with strong_zeros():
        one, other = function(x), function(y)
        for _ in range(3):
            (one,) = wg.autograd.grad(one.sum(), x, create_graph=True)
            (other,) = wg.autograd.grad(other.sum(), y, create_graph=True)
            np.testing.assert_allclose(one.detach().numpy()[: -len(alone)], 0)
            np.testing.assert_allclose(one.detach().numpy()[-len(alone) :], other.detach().numpy())


@pytest.mark.parametrize("name", ["sqrt", "log", "rsqrt", "x ** 0.5", "a clamp"])
@pytest.mark.parametrize("outer", ["jacfwd", "jacrev"])
@pytest.mark.parametrize("inner", ["jacfwd", "jacrev"])
def test_modes_inside_of_each_other(name, outer, inner):
    function, values, _ = BRANCHES[name]
    with strong_zeros():
        found = getattr(wg.func, outer)(getattr(wg.func, inner)(function))(wg.tensor(values, dtype=wg.float64))
    assert wg.isfinite(found).all()
    assert found[:-1].abs().sum() == 0
    assert found[-1, -1] != 0


def test_by_vmap():
    x = wg.tensor([[0.0, 4.0], [1.0, 0.0]], dtype=wg.float64)
    with strong_zeros():
        found = wg.vmap(wg.func.grad(branch(wg.sqrt)))(x)
    assert found.tolist() == [[0.0, 0.25], [0.5, 0.0]]


def test_an_infinite_slope_stays():
    x = wg.tensor([0.0], requires_grad=True)
    with strong_zeros():
        assert wg.autograd.grad(x.sqrt().sum(), x)[0].tolist() == [INF]


def strong(a, b):
    """The sum of products by the definition."""
    with np.errstate(invalid="ignore"):
        return np.where((a == 0) | (b == 0), 0, a * b).sum(-1)


VALUES = np.array([0.0, -0.0, 1.0, -2.0, INF, -INF, NAN])


@pytest.mark.parametrize("seed", range(5))
def test_products_of_matrices_by_the_definition(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.choice(VALUES, (4, 5)), rng.choice(VALUES, (5, 3))
    grad = rng.choice(VALUES, (4, 3))
    x, y = (wg.tensor(one, requires_grad=True) for one in (a, b))
    with strong_zeros():
        by_x, by_y = wg.autograd.grad(x @ y, (x, y), wg.tensor(grad))
    np.testing.assert_array_equal(by_x.numpy(), strong(grad[:, None, :], b[None, :, :]))
    np.testing.assert_array_equal(by_y.numpy(), strong(a.T[:, None, :], grad.T[None, :, :]))


def test_convolutions_by_the_definition():
    rng = np.random.default_rng(3)
    image, kernel, grad = rng.choice(VALUES, (1, 1, 6)), rng.choice(VALUES, (1, 1, 3)), rng.choice(VALUES, (1, 1, 4))
    x, w = (wg.tensor(one, requires_grad=True) for one in (image, kernel))
    with strong_zeros():
        by_x, by_w = wg.autograd.grad(wg.nn.functional.conv1d(x, w), (x, w), wg.tensor(grad))
    rows = np.stack([image[0, 0, k : k + 4] for k in range(3)])
    np.testing.assert_array_equal(by_w.numpy()[0, 0], strong(rows, grad[0]))
    spread = np.zeros((6, 4))
    for at, k in itertools.product(range(4), range(3)):
        spread[at + k, at] = kernel[0, 0, k]
    np.testing.assert_array_equal(by_x.numpy()[0, 0], strong(spread, grad[0]))


@pytest.mark.parametrize("op", ["mul", "div"])
def test_products_and_quotients_by_the_definition(op):
    a, b = (wg.tensor(one, requires_grad=True) for one in np.meshgrid(VALUES, VALUES))
    for value in VALUES:
        with strong_zeros():
            by_a, _ = wg.autograd.grad(getattr(wg, op)(a, b), (a, b), wg.full_like(a, value))
        with np.errstate(all="ignore"):
            slope = b.detach().numpy() if op == "mul" else 1 / b.detach().numpy()
        expected = strong(np.full_like(slope, value)[..., None], slope[..., None])
        np.testing.assert_array_equal(by_a.numpy(), expected)


def test_complex_numbers():
    z = wg.tensor([0j, 4 + 0j], requires_grad=True)
    with strong_zeros():
        (found,) = wg.autograd.grad(wg.where(z.real > 0, z.sqrt(), 0).real.sum(), z)
    assert found.tolist() == [0, 0.25]


ROWS = [case for case in CASES if case.grad and case.op != "lobpcg"]  # which begins at random


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", ROWS, ids=str)
def test_finite_gradients_are_the_same_bit_by_bit(case):
    for sample in itertools.islice(case.samples("float64"), 2):
        program = Program(case, sample)
        weights = program.cotangents()
        if not (program.inputs and weights):
            continue
        before = reverse(program, program.inputs, weights)
        with strong_zeros():
            after = reverse(program, program.inputs, weights)
        for one, other in zip(before, after, strict=True):
            if case.op == "polar":  # NumPy's loop of complex products rounds by its strides
                np.testing.assert_allclose(one, other, rtol=1e-15)
            elif not np.isnan(one).any():
                np.testing.assert_array_equal(one, other)


# ---- whom it concerns
def test_values_are_never_changed():
    with strong_zeros():
        assert math.isnan((wg.tensor(0.0) * INF).item())
        x = wg.tensor([0.0], requires_grad=True)
        assert math.isnan((x * INF).item())


def test_hooks_and_checkpoints_compute_as_always():
    seen = []
    x = wg.tensor([0.0, 1.0], requires_grad=True)
    x.register_hook(lambda grad: seen.append((wg.tensor(0.0) * INF).item()))

    def function(x):
        seen.append((wg.tensor(0.0) * INF).item())
        return x.sqrt() * wg.tensor([0.0, 1.0])

    with strong_zeros():
        for reentrant in (False, True):
            x.grad = None
            wg.utils.checkpoint.checkpoint(function, x, use_reentrant=reentrant).sum().backward()
            assert x.grad.tolist() == [0.0, 0.5]
    assert len(seen) == 6
    assert all(math.isnan(one) for one in seen)


def test_unpacking_computes_as_always():
    seen = []

    def unpack(x):
        seen.append((wg.tensor(0.0) * INF).item())
        return x

    x = wg.tensor([0.0], requires_grad=True)
    with wg.autograd.graph.saved_tensors_hooks(lambda x: x, unpack):
        y = (x.sqrt() * 0).sum()
    with strong_zeros():
        y.backward()
    assert x.grad.tolist() == [0.0]
    assert seen
    assert all(math.isnan(one) for one in seen)


class Root(wg.autograd.Function):
    @staticmethod
    def forward(x):
        assert math.isnan((wg.tensor(0.0) * INF).item())
        return x.sqrt()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)
        ctx.save_for_forward(output)

    @staticmethod
    def backward(ctx, grad):
        return grad * (0.5 / ctx.saved_tensors[0])

    @staticmethod
    def jvp(ctx, tangent):
        return tangent * (0.5 / ctx.saved_tensors[0])


def test_the_derivatives_of_a_function_have_them():
    x = wg.tensor([0.0, 4.0], requires_grad=True)
    with strong_zeros():
        assert wg.autograd.grad(Root.apply(x * 1)[1], x)[0].tolist() == [0.0, 0.25]
        with wg.autograd.forward_ad.dual_level():
            dual = wg.autograd.forward_ad.make_dual(x.detach(), wg.tensor([0.0, 1.0]))
            assert wg.autograd.forward_ad.unpack_dual(Root.apply(dual)).tangent.tolist() == [0.0, 0.25]


def test_it_counts_where_the_derivative_is_computed():
    x = wg.tensor([0.0], requires_grad=True)
    with strong_zeros():
        y = (x.sqrt() * 0).sum()
    assert math.isnan(wg.autograd.grad(y, x, retain_graph=True)[0].item())
    with strong_zeros():
        assert wg.autograd.grad(y, x)[0].item() == 0


def test_in_anomaly_mode_and_in_a_profile():
    x = wg.tensor([0.0], requires_grad=True)
    with (strong_zeros(), pytest.warns(UserWarning, match="Anomaly Detection"), wg.autograd.detect_anomaly(),
          wg.autograd.profiler.profile() as profile):
        (x.sqrt() * 0).sum().backward()
    assert x.grad.item() == 0
    assert any(event.name == "aten::mul" for event in profile.function_events)


# ---- the switch
def test_as_context_manager_function_and_decorator():
    assert not is_strong_zeros_enabled()
    with strong_zeros():
        assert is_strong_zeros_enabled()
        with strong_zeros(False):
            assert not is_strong_zeros_enabled()
        assert is_strong_zeros_enabled()
    assert not is_strong_zeros_enabled()
    strong_zeros(True)
    assert is_strong_zeros_enabled()
    strong_zeros(False)
    assert not is_strong_zeros_enabled()
    assert strong_zeros(is_strong_zeros_enabled)()
    assert strong_zeros()(is_strong_zeros_enabled)()
    assert not strong_zeros(False)(is_strong_zeros_enabled)()
    assert not is_strong_zeros_enabled()
    mode = strong_zeros()
    for _ in range(2):
        with mode:
            with mode:
                assert is_strong_zeros_enabled()
            assert is_strong_zeros_enabled()
        assert not is_strong_zeros_enabled()


@pytest.mark.parametrize("mode", [1, None, "on", 0.5])
def test_another_mode_is_refused(mode):
    with pytest.raises(TypeError, match=r"strong_zeros\(\): argument 'mode' \(position 1\) must be bool, not"):
        strong_zeros(mode)
    assert not is_strong_zeros_enabled()


def test_it_is_of_one_thread_and_ends_with_an_error():
    found = []

    def look():
        thread = threading.Thread(target=lambda: found.append(is_strong_zeros_enabled()))
        thread.start()
        thread.join()
        return 1 / 0

    with pytest.raises(ZeroDivisionError):
        strong_zeros(look)()
    assert found == [False]
    assert not is_strong_zeros_enabled()


def test_a_backward_that_fails_leaves_nothing_on():
    x = wg.tensor([0.0], requires_grad=True)
    y = (x.sqrt() * 0).sum()
    y.register_hook(lambda grad: 1 / 0)
    with strong_zeros(), pytest.raises(ZeroDivisionError):
        y.backward()
    assert math.isnan((wg.tensor(0.0) * INF).item())


def test_deep_backward_passes_inside_of_each_other_have_them():
    class Deep(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x, depth):
            ctx.save_for_backward(x)
            ctx.depth = depth
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            if ctx.depth == 0:
                return grad * INF, None
            with wg.enable_grad():
                y = x.detach().requires_grad_()
                Deep.apply(y, ctx.depth - 1).backward(grad)
            return y.grad, None

    x = wg.tensor([1.0, 1.0], requires_grad=True)
    with strong_zeros():
        (Deep.apply(x, 150) * wg.tensor([0.0, 1.0])).sum().backward()
    assert x.grad.tolist() == [0.0, INF]


