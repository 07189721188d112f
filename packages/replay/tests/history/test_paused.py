"""One recording for a call and its first backward: what happens in between, and where it cannot be."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert_core import memory

explain = wg.replay.explain


def bits(tensor):
    return None if tensor is None else (tensor.detach().numpy().tobytes(), tensor.shape, tensor.stride())


class CallCount:
    """A function of one tensor and two leaves, which counts its runs."""

    def __init__(self):
        self.weights = [wg.tensor([0.5, -1.5, 2.0], requires_grad=True), wg.tensor(0.3, requires_grad=True)]
        self.runs = 0

    def __call__(self, x):
        self.runs += 1
        h = (x * self.weights[0]).exp()
        return (h.sin() * self.weights[1] + h).sum()

    def grads(self):
        found = [bits(one.grad) for one in self.weights]
        for one in self.weights:
            one.grad = None
        return found


def pair(capture=wg.capture):
    """A function, captured, and one like it that is not."""
    own = CallCount()
    return own, capture(own), CallCount()


def point(k=0):
    return wg.tensor([0.1 + k, 0.2, 0.3 - k])


def test_a_call_and_its_backward_run_the_function_once():
    own, f, twin = pair()
    for k in range(4):
        loss, expected = f(point(k)), twin(point(k))
        assert bits(loss) == bits(expected)
        loss.backward()
        expected.backward()
        assert own.grads() == twin.grads()
    assert own.runs == 1
    assert explain(f).replays == 3
    assert [one.reruns for one in explain(f).programs] == [0]


@pytest.mark.parametrize("n", [2, 3])
def test_calls_before_the_first_backward_make_a_program_of_the_call_alone(n):
    own, f, twin = pair()
    for _ in range(3):
        losses, others = [f(point(k)) for k in range(n)], [twin(point(k)) for k in range(n)]
        for loss, other in zip(losses, others, strict=True):
            assert bits(loss) == bits(other)
            loss.backward()
            other.backward()
            assert own.grads() == twin.grads()
    assert own.runs == 2
    assert explain(f).replays == 3 * n - 1


def test_what_explains_a_function_makes_a_program_of_the_call():
    own, f, twin = pair()
    loss, other = f(point()), twin(point())
    assert [one.counts().operations > 3 for one in explain(f).programs] == [True]
    loss.backward()
    other.backward()
    assert own.grads() == twin.grads()
    assert own.runs == 2


def test_a_graph_that_nobody_has_is_freed_and_later_calls_are_replayed():
    big, x = wg.ones(1000, requires_grad=True), wg.ones(1000)
    f = wg.capture(lambda x: (x * big).exp().sin().sum())
    gc.collect()
    before = memory.stats()["bytes_in_use"]
    loss = f(x)
    while_there = memory.stats()["bytes_in_use"]
    del loss
    assert while_there - memory.stats()["bytes_in_use"] >= 4000
    assert memory.stats()["bytes_in_use"] - before <= 1000
    expected = (x * big).exp().sin().sum()
    for _ in range(2):
        assert bits(f(x)) == bits(expected)
    assert explain(f).replays == 2


def test_results_are_the_callers_to_write_to():
    own, f, twin = pair()
    for k in range(4):
        loss, other = f(point(k)), twin(point(k))
        with wg.no_grad():
            loss.mul_(2)
            other.mul_(2)
        assert loss._version == other._version == 1
        loss.backward()
        other.backward()
        assert own.grads() == twin.grads()
    assert f(point())._version == 0
    assert explain(f).replays >= 2


def test_a_result_that_was_written_to_is_not_that_of_a_replay():
    f = wg.capture(lambda x: x.exp())
    x = wg.ones(3, requires_grad=True)
    first = f(x)
    with wg.no_grad():
        first.zero_()
    for _ in range(3):
        y = f(x)
        assert y._version == 0
        assert bits(y) == bits(x.exp())
    assert explain(f).replays == 2


def test_a_result_that_is_written_to_is_an_error_where_its_own_graph_has_it_and_not_here():
    f = wg.capture(lambda x: x.exp())
    for _ in range(3):
        x = wg.ones(3, requires_grad=True)
        y = f(x)
        y.mul_(2)
        y.sum().backward()
        assert bits(x.grad) == bits(wg.ones(3).exp() * 2)


def test_writes_to_leaves_and_arguments_are_errors():
    w, x = wg.ones(2, requires_grad=True), wg.ones(2, requires_grad=True)
    for which in (w, x):
        f = wg.capture(lambda a: (a * w).sum())
        for _ in range(3):
            loss = f(x)
            with wg.no_grad():
                which.add_(1)
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                loss.backward()
        f(x).backward()


def test_a_write_to_memory_outside_does_not_become_the_functions():
    scale, w = wg.ones(3), wg.ones(3, requires_grad=True)
    f = wg.capture(lambda x: (x * scale * w).sum())
    x = wg.ones(3)
    first = f(x)
    scale.mul_(2)
    version = scale._version
    first.backward()  # its gradient needs a product alone, as an eager one
    assert w.grad.tolist() == [1, 1, 1]
    w.grad = None
    for _ in range(3):
        loss = f(x)
        assert loss.item() == 6
        loss.backward()
        assert scale._version == version
        assert w.grad.tolist() == [2, 2, 2]
        w.grad = None


def test_the_same_where_another_call_comes_first():
    scale, w = wg.ones(3), wg.ones(3, requires_grad=True)
    f = wg.capture(lambda x: (x * scale * w).sum())
    x = wg.ones(3)
    _first = f(x)
    scale.mul_(2)
    version = scale._version
    for _ in range(3):
        assert f(x).item() == 6
        assert scale._version == version
    assert explain(f).replays == 3


def test_hooks_of_arguments_and_leaves_are_called_once_in_each_backward():
    w = wg.ones(2, requires_grad=True)
    f = wg.capture(lambda a: (a * a * w).sum())
    for make in (lambda x: x, lambda x: x * 3):
        for _ in range(3):
            seen = []
            x = wg.ones(2, requires_grad=True)
            handle = w.register_hook(seen.append)
            h = make(x)
            h.register_hook(lambda grad: grad * 10)
            f(h).backward()
            assert len(seen) == 1
            factor = make(wg.ones(())).item()
            assert x.grad.tolist() == [20 * factor * factor] * 2
            handle.remove()


def test_an_argument_that_keeps_its_gradient():
    f = wg.capture(lambda a: (a * a).sum())
    for _ in range(3):
        x = wg.ones(2, requires_grad=True)
        h = x * 3
        h.retain_grad()
        f(h).backward()
        assert h.grad.tolist() == [6, 6]
        assert x.grad.tolist() == [18, 18]


def test_a_hook_that_the_function_registers_on_its_argument():
    def double(a):
        a.register_hook(lambda grad: grad * 2)
        return (a * a).sum()

    for make in (lambda x: x, lambda x: x * 1):
        f = wg.capture(double)
        found = []
        for _ in range(3):
            x = wg.ones(2, requires_grad=True)
            f(make(x)).backward()
            found.append(x.grad.tolist())
        assert found[1] == found[2] == [4, 4]


def test_random_numbers_are_those_of_the_call():
    w = wg.ones(50, requires_grad=True)
    found = []
    for capture in (wg.capture, lambda function: function):
        f = capture(lambda x: wg.nn.functional.dropout(x * w, 0.5, training=True).sum())
        wg.manual_seed(3)
        for _ in range(4):
            loss = f(wg.ones(50))
            found.append([bits(loss), bits(wg.rand(2))])
            loss.backward()
            found[-1] += [bits(w.grad), bits(wg.rand(2))]
            w.grad = None
    assert found[:4] == found[4:]


@pytest.mark.parametrize("n", [1, 2])
def test_random_numbers_that_backward_draws_are_those_of_an_eager_run(n):
    class Noisy(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * wg.rand(2)

    found = []
    for capture in (wg.capture, lambda function: function):
        w = wg.ones(2, requires_grad=True)
        f = capture(lambda x: Noisy.apply(x * w * wg.rand(2)).sum())  # noqa: B023
        wg.manual_seed(0)
        for _ in range(3):
            losses = [f(wg.ones(2)) for _ in range(n)]
            for loss in losses:
                wg.rand(3)
                loss.backward()
                found.append((bits(loss), bits(w.grad), bits(wg.rand(2))))
                w.grad = None
    assert found[: 3 * n] == found[3 * n :]


def test_layers_in_a_chain_each_run_once():
    runs = []

    def layer(w, number):
        def run(h):
            runs.append(number)
            return (h @ w).tanh()

        return run

    found = []
    for capture in (wg.capture, lambda function: function):
        wg.manual_seed(0)
        weights = [wg.randn(4, 4, requires_grad=True) for _ in range(6)]
        layers = [capture(layer(w, number)) for number, w in enumerate(weights)]
        for _ in range(3):
            h = wg.ones(2, 4)
            for one in layers:
                h = one(h)
            h.sum().backward()
            found.append([bits(w.grad) for w in weights])
            for w in weights:
                w.grad = None
        if capture is wg.capture:
            assert runs == list(range(6))
    assert found[:3] == found[3:]


def test_not_more_than_some_calls_pause():
    runs = []

    def layer(h, w, number):
        runs.append(number)
        return (h * w).sin()

    w, losses = wg.ones(3, requires_grad=True), []
    layers = [wg.capture(lambda h, number=number: layer(h, w, number)) for number in range(100)]
    for one in layers:
        losses.append(one(wg.ones(3)).sum())
    for loss in losses:
        loss.backward()
    expected = wg.ones(3).cos()
    assert (w.grad - 100 * expected).abs().max() < 1e-4
    assert 100 < len(runs) < 200
    for one in layers:
        one(wg.ones(3)).sum().backward()
    assert all(explain(one).replays == 1 for one in layers)
    assert len(runs) < 200


def test_calls_that_pause_leak_nothing():
    def rounds(n):
        w = wg.ones(100, requires_grad=True)
        for k in range(n):
            f = wg.capture(lambda x: (x * w).exp().sum())
            loss = f(wg.ones(100))
            if k % 3 == 0:
                loss.backward()
            elif k % 3 == 1:
                f(wg.ones(100)).backward()
        f = loss = w = None
        gc.collect()
        return memory.stats()["bytes_in_use"]

    before = rounds(30)
    assert rounds(300) - before < 2000


def test_several_results_with_a_backward_each():
    f, x = wg.capture(lambda a: (a.exp(), a.sin(), 3)), wg.ones(3, requires_grad=True)
    for _ in range(3):
        one, other, number = f(x)
        assert number == 3
        one.sum().backward()
        assert bits(x.grad) == bits(wg.ones(3).exp())
        x.grad = None
        other.sum().backward()
        assert bits(x.grad) == bits(wg.ones(3).cos())
        x.grad = None


def test_a_second_backward_of_the_same_call():
    own, f, twin = pair()
    for _ in range(3):
        loss, other = f(point()), twin(point())
        for keep in (True, False):
            loss.backward(retain_graph=keep)
            other.backward(retain_graph=keep)
            assert own.grads() == twin.grads()
        with pytest.raises(RuntimeError, match="second time"):
            loss.backward()


def test_an_error_in_backward_leaves_everything_usable():
    faults = [True]

    class Failing(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            if faults:
                raise ValueError("a fault")
            return grad * 2

    w = wg.ones(3, requires_grad=True)
    f = wg.capture(lambda x: Failing.apply(x * w).sum(), quiet=True)
    with pytest.raises(ValueError, match="a fault"):
        f(wg.ones(3)).backward()
    faults.clear()
    w.grad = None
    for _ in range(4):
        f(wg.ones(3)).backward()
        assert w.grad.tolist() == [2, 2, 2]
        w.grad = None
    assert explain(f).replays >= 2


def test_a_backward_in_another_thread():
    own, f, twin = pair()
    for _ in range(3):
        loss, other = f(point()), twin(point())
        thread = threading.Thread(target=loss.backward)
        thread.start()
        thread.join()
        other.backward()
        assert own.grads() == twin.grads()
    assert own.runs == 1


def test_a_backward_inside_of_another_capture_or_a_profile():
    own, f, twin = pair()
    loss, other = f(point()), twin(point())
    outer = wg.capture(lambda: loss.backward(), quiet=True)
    outer()
    other.backward()
    assert own.grads() == twin.grads()
    own, f, twin = pair()
    loss, other = f(point()), twin(point())
    with wg.autograd.profiler.profile():
        loss.backward()
    other.backward()
    assert own.grads() == twin.grads()
    for _ in range(3):
        loss, other = f(point()), twin(point())
        loss.backward()
        other.backward()
        assert own.grads() == twin.grads()
    assert explain(f).replays >= 2


def test_a_backward_that_builds_a_graph():
    f = wg.capture(lambda a: (a**3).sum())
    for _ in range(3):
        x = wg.tensor([1.0, 2.0], requires_grad=True)
        (first,) = wg.autograd.grad(f(x), x, create_graph=True)
        (second,) = wg.autograd.grad(first.sum(), x)
        assert first.tolist() == [3, 12]
        assert second.tolist() == [6, 12]


def test_a_parameter_that_is_replaced_between_a_call_and_its_backward():
    class Model:
        w = wg.ones(2, requires_grad=True)

    f = wg.capture(lambda x: (x * Model.w).sum())
    loss, old = f(wg.ones(2)), Model.w
    Model.w = wg.full((2,), 3.0).requires_grad_()
    loss.backward()
    assert old.grad.tolist() == [1, 1]
    del old, loss
    for _ in range(3):
        assert f(wg.ones(2)).item() == 6


def test_a_function_that_keeps_a_tensor_is_recorded_again():
    kept, w = [], wg.ones(2, requires_grad=True)

    def run(x):
        if not kept:
            kept.append(x * 5)
        return (x * w + kept[0]).sum()

    f = wg.capture(run)
    for _ in range(5):
        loss = f(wg.ones(2))
        assert loss.item() == 12
        loss.backward()
        assert w.grad.tolist() == [1, 1]
        w.grad = None
    assert explain(f).replays >= 2


def test_effects_of_a_hook_give_a_warning_in_the_call():
    seen, w = [], wg.ones(2, requires_grad=True)

    def run(x):
        h = x * w
        h.register_hook(lambda grad: seen.append(grad))
        return h.sum()

    f = wg.capture(run, quiet=True)
    for _ in range(3):
        f(wg.ones(2)).backward()
    assert len(seen) >= 1


class Player:
    """What comes between calls and backwards of two functions, and all that can be seen of it."""

    def __init__(self, capture):
        self.own, self.other = CallCount(), CallCount()
        self.f, self.g = capture(self.own), capture(self.other)
        self.is_captured = capture is wg.capture
        self.found, self.losses, self.n = [], [], 0

    def play(self, events):
        for event in events:
            self.n += 1
            if event in ("call", "call_another", "look") or self.losses:
                getattr(self, event)()
        return self.found

    def call(self):
        self.losses.append(self.f(point(self.n)))
        self.found.append(bits(self.losses[-1]))

    def call_another(self):
        self.g(point(self.n)).backward()
        self.found.append(self.other.grads())

    def look(self):
        if self.is_captured:
            str(explain(self.f).programs)

    def backward(self, at=-1):
        try:
            self.losses.pop(at).backward()
        except RuntimeError as error:
            self.found.append("modified" in str(error))
        self.found.append(self.own.grads())

    def first_backward(self):
        self.backward(0)

    def write(self):
        with wg.no_grad():
            self.losses[-1].add_(1)
        self.found.append((bits(self.losses[-1]), self.losses[-1]._version))

    def forget(self):
        self.losses.pop()

    def step(self):
        with wg.no_grad():
            self.own.weights[1].mul_(0.5)


EVENTS = ("call", "call_another", "look", "backward", "first_backward", "write", "forget", "step")


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(EVENTS), min_size=2, max_size=14))
def test_whatever_comes_between_calls_and_backwards_is_as_usual(events):
    assert Player(wg.capture).play(events) == Player(lambda function: function).play(events)


ARRAY = np.ones(3, dtype=np.float32)
LEAVES = {
    "of a derivative": lambda x, w, m: wg.func.grad(lambda q: (q * w).sin().sum())(x),
    "of a derivative of a tensor from outside": lambda x, w, m: wg.func.grad(lambda q: (q * w * x).sin().sum())(m),
    "without another leaf": lambda x, w, m: (m.detach().requires_grad_() * x).sum(),
    "with another leaf": lambda x, w, m: (m.detach().requires_grad_() * x * w).sum(),
    "on the memory of another one": lambda x, w, m: (w.detach().requires_grad_() * x * w).sum(),
    "of NumPy's memory": lambda x, w, m: (wg.from_numpy(ARRAY).requires_grad_() * x * w).sum(),
}


@pytest.mark.parametrize("name", LEAVES)
@pytest.mark.parametrize("has_backward", [True, False])
def test_leaves_that_the_function_makes_on_memory_from_outside_are_no_reason_to_record_again(name, has_backward):
    w, m = wg.tensor([0.3, 0.4, 0.5], requires_grad=True), wg.tensor([1.0, 2.0, 3.0])
    f = wg.capture(lambda x: LEAVES[name](x, w, m), quiet=True)
    for k in range(5):
        x, found = wg.tensor([1.0, 2.0, 3.0 + k]), []
        for result in (f(x), LEAVES[name](x, w, m)):
            if has_backward:
                result.sum().backward()
            found.append((bits(result), bits(w.grad)))
            w.grad = None
        assert found[0] == found[1]
    assert explain(f).replays == 4


def test_steps_of_backward_have_the_line_that_runs_it_and_those_of_hooks_their_own():
    w = wg.ones(2, requires_grad=True)

    def run(x):
        h = x * w
        h.register_hook(lambda grad: grad * 3)
        return h.sum()

    for n in (1, 2):
        f = wg.capture(run, quiet=True)
        for loss in [f(wg.ones(2)) for _ in range(n)]:
            loss.backward()
        lines = {step.line.rpartition(":")[2] for step in explain(f).programs[0].steps if step.line}
        first = run.__code__.co_firstlineno
        assert {str(first + k) for k in (1, 2, 3, 8)} <= lines
        assert all(__file__ in step.line for step in explain(f).programs[0].steps if step.line)
        w.grad = None


@pytest.mark.parametrize("kind", ["result", "argument as a result", "leaf"])
def test_a_call_whose_result_is_gone_holds_no_argument(kind):
    """As in an eager run; what comes later is replayed by the program of that call."""
    w = wg.tensor([1.0, 2.0], requires_grad=True)
    functions = {
        "result": lambda x: (x * w).sum(),
        "argument as a result": lambda x: (x, (x * w).sum()),
        "leaf": lambda x: (x * 2).sum(),
    }
    f = wg.capture(functions[kind])
    x = wg.tensor([3.0, 4.0], requires_grad=kind == "leaf")
    result, reference = f(x), weakref.ref(x)
    shares = x.detach() if kind == "result" else None  # its memory lives on, and is written to
    del x, result
    assert reference() is None
    if shares is not None:
        shares.fill_(7.0)
    trash = [wg.full((2,), float(k)) for k in range(8)]  # gets the memory
    for k in range(3):
        x = wg.tensor([1.0 + k, 5.0], requires_grad=kind == "leaf")
        result = f(x)
        if kind == "argument as a result":
            assert result[0] is x
            result = result[1]
        assert result.item() == (2 * (6 + k) if kind == "leaf" else 11 + k)
        w.grad = None
        result.backward()
        assert (x if kind == "leaf" else w).grad.tolist() == ([2, 2] if kind == "leaf" else [1 + k, 5])
        assert x._version == 0
    assert explain(f).replays == 3
    assert len(trash) == 8
