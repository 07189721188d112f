"""Compressed tensors on another device, the simulated one: their components are there, and so is what is computed."""

import numpy as np
import pytest
import wengert as wg

from .sparse_cases import COMPRESSED, random_matrix

pytestmark = pytest.mark.usefixtures("sim")

FUNCTIONS = {
    "mm": lambda x, d: x @ wg.ones(6, 900, device=d),
    "few": lambda x, d: x @ wg.ones(6, 2, device=d),
    "left": lambda x, d: wg.ones(2, 4, device=d) @ x,
    "mv": lambda x, d: x @ wg.ones(6, device=d),
    "addmm": lambda x, d: wg.addmm(wg.ones(2, device=d), x, wg.ones(6, 2, device=d), beta=2),
    "select": lambda x, d: x[1],
    "slice": lambda x, d: x[1:, ::2],
    "index_select": lambda x, d: x.index_select(1, wg.tensor([4, 0], device=d)),
    "cat": lambda x, d: wg.cat([x, x * x], 1),
    "stack": lambda x, d: wg.stack([x, x * x]),
    "bmm": lambda x, d: wg.bmm(wg.stack([x, x * x]), wg.ones(2, 6, 3, device=d)),
    "sum": lambda x, d: x.sum(1, keepdim=True),
    "mask": lambda x, d: x.sparse_mask(x.detach()),
    "copy": lambda x, d: x.clone().copy_(x.detach()),
    "ones_like": lambda x, d: x * wg.ones_like(x),
    "norm": lambda x, d: x.norm(),
    "blocks": lambda x, d: x.to_sparse_bsr((4, 2)),
}


@pytest.mark.parametrize("layout", COMPRESSED, ids=repr)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_gradients_are_those_of_the_cpu(name, layout) -> None:
    found = []
    for device in ("cpu", "sim"):
        x = random_matrix(np.random.default_rng(0), layout, dtype=wg.float32).to(device).requires_grad_()
        y = FUNCTIONS[name](x, device)
        whole = y if y.layout is wg.strided else y.to_dense()
        (whole * whole).sum().backward()
        assert x.grad.device.type == whole.device.type == device
        found.append((y.layout, x.grad.layout, whole.detach().cpu(), x.grad.to_dense().cpu()))
    (*layouts, values, grad), (*others, far, far_grad) = found
    assert layouts == others
    assert wg.allclose(values, far)
    assert wg.allclose(grad, far_grad)
