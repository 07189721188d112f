"""What Python's operators call."""

from __future__ import annotations

from _operator import getitem, setitem  # the module operator would be one more file to read
from collections.abc import Callable
from typing import Any

from wengert_core.optable.lazy_names import OPS, load
from wengert_core.tensors.tensor import set_operators

OPERATORS = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "div",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "pow",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
    "lt": "lt",
    "le": "le",
    "eq": "eq",
    "ne": "ne",
    "gt": "gt",
    "ge": "ge",
    "matmul": "matmul",
    "neg": "neg",
    "pos": "positive",
    "abs": "abs",
}
NEVER_IN_PLACE = ("matmul", "lt", "le", "eq", "ne", "gt", "ge", "neg", "pos", "abs")


def invert(self: Any) -> Any:
    """~self: bitwise_not, for integers and bool."""
    if self.dtype.category > 1:
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return OPS["bitwise_not"](self)


def lazy_operator(sign: str, name: str) -> Callable[..., Any]:
    """What stands for an operator whose family may not be loaded: the first call puts the op in its place."""

    def first_call(*operands: Any) -> Any:
        op = OPS[name]  # loads the table too
        from wengert_core.optable.core_table import TABLE

        op = TABLE.operators.get(name, op)
        set_operators({sign: op})
        return op(*operands)

    return first_call


def lazy_indexing(index: Callable[..., Any]) -> Callable[..., Any]:
    """What stands for x[...] and x[...] = value until their family is loaded, which puts its own in their place."""

    def first_call(*operands: Any) -> Any:
        load("index.getitem_fill")
        return index(*operands)

    return first_call


def install() -> None:
    """Give Tensor its operators, which load their families."""
    names = OPERATORS | {f"i{sign}": f"{op}_" for sign, op in OPERATORS.items() if sign not in NEVER_IN_PLACE}
    set_operators({sign: lazy_operator(sign, name) for sign, name in names.items()}
                  | {"invert": invert, "getitem": lazy_indexing(getitem), "setitem": lazy_indexing(setitem)})
