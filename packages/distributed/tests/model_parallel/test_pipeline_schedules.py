"""Pipelines of stages with micro-batches, beside one process."""

from __future__ import annotations

import pytest
import wengert as wg
from wengert_testing.sim_group import run_ranks

dist = wg.distributed
pipelining = dist.pipelining
nn = wg.nn
mse = nn.functional.mse_loss


def model_of_one_process(stages):
    """Return a list of layers, an input and a target, equal on all ranks."""
    wg.manual_seed(7)
    layers = [nn.Sequential(nn.Linear(5, 5), nn.Tanh()).double() for _ in range(stages)]
    return layers, wg.randn(12, 5, dtype=wg.float64), wg.randn(12, 5, dtype=wg.float64)


def stage_of(module):
    return pipelining.PipelineStage(module, dist.get_rank(), dist.get_world_size())


def arguments(x, target):
    """Return what this rank passes to step."""
    last = dist.get_rank() == dist.get_world_size() - 1
    return ((x,) if dist.get_rank() == 0 else ()), ({"target": target} if last else {})


@pytest.mark.parametrize("schedule", ["Schedule1F1B", "ScheduleGPipe"])
@pytest.mark.parametrize(("ranks", "count"), [(1, 3), (2, 1), (2, 4), (3, 6), (4, 2), (4, 12)])
def test_outputs_losses_and_gradients_are_those_of_one_process(schedule, ranks, count):
    def program():
        layers, x, target = model_of_one_process(ranks)
        expected = nn.Sequential(*layers)(x)
        mse(expected, target).backward()
        own = layers[dist.get_rank()]
        grads = [parameter.grad.clone() for parameter in own.parameters()]
        own.zero_grad()
        args, named = arguments(x, target)
        losses = []
        output = getattr(pipelining, schedule)(stage_of(own), count, mse).step(*args, losses=losses, **named)
        for parameter, grad in zip(own.parameters(), grads, strict=True):
            assert wg.allclose(parameter.grad, grad, rtol=1e-12)
        if dist.get_rank() == ranks - 1:
            assert wg.allclose(output, expected)
            assert not output.requires_grad
            assert wg.allclose(wg.stack(losses).mean(), mse(expected, target))
        else:
            assert output is None
            assert losses == []

    run_ranks(ranks, program, seed=count)


@pytest.mark.parametrize("seed", range(5))
def test_several_steps_in_any_order_of_messages(seed):
    def program():
        layers, x, target = model_of_one_process(3)
        whole = nn.Sequential(*layers)
        own = layers[dist.get_rank()]
        for factor in (1.0, 2.0, 3.0):
            mse(whole(x * factor), target).backward()
        grads = [parameter.grad.clone() for parameter in own.parameters()]
        own.zero_grad()
        schedule = pipelining.Schedule1F1B(stage_of(own), 6, mse)
        for factor in (1.0, 2.0, 3.0):
            args, named = arguments(x * factor, target)
            schedule.step(*args, **named)
        for parameter, grad in zip(own.parameters(), grads, strict=True):
            assert wg.allclose(parameter.grad, grad, rtol=1e-12)

    run_ranks(3, program, seed=seed)


def test_1f1b_holds_the_graphs_of_as_many_micro_batches_as_stages_are_left():
    def program():
        graphs, most = [0], [0]

        def stage(x):
            graphs[0] += 1
            most[0] = max(most[0], graphs[0])
            y = x * weight
            y.register_hook(lambda grad: graphs.__setitem__(0, graphs[0] - 1))
            return y

        weight = wg.ones(1, requires_grad=True)
        args, named = arguments(wg.ones(8, 1), wg.zeros(8, 1))
        pipelining.Schedule1F1B(stage_of(stage), 8, mse).step(*args, **named)
        return most[0], graphs[0]

    assert run_ranks(4, program) == [(4, 0), (3, 0), (2, 0), (1, 0)]


