"""Initial values: which numbers are drawn, in which order, and what they look like."""

import math

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert import nn
from wengert.nn import init

sizes = st.integers(1, 6)
no_clock = settings(deadline=None, max_examples=30)


def uniform(shape: tuple[int, ...], bound: float) -> wg.Tensor:
    return wg.empty(shape).uniform_(-bound, bound)


@pytest.mark.parametrize(
    ("make", "weight", "fan_in"),
    [
        (lambda: nn.Linear(5, 3), (3, 5), 5),
        (lambda: nn.Conv1d(4, 6, 3, groups=2), (6, 2, 3), 6),
        (lambda: nn.Conv2d(2, 3, (2, 3)), (3, 2, 2, 3), 12),
        (lambda: nn.Conv3d(1, 2, 2), (2, 1, 2, 2, 2), 8),
        (lambda: nn.ConvTranspose1d(4, 6, 3, groups=2), (4, 3, 3), 9),
        (lambda: nn.ConvTranspose2d(2, 3, 2), (2, 3, 2, 2), 12),
    ],
)
def test_weight_is_drawn_before_bias(make, weight, fan_in):
    wg.manual_seed(3)
    layer = make()
    wg.manual_seed(3)
    bound = math.sqrt(3.0) * (math.sqrt(2.0 / 6.0) / math.sqrt(fan_in))  # kaiming_uniform_ with a = sqrt(5)
    assert wg.equal(layer.weight, uniform(weight, bound))
    outputs = layer.out_features if isinstance(layer, nn.Linear) else layer.out_channels
    assert wg.equal(layer.bias, uniform((outputs,), 1 / math.sqrt(fan_in)))


def test_lazy_layers_draw_at_their_first_call():
    wg.manual_seed(3)
    lazy = nn.LazyLinear(3)
    lazy(wg.zeros(1, 5))
    wg.manual_seed(3)
    layer = nn.Linear(5, 3)
    assert wg.equal(lazy.weight, layer.weight)
    assert wg.equal(lazy.bias, layer.bias)


def test_bilinear_draws_weight_and_bias_within_one_bound():
    wg.manual_seed(3)
    layer = nn.Bilinear(4, 2, 3)
    wg.manual_seed(3)
    assert wg.equal(layer.weight, uniform((3, 4, 2), 0.5))
    assert wg.equal(layer.bias, uniform((3,), 0.5))


@pytest.mark.parametrize("table", [nn.Embedding, nn.EmbeddingBag])
def test_tables_are_normal(table):
    wg.manual_seed(3)
    rows = table(5, 4, padding_idx=2).weight
    wg.manual_seed(3)
    expected = wg.empty(5, 4).normal_()
    expected[2] = 0
    assert wg.equal(rows, expected)


def test_weight_in_another_memory_format_gets_the_same_numbers():
    layer = nn.Conv2d(4, 3, 2)
    other = nn.Conv2d(4, 3, 2).to(memory_format=wg.channels_last)
    for one in (layer, other):
        wg.manual_seed(3)
        one.reset_parameters()
    assert not other.weight.is_contiguous()
    assert wg.equal(layer.weight, other.weight)
    assert wg.equal(layer.bias, other.bias)


def test_adaptive_softmax_draws_head_before_tail():
    wg.manual_seed(3)
    layer = nn.AdaptiveLogSoftmaxWithLoss(16, 9, [2, 4])
    wg.manual_seed(3)
    head = nn.Linear(16, 4, bias=False)
    first = nn.Linear(16, 4, bias=False)
    assert wg.equal(layer.head.weight, head.weight)
    assert wg.equal(layer.tail[0][0].weight, first.weight)


@no_clock
@given(sizes, sizes, st.lists(sizes, max_size=3))
def test_fans_count_the_weights_of_an_output_and_of_an_input(outputs, inputs, window):
    weight = wg.empty(outputs, inputs, *window)
    count = math.prod(window)
    assert init._calculate_fan_in_and_fan_out(weight) == (inputs * count, outputs * count)


@no_clock
@given(st.floats(-3, 3), st.floats(0.1, 3), st.floats(-3, 3), st.floats(0.05, 4), st.integers(0, 1000))
def test_truncated_numbers_are_within_the_bounds(mean, std, low, width, seed):
    mean = max(low - 2 * std, min(mean, low + width + 2 * std))  # further away there is a warning
    wg.manual_seed(seed)
    drawn = init.trunc_normal_(wg.empty(40, dtype=wg.float64), mean, std, low, low + width)
    assert drawn.min() >= low
    assert drawn.max() <= low + width
    assert drawn.unique().numel() == 40


@no_clock
@given(sizes, sizes, st.lists(sizes, max_size=2), st.floats(0.1, 3))
def test_orthogonal_rows_or_columns(rows, columns, window, gain):
    weight = init.orthogonal_(wg.empty(rows, columns, *window, dtype=wg.float64), gain).flatten(1)
    products = weight @ weight.t() if rows <= weight.shape[1] else weight.t() @ weight
    assert wg.allclose(products, gain**2 * wg.eye(len(products), dtype=wg.float64), atol=1e-9)


@no_clock
@given(st.integers(1, 12), sizes, st.floats(0, 1))
def test_sparse_columns_have_their_share_of_zeros(rows, columns, share):
    weight = init.sparse_(wg.empty(rows, columns), share)
    assert ((weight == 0).sum(0) == math.ceil(share * rows)).all()


@no_clock
@given(st.integers(1, 3), st.integers(1, 4), st.lists(st.sampled_from([1, 3, 5]), min_size=1, max_size=3))
def test_dirac_convolution_returns_its_input(groups, channels, window):
    n = len(window)
    count = groups * channels
    layer = getattr(nn, f"Conv{n}d")(count, count, window, padding="same", groups=groups, bias=False)
    init.dirac_(layer.weight, groups)
    x = wg.randn(2, count, *(size + 1 for size in window))
    assert wg.equal(layer(x), x)


def test_functions_write_views_and_record_nothing():
    weight = nn.Parameter(wg.zeros(4, 4))
    init.ones_(weight[1:3])
    assert weight.sum() == 8
    assert weight.grad_fn is None
    assert weight._version > 0
