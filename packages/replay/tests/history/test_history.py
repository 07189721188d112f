"""Captured functions whose results have a graph: gradients to any order, of arguments and of leaves from outside."""

from __future__ import annotations

import gc
import threading
import warnings
import weakref
from types import SimpleNamespace

import pytest
import wengert as wg
from wengert_core import memory

explain = wg.replay.explain


def same(one, other):
    """The same numbers, dtypes and strides; None beside None."""
    if one is None or other is None:
        return one is other
    return (one.dtype, one.shape, one.stride()) == (
        other.dtype,
        other.shape,
        other.stride(),
    ) and one.detach().numpy().tobytes() == other.detach().numpy().tobytes()


def network(seed=0):
    wg.manual_seed(seed)
    return [wg.randn(4, 3, requires_grad=True), wg.randn(4, requires_grad=True), wg.randn(2, 4, requires_grad=True)]


def forward(weights, x):
    first, bias, second = weights
    return (x @ first.t() + bias).tanh() @ second.t()


def test_calls_and_gradients_are_replayed_with_the_bits_of_an_eager_run():
    weights, twins = network(), network()
    f = wg.capture(lambda x: forward(weights, x))
    for k in range(5):
        x, y = (wg.full((5, 3), 0.1 * k).requires_grad_() for _ in range(2))
        got, expected = f(x), forward(twins, y)
        assert same(got, expected)
        assert got.requires_grad
        (got * got).sum().backward()
        (expected * expected).sum().backward()
        assert same(x.grad, y.grad)
        for one, other in zip(weights, twins, strict=True):
            assert same(one.grad, other.grad)
            one.grad = other.grad = None
    assert explain(f).replays >= 3
    assert explain(f).reasons == []


def test_the_result_is_the_output_of_one_node_that_leads_to_arguments_and_leaves():
    w, x = wg.ones(2, requires_grad=True), wg.ones(2, requires_grad=True)
    f = wg.capture(lambda a: (a * w).exp().sum())
    h = x * 2
    for _ in range(3):
        node = f(h).grad_fn
        assert node.name() == "ReplayBackward"
        assert [type(one).__name__ for one, _ in node.next_functions if one] == ["MulBackward0", "AccumulateGrad"]


def test_gradients_flow_through_arguments_with_a_history():
    w, v = wg.tensor([2.0, 3.0], requires_grad=True), wg.tensor([2.0, 3.0], requires_grad=True)
    f = wg.capture(lambda h: h.sin() * h)
    for k in range(4):
        f(w * k).sum().backward()
        h = v * k
        (h.sin() * h).sum().backward()
        assert same(w.grad, v.grad)
    assert explain(f).replays >= 2


def test_a_call_between_forward_and_backward_does_not_change_the_gradients():
    f = wg.capture(lambda x: x.exp() * x)
    for k in range(4):
        x, y = (wg.tensor([0.1 * k, n], requires_grad=True) for n in (1.0, 2.0))
        first, second = f(x), f(y)
        first.sum().backward()
        second.sum().backward()
        for one in (x, y):
            twin = one.detach().requires_grad_()
            (twin.exp() * twin).sum().backward()
            assert same(one.grad, twin.grad)


@pytest.mark.parametrize("order", [2, 3, 4])
def test_derivatives_of_higher_order_are_those_of_an_eager_run(order):
    w = wg.tensor([0.5, 1.5], dtype=wg.float64, requires_grad=True)

    def plain(x):
        return (x * w).sin() * x

    def derivatives(f, start):
        x = wg.tensor(start, dtype=wg.float64, requires_grad=True)
        y, found = f(x).sum(), []
        for k in range(order):
            y, of_w = (one.sum() for one in wg.autograd.grad(y, [x, w], create_graph=k + 1 < order))
            found += [y, of_w]
        return found

    f = wg.capture(plain)
    for k in range(5):
        start = [0.1 * k, 1.0 + k]
        got, expected = derivatives(f, start), derivatives(plain, start)
        assert [one.item() for one in got] == pytest.approx([one.item() for one in expected], rel=1e-14)


