"""Running estimates of batch and instance normalization, and the normalizations themselves, as properties."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert import nn


def numbers(*shape: int, shift: float = 0.0) -> Any:
    """float64 numbers between -1 and 1, no two of which are the same."""
    count = 1
    for size in shape:
        count *= size
    return (wg.arange(count, dtype=wg.float64) * 0.7 + shift).sin().reshape(shape)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 5), st.floats(0, 1), st.integers(2, 6))
def test_running_estimates_are_exponential_means(steps: int, momentum: float, batch: int) -> None:
    layer = nn.BatchNorm1d(3, momentum=momentum, dtype=wg.float64)
    mean, var = wg.zeros(3, dtype=wg.float64), wg.ones(3, dtype=wg.float64)
    for step in range(steps):
        x = numbers(batch, 3, shift=step) * (step + 1)
        layer(x)
        mean = (1 - momentum) * mean + momentum * x.mean(0)
        var = (1 - momentum) * var + momentum * x.var(0)
    wg.testing.assert_close(layer.running_mean, mean)
    wg.testing.assert_close(layer.running_var, var)
    assert layer.num_batches_tracked == steps


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 6))
def test_without_momentum_they_are_plain_averages(steps: int) -> None:
    layer = nn.BatchNorm1d(3, momentum=None, dtype=wg.float64)
    batches = [numbers(4, 3, shift=step) for step in range(steps)]
    for x in batches:
        layer(x)
    wg.testing.assert_close(layer.running_mean, wg.stack([x.mean(0) for x in batches]).mean(0))
    wg.testing.assert_close(layer.running_var, wg.stack([x.var(0) for x in batches]).mean(0))


def test_evaluation_changes_nothing() -> None:
    layer = nn.BatchNorm2d(3, dtype=wg.float64)
    layer(numbers(2, 3, 4, 4))
    before = copy.deepcopy(layer.state_dict())
    layer.eval()
    layer(numbers(2, 3, 4, 4, shift=1))
    for name, value in layer.state_dict().items():
        assert wg.equal(value, before[name])


@pytest.mark.parametrize("make", [
    lambda: nn.BatchNorm1d(3, dtype=wg.float64), lambda: nn.InstanceNorm1d(3, affine=True, dtype=wg.float64),
    lambda: nn.GroupNorm(3, 3, dtype=wg.float64), lambda: nn.LayerNorm(5, dtype=wg.float64),
    lambda: nn.LayerNorm((3, 5), dtype=wg.float64), lambda: nn.RMSNorm(5, dtype=wg.float64),
    lambda: nn.LocalResponseNorm(2),
])  # fmt: skip
def test_derivatives_of_normalizations(make: Any) -> None:
    layer, x = make(), numbers(2, 3, 5).requires_grad_()
    names = [name for name, _ in layer.named_parameters()]

    def call(x: Any, *parameters: Any) -> Any:
        return wg.func.functional_call(layer, dict(zip(names, parameters, strict=True)), (x,))

    arguments = [x, *[numbers(*one.shape).requires_grad_() for one in layer.parameters()]]
    assert wg.autograd.gradcheck(call, arguments, fast_mode=True)
    assert wg.autograd.gradgradcheck(call, arguments, fast_mode=True)


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_the_gradient_across_maps_is_that_of_the_values(size: int) -> None:
    """PyTorch's is not: it leaves the first channel out where its values count it."""
    layer = nn.CrossMapLRN2d(size, alpha=0.5)
    x = numbers(1, 6, 2, 2).requires_grad_()
    assert wg.autograd.gradcheck(layer, x)
    assert wg.autograd.gradgradcheck(layer, x)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from([1, 2, 4]), st.integers(1, 3), st.integers(2, 4))
def test_groups_have_mean_0_and_variance_1(groups: int, batch: int, length: int) -> None:
    x = numbers(batch, 4, length)
    rows = nn.GroupNorm(groups, 4, eps=0.0, dtype=wg.float64)(x).detach().reshape(batch, groups, -1)
    wg.testing.assert_close(rows.mean(2), wg.zeros(batch, groups, dtype=wg.float64))
    wg.testing.assert_close(rows.var(2, unbiased=False), wg.ones(batch, groups, dtype=wg.float64))


def test_one_group_of_all_channels_is_a_layer_norm() -> None:
    x = numbers(2, 4, 3)
    group, layer = nn.GroupNorm(1, 4, affine=False), nn.LayerNorm((4, 3), elementwise_affine=False)
    wg.testing.assert_close(group(x), layer(x))
    each, instance = nn.GroupNorm(4, 4, affine=False), nn.InstanceNorm1d(4)
    wg.testing.assert_close(each(x), instance(x))


@pytest.mark.parametrize("name", ["LazyBatchNorm1d", "LazyInstanceNorm1d"])
def test_lazy_layers_become_ordinary_ones(name: str) -> None:
    lazy = getattr(nn, name)(affine=True, track_running_stats=True)
    for other in (pickle.loads(pickle.dumps(lazy)), lazy):
        result = other(wg.ones(2, 3, 4))
        assert type(other).__name__ == name.removeprefix("Lazy")
        assert result.shape == (2, 3, 4)
        assert [one.shape for one in other.state_dict().values()] == [(3,)] * 4 + [()]
        for again in (copy.deepcopy(other), pickle.loads(pickle.dumps(other))):
            assert again.running_mean.tolist() == other.running_mean.tolist()


def test_a_parametrized_weight_is_used() -> None:
    class Double(nn.Module):
        def forward(self, weight: Any) -> Any:
            return 2 * weight

    for layer in (nn.LayerNorm(4), nn.BatchNorm1d(4)):
        x = numbers(3, 4).float()
        expected = 2 * layer(x)
        nn.utils.parametrize.register_parametrization(layer, "weight", Double())
        wg.testing.assert_close(layer(x), expected)


def test_synchronized_layers_of_one_process_are_ordinary_ones() -> None:
    x = numbers(4, 3)
    model = nn.Sequential(nn.BatchNorm1d(3, dtype=wg.float64), nn.Tanh())
    converted = nn.SyncBatchNorm.convert_sync_batchnorm(copy.deepcopy(model))
    assert type(converted[0]) is nn.SyncBatchNorm
    wg.testing.assert_close(converted(x), model(x))
    wg.testing.assert_close(converted.state_dict(), model.state_dict())
