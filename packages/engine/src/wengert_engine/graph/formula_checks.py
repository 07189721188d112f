"""Checks of a formula against its op: made once, when the two meet.

A derivative that cannot be right is refused here, before anything is recorded with it: ``elementwise`` for several
outputs, a rule that asks for what the op does not have, a ``jvp`` or ``joint`` that returns another number of values.
What a function returns is known beforehand where its code ends in ``return a, b``; the rest is counted when it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from wengert_core.binding.schema import parse_schema
from wengert_core.dispatch.op import Op, find
from wengert_core.messages.owners import formulas_of
from wengert_registry import registry

KINDS = ("elementwise", "linear", "multilinear", "derivative", "zero", "not_differentiable", "not_implemented")
ELEMENTWISE = ("pointwise", "array", "staged")
"""Families whose ops may give one element for each element."""
FACTS = ("_shape", "_dtype", "_geometry")
"""Facts that a rule may ask about an argument, behind its name."""
MOST_ARGUMENTS = 12
"""Parameters that a rule can have: MAX_ARGS of formula.pxd."""
VARARGS, KEYWORDS = 0x04, 0x08  # bits of co_flags


def check_entry(op: Op, entry: Any) -> None:
    """ValueError for a formula that cannot be right for the op."""
    if getattr(entry, "kind", None) not in KINDS:
        raise wrong(op, f"is of the kind {getattr(entry, 'kind', None)!r}; kinds are {', '.join(KINDS)}")
    if entry.kind in ("not_differentiable", "not_implemented"):
        return
    if entry.kind == "elementwise" and len(op.outputs) > 1:
        raise wrong(
            op,
            f"is elementwise, which is for one output; the op has {len(op.outputs)}: {', '.join(op.outputs)}. Write "
            "derivative() with jvp=",
        )
    if entry.kind == "elementwise" and op.family not in ELEMENTWISE:
        raise wrong(
            op,
            f"is elementwise, which no op of the family '{op.family}' is: write derivative(), a rule for each input",
        )
    for name in entry.outputs or ():
        if name not in op.outputs:
            raise wrong(op, f"says outputs={entry.outputs}; the op's outputs are {', '.join(op.outputs)}")
    check_inputs(op, entry)
    if entry.joint is not None:
        check_joint(op, entry)
    check_jvp(op, entry)


def check_inputs(op: Op, entry: Any) -> None:
    """The rules of reverse mode, by the names of inputs."""
    if entry.kind != "zero" and not entry.inputs and entry.joint is None:
        raise wrong(op, f"has no rule for any input: write one for each by its name, of {', '.join(op.params)}")
    types = {param[0]: param[1] for param in parse_schema(op.schema)[1]}
    for name, rule in entry.inputs.items():
        if name not in types:
            raise wrong(op, f"names '{name}', which its schema does not have: inputs are {', '.join(op.params)}")
        if callable(rule):
            check_function(op, f"the rule for '{name}'", rule, tangents=False)
            if types[name] != "Tensor[]":
                check_count(op, f"the rule for '{name}'", rule, (1,))
        elif rule is not None and (isinstance(rule, bool) or not isinstance(rule, (int, float, complex))):
            raise wrong(
                op,
                f"gives '{name}' a rule of type {type(rule).__name__}; a rule is a function, a number or None",
            )


def check_joint(op: Op, entry: Any) -> None:
    """One function for the gradients of several inputs."""
    if not callable(entry.joint) or isinstance(entry.joint_inputs, str) or not entry.joint_inputs:
        raise wrong(
            op, "has a joint that is no function, or no joint_inputs: a tuple of the inputs whose gradients it returns"
        )
    for name in entry.joint_inputs:
        if name not in op.params:
            raise wrong(
                op, f"names '{name}' in joint_inputs, which its schema does not have: inputs are {', '.join(op.params)}"
            )
        if name in entry.inputs or entry.joint_inputs.count(name) > 1:
            raise wrong(op, f"has two rules for '{name}'")
    check_function(op, "joint", entry.joint, tangents=False)
    check_count(op, "joint", entry.joint, (len(entry.joint_inputs),))


def check_jvp(op: Op, entry: Any) -> None:
    """The rule of forward mode: a function, or one for each input by name."""
    if entry.jvp is None:
        return
    if callable(entry.jvp):
        check_function(op, "jvp", entry.jvp, tangents=True)
        check_count(op, "jvp", entry.jvp, allowed_tangents(op, entry))
        return
    for name, rule in dict(entry.jvp).items():
        if name not in op.params:
            raise wrong(op, f"names '{name}' in jvp, which its schema does not have: inputs are {', '.join(op.params)}")
        if not callable(rule):
            raise wrong(op, f"has a jvp for '{name}' of type {type(rule).__name__}; it is a function")
        check_function(op, f"jvp for '{name}'", rule, tangents=True)


def allowed_tangents(op: Op, entry: Any) -> tuple[int, ...]:
    """Return the numbers of tangents a jvp may give: one for each output, or for the first that are differentiable."""
    if op.schema.endswith("-> Tensor[]"):
        return ()
    outputs = tuple(entry.outputs or ())
    some = [len(outputs)] if outputs and outputs == op.outputs[: len(outputs)] else []
    return (len(op.outputs), *some)


def check_function(op: Op, what: str, fn: Callable[..., Any], *, tangents: bool) -> None:
    """A rule is called with what its parameters name: all of them must be known."""
    code = getattr(fn, "__code__", None)
    if code is None:
        raise wrong(
            op,
            f"has {what} of type {type(fn).__name__}; a rule is a plain function, whose parameters name what it gets",
        )
    if code.co_flags & (VARARGS | KEYWORDS) or code.co_kwonlyargcount:
        raise wrong(
            op, f"has {what} with *args, **kwargs or keyword-only parameters; each parameter must name what it gets"
        )
    names = code.co_varnames[: code.co_argcount]
    if len(names) > MOST_ARGUMENTS and not tangents:
        raise wrong(op, f"has {what} with {len(names)} parameters, at most {MOST_ARGUMENTS} are possible")
    known = {*op.params, *op.outputs, "result", *(f"{name}{fact}" for name in op.params for fact in FACTS)}
    known |= {f"{name}_t" for name in op.params} if tangents else {"grad", "grads", "needs"}
    for name in names:
        if name not in known:
            shown = [*(["NAME_t"] if tangents else ["grad", "grads", "needs"]), *op.params, "result", *op.outputs]
            raise wrong(
                op,
                f"asks for '{name}' in {what}, which its schema does not have: a parameter is one of "
                f"{', '.join(dict.fromkeys(shown))}, or an argument's NAME_shape, NAME_dtype, NAME_geometry",
            )


def check_count(op: Op, what: str, fn: Callable[..., Any], allowed: tuple[int, ...]) -> None:
    """ValueError where the code shows another number of values than is allowed; none allowed: it is not known."""
    for n in count_returns(fn):
        if allowed and n not in allowed:
            wanted = " or ".join(str(size) for size in sorted({*allowed}))
            raise wrong(op, f"has {what} that returns {n} values; expected {wanted}")


def count_returns(fn: Callable[..., Any]) -> Iterator[int]:
    """Yield the number of values, for each return whose value is a constant, or a tuple that is written there."""
    if not fn.__code__.co_code:  # compiled by Cython
        return
    from dis import get_instructions  # here: formulas of ours are compiled

    before = None
    for step in get_instructions(fn):
        if step.opname == "RETURN_VALUE" and before is not None:
            if before.opname == "BUILD_TUPLE":
                yield before.arg or 0
            elif before.opname == "LOAD_CONST":
                yield len(before.argval) if isinstance(before.argval, tuple) else 1
        elif step.opname == "RETURN_CONST":
            yield len(step.argval) if isinstance(step.argval, tuple) else 1
        before = step


def check_names(table: Any) -> None:
    """ValueError for a table with formulas for ops that do not exist. An op of the owner's own table does, also where
    another table has got its name.
    """
    ops: Any = registry.group("ops").find(table.name)
    own = {op.name for op in ops.ops.values() if isinstance(op, Op)} if ops is not None else set()
    missing = [name for name in table.entries if name not in own and not exists(name)]
    if missing:
        raise ValueError(
            f"{formulas_of(table.name)} has formulas for operations that do not exist: {', '.join(sorted(missing))}"
        )


def exists(name: str) -> bool:
    """Return whether there is an op of that name."""
    try:
        find(name)
    except KeyError:
        return False
    return True


def wrong(op: Op, why: str) -> ValueError:
    """The error for a formula: op, table, distribution, what is wrong, and the schema."""
    return ValueError(f"the formula of '{op.name}' in {formulas_of(op.owner)} {why}; the schema is {op.schema}")
