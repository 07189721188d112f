"""Forward mode: the tangents of an op's outputs, by its formula.

>>> import wengert_core as wc
>>> from wengert_core.dispatch.op import find
>>> from wengert_formulas import load
>>> from wengert_formulas.forward import jvp
>>> jvp(find("exp"), [wc.zeros(2)], [wc.ones(2)], entry=load().entries["exp"])[0].tolist()
[1.0, 1.0]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import wengert_core as wc
from wengert_core.dispatch.op import Op
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.table import Entry

Values = Sequence[Any]


class Call:
    """One call of an op, as a formula sees it: its arguments, their tangents, its outputs."""

    def __init__(self, op: Op, arguments: Values, tangents: Values, outputs: Values | None) -> None:
        self.op = op
        self.arguments = list(arguments)
        self.tangents = list(tangents) + [None] * (len(arguments) - len(tangents))
        self.made = outputs

    @property
    def outputs(self) -> Values:
        """The op's outputs, computed when the caller did not give them."""
        if self.made is None:
            self.made = as_tuple(call(self.op, self.arguments))
        return self.made

    def argument(self, name: str) -> Any:
        """An argument by its name."""
        return self.arguments[self.op.params.index(name)]

    def tangent(self, name: str) -> Any:
        """The tangent of an argument, or None."""
        return self.tangents[self.op.params.index(name)]

    def value(self, name: str) -> Any:
        """What a formula's parameter stands for."""
        if name in self.op.params:
            return self.argument(name)
        if name == "result":
            return self.outputs[0]
        if name in self.op.outputs:
            return self.outputs[self.op.outputs.index(name)]
        base, _, fact = name.rpartition("_")
        if fact == "t":
            return with_zeros(self.argument(base), self.tangent(base))
        return FACTS[fact](self.argument(base))

    def bind(self, fn: Callable[..., Any]) -> Any:
        """The result of a formula on this call."""
        code = fn.__code__
        return fn(*[self.value(name) for name in code.co_varnames[: code.co_argcount]])


FACTS: dict[str, Callable[[Tensor], Any]] = {
    "shape": lambda x: tuple(x.shape),
    "dtype": lambda x: x.dtype,
    "geometry": lambda x: (tuple(x.shape), x.stride(), x.storage_offset()),
}


def jvp(
    op: Op, arguments: Values, tangents: Values, outputs: Values | None = None, *, entry: Entry | None = None
) -> tuple[Any, ...]:
    """The tangents of an op's outputs: one for each, None for those that have none.

    arguments: the op's, in the order of its schema, all of them or the first ones; of an in-place op as they were
    before the write.
    tangents: for each argument a tensor of its shape or None; for a sequence of tensors a sequence.
    outputs: what the op gave, where the caller has it (it is computed when a formula asks for it).
    entry: the op's formula; default: the one that is registered.   RuntimeError when there is none.
    """
    op = op.out_of_place or op if op.is_inplace else op
    entry = entry or registered_entry(op)
    rest = defaults(op)[len(arguments) :] if len(arguments) < len(op.params) else ()
    case = Call(op, [*arguments, *rest], tangents, outputs)
    if entry.kind == "elementwise":
        return (elementwise(case, entry),)
    if entry.kind == "multilinear":
        return (total([substitute(case, name) for name in entry.inputs if case.tangent(name) is not None]),)
    if entry.jvp is not None:
        return as_tuple(by_rule(case, entry.jvp))
    if entry.kind == "linear":
        return as_tuple(call(op, in_place_of(case, entry)))
    if entry.kind == "derivative":
        raise RuntimeError(f"the forward derivative for '{op.name}' is not implemented")
    if entry.kind == "not_implemented":
        raise RuntimeError(f"derivative for {op.qualified_name} is not implemented: {entry.reason}")
    return tuple(zeros_of(entry, output) for output in case.outputs)


def registered_entry(op: Op) -> Entry:
    """The op's entry in the registered tables."""
    from wengert_engine.graph.formula_lookup import find_formula

    entry = find_formula(op)
    if entry is None:
        raise RuntimeError(f"derivative for {op.qualified_name} is not implemented")
    return entry


