"""Captured functions on a device whose results have a graph: results and gradients are those of eager calls."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from sim_graphs import SIM, on_sim
from sim_graphs import STEPS as COMMON_STEPS
from wengert import nn

explain = wg.replay.explain


def leaf(*values):
    return on_sim(list(values), requires_grad=True)


def test_a_call_and_its_backward_are_graphs():
    w = leaf(1.0, 2.0)
    ran = []

    def function(x):
        ran.append(1)
        return ((w * x) ** 2).sum()

    run = wg.capture(function)
    for k in range(6):
        x = leaf(1.0, float(k))
        y = run(x)
        w.grad = None
        y.backward()
        assert (y.item(), w.grad.tolist(), x.grad.tolist()) == (1 + 4 * k * k, [2, 4 * k * k], [2, 8 * k])
        assert y.grad_fn.name() == ("ReplayBackward" if k else "SumBackward0")
        assert y._version == 0
    assert len(ran) == 3  # as usual, recorded, and recorded with its backward
    assert explain(run).replays == 4
    assert explain(run).reasons == []


def test_a_module_trains_as_usual():
    def train(is_captured):
        wg.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh(), nn.Dropout(0.3), nn.Linear(4, 2)).to("sim")
        run = wg.capture(model) if is_captured else model
        optimizer = wg.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        losses = []
        for _ in range(8):
            optimizer.zero_grad()
            loss = run(wg.randn(5, 3, device="sim")).square().mean()  # an ordinary loss behind it
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        if is_captured:
            assert explain(run).replays == 6, explain(run)
            assert explain(run).reasons == []
        return (losses, [p.tolist() for p in model.parameters()], [b.tolist() for b in model.buffers()],
                [b._version for b in model.buffers()], wg.rand(1, device="sim").item())  # fmt: skip

    assert train(True) == train(False)


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0], [1, 0, 2]])
def test_several_calls_before_their_backwards(order):
    w, state = leaf(1.0, 2.0), on_sim([0.5, 0.5])

    def function(x):
        state.mul_(0.5).add_(x.detach())
        return (w * x).exp() * nn.functional.dropout(x, 0.5)

    def outcome(run):
        wg.manual_seed(3)
        state.fill_(0.5)
        found = []
        for _ in range(4):
            inputs = [leaf(0.1 * k, 0.3) for k in range(3)]
            results = [run(x) for x in inputs]
            for k in order:
                w.grad = None
                results[k].sum().backward()
                found.append((results[k].tolist(), w.grad.tolist(), inputs[k].grad.tolist()))
        return found, state.tolist()

    run = wg.capture(function)
    assert outcome(run) == outcome(function)
    assert explain(run).replays == 10
    assert explain(run).reasons == []


def test_a_graph_that_is_kept():
    def outcome(run):
        found = []
        for _ in range(4):
            x, other = leaf(1.0, 2.0), leaf(3.0, 1.0)
            y = run(x)
            for k in range(4):
                if k == 2:
                    run(other).sum().backward()  # another call comes in between
                y.sum().backward(retain_graph=True)
            found.append((x.grad.tolist(), other.grad.tolist()))
        return found

    run = wg.capture(lambda x: x.exp() * x)
    assert outcome(run) == outcome(lambda x: x.exp() * x)
    y = run(leaf(1.0, 2.0))
    y.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.sum().backward()


def test_gradients_for_some_of_the_results_and_of_other_strides():
    def function(x, w):
        return {"a": x * w, "b": [(x + w).exp(), 3], "c": (x > 0), "d": x.detach() * 2}

    def outcome(run):
        found = []
        for k in range(8):
            x, w = leaf([1.0, 2.0], [3.0, 4.0 + k]), leaf([0.5, 1.0], [1.0, 0.25])
            result = run(x, w)
            a, b = result["a"], result["b"][0]
            if k % 4 == 0:
                a.sum().backward()  # an expanded gradient
                b.square().sum().backward()
            elif k % 4 == 1:
                (a * b.t()).sum().backward()
            elif k % 4 == 2:
                b.backward(wg.ones(2, 2, device="sim").t())
            else:
                wg.autograd.backward([a, b], [wg.ones(2, 2, device="sim"), b.detach()])
            found.append((x.grad.tolist(), w.grad.tolist(), result["c"].tolist(), result["d"].requires_grad))
        return found

    run = wg.capture(function)
    assert outcome(run) == outcome(function)
    assert explain(run).replays == 6
    assert explain(run).reasons == []


def test_derivatives_of_derivatives_run_as_usual():
    w = leaf(1.0, 2.0)

    def function(x, z):
        return (w * x).sin() * z

    def outcome(run):
        found = []
        for _ in range(4):
            p = leaf(0.5, 0.25)
            x = p * w  # the argument and the leaf have a graph in common
            (force,) = wg.autograd.grad(run(x, p).sum(), p, create_graph=True)
            third = wg.autograd.grad(force.sum(), [p, w], create_graph=True)
            found.append([force.tolist(), *(one.tolist() for one in third),
                          *(one.tolist() for one in wg.autograd.grad(third[0].sum(), [p, w]))])  # fmt: skip
        return found

    run = wg.capture(function)
    for ours, theirs in zip(outcome(run), outcome(function), strict=True):
        wg.testing.assert_close(wg.tensor(ours), wg.tensor(theirs))
    assert explain(run).replays == 2


def test_one_tensor_as_several_arguments_and_from_outside():
    w = leaf(2.0, 3.0)

    def function(x, y):
        return x * y * w

    def outcome(run):
        found = []
        for _ in range(4):
            x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
            for pair in ((x, x), (x, y), (w, w), (w, x), (w * 1, w)):
                w.grad = x.grad = None
                run(*pair).sum().backward()
                found.append((None if x.grad is None else x.grad.tolist(), w.grad.tolist()))
        return found

    run = wg.capture(function)
    assert outcome(run) == outcome(function)
    assert explain(run).replays == 20 - 4


def test_hooks_of_arguments_leaves_and_results():
    w = leaf(2.0, 3.0)
    seen = []
    w.register_hook(lambda grad: seen.append(("w", grad.tolist())))

    def outcome(run):
        seen.clear()
        for _ in range(4):
            p = leaf(1.0, 2.0)
            x = p * 2
            x.register_hook(lambda grad: seen.append(("x", grad.tolist())) or grad * 10)
            x.retain_grad()
            y = run(x)
            y.register_hook(lambda grad: seen.append(("y", grad.tolist())))
            y.sum().backward()
            seen.append((p.grad.tolist(), x.grad.tolist()))
        return list(seen)

    run = wg.capture(lambda x: x * w)
    assert outcome(run) == outcome(lambda x: x * w)
    assert explain(run).replays == 2


def test_writes_between_a_call_and_its_backward_are_errors():
    w, scale = leaf(2.0), on_sim([3.0])
    run = wg.capture(lambda x: x * w * scale)
    for _ in range(4):
        run(leaf(1.0)).backward()
    for other in (w, scale):
        y = run(leaf(1.0))
        with wg.no_grad():
            other.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.backward()
    x = leaf(1.0)
    y = run(x)
    with wg.no_grad():
        x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()
    y = run(x)
    y.backward()  # and everything goes on
    assert x.grad.item() == 3 * 4


def test_a_leaf_that_is_replaced():
    held = [leaf(2.0)]
    run = wg.capture(lambda x: x * held[0])
    for k in range(8):
        if k in (3, 6):
            held[0] = leaf(float(k))  # the old one is gone
        x = leaf(5.0)
        y = run(x)
        assert y.item() == 5 * held[0].item()
        y.backward()
        assert (x.grad.item(), held[0].grad.item()) == (held[0].item(), 5 * (k + 1 if k < 3 else k % 3 + 1))
        del x, y
    y = run(leaf(5.0))
    held[0].data = on_sim([1.0])
    with pytest.raises(RuntimeError, match="was replaced between the call and its backward"):
        y.backward()
    assert run(leaf(5.0)).item() == 5


def test_state_that_changes_between_a_call_and_its_first_backward_is_an_error():
    factor = [2.0]
    run = wg.capture(lambda x: x * factor[0])
    run(leaf(1.0))
    y = run(leaf(1.0))
    factor[0] = 3.0
    with pytest.raises(RuntimeError, match="depends on Python's state"):
        y.backward()


@pytest.mark.parametrize(("function", "words"), [
    (lambda x: x.view(-1), "a view of an argument that requires gradients"),
    (lambda x: x.detach()[:1], "a view of an argument that requires gradients"),
    (lambda x: (x * 2, x.detach() * 2)[1].requires_grad_(), "a leaf that the function has made"),
    (lambda x: OUTER * x, "a tensor from outside has a history"),
    (lambda x: (x.exp().sum().backward(), x * 2)[1], "runs backward to an argument"),
    (lambda x: ((W * 2).sum().backward(), x * W)[1], "the function runs backward, and a result has a graph"),
    (lambda x: (x * 2)[None].squeeze(0).expand(2, 2)[0] if x.grad is None else x, "reads its gradient"),
    (lambda x: (NOTES.add_(x.detach()), NOTES.requires_grad, x * x.detach().add_(1))[2], "an argument is written to"),
    (lambda x: x * W.detach().requires_grad_(), "a leaf which the function makes"),
])  # fmt: skip
def test_calls_that_run_as_usual(function, words):
    global OUTER, W, NOTES
    base = leaf(3.0, 1.0)
    OUTER, W, NOTES = base * 2, leaf(1.0, 2.0), on_sim([0.0, 0.0])

    def outcome(run):
        found = []
        for _ in range(4):
            W.grad = None
            NOTES.zero_()
            x = leaf(1.0, 2.0)
            result = run(x)
            one = result[0] if isinstance(result, list) else result
            if one.requires_grad:
                one.sum().backward(retain_graph=True)
            found.append((one.tolist(), one.requires_grad, x.grad is not None and x.grad.tolist(),
                          W.grad is not None and W.grad.tolist(), NOTES.tolist(), x.tolist()))  # fmt: skip
        return found

    run = wg.capture(function, quiet=True)
    assert outcome(run) == outcome(function)
    assert any(words in reason for reason in explain(run).reasons), explain(run)
    assert explain(run).replays == 0


class Reads(wg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * grad.sum().item()


class Draws(Reads):
    @staticmethod
    def backward(ctx, grad):
        return grad * wg.rand(2, device="sim")


class Writes(Reads):
    @staticmethod
    def backward(ctx, grad):
        COUNTS.add_(1)
        return grad * 2


COUNTS = None


@pytest.mark.parametrize(("function", "words"), [
    (Reads, "not permitted when stream is capturing"), (Draws, "draws random numbers"),
    (Writes, "backward writes to a tensor from outside"),
])  # fmt: skip
def test_gradients_that_are_computed_as_usual(function, words):
    global COUNTS

    def outcome(run):
        global COUNTS
        COUNTS = on_sim([0.0])
        wg.manual_seed(0)
        found = []
        for _ in range(4):
            x = leaf(1.0, 2.0)
            run(x).backward(on_sim([1.0, 3.0]))
            found.append((x.grad.tolist(), COUNTS.item(), COUNTS._version))
        return found, wg.rand(1, device="sim").item()

    run = wg.capture(lambda x: function.apply(x * 1), quiet=True)
    assert outcome(run) == outcome(lambda x: function.apply(x * 1))
    assert explain(run).replays == 2
    assert any(words in reason for reason in explain(run).reasons), explain(run)


def test_a_leaf_that_the_function_makes_of_an_argument():
    run = wg.capture(lambda x: x * x.detach().requires_grad_())
    for k in range(4):
        x = leaf(float(k))
        run(x).backward()
        assert x.grad.item() == k
    assert explain(run).replays == 2


def test_a_graph_that_leads_to_leaves_which_the_function_makes():
    run = wg.capture(lambda x: (x * 2).requires_grad_() * 2, quiet=True)
    for _ in range(4):
        assert run(on_sim([1.0])).requires_grad
    assert explain(run).replays == 0
    assert "leads to leaves which the function makes" in explain(run).reasons[0]
    run = wg.capture(lambda x: (x.detach() * 2).requires_grad_() * 2)
    for _ in range(4):
        x = leaf(1.0)
        run(x).backward()
        assert x.grad is None
    assert explain(run).replays == 2


def test_a_result_that_is_there_twice_and_one_that_is_an_argument():
    run = wg.capture(lambda x: [y := x * 2, y, x])
    for _ in range(4):
        x = leaf(1.0)
        one, other, same = run(x)
        assert same is x
        assert one is other
        (one + other).backward()
        assert x.grad.item() == 4
    assert explain(run).replays == 2


def test_functions_without_gradients_of_arguments():
    run = wg.capture(lambda x: (x * 2, x)[0])
    with wg.no_grad():
        for _ in range(3):
            assert run(leaf(1.0)).requires_grad is False
    for _ in range(3):
        x = leaf(1.0)
        run(x).backward()
        assert x.grad.item() == 2
    assert explain(run).replays == 2


def test_validated_calls_run_as_usual():
    run = wg.capture(lambda x: x * 2, validate=True)
    for _ in range(4):
        x = leaf(1.0)
        run(x).backward()
        assert x.grad.item() == 2
    assert explain(run).replays == 0
    assert "calls with validate=True run as usual" in explain(run).reasons[0]


def test_a_copy_of_residuals_goes_with_its_call():
    run = wg.capture(lambda x: x.exp())
    for _ in range(3):
        run(wg.ones(1000, device="sim", requires_grad=True)).sum().backward()
    allocated = SIM["memory_allocated"]
    gc.collect()
    before = allocated()
    results = [run(wg.ones(1000, device="sim", requires_grad=True)) for _ in range(5)]
    assert allocated() >= before + 5 * 3 * 4000 - 4000  # results, arguments, and what backward reads
    for one in results:
        one.sum().backward()
    del one
    results.clear()
    gc.collect()
    assert allocated() <= before + 3 * 4000


def test_the_graph_of_the_recording_holds_no_leaf():
    held = [leaf(2.0)]
    watched = weakref.ref(held[0])
    run = wg.capture(lambda x, k: x * held[0] * k)
    for _ in range(4):
        run(leaf(1.0), 2).backward()
    held.clear()
    gc.collect()
    assert watched() is None


def test_threads_and_streams():
    w = leaf(2.0, 3.0)
    run = wg.capture(lambda x: (w * x).exp())
    for _ in range(3):
        run(leaf(0.1, 0.2)).sum().backward()
    expected = wg.autograd.grad((w * leaf(0.1, 0.2)).exp().sum(), w)[0].tolist()
    wrong = []

    def work():
        with SIM["stream"](SIM["Stream"]()):
            for _ in range(10):
                x = leaf(0.1, 0.2)
                results = [run(x), run(x * 2), run(x)]
                for one in (results[0], results[2]):
                    found = wg.autograd.grad(one.sum(), [w])[0].tolist()
                    if found != expected:
                        wrong.append(found)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert wrong == []


STEPS = {
    **COMMON_STEPS,
    "dropout": lambda x, y: nn.functional.dropout(x, 0.5) + y, "norm": lambda x, y: nn.functional.layer_norm(x, (3,)),
    "exp": lambda x, y: x.tanh().exp() + y,
}  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=6),
    st.lists(st.permutations(range(3)), min_size=4, max_size=4), st.booleans(), st.booleans(),
)  # fmt: skip
def test_programs_give_the_bits_of_eager_calls(names, orders, has_leaf, writes):
    def outcome(is_captured):
        wg.manual_seed(0)
        w = wg.randn(3, 3).to("sim").requires_grad_(has_leaf)
        total = wg.zeros(3, 3, device="sim")

        def function(x):
            y = w * 1
            for name in names:
                x, y = STEPS[name](x, y), x
            if writes:
                total.add_(x.detach())
            return x * 2, y.sum() + x.sum()

        run = wg.capture(function) if is_captured else function
        found = []
        for order in orders:
            inputs = [wg.randn(3, 3).to("sim").requires_grad_() for _ in range(3)]
            results = [run(x) for x in inputs]
            for k in order:
                w.grad = None
                one, number = results[k]
                (one.square().mean() * number).backward()
                found.append((one.tolist(), number.item(), inputs[k].grad is not None and inputs[k].grad.tolist(),
                              w.grad is not None and w.grad.tolist()))  # fmt: skip
        if is_captured:
            assert explain(run).replays == 10, explain(run)
            assert explain(run).reasons == []
        return found, total.tolist(), total._version, wg.rand(1, device="sim").item()

    assert outcome(True) == outcome(False)
