"""Affine maps that are divided among ranks, beside those of one process."""

from __future__ import annotations

import copy
import pickle

import pytest
import wengert as wg
from wengert_testing.sim_group import run_ranks

dist = wg.distributed
tp = dist.tensor_parallel
nn = wg.nn
DOUBLE = wg.float64


def layers_of_one_process(bias=True):
    """Return two layers and an input, equal on all ranks."""
    wg.manual_seed(5)
    first, second = nn.Linear(6, 8, bias, dtype=DOUBLE), nn.Linear(8, 4, bias, dtype=DOUBLE)
    return first, second, wg.randn(3, 6, dtype=DOUBLE, requires_grad=True)


def part(tensor, dim):
    size = tensor.shape[dim] // dist.get_world_size()
    return tensor.narrow(dim, dist.get_rank() * size, size)


def close(a, b):
    return wg.allclose(a, b, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("ends", ["parts between the layers", "whole tensors between the layers"])
def test_two_layers_have_the_output_and_the_gradients_of_one_process(ends, bias):
    def program():
        first, second, x = layers_of_one_process(bias)
        expected = second(first(x).tanh())
        expected.square().sum().backward()
        parts = ends.startswith("parts")
        a = tp.ColumnParallelLinear.from_linear(first, gather_output=not parts)
        b = tp.RowParallelLinear.from_linear(second, input_is_parallel=parts)
        y = x.detach().clone().requires_grad_()
        output = b(a(y).tanh())
        output.square().sum().backward()
        assert close(output, expected)
        assert close(y.grad, x.grad)
        assert close(a.weight.grad, part(first.weight.grad, 0))
        assert close(b.weight.grad, part(second.weight.grad, 1))
        if bias:
            assert close(a.bias.grad, part(first.bias.grad, 0))
            assert close(b.bias.grad, second.bias.grad)

    run_ranks(2, program, seed=1)
    run_ranks(4, program, seed=2)


def test_second_derivatives_are_those_of_one_process():
    def hessian(function, x):
        (grad,) = wg.autograd.grad(function(x), x, create_graph=True)
        return wg.stack([wg.autograd.grad(one, x, retain_graph=True)[0] for one in grad.flatten()])

    def program():
        first, second, x = layers_of_one_process()
        a = tp.ColumnParallelLinear.from_linear(first, gather_output=False)
        b = tp.RowParallelLinear.from_linear(second, input_is_parallel=True)
        whole = hessian(lambda x: second(first(x).tanh()).square().sum(), x)
        assert close(hessian(lambda x: b(a(x).tanh()).square().sum(), x), whole)

    run_ranks(2, program)


def test_forward_mode_and_vmap_are_those_of_one_process():
    def program():
        first, second, x = layers_of_one_process()
        a = tp.ColumnParallelLinear.from_linear(first)
        b = tp.RowParallelLinear.from_linear(second)
        x = x.detach()
        assert close(wg.vmap(lambda x: b(a(x).tanh()))(x), second(first(x).tanh()))
        forward = wg.autograd.forward_ad
        tangents = [
            forward.unpack_dual(function(forward.make_dual(x, wg.ones_like(x)))).tangent
            for function in (lambda x: b(a(x).tanh()), lambda x: second(first(x).tanh()))
        ]
        assert close(*tangents)

    with wg.autograd.forward_ad.dual_level():
        run_ranks(2, program)


def test_ranks_with_one_seed_begin_with_the_parameters_of_one_process():
    def program():
        wg.manual_seed(3)
        layer = tp.ColumnParallelLinear(4, 6, dtype=DOUBLE)
        wg.manual_seed(3)
        whole = nn.Linear(4, 6, dtype=DOUBLE)
        return wg.equal(layer.weight, part(whole.weight, 0)) and wg.equal(layer.bias, part(whole.bias, 0))

    assert run_ranks(2, program) == [True, True]


def test_frozen_parameters_stay_frozen():
    def program():
        linear = nn.Linear(4, 4)
        linear.weight.requires_grad_(False)
        layer = tp.RowParallelLinear.from_linear(linear)
        return layer.weight.requires_grad, layer.bias.requires_grad, sorted(layer.state_dict())

    assert run_ranks(2, program) == [(False, True, ["bias", "weight"])] * 2


def test_copies_and_pickles_keep_the_group_and_the_part():
    def program():
        layer = tp.ColumnParallelLinear(4, 6, group=dist.new_group([1, 0]))
        for other in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
            assert other.group is layer.group
            assert other.gather_output
            assert wg.equal(other.weight, layer.weight)
            assert other(wg.ones(4)).shape == (6,)

    run_ranks(2, program)


@pytest.mark.parametrize("kind", [tp.ColumnParallelLinear, tp.RowParallelLinear])
def test_a_layer_is_put_together_again(kind):
    def program():
        linear = nn.Linear(4, 6)
        whole = kind.from_linear(linear).to_linear()
        return wg.equal(whole.weight, linear.weight) and wg.equal(whole.bias, linear.bias)

    assert run_ranks(2, program) == [True, True]


def test_scatter_and_gather_are_inverse_and_have_each_other_as_adjoint():
    def program():
        x = wg.arange(8.0).reshape(2, 4).requires_grad_()
        own = tp.scatter_to_ranks(x, 1)
        assert own.tolist() == part(x, 1).tolist()
        whole = tp.gather_from_ranks(own, 1)
        whole.backward(wg.arange(8.0).reshape(2, 4) * 10)
        return whole.tolist() == x.tolist(), x.grad.tolist()

    grad = [[0.0, 10.0, 20.0, 30.0], [40.0, 50.0, 60.0, 70.0]]
    assert run_ranks(2, program) == [(True, grad)] * 2


def test_a_copy_for_ranks_is_a_view_of_which_the_gradients_are_summed():
    def program():
        x = wg.ones(3, requires_grad=True)
        y = tp.copy_to_ranks(x)
        (y * (1.0 + dist.get_rank())).sum().backward()
        return y.data_ptr() == x.data_ptr(), x.grad.tolist()

    assert run_ranks(2, program) == [(True, [3.0] * 3)] * 2


def test_sizes_that_ranks_cannot_share_are_refused():
    def program():
        with pytest.raises(ValueError, match="the size 5 is not divisible by the 2 ranks"):
            tp.ColumnParallelLinear(4, 5)
        with pytest.raises(ValueError, match="the size 3 is not divisible by the 2 ranks"):
            tp.RowParallelLinear(3, 4)
        with pytest.raises(ValueError, match=r"dim 1 of a tensor of shape \(2, 3\)"):
            tp.scatter_to_ranks(wg.ones(2, 3))
        with pytest.raises(ValueError, match="dims must differ"):
            tp.exchange_dims(wg.ones(2, 2), 1, -1)

    run_ranks(2, program)
