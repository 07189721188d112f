"""Reductions of tensors as reductions of arrays: dtypes that transports lack, averages, scaled sums.

Note [Reductions in another dtype]
    float16 and bfloat16 are reduced in float32 and rounded once; complex numbers as pairs; bools as bytes of 0 and 1,
    where the sum is the maximum and the product the minimum. An average is the sum, divided once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import wengert
from wengert import Tensor
from wengert.autograd.graph import increment_version

from wengert_distributed.collectives.memory import PLAIN, UNSIGNED, check_dense, flat_array, host_or_device_array
from wengert_distributed.interface.process_group import ProcessGroup
from wengert_distributed.reduce_op import RedOpType, ReduceOp, kind_of

PLAIN_KINDS = frozenset({RedOpType.SUM, RedOpType.PRODUCT, RedOpType.MIN, RedOpType.MAX})
BITWISE = frozenset({RedOpType.BAND, RedOpType.BOR, RedOpType.BXOR})
COMPLEX_KINDS = frozenset({RedOpType.SUM, RedOpType.AVG, RedOpType.PREMUL_SUM})
OF_BOOLS = {
    RedOpType.SUM: RedOpType.MAX, RedOpType.PRODUCT: RedOpType.MIN, RedOpType.BAND: RedOpType.MIN,
    RedOpType.BOR: RedOpType.MAX, RedOpType.MIN: RedOpType.MIN, RedOpType.MAX: RedOpType.MAX,
    RedOpType.BXOR: RedOpType.BXOR,
}  # fmt: skip
"""The reduction of bytes of 0 and 1 for each of bools."""


class Reduction(NamedTuple):
    """The way in which a backend reduces tensors of a dtype."""

    kind: RedOpType
    """The reduction that the backend computes."""
    dtype: Any
    """The dtype in which it does; None for the tensors' own."""
    factor: Any
    """The factor of the inputs; None for none."""
    divisor: int
    """The divisor of the result."""

    def working_copy(self, tensor: Tensor) -> Tensor:
        """Return a tensor's elements, contiguous, converted and scaled: its own memory where that has them."""
        work = tensor.detach()
        if not work.is_contiguous():
            check_dense(work)
            work = work.contiguous()
        if self.dtype is not None:
            work = work.to(self.dtype)
        return work if self.factor is None else work * self.factor

    def working_memory(self, tensor: Tensor) -> Tensor:
        """Return contiguous memory for the result in place of a tensor: the tensor's own where it can have it."""
        if self.dtype is None and tensor.is_contiguous():
            return tensor.detach()
        check_dense(tensor)
        return wengert.empty(tensor.shape, dtype=self.dtype or tensor.dtype, device=tensor.device)

    def deliver(self, work: Tensor, tensor: Tensor) -> None:
        """Put a result that was reduced in working memory into a tensor."""
        if self.divisor != 1:
            # a quotient of complex numbers is rounded more than once
            (wengert.view_as_real(work) if work.is_complex() else work).div_(self.divisor)
        target = tensor.detach()
        if work.data_ptr() == target.data_ptr() and work.dtype is target.dtype:
            increment_version(tensor)
        else:
            target.copy_(work)


PLAIN_REDUCTIONS = {kind: Reduction(kind, None, None, 1) for kind in PLAIN_KINDS}
"""The reductions that transports have, of dtypes that they have."""


