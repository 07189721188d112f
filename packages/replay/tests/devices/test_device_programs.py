"""wengert.capture with arguments on a device: results, versions, gradients, random numbers are those of eager calls."""

from __future__ import annotations

import threading

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from sim_graphs import SIM, STEPS, capture, on_sim
from wengert import nn

explain = wg.replay.explain


def test_calls_are_replayed_and_results_have_memory_of_their_own():
    function = wg.capture(lambda x, y: {"sum": x + y, "all": [x * y, 3]})
    found = [function(on_sim([1.0, k]), on_sim([2.0, 3.0])) for k in range(5)]
    for k, one in enumerate(found):
        assert one["sum"].tolist() == [3, k + 3]
        assert (one["all"][0].tolist(), one["all"][1]) == ([2, 3 * k], 3)
    assert (explain(function).replays, explain(function).eager) == (3, 2)


def test_signatures_have_programs_of_their_own():
    function = wg.capture(lambda x, k: x.sum() * k)
    for _ in range(3):
        assert function(on_sim([1.0, 2.0]), 2).item() == 6
        assert function(on_sim([1.0, 2.0]), 3).item() == 9
        assert function(on_sim([1.0, 2.0, 3.0]), 2).item() == 12
        assert function(on_sim([1.0, 2.0], dtype=wg.float64), 2).dtype == wg.float64
        assert function(wg.ones(2, 3, device="sim").t(), 2).item() == 12
        assert function(wg.ones(2, device="sim:1"), 2).device == wg.device("sim:1")
        assert function(wg.ones(2), 2).item() == 4
    assert explain(function).replays == 8  # six on devices, two on the host


OPTIMIZERS = {
    "SGD": {"lr": 0.1}, "SGD with momentum": {"lr": 0.1, "momentum": 0.9}, "Adam": {"lr": 0.1, "capturable": True},
    "RMSprop": {"lr": 0.1, "capturable": True},
}  # fmt: skip


@pytest.mark.parametrize("set_to_none", [True, False])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_training_steps(name, set_to_none):
    def steps(is_captured):
        wg.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Dropout(0.3), nn.Linear(4, 2)).to("sim")
        optimizer = getattr(wg.optim, name.partition(" ")[0])(model.parameters(), **OPTIMIZERS[name])

        def step(x):
            optimizer.zero_grad(set_to_none=set_to_none)
            loss = model(x).square().mean()
            loss.backward()
            optimizer.step()
            return loss.detach()

        run = wg.capture(step) if is_captured else step
        losses = [run(wg.randn(5, 3, device="sim")).item() for _ in range(8)]
        if is_captured:
            assert explain(run).replays >= 3, explain(run)
        return (losses, [p.tolist() for p in model.parameters()], [p.grad.tolist() for p in model.parameters()],
                [p._version for p in model.parameters()])  # fmt: skip

    assert steps(True) == steps(False)


def test_the_learning_rate_of_a_scheduler_is_followed():
    def steps(is_captured):
        w = on_sim([4.0], requires_grad=True)
        optimizer = wg.optim.SGD([w], lr=1.0)
        scheduler = wg.optim.lr_scheduler.StepLR(optimizer, 4, 0.5)

        def step(x):
            optimizer.zero_grad()
            (w * x).sum().backward()
            optimizer.step()

        run = wg.capture(step) if is_captured else step
        found = []
        for _ in range(12):
            run(on_sim([0.1]))
            scheduler.step()
            found.append(w.item())
        if is_captured:
            assert explain(run).replays >= 4
        return found

    assert steps(True) == steps(False)


def test_gradients_that_come_and_go():
    w = on_sim([2.0], requires_grad=True)

    def function(x):
        (w * x).sum().backward()
        return w.grad

    run = wg.capture(function)
    for expected in ([3.0], [6.0], [9.0], [12.0], [15.0]):
        assert run(on_sim([3.0])).tolist() == expected
    w.grad = None
    for expected in ([3.0], [6.0]):
        assert run(on_sim([3.0])).tolist() == expected
    w.grad = on_sim([100.0])
    assert run(on_sim([3.0])).tolist() == [103]


