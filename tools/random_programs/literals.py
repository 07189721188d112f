"""Tensors as text: numbers of some dtype and shape, laid out in memory in some way."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

FLOATING = (*["float64"] * 4, "float32", "float32", "float16", "bfloat16", "complex128", "complex64")
WHOLE = ("int64", "int64", "int32", "uint8", "bool")


def nested_numbers(rng: random.Random, shape: tuple[int, ...], dtype: str) -> Any:
    """Random numbers with two digits, as nested lists."""
    if shape:
        return [nested_numbers(rng, shape[1:], dtype) for _ in range(shape[0])]
    if dtype == "bool":
        return rng.random() < 0.5
    if dtype in WHOLE:
        return rng.randrange(0, 4)
    real = rng.randrange(-200, 201) / 100
    return complex(real, rng.randrange(-200, 201) / 100) if dtype.startswith("complex") else real


def round_numbers(array: np.ndarray[Any, Any]) -> Any:
    """The numbers of an array, as nested lists; floating ones with four digits."""
    return (np.round(array, 4) if array.dtype.kind in "fc" else array).tolist()


def literal(numbers: Any, shape: tuple[int, ...], dtype: str) -> str:
    """Text that makes a contiguous tensor."""
    if 0 in shape:
        return f"torch.zeros({shape}, dtype=torch.{dtype})"
    text = repr(numbers).replace("inf", "math.inf").replace("nan", "math.nan")
    return f"torch.tensor({text}, dtype=torch.{dtype})"


def layout_text(rng: random.Random, text: str, shape: tuple[int, ...]) -> str:
    """Text of the same tensor, which may lie in another order, with gaps, or be expanded."""
    if not shape or 0 in shape or rng.random() < 0.7:
        return text
    layouts = ["gaps", "expanded"] + ["order"] * 2 * (len(shape) > 1) + ["channels_last"] * 2 * (len(shape) == 4)
    layout = rng.choice(layouts)
    if layout == "gaps":
        return f"{text}.repeat_interleave(2, -1)[..., ::2]"
    if layout == "expanded":
        return f"{text}[:1].expand({', '.join(map(str, shape))})"
    if layout == "channels_last":
        return f"{text}.contiguous(memory_format=torch.channels_last)"
    dims = list(range(len(shape)))[::-1]
    return f"{text}.permute({dims}).contiguous().permute({dims})"


def random_tensor(rng: random.Random, shape: tuple[int, ...], dtype: str) -> str:
    """Text that makes a tensor of random numbers."""
    return layout_text(rng, literal(nested_numbers(rng, shape, dtype), shape, dtype), shape)


def tensor_of(rng: random.Random, array: np.ndarray[Any, Any], dtype: str) -> str:
    """Text that makes a tensor of these numbers."""
    return layout_text(rng, literal(round_numbers(array), array.shape, dtype), array.shape)


def small(array: np.ndarray[Any, Any]) -> bool:
    """Whether an array's text is short."""
    return array.size <= 48
