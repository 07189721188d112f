"""Tensors of the host in calls on a device: a recording that fails leaves them as they were."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import wengert as wg
from sim_graphs import CUDAGraph, capture, graph

explain = wg.replay.explain


def on_sim(values, **options):
    return wg.tensor(values, device="sim", **options)


def from_the_host(x):
    """A copy that no graph has: the capture raises an error."""
    return wg.tensor([1.0, 2.0]).to("sim") + x


OPTIMIZERS = {
    "Adam": {}, "AdamW": {}, "Adamax": {}, "NAdam": {}, "RAdam": {}, "RMSprop": {}, "Rprop": {}, "Adagrad": {},
    "Adadelta": {}, "SGD": {"momentum": 0.9}, "ASGD": {}, "Adam of lists": {"foreach": True},
    "Adam with capturable": {"capturable": True}, "Adam with a tensor as lr": {},
}  # fmt: skip


def training_step(name):
    """Return parameters, a step with an optimizer of a class, and what the optimizer has."""
    params = [on_sim([1.0, 2.0]).requires_grad_(), on_sim([3.0, 4.0]).requires_grad_()]
    lr = wg.tensor(0.1) if name.endswith("lr") else 0.1
    optimizer = getattr(wg.optim, name.partition(" ")[0])(params, lr=lr, **OPTIMIZERS[name])

    def step(x):
        optimizer.zero_grad()
        ((params[0] * x).square().sum() + (params[1] * x).sum()).backward()
        optimizer.step()
        return from_the_host(x)

    def look():
        states = [optimizer.state[one] for one in params]
        return [one.tolist() for one in params], [
            [(key, one.tolist(), one._version) for key, one in sorted(state.items()) if isinstance(one, wg.Tensor)]
            for state in states
        ]

    return step, look


@pytest.mark.parametrize("default", ["cpu", "sim"])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_optimizer_steps_once_where_the_capture_fails(name, default):
    seen = []
    wg.set_default_device(default)
    try:
        for options in (None, {}, {"guard_python": True}, {"validate": True}):
            step, look = training_step(name)
            call = step if options is None else wg.capture(step, quiet=True, **options)
            seen.append([(call(on_sim([0.3, 0.5 + k])).tolist(), look()) for k in range(5)])
    finally:
        wg.set_default_device("cpu")
    for one in seen[1:]:
        assert one == seen[0]


class Host:
    """Tensors of the host that functions write to."""

    def __init__(self):
        self.n, self.leaf = wg.zeros(3), wg.ones(2, requires_grad=True)
        self.leaf.grad = wg.ones(2)
        self.array = np.zeros(3, np.float32)
        self.shared = wg.from_numpy(self.array)

    def look(self):
        tensors = (self.n, self.leaf.grad, self.shared)
        return [(one.tolist(), one._version) for one in tensors], self.array.tolist()


def store_row(h):
    h.n[0] = h.n[0] + 1


def raise_error(h):
    h.n.add_(1)
    raise ValueError("of the function")


WRITES = {
    "in place": lambda h: h.n.add_(1),
    "twice": lambda h: h.n.add_(1).mul_(2).sub_(0.5),
    "a view": lambda h: h.n[1:].add_(1),
    "a number": store_row,
    "a result": lambda h: wg.add(h.n, 1, out=h.n),
    "by an alias": lambda h: (h.n.data.add_(1), h.n.add_(2), h.n.detach().mul_(2)),
    "a list": lambda h: wg._foreach_add_([h.n, h.shared], 1),
    "random numbers": lambda h: h.n.normal_(),
    "an array": lambda h: h.shared.add_(1),
    "a gradient": lambda h: (h.leaf * 2).sum().backward(),
    "an error": raise_error,
}  # fmt: skip
ENDS = {
    "the capture raises": from_the_host,
    "it is refused": lambda x: x * 2,
    "it is refused with a graph": lambda x: x.requires_grad_() * 2,
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("name", WRITES)
def test_memory_of_the_host_is_written_once(name, end):
    seen = []
    for is_captured in (False, True):
        host = Host()
        wg.manual_seed(0)

        def function(x, host=host):
            WRITES[name](host)
            return ENDS[end](x)

        call = wg.capture(function, quiet=True) if is_captured else function
        seen.append([])
        for k in range(4):
            try:
                result = call(on_sim([1.0, k])).tolist()
            except ValueError as error:
                result = str(error)
            seen[-1].append((result, host.look(), wg.get_rng_state().tolist()))
    assert seen[1] == seen[0]


FIRST = """
import sys
import wengert as wg
from wengert_registry import registry
from wengert_testing.sim import SimDevice

