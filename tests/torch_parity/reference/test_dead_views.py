"""Views whose history a write has ended: several outputs of one op, made under no_grad or inference mode, from a
custom Function. Whatever asks for their history afterwards is refused.
"""

import pytest
import wengert as torch

SEVERAL = ("This view is the output of a function that returns multiple views. Such functions do not allow the output "
           "views to be modified inplace. You should replace the inplace operation by an out-of-place one.")
BEHIND = "its base or another view of its base has been modified inplace"
NO_GRAD = (f"A view was created in no_grad mode and {BEHIND} with grad mode enabled. Given that this use case is "
           "ambiguous")


def inner(*shape):
    x = torch.ones(*shape or (3,), requires_grad=True)
    return x, x * 1


@pytest.fixture
def dead():
    _, y = inner()
    part = y.unbind(0)[1]
    y.mul_(2)
    return part


@pytest.mark.parametrize("use", [
    lambda p: p.grad_fn, lambda p: p.is_leaf, lambda p: p * 2, lambda p: p.backward(), lambda p: p.retain_grad(),
    lambda p: torch.autograd.grad(p, [p]), lambda p: p.view(1)],
    ids=["grad_fn", "is_leaf", "mul", "backward", "retain_grad", "grad", "view"])
def test_every_use_of_a_dead_view_is_refused(dead, use):
    for _ in range(2):                                         # each time anew
        with pytest.raises(RuntimeError, match=rf"Output 1 of Unbind is a view and {BEHIND}. {SEVERAL}"):
            use(dead)


@pytest.mark.host("its text names the device")
def test_what_a_dead_view_still_answers(dead):
    assert (dead.item(), dead.shape, dead.requires_grad, dead._version) == (2.0, (), True, 1)
    assert repr(dead) == "tensor(2., grad_fn=<Invalid>)"
    assert not dead.detach().requires_grad
    with torch.no_grad():
        assert (dead * 2).item() == 4.0


@pytest.mark.parametrize("write", [
    lambda y, part: y.add_(1), lambda y, part: y[:1].add_(1), lambda y, part: y.detach().add_(1),
    lambda y, part: part.detach().add_(1)], ids=["base", "other view", "detached base", "detached part"])
def test_every_write_to_the_memory_ends_them(write):
    _, y = inner()
    part = y.split(1)[0]
    write(y, part)
    with pytest.raises(RuntimeError, match=rf"Output 0 of Split is a view and {BEHIND}. {SEVERAL}"):
        _ = part.grad_fn


@pytest.mark.parametrize("target", ["base", "part"])
def test_a_write_under_no_grad_ends_them_too(target):
    _, y = inner()
    parts = y.split([1, 2])
    with torch.no_grad():
        (y if target == "base" else parts[0]).add_(1)
    with pytest.raises(RuntimeError, match=rf"Output 1 of SplitWithSizes is a view and {BEHIND}. {SEVERAL}"):
        parts[1].sum().backward()


def test_writes_through_data_do_not():
    x, y = inner()
    part = y.unbind(0)[0]
    y.data.mul_(5)
    (part * 2).backward()
    assert x.grad.tolist() == [2.0, 0.0, 0.0]


def test_a_view_of_one_of_several_outputs_is_like_it():
    _, y = inner(2, 3)
    view = y.unbind(0)[0][:2]
    with pytest.raises(RuntimeError, match=rf"Output 0 of Slice is a view and is being modified inplace. {SEVERAL}"):
        view.add_(1)
    y.add_(1)
    with pytest.raises(RuntimeError, match=rf"Output 0 of Slice is a view and {BEHIND}. {SEVERAL}"):
        _ = view.grad_fn


def test_of_a_leaf():
    x = torch.ones(3, requires_grad=True)
    part = x.unbind(0)[0]
    with pytest.raises(RuntimeError, match=r"Output 0 of Unbind is a view and is being modified inplace."):
        part.add_(1)
    with torch.no_grad():
        x.add_(1)
    with pytest.raises(RuntimeError, match=rf"Output 0 of Unbind is a view and {BEHIND}."):
        _ = part.grad_fn


def test_of_a_constant_that_comes_to_require_grad():
    base = torch.ones(3)
    part, other = base.unbind(0)[:2]
    part.add_(1)                                               # nothing is recorded: allowed
    base.mul_(torch.ones(3, requires_grad=True))
    assert other.requires_grad
    with pytest.raises(RuntimeError, match=rf"A view was created in no_grad mode and {BEHIND} with grad mode enabled. "
                                           f"{SEVERAL}"):
        _ = other.grad_fn


def test_a_recorded_write_to_a_part_of_a_constant():
    part = torch.ones(3).unbind(0)[0]
    with pytest.raises(RuntimeError, match=rf"is being modified inplace with grad mode enabled. {SEVERAL}"):
        part.add_(torch.ones((), requires_grad=True))


def test_a_saved_part_is_named_before_its_version():
    _, y = inner()
    part = y.unbind(0)[0]
    z = part * part
    y.add_(1)
    with pytest.raises(RuntimeError, match=rf"Output 0 of Unbind is a view and {BEHIND}."):
        z.backward()


@pytest.mark.parametrize("make", [lambda y: y[:1], lambda y: y.unbind(0)[0]], ids=["one", "several"])
@pytest.mark.parametrize("of_leaf", [True, False])
def test_made_under_no_grad(make, of_leaf):
    x, y = inner()
    base = x if of_leaf else y
    with torch.no_grad():
        view = make(base)
        assert (view * 2).sum().item() == 2.0
        base.add_(1)
    for use in (lambda: view.grad_fn, lambda: view * 2, lambda: torch.ones(1).mul_(view)):
        with pytest.raises(RuntimeError, match=NO_GRAD):
            use()
    with pytest.raises(RuntimeError, match=r"A view was created in no_grad mode and is being modified inplace with "
                                           r"grad mode enabled."):
        view.add_(1)
    with torch.no_grad():
        view.add_(1)
        assert (view * 2).sum().item() == 6.0


def test_made_under_inference_mode():
    _, y = inner()
    with torch.inference_mode():
        view = y[:2]
    assert not view.is_inference()
    with pytest.raises(RuntimeError, match=r"A view was created in inference mode and is being modified inplace in "
                                           r"normal mode. .* either both inside the inference_mode block"):
        view.add_(1)
    y.add_(1)
    with pytest.raises(RuntimeError, match=rf"A view was created in inference mode and {BEHIND} in normal mode."):
        _ = view.grad_fn


class Head(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x[:2]

    @staticmethod
    def backward(ctx, g):
        return torch.cat([g, g[:1] * 0])


def test_from_a_custom_function():
    _, y = inner()
    view = Head.apply(y)
    custom = (r"This view was created inside a custom Function \(or because an input was returned as-is\) and the "
              r"autograd logic")
    with pytest.raises(RuntimeError, match=rf"Output 0 of Slice is a view and is being modified inplace. {custom}"):
        view[:1].add_(1)
    y.add_(1)
    with pytest.raises(RuntimeError, match=rf"Output 0 of Head is a view and {BEHIND}. {custom}"):
        _ = view.grad_fn
