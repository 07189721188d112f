"""Collectives with derivatives: gradients over ranks in both modes, of the second order, and under vmap."""

from __future__ import annotations

import pytest
import wengert as wg
from wengert_testing.sim_group import run_ranks

dist = wg.distributed
F = dist.nn.functional
FC = dist._functional_collectives
Op = dist.ReduceOp
DOUBLE = wg.float64


def empty(*size):
    return wg.empty(*size, dtype=DOUBLE)


def factor_three():
    return Op(Op.PREMUL_SUM, 3.0)


def uneven_parts(x):
    """Rank 0 sends 1 and 2 rows and gets 1 and 1; rank 1 sends 1 and 2 and gets 2 and 2."""
    received = [1, 1] if dist.get_rank() == 0 else [2, 2]
    return F.all_to_all_single(empty(sum(received)), x * x, received, [1, 2])


def lists_of_shapes(x):
    """Both ranks send a row to rank 0 and two to rank 1."""
    size = 1 if dist.get_rank() == 0 else 2
    return F.all_to_all([empty(size), empty(size)], [x[:1] * x[:1], x[1:] * x[1:]])


def there_and_back(x):
    """Rank 0 sends its square, rank 1 multiplies it and sends it back."""
    if dist.get_rank() == 0:
        token = F.send(x * x, 1)
        return F.recv(x, 1, token=token) * x
    return F.send(F.recv(x, 0) * x * x, 0)


CASES = {
    "all_reduce": lambda x: F.all_reduce(x * x),
    "all_reduce AVG": lambda x: F.all_reduce(x * x, Op.AVG),
    "all_reduce PRODUCT": lambda x: F.all_reduce(x * x, Op.PRODUCT),
    "all_reduce MIN": lambda x: F.all_reduce(x * x, Op.MIN),
    "all_reduce MAX": lambda x: F.all_reduce(x * x, Op.MAX),
    "all_reduce PREMUL_SUM": lambda x: F.all_reduce(x * x, factor_three()),
    "reduce": lambda x: F.reduce(x * x, 1),
    "reduce AVG": lambda x: F.reduce(x * x, 1, Op.AVG),
    "reduce PRODUCT": lambda x: F.reduce(x * x, 1, Op.PRODUCT),
    "broadcast": lambda x: F.broadcast(x * x, 1),
    "all_gather": lambda x: F.all_gather(x * x),
    "gather": lambda x: F.gather(x * x, 1),
    "scatter": lambda x: F.scatter([x * x, x * x * x], 1),
    "reduce_scatter": lambda x: F.reduce_scatter(empty(3), [x * x, x * x * x]),
    "reduce_scatter AVG": lambda x: F.reduce_scatter(empty(3), [x * x, x * x * x], Op.AVG),
    "reduce_scatter MAX": lambda x: F.reduce_scatter(empty(3), [x * x, x * x * x], Op.MAX),
    "reduce_scatter PREMUL_SUM": lambda x: F.reduce_scatter(empty(3), [x * x, x * x * x], factor_three()),
    "all_to_all": lists_of_shapes,
    "all_to_all_single": uneven_parts,
    "send and recv": there_and_back,
    "permute_tensor": lambda x: FC.permute_tensor(x * x, [1, 0], [0, 1]),
    "all_gather_single": lambda x: FC.all_gather_single((x * x).unsqueeze(0), 1, [0, 1]),
    "reduce_scatter_single": lambda x: FC.reduce_scatter_single(wg.stack((x * x, x), 1), "sum", 1, [0, 1]),
    "all_reduce_coalesced": lambda x: FC.all_reduce_coalesced([x * x, x[:1] * x[1:]], "sum", [0, 1]),
    "all_gather_single_coalesced": lambda x: FC.all_gather_single_coalesced([x * x, wg.outer(x, x)], [0, 1]),
    "reduce_scatter_single_coalesced": lambda x: FC.reduce_scatter_single_coalesced(
        [wg.stack((x * x, x), 1), x[1:] * x[1:]], "sum", [1, 0], [0, 1]
    ),
}


def own_values(size=3, offset=1.0):
    """Return numbers that differ between ranks and elements."""
    rank = dist.get_rank()
    return (wg.arange(size, dtype=DOUBLE) * (0.7 - 0.5 * rank) + offset + 0.3 * rank).requires_grad_()


@pytest.fixture
def dual_level():
    """A level of forward mode for all ranks: it belongs to the process, and ranks are its threads."""
    with wg.autograd.forward_ad.dual_level():
        yield


@pytest.mark.parametrize("name", CASES)
def test_gradients_of_all_ranks_are_those_of_finite_differences(name, dual_level):
    def program():
        assert dist.gradcheck(CASES[name], own_values(), check_forward_ad=True)

    run_ranks(2, program, seed=1)


@pytest.mark.parametrize("name", CASES)
def test_second_derivatives_are_those_of_finite_differences(name, dual_level):
    def program():
        assert dist.gradgradcheck(CASES[name], own_values(), check_forward_ad=True)

    run_ranks(2, program, seed=2)


@pytest.mark.parametrize("name", CASES)
def test_vmap_gives_the_results_of_the_samples(name):
    def as_tuple(result):
        return (result,) if isinstance(result, wg.Tensor) else result

    def program():
        samples = [own_values().detach(), own_values(offset=2.0).detach()]
        batched = as_tuple(wg.vmap(CASES[name])(wg.stack(samples)))
        singles = [as_tuple(CASES[name](sample)) for sample in samples]
        for number, result in enumerate(batched):
            assert wg.equal(result, wg.stack([single[number] for single in singles]))

    run_ranks(2, program, seed=3)


