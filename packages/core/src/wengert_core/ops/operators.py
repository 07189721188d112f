"""What Python's operators call."""

from __future__ import annotations

from typing import Any

from wengert_core.ops.table import TABLE
from wengert_core.tensor import set_operators

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
    "neg": "neg",
    "pos": "positive",
    "abs": "abs",
}
NEVER_IN_PLACE = ("lt", "le", "eq", "ne", "gt", "ge", "neg", "pos", "abs")


def invert(self: Any) -> Any:
    """~self: bitwise_not, for integers and bool."""
    if self.dtype.category > 1:
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return TABLE.ops["bitwise_not"](self)


def install() -> None:
    """Give Tensor its operators; all rows must be there."""
    ops = TABLE.ops
    given = {name: ops[op] for name, op in OPERATORS.items()}
    in_place = {f"i{name}": f"{op}_" for name, op in OPERATORS.items() if name not in NEVER_IN_PLACE}
    written = {name: ops[op] for name, op in in_place.items() if op in ops}
    set_operators({**given, **written, "invert": invert})
