"""Batch normalization over the batches of all ranks beside one process that has the whole batch."""

from __future__ import annotations

import pytest
import wengert as wg
from wengert_distributed.nn.batch_norm import sync_batch_norm
from wengert_testing.sim_group import run_ranks

dist = wg.distributed
WHOLE = wg.arange(30.0, dtype=wg.float64).reshape(5, 3, 2).sin()
FACTORS = wg.arange(30.0, dtype=wg.float64).reshape(5, 3, 2).cos()
SIZES = ([2, 3], [5, 0], [1, 4])


def parameters():
    return [wg.tensor(values, dtype=wg.float64) for values in ([0.5, 1.0, 2.0], [0.1, 0.2, 0.3], [0.0] * 3, [1.0] * 3)]


def gradients_and_estimates(normalize, x, factors):
    weight, bias, mean, var = parameters()
    inputs = [one.detach().requires_grad_() for one in (x, weight, bias)]
    y = normalize(inputs[0], mean, var, *inputs[1:])
    (y * factors).sum().backward()
    return [y.detach(), *(one.grad for one in inputs), mean, var]


@pytest.mark.parametrize("sizes", SIZES)
def test_ranks_normalize_as_one_process_with_the_whole_batch(sizes):
    def program():
        rank = dist.get_rank()
        return gradients_and_estimates(
            lambda *args: sync_batch_norm(*args, momentum=0.3), WHOLE.split(sizes)[rank], FACTORS.split(sizes)[rank]
        )

    first, second = run_ranks(2, program)
    expected = gradients_and_estimates(
        lambda *args: wg.nn.functional.batch_norm(*args, training=True, momentum=0.3), WHOLE, FACTORS
    )
    wg.testing.assert_close(wg.cat([first[0], second[0]]), expected[0])
    wg.testing.assert_close(wg.cat([first[1], second[1]]), expected[1])
    wg.testing.assert_close([a + b for a, b in zip(first[2:4], second[2:4], strict=True)], expected[2:4])
    for estimates in (first[4:], second[4:]):
        wg.testing.assert_close(estimates, expected[4:])


def test_second_derivatives_cross_the_ranks():
    def penalty(y, x):
        (slope,) = wg.autograd.grad((y**3).sum(), x, create_graph=True)
        return (slope**2).sum()

    def program():
        x = WHOLE.split([2, 3])[dist.get_rank()].detach().requires_grad_()
        penalty(sync_batch_norm(x, None, None), x).backward()
        return x.grad

    x = WHOLE.detach().requires_grad_()
    penalty(wg.nn.functional.batch_norm(x, None, None, training=True), x).backward()
    wg.testing.assert_close(wg.cat(run_ranks(2, program)), x.grad)


@pytest.mark.parametrize("dtype", [wg.float16, wg.bfloat16])
def test_halves_are_averaged_in_float32(dtype):
    def program():
        x = (WHOLE[2 * dist.get_rank() :][:2] * 100 + 500).to(dtype)
        return sync_batch_norm(x, None, None).dtype is dtype, sync_batch_norm(x, None, None).double()

    whole = (WHOLE[:4] * 100 + 500).to(dtype).double()
    expected = wg.nn.functional.batch_norm(whole, None, None, training=True).to(dtype).double()
    for rank, (same, result) in enumerate(run_ranks(2, program)):
        assert same
        wg.testing.assert_close(result, expected[2 * rank :][:2], rtol=0.01, atol=0.01)


def test_one_value_on_all_ranks_is_refused_on_all():
    def program():
        with pytest.raises(ValueError, match=r"Expected more than 1 value per channel.*1 value on 2 ranks"):
            sync_batch_norm(wg.ones(1 - dist.get_rank(), 3), None, None)

    run_ranks(2, program)
