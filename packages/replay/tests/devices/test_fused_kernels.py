"""Chains of pointwise operations on a device: one kernel, with the bits, gradients and writes of usual calls."""

from __future__ import annotations

import subprocess
import sys

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from sim_graphs import SIM, on_sim
from wengert import nn
from wengert_core.devices import device as devices
from wengert_testing.sim import SimDevice
from wengert_testing.sim.fusion import SimKernel

explain = wg.replay.explain


@pytest.fixture(autouse=True)
def _kernels(_sim):
    take_kernels()


def random(*shape, dtype=wg.float32):
    return wg.randn(*shape).to(dtype).to("sim")


def take_kernels():
    """The fused kernels that have been queued since the last call: operations and outputs of each."""
    kernels = devices.plugin_of("sim").fused_kernels
    found = [(" ".join(step.op for step in one.steps), len(one.outputs)) for one in kernels]
    kernels.clear()
    return found


def kernels_of(function, *args):
    """The fused kernels of a function's recording, whose results must be those of usual calls."""
    run = wg.capture(function)
    expected = function(*args)
    for _ in range(3):
        assert_same(run(*args), expected)
    assert explain(run).replays == 1, explain(run)
    return take_kernels()


def assert_same(got, expected):
    if isinstance(expected, tuple):
        for one, other in zip(got, expected, strict=True):
            assert_same(one, other)
        return
    assert (got.dtype, got.shape, got.stride()) == (expected.dtype, expected.shape, expected.stride())
    assert got.cpu().numpy().tobytes() == expected.cpu().numpy().tobytes()


def test_a_chain_is_one_kernel_with_one_result():
    def function(x, y):
        return ((x * 2 + y).tanh() / (y.abs() + 0.5)).exp()

    assert kernels_of(function, random(4, 5), random(4, 5)) == [("mul add tanh abs add div exp", 1)]


def test_what_somebody_still_has_is_written():
    def function(x):
        y = x.exp()
        z = (y + 1).log()
        return y, z, (z * y).sum()

    assert kernels_of(function, random(7)) == [("exp add log mul", 3)]


def steps_of(n, monkeypatch):
    """Return what n calls of a captured step give, and how much work its graph has."""
    wg.manual_seed(0)
    w, graphs, finish = random(50).requires_grad_(), [], SimDevice.end_capture

    def step(x):
        w.grad = None
        ((x * w).tanh() * 0.5 + x.exp() - w).sigmoid().mean().backward()
        return x * 1

    with monkeypatch.context() as patch:
        patch.setattr(SimDevice, "end_capture", lambda *args: graphs.append(finish(*args)) or graphs[-1])
        run = wg.capture(step)
        found = [(run(random(50)).tolist(), w.grad.tolist()) for _ in range(n)]
    assert explain(run).replays == n - 2
    return found, len(graphs[-1].nodes)


def test_launches_are_fewer_and_gradients_the_same(monkeypatch):
    found, launches = steps_of(5, monkeypatch)
    assert ("mul tanh mul exp add sub sigmoid", 2) in take_kernels()
    monkeypatch.setattr(SimDevice, "fusible", ())
    expected, launches_without = steps_of(5, monkeypatch)
    assert not take_kernels()
    assert found == expected
    assert launches < launches_without // 2


