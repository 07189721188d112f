"""Join: ranks with different numbers of inputs train as one process that divides by the same numbers."""

from __future__ import annotations

from typing import Any

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert.nn.parallel import DistributedDataParallel
from wengert_testing.sim_group import run_ranks

dist = wg.distributed
join = wg.distributed.algorithms.join
RATE = 0.125


class TwoLayers(wg.nn.Module):
    """A network whose second layer is left out by small inputs, where asked."""

    def __init__(self, leaves_out: bool = False) -> None:
        super().__init__()
        self.first = wg.nn.Linear(2, 3).double()
        self.second = wg.nn.Linear(3, 1).double()
        self.register_buffer("count", wg.zeros(1))
        self.leaves_out = leaves_out

    def forward(self, x: wg.Tensor) -> wg.Tensor:
        self.count += 1
        hidden = wg.tanh(self.first(x))
        return hidden.sum() if self.leaves_out and x[0].item() < 0.5 else self.second(hidden).sum()


def network(leaves_out: bool = False) -> TwoLayers:
    wg.manual_seed(3)
    return TwoLayers(leaves_out)


def inputs(rank: int, count: int) -> list[wg.Tensor]:
    generator = wg.Generator().manual_seed(rank)
    return [wg.rand(2, dtype=wg.float64, generator=generator) for _ in range(count)]


def step_all(parameters: Any) -> None:
    with wg.no_grad():
        for parameter in parameters:
            if parameter.grad is not None:
                parameter -= RATE * parameter.grad
                parameter.grad.zero_()


def train(counts: list[int], options: dict[str, Any], divide: bool, leaves_out: bool = False) -> list[Any]:
    """Train on this rank with its number of inputs; return parameters and the buffer."""
    rank = dist.get_rank()
    model = DistributedDataParallel(network(leaves_out), **options)
    with model.join(divide_by_initial_world_size=divide):
        for x in inputs(rank, counts[rank]):
            model(x).backward()
            step_all(model.parameters())
    assert not model._join_config.enable
    return [parameter.tolist() for parameter in model.module.parameters()]


def train_alone(counts: list[int], divide: bool, leaves_out: bool = False) -> list[Any]:
    """Do the same in one process."""
    model = network(leaves_out)
    data = [inputs(rank, count) for rank, count in enumerate(counts)]
    for number in range(max(counts)):
        batch = [own[number] for own in data if number < len(own)]
        loss = sum(model(x) for x in batch) / (len(counts) if divide else len(batch))
        loss.backward()
        step_all(model.parameters())
    return [parameter.tolist() for parameter in model.parameters()]


def assert_alike(found: list[Any], expected: list[Any]) -> None:
    for own in found:
        for one, other in zip(own, expected, strict=True):
            assert wg.allclose(wg.tensor(one), wg.tensor(other), rtol=1e-12, atol=1e-13)


OPTIONS: list[dict[str, Any]] = [
    {}, {"bucket_cap_mb": 1e-5}, {"gradient_as_bucket_view": True, "bucket_cap_mb": 1e-5}, {"static_graph": True},
    {"forward_sync_buffers": False},
]  # fmt: skip


@pytest.mark.parametrize("divide", [True, False])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_uneven_inputs_train_as_in_one_process(options: dict[str, Any], divide: bool) -> None:
    counts = [2, 4, 1]
    assert_alike(run_ranks(3, train, counts, options, divide), train_alone(counts, divide))


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=3).filter(any), st.booleans(), st.integers(0, 99))
def test_any_numbers_of_inputs(counts: list[int], divide: bool, seed: int) -> None:
    found = run_ranks(len(counts), train, counts, {"bucket_cap_mb": 1e-5}, divide, seed=seed)
    assert_alike(found, train_alone(counts, divide))


@pytest.mark.parametrize("as_views", [True, False])
def test_parameters_that_some_inputs_leave_out(as_views: bool) -> None:
    counts = [5, 1]
    options = {"find_unused_parameters": True, "gradient_as_bucket_view": as_views}
    assert_alike(run_ranks(2, train, counts, options, True, True), train_alone(counts, True, True))


def test_a_communication_hook_is_called_by_ranks_without_inputs() -> None:
    def program() -> tuple[int, float]:
        calls = []
        model = DistributedDataParallel(wg.nn.Linear(1, 1, bias=False))

        def hook(state: Any, bucket: dist.GradBucket) -> wg.futures.Future:
            calls.append(bucket.index())
            return wg.distributed.algorithms.ddp_comm_hooks.default_hooks.allreduce_hook(None, bucket)

        model.register_comm_hook(None, hook)
        with model.join():
            for _ in range(1 + 2 * dist.get_rank()):
                model(wg.ones(1)).sum().backward()
        return len(calls), model.module.weight.grad.item()

    assert [calls for calls, _ in run_ranks(2, program)] == [3, 3]


def test_no_sync_and_forwards_without_gradients() -> None:
    def program() -> float:
        model = DistributedDataParallel(wg.nn.Linear(1, 1, bias=False))
        with model.join():
            for _ in range(2 * dist.get_rank()):
                with model.no_sync():
                    model(wg.ones(1)).sum().backward()
                with wg.no_grad():
                    model(wg.ones(1))
                model(wg.ones(1)).sum().backward()
        return model.module.weight.grad.item()

    assert run_ranks(2, program)[1] == 1.5  # (1 + 1 + 0) / 2 is 1, and (1 + 1 + 1 + 0) / 2


