"""Calls of primitives: a ``wengert.autograd.Function`` that computes with NumPy's arrays and has the program's rules.

Note [Rules see arrays]
    The raw function gets NumPy's arrays. The functions for derivatives get arrays inside differentiated code, with
    their history, so that what they compute can be differentiated again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy
import wengert as wg
from wengert import Tensor

from wengert_numpy.autograd_numpy.arrays.faces import as_array
from wengert_numpy.autograd_numpy.containers import call_plain, is_inexact, to_numpy, to_plain
from wengert_numpy.autograd_numpy.depth import AtDepth, Overrides
from wengert_numpy.autograd_numpy.nested import holds_tensor, leaves_of, map_leaves, with_leaves
from wengert_numpy.autograd_numpy.tracing import conjugate


@dataclass
class Rules:
    """A primitive's function and its derivatives, by argument or by one function for all."""

    name: str
    function: Callable[..., Any]
    vjps: dict[int, Any] = field(default_factory=dict)
    jvps: dict[int, Any] = field(default_factory=dict)
    vjp_of_argnums: Any = None
    jvp_of_argnums: Any = None


class Frame:
    """A call of a primitive: the arguments, of which the tensors are the inputs, and the form of the result."""

    def __init__(self, rules: Rules, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.rules, self.args, self.kwargs = rules, args, kwargs
        self.owners = [i for i, arg in enumerate(args) for leaf in leaves_of(arg) if isinstance(leaf, Tensor)]
        self.result: Any = None
        self.outputs: list[int] = []

    def tensors(self) -> list[Any]:
        """Return the inputs."""
        return [to_plain(leaf) for leaf in leaves_of(self.args) if isinstance(leaf, Tensor)]

    def arguments(self, values: Any) -> tuple[Any, ...]:
        """Return the arguments with other values in place of the inputs."""
        rest = iter(values)
        leaves = [next(rest) if isinstance(leaf, Tensor) else leaf for leaf in leaves_of(self.args)]
        return with_leaves(self.args, iter(leaves))  # type: ignore[no-any-return]

    def answer(self, values: Any) -> Any:
        """Return the result with other values in place of those that are outputs."""
        leaves = list(leaves_of(self.result))
        for i, value in zip(self.outputs, values, strict=True):
            leaves[i] = value
        return with_leaves(self.result, iter(leaves))

    def run(self, values: Any) -> tuple[Any, ...]:
        """Return the outputs of the raw function: the numbers and arrays of its result."""
        with AtDepth(0), wg.enable_grad():
            result = self.rules.function(*self.arguments(values), **self.kwargs)
        self.result = map_leaves(to_numpy, result)
        leaves = list(leaves_of(self.result))
        self.outputs = [
            i for i, leaf in enumerate(leaves) if isinstance(leaf, (numpy.ndarray, numpy.number, float, complex))
        ]
        return tuple(wg.from_numpy(numpy.array(leaves[i])) for i in self.outputs)

    def cotangent_parts(self, argnums: list[int], ans: Any, args: Any, g: Any) -> dict[int, Any]:
        """Return what the rules give for the cotangent, by argument. NotImplementedError where one is not there."""
        rules = self.rules
        if rules.vjp_of_argnums is not None:
            return dict(zip(argnums, rules.vjp_of_argnums(tuple(argnums), ans, args, self.kwargs)(g), strict=True))
        absent = [i for i in argnums if i not in rules.vjps]
        if absent:
            raise NotImplementedError(
                f"VJP of {rules.name} wrt argnums {tuple(argnums)} not defined: define it for "
                f"{absent} with wengert.numpy.extend.defvjp"
            )
        return {i: rules.vjps[i](ans, *args, **self.kwargs)(g) for i in argnums}

    def tangent(self, argnums: list[int], tangents: list[Any], ans: Any, args: Any) -> Any:
        """Return what the rules give for tangents. NotImplementedError where one is not there."""
        rules = self.rules
        if rules.jvp_of_argnums is not None:
            return rules.jvp_of_argnums(tuple(argnums), tuple(tangents), ans, args, self.kwargs)
        absent = [i for i in argnums if i not in rules.jvps]
        if absent:
            raise NotImplementedError(
                f"JVP of {rules.name} wrt argnums {tuple(argnums)} not defined: define it for "
                f"{absent} with wengert.numpy.extend.defjvp"
            )
        total: Any = None
        for i, tangent in zip(argnums, tangents, strict=True):
            part = rules.jvps[i] and rules.jvps[i](tangent, ans, *args, **self.kwargs)
            if part is not None:
                total = part if total is None else map_leaves(lambda a, b: a + b, total, part)
        return total


class Primitive(wg.autograd.Function):
    """The function of a call's inputs."""

    @staticmethod
    def forward(frame: Frame, *inputs: Any) -> Any:
        """Return the outputs."""
        return frame.run([to_numpy(one) for one in inputs])

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Save what the rules get."""
        frame, *tensors = inputs
        ctx.frame, ctx.inputs = frame, len(tensors)
        ctx.save_for_backward(*tensors, *output)
        ctx.save_for_forward(*tensors, *output)
        ctx.mark_non_differentiable(*(one for one in output if not is_inexact(one)))
        ctx.set_materialize_grads(True)

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        """Return the gradients by the inputs. Note [Complex derivatives are conjugates] in tracing.py."""
        frame, saved = ctx.frame, ctx.saved_tensors
        needed = [i for i, need in enumerate(ctx.needs_input_grad[1:]) if need]
        argnums = sorted({frame.owners[i] for i in needed})
        values, outputs = saved[: ctx.inputs], saved[ctx.inputs :]
        with Overrides():
            args = frame.arguments([wrap(one) for one in values])
            ans = frame.answer([wrap(one) for one in outputs])
            g = frame.answer([wrap(call_plain(conjugate, one)) for one in cotangents])
            parts = frame.cotangent_parts(argnums, ans, args, g)
        found: list[Any] = [None] * ctx.inputs
        for argnum, part in parts.items():
            places = iter([i for i, owner in enumerate(frame.owners) if owner == argnum])
            leaves = [None] * 0 if part is None else list(leaves_of(part))
            originals = list(leaves_of(frame.args[argnum]))
            for leaf, original in zip(leaves, originals, strict=True) if leaves else ():
                if isinstance(original, Tensor):
                    i = next(places)
                    found[i] = call_plain(fit, to_plain(leaf), values[i], frame.rules.name)
        return (None, *found)

    @staticmethod
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
        """Return the tangents of the outputs."""
        frame, saved = ctx.frame, ctx.saved_tensors
        values, outputs = saved[: ctx.inputs], saved[ctx.inputs :]
        argnums = sorted({frame.owners[i] for i, one in enumerate(tangents) if one is not None})
        full = [call_plain(wg.zeros_like, v) if t is None else t for t, v in zip(tangents, values, strict=True)]
        with Overrides():
            args = frame.arguments([wrap(one) for one in values])
            ans = frame.answer([wrap(one) for one in outputs])
            directions = frame.arguments([wrap(one) for one in full])
            total = frame.tangent(argnums, [directions[i] for i in argnums], ans, args)
        if total is None:
            return tuple(call_plain(wg.zeros_like, one) for one in outputs)
        leaves = list(leaves_of(total))
        return tuple(
            call_plain(lambda i=i, one=one: to_plain(leaves[i]).to(one.dtype).expand(one.shape))
            for i, one in zip(frame.outputs, outputs, strict=True)
        )

    @staticmethod
    def vmap(info: Any, in_dims: Any, frame: Frame, *inputs: Any) -> Any:
        """Return the outputs for each element of a batch, computed one after the other."""
        rows = []
        for k in range(info.batch_size):
            chosen = [one if dim is None else one.select(dim, k) for one, dim in zip(inputs, in_dims[1:], strict=True)]
            one_call = Frame(frame.rules, frame.arguments(chosen), frame.kwargs)
            rows.append(Primitive.apply(one_call, *chosen))
            frame.result, frame.outputs = one_call.result, one_call.outputs
        return tuple(wg.stack(column) for column in zip(*rows, strict=True)), (0,) * len(rows[0])


def wrap(t: Any) -> Any:
    """Return a tensor as an array; anything else as it is.

    An array of NumPy where nothing follows the rule that gets it: neither a gradient of higher order, nor a tangent,
    nor a batch.
    """
    if not isinstance(t, Tensor):
        return t
    if not wg.is_grad_enabled():
        try:
            return call_plain(Tensor.numpy, t)[()]
        except (RuntimeError, TypeError):
            pass
    return as_array(t)


def fit(gradient: Any, value: Any, name: str) -> Any:
    """Return a gradient, as a rule gives it, as wengert's. ValueError for another shape than the input's."""
    if gradient.shape != value.shape:
        raise ValueError(
            f"VJP of {name} gave a gradient of shape {tuple(gradient.shape)} for an argument of shape "
            f"{tuple(value.shape)}"
        )
    if gradient.is_complex() and not value.is_complex():
        gradient = wg.real(gradient)
    return conjugate(gradient.to(value.dtype))


def call_primitive(rules: Rules, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the result of a primitive for arguments among which tensors are, as arrays with a history."""
    for key, value in kwargs.items():
        if holds_tensor(value) and any(
            isinstance(leaf, Tensor) and call_plain(getattr, leaf, "requires_grad") for leaf in leaves_of(value)
        ):
            raise TypeError(
                f"{rules.name}(): argument '{key}' is a keyword argument, by which primitives have no "
                "derivative: give it by position"
            )
    frame = Frame(rules, args, map_leaves(to_numpy, kwargs))
    outputs = call_plain(Primitive.apply, frame, *frame.tensors())
    return frame.answer([as_array(one) for one in outputs])
