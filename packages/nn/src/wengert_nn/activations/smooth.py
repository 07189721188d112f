"""Activations made of the exponential function: sigmoids, gates, soft versions of others."""

from __future__ import annotations

from typing import ClassVar

from wengert import Tensor, sigmoid, tanh
from wengert.nn.functional import (
    gelu,
    glu,
    hardshrink,
    hardsigmoid,
    hardswish,
    logsigmoid,
    mish,
    silu,
    softplus,
    softshrink,
    softsign,
    tanhshrink,
)

from wengert_nn.activations.rectifiers import Inplace
from wengert_nn.modules.module import Module


class Sigmoid(Module):
    """Return ``1 / (1 + exp(-x))``.

    >>> import wengert as wg
    >>> wg.nn.Sigmoid()(wg.tensor([0.0, 2.0]))
    tensor([0.5000, 0.8808])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Compute the activation."""
        return sigmoid(input)


class Hardsigmoid(Inplace):
    """Return ``min(max(0, x / 6 + 1 / 2), 1)``.

    >>> import wengert as wg
    >>> wg.nn.Hardsigmoid()(wg.tensor([-3.0, 0.0, 4.0]))
    tensor([0.0000, 0.5000, 1.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Compute the activation."""
        return hardsigmoid(input, self.inplace)

    def extra_repr(self) -> str:
        """Return nothing."""
        return ""


class Tanh(Module):
    """Return the hyperbolic tangent.

    >>> import wengert as wg
    >>> wg.nn.Tanh()(wg.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7616])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Compute the activation."""
        return tanh(input)


class SiLU(Inplace):
    """Return ``x * sigmoid(x)``, which is also called swish.

    >>> import wengert as wg
    >>> wg.nn.SiLU()(wg.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7311])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Compute the activation."""
        return silu(input, self.inplace)


class Mish(Inplace):
    """Return ``x * tanh(softplus(x))``.

    >>> import wengert as wg
    >>> wg.nn.Mish()(wg.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8651])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Compute the activation."""
        return mish(input, self.inplace)


class Hardswish(Inplace):
    """Return ``x * min(max(0, x + 3), 6) / 6``.

    >>> import wengert as wg
    >>> wg.nn.Hardswish()(wg.tensor([-1.0, 1.0, 4.0]))
    tensor([-0.3333,  0.6667,  4.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Compute the activation."""
        return hardswish(input, self.inplace)

    def extra_repr(self) -> str:
        """Return nothing."""
        return ""


class GLU(Module):
    """Return ``a * sigmoid(b)``, where a and b are the halves of the input along a dim.

    >>> import wengert as wg
    >>> wg.nn.GLU()(wg.tensor([1.0, 2.0, 0.0, 0.0]))
    tensor([0.5000, 1.0000])
    """

    __constants__: ClassVar[list[str]] = ["dim"]
    dim: int

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Compute the activation."""
        return glu(input, self.dim)

    def extra_repr(self) -> str:
        """Return the dim."""
        return f"dim={self.dim}"


class GELU(Module):
    """Return ``x * Phi(x)``, with the distribution function of the normal distribution.

    approximate: "none", or "tanh" for an approximation of Phi.

    >>> import wengert as wg
    >>> wg.nn.GELU()(wg.tensor([-1.0, 1.0]))
    tensor([-0.1587,  0.8413])
    """

    __constants__: ClassVar[list[str]] = ["approximate"]
    approximate: str

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """Compute the activation."""
        return gelu(input, self.approximate)

    def extra_repr(self) -> str:
        """Return the approximation."""
        return f"approximate={self.approximate!r}"


class LogSigmoid(Module):
    """Return ``log(1 / (1 + exp(-x)))``.

    >>> import wengert as wg
    >>> wg.nn.LogSigmoid()(wg.tensor([0.0, 2.0]))
    tensor([-0.6931, -0.1269])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Compute the activation."""
        return logsigmoid(input)


class Softplus(Module):
    """Return ``log(1 + exp(beta * x)) / beta``, and x where ``beta * x`` is above a threshold.

    >>> import wengert as wg
    >>> wg.nn.Softplus()(wg.tensor([0.0, 30.0]))
    tensor([ 0.6931, 30.0000])
    """

    __constants__: ClassVar[list[str]] = ["beta", "threshold"]
    beta: float
    threshold: float

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """Compute the activation."""
        return softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """Return the options."""
        return f"beta={self.beta}, threshold={self.threshold}"


class Softsign(Module):
    """Return ``x / (1 + |x|)``.

    >>> import wengert as wg
    >>> wg.nn.Softsign()(wg.tensor([-1.0, 3.0]))
    tensor([-0.5000,  0.7500])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Compute the activation."""
        return softsign(input)


class Hardshrink(Module):
    """Return x where ``|x|`` is above `lambd`, and 0 elsewhere.

    >>> import wengert as wg
    >>> wg.nn.Hardshrink()(wg.tensor([-1.0, 0.3]))
    tensor([-1.,  0.])
    """

    __constants__: ClassVar[list[str]] = ["lambd"]
    lambd: float

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """Compute the activation."""
        return hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        """Return the bound."""
        return f"{self.lambd}"


class Softshrink(Module):
    """Return x moved toward 0 by `lambd`, but not over it.

    >>> import wengert as wg
    >>> wg.nn.Softshrink()(wg.tensor([-1.0, 0.3]))
    tensor([-0.5000,  0.0000])
    """

    __constants__: ClassVar[list[str]] = ["lambd"]
    lambd: float

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """Compute the activation."""
        return softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        """Return the bound."""
        return str(self.lambd)


class Tanhshrink(Module):
    """Return ``x - tanh(x)``.

    >>> import wengert as wg
    >>> wg.nn.Tanhshrink()(wg.tensor([0.0, 1.0]))
    tensor([0.0000, 0.2384])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Compute the activation."""
        return tanhshrink(input)
