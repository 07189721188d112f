"""The steps of the naive engine: what they compute, their derivatives, and torch's names for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

RULES: dict[str, Any] = {  # value of (a, b); gradients of a and b from (g, a, b, out); what each of the two needs
    "add": (lambda a, b: a + b, lambda g, a, b, o: (g, g), ("", "")),
    "sub": (lambda a, b: a - b, lambda g, a, b, o: (g, -g), ("", "")),
    "mul": (lambda a, b: a * b, lambda g, a, b, o: (g * b, g * a), ("b", "a")),
    "copy": (lambda a, b: b + 0 * a, lambda g, a, b, o: (0 * g, g), ("", "")),
    "zero": (lambda a, b: 0 * a, lambda g, a, b, o: (0 * g, None), ("", "")),
    "sin": (lambda a, b: np.sin(a), lambda g, a, b, o: (g * np.cos(a), None), ("a", "")),
    "tanh": (lambda a, b: np.tanh(a), lambda g, a, b, o: (g * (1 - o * o), None), ("o", "")),
    "clone": (lambda a, b: a + 0, lambda g, a, b, o: (g, None), ("", "")),
    "sum": (lambda a, b: a.sum(), lambda g, a, b, o: (g + 0 * a, None), ("", "")),
}


def rule(name: str, a: Any, b: Any, out: Any) -> Callable[[Any], list[Any]]:
    """The gradients of a step's operands, each summed to the operand's shape."""
    def run(g: Any) -> list[Any]:
        grads = zip(RULES[name][1](g, a, b, out), (a, b), strict=True)
        return [None if x is None else np.sum(d).reshape(()) if np.ndim(x) < np.ndim(d) else d for d, x in grads]

    return run


class Steps:
    """torch's names, in terms of three things that the engine's tensors can do."""

    apply: Callable[..., Any]
    """A new tensor by a rule."""
    write: Callable[..., Any]
    """The same in place."""
    view: Callable[..., Any]
    """A tensor of the positions that are left of this one's."""
    shape: Any
    value: Any

    add = lambda self, b: self.apply("add", b)  # noqa: E731
    sub = lambda self, b: self.apply("sub", b)  # noqa: E731
    mul = lambda self, b: self.apply("mul", b)  # noqa: E731
    sin = lambda self: self.apply("sin")  # noqa: E731
    tanh = lambda self: self.apply("tanh")  # noqa: E731
    clone = lambda self: self.apply("clone")  # noqa: E731
    sum = lambda self: self.apply("sum")  # noqa: E731
    add_ = lambda self, b: self.write("add", b)  # noqa: E731
    mul_ = lambda self, b: self.write("mul", b)  # noqa: E731
    copy_ = lambda self, b: self.write("copy", b)  # noqa: E731
    sin_ = lambda self: self.write("sin")  # noqa: E731
    tanh_ = lambda self: self.write("tanh")  # noqa: E731
    zero_ = lambda self: self.write("zero")  # noqa: E731
    t = lambda self: self.view(lambda at: at.T)  # noqa: E731
    select = lambda self, d, i: self.view(lambda at: np.take(at, i, d))  # noqa: E731
    narrow = lambda self, d, i, n: self.view(lambda at: np.take(at, range(i, i + n), d))  # noqa: E731
    unsqueeze = lambda self, d: self.view(lambda at: np.expand_dims(at, d))  # noqa: E731
    expand = lambda self, *shape: self.view(lambda at: np.broadcast_to(at, shape))  # noqa: E731
    tolist = lambda self: self.value.tolist()  # noqa: E731

    def unbind(self, d: int) -> list[Any]:
        def part(i: int) -> Any:
            return self.view(lambda at: np.take(at, i, d), several=True)

        return [part(i) for i in range(self.shape[d])]