@pytest.mark.parametrize(("function", "kernels"), [
    (lambda x, y: (x + y[0]).exp() * y[:, :1], ["add exp mul"]),  # rows and columns are repeated
    (lambda x, y: (x.t() * 2 + 1).contiguous(), []),  # what is not row-major by itself stays alone
    (lambda x, y: (x + y.t().contiguous().t()).exp() * 2, ["add exp mul"]),  # read by columns
    (lambda x, y: (x * 2).reshape(9).exp().reshape(3, 3) - y, ["mul exp sub"]),
    (lambda x, y: (x * y.sum() + y.sum()).exp(), ["mul", "add exp"]),  # numbers of the device
    (lambda x, y: (x[0] * 2).exp() + (y * 3).exp()[0] * 1, ["mul exp", "mul exp", "mul add"]),  # of several sizes
    (lambda x, y: (x.double() * 0.1).exp() + y * 0.1, ["mul exp", "mul"]),  # of two dtypes
    (lambda x, y: (x.long() * 3 + 1).float() * 2 + 1, ["mul add"]),
    (lambda x, y: wg.where(x > 0, x * 2 + 1, y), ["mul add"]),
    (lambda x, y: x * (2**60 + 1) + y, ["add"]),
    (lambda x, y: (x @ y).tanh() * 2 @ (x + 1).exp(), ["tanh mul add exp"]),
    (lambda x, y: x.mul(2) + wg.rand(3, 3, device="sim") * 0, ["mul", "mul add"]),
    (lambda x, y: (x[None] + y).relu().squeeze(0) * 2, ["add relu mul"]),
    (lambda x, y: (x.square() + y**3 - (y * y + 1) ** 0.5).exp(), ["pow 2 pow 3 add mul add pow 0.5 sub exp"]),
    (lambda x, y: (x**2.5 + y.pow(y)).exp(), ["pow pow add exp"]),
    (lambda x, y: nn.functional.gelu(x, approximate="tanh") + 1, ["gelu tanh add"]),
    (lambda x, y: wg.div(x, y, rounding_mode="floor") * 2, None),
    (lambda x, y: wg.add(x, y, alpha=3) * 2, None),
    (lambda x, y: x.clamp(-0.5, 0.5) * 2, None),
    (lambda x, y: (x.half() * 2 + 1).float() * 2, None),
])  # fmt: skip
def test_what_goes_together(function, kernels):
    found = kernels_of(function, random(3, 3), random(3, 3))
    assert kernels is None or [ops for ops, _ in found] == kernels


def in_place(x, y):
    z = x * 1
    z += y
    z.mul_(2).exp_()
    return z - y


def written_view(x, y):
    z = x * 2
    z[0].add_(y[0])
    z[1:] *= 3
    return z + 1


def overlapping(x, y):
    z = x * 2
    row = z[0] + 1
    z.t().add_(1)
    return z * 2, row


def shift(x, y):
    z = (x * 2).reshape(9)
    z[1:] = z[:-1] * 3 + z[1:]
    return z.exp()


def write_out(x, y):
    z = wg.empty_like(x)
    wg.mul(x, y, out=z)
    wg.exp(z, out=z)
    return z * 2


def read_then_written(x, y):
    z = x * 2
    first = z + y[0]
    z.copy_(y)
    return first * z


def write_repeats(x, y):
    row = y[0] * 1
    z = x + row
    row.mul_(5)
    return z * row


@pytest.mark.parametrize("function", [
    in_place, written_view, overlapping, shift, write_out, read_then_written, write_repeats,
])  # fmt: skip
def test_writes_and_views(function):
    kernels_of(function, random(3, 3), random(3, 3))


def test_writes_to_arguments_and_outside():
    total = on_sim([0.0, 0.0])

    def function(x):
        x.mul_(2).add_(1)
        total.add_(x).mul_(0.5)

    run, host = wg.capture(function), [0.0, 0.0]
    for k in range(5):
        x = on_sim([1.0, 2.0])
        run(x)
        host = [(a + b) / 2 for a, b in zip(host, (3.0, 5.0), strict=True)]
        assert (x.tolist(), total.tolist(), total._version) == ([3, 5], host, 2 * k + 2)
    assert take_kernels() == [("mul add add mul", 2)]


def test_memory_from_outside_that_the_function_lets_go_is_written():
    box = [on_sim([1.0, 2.0])]
    view = box[0].view(2)

    def function(x):
        box[0].mul_(x)
        box[0] = view.view(2)
        return x + 1

    run = wg.capture(function)
    for _ in range(4):
        run(on_sim([2.0, 3.0]))
    assert view.tolist() == [16, 162]


def test_an_address_that_leaves_comes_behind_the_work():
    def function(x):
        y = x * 2 + 1
        assert y.data_ptr()
        return y.exp() * 2

    assert [ops for ops, _ in kernels_of(function, random(3))] == ["mul add", "exp mul"]


def test_work_on_several_streams_keeps_its_order():
    side = SIM["Stream"]()

    def function(x):
        y = x * 2 + 1
        side.wait_stream(SIM["current_stream"]())
        with SIM["stream"](side):
            z = y.exp() * 3
            total = z.sum()
        SIM["current_stream"]().wait_stream(side)
        return z + total

    x = random(4)
    run = wg.capture(function)
    for _ in range(4):
        assert_same(run(x), function(x))
    assert explain(run).replays == 2


def test_long_chains_are_several_kernels():
    def function(x):
        for k in range(100):
            x = x * 0.5 + k
        return x

    counts = [ops.count(" ") + 1 for ops, _ in kernels_of(function, random(3))]
    assert sum(counts) == 200
    assert max(counts) <= 64
    assert len(counts) <= 8


