"""autocast on devices that are not the CPU: the lists of CUDA, and nothing of the CPU's."""

from __future__ import annotations

import pytest
import wengert as wg

F = wg.nn.functional


def matrix(device, dtype=None):
    return wg.tensor([[0.5, 0.25], [0.125, 1.0]], dtype=dtype or wg.float32, device=device)


LOWER = {
    "mm": lambda x: wg.mm(x, x), "matmul": lambda x: x @ x, "mv": lambda x: wg.mv(x, x[0]),
    "addmm": lambda x: wg.addmm(x, x, x), "linear": lambda x: F.linear(x, x),
    "einsum": lambda x: wg.einsum("ij,jk", x, x), "addr": lambda x: wg.addr(x, x[0], x[0]),
    "multi_dot": lambda x: wg.linalg.multi_dot([x, x]),
    "conv1d": lambda x: F.conv1d(x[None], x[None]),
}  # fmt: skip
SINGLE = {
    "exp": lambda x: x.exp(), "log": lambda x: x.log(), "pow": lambda x: x**2, "reciprocal": lambda x: x.reciprocal(),
    "softmax": lambda x: x.softmax(0), "log_softmax": lambda x: F.log_softmax(x, 0), "sum": lambda x: x.sum(),
    "cumsum": lambda x: x.cumsum(0), "prod": lambda x: x.prod(), "norm": lambda x: x.norm(),
    "mse_loss": lambda x: F.mse_loss(x, x), "layer_norm": lambda x: F.layer_norm(x, (2,)),
    "logsumexp": lambda x: x.logsumexp(0), "softplus": lambda x: F.softplus(x), "cdist": lambda x: wg.cdist(x, x),
}  # fmt: skip
WIDEST = {
    "addcmul": lambda x, y: wg.addcmul(x, y, y), "addcmul with value": lambda x, y: wg.addcmul(x, y, y, value=2),
    "atan2": lambda x, y: wg.atan2(y, x), "dot": lambda x, y: wg.dot(x[0], y[0]),
    "scatter_add": lambda x, y: x.scatter_add(0, wg.zeros(1, 2, dtype=wg.int64, device=x.device), y),
}  # fmt: skip


@pytest.mark.parametrize("name", LOWER)
def test_products_are_cast_down(device, name):
    with wg.autocast(device, dtype=wg.float16):
        assert LOWER[name](matrix(device)).dtype is wg.float16
    assert LOWER[name](matrix(device)).dtype is wg.float32


@pytest.mark.parametrize("name", SINGLE)
def test_what_needs_range_is_cast_up(device, name):
    with wg.autocast(device, dtype=wg.float16):
        assert SINGLE[name](matrix(device, wg.float16)).dtype is wg.float32


@pytest.mark.parametrize("name", WIDEST)
def test_some_are_cast_to_the_widest(device, name):
    with wg.autocast(device, dtype=wg.float16):
        assert WIDEST[name](matrix(device), matrix(device, wg.float16)).dtype is wg.float32


def test_a_dtype_that_is_asked_for_decides(device):
    x = matrix(device, wg.float16)
    with wg.autocast(device, dtype=wg.float16):
        assert x.sum(dtype=wg.float16).dtype is wg.float16
        assert x.softmax(0, dtype=wg.float64).dtype is wg.float64


def test_binary_cross_entropy_is_refused(device):
    x = matrix(device)
    with wg.autocast(device, dtype=wg.float16):
        with pytest.raises(RuntimeError, match="unsafe to autocast"):
            F.binary_cross_entropy(x, x)
        assert F.binary_cross_entropy_with_logits(x, x).dtype is wg.float32


def test_what_is_in_no_list_keeps_its_dtype(device):
    x = matrix(device, wg.float16)
    with wg.autocast(device, dtype=wg.float16):
        assert {(x + x).dtype, x.tanh().dtype, wg.cat([x, x]).dtype, x.mean().dtype} == {wg.float16}


def test_each_type_of_device_has_its_own_settings(device):
    here, there = wg.ones(2, 2), matrix(device)
    with wg.autocast("cpu"):
        assert ((here @ here).dtype, (there @ there).dtype) == (wg.bfloat16, wg.float32)
        with wg.autocast(device, dtype=wg.float16):
            assert ((here @ here).dtype, (there @ there).dtype) == (wg.bfloat16, wg.float16)
    with wg.autocast(device, dtype=wg.float16):
        assert ((here @ here).dtype, (there @ there).dtype) == (wg.float32, wg.float16)


def test_gradients_have_the_dtype_of_the_leaves(device):
    w = matrix(device).requires_grad_()
    with wg.autocast(device, dtype=wg.float16):
        loss = F.mse_loss(matrix(device) @ w, wg.zeros(2, 2, device=device))
    loss.backward()
    assert (loss.dtype, w.grad.dtype, w.grad.device.type) == (wg.float32, wg.float32, device)


def test_a_scaler_on_the_device(device):
    class Optimizer:
        def __init__(self, *params):
            self.param_groups, self.steps = [{"params": list(params)}], 0

        def step(self):
            self.steps += 1

    w = matrix(device).requires_grad_()
    optimizer, scaler = Optimizer(w), wg.amp.GradScaler(device, init_scale=4.0, growth_interval=1)
    scaler.scale(w.sum()).backward()
    assert w.grad.tolist() == [[4.0, 4.0], [4.0, 4.0]]
    scaler.step(optimizer)
    scaler.update()
    assert (w.grad.tolist(), optimizer.steps, scaler.get_scale()) == ([[1.0, 1.0], [1.0, 1.0]], 1, 8.0)
    w.grad.fill_(float("inf"))
    scaler.step(optimizer)
    scaler.update()
    assert (optimizer.steps, scaler.get_scale()) == (1, 4.0)