@pytest.mark.parametrize("name", ["all_reduce", "broadcast", "all_gather", "scatter", "send and recv"])
def test_gradients_of_samples_by_vmap_are_one_exchange_for_the_batch(name):
    def program():
        samples = [own_values().detach(), own_values(offset=2.0).detach()]

        def gradient(x):
            return wg.func.grad(lambda x: sum(part.sum() for part in parts_of(CASES[name](x))))(x)

        def parts_of(result):
            return [result] if isinstance(result, wg.Tensor) else list(result)

        batched = wg.vmap(gradient)(wg.stack(samples))
        assert wg.allclose(batched, wg.stack([gradient(sample) for sample in samples]))

    run_ranks(2, program, seed=4)


def test_three_ranks_of_a_group_with_another_order_of_ranks():
    def program():
        group = dist.new_group([2, 0, 1])
        x = own_values()
        assert dist.gradcheck(lambda x: F.broadcast(x * x, 2, group), x, group=group)
        assert dist.gradcheck(lambda x: F.all_gather(x * x, group)[0] * x, x, group=group)
        assert dist.gradcheck(lambda x: F.scatter([x * x, x, x * 2], 1, group), x, group=group)

    run_ranks(3, program, seed=5)


def test_a_wrong_derivative_of_one_rank_is_reported_on_all():
    class WrongOnRankOne(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * (3 if dist.get_rank() == 1 else 2)

    def program():
        assert not dist.gradcheck(lambda x: F.all_reduce(WrongOnRankOne.apply(x)), own_values(), raise_exception=False)
        with pytest.raises(RuntimeError, match=r"do not agree with finite differences:\n  rank 1: reverse mode"):
            dist.gradcheck(lambda x: F.all_reduce(WrongOnRankOne.apply(x)), own_values())

    run_ranks(2, program)


def test_ranks_that_tie_share_the_gradient_of_a_maximum():
    def program():
        x = wg.tensor([1.0, float(dist.get_rank())], requires_grad=True)
        F.all_reduce(x, Op.MAX).sum().backward()
        return x.grad.tolist()

    assert run_ranks(2, program) == [[1.0, 0.0], [1.0, 2.0]]


def test_the_gradient_of_a_product_is_finite_at_zero():
    def program():
        x = wg.tensor([0.0, 2.0 + dist.get_rank()], requires_grad=True)
        F.all_reduce(x, Op.PRODUCT).sum().backward()
        return x.grad.tolist()

    assert run_ranks(2, program) == [[0.0, 6.0], [0.0, 4.0]]


def test_gradients_of_complex_sums():
    def program():
        x = wg.tensor([1.0 + 2.0j, 3.0 - 1.0j][dist.get_rank()], requires_grad=True)
        F.all_reduce(x * x).real.backward()
        return x.grad.item()

    assert run_ranks(2, program) == [4 * (1.0 - 2.0j), 4 * (3.0 + 1.0j)]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "complex64"])
def test_gradients_have_the_dtype_of_the_input(dtype):
    def program():
        x = wg.ones(3, dtype=getattr(wg, dtype), requires_grad=True)
        y = F.all_reduce(x, Op.AVG)
        assert y.dtype is x.dtype
        (grad,) = wg.autograd.grad(y, x, wg.ones_like(y))
        return grad.dtype is x.dtype and grad.tolist() == [1.0] * 3

    assert run_ranks(2, program) == [True, True]


def test_inputs_are_not_written_to_and_may_be_strided():
    def program():
        x = wg.arange(6.0).reshape(2, 3).t()
        y = F.all_reduce(x)
        rows = F.all_gather(x[:, 1])
        return x.tolist(), y.tolist(), [row.tolist() for row in rows]

    x = [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]
    assert run_ranks(2, program)[1] == (x, [[2 * a for a in row] for row in x], [[3.0, 4.0, 5.0]] * 2)


def test_tensors_without_elements_or_dims():
    def program():
        x = wg.ones((), requires_grad=True)
        nothing = wg.ones(0, 2, requires_grad=True)
        total = F.all_reduce(x) + sum(F.all_gather(x)) + F.all_reduce(nothing).sum()
        total.backward()
        return x.grad.item(), nothing.grad.shape

    assert run_ranks(2, program) == [(4.0, (0, 2))] * 2


def test_a_list_passed_for_outputs_gets_the_values():
    def program():
        x = wg.full((2,), 1.0 + dist.get_rank(), requires_grad=True)
        output = wg.empty(2)
        assert F.reduce_scatter(output, [x, x * 2]).tolist() == output.tolist()
        outputs = [wg.empty(2), wg.empty(2)]
        F.all_to_all(outputs, [x, x * 2])
        return output.tolist(), [one.tolist() for one in outputs], output.requires_grad

    assert run_ranks(2, program) == [
        ([3.0, 3.0], [[1.0, 1.0], [2.0, 2.0]], False),
        ([6.0, 6.0], [[2.0, 2.0], [4.0, 4.0]], False),
    ]


def test_coalesced_collectives_are_one_message_for_each_dtype(monkeypatch):
    sizes = []
    function = dist.all_reduce

    def note_size(tensor, *args):
        sizes.append((tensor.dtype, tensor.numel()))
        return function(tensor, *args)

    monkeypatch.setattr("wengert_distributed.all_reduce", note_size)

    def program():
        tensors = [wg.ones(2), wg.ones(3, dtype=wg.int64), wg.ones(2, 2)]
        return [one.tolist() for one in FC.all_reduce_coalesced(tensors, "sum", [0])]

    assert run_ranks(1, program) == [[[1.0, 1.0], [1, 1, 1], [[1.0, 1.0], [1.0, 1.0]]]]
    assert sizes == [(wg.float32, 6), (wg.int64, 3)]