def test_writes_to_arguments_and_outside():
    total = on_sim([0.0, 0.0])

    def function(x):
        x.mul_(2)
        total.add_(x)

    run = wg.capture(function)
    for k in range(1, 5):
        x = on_sim([1.0, 2.0])
        version = x._version
        run(x)
        assert (x.tolist(), total.tolist()) == ([2, 4], [2 * k, 4 * k])
        assert x._version > version
        assert total._version == k
    assert explain(run).replays == 2


def test_tensors_from_outside_are_read_and_missed():
    scale = [on_sim([2.0])]
    run = wg.capture(lambda x: x * scale[0])
    for _ in range(3):
        assert run(on_sim([1.0])).item() == 2
    scale[0].fill_(5)
    assert run(on_sim([1.0])).item() == 5
    scale[0] = on_sim([7.0])  # the old one is gone
    assert [run(on_sim([1.0])).item() for _ in range(2)] == [7, 7]
    scale[0].data = on_sim([9.0])
    assert [run(on_sim([1.0])).item() for _ in range(2)] == [9, 9]
    assert explain(run).replays >= 4


def test_results_that_are_arguments_and_views_of_them():
    run = wg.capture(lambda x: (x, x[1:], x.add_(1).t(), x + 1))
    for _ in range(4):
        x = on_sim([1.0, 2.0])[:2]
        same, view, other, copied = run(x)
        assert same is x
        view.fill_(5)
        assert x.tolist() == other.tolist() == [2, 5]
        assert copied.tolist() == [3, 4]
        assert view._base is x._base
        assert view._version == x._version > 1
    assert explain(run).replays == 2


def test_results_that_are_tensors_from_outside():
    total = on_sim([0.0])
    run = wg.capture(lambda x: total.add_(x), quiet=True)
    for k in range(4):
        assert run(on_sim([2.0])) is total
        assert total.item() == 2 * k + 2
    assert "a tensor from outside" in explain(run).reasons[0]


def test_arguments_that_are_expanded():
    run = wg.capture(lambda x, y: (x * y).sum(0))
    for k in range(4):
        x = on_sim([1.0, float(k)]).expand(3, 2)
        assert run(x, on_sim([[2.0]]).expand(3, 1)).tolist() == [6, 6 * k]
    assert explain(run).replays == 2

    def write(x):
        x[0].add_(1)
        return x * 2

    run = wg.capture(write)
    for k in range(4):
        x = on_sim([[1.0, float(k)]]).expand(3, 2)
        assert run(x).tolist() == [[4, 2 * k + 2]] * 3
        assert x.tolist() == [[2, k + 1]] * 3
    assert explain(run).replays == 2


def test_an_argument_that_is_passed_twice():
    def function(x, y, z):
        x.add_(1)
        return x * y, z

    run = wg.capture(function)
    for k in range(4):
        x, y = on_sim([1.0]), on_sim([float(k)])
        for pair, expected in (((x, x), 4), ((x, y), 3 * k), ((y, y), (k + 1) ** 2)):
            product, last = run(*pair, pair[0])
            assert product.item() == expected
            assert last is pair[0]
    assert explain(run).replays == 12 - 4
    view = on_sim([1.0, 2.0])
    assert run(view, view[:1], view)[0].tolist() == [4, 6]
    assert "two arguments share memory" in explain(run).reasons


def test_an_argument_that_comes_to_require_gradients():
    def function(x):
        x.requires_grad_()
        (x * x).sum().backward()

    run = wg.capture(function, quiet=True)
    for _ in range(4):
        x = on_sim([1.0, 2.0])
        run(x)
        assert x.requires_grad
        assert x.grad.tolist() == [2, 4]


