"""Hypothesis strategies for the inputs of an op of your own (``pip install 'wengert-gradcheck[hypothesis]'``).

>>> import wengert as wg
>>> from hypothesis import given, settings
>>> from wengert_gradcheck import strategies
>>> @settings(max_examples=10)
... @given(strategies.tensors(max_dims=2, low=0.5))
... def test_my_log(x):
...     assert wg.autograd.gradcheck(wg.log, x)
>>> test_my_log()
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import wengert_core as wc
from wengert_core.extend import Tensor

try:
    from hypothesis import strategies as st
    from hypothesis.extra import numpy as npst
except ImportError as error:
    raise ImportError("wengert_gradcheck.strategies needs hypothesis: pip install 'wengert-gradcheck[hypothesis]'"
                      ) from error

__all__ = ["broadcastable", "matrices", "shapes", "tensors"]


def shapes(*, min_dims: int = 0, max_dims: int = 3, max_side: int = 3, empty: bool = False) -> st.SearchStrategy[Any]:
    """Shapes, small ones first; with sides of 0 where ``empty``."""
    return npst.array_shapes(min_dims=min_dims, max_dims=max_dims, min_side=0 if empty else 1, max_side=max_side)


def numbers(shape: tuple[int, ...], low: float, high: float, away_from: Sequence[float],
            seed: int) -> np.ndarray[Any, Any]:
    """Numbers between low and high, all apart from each other and from some values: finite differences need room."""
    rng = np.random.default_rng(seed)
    n = int(np.prod(shape))
    values = low + (high - low) * (rng.permutation(n) + rng.uniform(0.3, 0.7, n)) / max(n, 1)
    room = (high - low) / 100
    for kink in away_from:
        near = np.abs(values - kink) < room
        values[near] = kink + np.where(values[near] < kink, -room, room) * rng.uniform(1, 2, int(near.sum()))
    return values.reshape(shape)


def make_tensor(shape: tuple[int, ...], dtype: Any, low: float, high: float, away_from: Sequence[float], seed: int,
         layout: str, requires_grad: bool) -> Tensor:
    """A tensor with a memory layout: 'contiguous', 'transposed' (dims reversed) or 'strided' (gaps)."""
    real = numbers(shape, low, high, away_from, seed)
    values: Any = real + 1j * numbers(shape, low, high, (), seed + 1) if dtype.is_complex else real
    tensor = wc.tensor(values).to(dtype)
    if layout == "transposed" and len(shape) > 1:
        dims = tuple(reversed(range(len(shape))))
        tensor = tensor.permute(dims).contiguous().permute(dims)
    elif layout == "strided" and shape:
        spread = tensor.new_zeros((*shape, 2))
        spread.select(-1, 0).copy_(tensor)
        tensor = spread.select(-1, 0)
    return tensor.detach().requires_grad_(requires_grad)


def tensors(shape: Any = None, *, dtype: Any = None, low: float = -2.0, high: float = 2.0,
            away_from: Sequence[float] = (), min_dims: int = 0, max_dims: int = 3, max_side: int = 3,
            empty: bool = False, noncontiguous: bool = True, requires_grad: bool = True) -> st.SearchStrategy[Tensor]:
    """Tensors for gradcheck: distinct numbers between ``low`` and ``high`` with room for a step of differences.

    shape: a shape or a strategy of shapes; default: by min_dims, max_dims, max_side, empty.   dtype: float64, or a list
    to choose from.   away_from: values that no number comes near, the kinks and poles of the op.   noncontiguous: also
    transposed memory and memory with gaps.
    """
    dtypes = list(dtype) if isinstance(dtype, (list, tuple)) else [dtype or wc.float64]
    if shape is None:
        shape = shapes(min_dims=min_dims, max_dims=max_dims, max_side=max_side, empty=empty)
    elif not isinstance(shape, st.SearchStrategy):
        shape = st.just(tuple(shape))
    layouts = ["contiguous", "transposed", "strided"] if noncontiguous else ["contiguous"]
    return st.builds(
        make_tensor,
        shape,
        st.sampled_from(dtypes),
        st.just(low),
        st.just(high),
        st.just(tuple(away_from)),
        st.integers(0, 2**32 - 1),
        st.sampled_from(layouts),
        st.just(requires_grad),
    )


def broadcastable(count: int, *, max_dims: int = 3, max_side: int = 3, **options: Any) -> st.SearchStrategy[Any]:
    """Tuples of ``count`` tensors whose shapes broadcast to one. options: those of tensors."""
    found = npst.mutually_broadcastable_shapes(num_shapes=count, max_dims=max_dims, min_side=1, max_side=max_side)
    return found.flatmap(lambda several: st.tuples(*(tensors(one, **options) for one in several.input_shapes)))


def matrices(rows: Any = None, columns: Any = None, *, batch_dims: int = 0, max_side: int = 3,
             **options: Any) -> st.SearchStrategy[Tensor]:
    """Matrices, with up to ``batch_dims`` dims before. rows, columns: numbers; None: any up to ``max_side``."""
    side = st.integers(1, max_side)
    last = st.tuples(*(side if n is None else st.just(n) for n in (rows, columns)))
    batch = shapes(min_dims=0, max_dims=batch_dims, max_side=max_side)
    return st.tuples(batch, last).flatmap(lambda both: tensors((*both[0], *both[1]), **options))
