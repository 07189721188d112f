"""make_graphed_callables on the simulated device: forward and backward are the numbers of the callable itself."""

from __future__ import annotations

import copy

import pytest
import wengert as wg
from sim_graphs import NAMES, make_graphed_callables
from wengert import nn


def model():
    wg.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)).to("sim")


def data(requires_grad=False):
    return wg.randn(5, 3).to("sim").requires_grad_(requires_grad)


def test_a_module_trains_as_without_graphs():
    losses = []
    for is_graphed in (False, True):
        net = model()
        if is_graphed:
            assert make_graphed_callables(net, (data(),)) is net
        optimizer = wg.optim.SGD(net.parameters(), lr=0.1)
        wg.manual_seed(1)
        losses.append([])
        for _ in range(4):
            optimizer.zero_grad()
            loss = net(data()).square().mean()  # an ordinary loss behind it
            loss.backward()
            optimizer.step()
            losses[-1].append(loss.item())
    assert losses[0] == losses[1]


def test_gradients_of_arguments():
    graphed = make_graphed_callables(lambda x, y: (x * y.exp()).sum(1), (data(True), data(True)))
    x, y = data(True), data(True)
    before = (x * 2).detach().requires_grad_()
    (graphed(before * 1, y) * 3).sum().backward()
    expected = 3 * y.detach().exp()
    wg.testing.assert_close(before.grad.cpu(), expected.cpu())
    wg.testing.assert_close(y.grad.cpu(), (3 * before * y.exp()).detach().cpu())


def test_structures_of_arguments_and_results():
    graphed = make_graphed_callables(lambda pair: {"sum": pair[0] + pair[1], "product": pair[0] * pair[1]},
                                     ((data(), data(True)),))  # fmt: skip
    x, y = data(), data(True)
    found = graphed((x, y))
    assert list(found) == ["sum", "product"]
    wg.testing.assert_close(found["product"].detach().cpu(), (x * y).detach().cpu())


def test_the_mode_of_the_capture_decides():
    net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5)).to("sim")
    make_graphed_callables(net, (data(),))
    x = data()
    net.eval()
    assert net(x).tolist() == net(x).tolist()
    net.train()
    assert net(x).grad_fn.name() == "GraphedFunctionBackward"
    assert net(x).tolist() != net(x).tolist()


def test_several_callables_share_a_pool_and_run_in_order():
    first, second = model(), nn.Linear(2, 1).to("sim")
    plain = copy.deepcopy(first), copy.deepcopy(second)
    graphed = make_graphed_callables((first, second), ((data(),), (wg.randn(5, 2, device="sim", requires_grad=True),)))
    x = data()
    for one, other in ((graphed, plain),):
        one[1](one[0](x)).sum().backward()
        other[1](other[0](x)).sum().backward()
    for ours, theirs in zip(first.parameters(), plain[0].parameters(), strict=True):
        wg.testing.assert_close(ours.grad.cpu(), theirs.grad.cpu())


def test_unused_arguments():
    samples = data(True), data(True)
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        make_graphed_callables(lambda x, y: x * 2, samples)
    graphed = make_graphed_callables(lambda x, y: x * 2, samples, allow_unused_input=True)
    x, y = data(True), data(True)
    graphed(x, y).sum().backward()
    assert x.grad.tolist() == wg.full((5, 3), 2.0).tolist()
    assert y.grad is None


def test_results_without_gradients():
    graphed = make_graphed_callables(lambda x: (x * 2, x > 0), (data(True),))
    x = data(True)
    doubled, positive = graphed(x)
    assert not positive.requires_grad
    doubled.sum().backward()
    assert x.grad.tolist() == wg.full((5, 3), 2.0).tolist()
    assert make_graphed_callables(lambda x: x + 1, (data(),))(data()).requires_grad is False


def test_it_is_differentiated_once():
    graphed = make_graphed_callables(lambda x: x**3, (data(True),))
    x = data(True)
    (first,) = wg.autograd.grad((graphed(x) * x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        first.sum().backward()


def test_what_is_refused():
    hooked, trainable = model(), nn.Module()
    hooked.register_forward_hook(lambda *args: None)
    trainable.register_buffer("b", wg.ones(2, device="sim", requires_grad=True))
    for function, args, words in (
        (hooked, (data(),), "must not have hooks registered"),
        (trainable, (data(),), "only parameters may be trainable"),
        (wg.sin, (2.0,), "must contain only Tensors"),
    ):
        with pytest.raises(AssertionError, match=words):
            make_graphed_callables(function, args)
    for function, args, words in (
        (wg.sin, data(), r"'sample_args' \(position 2\) must be a tuple of tensors, as \(x,\).*Tensor"),
        ((wg.sin, wg.cos), (data(), data()), "or, for a tuple of callables, of such tuples; got for .*: Tensor"),
        (3, (data(),), "'callables' .* must be a function, a module, or a tuple of them, not int"),
        ([wg.sin], (data(),), "a tuple of them, not list"),
    ):
        with pytest.raises(TypeError, match=words):
            make_graphed_callables(function, args)
    with pytest.raises(TypeError, match=r"'num_warmup_iters' must be an int of at least 0, got 1\.5"):
        make_graphed_callables(wg.sin, (data(),), num_warmup_iters=1.5)
    with pytest.raises(ValueError, match=r"graphed callable of sin.* was captured with 1 tensors, and got 2"):
        make_graphed_callables(wg.sin, (data(),))(data(), data())
    with pytest.raises(ValueError, match="2 callables, and arguments for 1"):
        make_graphed_callables((wg.sin, wg.cos), ((data(),),))
    with pytest.raises(RuntimeError, match="not permitted when stream is capturing"):
        make_graphed_callables(lambda x: x * float(x.sum()), (data(),))
    assert not NAMES["is_current_stream_capturing"]()


def test_a_hook_that_is_added_later_is_called():
    net = model()
    make_graphed_callables(net, (data(),))
    seen = []
    net.register_forward_hook(lambda module, args, result: seen.append(result.shape))
    net(data())
    assert seen == [(5, 2)]


def test_autocast_with_a_cache_is_an_error():
    words = "does not support the autocast caching. Please set `cache_enabled=False`"
    with wg.autocast("sim", wg.bfloat16), pytest.raises(RuntimeError, match=words):
        make_graphed_callables(model(), (data(),))
    with wg.autocast("sim", wg.bfloat16, cache_enabled=False):
        graphed, x = make_graphed_callables(model(), (data(),)), data()
        wg.testing.assert_close(graphed(x), model()(x))
    with wg.autocast("cpu"):  # another device's
        make_graphed_callables(model(), (data(),))