@pytest.mark.parametrize(("function", "make", "words"), [
    (lambda x: x.view(wg.int32), lambda: on_sim([1.0]), "a view of an argument with another dtype"),
    (lambda x: (x.requires_grad_(), x * 2)[1].detach(), lambda: on_sim([1.0]), "so that it requires gradients"),
    (lambda x: KEPT.append(x * 2), lambda: on_sim([1.0]), "has stored tensors"),
    (lambda x: x * HOST, lambda: on_sim([1.0]), "a tensor of the host is used"),
    (lambda x: wg.ones(2), lambda: on_sim([1.0]), "a result is not on the device"),
])  # fmt: skip
def test_calls_that_run_as_usual(function, make, words):
    global HOST
    HOST = wg.tensor(3.0)
    run = wg.capture(function, quiet=True)
    for _ in range(6):
        got, expected = run(make()), function(make())
        if expected is not None:
            assert got.detach().cpu().equal(expected.detach().cpu())
            assert got.requires_grad == expected.requires_grad
    assert any(words in reason for reason in explain(run).reasons), explain(run).reasons
    assert explain(run).replays == 0
    assert all(one.item() == 2 for one in KEPT)
    KEPT.clear()


KEPT: list[wg.Tensor] = []


def test_calls_with_tensors_of_inference_mode_run_as_usual():
    run = wg.capture(lambda x: x + 1, quiet=True)
    with wg.inference_mode():
        made = on_sim([1.0])
        assert [run(on_sim([1.0])).item() for _ in range(3)] == [2, 2, 2]
    assert [run(on_sim([1.0])).item() for _ in range(3)] == [2, 2, 2]
    assert [run(made).item() for _ in range(3)] == [2, 2, 2]
    assert explain(run).replays == 1
    assert "inference mode" in explain(run).reasons[0]


def test_an_error_of_the_function_leaves_what_it_should():
    w = on_sim([1.0], requires_grad=True)
    is_bad = [False]

    def function(x):
        w.grad = None
        (w * x).sum().backward()
        if is_bad[0]:
            raise ValueError("bad")
        return x + 1

    run = wg.capture(function)
    run(on_sim([2.0]))
    is_bad[0] = True
    with pytest.raises(ValueError, match="bad"):
        run(on_sim([3.0]))
    assert w.grad.tolist() == [3]
    is_bad[0] = False
    assert [run(on_sim([4.0])).item() for _ in range(3)] == [5, 5, 5]
    assert w.grad.tolist() == [4]


def test_inside_of_a_graph_it_is_a_part_of_the_graph():
    run = wg.capture(lambda x: x * 2)
    x = on_sim([1.0])
    for _ in range(3):
        run(x)
    graph, y = capture(lambda: run(x) + 1)
    x.fill_(4)
    graph.replay()
    assert y.item() == 9


def test_two_streams_and_two_threads():
    run = wg.capture(lambda x: x.exp().sum())
    expected = run(on_sim([1.0, 2.0])).item()
    found = []

    def work():
        with SIM["stream"](SIM["Stream"]()):
            found.extend(run(on_sim([1.0, 2.0])).item() for _ in range(5))

    work()
    threads = [threading.Thread(target=work) for _ in range(2)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert found == [expected] * 15


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=6), st.booleans())
def test_programs_give_the_bits_of_eager_calls(names, has_gradient):
    def outcome(is_captured):
        wg.manual_seed(0)
        w = wg.randn(3, 3).to("sim").requires_grad_(has_gradient)
        w.grad = wg.zeros_like(w) if has_gradient else None

        def function(x):
            y = w * 1
            for name in names:
                x, y = STEPS[name](x, y), x
            if has_gradient:
                (x.square().mean() + y.sum() * 0.1 + w.sum()).backward()
            return x.detach() * 1

        run = wg.capture(function) if is_captured else function
        found = [run(wg.randn(3, 3, device="sim")).tolist() for _ in range(4)]
        if is_captured:
            assert explain(run).replays == 2, explain(run)
        return found, w.grad.tolist() if has_gradient else None, w._version

    assert outcome(True) == outcome(False)
