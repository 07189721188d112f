"""Gradients on devices: of moves, of several devices in one graph, and what is refused."""

from __future__ import annotations

import pytest
import wengert as torch


def test_moves_are_differentiable_there_and_back():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.to("sim") * 3
    z = y.to("sim:1", torch.float64) * 2
    z.cpu().sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]
    assert x.grad.device == torch.device("cpu")
    assert x.grad.dtype is torch.float32


def test_moves_have_second_derivatives():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (slope,) = torch.autograd.grad((x.to("sim") ** 3).sum(), x, create_graph=True)
    assert slope.device == torch.device("cpu")
    (second,) = torch.autograd.grad(slope.sum(), x)
    assert second.tolist() == [6.0, 12.0]


def test_copy_between_devices_is_differentiable():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    target = torch.zeros(3, 2, device="sim")
    target.copy_(x)
    (target * torch.tensor([[1.0], [2.0], [3.0]], device="sim")).sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]


def test_writes_to_views_are_differentiable():
    x = torch.ones(3, device="sim", requires_grad=True)
    base = torch.zeros(2, 3, device="sim")
    base[1] = x * 2
    base[0].mul_(5)
    (base * base).sum().backward()
    assert x.grad.tolist() == [8.0, 8.0, 8.0]


def test_gradients_accumulate_on_the_device():
    x = torch.ones(2, device="sim", requires_grad=True)
    for _ in range(2):
        (x * x).sum().backward()
    assert x.grad.tolist() == [4.0, 4.0]
    assert x.grad.device == torch.device("sim", 0)


def test_materialized_zeros_are_on_the_device():
    x = torch.ones(4, device="sim", requires_grad=True)
    a, _ = x.split(2)
    a.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize("call", [
    lambda y, g: y.backward(g),
    lambda y, g: torch.autograd.grad(y, y.grad_fn.next_functions[0][0].variable, g),
])  # fmt: skip
def test_a_gradient_of_another_device_is_refused(call):
    x = torch.ones(2, device="sim", requires_grad=True)
    with pytest.raises(RuntimeError, match="invalid gradient at index 0 - expected device sim:0 but got cpu"):
        call(x * 2, torch.ones(2))


def test_a_function_that_gives_a_gradient_of_another_device_is_named():
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return torch.ones(2)

    x = torch.ones(2, device="sim", requires_grad=True)
    with pytest.raises(RuntimeError, match="WrongBackward returned an invalid gradient at index 0 - expected"):
        Wrong.apply(x).sum().backward()


def test_grad_must_be_on_the_tensors_device():
    x = torch.ones(2, device="sim", requires_grad=True)
    with pytest.raises(RuntimeError, match="a gradient with device type 'cpu' to a tensor with device type 'sim'"):
        x.grad = torch.ones(2)


def test_a_saved_tensor_that_was_written_to_is_an_error():
    x = torch.ones(2, device="sim", requires_grad=True)
    y = x.exp()
    z = y * y
    y.detach().add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_hooks_of_saved_tensors_see_the_device_and_make_tensors_of_the_host():
    packed = []

    def pack(tensor):
        packed.append((tensor.device.type, torch.ones(2).device.type))
        return tensor.cpu()

    x = torch.tensor([1.0, 2.0], device="sim", requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda kept: kept.to("sim")):
        y = x.exp() * x
    y.sum().backward()
    assert packed
    assert set(packed) == {("sim", "cpu")}
    assert torch.allclose(x.grad.cpu(), (x.exp() * (x + 1)).detach().cpu())


@pytest.mark.parametrize("pin_memory", [False, True])
def test_save_on_cpu(pin_memory):
    x = torch.tensor([1.0, 2.0], device="sim", requires_grad=True)
    with torch.autograd.graph.save_on_cpu(pin_memory=pin_memory):
        y = (x * x).exp()
    y.sum().backward()
    assert torch.allclose(x.grad.cpu(), (2 * x * (x * x).exp()).detach().cpu())


def test_forward_mode():
    x = torch.tensor([1.0, 2.0], device="sim")
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, torch.ones(2, device="sim"))
        tangent = torch.autograd.forward_ad.unpack_dual((dual * dual).cpu().to("sim:1")).tangent
    assert tangent.tolist() == [2.0, 4.0]
    assert tangent.device == torch.device("sim", 1)