# ---- by kind
def elementwise(case: Call, entry: Entry) -> Tensor | None:
    """The sum of tangent * slope."""
    parts = [
        times(case.tangent(name), case.bind(slope) if callable(slope) else slope)
        for name, slope in entry.inputs.items()
        if case.tangent(name) is not None
    ]
    return like_result(case, total(parts))


def times(tangent: Tensor, slope: Any) -> Tensor:
    """tangent * slope; a slope of truth values chooses."""
    if slope is None:
        return wc.zeros_like(tangent)
    if isinstance(slope, Tensor) and slope.dtype is wc.bool:
        return wc.where(slope, tangent, 0)
    return tangent if isinstance(slope, int) and slope == 1 else tangent * slope


def substitute(case: Call, name: str) -> Any:
    """The op with one argument replaced by its tangent."""
    return call(
        case.op,
        [
            case.tangent(name) if param == name else value
            for param, value in zip(case.op.params, case.arguments, strict=True)
        ],
    )


def in_place_of(case: Call, entry: Entry) -> list[Any]:
    """The arguments with all linear ones replaced by their tangents."""
    return [
        with_zeros(value, tangent) if param in entry.inputs else value
        for param, value, tangent in zip(case.op.params, case.arguments, case.tangents, strict=True)
    ]


def by_rule(case: Call, rule: Callable[..., Any] | Mapping[str, Callable[..., Any]]) -> Any:
    """The entry's own rule."""
    if callable(rule):
        return case.bind(rule)
    return like_result(case, total([case.bind(fn) for name, fn in rule.items() if case.tangent(name) is not None]))


def zeros_of(entry: Entry, output: Any) -> Tensor | None:
    """The tangent of an output that depends on nothing smoothly."""
    return wc.zeros_like(output) if entry.kind == "zero" and output.dtype.category >= FLOATING else None


FLOATING = wc.float32.category


# ---- pieces
def call(op: Op, arguments: Values) -> Any:
    """The op on all its arguments but out=."""
    given = {name: value for name, value in zip(op.params, arguments, strict=True) if name != "out"}
    first = next(iter(given), None)
    return op(given.pop(first), **given) if first is not None else op()


def defaults(op: Op) -> list[Any]:
    """The value of each parameter that was not given; None for those that must be."""
    return [parameter[6] for parameter in op_parameters(op)]


def op_parameters(op: Op) -> Any:
    """The parameters as the schema has them."""
    from wengert_core.binding.schema import parse_schema

    return parse_schema(op.schema)[1]


def as_tuple(outputs: Any) -> tuple[Any, ...]:
    """One output or several, as a tuple."""
    return tuple(outputs) if isinstance(outputs, (tuple, list)) else (outputs,)


def total(parts: list[Any]) -> Any:
    """The sum; None of nothing."""
    result = None
    for part in parts:
        result = part if result is None else result + part
    return result


def with_zeros(value: Any, tangent: Any) -> Any:
    """The tangent of an argument, zeros where it has none; of each, for a sequence."""
    if isinstance(value, (tuple, list)) and value and isinstance(value[0], Tensor):
        return [with_zeros(v, t) for v, t in zip(value, tangent or [None] * len(value), strict=True)]
    if tangent is not None:
        return tangent
    return wc.zeros_like(value) if isinstance(value, Tensor) else value if value is None else value * 0


def like_result(case: Call, tangent: Tensor | None) -> Tensor | None:
    """The tangent with the shape of the result, and a dtype that holds it: a sum of parts may lack what was
    broadcast or promoted. A tangent in double precision stays there.
    """
    if tangent is None:
        return None
    if case.made is None and len(case.op.params) == 1:
        return tangent
    result = case.outputs[0]
    if tangent.dtype is not result.dtype:
        tangent = real_part(tangent) if tangent.is_complex() and not result.is_complex() else tangent
        tangent = tangent.to(wc.promote_types(tangent.dtype, result.dtype))
    return tangent if tuple(tangent.shape) == tuple(result.shape) else tangent.expand(result.shape)


def real_part(x: Tensor) -> Tensor:
    """The real part, for a result that is real."""
    from wengert_formulas.derivatives.base import real

    return real(x)
