"""How type checkers see wengert in a user's code: `make lint` has mypy and basedpyright read this, nothing runs it."""

from collections.abc import Generator
from typing import assert_type

import wengert as wg
from wengert.autograd.function import FunctionCtx
from wengert.autograd.gradcheck import GradcheckError
from wengert.func import functionalize, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp, vmap
from wengert.nn import functional
from wengert.return_types import topk
from wengert.utils.checkpoint import checkpoint


class Cube(wg.autograd.Function):
    """An operation of the user's own."""

    @staticmethod
    def forward(ctx: FunctionCtx, x: wg.Tensor) -> wg.Tensor:
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(  # pyright: ignore[reportIncompatibleMethodOverride]  # the base takes any number, as PyTorch's
        ctx: FunctionCtx, grad: wg.Tensor
    ) -> wg.Tensor:
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


@wg.enable_grad()
def weighted_sum(x: wg.Tensor, y: wg.Tensor, scale: float = 1.0) -> wg.Tensor:
    return (x * y).sum() * scale


@wg.inference_mode
def parts(x: wg.Tensor) -> tuple[wg.Tensor, int]:
    return x, x.ndim


@wg.inference_mode()
def rows(x: wg.Tensor) -> Generator[wg.Tensor, None, None]:
    yield from x


@wg.compile(fullgraph=True)
def wave(x: wg.Tensor) -> wg.Tensor:
    return x.sin() + x.cos()


@wg.autocast("cpu", dtype=wg.bfloat16)
def product(x: wg.Tensor) -> wg.Tensor:
    return x @ x


@wg.jit.script
def double(x: wg.Tensor) -> wg.Tensor:
    return 2 * x


def of_weights(weights: dict[str, wg.Tensor], x: wg.Tensor) -> wg.Tensor:
    return (weights["w"] * x).sum()


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
assert_type(wg.autograd.grad(x.sum(), x), tuple[wg.Tensor, ...])
assert_type(wg.autograd.grad([x.sum()], (x, x), allow_unused=True), tuple[wg.Tensor | None, ...])
assert_type(wg.autograd.grad(x.sum(), x, allow_unused=True, materialize_grads=True), tuple[wg.Tensor, ...])
assert_type(norm(x), float)
Cube.apply(x).sum().backward()
functional.relu(x)
with wg.no_grad(), wg.inference_mode():
    x.add_(1, alpha=2)
for row in x:
    assert_type(row, wg.Tensor)
assert_type(checkpoint(wg.relu, x, use_reentrant=False), wg.Tensor)
for step_of_walk in wg.autograd.graph.walk(x * x):
    assert_type(step_of_walk.name, str)
    assert_type(step_of_walk.leaf, wg.Tensor | None)
assert_type(wg.autograd.graph.saved_memory(x * x).nbytes, int)
assert_type(wg.autograd.graph.explain_grad(x * x, x).reason, str)
assert_type(wg.autograd.graph.draw(x * x, {"x": x}).to_dot(), str)

# results of several parts
assert_type(wg.linalg.det(x), wg.Tensor)
assert_type(wg.linalg.svd(x), wg.return_types.linalg_svd)
assert_type(wg.linalg.svd(x).Vh, wg.Tensor)
U, S, V = wg.svd(x)
assert_type(U, wg.Tensor)
sign, logabsdet = x.slogdet()
assert_type(logabsdet, wg.Tensor)
assert_type(x.slogdet(), wg.return_types.slogdet)
assert_type(wg.linalg.eigh(x).eigenvalues, wg.Tensor)
assert_type(wg.linalg.qr(x).R, wg.Tensor)
assert_type(wg.linalg.lstsq(x, x).residuals, wg.Tensor)
assert_type(wg.linalg.lu_factor_ex(x).info, wg.Tensor)
assert_type(x.topk(1), topk)
assert_type(wg.sort(x), wg.return_types.sort)
assert_type(x.max(0), wg.return_types.max)
assert_type(wg.min(x, 0, keepdim=True).indices, wg.Tensor)
assert_type(wg.median(x), wg.Tensor)
assert_type(x.aminmax().min, wg.Tensor)
assert_type(wg.frexp(x).mantissa, wg.Tensor)
assert_type(wg.histogramdd(x, 2).bin_edges, tuple[wg.Tensor, ...])
assert_type(wg.return_types.qr([x, x]).Q, wg.Tensor)
assert_type(wg.std_mean(x), tuple[wg.Tensor, wg.Tensor])
assert_type(wg.gradient(x), tuple[wg.Tensor, ...])
assert_type(wg.broadcast_shapes((1, 2), (2, 1)), wg.Size)
assert_type(wg.atleast_1d(x), wg.Tensor)
assert_type(wg.atleast_2d(x, x), tuple[wg.Tensor, ...])
assert_type(wg.where(x > 0, x, 0), wg.Tensor)
assert_type(wg.where(x > 0), tuple[wg.Tensor, ...])
assert_type(x.nonzero(), wg.Tensor)
assert_type(x.nonzero(as_tuple=True), tuple[wg.Tensor, ...])
assert_type(wg.unique(x), wg.Tensor)
assert_type(x.unique(return_counts=True), tuple[wg.Tensor, wg.Tensor])
assert_type(wg.unique_consecutive(x, return_inverse=True, return_counts=True), tuple[wg.Tensor, wg.Tensor, wg.Tensor])
assert_type(wg.lu(x), tuple[wg.Tensor, wg.Tensor])
assert_type(x.lu(get_infos=True), tuple[wg.Tensor, wg.Tensor, wg.Tensor])
assert_type(functional.max_pool2d(x, 2), wg.Tensor)
assert_type(functional.max_pool2d(x, 2, return_indices=True), tuple[wg.Tensor, wg.Tensor])
assert_type(functional.adaptive_max_pool1d(x, 2, True), tuple[wg.Tensor, wg.Tensor])
assert_type(functional.conv2d(x, x), wg.Tensor)
assert_type(functional.celu_(x, alpha=2.0), wg.Tensor)

