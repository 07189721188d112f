"""Random programs: what every profile's events obey, however they are nested."""

import random

import pytest
import wengert as wg
from wengert.autograd.profiler import profile, record_function


def program(choose, depth=0):
    """A few operations, functions, labels, derivatives and failures."""
    functional = wg.nn.functional
    x = wg.ones(3, 3, requires_grad=choose.random() < 0.5)
    for _ in range(choose.randint(1, 4)):
        kind = choose.randrange(8)
        if kind == 0:
            functional.relu(functional.gelu(x))
        elif kind == 1:
            functional.linear(x, x, x[0] if choose.random() < 0.5 else None)
        elif kind == 2 and depth < 3:
            with record_function(choose.choice("ab")):
                program(choose, depth + 1)
        elif kind == 3 and x.requires_grad and wg.is_grad_enabled():
            functional.cross_entropy(functional.linear(x, x), wg.tensor([0, 1, 2])).backward()
        elif kind == 4:
            with pytest.raises(RuntimeError):
                functional.linear(x, wg.ones(5, 4))
        elif kind == 5:
            wg.vmap(functional.relu)(x.detach())
        elif kind == 6 and depth < 3:
            checkpoint_like(choose, x, depth)
        else:
            x = wg.add(x.detach(), x.detach(), alpha=2).requires_grad_(x.requires_grad)


def checkpoint_like(choose, x, depth):
    class Runs(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            program(choose, depth + 1)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return wg.nn.functional.relu(grad)

    y = Runs.apply(x)
    if y.requires_grad:
        y.sum().backward()


@pytest.mark.parametrize("seed", range(25))
def test_events_lie_inside_of_each_other_and_add_up(seed):
    choose = random.Random(seed)
    with profile(record_shapes=True, profile_memory=True, with_flops=True, with_stack=seed % 2 == 0) as prof:
        for _ in range(4):
            program(choose)
    table = prof.records().table
    for i, (parent, depth) in enumerate(zip(table["parent"].tolist(), table["depth"].tolist(), strict=True)):
        assert parent < i
        assert depth == (table["depth"][parent] + 1 if parent >= 0 else 0)
        if parent >= 0:
            assert table["start"][parent] <= table["start"][i] <= table["end"][i] <= table["end"][parent]
    assert (table["start"][1:] >= table["start"][:-1]).all()
    for event in prof.function_events:
        assert event.self_cpu_time_total >= -1e-6
        inside = [(child.name, child.input_shapes[:1]) for child in event.cpu_children]
        if event.name.startswith("aten::"):  # an operation on a batch is inside of that on its parts
            assert inside != [(event.name, event.input_shapes[:1])]
    for fast, slow in zip(prof.key_averages(True), prof.function_events.key_averages(True), strict=True):
        for name in ("key", "count", "flops", "input_shapes", "cpu_memory_usage", "self_cpu_memory_usage"):
            assert getattr(fast, name) == getattr(slow, name), name
        assert fast.self_cpu_time_total == pytest.approx(slow.self_cpu_time_total, abs=1e-6)
    assert sum(one.self_cpu_memory_usage for one in prof.key_averages()) == prof.total_average().self_cpu_memory_usage