def test_gradients_of_higher_order_are_replayed_too():
    f = wg.capture(lambda x: (x * x * x).sum())
    for k in range(6):
        x = wg.tensor([1.0 + k, 2.0], requires_grad=True)
        (first,) = wg.autograd.grad(f(x), x, create_graph=True)
        (second,) = wg.autograd.grad(first.sum(), x)
        assert second.tolist() == [6 * (1.0 + k), 12.0]
    programs = explain(f).programs
    assert len(programs) >= 2
    assert sum(one.replays for one in programs) >= 6


def test_a_gradient_penalty_inside_of_the_function():
    def penalty(x):
        (grad,) = wg.autograd.grad((x**3).sum(), x, create_graph=True)
        return (grad**2).sum()

    f = wg.capture(penalty)
    for k in range(4):
        x, y = (wg.tensor([1.0 + k, 2.0], requires_grad=True) for _ in range(2))
        f(x).backward()
        penalty(y).backward()
        assert same(x.grad, y.grad)


def test_some_of_several_results_get_gradients():
    def several(x):
        return {"a": x * 2, "b": (x.log(), x.detach() + 1), "n": 3}

    f = wg.capture(several)
    for k in range(6):
        x, y = (wg.tensor([0.0, 2.0], requires_grad=True) for _ in range(2))
        got, expected = f(x), several(y)
        assert got["n"] == 3
        assert not got["b"][1].requires_grad
        if k % 3 != 1:
            got["a"].sum().backward()
            expected["a"].sum().backward()
        if k % 3:
            got["b"][0].sum().backward()
            expected["b"][0].sum().backward()
        assert same(x.grad, y.grad)


def test_a_graph_that_is_kept_gives_gradients_again():
    f = wg.capture(lambda x: x.exp().sum())
    for _ in range(4):
        x = wg.ones(2, requires_grad=True)
        y = f(x)
        y.backward(retain_graph=True)
        y.backward()
        assert x.grad.tolist() == pytest.approx([2 * 2.718281828] * 2)
        with pytest.raises(RuntimeError, match="a second time"):
            y.backward()


@pytest.mark.parametrize("which", ["argument", "leaf"])
def test_a_write_between_forward_and_backward_is_an_error(which):
    w = wg.ones(2, requires_grad=True)
    f = wg.capture(lambda x: (x * w).sum())
    for _ in range(4):
        x = wg.ones(2, requires_grad=True)
        y = f(x)
        with wg.no_grad():
            (x if which == "argument" else w).add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.backward()


def test_parameters_that_an_optimizer_changes_are_seen():
    weights, twins = network(), network()
    data = wg.arange(15.0).reshape(5, 3) / 10
    f = wg.capture(lambda x: forward(weights, x))
    for _ in range(6):
        for net, run in ((weights, f), (twins, lambda x: forward(twins, x))):
            (run(data) ** 2).mean().backward()
            with wg.no_grad():
                for w in net:
                    w.sub_(w.grad, alpha=0.1)
                    w.grad = None
        assert all(same(*pair) for pair in zip(weights, twins, strict=True))
    assert explain(f).replays >= 4


def test_memory_outside_is_written_once_by_each_call():
    w, mean = wg.ones(2, requires_grad=True), wg.zeros(2)

    def norm(x):
        mean.mul_(0.5).add_(x.detach().mean(0), alpha=0.5)
        return ((x - mean) * w).exp()

    def run(f, keep):
        mean.zero_()
        w.grad, version, found = None, mean._version, []
        for k in range(5):
            x = wg.full((3, 2), 0.1 * k, requires_grad=True)
            y = f(x)
            if k in keep:
                f(x.detach())
            y.sum().backward()
            found += [y.detach(), x.grad, mean.clone()]
        return [*found, w.grad], mean._version - version

    for keep in ((), (1, 2, 4)):
        expected, versions = run(norm, keep)
        f = wg.capture(norm)
        got, counted = run(f, keep)
        assert all(same(*pair) for pair in zip(got, expected, strict=True))
        assert counted == versions
        assert explain(f).replays >= 2


