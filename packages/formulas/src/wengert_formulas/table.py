"""FormulaTable: derivatives of ops, ours and a plugin's alike. Filling one touches nothing global.

A formula is a function whose parameter names say what it gets, and so what the engine saves:

- ``grad``: the gradient of the op's first output; ``grads``: those of all its outputs (of those that
  ``outputs=`` names, where only some are differentiable);
- an argument's name: its value; ``NAME_shape``, ``NAME_dtype``, ``NAME_geometry`` (sizes, strides,
  storage offset): a fact of it;
- ``result``, or an output's name: that output;
- ``needs``: which inputs need a gradient (for a joint formula);
- in a jvp: ``NAME_t``, the tangent of an argument (zeros where it has none, when another one has).

Gradients need not be summed over broadcast dimensions: the engine's edge does it.

>>> from wengert_formulas.table import FormulaTable
>>> table = FormulaTable("example")
>>> table.elementwise("exp", lambda result: result)
>>> table.entries["exp"].kind
'elementwise'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Rule = Callable[..., Any] | int | float | None
Jvp = Callable[..., Any] | Mapping[str, Callable[..., Any]] | None
NodeName = str | Callable[..., str] | None
"""A name of nodes (None: the op's name in camel case and "Backward0"), or a function that gives it: of what up to two
arguments are ("none", "number", "tensor", "matrix": a tensor of two dims, "several": a list or tuple), of
``inplace`` (bool), and of ``operator`` (bool): whether Python's operator or x[...] = has called. A name stands for one
of torch's overloads: where an argument is never a tensor with that name, the nodes show no edge for it."""


class Entry:
    """One op's derivative, as written in a table."""

    __slots__ = ("inputs", "joint", "joint_inputs", "jvp", "kind", "node_name", "op", "outputs", "reason")

    def __init__(
        self,
        op: str,
        kind: str,
        inputs: dict[str, Rule],
        *,
        jvp: Jvp = None,
        joint: Callable[..., Any] | None = None,
        joint_inputs: tuple[str, ...] = (),
        outputs: tuple[str, ...] | None = None,
        node_name: NodeName = None,
        reason: str = "",
    ) -> None:
        self.op = op
        self.kind = kind
        self.inputs = inputs
        self.jvp = jvp
        self.joint = joint
        self.joint_inputs = joint_inputs
        self.outputs = outputs
        self.node_name = node_name
        self.reason = reason

    def tangents(self, op: Any, arguments: Any, tangents: Any, outputs: Any) -> tuple[Any, ...]:
        """The tangents of an op's outputs; see forward.jvp."""
        from wengert_formulas.forward import jvp

        return jvp(op, arguments, tangents, outputs, entry=self)

    def __repr__(self) -> str:
        return f"<formula of {self.op}: {self.kind}>"


class FormulaTable:
    """Derivatives by op name. name: of the op table they belong to."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.entries: dict[str, Entry] = {}
        self.batching: dict[str, Any] = {}
        self.read_again = False  # filling it was interrupted: the lines of the module that was being read come again

    def __repr__(self) -> str:
        return f"<FormulaTable {self.name}: {len(self.entries)} formulas>"

    def batch(self, op: str, rule: Any) -> None:
        """Say what an op does with batched arguments (``wengert.vmap``): a function of a ``batching.Call``.

        An op without such a rule has that of its family (all pointwise ops, reductions, softmax), or is called once for
        each element of the batch.
        """
        if rule != "broadcast" and not callable(rule):
            raise TypeError(
                f"formula table '{self.name}', op {op!r}: a rule is 'broadcast' or a function of a Call, not {rule!r}"
            )
        self.batching[self._check_name(op)] = rule

    def batching_rule(self, op: Any) -> Any:
        """The rule for batched arguments of an op of this owner, or None."""
        from wengert_formulas.batching import bind_rule, find

        return bind_rule(self.batching.get(op.name) or find(op, self.name == "core"))

    def _check_name(self, op: Any) -> str:
        """The name of an op; TypeError for what cannot be one."""
        if not isinstance(op, str) or not all(part.isidentifier() for part in op.split(".")):
            raise TypeError(f"formula table '{self.name}': an operation's name is text, an identifier, not {op!r}")
        return op

    def _add(self, entry: Entry) -> None:
        self._check_name(entry.op)
        if entry.node_name is not None and not isinstance(entry.node_name, str) and not callable(entry.node_name):
            raise TypeError(
                f"formula table '{self.name}', op '{entry.op}': node= is a name or a function of kinds, not "
                f"{entry.node_name!r}"
            )
        if entry.op in self.entries and not self.read_again:
            raise ValueError(f"table '{self.name}' has two formulas for the op '{entry.op}'")
        self.entries[entry.op] = entry

    def elementwise(self, op: str, slope: Rule = None, /, *, node: NodeName = None, **slopes: Rule) -> None:
        """d result / d input for each input, elementwise: gives vjp (grad * conj(slope)) and jvp (tangent * slope).

        slope: for the only input ``self``; or one for each input by name; a number is a constant slope.
        """
        inputs: dict[str, Rule] = {"self": slope} if slope is not None else slopes
        self._add(Entry(op, "elementwise", inputs, node_name=node))

    def linear(self, op: str, /, *, node: NodeName = None, jvp: Jvp = None, **inputs: Rule) -> None:
        """An op that is linear in the named inputs taken together: its jvp is the op itself on the tangents.

        inputs: for each its vjp, a function of ``grad`` (or 1, -1, a constant).
        jvp: only where the op itself will not do.
        """
        self._add(Entry(op, "linear", inputs, jvp=jvp, node_name=node))

    def multilinear(self, op: str, /, *, node: NodeName = None, **inputs: Rule) -> None:
        """An op that is linear in each named input: its jvp sums the op with one tangent in its input's place."""
        self._add(Entry(op, "multilinear", inputs, node_name=node))

    def derivative(
        self,
        op: str,
        /,
        *,
        jvp: Jvp = None,
        node: NodeName = None,
        outputs: tuple[str, ...] | None = None,
        joint: Callable[..., Any] | None = None,
        joint_inputs: tuple[str, ...] = (),
        **inputs: Rule,
    ) -> None:
        """The general case: a vjp for each input, and the jvp.

        jvp: a function of the tangents, or one for each input by name, whose results are summed.
        outputs: the differentiable ones (default: all of a floating dtype).
        joint: one function that returns the gradients of ``joint_inputs`` as a tuple, where they share work.
        An input given as None gets zeros.
        """
        self._add(
            Entry(
                op,
                "derivative",
                inputs,
                jvp=jvp,
                joint=joint,
                joint_inputs=joint_inputs,
                outputs=outputs,
                node_name=node,
            )
        )

    def zero(self, *ops: str, node: NodeName = None) -> None:
        """Ops whose derivative is 0 everywhere: recorded, with zero gradients."""
        for op in ops:
            self._add(Entry(op, "zero", {}, node_name=node))

    def not_differentiable(self, *ops: str) -> None:
        """Ops that are never recorded: their outputs do not require grad."""
        for op in ops:
            self._add(Entry(op, "not_differentiable", {}))

    def not_implemented(self, op: str, reason: str) -> None:
        """An op whose derivative is missing: backward through it is an error that gives the reason."""
        self._add(Entry(op, "not_implemented", {}, reason=reason))