def test_the_buffers_come_from_a_rank_that_has_inputs() -> None:
    def program() -> tuple[float, float]:
        model = DistributedDataParallel(network())
        with model.join():
            for x in inputs(0, [1, 4][dist.get_rank()]):
                model(x).backward()
        return model.module.count.item(), dist.get_rank()

    assert [count for count, _ in run_ranks(2, program)] == [4, 4]


@pytest.mark.parametrize("counts", [[3, 1], [1, 3], [0, 2]])
def test_an_optimizer_with_divided_state_steps_for_ranks_without_inputs(counts: list[int]) -> None:
    def program() -> list[Any]:
        model = DistributedDataParallel(network())
        optimizer = dist.optim.ZeroRedundancyOptimizer(model.parameters(), wg.optim.Adam, lr=0.05)
        with join.Join([model, optimizer]):
            for x in inputs(dist.get_rank(), counts[dist.get_rank()]):
                optimizer.zero_grad()
                model(x).backward()
                optimizer.step()
        return [parameter.tolist() for parameter in model.module.parameters()]

    model = network()
    optimizer = wg.optim.Adam(model.parameters(), lr=0.05)
    data = [inputs(rank, count) for rank, count in enumerate(counts)]
    for number in range(max(counts)):
        optimizer.zero_grad()
        (sum(model(own[number]) for own in data if number < len(own)) / 2).backward()
        optimizer.step()
    assert_alike(run_ranks(2, program), [parameter.tolist() for parameter in model.parameters()])


def test_an_optimizer_alone_is_joined() -> None:
    def program() -> list[float]:
        weights = [wg.ones(2, requires_grad=True), wg.ones(3, requires_grad=True)]
        for weight in weights:
            weight.grad = wg.ones_like(weight)
        optimizer = dist.optim.ZeroRedundancyOptimizer(weights, wg.optim.SGD, lr=0.25)
        with join.Join([optimizer]):
            for _ in range(1 + dist.get_rank()):
                optimizer.step()
        return [weight[0].item() for weight in weights]

    assert run_ranks(2, program) == [[0.5, 0.5]] * 2


def test_all_ranks_raise_when_the_first_has_no_inputs_left() -> None:
    def program() -> tuple[int, str]:
        model = DistributedDataParallel(wg.nn.Linear(1, 1))
        steps = 0
        try:
            with model.join(throw_on_early_termination=True):
                for _ in range(2 + 3 * dist.get_rank()):
                    model(wg.ones(1)).sum().backward()
                    steps += 1
        except RuntimeError as error:
            return steps, str(error)
        return steps, ""

    assert run_ranks(3, program) == [
        (2, "Rank 0 exhausted all inputs."),
        (2, "Detected at least one rank that exhausted inputs. Throwing across all ranks."),
        (2, "Detected at least one rank that exhausted inputs. Throwing across all ranks."),
    ]


class Counter(join.Joinable):
    """A joinable that counts the inputs of all ranks."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.last: list[bool] = []

    def __call__(self) -> None:
        join.Join.notify_join_context(self).wait()
        ones = wg.ones(1)
        dist.all_reduce(ones)
        self.count += int(ones.item())

    def join_hook(self, **kwargs: Any) -> join.JoinHook:
        counter = self

        class Hook(join.JoinHook):
            def main_hook(self) -> None:
                zeros = wg.zeros(1)
                dist.all_reduce(zeros)
                counter.count += int(zeros.item())

            def post_hook(self, is_last_joiner: bool) -> None:
                counter.last.append(is_last_joiner)

        return Hook()

    @property
    def join_device(self) -> Any:
        return wg.device("cpu")

    @property
    def join_process_group(self) -> Any:
        return dist.group.WORLD


def test_joinables_of_a_program() -> None:
    def program() -> tuple[int, list[bool]]:
        counter = Counter()
        with join.Join([counter]):
            for _ in range(1 + 2 * dist.get_rank()):
                counter()
        return counter.count, counter.last

    assert run_ranks(2, program) == [(4, [False]), (4, [True])]


def test_nothing_is_called_where_it_is_disabled_or_the_loop_raises() -> None:
    def program() -> str:
        model = DistributedDataParallel(wg.nn.Linear(1, 1))
        with model.join(enable=False):
            model(wg.ones(1)).sum().backward()
        try:
            with model.join():
                raise KeyError("in the loop")
        except KeyError as error:
            return str(error)

    assert run_ranks(2, program) == ["'in the loop'"] * 2


def test_great_skew_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(join, "MUCH_SKEW", 2)

    def program() -> None:
        counter = Counter()
        with join.Join([counter]):
            for _ in range(5 * dist.get_rank()):
                counter()

    with pytest.warns(UserWarning, match="rank 0 has at least 2 fewer inputs than other currently-active ranks"):
        run_ranks(2, program)


def test_bad_arguments() -> None:
    dist.init_process_group("self")
    try:
        with pytest.raises(ValueError, match="requires at least one joinable"):
            join.Join([])
        models = [DistributedDataParallel(wg.nn.Linear(1, 1), process_group=group)
                  for group in (dist.group.WORLD, dist.new_group([0]))]  # fmt: skip
        with pytest.raises(ValueError, match="Using join context manager with multiple process groups"):
            join.Join(models)
        with pytest.raises(AssertionError, match="constructor calls the ``Joinable`` constructor"):
            join.Join.notify_join_context(object())
        with pytest.raises(TypeError, match="abstract"):
            join.Joinable()
    finally:
        dist.destroy_process_group()
