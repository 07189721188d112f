"""Private names of PyTorch around transforms that programs import."""

from __future__ import annotations

from collections.abc import Sequence

from wengert_core import zeros
from wengert_core.extend import Tensor
from wengert_engine.extend import current_vmap_level

from wengert_functional.levels import STATE


def _are_functorch_transforms_active() -> bool:
    """Return whether this is called inside of a transform: ``vmap``, ``grad``, ``jvp`` and their kin.

    >>> import wengert as wg
    >>> from wengert._C import _are_functorch_transforms_active
    >>> seen = []
    >>> y = wg.vmap(lambda x: seen.append(_are_functorch_transforms_active()) or x)(wg.ones(2))
    >>> seen, _are_functorch_transforms_active()
    ([True], False)
    """
    return STATE.depth > 0 or current_vmap_level() > 0


def _construct_standard_basis_for(tensors: Sequence[Tensor], tensor_numels: Sequence[int]) -> tuple[Tensor, ...]:
    """Return the unit vectors of all numbers in some tensors, as a block of columns for each tensor.

    tensor_numels: how many numbers each tensor has, N in all. The blocks are (N, numel), of the tensors' dtypes.

    >>> import wengert as wg
    >>> wg.autograd.functional._construct_standard_basis_for((wg.ones(1), wg.ones(2)), (1, 2))
    (tensor([[1.],
            [0.],
            [0.]]), tensor([[0., 0.],
            [1., 0.],
            [0., 1.]]))
    """
    if len(tensors) != len(tensor_numels) or not tensors:
        raise AssertionError(f"len(tensors)={len(tensors)} != len(tensor_numels)={len(tensor_numels)}, or both are 0")
    total, start, blocks = sum(tensor_numels), 0, []
    for tensor, numel in zip(tensors, tensor_numels, strict=True):
        block = zeros(total, numel, dtype=tensor.dtype, device=tensor.device)
        block.diagonal(-start).fill_(1)
        blocks.append(block)
        start += numel
    return tuple(blocks)
