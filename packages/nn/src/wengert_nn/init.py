"""Initial values of parameters, written in place without a record of it, as in ``torch.nn.init``.

Each function returns the tensor. Those that draw numbers take ``generator=``.

>>> import wengert as wg
>>> weight = wg.nn.init.constant_(wg.empty(2, 2), 0.5)
>>> weight
tensor([[0.5000, 0.5000],
        [0.5000, 0.5000]])
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import wengert
from wengert import Tensor

__all__ = [
    "_calculate_correct_fan",
    "_calculate_fan_in_and_fan_out",
    "_no_grad_fill_",
    "_no_grad_normal_",
    "_no_grad_trunc_normal_",
    "_no_grad_uniform_",
    "_no_grad_zero_",
    "calculate_gain",
    "constant",
    "constant_",
    "dirac",
    "dirac_",
    "eye",
    "eye_",
    "kaiming_normal",
    "kaiming_normal_",
    "kaiming_uniform",
    "kaiming_uniform_",
    "normal",
    "normal_",
    "ones_",
    "orthogonal",
    "orthogonal_",
    "sparse",
    "sparse_",
    "trunc_normal_",
    "uniform",
    "uniform_",
    "xavier_normal",
    "xavier_normal_",
    "xavier_uniform",
    "xavier_uniform_",
    "zeros_",
]

LINEAR = frozenset(
    "linear conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d sigmoid".split()
)
"""Functions with gain 1: linear ones, and the sigmoid, which has none by tradition."""


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the factor for the standard deviation of weights that stand before a function.

    `param` is the negative slope of ``leaky_relu``, 0.01 by default.
    Raises ValueError for a function that it does not know.

    >>> calculate_gain("leaky_relu", 0.2)
    1.3867504905630728
    """
    if nonlinearity in LINEAR:
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "selu":
        return 3.0 / 4
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """Return by how many inputs a weight's output is made, and how many outputs an input goes into."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    outputs, inputs, *window = tensor.shape
    size = math.prod(window)
    return inputs * size, outputs * size


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    """Return the fan that a mode, "fan_in" or "fan_out", asks for."""
    modes = ["fan_in", "fan_out"]
    mode = mode.lower()
    if mode not in modes:
        raise ValueError(f"Mode {mode} not supported, please use one of {modes}")
    return _calculate_fan_in_and_fan_out(tensor)[modes.index(mode)]


# ---- simple distributions and constants


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Draw from the uniform distribution over [a, b)."""
    with wengert.no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Draw from the normal distribution."""
    with wengert.no_grad():
        return tensor.normal_(mean, std, generator=generator)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with a number."""
    with wengert.no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with 1."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with 0."""
    with wengert.no_grad():
        return tensor.zero_()


_no_grad_uniform_ = uniform_
_no_grad_normal_ = normal_
_no_grad_fill_ = constant_
_no_grad_zero_ = zeros_


def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Any = None
) -> Tensor:
    """Draw from the normal distribution with all values outside [a, b] left out.

    Warns where the mean is more than two standard deviations away from [a, b].
    """
    if tensor.is_meta:
        return tensor
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
            "The distribution of values may be incorrect.",
            stacklevel=2,
        )
    share = normal_cdf((b - mean) / std) - normal_cdf((a - mean) / std)
    with wengert.no_grad():
        if share > 0.3:
            redraw_outside(tensor, mean, std, a, b, generator)
        else:
            reject_uniform(tensor, mean, std, a, b, generator)
    return tensor


_no_grad_trunc_normal_ = trunc_normal_


def normal_cdf(x: float) -> float:
    """Return the probability of a standard normal number below x."""
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def redraw_outside(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any) -> None:
    """Draw normal numbers until none is outside [a, b]: quick where most of them are inside."""
    low, high = tensor.new_tensor(a, device="cpu").item(), tensor.new_tensor(b, device="cpu").item()
    tensor.normal_(mean, std, generator=generator)
    while (outside := (tensor < low) | (tensor > high)).any():
        again = wengert.empty_like(tensor).normal_(mean, std, generator=generator)
        tensor.copy_(wengert.where(outside, again, tensor))


def reject_uniform(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any) -> None:
    """Draw uniform numbers in [a, b], each of which stays with its density's share of the greatest density."""
    mode = max(a, min(mean, b))
    log_peak = -0.5 * ((mode - mean) / std) ** 2

    def is_rejected(candidates: Tensor) -> Tensor:
        log_share = candidates.clone().sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(log_peak)
        return wengert.empty_like(tensor).uniform_(generator=generator).log_().gt(log_share)

    pending = is_rejected(tensor.uniform_(a, b, generator=generator))
    while pending.any():
        candidates = wengert.empty_like(tensor).uniform_(a, b, generator=generator)
        tensor.copy_(wengert.where(pending, candidates, tensor))
        pending = wengert.where(pending, is_rejected(candidates), pending)


