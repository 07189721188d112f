"""Expressions for tests of fused kernels: every operation, every kind of operand."""

from __future__ import annotations

import random
from typing import Any

from wengert_core.extend import FusedExpression, FusedOperand, FusedStep
from wengert_cuda.fused import STEPS

LAYOUTS = (None, None, None, (), ((3, 0), (4, 1)), ((3, 1), (4, 3)), ((2, 8), (2, 0), (3, 1)))
"""Of inputs of 12 elements."""


def of_ops(ops: list[str], dtype: str, seed: int) -> FusedExpression:
    """An expression of these operations, with random operands."""
    draw = random.Random(seed)
    inputs: list[Any] = [None]
    steps: list[FusedStep] = []
    numbers = 0
    for op in ops:
        operands = []
        for k in range(STEPS[op][0].count(",") + 1):
            kind = draw.choice(["input", "number", "step", "step"]) if k else draw.choice(["input", "step"])
            if kind == "step" and steps:
                operands.append(FusedOperand("step", draw.choice([len(steps) - 1, draw.randrange(len(steps))])))
            elif kind == "number":
                operands.append(FusedOperand("number", numbers))
                numbers += 1
            else:
                inputs.append(draw.choice(LAYOUTS))
                operands.append(FusedOperand("input", len(inputs) - 1))
        steps.append(FusedStep(op, tuple(operands)))
    written = {len(steps) - 1, *draw.sample(range(len(steps)), draw.randrange(min(3, len(steps))))}
    return FusedExpression(dtype, tuple(inputs), numbers, tuple(steps), tuple(sorted(written)))


def expressions(dtype: str, seed: int = 0) -> list[FusedExpression]:
    """Expressions that have all operations."""
    ops = sorted(STEPS)
    random.Random(seed).shuffle(ops)
    return [of_ops(ops[k : k + 6], dtype, seed + k) for k in range(0, len(ops), 6)]


PRODUCT_AND_SUM = FusedExpression("f", (None, None, ((3, 0), (4, 1))), 0, (
    FusedStep("mul", (FusedOperand("input", 0), FusedOperand("input", 1))),
    FusedStep("add", (FusedOperand("step", 0), FusedOperand("input", 2))),
), (1,))  # fmt: skip
"""x * y + z, which one instruction could compute with another rounding."""


def sizes_of(layout: Any, n: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shape of an input's array, and its strides in elements."""
    pairs = ((n, 1),) if layout is None else layout
    return tuple(size for size, _ in pairs), tuple(stride for _, stride in pairs)
