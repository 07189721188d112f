"""What tools/compare/operators.py times: for each everyday operator a statement, on inputs of a number of elements.

A statement is written once and runs with wengert and with PyTorch as ``m``. ``INPUTS`` says what each of its names is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

SIZES = (16, 10_000, 1_000_000)
Array = NDArray[Any]


def normal(*shape: int, seed: int = 0) -> Array:
    numbers: Array = np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)
    return numbers


def side(n: int) -> int:
    """Rows and columns of a square matrix of n elements."""
    return math.isqrt(n)


def squares(n: int, seed: int = 0) -> Array:
    """Well-conditioned square matrices, n elements in all: one of 4 x 4, else of 50 x 50."""
    k = 4 if n < 2500 else 50
    matrices: Array = normal(max(1, n // k**2), k, k, seed=seed) + 2 * math.sqrt(k) * np.eye(k, dtype=np.float32)
    return matrices


def image(n: int) -> tuple[int, int, int, int]:
    """Batch, channels, height and width."""
    return {16: (1, 1, 4, 4), 10_000: (1, 4, 50, 50), 1_000_000: (4, 16, 125, 125)}[n]


def kernel(n: int, dims: int) -> Array:
    channels = image(n)[1] if dims == 2 else line(n)[1]
    return normal(4 * channels, channels, *[3] * dims, seed=2)


def line(n: int) -> tuple[int, int, int]:
    """Batch, channels, length."""
    return {16: (1, 2, 8), 10_000: (5, 20, 100), 1_000_000: (10, 50, 2000)}[n]


def heads(n: int, seed: int) -> Array:
    """Queries, keys or values: batch, heads, positions, features."""
    shape = {16: (1, 1, 4, 4), 10_000: (1, 2, 125, 40), 1_000_000: (2, 8, 1000, 62)}[n]
    return normal(*shape, seed=seed)


def rows(n: int) -> tuple[int, int]:
    """Samples and classes of a loss."""
    return {16: (4, 4), 10_000: (200, 50), 1_000_000: (10_000, 100)}[n]


def whole(n: int, high: int, seed: int = 3) -> Array:
    numbers: Array = np.random.default_rng(seed).integers(0, high, n)
    return numbers


INPUTS: dict[str, Callable[[int], Array]] = {
    "x": lambda n: normal(n),
    "y": lambda n: normal(n, seed=1),
    "w": lambda n: normal(n, seed=2),
    "p": lambda n: np.abs(normal(n)) + 0.5,  # positive
    "q": lambda n: np.abs(normal(n, seed=1)) + 0.5,
    "u": lambda n: np.random.default_rng(4).random(n, dtype=np.float32) * 0.98 + 0.01,  # a probability
    "v": lambda n: np.random.default_rng(5).random(n, dtype=np.float32),
    "a": lambda n: normal(side(n), side(n)),
    "b": lambda n: normal(side(n), side(n), seed=1),
    "c": lambda n: normal(side(n), side(n), seed=2),
    "r": lambda n: normal(side(n), seed=3),
    "mask": lambda n: normal(n, seed=6) > 0,
    "index": lambda n: whole(n, n),
    "lines": lambda n: np.random.default_rng(7).permutation(side(n)),
    "squares": squares,
    "positive": lambda n: squares(n) @ squares(n).swapaxes(-1, -2),
    "right": lambda n: squares(n, seed=1),
    "images": lambda n: normal(*image(n)),
    "kernel2": lambda n: kernel(n, 2),
    "signals": lambda n: normal(*line(n)),
    "kernel1": lambda n: kernel(n, 1),
    "per_channel": lambda n: np.ones(image(n)[1], np.float32),
    "offsets": lambda n: np.zeros(image(n)[1], np.float32),
    "logits": lambda n: normal(*rows(n)),
    "classes": lambda n: whole(rows(n)[0], rows(n)[1]),
    "words": lambda n: whole(max(4, n // 50), max(4, n // 500)),
    "vectors": lambda n: normal(max(4, n // 500), 4 if n == 16 else 50),
    "query": lambda n: heads(n, 0),
    "key": lambda n: heads(n, 1),
    "value": lambda n: heads(n, 2),
}
NO_GRADIENT = {"mask", "index", "lines", "classes", "words", "v"}


@dataclass(frozen=True)
class OperatorRow:
    """One operator: the statement to time, and whether it has a gradient to time as well."""

    name: str
    statement: str
    backward: bool = True


def rows_of_table(text: str, backward: bool) -> list[OperatorRow]:
    """Rows of a table with lines ``operator: statement``."""
    lines = [text_line.partition(": ") for text_line in text.strip().splitlines()]
    return [OperatorRow(name.strip(), statement, backward) for name, _, statement in lines]


UNARY = (
    "neg abs exp expm1 square sin cos tan atan tanh sigmoid erf clone sum mean prod var std logsumexp max min amax "
    "amin norm softmax log_softmax median"
).split()
POSITIVE = "log log1p log2 sqrt rsqrt reciprocal".split()
BINARY = "add sub mul div maximum minimum atan2 dot".split()
PLAIN_UNARY = (
    "sign floor ceil round isnan isfinite argmax argmin all any logical_not zeros_like ones_like nonzero argsort"
).split()
PLAIN_BINARY = "eq ne lt le gt ge logical_and logical_or floor_divide".split()
NEEDS_DIM = {"logsumexp": ", 0", "softmax": ", 0", "log_softmax": ", 0"}
FUNCTIONS = "relu gelu silu leaky_relu softplus".split()
LOSSES = "mse_loss l1_loss smooth_l1_loss".split()
SQUARE_MATRICES = "inv det qr svd".split()

DIFFERENTIABLE = """
pow: p ** 2.5
remainder: m.remainder(x, 0.7)
__radd__: 1.5 + x
__rmul__: 1.5 * x
__rsub__: 1.5 - x
__rdiv__: 1.5 / p
__rpow__: 1.5 ** x
__rmatmul__: a.__rmatmul__(b)
__getitem__: x[2:-2]
clamp: x.clamp(-0.5, 0.5)
where: m.where(mask, x, y)
lerp: m.lerp(x, y, 0.3)
cumsum: x.cumsum(0)
cumprod: u.cumprod(0)
trace: a.trace()
reshape: x.reshape(4, -1)
view: x.view(4, -1)
permute: a.permute(1, 0)
transpose: a.transpose(0, 1)
t: a.t()
T: a.T
mT: a.mT
squeeze: x.squeeze()
unsqueeze: x.unsqueeze(0)
expand: r.expand(r.shape[0], -1)
flatten: a.flatten()
unbind: squares.unbind(0)[0]
split: x.split(8)[0] if x.numel() < 100 else x.split(x.numel() // 4)[0]
chunk: x.chunk(4)[0]
select: a.select(0, 1)
cat: m.cat([x, y])
stack: m.stack([x, y])
repeat: x.repeat(2)
flip: x.flip(0)
diagonal: a.diagonal()
diag: a.diag()
tril: a.tril()
triu: a.triu()
contiguous: a.t().contiguous()
gather: x.gather(0, index)
scatter: x.scatter(0, index, y)
scatter_add: x.scatter_add(0, index, y)
index_select: a.index_select(0, lines)
index_add: a.index_add(0, lines, b)
index_put: x.index_put((index,), y)
masked_fill: x.masked_fill(mask, 0.0)
masked_select: x.masked_select(mask)
take_along_dim: m.take_along_dim(x, index, 0)
sort: x.sort()[0]
topk: x.topk(8)[0]
repeat_interleave: x.repeat_interleave(2)
mm: m.mm(a, b)
bmm: m.bmm(squares, right)
matmul: a @ b
outer: m.outer(r, r)
einsum: m.einsum('ij,kj->ik', a, b)
addmm: m.addmm(c, a, b)
tensordot: m.tensordot(a, b, 1)
linalg.solve: m.linalg.solve(squares, right)
linalg.slogdet: m.linalg.slogdet(squares)[1]
linalg.cholesky: m.linalg.cholesky(positive)
linalg.eigh: m.linalg.eigh(positive)[0]
linalg.norm: m.linalg.norm(x)
linalg.vector_norm: m.linalg.vector_norm(x)
linalg.solve_triangular: m.linalg.solve_triangular(squares.triu(), right, upper=True)
to: x.to(m.float64)
float: x.double().float()
double: x.double()
nn.functional.linear: F.linear(a, b, r)
nn.functional.embedding: F.embedding(words, vectors)
nn.functional.conv1d: F.conv1d(signals, kernel1, padding=1)
nn.functional.conv2d: F.conv2d(images, kernel2, padding=1)
nn.functional.max_pool2d: F.max_pool2d(images, 2)
nn.functional.avg_pool2d: F.avg_pool2d(images, 2)
nn.functional.adaptive_avg_pool2d: F.adaptive_avg_pool2d(images, 2)
nn.functional.batch_norm: F.batch_norm(images, None, None, per_channel, offsets, True)
nn.functional.layer_norm: F.layer_norm(a, a.shape[-1:])
nn.functional.dropout: F.dropout(x, 0.5)
nn.functional.cross_entropy: F.cross_entropy(logits, classes)
nn.functional.nll_loss: F.nll_loss(logits, classes)
nn.functional.binary_cross_entropy: F.binary_cross_entropy(u, v)
nn.functional.binary_cross_entropy_with_logits: F.binary_cross_entropy_with_logits(x, v)
nn.functional.scaled_dot_product_attention: F.scaled_dot_product_attention(query, key, value)
nn.functional.pad: F.pad(a, (1, 1))
"""
NOT_DIFFERENTIABLE = """
zeros: m.zeros(n)
ones: m.ones(n)
full: m.full((n,), 1.5)
arange: m.arange(n)
linspace: m.linspace(0, 1, n)
eye: m.eye(k)
long: v.long()
bool: v.bool()
item: r0.item()
nn.functional.one_hot: F.one_hot(classes)
"""


def all_rows() -> list[OperatorRow]:
    """Every operator of the everyday tier, by name."""
    found = [OperatorRow(name, f"m.{name}(x{NEEDS_DIM.get(name, '')})") for name in UNARY]
    found += [OperatorRow(name, f"m.{name}(p)") for name in POSITIVE]
    found += [OperatorRow(name, f"m.{name}({'p, q' if name == 'div' else 'x, y'})") for name in BINARY]
    found += [OperatorRow(name, f"m.{name}(v)", False) for name in PLAIN_UNARY]
    found += [OperatorRow(name, f"m.{name}(v, v)", False) for name in PLAIN_BINARY]
    found += [OperatorRow(f"nn.functional.{name}", f"F.{name}(x)") for name in FUNCTIONS]
    found += [OperatorRow(f"nn.functional.{name}", f"F.{name}(x, v)") for name in LOSSES]
    found += [OperatorRow(f"linalg.{name}", first(f"m.linalg.{name}(squares)", name)) for name in SQUARE_MATRICES]
    found += rows_of_table(DIFFERENTIABLE, True) + rows_of_table(NOT_DIFFERENTIABLE, False)
    return sorted(found, key=lambda row: row.name)


def first(statement: str, name: str) -> str:
    """qr and svd give several tensors: the gradient of one of them is timed (R, and the singular values)."""
    return {"qr": f"{statement}[1]", "svd": f"{statement}[1]"}.get(name, statement)


def names_for(row: OperatorRow, m: Any, n: int) -> dict[str, Any]:
    """What a row's statement uses, made with a module; floating inputs that have a gradient require it."""
    code = compile(row.statement, row.name, "eval")
    names: dict[str, Any] = {"m": m, "F": m.nn.functional, "n": n, "k": side(n), "r0": m.ones(())}
    for name in code.co_names:
        if name in INPUTS:
            tensor = m.from_numpy(np.ascontiguousarray(INPUTS[name](n)))
            wanted = row.backward and name not in NO_GRADIENT and tensor.is_floating_point()
            names[name] = tensor.requires_grad_() if wanted else tensor
    return names
