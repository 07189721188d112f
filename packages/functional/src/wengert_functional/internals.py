"""Private names of PyTorch around transforms that programs import."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert_core import zeros
from wengert_core.extend import Tensor
from wengert_engine.extend import current_vmap_level

from wengert_functional import checks
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


def _as_tuple(inp: Any, arg_name: str | None = None, fn_name: str | None = None) -> Any:
    """Return whether an argument is a tuple, and its tensors as a tuple; of an argument without a name, the tuple only.

    arg_name, fn_name: what the TypeError about an argument of another type calls it, and the function that it is for.

    >>> import wengert as wg
    >>> wg.autograd.functional._as_tuple(wg.ones(1), "inputs", "vjp")
    (False, (tensor([1.]),))
    >>> wg.autograd.functional._as_tuple([wg.ones(1)])
    (tensor([1.]),)
    """
    if arg_name is None and fn_name is None:
        return tuple(inp) if isinstance(inp, (tuple, list)) else (inp,)
    return checks.as_tuple(inp, str(arg_name), str(fn_name))


def _grad_postprocess(inputs: Any, create_graph: bool) -> Any:
    """Return tensors, or nested tuples of them, without their graph unless create_graph. TypeError for anything else.

    >>> import wengert as wg
    >>> x = wg.ones(1, requires_grad=True)
    >>> wg.autograd.functional._grad_postprocess((x * 2,), create_graph=False)
    (tensor([2.]),)
    """
    if isinstance(inputs, str):  # whose parts are strings, without end
        raise TypeError(f"_grad_postprocess: expected tensors or nested tuples of tensors as inputs, got {inputs!r}")
    if not isinstance(inputs[0], Tensor):
        return tuple(_grad_postprocess(inner, create_graph) for inner in inputs)
    return inputs if create_graph else tuple(tensor.detach() for tensor in inputs)


def _tuple_postprocess(res: Any, to_unpack: bool | tuple[bool, bool]) -> Any:
    """Return a result of tuples in the form of the arguments: of those that were no tuple, the only entry.

    to_unpack: whether a tuple was passed; for tuples of tuples, of outputs and of inputs.

    >>> import wengert as wg
    >>> wg.autograd.functional._tuple_postprocess((1,), False), wg.autograd.functional._tuple_postprocess((1, 2), True)
    (1, (1, 2))
    >>> wg.autograd.functional._tuple_postprocess(((1,), (2,)), (True, False))
    (1, 2)
    """
    if isinstance(to_unpack, bool):
        return res if to_unpack else res[0]
    outer_is_tuple, inner_is_tuple = to_unpack
    rows = res if inner_is_tuple else tuple(row[0] for row in res)
    return rows if outer_is_tuple else rows[0]
