"""The masks of transformers: which positions see which, and what becomes of padding."""

from __future__ import annotations

import math
import warnings
from typing import Any

import wengert
from wengert import Tensor


def subsequent_mask(size: int, device: Any = None, dtype: Any = None) -> Tensor:
    """Return the causal mask: -inf above the diagonal, 0 elsewhere."""
    return wengert.full((size, size), -math.inf, dtype=dtype, device=device).triu(1)


def as_additive(mask: Any, name: str, dtype: Any, other: Any = None, other_name: str = "") -> Any:
    """Return a mask as numbers that are added: -inf where a mask of truth values hides a position.

    A warning tells where another mask is of another dtype.
    """
    if mask is None:
        return None
    is_float = mask.is_floating_point()
    if not is_float and mask.dtype != wengert.bool:
        raise AssertionError(f"only bool and floating types of {name} are supported, but its dtype is {mask.dtype}")
    if other is not None and other.dtype != mask.dtype:
        warnings.warn(
            f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.",
            stacklevel=3,
        )
    return mask if is_float else wengert.zeros_like(mask, dtype=dtype).masked_fill_(mask, -math.inf)


def is_causal_mask(mask: Any, is_causal: bool | None, size: int) -> bool:
    """Return whether a mask is the causal one: as the caller says, or by a comparison where it says None."""
    if is_causal is not None or mask is None:
        return is_causal is True
    causal = subsequent_mask(size, mask.device, mask.dtype)
    return mask.shape == causal.shape and bool((mask == causal).all())


def zero_padding(layer: Any, src: Any, output: Any, padding: Any, check: bool) -> Any:
    """Return the result of encoder layers with zeros for padding where PyTorch, in evaluation, computes without it.

    That is where nothing is recorded, the sequences are batched, and the padding is behind them.
    """
    if layer.training or src.dim() != 3 or wengert.is_autocast_enabled(src.device.type):
        return output
    if wengert.is_grad_enabled() and (src.requires_grad or any(one.requires_grad for one in layer.parameters())):
        return output
    is_seen = padding.logical_not()
    if check and not bool((is_seen[:, 1:] <= is_seen[:, :-1]).all()):
        return output
    return output.masked_fill((padding == -math.inf).unsqueeze(-1), 0.0)