def test_random_numbers_are_the_same_in_backward_and_go_on_behind_it():
    def drop(x):
        return wg.nn.functional.dropout(x * x, 0.5)

    def run(f):
        wg.manual_seed(3)
        found = []
        for k in range(5):
            x = wg.full((20,), 1.0 + k, requires_grad=True)
            y = f(x)
            other = f(x.detach() * 2)
            y.sum().backward()
            found += [y.detach(), other, x.grad, wg.rand(2)]
        return found

    expected, f = run(drop), wg.capture(drop)
    assert all(same(*pair) for pair in zip(run(f), expected, strict=True))


def test_a_leaf_with_hooks_gets_them_called_once():
    calls = []
    w = wg.ones(2, requires_grad=True)
    w.register_hook(lambda grad: calls.append(1) or grad * 10)
    f = wg.capture(lambda x: (x * w).sum())
    for k in range(4):
        w.grad = None
        f(wg.ones(2)).backward()
        assert w.grad.tolist() == [10, 10]
        assert len(calls) == k + 1


def test_leaves_that_are_not_used_get_no_gradient():
    w, unused = wg.ones(2, requires_grad=True), wg.ones(2, requires_grad=True)
    f = wg.capture(lambda x: (x * w).sum() + (unused.detach() * 2).sum())
    for _ in range(4):
        f(wg.ones(2)).backward()
    assert w.grad.tolist() == [4, 4]
    assert unused.grad is None


def test_a_tied_leaf_gets_both_parts():
    w = wg.tensor([1.0, 2.0], requires_grad=True)
    f = wg.capture(lambda h: (h * w).sum())
    for _ in range(4):
        w.grad = None
        f(w * 3).backward()
        assert w.grad.tolist() == [6, 12]
        (first,) = wg.autograd.grad(f(w * 3), w, create_graph=True)
        (second,) = wg.autograd.grad(first.sum(), w)
        assert first.tolist() == [6, 12]
        assert second.tolist() == [6, 6]


def test_an_argument_that_is_also_used_from_outside():
    w = wg.tensor([1.0, 2.0], requires_grad=True)
    f = wg.capture(lambda x: (x * x * w).sum())
    for _ in range(4):
        w.grad = None
        f(w).backward()
        assert w.grad.tolist() == [3, 12]
        (first,) = wg.autograd.grad(f(w), w, create_graph=True)
        (second,) = wg.autograd.grad(first.sum(), w)
        assert first.tolist() == [3, 12]
        assert second.tolist() == [6, 12]


def test_an_argument_of_inference_mode_runs_as_usual():
    w = wg.ones(2, requires_grad=True)
    with wg.inference_mode():
        x = wg.ones(2)
    f = wg.capture(lambda x: (x + w).sum())
    with pytest.warns(RuntimeWarning, match="inference mode"):
        f(x).backward()
    f(x).backward()
    assert w.grad.tolist() == [2, 2]


def test_a_leaf_that_is_replaced_is_noticed():
    box = {"w": wg.ones(2, requires_grad=True)}
    f = wg.capture(lambda x: (x * box["w"]).sum())
    for _ in range(3):
        f(wg.ones(2)).backward()
    box["w"].data = wg.full((2,), 5.0)
    x = wg.ones(2, requires_grad=True)
    for _ in range(3):
        x.grad = None
        f(x).backward()
        assert x.grad.tolist() == [5, 5]


