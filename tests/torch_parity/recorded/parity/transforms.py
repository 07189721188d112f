"""Runs a function, given as text, under a transform, given as text: a case of answers/transforms."""

from __future__ import annotations

import importlib
import math
import warnings
from types import ModuleType
from typing import Any


def sum_to_size(t: Any, shape: Any) -> Any:
    """t summed to a shape that broadcasts to its own."""
    while t.ndim > len(shape):
        t = t.sum(0)
    for i, n in enumerate(shape):
        if n == 1 and t.shape[i] != 1:
            t = t.sum(i, keepdim=True)
    return t


class Keeping:
    """Static methods that the custom Functions share."""

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)


def square(torch: ModuleType) -> Any:
    """A Function whose rule for vmap is generated."""
    class Square(Keeping, torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return 2 * grad * ctx.saved_tensors[0]

        @staticmethod
        def jvp(ctx, tangent):
            return 2 * tangent * ctx.saved_tensors[0]

    return Square


def sine(torch: ModuleType) -> Any:
    """A Function with a rule for vmap of its own."""
    class Sine(Keeping, torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x.sin()

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[0].cos()

        @staticmethod
        def jvp(ctx, tangent):
            return tangent * ctx.saved_tensors[0].cos()

        @staticmethod
        def vmap(info, in_dims, x):
            return Sine.apply(x), in_dims[0]

    return Sine


def times(torch: ModuleType) -> Any:
    """A Function of two tensors, which broadcast."""
    class Times(Keeping, torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x, y):
            return x * y + y

        @staticmethod
        def backward(ctx, grad):
            x, y = ctx.saved_tensors
            return sum_to_size(grad * y, x.shape), sum_to_size(grad * (x + 1), y.shape)

        @staticmethod
        def jvp(ctx, t, u):
            x, y = ctx.saved_tensors
            return t * y + u * (x + 1)

    return Times


def combinations(torch: ModuleType) -> dict[str, Any]:
    """Forward over reverse and reverse over forward mode, by hand."""
    mode = importlib.import_module(torch.__name__ + ".autograd.forward_ad")

    def forward(f, xs):
        with mode.dual_level():
            return mode.unpack_dual(f(*[mode.make_dual(x, x.cos()) for x in xs])).tangent

    def forward_over_reverse(s, xs):
        with mode.dual_level():
            duals = [mode.make_dual(x.clone().requires_grad_(), x.cos()) for x in xs]
            found = torch.autograd.grad(s(*duals), duals, create_graph=True, allow_unused=True)
            return tuple(None if g is None else mode.unpack_dual(g).tangent for g in found)

    def reverse_over_forward(f, xs):
        leaves = [x.clone().requires_grad_() for x in xs]
        with mode.dual_level():
            tangent = mode.unpack_dual(f(*[mode.make_dual(leaf, leaf.detach().cos()) for leaf in leaves])).tangent
        nothing = sum(leaf.sum() * 0 for leaf in leaves)  # a tangent may depend on no leaf
        return torch.autograd.grad((tangent * tangent).sum() + nothing, leaves)

    return {made.__name__: made for made in (forward, forward_over_reverse, reverse_over_forward)}


def inputs(torch: ModuleType, shape: tuple[int, ...], count: int) -> list[Any]:
    return [((torch.arange(math.prod(shape), dtype=torch.float64).reshape(shape) * step).sin() * 0.4 + start)
            for step, start in ((0.17, 0.55), (-0.13, 0.6))[:count]]


def describe(value: Any) -> Any:
    """Shapes and numbers to ten digits; None is zeros by another name, which engines may choose between."""
    if isinstance(value, (tuple, list)):
        return [describe(part) for part in value]
    if value is None or isinstance(value, bool):
        return value
    return [list(value.shape), [float(f"{x:.10g}") for x in value.detach().reshape(-1).tolist()]]


def kind(transform: str) -> str:
    """The file that a transform's answers belong to: the interface that it calls."""
    starts = {"torch.func.": "func", "torch.vmap(": "vmap", "torch.autograd.functional.": "functional",
              "forward": "forward_ad", "reverse_over_forward": "forward_ad"}
    return next((name for start, name in starts.items() if transform.startswith(start)), "grad")


def run(torch: ModuleType, shape: tuple[int, ...], source: str, transform: str) -> Any:
    """Return what the transform of the function gives, or the name of its exception."""
    count = source.split("(")[1].split(")")[0].count(",") + 1
    xs = inputs(torch, shape, count)
    names: dict[str, Any] = {"torch": torch, "Square": square(torch), "Sine": sine(torch), "Times": times(torch),
                             **combinations(torch)}
    exec(source, names)
    f = names["f"]
    names |= {"xs": tuple(xs), "s": lambda *args: (f(*args) ** 2).sum(), "vs": tuple(x.cos() for x in xs),
              "leaves": tuple(x.clone().requires_grad_() for x in xs)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return describe(eval(transform, names))
        except Exception as error:
            return type(error).__name__
