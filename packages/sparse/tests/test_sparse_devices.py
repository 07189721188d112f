"""Sparse tensors on another device, the simulated one: their components are there, and so is all that computes."""

import pytest
import wengert as wg

from .sparse_cases import equal

pytestmark = pytest.mark.usefixtures("sim")

FUNCTIONS = {
    "mul": lambda x, d: x * 2,
    "coalesce": lambda x, d: x.coalesce(),
    "sin": lambda x, d: x.sin(),
    "pair": lambda x, d: x + x * x,
    "to_dense": lambda x, d: x.to_dense(),
    "mm": lambda x, d: wg.sparse.mm(x, wg.ones(3, 2, device=d)),
    "t": lambda x, d: x.t(),
    "sum": lambda x, d: wg.sparse.sum(x, 0),
    "select": lambda x, d: x[1],
    "softmax": lambda x, d: wg.sparse.softmax(x, 1),
    "reshape": lambda x, d: x.reshape(6),
    "cat": lambda x, d: wg.cat([x, x]),
    "csr": lambda x, d: x.to_sparse_csr() * 2,
    "index_select": lambda x, d: x.index_select(0, wg.tensor([1], device=d)),
    "mask": lambda x, d: x.sparse_mask(x.detach().coalesce()),
}


def make(device: str) -> wg.Tensor:
    return wg.sparse_coo_tensor([[0, 1, 1], [2, 0, 0]], [3.0, 4.0, 5.0], (2, 3)).to(device).requires_grad_()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_gradients_are_those_of_the_cpu(name: str) -> None:
    found = []
    for device in ("cpu", "sim"):
        x = make(device)
        y = FUNCTIONS[name](x, device)
        whole = y if y.layout is wg.strided else y.to_dense()
        (whole * whole).sum().backward()
        assert x.grad.device.type == whole.device.type == device
        assert x.grad.layout is wg.sparse_coo
        found.append((y.layout, whole.detach().cpu(), x.grad.to_dense().cpu()))
    (layout, values, grad), (other, far, far_grad) = found
    assert layout is other
    assert wg.allclose(values, far)
    assert wg.allclose(grad, far_grad)


def test_moves() -> None:
    x = make("cpu")
    y = x.to("sim")
    assert (y.device.type, y.layout, y._indices().device.type) == ("sim", wg.sparse_coo, "sim")
    assert "device='sim:0'" in repr(y.detach())
    equal(y.cpu().detach(), x.to_dense().detach())
    y.to_dense().sum().backward()
    assert x.grad.device.type == "cpu"


def test_devices_are_not_mixed() -> None:
    with pytest.raises(RuntimeError, match="found at least two devices, sim:0 and cpu"):
        make("sim") + make("cpu")


def test_rows_of_a_weight() -> None:
    w = wg.zeros(5, 2, device="sim", requires_grad=True)
    for _ in range(2):
        wg.nn.functional.embedding(wg.tensor([1, 3], device="sim"), w, sparse=True).sum().backward()
    assert w.grad.layout is wg.sparse_coo
    assert w.grad.to_dense().cpu()[:, 0].tolist() == [0.0, 2.0, 0.0, 2.0, 0.0]