def test_stages_may_be_any_callables_with_several_outputs_some_without_gradients():
    def program():
        weight = wg.full((2,), 3.0, requires_grad=True)
        places = wg.arange(4)

        def first(x):
            return x * weight, x.sum(1).long(), (x * weight).sum()

        def second(y, counts, total):
            assert not counts.requires_grad
            return y * counts.unsqueeze(1)

        args = (wg.ones(4, 2),) if dist.get_rank() == 0 else ()
        schedule = pipelining.Schedule1F1B(
            stage_of([first, second][dist.get_rank()]), 2, lambda y, _, factor: factor * y.sum(), scale_grads=False
        )
        output = schedule.step(*args, target=places, loss_kwargs={"factor": 0.5})
        return weight.grad if dist.get_rank() == 0 else output

    grad, output = run_ranks(2, program)
    assert grad.tolist() == [4.0, 4.0]
    assert output.tolist() == [[6.0, 6.0]] * 4


def test_keyword_arguments_of_a_stage_are_divided_as_the_batch():
    def program():
        def stage(x, *, mask):
            return x * mask

        args = (wg.ones(4),) if dist.get_rank() == 0 else ()
        return pipelining.ScheduleGPipe(stage_of(stage), 2).step(*args, mask=wg.arange(4.0))

    assert run_ranks(2, program)[1].tolist() == [0.0, 1.0, 4.0, 9.0]


def test_evaluation_records_nothing_and_computes_losses():
    def program():
        layers, x, target = model_of_one_process(2)
        schedule = pipelining.Schedule1F1B(stage_of(layers[dist.get_rank()]), 3, mse)
        args, named = arguments(x, target)
        losses = []
        output = schedule.eval(*args, losses=losses, **named)
        assert all(parameter.grad is None for parameter in layers[dist.get_rank()].parameters())
        return None if output is None else (len(losses), wg.allclose(output, nn.Sequential(*layers)(x)))

    assert run_ranks(2, program) == [None, (3, True)]


def test_a_batch_may_change_its_size_between_steps():
    def program():
        schedule = pipelining.Schedule1F1B(stage_of(lambda x: x * 2), 2)
        sizes = []
        for size in (4, 6):
            args = (wg.ones(size, 1),) if dist.get_rank() == 0 else ()
            output = schedule.step(*args)
            sizes.append(None if output is None else output.shape[0])
        return sizes

    assert run_ranks(2, program) == [[None, None], [4, 6]]


def test_bad_arguments_are_refused():
    def program():
        with pytest.raises(ValueError, match="Stage index 2 is out of range of 2"):
            pipelining.PipelineStage(wg.exp, 2, 2)
        with pytest.raises(RuntimeError, match="Pipeline group size 2 cannot be larger than number of stages 1"):
            pipelining.PipelineStage(wg.exp, 0, 1)
        with pytest.raises(ValueError, match="cannot have the stage"):
            pipelining.PipelineStage(wg.exp, 1 - dist.get_rank(), 2)
        with pytest.raises(ValueError, match="at least one micro-batch"):
            pipelining.Schedule1F1B(stage_of(wg.exp), 0)
        schedule = pipelining.Schedule1F1B(stage_of(wg.exp), 2, mse)
        with wg.no_grad(), pytest.raises(RuntimeError, match="requires gradients to be enabled"):
            schedule.step()
        if dist.get_rank() == 0:
            with pytest.raises(ValueError, match=r"shape \(3,\) cannot be divided into 2 micro-batches"):
                schedule.step(wg.ones(3))
            with pytest.raises(TypeError, match="must return a tensor or a tuple of tensors, got int"):
                pipelining.Schedule1F1B(stage_of(lambda x: 3), 1).step(wg.ones(3))

    run_ranks(2, program)


def test_a_stage_that_raises_makes_the_others_raise():
    def program():
        def raise_on_rank_one(x):
            if dist.get_rank() == 1:
                raise ZeroDivisionError("stage 1")
            return x

        args = (wg.ones(4),) if dist.get_rank() == 0 else ()
        pipelining.Schedule1F1B(stage_of(raise_on_rank_one), 2, lambda y, _: y.sum()).step(*args)

    errors = run_ranks(3, program, return_exceptions=True)
    assert isinstance(errors[1], ZeroDivisionError)
    assert all(isinstance(errors[rank], dist.DistBackendError) for rank in (0, 2))
