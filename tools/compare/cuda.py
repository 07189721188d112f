"""Times on a GPU beside PyTorch's, and beside what the GPU's memory and matrix units do at best, measured here.

    make compare-cuda [CUDA=13]        or: python -m tools.compare.cuda [--quick]

Prints one line for each piece of work: microseconds of wengert and of PyTorch, their ratio (below 1: wengert is
quicker), and the bandwidth or the rate that wengert reached in percent of the ceiling. A time is the median of several
runs, each of them of many calls, with the device waited for at both ends. Without a GPU it says so and ends with
status 1.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

SENTENCE = "compare-cuda: there is no GPU to compare on: {}"


@dataclass
class Work:
    """A piece of work: ``make(module, device, size)`` prepares it and gives the call. bytes, flops: of one call."""

    name: str
    make: Callable[[Any, str, int], Callable[[], Any]]
    size: int
    calls: int
    bytes: Callable[[int], int] = lambda size: 0
    flops: Callable[[int], int] = lambda size: 0


# ---- what is done


def small_operation(wg: Any, device: str, size: int) -> Callable[[], Any]:
    """An addition of a few numbers: what an operation costs beside its kernel."""
    x = wg.ones(size, device=device)
    return lambda: x + x


def small_recorded(wg: Any, device: str, size: int) -> Callable[[], Any]:
    """The same, recorded for backward."""
    x = wg.ones(size, device=device, requires_grad=True)
    return lambda: x + x


def small_backward(wg: Any, device: str, size: int) -> Callable[[], Any]:
    """Eight operations and their backward."""
    x = wg.ones(size, device=device, requires_grad=True)

    def call() -> Any:
        y = x
        for _ in range(8):
            y = y * y
        return wg.autograd.grad(y.sum(), x)

    return call


def mlp_step(wg: Any, device: str, size: int) -> Callable[[], Any]:
    """A training step of a network size - 4 size - size, on a batch of 256."""
    wg.manual_seed(0)
    f = wg.nn.functional
    shapes = [(4 * size, size), (4 * size,), (size, 4 * size), (size,)]
    weights = [(wg.randn(*shape, device=device) / size**0.5).requires_grad_() for shape in shapes]
    x, y = wg.randn(256, size, device=device), wg.randn(256, size, device=device)

    def call() -> Any:
        hidden = f.gelu(f.linear(x, weights[0], weights[1]))
        loss = f.mse_loss(f.linear(hidden, weights[2], weights[3]), y)
        loss.backward()
        with wg.no_grad():
            for weight in weights:
                weight.sub_(weight.grad, alpha=1e-3)
                weight.grad = None
        return loss

    return call


def transformer_block(wg: Any, device: str, size: int) -> Callable[[], Any]:
    """Forward and backward of attention with 8 heads and a network behind it, each with layer_norm; 4 x 128 tokens."""
    wg.manual_seed(0)
    f = wg.nn.functional
    heads, batch, tokens = 8, 4, 128
    shapes = [(3 * size, size), (size, size), (4 * size, size), (size, 4 * size)]
    weights = [(wg.randn(*shape, device=device) / size**0.5).requires_grad_() for shape in shapes]
    x = wg.randn(batch, tokens, size, device=device).requires_grad_()

    def call() -> Any:
        parts = f.linear(f.layer_norm(x, (size,)), weights[0]).reshape(batch, tokens, 3, heads, size // heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
        scores = (query @ key.transpose(-2, -1)) / (size // heads) ** 0.5
        mixed = (scores.softmax(-1) @ value).transpose(1, 2).reshape(batch, tokens, size)
        y = x + f.linear(mixed, weights[1])
        z = y + f.linear(f.gelu(f.linear(f.layer_norm(y, (size,)), weights[2])), weights[3])
        return wg.autograd.grad(z.square().mean(), [x, *weights])

    return call


def large_elementwise(wg: Any, device: str, size: int) -> Callable[[], Any]:
    """An addition of two large tensors."""
    x, y = wg.rand(size, device=device), wg.rand(size, device=device)
    return lambda: x + y


def large_gelu(wg: Any, device: str, size: int) -> Callable[[], Any]:
    """gelu and its gradient on a large tensor."""
    x = wg.rand(size, device=device).requires_grad_()
    grad = wg.ones(size, device=device)
    return lambda: wg.autograd.grad(wg.nn.functional.gelu(x), x, grad)


def large_softmax(wg: Any, device: str, size: int) -> Callable[[], Any]:
    """softmax along rows of 1024."""
    x = wg.rand(max(size // 1024, 1), 1024, device=device)
    return lambda: x.softmax(-1)


def large_sum(wg: Any, device: str, size: int) -> Callable[[], Any]:
    """The sum of a large tensor."""
    x = wg.rand(size, device=device)
    return lambda: x.sum()


def matmul(wg: Any, device: str, size: int) -> Callable[[], Any]:
    """A product of two square matrices of float32."""
    x, y = wg.rand(size, size, device=device), wg.rand(size, size, device=device)
    return lambda: x @ y


WORK = [
    Work("add, 16 numbers", small_operation, 16, 2000),
    Work("add, 16 numbers, recorded", small_recorded, 16, 2000),
    Work("8 mul and backward, 16 numbers", small_backward, 16, 200),
    Work("training step, 1024-4096-1024", mlp_step, 1024, 50),
    Work("transformer block, width 512", transformer_block, 512, 30),
    Work("add, 64 Mi numbers", large_elementwise, 1 << 26, 20, bytes=lambda n: 12 * n),
    Work("gelu and gradient, 64 Mi numbers", large_gelu, 1 << 26, 10, bytes=lambda n: 20 * n),
    Work("softmax, 64 Ki rows of 1024", large_softmax, 1 << 26, 10, bytes=lambda n: 8 * n),
    Work("sum, 64 Mi numbers", large_sum, 1 << 26, 20, bytes=lambda n: 4 * n),
    Work("matmul, 4096", matmul, 4096, 10, flops=lambda n: 2 * n**3),
]


# ---- how it is timed


def microseconds(call: Callable[[], Any], wait: Callable[[], Any], calls: int, runs: int) -> float:
    """The median time of a call over several runs."""
    for _ in range(3):
        call()
    times = []
    for _ in range(runs):
        wait()
        start = time.perf_counter()
        for _ in range(calls):
            call()
        wait()
        times.append((time.perf_counter() - start) / calls)
    return 1e6 * statistics.median(times)


def ceilings(cp: Any) -> tuple[float, float]:
    """(bytes a second, operations a second) that a copy of memory and a product of matrices reach, by CuPy alone."""
    wait = cp.cuda.Device().synchronize
    source = cp.zeros(1 << 28, cp.uint8)
    target = cp.empty_like(source)
    copying = microseconds(lambda: cp.copyto(target, source), wait, 20, 5)
    a = cp.ones((8192, 8192), cp.float32)
    multiplying = microseconds(lambda: a @ a, wait, 5, 5)
    return 2 * source.nbytes / copying * 1e6, 2 * 8192**3 / multiplying * 1e6


def line(work: Work, ours: float, theirs: float, best: tuple[float, float]) -> str:
    """A line of the table."""
    rates = ((work.bytes(work.size), best[0], "bandwidth"), (work.flops(work.size), best[1], "matrix rate"))
    parts = [f"{amount / ours * 1e6 / ceiling:6.1%} of the {what}" for amount, ceiling, what in rates if amount]
    return f"{work.name:34}{ours:12.1f}{theirs:12.1f}{ours / theirs:8.2f}   {', '.join(parts)}".rstrip()


def missing() -> str:
    """Why nothing can be compared here; "" when it can."""
    found = import_module("wengert_cuda.cupy_module").find_cupy()[1]
    if found:
        return str(found)
    try:
        torch: Any = import_module("torch")
    except ImportError as error:
        return f"PyTorch cannot be imported ({error})"
    return "" if torch.cuda.is_available() else "PyTorch finds no CUDA device"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer runs")
    options = parser.parse_args()
    why = missing()
    if why:
        print(SENTENCE.format(why))
        return 1
    cp: Any = import_module("cupy")
    torch: Any = import_module("torch")
    wg: Any = import_module("wengert")
    torch.backends.cuda.matmul.allow_tf32 = False
    best = ceilings(cp)
    name = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(f"{name}: memory {best[0] / 1e9:.0f} GB/s (copying), matrices {best[1] / 1e12:.1f} Tflop/s (float32)")
    modules = {"NumPy": np, "CuPy": cp, "PyTorch": torch}
    versions = [f"{module} {found.__version__}" for module, found in modules.items()]
    print(", ".join([f"Python {platform.python_version()}", *versions]), "\n")
    print(f"{'':34}{'wengert us':>12}{'PyTorch us':>12}{'ratio':>8}")
    for work in WORK:
        runs = 3 if options.quick else 7
        ours = microseconds(work.make(wg, "cuda", work.size), wg.cuda.synchronize, work.calls, runs)
        wg.cuda.empty_cache()
        theirs = microseconds(work.make(torch, "cuda", work.size), torch.cuda.synchronize, work.calls, runs)
        torch.cuda.empty_cache()
        print(line(work, ours, theirs, best), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