def plan_reduction(name: str, tensor: Tensor, op: Any, backend: ProcessGroup) -> Reduction:
    """Return how a tensor is reduced.

    Raises TypeError for what is no reduction, RuntimeError or ValueError where the dtype has no such reduction.
    """
    kind, factor = (op.kind, op.factor) if isinstance(op, ReduceOp) else (op, None)
    if not isinstance(kind, RedOpType):
        raise TypeError(f"{name}(): incompatible function arguments. op must be a ReduceOp, but got {op!r}")
    dtype = tensor.dtype
    if dtype in PLAIN and kind in PLAIN_KINDS and not backend.reduced_as:
        return PLAIN_REDUCTIONS[kind]
    check_kind(name, kind, dtype)
    if kind is RedOpType.PREMUL_SUM and factor is None:
        raise RuntimeError(f"{name}: ReduceOp.PREMUL_SUM needs a factor; make the reduction with "
                           "torch.distributed._make_nccl_premul_sum(factor)")  # fmt: skip
    if kind is RedOpType.PREMUL_SUM:
        return Reduction(RedOpType.SUM, reduction_dtype(dtype, backend), factor, 1)
    if kind is RedOpType.AVG:
        return Reduction(RedOpType.SUM, reduction_dtype(dtype, backend), None, backend.size)
    if dtype is wengert.bool:
        kind = OF_BOOLS[kind]
    return Reduction(kind, reduction_dtype(dtype, backend), None, 1)


def check_kind(name: str, kind: RedOpType, dtype: Any) -> None:
    """Raise where a dtype has no reduction of a kind."""
    if dtype.is_complex and kind not in COMPLEX_KINDS:
        raise ValueError(f"{name} does not support RedOpType.{kind.name} on complex tensors")
    if kind in BITWISE and dtype.is_floating_point:
        raise RuntimeError(f"Cannot use ReduceOp.{kind.name} with non-integral dtype: {name} got {dtype}")
    if kind in (RedOpType.AVG, RedOpType.PREMUL_SUM) and not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(f"result type Float can't be cast to the desired output type {type_name(dtype)}: "
                           f"{name} with ReduceOp.{kind.name} takes floating point tensors")  # fmt: skip


def type_name(dtype: Any) -> str:
    """Return PyTorch's name of an integer dtype in messages."""
    return {wengert.int64: "Long", wengert.int32: "Int", wengert.int16: "Short", wengert.int8: "Char",
            wengert.uint8: "Byte", wengert.bool: "Bool"}.get(dtype, str(dtype))  # fmt: skip


def reduction_dtype(dtype: Any, backend: ProcessGroup) -> Any:
    """Return the dtype in which a backend reduces another; None for the dtype itself."""
    if dtype is wengert.float16 or dtype is wengert.bfloat16:
        return wengert.float32
    other = backend.reduced_as.get(str(dtype).removeprefix("torch."))
    return None if other is None else getattr(wengert, other)


def reduction_array(work: Tensor) -> Any:
    """Return the memory of a contiguous tensor as an array of one dim whose dtype says how it is reduced."""
    return host_or_device_array(work.detach()) if work.dtype in UNSIGNED else flat_array(work)


def supports_complex(reduceOp: ReduceOp | RedOpType) -> bool:
    """Return whether complex tensors have a reduction. PyTorch's ``torch.distributed.supports_complex``.

    >>> import wengert as wg
    >>> wg.distributed.supports_complex(wg.distributed.ReduceOp.SUM)
    True
    """
    return kind_of(reduceOp) in COMPLEX_KINDS


def make_premul_sum(factor: float | Tensor) -> ReduceOp:
    """Return the reduction that sums tensors multiplied by a factor of each rank.

    factor: a number, or a tensor of one element. PyTorch's ``torch.distributed._make_nccl_premul_sum``.

    >>> import wengert as wg
    >>> from wengert_distributed.collectives.reductions import make_premul_sum
    >>> wg.distributed.init_process_group("self")
    >>> x = wg.ones(2)
    >>> wg.distributed.all_reduce(x, op=make_premul_sum(0.5))
    >>> x
    tensor([0.5000, 0.5000])
    >>> wg.distributed.destroy_process_group()
    """
    if not isinstance(factor, (int, float, Tensor)):
        raise TypeError("_make_nccl_premul_sum(): incompatible function arguments. factor must be a number or a "
                        f"tensor, not {factor!r}")  # fmt: skip
    return ReduceOp(RedOpType.PREMUL_SUM, factor)