REFUSED = {
    "a view of an argument": lambda x: x.t(),
    "changes the history of an argument": lambda x: x.mul_(2),
    "an argument is written to": lambda x: (x * 2, x.detach().add_(1))[0],
    "two results share memory": lambda x: (lambda y: (y, y[0]))(x * 2),
    "runs backward": lambda x: (lambda y: (y.sum().backward(retain_graph=True), y)[1])(x * 2),
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_cannot_be_one_node_runs_as_usual_with_a_reason(why):
    def run(f):
        found = []
        for _ in range(3):
            w = wg.ones(2, 2, requires_grad=True)
            x = w if "backward" in why else w.clone()
            results = f(x)
            results = results if isinstance(results, tuple) else (results,)
            sum(one.sum() for one in results).backward()
            found += [w.grad, *(one.detach() for one in results)]
        return found

    f = wg.capture(REFUSED[why])
    with pytest.warns(RuntimeWarning, match=why):
        got = run(f)
    assert all(same(*pair) for pair in zip(got, run(REFUSED[why]), strict=True))
    assert explain(f).replays == 0


def test_a_backward_that_leaves_the_function_is_refused():
    f = wg.capture(lambda h: (h * 2).sum().backward())
    for k in range(4):
        w = wg.ones(2, requires_grad=True)
        if k == 0:
            with pytest.warns(RuntimeWarning, match="made outside"):
                f(w * 3)
        else:
            f(w * 3)
        assert w.grad.tolist() == [6, 6]


def test_a_tensor_from_outside_with_a_history_is_refused():
    w = wg.ones(2, requires_grad=True)
    outer = w * 3
    f = wg.capture(lambda x: (x * outer).sum())
    with pytest.warns(RuntimeWarning, match="from outside has a history"):
        f(wg.ones(2)).backward(retain_graph=True)
    f(wg.ones(2)).backward(retain_graph=True)
    assert w.grad.tolist() == [6, 6]


def test_a_guard_that_differs_is_another_way():
    def relu(x):
        return x * 2 if x.sum() > 0 else -x

    f = wg.capture(relu)
    for start in (1.0, 1.0, -1.0, 2.0, -2.0, -3.0, 5.0):
        x, y = (wg.full((2,), start, requires_grad=True) for _ in range(2))
        f(x).sum().backward()
        relu(y).sum().backward()
        assert same(x.grad, y.grad)
    assert explain(f).replays == 5
    assert explain(f).reasons == []


def test_ways_are_bounded():
    f = wg.capture(lambda x: x * float(x.detach().sum()), quiet=True)
    for k in range(20):
        x, y = (wg.full((2,), 1.0 + k, requires_grad=True) for _ in range(2))
        f(x).sum().backward()
        f.function(y).sum().backward()
        assert same(x.grad, y.grad)
    assert len(explain(f).programs) == 8
    assert "differs in each call" in explain(f).reasons[0]


def test_expanded_and_transposed_gradients():
    f = wg.capture(lambda x: x * 2 + x)
    for _ in range(3):
        for seed in (wg.ones(()).expand(2, 3), wg.arange(6.0).reshape(3, 2).t(), wg.arange(6.0).reshape(2, 3)):
            x = wg.ones(2, 3, requires_grad=True)
            f(x).backward(seed)
            assert x.grad.tolist() == (seed * 3).tolist()


def test_one_gradient_for_two_results():
    f = wg.capture(lambda x: (x * 2, x * 3))
    for _ in range(4):
        x = wg.ones(2, requires_grad=True)
        a, b = f(x)
        seed = wg.tensor([1.0, 2.0])
        wg.autograd.backward([a, b], [seed, seed])
        assert x.grad.tolist() == [5, 10]


def test_functions_of_functions_differentiate_a_captured_function():
    f = wg.capture(lambda x: (x.sin() * x).sum())
    plain = f.function
    x = wg.tensor([0.5, 1.5], dtype=wg.float64)
    for _ in range(4):
        assert wg.func.grad(f)(x).tolist() == wg.func.grad(plain)(x).tolist()
        assert wg.func.hessian(f)(x).tolist() == wg.func.hessian(plain)(x).tolist()
        assert wg.autograd.functional.hessian(f, x).tolist() == wg.autograd.functional.hessian(plain, x).tolist()
        assert wg.func.jvp(f, (x,), (x,))[1].item() == wg.func.jvp(plain, (x,), (x,))[1].item()


def test_a_captured_step_inside_of_a_captured_step():
    w = wg.ones(2, requires_grad=True)
    inner = wg.capture(lambda x: (x * w).sum())

    def step(x):
        w.grad = None
        inner(x).backward()
        return w.grad.clone()

    outer = wg.capture(step)
    for k in range(5):
        inner(wg.ones(2)).backward()
        assert outer(wg.full((2,), float(k))).tolist() == [k, k]


def test_threads_share_a_program():
    w = wg.tensor([1.5, 0.5], requires_grad=True)
    f = wg.capture(lambda x: (x * w).exp())
    f(wg.ones(2)).sum().backward()
    wrong = []

    def work(start):
        for k in range(50):
            x = wg.tensor([start, 0.01 * k], requires_grad=True)
            (grad,) = wg.autograd.grad(f(x).sum(), x)
            y = x.detach().requires_grad_()
            (expected,) = wg.autograd.grad((y * w).exp().sum(), y)
            if not same(grad, expected):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(0.1 * n,)) for n in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert wrong == []


