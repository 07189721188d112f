"""The examples of the torch.autograd reference which need only what is built: the same calls, what the reference shows.

``torch`` is wengert here, as in ``import wengert as torch``. Examples of forward mode, the functional API, gradcheck,
the profiler and anomaly mode come with those parts.
"""

import pytest
import wengert as torch
from wengert import autograd
from wengert.autograd import Function, Variable


def test_no_grad() -> None:
    x = torch.tensor([1.0], requires_grad=True)
    with torch.no_grad():
        y = x * 2
    assert y.requires_grad is False

    @torch.no_grad()
    def doubler(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    assert doubler(x).requires_grad is False


def test_enable_grad() -> None:
    x = torch.tensor([1.0], requires_grad=True)
    with torch.no_grad(), torch.enable_grad():
        y = x * 2
    assert y.requires_grad is True
    y.backward()
    assert x.grad.tolist() == [2.0]

    @torch.enable_grad()
    def doubler(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    with torch.no_grad():
        z = doubler(x)
    assert z.requires_grad is True


def test_set_grad_enabled() -> None:
    x = torch.tensor([1.0], requires_grad=True)
    is_train = False
    with torch.set_grad_enabled(is_train):
        y = x * 2
    assert y.requires_grad is False
    try:
        torch.set_grad_enabled(True)
        assert (x * 2).requires_grad is True
        torch.set_grad_enabled(False)
        assert (x * 2).requires_grad is False
    finally:
        torch.set_grad_enabled(True)


def test_is_leaf() -> None:
    a = torch.rand(10, requires_grad=True)
    assert a.is_leaf is True
    c = torch.rand(10, requires_grad=True) + 2
    assert c.is_leaf is False                # created by the addition operation
    d = torch.rand(10)
    assert d.is_leaf is True                 # does not require gradients
    e = torch.rand(10).requires_grad_()
    assert e.is_leaf is True                 # requires gradients and has no operations creating it


@pytest.mark.host("its text names the device")
def test_register_hook() -> None:
    v = torch.tensor([0.0, 0.0, 0.0], requires_grad=True)
    h = v.register_hook(lambda grad: grad * 2)  # double the gradient
    v.backward(torch.tensor([1.0, 2.0, 3.0]))
    assert str(v.grad) == "tensor([2., 4., 6.])"
    h.remove()


def test_function() -> None:
    class Exp(Function):
        @staticmethod
        def forward(ctx, i):  # type: ignore[no-untyped-def]
            result = i.exp()
            ctx.save_for_backward(result)
            return result

        @staticmethod
        def backward(ctx, grad_output):  # type: ignore[no-untyped-def]
            (result,) = ctx.saved_tensors
            return grad_output * result

    i = torch.tensor([0.0, 1.0], requires_grad=True)
    output = Exp.apply(i)
    output.sum().backward()
    assert torch.allclose(i.grad, output.detach())


def test_error_in_backward() -> None:
    class MyFunc(autograd.Function):
        @staticmethod
        def forward(ctx, inp):  # type: ignore[no-untyped-def]
            return inp.clone()

        @staticmethod
        def backward(ctx, gO):  # type: ignore[no-untyped-def]
            raise RuntimeError("Some error in backward")

    def run_fn(a: torch.Tensor) -> torch.Tensor:
        out = MyFunc.apply(a)
        return out.sum()  # type: ignore[no-any-return]

    inp = torch.rand(10, 10, requires_grad=True)
    out = run_fn(inp)
    with pytest.raises(RuntimeError, match="Some error in backward"):
        out.backward()


def test_saved_results() -> None:
    a = torch.tensor([0.0, 0.0, 0.0], requires_grad=True)
    b = a.exp()
    assert isinstance(b.grad_fn, torch.autograd.graph.Node)
    assert {"_saved_result", "metadata", "name", "next_functions", "register_hook", "register_prehook",
            "requires_grad"} <= set(dir(b.grad_fn))
    assert torch.allclose(b.grad_fn._saved_result, b)


def test_variable() -> None:
    tensor = torch.ones(2)
    assert isinstance(Variable(tensor), torch.Tensor)
    var = Variable(tensor, requires_grad=True)
    assert var.requires_grad
    assert var.data.tolist() == [1.0, 1.0]
    seen: list[torch.Tensor] = []
    var.register_hook(seen.append)
    (var * 3).sum().backward()
    assert [g.tolist() for g in seen] == [[3.0, 3.0]]
    assert not var.detach().requires_grad
    autograd_tensor = torch.randn((2, 3, 4), requires_grad=True)
    assert autograd_tensor.requires_grad


def test_default_gradient_layouts() -> None:
    param = torch.ones(3, 2).t().requires_grad_()
    for _ in range(2):
        param.grad = None
        (param * 2).sum().backward()
        assert param.grad.stride() == param.stride()          # 1: dense memory, matching strides
    expanded = torch.ones(1, 2).expand(3, 2).requires_grad_()
    (expanded * 2).sum().backward()
    assert expanded.grad.stride() == (2, 1)                   # 2: otherwise rowmajor-contiguous
    before = param.grad
    (param * 2).sum().backward()
    assert param.grad is before                               # 3: in-place, which preserves its strides
    with pytest.warns(UserWarning, match="create_graph=True"):
        (param * 2).sum().backward(create_graph=True)
    assert param.grad is not before                           # 4: replaced by a new tensor


def test_in_place_correctness_check() -> None:
    a = torch.ones(2, requires_grad=True)
    b = a.exp()
    b.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        b.sum().backward()