def test_a_functional_and_a_vmap():
    x = torch.tensor([1.0, 2.0, 3.0], device="sim")
    jacobian = torch.autograd.functional.jacobian(lambda t: t * t, x)
    assert jacobian.device == torch.device("sim", 0)
    assert jacobian.cpu().equal(torch.diag(torch.tensor([2.0, 4.0, 6.0])))
    rows = torch.arange(6.0, device="sim").reshape(2, 3)
    assert torch.vmap(lambda row: row @ x)(rows).tolist() == (rows.cpu() @ x.cpu()).tolist()


def test_checks_of_anomaly_mode():
    x = torch.zeros(1, device="sim", requires_grad=True)
    with torch.autograd.set_detect_anomaly(True), pytest.warns(UserWarning, match="Error detected in"), \
            pytest.raises(RuntimeError, match="returned nan values"):
        (x.sqrt() * 0).sum().backward()  # fmt: skip


def test_training_a_small_network():
    torch.manual_seed(0)
    x, y = torch.randn(16, 4, device="sim"), torch.randn(16, 1, device="sim")
    w1 = (torch.randn(4, 8, device="sim") * 0.5).requires_grad_()
    b1 = torch.zeros(8, device="sim", requires_grad=True)
    w2 = (torch.randn(8, 1, device="sim") * 0.5).requires_grad_()
    losses = []
    for _ in range(20):
        loss = torch.nn.functional.mse_loss(torch.relu(x @ w1 + b1) @ w2, y)
        loss.backward()
        with torch.no_grad():
            for p in (w1, b1, w2):
                p -= 0.1 * p.grad
                p.grad = None
        losses.append(loss.item())
    assert losses[-1] < 0.6 * losses[0]


# ---- gradcheck, which moves entries of the inputs where they are


@pytest.mark.parametrize("options", [
    {}, {"fast_mode": True}, {"check_forward_ad": True, "check_batched_grad": True, "check_batched_forward_grad": True},
], ids=["slow", "fast", "all modes"])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_gradcheck(dtype, options):
    x = torch.rand(2, 3, dtype=getattr(torch, dtype), device="sim:1", requires_grad=True)
    version = x._version
    assert torch.autograd.gradcheck(lambda x: (x * x).exp() * x, x, **options)
    assert x._version == version
    assert torch.autograd.gradgradcheck(lambda x: (x * x).sin(), x)


def test_gradcheck_finds_a_wrong_derivative():
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[0]

    x = torch.rand(3, dtype=torch.float64, device="sim", requires_grad=True)
    for options in ({}, {"fast_mode": True}):
        with pytest.raises(RuntimeError, match="Jacobian mismatch for output 0 with respect to input 0"):
            torch.autograd.gradcheck(Wrong.apply, x, **options)


def test_second_derivatives_of_a_write_to_a_view():
    x = torch.tensor([0.5, 1.5], dtype=torch.float64, device="sim", requires_grad=True)
    results = []
    for leaf in (x, x.detach().cpu().requires_grad_()):
        y = leaf * 2
        y[0].exp_()
        (first,) = torch.autograd.grad((y * y).sum(), leaf, create_graph=True)
        results.append(torch.autograd.grad((first * first).sum(), leaf)[0].cpu())
    assert torch.allclose(results[0], results[1])


def test_alpha_belongs_to_the_node_of_a_sum():
    x = torch.ones(2, device="sim", requires_grad=True)
    y = x.add(x, alpha=3)
    assert [node.name() for node, _ in y.grad_fn.next_functions] == ["torch::autograd::AccumulateGrad"] * 2
    assert y.grad_fn._saved_alpha == 3


def test_data_is_an_alias_that_cannot_grow():
    x = torch.ones(1, 2, device="sim")
    with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
        x.data.resize_(3)


@pytest.mark.parametrize("use_reentrant", [True, False])
def test_a_checkpoint_draws_the_same_numbers_again(use_reentrant):
    from wengert.utils.checkpoint import checkpoint

    x, seen = torch.ones(8, device="sim", requires_grad=True), []

    def noisy(x):
        seen.append(torch.rand(8, device="sim"))
        return x * x * seen[-1]

    checkpoint(noisy, x, use_reentrant=use_reentrant).sum().backward()
    assert seen[0].equal(seen[1])
    assert not torch.rand(8, device="sim").equal(seen[0])


def test_an_operation_is_observed_once():
    from wengert_engine.observe import observing
    from wengert_engine.observe.event_buffer import Recording

    x = torch.ones(2, device="sim")
    recording = Recording(0)
    observing.start(recording)
    torch.ones(2, device="sim")
    x * 2
    x.add(x, alpha=2)
    observing.stop()
    assert len(recording) == 3
