"""Attention over sequences that are divided among ranks, beside that of one process."""

from __future__ import annotations

import pytest
import wengert as wg
from wengert_testing.sim_group import run_ranks

dist = wg.distributed
tp = dist.tensor_parallel
attention = wg.nn.functional.scaled_dot_product_attention
DOUBLE = wg.float64


def inputs():
    """Return query, key and value of whole sequences: [batch, heads, length, features]."""
    wg.manual_seed(4)
    return [wg.randn(2, 4, 8, 3, dtype=DOUBLE, requires_grad=True) for _ in range(3)]


def part(tensor):
    size = tensor.shape[2] // dist.get_world_size()
    return tensor.detach().narrow(2, dist.get_rank() * size, size)


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("is_causal", [True, False])
def test_output_and_gradients_are_those_of_one_process(is_causal, ranks):
    def program():
        whole = inputs()
        expected = attention(*whole, is_causal=is_causal)
        expected.square().sum().backward()
        own = [part(one).requires_grad_() for one in whole]
        output = tp.sequence_parallel_attention(*own, is_causal=is_causal)
        output.square().sum().backward()
        assert wg.allclose(output, part(expected))
        for tensor, of_all in zip(own, whole, strict=True):
            assert wg.allclose(tensor.grad, part(of_all.grad))

    run_ranks(ranks, program, seed=ranks)


def test_gradients_over_ranks_are_those_of_finite_differences():
    def program():
        x = wg.linspace(0.1, 1.0 + dist.get_rank(), 4, dtype=DOUBLE).reshape(1, 2, 2, 1).requires_grad_()
        assert dist.gradcheck(lambda x: tp.sequence_parallel_attention(x, x, x), x)
        assert dist.gradgradcheck(lambda x: tp.sequence_parallel_attention(x, x, x), x)

    run_ranks(2, program)


def test_an_exchange_of_dims_is_undone_by_the_exchange_back():
    def program():
        x = wg.arange(24.0).reshape(4, 2, 3) + 100 * dist.get_rank()
        there = tp.exchange_dims(x, 0, 1)
        return there.shape, wg.equal(tp.exchange_dims(there, 1, 0), x), there[:, :, 0].tolist()

    first = [[0.0, 3.0, 100.0, 103.0], [6.0, 9.0, 106.0, 109.0]]
    second = [[12.0, 15.0, 112.0, 115.0], [18.0, 21.0, 118.0, 121.0]]
    assert run_ranks(2, program) == [((2, 4, 3), True, first), ((2, 4, 3), True, second)]


def test_heads_that_ranks_cannot_share_are_refused():
    def program():
        x = wg.ones(1, 3, 2, 1)
        with pytest.raises(ValueError, match=r"dim 1 of a tensor of shape \(1, 3, 2, 1\): the size 3 is not divisible"):
            tp.sequence_parallel_attention(x, x, x)

    run_ranks(2, program)