def test_a_kernel_that_cannot_be_made_leaves_the_operations(monkeypatch):
    def refuse(self, *args):
        raise ValueError("no room")

    monkeypatch.setattr(SimKernel, "__init__", refuse)
    calls = []

    def function(x):
        calls.append(1)
        return (x * 2 + 1).exp()

    run, x = wg.capture(function, quiet=True), random(3)
    for _ in range(5):
        assert_same(run(x), function(x))
    assert explain(run).replays == 2
    assert explain(run).reasons == ["the device computes operations one by one: no room"]
    assert len(calls) == 5 + 4  # usual, recorded and as usual, recorded


def test_an_error_of_the_function_drops_what_waits():
    w = on_sim([1.0, 2.0])

    def function(x, fails):
        w.mul_(2)
        if fails:
            raise KeyError("fails")
        return w + x

    run = wg.capture(function)
    run(on_sim([1.0, 1.0]), False)
    for _ in range(2):
        with pytest.raises(KeyError):
            run(on_sim([1.0, 1.0]), True)
    assert w.tolist() == [8, 16]
    assert run(on_sim([1.0, 1.0]), False).tolist() == [17, 33]
    assert w.tolist() == [16, 32]


STEPS = {
    "mul": lambda x, y: x * y, "add": lambda x, y: x + y * 0.5, "exp": lambda x, y: (x * 0.1).exp(),
    "number": lambda x, y: 2.5 - x, "in place": lambda x, y: x.add_(y), "in place with itself": lambda x, y: x.mul_(x),
    "keep": lambda x, y: (KEPT.append(x), x.tanh())[1], "row": lambda x, y: x + y[1],
    "column": lambda x, y: x * y[:, :1], "square": lambda x, y: x.square() - y**3,
    "view": lambda x, y: x.reshape(9).sigmoid().view(3, 3), "transposed": lambda x, y: x + y.t(),
    "write a row": lambda x, y: (x[0].mul_(2), x)[1], "write rows": lambda x, y: (x[1:].add_(y[:-1]), x)[1],
    "write columns": lambda x, y: (x[:, 1:].mul_(0.5), x)[1], "total": lambda x, y: x - x.sum(),
    "out": lambda x, y: wg.mul(x, y, out=x), "copy": lambda x, y: y.copy_(x) * 2,
    "flat": lambda x, y: x.view(-1).add_(1).view(3, 3),
    "shift": lambda x, y: (x.view(-1)[1:].copy_(x.view(-1)[:-1] * 2), x)[1], "drop": lambda x, y: (KEPT.clear(), x)[1],
}  # fmt: skip
KEPT: list[wg.Tensor] = []


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=9), st.booleans(), st.booleans())
def test_random_programs_give_the_bits_of_eager_calls(names, has_gradient, is_double):
    def outcome(is_captured):
        wg.manual_seed(0)
        dtype = wg.float64 if is_double else wg.float32
        w = (wg.randn(3, 3, dtype=dtype) * 0.5).to("sim").requires_grad_(has_gradient)
        state = wg.zeros(3, 3, dtype=dtype, device="sim")

        def function(x):
            KEPT.clear()
            y, x = w * 1, x * 1
            for name in names:
                x, y = STEPS[name](x, y.detach() if name in ("copy", "out") else y), x.detach() * 0.5
            state.mul_(0.5).add_(x.detach())
            if has_gradient:
                w.grad = wg.autograd.grad((x * x.detach().cos()).sum() + w.sum(), w)[0]
            found = tuple(one.detach() * 1 for one in (x, *KEPT))
            KEPT.clear()
            return found

        run = wg.capture(function, quiet=True) if is_captured else function
        try:
            found = [[one.tolist() for one in run(wg.randn(3, 3, dtype=dtype).to("sim"))] for _ in range(5)]
        except RuntimeError as error:
            return str(error).split(",")[0]
        if is_captured:
            assert explain(run).replays, explain(run)
        return found, w.grad.tolist() if has_gradient else None, state.tolist(), state._version

    assert repr(outcome(True)) == repr(outcome(False))


def test_memory_of_the_simulated_device_outlives_the_interpreter_quietly():
    program = """if True:
        import wengert as wg
        from wengert_registry import registry
        from wengert_testing.sim import SimDevice
        registry.group("devices").register("sim", SimDevice)
        wg.kept = wg.ones(3, device="sim")
        class Late:
            def __init__(self, tensor):
                self.tensor, self.me = tensor, self
        import builtins
        builtins.late = Late(wg.ones(3, device="sim"))
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == ""