# ---- scaled by the fans


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Draw uniformly with the standard deviation ``gain * sqrt(2 / (fan_in + fan_out))``.

    Source: Glorot and Bengio, Understanding the difficulty of training deep feedforward neural networks, 2010.
    """
    bound = math.sqrt(3.0) * xavier_std(tensor, gain)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Draw normal numbers with the standard deviation ``gain * sqrt(2 / (fan_in + fan_out))``."""
    return normal_(tensor, 0.0, xavier_std(tensor, gain), generator)


def xavier_std(tensor: Tensor, gain: float) -> float:
    """Return Glorot's standard deviation."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return gain * math.sqrt(2.0 / float(fan_in + fan_out))


def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Draw uniformly with the standard deviation ``gain / sqrt(fan)``.

    a: the negative slope for ``leaky_relu``. mode: which fan, "fan_in" or "fan_out". nonlinearity: see
    ``calculate_gain``. Warns for a tensor without elements.
    Source: He and others, Delving deep into rectifiers, 2015.
    """
    if 0 in tensor.shape:
        return warn_of_no_elements(tensor)
    bound = math.sqrt(3.0) * kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Draw normal numbers with the standard deviation ``gain / sqrt(fan)``; arguments as ``kaiming_uniform_``."""
    if 0 in tensor.shape:
        return warn_of_no_elements(tensor)
    return normal_(tensor, 0, kaiming_std(tensor, a, mode, nonlinearity), generator)


def kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    """Return He's standard deviation."""
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def warn_of_no_elements(tensor: Tensor) -> Tensor:
    """Warn the caller of an initialization that there is nothing to draw."""
    warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
    return tensor


def reset_affine(weight: Tensor, bias: Tensor | None) -> None:
    """Draw weight and bias of an affine or convolution layer: uniform within ``1 / sqrt(fan_in)``."""
    kaiming_uniform_(weight, a=math.sqrt(5))
    if bias is not None:
        fan_in, _ = _calculate_fan_in_and_fan_out(weight)
        bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
        uniform_(bias, -bound, bound)


# ---- matrices and kernels with structure


def eye_(tensor: Tensor) -> Tensor:
    """Write the identity matrix into a matrix, which need not be square."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with wengert.no_grad():
        wengert.eye(*tensor.shape, out=tensor, requires_grad=tensor.requires_grad)
    return tensor


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Write 1 at the middle of a convolution's kernels from each channel to itself, and 0 elsewhere.

    A convolution with 3, 4 or 5 dims in the weight then keeps as many channels as it has, in each of `groups`.
    """
    if tensor.ndimension() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    outputs, inputs, *window = tensor.shape
    if outputs % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    if tensor.is_meta:
        return tensor
    outputs //= groups
    middle = tuple(size // 2 for size in window)
    with wengert.no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(outputs, inputs)):
                tensor[(group * outputs + channel, channel, *middle)] = 1
    return tensor


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """Draw a matrix with orthonormal rows or columns, whichever are fewer, times a gain; dims from 1 on count as one.

    Source: Saxe and others, Exact solutions to the nonlinear dynamics of learning in deep linear networks, 2013.
    """
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0 or tensor.is_meta:
        return tensor
    rows = tensor.size(0)
    columns = tensor.numel() // rows
    with wengert.no_grad():
        drawn = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)
        q, r = wengert.linalg.qr(drawn.t() if rows < columns else drawn)
        q = q * wengert.diag(r, 0).sign()  # so that the distribution is uniform: Mezzadri, math-ph/0609050
        q = q.t() if rows < columns else q
        tensor.view_as(q).copy_(q)
        tensor.mul_(gain)
    return tensor


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Tensor:
    """Draw normal numbers into a matrix, of each column of which the share `sparsity` is 0.

    Source: Martens, Deep learning via Hessian-free optimization, 2010.
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    if tensor.is_meta:
        return tensor
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with wengert.no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[wengert.randperm(rows)[:zeros], column] = 0
    return tensor


# ---- names of PyTorch before 0.4


def old_name(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return the function that warns that its name has become another one."""
    new = function.__name__
    old = new[:-1]

    def deprecated_init(*args: Any, **kwargs: Any) -> Tensor:
        warnings.warn(
            f"`nn.init.{old}` is now deprecated in favor of `nn.init.{new}`.", FutureWarning, stacklevel=2
        )
        return function(*args, **kwargs)

    deprecated_init.__doc__ = f"Do as ``{new}``, with a warning: the name is deprecated."
    deprecated_init.__name__ = deprecated_init.__qualname__ = old
    return deprecated_init


uniform: Callable[..., Tensor] = old_name(uniform_)
normal: Callable[..., Tensor] = old_name(normal_)
constant: Callable[..., Tensor] = old_name(constant_)
eye: Callable[..., Tensor] = old_name(eye_)
dirac: Callable[..., Tensor] = old_name(dirac_)
xavier_uniform: Callable[..., Tensor] = old_name(xavier_uniform_)
xavier_normal: Callable[..., Tensor] = old_name(xavier_normal_)
kaiming_uniform: Callable[..., Tensor] = old_name(kaiming_uniform_)
kaiming_normal: Callable[..., Tensor] = old_name(kaiming_normal_)
orthogonal: Callable[..., Tensor] = old_name(orthogonal_)
sparse: Callable[..., Tensor] = old_name(sparse_)