# decorators keep the function's type
assert_type(weighted_sum(x, y=x, scale=2.0), wg.Tensor)
assert_type(parts(x), tuple[wg.Tensor, int])
assert_type(rows(x), Generator[wg.Tensor, None, None])
assert_type(wave(x), wg.Tensor)
assert_type(double(x=x), wg.Tensor)
assert_type(product(x=x), wg.Tensor)
assert_type(wg.set_grad_enabled(False)(norm)(x), float)
assert_type(checkpoint(parts, x, use_reentrant=False), tuple[wg.Tensor, int])

# transforms, too: parameters and result
assert_type(vmap(wg.dot)(x, x), wg.Tensor)
assert_type(wg.vmap(weighted_sum, in_dims=(0, None))(x, y=x, scale=2.0), wg.Tensor)
assert_type(grad(weighted_sum)(x, y=x, scale=2.0), wg.Tensor)
assert_type(grad(weighted_sum, argnums=1)(x, x), wg.Tensor)
assert_type(grad(weighted_sum, argnums=(0, 1))(x, x), tuple[wg.Tensor, wg.Tensor])
assert_type(grad(of_weights)({"w": x}, x), dict[str, wg.Tensor])
assert_type(grad(of_weights, argnums=1)({"w": x}, x), wg.Tensor)
assert_type(grad(parts, has_aux=True)(x), tuple[wg.Tensor, int])
assert_type(grad(grad(wg.sin))(x), wg.Tensor)
assert_type(vmap(grad(weighted_sum), in_dims=(None, 0))(x, x), wg.Tensor)
assert_type(grad_and_value(weighted_sum)(x, x), tuple[wg.Tensor, wg.Tensor])
assert_type(grad_and_value(parts, has_aux=True)(x), tuple[wg.Tensor, tuple[wg.Tensor, int]])
assert_type(jacrev(weighted_sum)(x, y=x), wg.Tensor)
assert_type(jacfwd(wg.sin)(x), wg.Tensor)
assert_type(jacfwd(parts, has_aux=True)(x), tuple[wg.Tensor, int])
assert_type(hessian(weighted_sum)(x, x), wg.Tensor)
value, pull = vjp(weighted_sum, x, x)
assert_type(value, wg.Tensor)
assert_type(pull(value), tuple[wg.Tensor, wg.Tensor])
assert_type(vjp(parts, x, has_aux=True)[2], int)
assert_type(jvp(wg.sin, (x,), (x,)), tuple[wg.Tensor, wg.Tensor])
assert_type(linearize(wg.sin, x)[1](x), wg.Tensor)
assert_type(functionalize(weighted_sum)(x, y=x), wg.Tensor)
assert_type(wg.autograd.functional.jacobian(wg.sin, x), wg.Tensor)
assert_type(wg.autograd.functional.jacobian(weighted_sum, (x, x)), tuple[wg.Tensor, ...])
assert_type(wg.autograd.functional.hessian(weighted_sum, (x, x)), tuple[tuple[wg.Tensor, ...], ...])
assert_type(wg.autograd.functional.vjp(parts, x), tuple[tuple[wg.Tensor, int], wg.Tensor])
assert_type(wg.autograd.functional.jvp(wg.sin, x, x), tuple[wg.Tensor, wg.Tensor])
assert_type(wg.autograd.functional.hvp(weighted_sum, (x, x), (x, x)), tuple[wg.Tensor, tuple[wg.Tensor, ...]])
grad(lambda x: (x**3).sum())(x)
vmap(lambda x: x * 2)(x)
