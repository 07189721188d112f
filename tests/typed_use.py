"""How a type checker sees wengert in a user's code: `make lint` reads this, nothing runs it."""

from typing import Any, assert_type

import wengert as wg
from wengert.autograd.function import FunctionCtx
from wengert.autograd.gradcheck import GradcheckError
from wengert.nn import functional
from wengert.utils.checkpoint import checkpoint


class Cube(wg.autograd.Function):
    """An operation of the user's own."""

    @staticmethod
    def forward(ctx: FunctionCtx, x: wg.Tensor) -> wg.Tensor:
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx: FunctionCtx, grad: wg.Tensor) -> wg.Tensor:
        x: wg.Tensor = ctx.saved_tensors[0]
        return 3 * grad * x**2


def is_right(x: wg.Tensor) -> bool:
    try:
        return wg.autograd.gradcheck(Cube.apply, x) and wg.autograd.gradgradcheck(Cube.apply, (x,), fast_mode=True)
    except GradcheckError as error:
        return not error.causes


@wg.no_grad
def norm(x: wg.Tensor) -> float:
    return float((x * x).sum().sqrt())


@wg.no_grad()
def step(x: wg.Tensor, rate: float) -> None:
    if x.grad is not None:
        x -= rate * x.grad


x = wg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
assert_type(x, wg.Tensor)
assert_type(x.grad, wg.Tensor | None)
assert_type(x.requires_grad, bool)
assert_type(x.dtype, wg.dtype)
assert_type(x.shape, wg.Size)
assert_type(x.shape[0], int)
assert_type(x.size(0), int)
assert_type(2 - x @ x.T, wg.Tensor)
assert_type(x[0, :, None], wg.Tensor)
assert_type(x > 0, wg.Tensor)
assert_type(x.reshape(2, 2).permute((1, 0)).expand(3, 2, 2), wg.Tensor)
assert_type(x.split(1), tuple[wg.Tensor, ...])
assert_type(x.sort().indices, wg.Tensor)
assert_type(x.max(dim=0).values, wg.Tensor)
assert_type(x.max(), wg.Tensor)
assert_type(x.to(wg.float64).to("cpu"), wg.Tensor)
assert_type(wg.zeros(2, 3, dtype=wg.float64), wg.Tensor)
assert_type(wg.matmul(x, x), wg.Tensor)
assert_type(wg.softmax(x, 0), wg.Tensor)
assert_type(wg.fft.rfft(x, norm="ortho"), wg.Tensor)
assert_type(wg.special.i0e(wg.lgamma(x)), wg.Tensor)
assert_type(x.igamma(x).polygamma(1), wg.Tensor)
assert_type(wg.signal.windows.hann(4), wg.Tensor)
assert_type(wg.autograd.grad(x.sum(), x), tuple[Any, ...])
assert_type(norm(x), float)
Cube.apply(x).sum().backward()
functional.relu(x)
with wg.no_grad(), wg.inference_mode():
    x.add_(1, alpha=2)
for row in x:
    assert_type(row, wg.Tensor)
assert_type(checkpoint(wg.relu, x, use_reentrant=False), Any)
for step_of_walk in wg.autograd.graph.walk(x * x):
    assert_type(step_of_walk.name, str)
    assert_type(step_of_walk.leaf, wg.Tensor | None)
assert_type(wg.autograd.graph.saved_memory(x * x).nbytes, int)
assert_type(wg.autograd.graph.explain_grad(x * x, x).reason, str)
assert_type(wg.autograd.graph.draw(x * x, {"x": x}).to_dot(), str)
