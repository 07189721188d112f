"""Functions that are composed of operations: against plain loops, and their derivatives of both orders."""

import itertools
import math

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert.autograd import gradcheck, gradgradcheck
from wengert.nn import functional as F

no_clock = settings(deadline=None, max_examples=25)


def values(*shape):
    """Numbers in float64, no two of which are the same and none of which is 0."""
    count = math.prod(shape)
    return (wg.arange(1.0, count + 1, dtype=wg.float64) * 0.71).sin().reshape(shape)


def starts(sample, size, kernel, count):
    """The first indices of the windows of a fractional pooling: Graham's pseudorandom sequence, element by element."""
    step = (size - kernel) / (count - 1) if count > 1 else 0.0
    inner = [int((number + sample) * step) - int(sample * step) for number in range(count - 1)]
    return [*inner, size - kernel]


@no_clock
@given(st.data())
@pytest.mark.parametrize("ndim", [2, 3])
def test_fractional_pooling_against_loops(ndim, data):
    kernel = [data.draw(st.integers(1, 3)) for _ in range(ndim)]
    count = [data.draw(st.integers(1, 3)) for _ in range(ndim)]
    size = [k + c + data.draw(st.integers(0, 3)) for k, c in zip(kernel, count, strict=True)]
    samples = [data.draw(st.floats(0, 0.999)) for _ in range(ndim)]
    x = values(1, 1, *size)
    pool = F.fractional_max_pool2d if ndim == 2 else F.fractional_max_pool3d
    got, places = pool(
        x, kernel, count, return_indices=True, _random_samples=wg.tensor([[samples]], dtype=wg.float64)
    )
    order = samples[::-1] if ndim == 2 else samples  # width and height, but depth, height, width
    begins = [starts(*one) for one in zip(order, size, kernel, count, strict=True)]
    for window in itertools.product(*map(range, count)):
        part = tuple(slice(begins[d][i], begins[d][i] + kernel[d]) for d, i in enumerate(window))
        assert got[0, 0][window] == x[0, 0][part].max()
    assert wg.equal(x.flatten()[places.flatten()], got.flatten())


@no_clock
@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.sampled_from([1, 2, 2.5, 3]))
def test_norm_of_windows_against_unfolded_ones(kernel, stride, extra, norm):
    x = values(2, 3, kernel + extra).abs()
    windows = x.unfold(2, kernel, stride)
    expected = windows.pow(norm).sum(-1).pow(1 / norm)
    assert wg.allclose(F.lp_pool1d(x, norm, kernel, stride), expected)


@no_clock
@given(st.integers(1, 3), st.lists(st.integers(2, 5), min_size=1, max_size=3))
def test_unpooling_is_undone_by_pooling(channels, size):
    n = len(size)
    x = values(2, channels, *(2 * length for length in size)) + 2
    pool, unpool = getattr(F, f"max_pool{n}d"), getattr(F, f"max_unpool{n}d")
    largest, places = pool(x, 2, return_indices=True)
    back = unpool(largest, places, 2)
    assert wg.equal(pool(back, 2), largest)
    assert wg.equal(back[back != 0].sort().values, largest.flatten().sort().values)


@no_clock
@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3))
def test_shuffling_by_the_other_number_of_groups_undoes_it(groups, channels, size):
    x = values(2, groups * channels, size)
    assert wg.equal(F.channel_shuffle(F.channel_shuffle(x, groups), channels), x)


@no_clock
@given(st.integers(1, 6), st.integers(1, 5), st.integers(1, 2))
def test_local_response_against_loops(channels, size, extra_dims):
    x = values(2, channels, *[3] * extra_dims)
    expected = x.clone()
    for channel in range(channels):
        first, last = max(0, channel - size // 2), min(channels, channel + (size - 1) // 2 + 1)
        mean = x[:, first:last].square().sum(1) / size
        expected[:, channel] /= (2.0 + 0.5 * mean) ** 0.75
    assert wg.allclose(F.local_response_norm(x, size, alpha=0.5, beta=0.75, k=2.0), expected)


def positions_of(x):
    return F.max_pool2d(x.detach(), 2, return_indices=True)[1]


FUNCTIONS = {
    "lp_pool1d": (lambda x: F.lp_pool1d(x.abs(), 2, 2), (2, 3, 6)),
    "lp_pool2d": (lambda x: F.lp_pool2d(x.abs(), 3, 2), (1, 2, 4, 5)),
    "lp_pool_of_infinity": (lambda x: F.lp_pool1d(x, math.inf, 2), (2, 3, 6)),
    "channel_shuffle": (lambda x: F.channel_shuffle(x, 2), (1, 4, 2, 2)),
    "local_response_norm": (lambda x: F.local_response_norm(x, 2, alpha=0.5), (1, 4, 3)),
    "fractional": (
        lambda x: F.fractional_max_pool2d(x, 2, 2, _random_samples=values(1, 2, 2).abs()), (1, 2, 4, 5)
    ),
    "max_unpool2d": (lambda x: F.max_unpool2d(x[..., ::2, ::2], positions_of(x), 2), (1, 2, 4, 4)),
    "conv_tbc": (lambda x: F.conv_tbc(x, values(2, 3, 4), values(4)), (4, 2, 3)),
    "linear_cross_entropy": (
        lambda x: F.linear_cross_entropy(x, values(5, 3), wg.tensor([0, 4]), label_smoothing=0.1), (2, 3)
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_of_both_orders(name):
    function, shape = FUNCTIONS[name]
    x = values(*shape).requires_grad_()
    assert gradcheck(function, (x,))
    assert gradgradcheck(function, (x,))


@pytest.mark.parametrize("name", ["lp_pool1d", "channel_shuffle", "local_response_norm", "linear_cross_entropy"])
def test_vmap_maps_over_a_batch(name):
    function, shape = FUNCTIONS[name]
    x = values(3, *shape)
    assert wg.allclose(wg.vmap(function)(x), wg.stack([function(one) for one in x]))


@pytest.mark.parametrize("hard", [False, True])
def test_gradient_of_gumbel_softmax_is_that_of_the_soft_one(hard):
    logits = values(4, 3).requires_grad_()
    weight = values(4, 3) * 2
    grads = []
    for is_hard in (hard, False):
        wg.manual_seed(5)
        y = F.gumbel_softmax(logits, tau=0.7, hard=is_hard)
        grads.append(wg.autograd.grad((y * weight).sum(), logits)[0])
    assert wg.equal(*grads)


def test_half_precision_loss_is_computed_with_single_precision():
    x, weight = values(64, 32).to(wg.bfloat16), (values(100, 32) * 3).to(wg.bfloat16)
    target = wg.arange(64)
    options = wg.nn.LinearCrossEntropyOptions()
    got = F.linear_cross_entropy(x, weight, target, reduction="none", options=options)
    exact = F.linear_cross_entropy(x.double(), weight.double(), target, reduction="none")
    assert got.dtype == wg.bfloat16
    assert wg.equal(got, exact.to(wg.bfloat16))