def test_nothing_is_kept_of_calls_that_are_over():
    f = wg.capture(lambda x: (x * x).sum())
    x = wg.ones(1000, requires_grad=True)
    for _ in range(3):
        f(x).backward()
    gc.collect()
    before = memory.stats()["bytes_in_use"]
    y = f(x)
    node = weakref.ref(y.grad_fn)
    del y
    assert node() is None
    for _ in range(50):
        x.grad = None
        f(x).backward()
    assert memory.stats()["bytes_in_use"] <= before + 8192


def test_no_grad_gives_a_program_without_a_node():
    w = wg.ones(2, requires_grad=True)
    f = wg.capture(lambda x: (x * w).sum())
    with warnings.catch_warnings(), wg.no_grad():
        warnings.simplefilter("error")
        assert [f(wg.ones(2)).requires_grad for _ in range(3)] == [False] * 3
    assert f(wg.ones(2)).requires_grad
    assert len(explain(f).programs) == 2


def test_a_function_that_raises_leaves_nothing_behind():
    w = wg.ones(2, requires_grad=True)
    broken = [False]

    def run(x):
        y = x * w
        if broken[0]:
            raise KeyError("broken")
        return y.sum()

    f = wg.capture(run)
    broken[0] = True
    with pytest.raises(KeyError):
        f(wg.ones(2))
    broken[0] = False
    y, _ = f(wg.ones(2)), f(wg.ones(2))
    broken[0] = True
    with pytest.raises(KeyError):
        y.backward()
    broken[0] = False
    f(wg.ones(2)).backward()
    f(wg.ones(2)).backward()
    assert w.grad.tolist() == [2, 2]


@pytest.mark.parametrize("kind", ["leaf", "read", "written"])
def test_a_tensor_from_outside_that_was_exchanged_is_noticed(kind):
    held = SimpleNamespace(weight=wg.ones(2, requires_grad=True), other=wg.ones(2))

    @wg.capture
    def f(x):
        if kind == "written":
            held.other += x.detach()
        return (x * held.weight * held.other).sum()

    x = wg.ones(2, requires_grad=True)
    for _ in range(4):
        f(x).backward()
    if kind == "leaf":
        held.weight = wg.full((2,), 3.0, requires_grad=True)
    else:
        held.other = wg.full((2,), 3.0)
    x.grad = None
    for k in range(1, 4):
        result = f(x)
        result.backward()
        del result
        expected = {"leaf": 3.0 * k, "read": 3.0 * k, "written": sum(3.0 + i for i in range(1, k + 1))}[kind]
        assert x.grad.tolist() == [expected] * 2
    assert held.weight.grad is not None