if "sim" not in registry.group("devices"):
    registry.group("devices").add("sim", SimDevice, owner="test")
assert "numpy.random" not in sys.modules
f = wg.capture(FUNCTION)
for k in (1, 1, 1, 9, 9, 9, 1):
    f(wg.ones(3, device="DEVICE") * k)
found = wg.replay.explain(f)
assert found.replays >= 3, found
assert not any("random" in one for one in found.reasons), found
"""


FUNCTIONS = {
    "no draw": "lambda x: x * 2", "a number": "lambda x: x * 2 if x.sum() > 5 else x",
    "a draw": "lambda x: x * wg.rand(3, device=x.device)",
    "a draw later": "lambda x: x * wg.rand(3, device=x.device) if x.sum() > 5 else x",
}  # fmt: skip


@pytest.mark.parametrize("device", ["sim", "cpu"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_first_function_of_a_process_is_replayed(name, device):
    program = FIRST.replace("FUNCTION", FUNCTIONS[name]).replace("DEVICE", device)
    found = subprocess.run([sys.executable, "-W", "error", "-c", program],
                           capture_output=True, text=True, check=False)  # fmt: skip
    assert found.returncode == 0, found.stderr


# ---- graphs, and optimizers that count in Python

CAPTURABLE = ["Adam", "AdamW", "Adamax", "NAdam", "RAdam", "RMSprop", "Rprop", "ASGD", "Adadelta"]
WORDS = "Attempting SIM graph capture of step() for an instance of {} but param_groups' capturable is False."


def graphed_step(name, **options):
    w = wg.ones(2, 2, device="sim").requires_grad_()
    w.grad = wg.ones(2, 2, device="sim")
    optimizer = getattr(wg.optim, name)([w], lr=0.1, **options)
    for _ in range(2):
        optimizer.step()
    return w, optimizer


@pytest.mark.parametrize("where", ["cpu", "sim"])
@pytest.mark.parametrize("name", [*CAPTURABLE, "Adafactor"])
def test_a_graph_around_an_optimizer_without_capturable_is_an_error(name, where):
    """As in PyTorch, also for parameters of the host; there Adafactor, which has no such option, raises KeyError."""
    w, optimizer = graphed_step(name) if where == "sim" else (None, None)
    if w is None:
        w = wg.ones(2, 2, requires_grad=True)
        w.grad = wg.ones(2, 2)
        optimizer = getattr(wg.optim, name)([w], lr=0.1)
        optimizer.step()
    before = w.tolist(), optimizer.state[w]["step"].item()
    made = CUDAGraph()
    with pytest.raises(RuntimeError) as caught, graph(made):
        optimizer.step()
    assert str(caught.value) == WORDS.format(name)
    assert (w.tolist(), optimizer.state[w]["step"].item()) == before
    optimizer.step()
    assert optimizer.state[w]["step"].item() == before[1] + 1


@pytest.mark.parametrize("name", CAPTURABLE)
def test_with_capturable_each_replay_counts(name):
    w, optimizer = graphed_step(name, capturable=True)
    made, _ = capture(optimizer.step)
    for _ in range(3):
        made.replay()
    assert optimizer.state[w]["step"].item() == 5


def test_without_a_count_there_is_no_error():
    w, optimizer = graphed_step("SGD")
    made, _ = capture(optimizer.step)
    made.replay()
    wg.testing.assert_close(w.detach().cpu(), wg.full((2, 2), 0.7))


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop", "NAdam"])
@pytest.mark.parametrize("is_mode", [False, True])
def test_steps_are_replayed_whatever_the_default_device_is(name, is_mode):
    w = on_sim([1.0, 2.0]).requires_grad_()
    options = {} if name == "SGD" else {"capturable": True}
    optimizer = getattr(wg.optim, name)([w], lr=0.1, **options)

    def step(x):
        with wg.device("sim" if is_mode else "cpu"):
            optimizer.zero_grad()
            (w * x).sum().backward()
            optimizer.step()
        return w.detach() * 1

    wg.set_default_device("cpu" if is_mode else "sim")
    try:
        function = wg.capture(step)
        for _ in range(5):
            function(on_sim([1.0, 3.0]))
    finally:
        wg.set_default_device("cpu")
    assert explain(function).replays >= 2
