"""Nothing is left behind: 20,000 rounds of each scenario of leak_scenarios.py, each in a process of its own, and cycles
that the collector must find.
"""

import gc
import subprocess
import sys
import weakref
from pathlib import Path

import pytest
import wengert as torch

SCENARIOS = ["small_graphs", "hooks", "hooks_that_know_their_tensor", "cycles_of_create_graph", "second_order",
             "exceptions_in_hooks", "exceptions_in_functions", "custom_functions", "custom_functions_in_cycles",
             "saved_results", "graphs_that_are_never_run", "refused_backwards", "writes_to_views", "data_and_detach",
             "hooks_for_saved_tensors", "anomaly_mode", "transforms_of_functions",
             "profiles", "followed_memory", "replays", "recordings"]
ROUNDS = 20_000
MOST_BLOCKS = ROUNDS // 10             # of Python's allocator: one object a round would be ten times as many
MOST_BYTES = 48 * ROUNDS               # of all memory: the smallest thing a graph is made of is larger

pytestmark = pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="resident memory is read there")


def growth(name):
    done = subprocess.run([sys.executable, str(Path(__file__).with_name("leak_scenarios.py")), name, str(ROUNDS)],
                          capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return tuple(map(int, done.stdout.split()))


@pytest.mark.parametrize("name", SCENARIOS)
def test_memory_stays_flat(name):
    blocks, memory = growth(name)
    assert blocks < MOST_BLOCKS
    assert memory < MOST_BYTES


def test_a_leak_of_one_object_a_round_is_seen():
    assert growth("one_object_each_time")[0] > MOST_BLOCKS


def test_a_leak_of_64_bytes_a_round_is_seen():
    assert growth("few_bytes_each_time")[1] > MOST_BYTES


def alive(make):
    """Whether what ``make`` returns is there before, and after, a collection."""
    gc.collect()
    gc.disable()
    try:
        reference = weakref.ref(make())
        before = reference() is not None
        gc.collect()
        return before, reference() is not None
    finally:
        gc.enable()


def cycle_of_create_graph():
    x = torch.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match="create_graph=True"):
        (x * x).sum().backward(create_graph=True)
    return x


def cycle_of_a_hook():
    y = torch.ones(2, requires_grad=True) * 2
    y.register_hook(lambda g: g + 0 * y)
    return y


def cycle_of_a_leaf_hook():
    x = torch.ones(2, requires_grad=True)
    x.register_post_accumulate_grad_hook(lambda t: x)
    return x


def cycle_of_a_context():
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    y = Twice.apply(torch.ones(2, requires_grad=True))
    y.grad_fn.out = y
    return y


def cycle_of_metadata():
    y = torch.ones(2, requires_grad=True) * 2
    y.grad_fn.metadata["out"] = y
    return y


def cycle_of_an_attribute():
    y = torch.ones(2, requires_grad=True) * 2
    y.myself = y
    return y


@pytest.mark.parametrize("make", [cycle_of_create_graph, cycle_of_a_hook, cycle_of_a_leaf_hook, cycle_of_a_context,
                                  cycle_of_metadata, cycle_of_an_attribute])
def test_the_collector_finds_cycles(make):
    assert alive(make) == (True, False)


def no_cycle_saved_result():
    return (torch.ones(2, requires_grad=True) * 2).exp()


def no_cycle_of_retained_gradients():
    y = torch.ones(2, requires_grad=True) * 2
    y.retain_grad()
    y.sum().backward()
    return y


def no_cycle_of_a_written_view():
    y = torch.ones(2, requires_grad=True) * 2
    y[:1].mul_(3)
    return y


@pytest.mark.parametrize("make", [no_cycle_saved_result, no_cycle_of_retained_gradients, no_cycle_of_a_written_view])
def test_what_needs_no_collector(make):
    assert alive(make) == (False, False)
