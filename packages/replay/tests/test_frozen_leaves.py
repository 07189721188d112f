"""Gradients of tensors that a captured function reads or sets, whether the tensors require them or not."""

import pytest
import wengert as wg

EFFECTS = ["clear", "read", "has none", "set", "zero"]


def use_gradient(effect, tensor, x):
    """Return a result that depends on the gradient that a tensor has, or change that."""
    if effect == "clear":
        tensor.grad = None
    if effect == "set":
        tensor.grad = x * 1
    if effect == "zero" and tensor.grad is not None:
        tensor.grad.zero_()
    if effect == "read" and tensor.grad is not None:
        return x + tensor.grad
    return x * 10 if effect == "has none" and tensor.grad is None else x * 2


def change_gradient(tensor, number):
    """Give a tensor a gradient, take it away, and give it another."""
    for numbers, gradient in (((3, 9), wg.full((2,), 7.0)), ((5, 11), None), ((6,), wg.full((2,), 5.0))):
        if number in numbers:
            tensor.grad = gradient


def run(effect, requires_grad, captured, factor=None):
    tensor = wg.nn.Parameter(wg.ones(2), requires_grad=requires_grad)

    def function(x):
        y = use_gradient(effect, tensor, x)
        return y if factor is None else y * factor

    called = wg.capture(function) if captured else function
    seen = []
    for number in range(12):
        change_gradient(tensor, number)
        y = called(wg.ones(2))
        if factor is not None:
            y.sum().backward()
        row = [tensor.grad, None if factor is None else factor.grad]
        seen.append((y.tolist(), *[one if one is None else (one.tolist(), one._version) for one in row]))
    return seen, called


@pytest.mark.parametrize("requires_grad", [True, False])
@pytest.mark.parametrize("effect", EFFECTS)
def test_a_gradient_from_outside_is_that_of_the_call(effect, requires_grad):
    expected, _ = run(effect, requires_grad, False)
    seen, called = run(effect, requires_grad, True)
    assert seen == expected
    assert wg.replay.explain(called).replays >= 3


@pytest.mark.parametrize("requires_grad", [True, False])
@pytest.mark.parametrize("effect", ["read", "has none"])
def test_so_it_is_where_the_result_has_a_graph(effect, requires_grad):
    expected, _ = run(effect, requires_grad, False, wg.ones(2, requires_grad=True))
    seen, called = run(effect, requires_grad, True, wg.ones(2, requires_grad=True))
    assert [row[0] for row in seen] == [row[0] for row in expected]
    assert [row[1:] for row in seen] == [row[1:] for row in expected]
    assert wg.replay.explain(called).replays >= 3


def test_an_optimizer_clears_gradients_of_frozen_parameters():
    model = wg.nn.Linear(2, 2)
    model.bias.requires_grad_(False)
    optimizer = wg.optim.SGD(model.parameters(), lr=0.1)

    @wg.capture
    def step(x):
        optimizer.zero_grad()
        loss = model(x).square().sum()
        loss.backward()
        optimizer.step()
        return loss.detach()

    for number in range(5):
        if number > 2:
            model.bias.grad = wg.ones(2)
        before = model.bias.tolist()
        step(wg.ones(1, 2))
        assert model.bias.grad is None
        assert model.bias.tolist() == before


@pytest.mark.parametrize("has_gradient", [False, True])
def test_a_program_in_a_file_has_a_frozen_leaf(has_gradient, tmp_path):
    tensor = wg.nn.Parameter(wg.ones(2), requires_grad=False)
    tensor.grad = wg.full((2,), 3.0) if has_gradient else None

    @wg.capture
    def function(x):
        return use_gradient("read", tensor, x)

    expected = [function(wg.ones(2)).tolist() for _ in range(2)][-1]
    wg.replay.explain(function).programs[-1].save(tmp_path / "program")
    loaded = wg.replay.load(tmp_path / "program")
    assert [loaded(wg.ones(2)).tolist() for _ in range(3)] == [expected] * 3
