"""Reductions of collectives: sum, average, product, minimum, maximum, bitwise ones, and a sum of scaled values."""

from __future__ import annotations

from enum import Enum
from typing import Any


class RedOpType(Enum):
    """The kinds of reductions, in PyTorch's order."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8


RedOpType.__hash__ = object.__hash__  # type: ignore[method-assign]  # Enum's takes longer than all checks of a call
SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM = RedOpType
"""The kinds, as ``torch.distributed.reduce_op``, the older name of ReduceOp, has them."""


class ReduceOp:
    """A reduction that all ranks compute together, as ``torch.distributed.ReduceOp``.

    SUM, PRODUCT, MIN and MAX take every dtype (MIN and MAX no complex ones), BAND, BOR and BXOR integers and bools,
    AVG and PREMUL_SUM floating point numbers and complex ones. AVG divides the sum once, by the number of ranks.
    float16 and bfloat16 are reduced in float32 and rounded once. ``ReduceOp.RedOpType`` lists the kinds.

    >>> import wengert as wg
    >>> wg.distributed.ReduceOp.SUM
    <RedOpType.SUM: 0>
    """

    RedOpType = RedOpType
    SUM = RedOpType.SUM
    AVG = RedOpType.AVG
    PRODUCT = RedOpType.PRODUCT
    MIN = RedOpType.MIN
    MAX = RedOpType.MAX
    BAND = RedOpType.BAND
    BOR = RedOpType.BOR
    BXOR = RedOpType.BXOR
    PREMUL_SUM = RedOpType.PREMUL_SUM

    __slots__ = ("factor", "kind")

    def __init__(self, op: Any, factor: Any = None) -> None:
        if not isinstance(op, RedOpType):
            raise TypeError(f"ReduceOp(): incompatible constructor arguments. op must be a RedOpType, not {op!r}")
        self.kind: RedOpType = op
        self.factor: Any = factor

    def __repr__(self) -> str:
        return repr(self.kind)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, RedOpType):
            return self.kind is other
        return isinstance(other, ReduceOp) and (self.kind, self.factor) == (other.kind, other.factor)

    def __hash__(self) -> int:
        return hash(self.kind)


def kind_of(op: ReduceOp | RedOpType) -> RedOpType:
    """Return the kind of a reduction. Raises TypeError for anything else."""
    if isinstance(op, RedOpType):
        return op
    if isinstance(op, ReduceOp):
        return op.kind
    raise TypeError(f"incompatible function arguments. op must be a ReduceOp, but got {op!r}")
